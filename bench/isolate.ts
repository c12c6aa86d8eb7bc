/**
 * Running code that calls tools, in our isolates beside other ways: `npm run bench -- isolate`. Writes its part of
 * docs/benchmarks.md. With `--quick` it only shows that everything runs.
 */
import { spawnSync } from "node:child_process"
import { Worker } from "node:worker_threads"
import { fileURLToPath } from "node:url"
import { settled, versions } from "./lib/machine.ts"
import { median } from "./lib/median.ts"
import { publish } from "./lib/page.ts"
import { table } from "./lib/table.ts"

const isQuick = process.argv.includes("--quick")
/** A process that takes longer than this is ended. */
const longest = 180_000

const tasks = [
  { task: "empty", name: "an empty run", runs: 200, warm: 30, calls: 1 },
  { task: "inARow", name: "100 tool calls in a row, each", runs: 30, warm: 10, calls: 100 },
  { task: "atOnce", name: "100 tool calls at once, each", runs: 30, warm: 10, calls: 100 },
  { task: "data", name: "2e5 rows of data", runs: 10, warm: 2, calls: 1 },
  { task: "json", name: "an answer of 5 MB of JSON", runs: 10, warm: 2, calls: 1 }
] as const

const contenders = [
  { contender: "ours, process", shuts: "from all but tools, by the system" },
  { contender: "ours, thread", shuts: "from all but tools, by the engine" },
  { contender: "isolated-vm", shuts: "by V8" },
  { contender: "quickjs-emscripten", shuts: "by WebAssembly" },
  { contender: "worker_threads", shuts: "from nothing" },
  { contender: "node:vm", shuts: "from nothing" }
] as const

interface Measured {
  readonly wall: number
  readonly worst: number
  readonly cpu: number
}

const rounds = isQuick ? 1 : 3

const host = await settled(isQuick)
const version = versions()

const measured = new Map<string, Array<Measured>>()
const missing = new Map<string, string>()
for (let round = 0; round < rounds; round++) {
  for (const { runs, task, warm } of tasks) {
    // Another one begins in each round.
    for (const { contender } of contenders.map((_, at) => contenders[(at + round) % contenders.length]!)) {
      if (missing.has(`${contender}, ${task}`)) continue
      const job = { contender, task, runs: isQuick ? 3 : runs, warm: isQuick ? 1 : warm }
      const { status, stderr, stdout } = spawnSync(
        process.execPath,
        ["--import", "tsx", fileURLToPath(new URL("isolate/case.mjs", import.meta.url)), JSON.stringify(job)],
        { encoding: "utf8", timeout: longest, killSignal: "SIGKILL", stdio: ["ignore", "pipe", "pipe"] }
      )
      if (status !== 0) {
        missing.set(`${contender}, ${task}`, /Cannot find (?:module|package) '[^']+'|Error: .*/.exec(stderr)?.[0] ?? `it ended with ${status}`)
        continue
      }
      const { cpu, walls } = JSON.parse(stdout) as { readonly walls: ReadonlyArray<number>; readonly cpu: number }
      const key = `${task} ${contender}`
      measured.set(key, [...measured.get(key) ?? [], { wall: median(walls), worst: Math.max(...walls), cpu }])
    }
  }
  console.error(`round ${round + 1} of ${rounds}`)
}

/** How long it takes one thread to wake another and be woken by it, in microseconds: what a call from another thread takes at least. */
const wake = async (): Promise<number> => {
  const turns = 2000
  const shared = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(
    `const { workerData: { shared, turns } } = require("node:worker_threads")
    for (let turn = 0; turn < turns; turn++) {
      Atomics.wait(shared, 0, 2 * turn)
      Atomics.store(shared, 0, 2 * turn + 2)
      Atomics.notify(shared, 0)
    }`,
    { eval: true, workerData: { shared, turns } }
  )
  await new Promise((resolve) => worker.once("online", resolve))
  const walls: Array<number> = []
  for (let turn = 0; turn < turns; turn++) {
    const start = performance.now()
    Atomics.store(shared, 0, 2 * turn + 1)
    Atomics.notify(shared, 0)
    Atomics.wait(shared, 0, 2 * turn + 1)
    walls.push((performance.now() - start) * 1000)
  }
  await worker.terminate()
  return median(walls)
}
const woken = await wake()

const here = contenders.filter(({ contender }) => tasks.some(({ task }) => measured.has(`${task} ${contender}`)))
const of = (task: string, contender: string, pick: (measured: Measured) => number, calls: number): number | undefined => {
  const all = measured.get(`${task} ${contender}`)
  return all === undefined ? undefined : median(all.map(pick)) / calls
}
const shown = (microseconds: number | undefined) =>
  microseconds === undefined ? "–" : microseconds < 10_000 ? `${microseconds.toFixed(0)} µs` : `${(microseconds / 1000).toFixed(0)} ms`

const tableOf = (pick: (measured: Measured) => number) =>
  table(
    [""],
    here.map(({ contender }) => contender),
    tasks.map(({ calls, name, task }) => [name, ...here.map(({ contender }) => shown(of(task, contender, pick, calls)))])
  )

/** On an idle machine, in microseconds. */
const aims = [
  { task: "empty", contender: "ours, thread", most: 250, calls: 1 },
  { task: "empty", contender: "ours, process", most: 1000, calls: 1 },
  { task: "inARow", contender: "ours, thread", most: 40, calls: 100 },
  { task: "inARow", contender: "ours, process", most: 80, calls: 100 }
] as const
const missed = aims.flatMap(({ calls, contender, most, task }) => {
  const wall = of(task, contender, ({ wall }) => wall, calls)
  return wall !== undefined && wall <= most ? [] : [`- ${contender}, ${tasks.find((one) => one.task === task)!.name}: ${shown(wall)}, more than ${shown(most)}`]
})

const page = `## Isolates

Written by \`npm run bench -- isolate\`. Code that calls tools, run anew each time: a fresh isolate, context, worker or process for each run.

- ${host.says}
- Node.js ${process.versions.node}; effect ${version.effect}; toolkit-native ${version.package}
${[...missing].map(([contender, why]) => `- ${contender} is left out: ${why}\n`).join("")}${host.busy}
How it is measured: each contender is a process of its own for each task, and all take part in each of ${rounds} rounds, another first in
each. Runs follow each other with a pause of 12 ms, in which ours makes isolates ready. A figure is the median of the rounds, of the median
run of each. *CPU* is that of all threads and of the processes that have ended, a run, what is made ready for the next one included.
Two threads of this machine that wake each other in turn take ${woken.toFixed(0)} µs for it: a call from another thread takes as much at least, and
one from another process twice that on the way to the host.
What they shut code off from: ${contenders.map(({ contender, shuts }) => `${contender} ${shuts}`).join("; ")}.

### Wall time

${tableOf(({ wall }) => wall)}

### CPU time

${tableOf(({ cpu }) => cpu)}

### Where ours misses what it is held to

${missed.length === 0 ? "Nowhere in this run." : missed.join("\n")}
`

publish("isolate", page, isQuick)
