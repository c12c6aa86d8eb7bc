// What the scripts here do alike: they run programs in the checkout, and end in words.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("..", import.meta.url))

export const fail = (message) => {
  console.error(`toolkit-native: ${message}`)
  process.exit(1)
}

/**
 * Runs a program to its end. Standard input is the user's document, never a build's; standard output is the script's, so what it
 * runs talks on error. `otherwise` is said where it fails.
 */
export const run = (command, args, { env = {}, otherwise } = {}) => {
  // npm is a batch file on Windows, which only a shell runs.
  const shell = process.platform === "win32" && command === "npm"
  const { error, status } = spawnSync(command, args, { cwd: root, env: { ...process.env, ...env }, stdio: ["ignore", 2, 2], shell })
  if (status !== 0) fail(otherwise ?? `${[command, ...args].join(" ")} failed${error === undefined ? "" : `: ${error.message}`}`)
}
