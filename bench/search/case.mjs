// One contender in a process of its own: what it finds, or how long it takes. Prints it as one line of JSON.
// Plain JavaScript, so that no loader of TypeScript is in the process.
import { readFileSync } from "node:fs"
import { contenders } from "./contenders.mjs"

const { contender, measure, size, set, part, time } = JSON.parse(process.argv[2])

const lines = (path) => readFileSync(new URL(`../corpus/${path}.jsonl`, import.meta.url), "utf8").trim().split("\n").map((line) => JSON.parse(line))

const toolsOf = (set) =>
  lines(`${set}/tools`).map(({ description, name, parameters = {} }) => ({
    name,
    description,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(Object.entries(parameters).map(([key, description]) => [key, { type: "string", description }]))
    }
  }))

/** So many tools: those of a set, and again under other names. */
const enlarged = (tools, size) =>
  Array.from({ length: size }, (_, at) => {
    const tool = tools[at % tools.length]
    const round = Math.floor(at / tools.length)
    return round === 0 ? tool : { ...tool, name: `s${round}__${tool.name}` }
  })

const build = await contenders[contender]()

const recall = () => {
  const tools = toolsOf(set)
  const search = build(tools)
  const queries = lines(`${set}/${part}`)
  const of = (limit, found, meant) => meant.filter((name) => found.slice(0, limit).includes(name)).length / meant.length
  const sums = [0, 0, 0]
  for (const { query, tools: meant } of queries) {
    const found = Array.from(search(query, 20), (at) => tools[at].name)
    for (const [at, limit] of [1, 5, 20].entries()) sums[at] += of(limit, found, meant)
  }
  return { queries: queries.length, recall: sums.map((sum) => sum / queries.length) }
}

const sorted = (values) => values.toSorted((one, other) => one - other)
const quantile = (values, q) => sorted(values)[Math.round((values.length - 1) * q)]

/** Of each query the best of some runs; then the median query, and the one that 95 in 100 are no slower than. */
const timeQueries = (search, queries) => {
  const until = performance.now() + time.ms
  const best = []
  for (const query of queries) {
    if (best.length >= time.least && performance.now() > until) break
    let least = Infinity
    for (let run = 0; run < time.runs; run++) {
      const start = performance.now()
      search(query, 5)
      least = Math.min(least, performance.now() - start)
    }
    best.push(least)
  }
  return { queries: best.length, median: quantile(best, 0.5), most: quantile(best, 0.95) }
}

const speed = () => {
  const some = toolsOf("seal-tools")
  const tools = enlarged(some, size)
  const start = performance.now()
  const search = build(tools)
  const built = performance.now() - start
  // What a model asks, in a few words: every 40th tool by the words of its name. And what a user asks, in sentences.
  const few = some.filter((_, at) => at % 40 === 0).map(({ name }) => name.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase())
  const sentences = lines("seal-tools/test").filter((_, at) => at % 4 === 0).map(({ query }) => query)
  timeQueries(search, [...few, ...sentences])
  return { built, few: timeQueries(search, few), sentences: timeQueries(search, sentences) }
}

console.log(JSON.stringify(measure === "recall" ? recall() : speed()))
