/**
 * Reading OpenAPI documents in YAML into tools, ours beside the two parsers of YAML that JavaScript has, each with ours for
 * the object that it makes: `npm run bench -- yaml`. Writes its part of docs/benchmarks.md. With `--quick` it only shows that
 * everything runs. Files that are named as arguments are read too.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"
import { Effect } from "effect"
import { dump } from "js-yaml"
import type * as Toolkit from "../ts/index.ts"
import { box, corpusFolder } from "./lib/documents.ts"
import { runtimes, settled, versions } from "./lib/machine.ts"
import { median } from "./lib/median.ts"
import { publish } from "./lib/page.ts"
import { table } from "./lib/table.ts"
import { parserOf } from "./lib/yaml-parsers.mjs"

const { OpenApi }: typeof Toolkit = await import("../dist/index.js")

const isQuick = process.argv.includes("--quick")
const plan = isQuick ? { times: 1, warm: { least: 1, most: 1, ms: 0 } } : { times: 5, warm: { least: 3, most: 10, ms: 500 } }
/** A case that takes longer than this is ended, by its own process id. */
const longest = 180_000

const readers = ["ours", "js-yaml", "yaml"] as const
type Reader = typeof readers[number]

interface Timed {
  readonly fresh: { readonly read: number; readonly operations: number; readonly skipped: number }
  readonly best: { readonly read: number }
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const isYaml = (name: string) => /\.ya?ml$/.test(name)
const folder = (path: string) => existsSync(path) ? readdirSync(path).filter(isYaml).toSorted().map((name) => join(path, name)) : []

// Documents of which there is no YAML here, as js-yaml writes them.
const written = mkdtempSync(join(tmpdir(), "bench-yaml-"))
process.on("exit", () => rmSync(written, { recursive: true }))
const write = (name: string, json: Buffer) => {
  const path = join(written, name)
  writeFileSync(path, dump(JSON.parse(json.toString())))
  return path
}

const paths = [
  ...folder(here("../__test__/data/openapi-yaml")),
  ...folder(corpusFolder),
  write("box.yaml", readFileSync(box.path)),
  write("github.yaml", gunzipSync(readFileSync(here("../examples/data/github/openapi.json.gz")))),
  ...process.argv.slice(2).filter(isYaml)
]

/** What is read of a document, as JSON; an error is its message. */
const outcome = async (document: unknown): Promise<string> => {
  try {
    return JSON.stringify(await Effect.runPromise(OpenApi.readOperations(document)))
  } catch (error) {
    return error instanceof Error ? `error: ${error.message.split("\n")[0]}` : String(error)
  }
}

const parsers = { "js-yaml": await parserOf("js-yaml"), yaml: await parserOf("yaml") }

const sameness = async (text: string) => {
  const ours = await outcome(text)
  const compare = async (parse: (text: string) => unknown) => {
    let value: unknown
    try {
      value = parse(text)
    } catch (error) {
      return `refused: ${String(error).split("\n")[0]!.slice(0, 60)}`
    }
    const theirs = await outcome(value)
    return theirs === ours ? "same" : theirs.startsWith("error") && ours.startsWith("error") ? "no document" : "different"
  }
  return { isRead: !ours.startsWith("error"), "js-yaml": await compare(parsers["js-yaml"]), yaml: await compare(parsers.yaml) }
}

const documents = await Promise.all(
  paths.map(async (path) => ({ name: basename(path), path, bytes: statSync(path).size, ...await sameness(readFileSync(path, "utf8")) }))
)

const runCase = (runtime: string, reader: Reader, path: string): Timed => {
  const job = JSON.stringify({ reader, input: "bytes", path, measure: "time", warm: plan.warm })
  const { error, signal, status, stderr, stdout } = spawnSync(runtime, [here("lib/case.mjs"), job], { encoding: "utf8", timeout: longest, killSignal: "SIGKILL" })
  if (status !== 0) throw new Error(`${reader} of ${path} ended with ${error?.message ?? signal ?? status}: ${stderr}`)
  return JSON.parse(stdout) as Timed
}

const host = await settled(isQuick)
const version = versions()
const found = runtimes()
const inMs = (value: number) => value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
const versionOf = (name: string) => (JSON.parse(readFileSync(here(`../node_modules/${name}/package.json`), "utf8")) as { readonly version: string }).version

const sections = found.map(({ name: runtime, program, version }) => {
  const rows = documents.filter(({ isRead }) => isRead).map((document) => {
    const times = new Map<Reader, Array<Timed>>(readers.map((reader) => [reader, []]))
    for (let round = 0; round < plan.times; round++) {
      for (const reader of readers) {
        if (reader !== "ours" && document[reader].startsWith("refused")) continue
        times.get(reader)!.push(runCase(program, reader, document.path))
      }
    }
    const of = (reader: Reader, time: (timed: Timed) => number) => {
      const all = times.get(reader)!
      return all.length === 0 ? "–" : inMs(median(all.map(time)))
    }
    const cells = [
      document.name,
      `${(document.bytes / 1e3).toFixed(0)} kB`,
      ...readers.map((reader) => of(reader, ({ fresh }) => fresh.read)),
      ...readers.map((reader) => of(reader, ({ best }) => best.read))
    ]
    console.error(`${runtime}: ${document.name}`)
    return cells
  })
  return `### ${runtime} ${version}\n\n${table(["document"], ["size", "ours, fresh", "js-yaml", "yaml", "ours, warm", "js-yaml", "yaml"], rows)}`
})

const same = table(["document", "ours", "js-yaml", "yaml"], [], documents.map(({ "js-yaml": jsYaml, isRead, name, yaml }) => [name, isRead ? "read" : "no document", jsYaml, yaml]))

const page = `## YAML

Written by \`npm run bench -- yaml\`. Documents in YAML, from their bytes to their operations, in ms: ours; and ours for the object that
js-yaml ${versionOf("js-yaml")} or yaml ${versionOf("yaml")} makes of the text. Each case is a process of its own. *Fresh* is the first read of such a process, the median of
${plan.times}; *warm* the best of further ones.

- ${host.says}
- effect ${version.effect}; toolkit-native ${version.package}
${host.busy}
${sections.join("\n\n")}

### Whether the same is read

The operations, what is skipped and every schema, as JSON.

${same}
`

publish("yaml", page, isQuick)
