/**
 * Reading OpenAPI documents into tools, ours beside other readers: `npm run bench -- openapi-peers`. Each reads each document in a
 * process of its own; then its tools are looked at beside the document (`peers/checks.ts`). Writes its part of docs/benchmarks.md.
 * With `--quick` it only shows that everything runs.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { box, docusign, github, graph, kubernetes, stripe } from "./lib/documents.ts"
import { settled, versions } from "./lib/machine.ts"
import { median } from "./lib/median.ts"
import { publish } from "./lib/page.ts"
import { table } from "./lib/table.ts"
import type { Checked } from "./peers/checks.ts"

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const isQuick = process.argv.includes("--quick")
/** A reader that takes longer for a document, its checks included, is ended by its own process id. */
const longest = isQuick ? 60_000 : 300_000
const rounds = isQuick ? 1 : 3
/** What took longer than this once is not measured again. */
const slow = 10_000

const versionOf = (path: string): string => existsSync(here(path)) ? (JSON.parse(readFileSync(here(path), "utf8")) as { readonly version: string }).version : "not installed"
const python = here(".python/bin/python")
const fastmcp = (): string => {
  const { stdout } = spawnSync(python, ["-c", "import importlib.metadata as m; print(m.version('fastmcp'))"], { encoding: "utf8", timeout: 60_000 })
  return stdout?.trim() || "not installed"
}

interface Reader {
  readonly key: string
  readonly name: string
  readonly version: string
  /** Its schemas are made when they are read. */
  readonly isLazy?: true
}

const version = versions()
const readers: ReadonlyArray<Reader> = [
  { key: "documented", name: "ours, documented", version: version.package, isLazy: true },
  { key: "extended", name: "ours, extended", version: version.package, isLazy: true },
  { key: "eager", name: "eager TypeScript", version: "bench/baseline" },
  { key: "lazy", name: "lazy TypeScript", version: "bench/baseline", isLazy: true },
  { key: "generator", name: "openapi-mcp-generator", version: versionOf("peers/node_modules/openapi-mcp-generator/package.json") },
  { key: "dereferenced", name: "the same, `dereference`", version: versionOf("peers/node_modules/openapi-mcp-generator/package.json") },
  { key: "ivotoby", name: "@ivotoby/openapi-mcp-server", version: versionOf("peers/node_modules/@ivotoby/openapi-mcp-server/package.json") },
  { key: "fastmcp", name: "FastMCP `from_openapi`", version: fastmcp() }
]

const wanted = isQuick ? [{ name: "Box", path: box.path }] : [
  { name: "GitHub", path: github.path },
  { name: "Stripe", path: stripe.path },
  { name: "Microsoft Graph", path: graph.path },
  { name: "DocuSign", path: docusign.path },
  { name: "Kubernetes", path: kubernetes.path }
]
const documents = wanted.filter(({ name, path }) => {
  if (existsSync(path)) return true
  console.error(`the document of ${name} is not there`)
  return false
})

interface Measured {
  readonly listed: number
  readonly made: number
  readonly peak: number
  readonly tools: number
  readonly skipped: number | null
}
interface Outcome {
  readonly measured?: Measured | undefined
  readonly checked?: Checked | undefined
  readonly failed?: string | undefined
}

/** Lines of JSON that a program prints, and how it ended where it did not end well. */
const linesOf = (program: string, args: ReadonlyArray<string>): { readonly lines: ReadonlyArray<unknown>; readonly failed?: string } => {
  const { error, signal, status, stderr, stdout } = spawnSync(program, args, {
    encoding: "utf8",
    timeout: longest,
    killSignal: "SIGKILL",
    maxBuffer: 64 << 20,
    stdio: ["ignore", "pipe", "pipe"]
  })
  const lines = (stdout ?? "").split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as unknown)
  if (status === 0) return { lines }
  const isLate = (error as NodeJS.ErrnoException | undefined)?.code === "ETIMEDOUT"
  const said = stderr.split("\n").map((line) => line.trim()).filter((line) => /error/i.test(line)).at(0) ?? stderr.trim().split("\n").at(-1) ?? ""
  return { lines, failed: isLate ? `not done in ${longest / 1000} s` : `ended with ${signal ?? status}: ${said.slice(0, 160)}` }
}

const runCase = (reader: string, path: string, folder: string): Outcome => {
  const inNode = (job: object) => linesOf(process.execPath, ["--stack-size=4000", here("peers/case.mjs"), JSON.stringify({ path, ...job })])
  if (reader !== "fastmcp") {
    const { failed, lines } = inNode({ reader })
    return { measured: lines[0] as Measured | undefined, checked: lines[1] as Checked | undefined, failed }
  }
  const file = join(folder, "tools.jsonl")
  const read = linesOf(python, [here("peers/fastmcp_case.py"), path, file])
  const measured = read.lines[0] as Measured | undefined
  if (read.failed !== undefined) return { measured, failed: read.failed }
  const { failed, lines } = inNode({ reader: "lines", lines: file })
  return { measured, checked: lines[0] as Checked | undefined, failed }
}

const build = spawnSync(process.execPath, [here("../node_modules/typescript/bin/tsc"), "-p", "tsconfig.baseline.json"], { cwd: here("."), stdio: "inherit", timeout: longest })
if (build.status !== 0) throw new Error("the stand-ins do not compile")

const host = await settled(isQuick)

const outcomes = new Map<string, Array<Outcome>>()
const keyOf = (reader: Reader, document: { readonly name: string }) => `${reader.key} ${document.name}`
const folder = mkdtempSync(join(tmpdir(), "openapi-peers-"))
try {
  for (let round = 0; round < rounds; round++) {
    for (const document of documents) {
      // Another reader begins in each round.
      for (const reader of readers.map((_, at) => readers[(at + round) % readers.length]!)) {
        const key = keyOf(reader, document)
        const before = outcomes.get(key) ?? []
        if (reader.version === "not installed" || before.some(({ failed, measured }) => failed !== undefined || measured === undefined || measured.made > slow)) continue
        const outcome = runCase(reader.key, document.path, folder)
        outcomes.set(key, [...before, outcome])
        const { failed, measured } = outcome
        console.error(`${document.name}, ${reader.name}: ${measured === undefined ? "" : `${measured.made.toFixed(0)} ms, `}${failed ?? "done"}`)
      }
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

const inMs = (value: number) => value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toFixed(1)
const inMb = (bytes: number) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 2 : 1)}`
const shown = (count: number) => count.toLocaleString("en-US")

const columns = ["ms", "peak, MB", "tools", "MB of JSON", "largest, kB", "lost", "references", "parameters", "properties", "null", "types", "names", "unwritable"] as const

const row = (reader: Reader, document: typeof documents[number]): ReadonlyArray<string> => {
  const all = outcomes.get(keyOf(reader, document)) ?? []
  const measured = all.flatMap(({ measured }) => measured === undefined ? [] : [measured])
  const checked = all.find(({ checked }) => checked !== undefined)?.checked
  if (measured.length === 0) return [reader.name, all[0]?.failed ?? "not installed", ...columns.slice(1).map(() => "")]
  const [listed, made, peak] = [median(measured.map(({ listed }) => listed)), median(measured.map(({ made }) => made)), median(measured.map(({ peak }) => peak))]
  const { skipped, tools } = measured[0]!
  const time = reader.isLazy === true ? `${inMs(made)} (${inMs(listed)})` : inMs(made)
  const told = `${shown(tools)}${skipped === null ? "" : ` (${shown(skipped)} left out)`}`
  if (checked === undefined) return [reader.name, time, inMb(peak * 1024), told, all.find(({ failed }) => failed !== undefined)?.failed ?? "", ...columns.slice(4).map(() => "")]
  const { longest, lost, names, nulls, parameters, properties, references, types, unwritable } = checked
  return [reader.name, time, inMb(peak * 1024), told, inMb(checked.bytes), (longest / 1000).toFixed(0), ...[lost, references, parameters, properties, nulls, types, names, unwritable].map(shown)]
}

const tables = documents.map((document) => {
  const operations = readers.flatMap((reader) => outcomes.get(keyOf(reader, document)) ?? []).find(({ checked }) => checked !== undefined)?.checked?.operations
  return `### ${document.name}, ${inMb(statSync(document.path).size)} MB, ${shown(operations ?? 0)} operations

${table(["reader"], columns, readers.map((reader) => row(reader, document)))}
`
})

const page = `## OpenAPI documents, beside other readers

Written by \`npm run bench -- openapi-peers\`. From a document's bytes to its tools, by ours and by others, and what their tools are like.

- ${host.says}
- Node.js ${process.versions.node}; ${readers.filter(({ key }) => key !== "dereferenced" && key !== "extended" && key !== "lazy").map(({ key, name, version }) => `${key === "documented" ? "toolkit-native" : key === "eager" ? "the stand-ins" : name} ${version}`).join(", ")}
${host.busy}
How it is measured: each reader reads each document in a fresh process, the median of ${rounds}, or once where that took more than ${slow / 1000} s. *ms*
is from the bytes to the tools with every schema as an object (in brackets: to the tools, where schemas are made later), without loading
the reader. *Peak* is the highest resident size during that, less the one just before, with the bytes at hand. *JSON* is the name, description and
input of all tools, as they would be listed. A reader that is not done in ${longest / 1000} s, with what is looked at, is ended.
openapi-mcp-generator reads the file itself; what FastMCP makes of answers is in its time and memory, and not in its JSON. The readers of
opencode and executor are in no package of npm, and are not measured.

What is looked at is the same for all, by a program, and each count is of tools, and the least that is wrong: *lost*, operations that
are no tool and of which nobody is told; *references* that lead to nothing; *parameters* of one name that have fewer properties than they
are; *properties* of the document's input that the tool has nowhere (a reference was dropped, or a body is told as a text); *null* refused
where the document allows it; *types* that the document does not have there; *names* over 64 characters, of other characters than providers
take, or given twice (ours are shortened where sources are put together, by Assembly); *unwritable*, since the schema holds itself.

${tables.join("\n")}`
publish("openapi-peers", page, isQuick)
