// Runs a command of this folder: `npm run bench -- openapi | mcp | search | declarations | isolate [--quick]` at the root, or
// `npm run differential` here. Installs this folder's own packages first where they are read (documents, of which GitHub's is
// most, and other search libraries); without them the commands go on and say so.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const here = fileURLToPath(new URL(".", import.meta.url))
const commands = ["openapi", "differential", "mcp", "search", "declarations", "isolate"]
const needsPackages = (command) => command !== "mcp"
const [command, ...rest] = process.argv.slice(2)

const run = (program, args) => spawnSync(program, args, { cwd: here, stdio: "inherit" }).status ?? 1

if (!commands.includes(command)) {
  console.error(`usage: npm run bench -- ${commands.join(" | ")}`)
  process.exit(2)
}
if (!existsSync(join(here, "../dist/index.js"))) {
  console.error("the package is not built: run `npm run build` at the root first")
  process.exit(2)
}
if (needsPackages(command) && !existsSync(join(here, "node_modules/.package-lock.json"))) {
  console.error("installing documents and libraries, about 390 MB (npm ci in bench/) …")
  if (run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"]) !== 0) console.error("… which failed: going on without them")
}
process.exitCode = run(process.execPath, ["--import", "tsx", `${command}.ts`, ...rest])
