// Prepares what `npm run test:services` runs against, in .services/, and nothing that is there already. What the machine has to
// bring itself and does not have ends it, in words: no test is left out for want of a service.
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const services = join(root, ".services")

const fail = (message) => {
  console.error(`toolkit-native: ${message}`)
  process.exit(1)
}

const run = (command, args, otherwise = `${[command, ...args].join(" ")} failed`) => {
  const { status } = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2] })
  if (status !== 0) fail(otherwise)
}

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
    run("python3", ["-m", "venv", folder], "python3 cannot make a venv: on Debian, `apt-get install python3-venv` brings what it lacks")
    const pip = (...args) => run(join(folder, "bin/python"), ["-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input", ...args])
    pip("install", "--no-deps", "--requirement", requirements)
    pip("check")
  })
}

for (const prepare of [python]) prepare()
