// Prepares what `npm run test:services` runs against, in .services/, and nothing that is there already. What the machine has to
// bring itself and does not have ends it, in words: no test is left out for want of a service.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fail, root, run } from "./run.mjs"

const services = join(root, ".services")

/** Does a step unless it was done for the same `state`, which is anything that says what was wanted. */
const once = ({ folder, says, state }, step) => {
  const stamp = join(folder, "prepared.json")
  const wanted = JSON.stringify(state)
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return
  console.error(`toolkit-native: ${says} …`)
  const start = performance.now()
  rmSync(folder, { recursive: true, force: true })
  step()
  writeFileSync(stamp, wanted)
  console.error(`toolkit-native: … done in ${Math.round((performance.now() - start) / 1000)} s`)
}

/** The servers of the Model Context Protocol that are written in Python, in a venv of their own. */
const python = () => {
  const { stdout } = spawnSync("python3", ["-c", "import sys; print(*sys.version_info[:3], sep='.')"], { encoding: "utf8" })
  const version = stdout?.trim() || "not found"
  const [major, minor] = version.split(".").map(Number)
  if (major !== 3 || minor < 11) fail(`the servers in Python need python3, version 3.11 or later: ${version}`)

  const requirements = join(root, "__test__/services/mcp/requirements.txt")
  const folder = join(services, "python")
  once({ folder, says: "installing FastMCP and the Python SDK of MCP", state: [version, readFileSync(requirements, "utf8")] }, () => {
    run("python3", ["-m", "venv", folder], { otherwise: "python3 cannot make a venv: on Debian, `apt-get install python3-venv` brings what it lacks" })
    const pip = (...args) => run(join(folder, "bin/python"), ["-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input", ...args])
    pip("install", "--no-deps", "--requirement", requirements)
    pip("check")
  })
}

/** PostgreSQL's own programs: of any version in Debian's folders, or on the path. The tests start a server of their own. */
const postgres = () => {
  const debian = "/usr/lib/postgresql"
  const folders = [...existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, "bin")) : [], ...(process.env.PATH ?? "").split(delimiter)]
  if (folders.some((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")))) return
  const how = "the approval store needs PostgreSQL's initdb and postgres: on Debian, `apt-get install postgresql` brings them"
  const canInstall = process.getuid?.() === 0 && spawnSync("apt-get", ["--version"], { stdio: "ignore" }).status === 0
  if (!canInstall) fail(how)
  console.error("toolkit-native: installing PostgreSQL with apt-get …")
  run("apt-get", ["update", "--quiet"], { otherwise: how })
  // In run level 1 its own service is not started.
  const env = { DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" }
  run("apt-get", ["install", "--yes", "--quiet", "--no-install-recommends", "postgresql"], { otherwise: how, env })
}

for (const prepare of [python, postgres]) prepare()
