/**
 * The check of inputs, ours beside Effect's and ajv: `npm run bench -- input-check`. Prints a section for docs/benchmarks.md: calls
 * whose check is at hand, and the operations of GitHub's document compiled and checked once each. With `--quick` it only shows
 * that everything runs.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { github } from "./lib/documents.ts"
import type { JsonObject } from "./lib/effect-check.ts"
import { settled, versions } from "./lib/machine.ts"
import { median } from "./lib/median.ts"
import { publish } from "./lib/page.ts"
import { samples } from "./lib/samples.ts"
import { table } from "./lib/table.ts"
// @ts-expect-error -- plain JavaScript, since processes of their own read it too
import { cases } from "./input-check/cases.mjs"

const isQuick = process.argv.includes("--quick")
const plan = isQuick ? { rounds: 1, ms: 60, operations: 60 } : { rounds: 5, ms: 1_500, operations: 1_000 }
/** A process that takes longer than this is ended, by its own process id. */
const longest = 180_000
/** What ours is held to: times of Effect's with the text that is sent, microseconds more than it, and megabytes. */
const aims = { page: 3, issue: 1, small: 1, cold: 5, coldCpu: 8, held: 20 }

const { OpenApi } = await import("../dist/index.js")
const version = versions()
const engines = [
  { key: "ours", name: "ours" },
  { key: "oursApart", name: "ours, no two schemas alike", isCold: true },
  { key: "effect", name: `Effect ${version.effect}` },
  { key: "effectAndText", name: `Effect ${version.effect}, and JSON.stringify` },
  { key: "ajv", name: `ajv ${createRequire(import.meta.url)("ajv/package.json").version}` }
]

/** Those whose check at hand is measured: it is the same for equal schemas and for others. */
const warmed = engines.filter((engine) => !("isCold" in engine))

interface Warm {
  readonly median: number
  readonly best: number
}
interface Cold {
  readonly took: number
  readonly cpu: number
  readonly accepted: number
  readonly unmade: number
  readonly held: number
  readonly peak: number
}

const program = fileURLToPath(new URL("input-check/case.mjs", import.meta.url))

const runCase = <A>(job: { readonly engine: string; readonly measure: "warm" | "cold"; readonly of: string }): A => {
  const { error, signal, status, stderr, stdout } = spawnSync(process.execPath, [program, JSON.stringify({ ...job, plan })], {
    encoding: "utf8",
    timeout: longest,
    killSignal: "SIGKILL",
    stdio: ["ignore", "pipe", "pipe"]
  })
  if (status !== 0) throw new Error(`${job.engine} with ${job.measure} ${job.of} ended with ${error?.message ?? signal ?? status}: ${stderr}`)
  return JSON.parse(stdout) as A
}


const host = await settled(isQuick)

const sizes = Object.entries(cases as Record<string, { readonly schema: JsonObject; readonly input: JsonObject }>).map(([key, { input, schema }]) => ({
  key,
  name: `${JSON.stringify(input).length.toLocaleString("en")} bytes, schema ${JSON.stringify(schema).length.toLocaleString("en")}`
}))

const folder = mkdtempSync(join(tmpdir(), "input-check-"))
const warm = new Map<string, Array<Warm>>()
const cold = new Map<string, Array<Cold>>()
const add = <A>(to: Map<string, Array<A>>, key: string, value: A) => to.set(key, [...to.get(key) ?? [], value])
let pairs: ReadonlyArray<readonly [JsonObject, JsonObject]> = []
try {
  const path = join(folder, "operations.json")
  if (existsSync(github.path)) {
    const { operations } = OpenApi.readOperations(JSON.parse(readFileSync(github.path, "utf8")))
    pairs = [...operations].slice(0, plan.operations).map(({ definition }, at) => {
      const schema = definition.inputSchema as JsonObject
      return [schema, samples(schema, 2, at)[1]!] as const
    })
    writeFileSync(path, JSON.stringify(pairs))
  } else console.error("GitHub's document is not there: run `npm ci` in bench/")
  for (let round = 0; round < plan.rounds; round++) {
    // Another engine begins in each round.
    const turned = engines.map((_, at) => engines[(at + round) % engines.length]!)
    for (const { key: engine } of turned) {
      for (const { key: of } of warmed.some(({ key }) => key === engine) ? sizes : []) add(warm, `${engine} ${of}`, runCase<Warm>({ engine, measure: "warm", of }))
      if (pairs.length > 0) add(cold, engine, runCase<Cold>({ engine, measure: "cold", of: path }))
    }
    console.error(`round ${round + 1} of ${plan.rounds}`)
  }
} finally {
  rmSync(folder, { recursive: true })
}

const warmOf = (engine: string, of: string) => median(warm.get(`${engine} ${of}`)!.map(({ median }) => median))
const bestOf = (engine: string, of: string) => Math.min(...warm.get(`${engine} ${of}`)!.map(({ best }) => best))
const coldOf = (engine: string, pick: (cold: Cold) => number) => median(cold.get(engine)!.map(pick))
/** How many times what an engine takes Effect takes. */
const effectTo = (engine: string, pick: (cold: Cold) => number) => coldOf("effect", pick) / coldOf(engine, pick)
const besideEffect = (engine: string, pick: (cold: Cold) => number, aim: number) => {
  const aimed = engine === "ours" ? `, aim ${aim}` : ""
  return `${coldOf(engine, pick).toFixed(0)} (${effectTo(engine, pick).toFixed(1)}${aimed})`
}

const missed: Array<string> = []
const hold = (isMet: boolean, what: string) => {
  if (!isMet) missed.push(what)
}
const [small, issue, large] = ["small", "issue", "page"].map((of) => [warmOf("ours", of), warmOf("effectAndText", of)] as const) as
  [readonly [number, number], readonly [number, number], readonly [number, number]]
hold(small[0] - small[1] <= aims.small, `the smallest input: ${(small[0] - small[1]).toFixed(2)} µs slower than Effect, at most ${aims.small}`)
hold(issue[1] / issue[0] >= aims.issue, `the middle input: ${(issue[1] / issue[0]).toFixed(2)} times as fast as Effect, at least ${aims.issue}`)
hold(large[1] / large[0] >= aims.page, `the large input: ${(large[1] / large[0]).toFixed(2)} times as fast as Effect, at least ${aims.page}`)
if (pairs.length > 0) {
  const [time, cpu] = [effectTo("ours", ({ took }) => took), effectTo("ours", ({ cpu }) => cpu)]
  hold(time >= aims.cold, `cold: Effect takes ${time.toFixed(2)} times as long, at least ${aims.cold}`)
  hold(cpu >= aims.coldCpu, `cold: Effect takes ${cpu.toFixed(2)} times the CPU time, at least ${aims.coldCpu}`)
  const held = coldOf("ours", ({ held }) => held)
  hold(held <= aims.held, `cold: ${held.toFixed(1)} MB held, at most ${aims.held}`)
}

const page = `## The check of inputs

Written by \`npm run bench -- input-check\`. From the JavaScript object that a model gave to whether it may be sent: ours writes it as
JSON text and hands that over, Effect decodes it with the schema that its importer makes, ajv validates it. Ours has then written what a
source sends; the third row is Effect's check with that writing, and what ours is held to.

- ${host.says}
- Node.js ${process.versions.node}; effect ${version.effect}; toolkit-native ${version.package}
${host.busy}
How it is measured: each engine and input is a process of its own, another engine first in each of ${plan.rounds} rounds. A figure is the median
of the processes, each the median of its batches, and the best batch of all in brackets.

### The check at hand, µs a call

${
  table(["engine"], sizes.map(({ name }) => name), warmed.map(({ key, name }) => [name, ...sizes.map(({ key: of }) => `${warmOf(key, of).toFixed(2)} (${bestOf(key, of).toFixed(2)})`)]))
}

### ${pairs.length.toLocaleString("en")} operations of GitHub's document, compiled and checked once each

As the first call of each tool has it. CPU time is that of all threads of the process. In brackets how many times as much Effect takes, and
how many it is to take at least. ${new Set(pairs.map(([schema]) => JSON.stringify(schema))).size.toLocaleString("en")} of the schemas are different texts; ours compiles those that are alike once,
and has each made different in a row of its own.

${
  pairs.length === 0
    ? "Its document was not installed."
    : table(
      ["engine"],
      ["ms", "CPU ms", "checks held, MB", "peak, MB", "accepted", "not made"],
      engines.map(({ key, name }) => [
        name,
        besideEffect(key, ({ took }) => took, aims.cold),
        besideEffect(key, ({ cpu }) => cpu, aims.coldCpu),
        coldOf(key, ({ held }) => held).toFixed(1),
        coldOf(key, ({ peak }) => peak).toFixed(1),
        String(coldOf(key, ({ accepted }) => accepted)),
        String(coldOf(key, ({ unmade }) => unmade))
      ])
    )
}

### Where ours misses what it is held to

${missed.length === 0 ? "Nowhere in this run." : missed.map((where) => `- ${where}`).join("\n")}
`

publish("input-check", page, isQuick)
