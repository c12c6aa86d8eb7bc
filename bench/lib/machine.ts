/** The machine and the versions that figures are of. */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { cpus, loadavg, release, totalmem, type } from "node:os"
import { fileURLToPath } from "node:url"

const root = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

const versionOf = (path: string) => (JSON.parse(readFileSync(root(path), "utf8")) as { readonly version: string }).version

/** A load average above this says that something else runs, and figures of this run are not to be quoted. */
const quiet = 0.5

/** How long a run waits for what was before it, such as a build, to leave the load average. */
const longestWait = 240_000

export const bun = root("node_modules/.bin/bun")

export const runtimes = (): ReadonlyArray<{ readonly name: string; readonly program: string; readonly version: string }> => {
  const found = [{ name: "Node.js", program: process.execPath, version: process.versions.node }]
  if (existsSync(bun)) found.push({ name: "Bun", program: bun, version: spawnSync(bun, ["--version"], { encoding: "utf8", timeout: 20_000 }).stdout.trim() })
  return found
}

const load = () => loadavg()[0]!

/** The machine once it is quiet, or as it is after a while: what a page says of it, and what it warns of then (nothing otherwise). */
export const settled = async (isQuick: boolean) => {
  const end = performance.now() + (isQuick ? 0 : longestWait)
  while (load() > quiet && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 5000))
  const atStart = load()
  const memory = Math.round(totalmem() / 1024 ** 3)
  const says = `${cpus().length} cores, ${cpus()[0]?.model.trim() ?? "unknown"}, ${memory} GB, ${type()} ${release()}; load average ${atStart.toFixed(2)} at the start`
  if (atStart <= quiet) return { says, busy: "" }
  const warning = `**The load average was ${atStart.toFixed(2)} at the start, above ${quiet}: something else was running, and these figures are not to be quoted.**`
  console.error(`warning: ${warning}`)
  return { says, busy: `\n${warning}\n` }
}

export const versions = () => ({
  package: versionOf("package.json"),
  effect: versionOf("node_modules/effect/package.json"),
  mcpClient: versionOf("node_modules/@modelcontextprotocol/client/package.json")
})
