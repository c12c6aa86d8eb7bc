/**
 * The whole way: a document's operations read, made a source, assembled and put behind a search, and stored and loaded in the
 * compact form: `npm run bench -- whole`. Each in a process of its own, with the time and memory of every step, and how many
 * schemas were made. Other documents, or folders of them, are named as arguments. Writes its part of docs/benchmarks.md;
 * with `--quick` each process runs once and nothing is written.
 */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { box, examplesFolder, github, graph, graphBeta } from "./lib/documents.ts"
import { runtimes, settled, versions } from "./lib/machine.ts"
import { median } from "./lib/median.ts"
import { publish } from "./lib/page.ts"
import { table } from "./lib/table.ts"

const isQuick = process.argv.includes("--quick")
const times = isQuick ? 1 : 3
/** A process that takes longer than this is ended, by its own id. */
const longest = 300_000

interface Step {
  readonly name: string
  readonly ms: number
  /** Kilobytes. */
  readonly peak: number
  readonly held: number
  readonly schemas: number
}
interface Way {
  readonly facts: Readonly<Record<string, number>>
  readonly steps: ReadonlyArray<Step>
}

const named = process.argv.slice(2).filter((argument) => !argument.startsWith("--"))
const known = [{ name: "petstore.json", path: `${examplesFolder}/3.0/json/petstore.json` }, box, github, graph, graphBeta]
const documents = (named.length > 0 ? named.map((path) => ({ name: basename(path), path })) : known).filter(({ name, path }) => {
  if (existsSync(path)) return true
  console.error(`${name} is not there`)
  return false
})

const program = fileURLToPath(new URL("lib/whole.mjs", import.meta.url))

const run = (runtime: string, job: { readonly path: string; readonly way: "read" | "stored"; readonly reading: string }): Way => {
  const { error, signal, status, stderr, stdout } = spawnSync(runtime, [program, JSON.stringify(job)], {
    encoding: "utf8",
    timeout: longest,
    killSignal: "SIGKILL",
    stdio: ["ignore", "pipe", "pipe"]
  })
  if (status !== 0) throw new Error(`${job.path} ended with ${error?.message ?? signal ?? status}: ${stderr}`)
  return JSON.parse(stdout) as Way
}


/** The same steps of several runs, each figure the median. */
const middle = (ways: ReadonlyArray<Way>): Way => ({
  facts: ways[0]!.facts,
  steps: ways[0]!.steps.map(({ name, schemas }, at) => {
    const of = (key: "ms" | "peak" | "held") => median(ways.map(({ steps }) => steps[at]![key]))
    return { name, schemas, ms: of("ms"), peak: of("peak"), held: of("held") }
  })
})

const host = await settled(isQuick)
const version = versions()
const found = runtimes()

const inMs = (value: number) => value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
const inMb = (kilobytes: number) => (kilobytes / 1024).toFixed(1)
const bytesInMb = (bytes: number) => (bytes / 1e6).toFixed(bytes < 1e6 ? 2 : 1)

const faults: Array<string> = []

const tableOf = (steps: ReadonlyArray<Step>) =>
  table(
    ["step"],
    ["ms", "peak, MB", "held, MB", "schemas made"],
    steps.map(({ held, ms, name, peak, schemas }) => [name, inMs(ms), inMb(peak), inMb(held), schemas])
  )

const sections = found.map((runtime) => {
  const parts = documents.map(({ name, path }) => {
    const ways = (way: "read" | "stored") => middle(Array.from({ length: times }, () => run(runtime.program, { path, way, reading: "documented" })))
    const [read, stored] = [ways("read"), ways("stored")]
    const { bytes, operations, skipped } = read.facts as Record<"bytes" | "operations" | "skipped", number>
    const { compact, loaded, schemasMade, whole } = stored.facts as Record<"compact" | "loaded" | "schemasMade" | "whole", number>
    const unread = read.steps.filter(({ name }) => !name.includes("search"))
    for (const { name: step, schemas } of unread) if (schemas > 0) faults.push(`${name}, ${step}: ${schemas} schemas were made that nobody read`)
    if (schemasMade > 0) faults.push(`${name}: ${schemasMade} schemas were made to store and load`)
    if (loaded !== operations) faults.push(`${name}: ${loaded} of ${operations} operations were loaded`)
    console.error(`${runtime.name}: ${name}`)
    return `#### ${name}, ${bytesInMb(bytes)} MB

${operations} tools, ${skipped} left out.

${tableOf(read.steps)}

Stored and loaded: ${bytesInMb(compact)} MB in the compact form, ${bytesInMb(whole)} MB with each tool's schemas written out (${(whole / compact).toFixed(1)} times as much).

${tableOf(stored.steps)}
`
  })
  return `### ${runtime.name} ${runtime.version}\n\n${parts.join("\n")}`
})

const page = `## The whole way

Written by \`npm run bench -- whole\`. The bytes of a document become operations, these a source, a toolkit of all of them, and
two tools that search and call it; and the operations are stored in the compact form and loaded. Each way is a process of its own, each figure
the median of ${times}. *Peak* is how far the process went up while a step ran, *held* what it held more behind it after a garbage collection
(both may be less than nothing where a step lets go of what was before it). *Schemas made* counts all since the process began: none is
made before something is found, and then one for each tool that is shown.

- ${host.says}
- ${found.map(({ name, version }) => `${name} ${version}`).join(", ")}; effect ${version.effect}; toolkit-native ${version.package}
${host.busy}
${sections.join("\n")}`

for (const fault of faults) console.error(`fault: ${fault}`)
if (faults.length > 0) process.exitCode = 1
publish("whole", page, isQuick || named.length > 0 || faults.length > 0)
