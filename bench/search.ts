/**
 * Finding tools, ours beside others: `npm run bench -- search`. Writes its part of docs/benchmarks.md: whether the tools
 * that queries mean are found, and how long it takes. With `--dev` the relevance is of the queries that the weights were
 * chosen on; with `--quick` it only shows that everything runs. Neither writes.
 */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { settled, versions } from "./lib/machine.ts"
import { median } from "./lib/median.ts"
import { publish } from "./lib/page.ts"
import { table } from "./lib/table.ts"

const isQuick = process.argv.includes("--quick")
const part = process.argv.includes("--dev") ? "dev" : "test"
const plan = isQuick
  ? { rounds: 1, sizes: [1_000], time: { ms: 100, least: 3, runs: 1 } }
  : { rounds: 3, sizes: [1_000, 10_000, 100_000], time: { ms: 3_000, least: 5, runs: 5 } }
/** A process that takes longer than this is ended, by its own process id. */
const longest = 180_000

/** What ours is held to: recall among the first five, and times in milliseconds. */
const floors = [
  { contender: "bm25Parameters", set: "seal-tools", least: 0.85 },
  { contender: "bm25Parameters", set: "metatool", least: 0.6 },
  { contender: "words", set: "seal-tools", least: 0.75 },
  { contender: "words", set: "metatool", least: 0.55 }
]
const ceilings: Record<number, { readonly query: number; readonly built?: number }> = {
  10_000: { query: 0.05, built: 50 },
  100_000: { query: 0.4 }
}

const contenders = [
  { key: "words", name: "ours, `words` (default)", isTimed: true },
  { key: "wordsParameters", name: "ours, `words`, parameters", isTimed: false },
  { key: "rarity", name: "ours, `rarity`", isTimed: true },
  { key: "rarityParameters", name: "ours, `rarity`, parameters", isTimed: false },
  { key: "bm25", name: "ours, `bm25`", isTimed: true },
  { key: "bm25Parameters", name: "ours, `bm25`, parameters", isTimed: true },
  { key: "naive", name: "the rule in TypeScript, plainly", isTimed: true },
  { key: "minisearch", name: "minisearch", isTimed: true },
  { key: "flexsearch", name: "flexsearch", isTimed: true }
].filter(({ key }) => {
  if (!key.endsWith("search") || existsSync(new URL(`node_modules/${key}`, import.meta.url))) return true
  console.error(`${key} is not there: run \`npm ci\` in bench/`)
  return false
})
type Contender = typeof contenders[number]

const sets = [
  { key: "seal-tools", name: "Seal-Tools" },
  { key: "metatool", name: "MetaTool" }
]

interface Found {
  readonly queries: number
  readonly recall: ReadonlyArray<number>
}
interface Asked {
  readonly queries: number
  readonly median: number
  readonly most: number
}
interface Timed {
  readonly built: number
  readonly few: Asked
  readonly sentences: Asked
}

const program = fileURLToPath(new URL("search/case.mjs", import.meta.url))

const runCase = <A>(job: { readonly contender: string; readonly measure: "recall" | "speed"; readonly set?: string; readonly size?: number }): A | undefined => {
  const { error, signal, status, stderr, stdout } = spawnSync(process.execPath, [program, JSON.stringify({ ...job, part, time: plan.time })], {
    encoding: "utf8",
    timeout: longest,
    killSignal: "SIGKILL",
    stdio: ["ignore", "pipe", "pipe"]
  })
  if (signal === "SIGKILL") return undefined
  if (status !== 0) throw new Error(`${job.contender} ended with ${error?.message ?? signal ?? status}: ${stderr}`)
  return JSON.parse(stdout) as A
}

const host = await settled(isQuick)

const missed: Array<string> = []

const counts = new Map<string, number>()
const relevance = contenders.map(({ key, name }) => [
  name,
  ...sets.flatMap((set) => {
    const found = runCase<Found>({ contender: key, measure: "recall", set: set.key })!
    counts.set(set.key, found.queries)
    for (const floor of floors) {
      if (floor.contender === key && floor.set === set.key && found.recall[1]! < floor.least) {
        missed.push(`${name} finds ${found.recall[1]!.toFixed(3)} among the first five of ${set.name}, less than ${floor.least}`)
      }
    }
    return found.recall.map((value) => value.toFixed(3))
  })
])

const timed = contenders.filter(({ isTimed }) => isTimed)
const times = new Map<string, Array<Timed>>()
const keyOf = ({ key }: Contender, size: number) => `${key} ${size}`
for (let round = 0; round < plan.rounds; round++) {
  // Another contender begins in each round.
  for (const contender of timed.map((_, at) => timed[(at + round) % timed.length]!)) {
    for (const size of plan.sizes) {
      // Who takes too long once is not asked again.
      if (round > 0 && !times.has(keyOf(contender, size))) continue
      const result = runCase<Timed>({ contender: contender.key, measure: "speed", size })
      if (result !== undefined) times.set(keyOf(contender, size), [...times.get(keyOf(contender, size)) ?? [], result])
    }
  }
  console.error(`round ${round + 1} of ${plan.rounds}`)
}

const inMs = (ms: number) => ms >= 100 ? ms.toFixed(0) : ms >= 1 ? ms.toFixed(1) : ms.toFixed(3)
const inUs = (ms: number) => ms >= 0.1 ? (ms * 1000).toFixed(0) : (ms * 1000).toFixed(1)

const speeds = plan.sizes.map((size) => {
  const rows = timed.map((contender) => {
    const all = times.get(keyOf(contender, size))
    if (all === undefined) return [contender.name, `over ${longest / 1000} s`, "", "", "", ""]
    const of = (pick: (timed: Timed) => number) => median(all.map(pick))
    const built = of(({ built }) => built)
    const [few, sentences] = [of(({ few }) => few.median), of(({ sentences }) => sentences.median)]
    const ceiling = ceilings[size]
    if (ceiling !== undefined && ["words", "rarity", "bm25"].includes(contender.key)) {
      if (ceiling.built !== undefined && built > ceiling.built) missed.push(`${contender.name} is built over ${size} tools in ${inMs(built)} ms, more than ${ceiling.built}`)
      for (const [what, took] of [["few words", few], ["sentences", sentences]] as const) {
        if (took > ceiling.query) missed.push(`${contender.name} answers ${what} over ${size} tools in ${inUs(took)} µs, more than ${ceiling.query * 1000}`)
      }
    }
    return [contender.name, inMs(built), inUs(few), inUs(of(({ few }) => few.most)), inUs(sentences), inUs(of(({ sentences }) => sentences.most))]
  })
  return `#### ${size.toLocaleString("en")} tools

${table([""], ["built, ms", "few words, µs", "95 in 100", "sentences, µs", "95 in 100"], rows)}
`
})

const page = `## Finding tools

Written by \`npm run bench -- search\`.

- ${host.says}
- Node.js ${process.versions.node}; toolkit-native ${versions().package}
${host.busy}
### Whether the tools that are meant are found

The part of the meant tools that is among the first 1, 5 and 20, the mean of the queries. Seal-Tools: ${counts.get("seal-tools")} queries over 4,076 tools, most of
which mean three or four tools at once (so no first one can be all of them); MetaTool: ${counts.get("metatool")} queries over 199 tools without parameters, one
tool each. Both are users' sentences (\`bench/corpus/README.md\`). ${part === "dev" ? "**These are the queries that the weights were chosen on.**" : "The weights were chosen on other queries."}

${table([""], sets.flatMap(({ name }) => [1, 5, 20].map((limit) => `${name} @${limit}`)), relevance)}

### How long it takes

Over the tools of Seal-Tools, repeated under other names. *Built* is from an array of tools to an index that answers; for ours the
writing of the JSON text that goes over is in it. *Few words* are the words of 102 of the names, *sentences* 164 of the queries
above, of about 50 words. Five tools are asked for. Of each query the best of ${plan.time.runs} runs counts; then the median query, and what 95 in 100 take
at most. Each contender and size is a process of its own; the median of ${plan.rounds}.

${speeds.join("\n")}
### Where ours misses what it is held to

Five in the table above: ${floors.map(({ contender, least, set }) => `${contender} ${least} on ${set}`).join(", ")}. Over 10,000 tools 50 µs a query and 50 ms to build, over
100,000 tools 400 µs, without parameters.

${missed.length === 0 ? "Nowhere in this run." : missed.map((where) => `- ${where}`).join("\n")}
`

publish("search", page, isQuick || part === "dev")
