// Everything that needs no outside service: the Rust tests, then the shim's on this Node.js. The runners' reports go to
// reports/, where requirements.mjs reads them.
import { spawn } from "node:child_process"
import { createWriteStream, mkdirSync, rmSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

const run = (command, args, { env = {}, report } = {}) =>
  new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, env: { ...process.env, ...env }, stdio: ["ignore", report ? "pipe" : "inherit", "inherit"] })
    if (report) {
      const file = createWriteStream(report)
      child.stdout.on("data", (chunk) => {
        process.stdout.write(chunk)
        file.write(chunk)
      })
      child.stdout.on("end", () => file.end())
    }
    child.on("error", (error) => {
      console.error(`${command}: ${error.message}`)
      resolve(1)
    })
    child.on("close", (code) => resolve(code ?? 1))
  })

rmSync(`${root}/reports`, { recursive: true, force: true })
mkdirSync(`${root}/reports`)
const steps = [
  () => run(process.execPath, ["scripts/prepare.mjs"]),
  () => run("cargo", ["test", "--locked", "--release", "--workspace"], { report: "reports/cargo.txt" }),
  () => run(process.execPath, ["node_modules/vitest/vitest.mjs", "run"], { env: { VITEST_REPORT: "reports/vitest.json" } })
]
for (const step of steps) {
  const code = await step()
  if (code !== 0) process.exit(code)
}
