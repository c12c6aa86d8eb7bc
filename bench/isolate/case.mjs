// One contender at one task, in a process of its own. Prints the wall time of each run, the CPU time of a run, in microseconds.
import { readFileSync } from "node:fs"
import { contenders } from "./contenders.mjs"

const { contender, runs, task, warm } = JSON.parse(process.argv[2])

const rows = Array.from({ length: 60_000 }, (_, n) => ({ id: n, name: `row ${n}`, group: n % 97, value: n * 1.5, tags: ["a", "b"] }))
const tools = { echo: async (input) => input, rows: async () => rows }

const tasks = {
  empty: { code: "return 1", expected: 1 },
  inARow: { code: "let sum = 0\nfor (let n = 0; n < 100; n++) sum += await tools.echo(n)\nreturn sum", expected: 4950 },
  atOnce: { code: "const all = await Promise.all(Array.from({ length: 100 }, (_, n) => tools.echo(n)))\nreturn all.reduce((one, other) => one + other, 0)", expected: 4950 },
  data: {
    code: `const rows = Array.from({ length: 200000 }, (_, n) => ({ id: n, group: n % 100, value: (n * 7919) % 1000 }))
const sums = {}
for (const { group, value } of rows.filter(({ value }) => value > 100)) sums[group] = (sums[group] ?? 0) + value
return rows.map(({ id, value }) => ({ id, value: value * 2 })).sort((a, b) => b.value - a.value).slice(0, 3).length + Object.keys(sums).length`,
    expected: 103
  },
  json: { code: "const rows = await tools.rows()\nreturn rows.filter(({ group }) => group === 5).length", expected: 619 }
}

/** Of this process with its threads, and of the processes it started that have ended. */
const cpu = () => {
  const { system, user } = process.cpuUsage()
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ")
  return user + system + (Number(fields[13]) + Number(fields[14])) * 10_000
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 12))
const { code, expected } = tasks[task]
const { close, run } = await contenders[contender]()
const once = async () => {
  const result = await run(code, tools)
  if (result !== expected) throw new Error(`${contender} gave ${JSON.stringify(result)} for ${task}`)
}
for (let n = 0; n < warm; n++) {
  await once()
  await pause()
}
const walls = []
const before = cpu()
for (let n = 0; n < runs; n++) {
  const start = performance.now()
  await once()
  walls.push((performance.now() - start) * 1000)
  // So that what is made ready beforehand is.
  await pause()
}
const spent = cpu() - before
await close()
console.log(JSON.stringify({ walls, cpu: spent / runs }))
process.exit(0)
