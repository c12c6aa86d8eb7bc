// Asks the check the question of a row, on the main thread and in a worker with a small stack, and writes what it says, how long
// the thread was held up, in milliseconds of processor time and of the clock, and by how many megabytes the process grew at
// most: `[{ name, mode, where, said, held, took, grown }]`.
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"
import { hostile, odd } from "./rows.mjs"

const { refusal } = await import(new URL("../../dist/internal/inputCheck.js", import.meta.url).href)
const Effect = await import("effect/Effect")

const names = isMainThread ? process.argv.slice(2) : workerData
const where = isMainThread ? "the main thread" : "a worker"

const spent = (since) => {
  const { system, user } = process.cpuUsage(since)
  return (system + user) / 1000
}

/** What writing values as text takes, which is JavaScript's and not the check's. */
const writing = (...values) => {
  const before = process.cpuUsage()
  for (const value of values) {
    try {
      JSON.stringify(value)
    } catch {
      // The check says so too.
    }
  }
  return spent(before)
}

const answers = []
for (const name of names) {
  for (const mode of ["compatible", "full"]) {
    const { input: inputOf, schema: schemaOf } = hostile[name] ?? odd[name]
    const [schema, input] = [schemaOf(), inputOf()]
    // Another text on each thread, so that each compiles it.
    schema.$comment = where
    const own = writing(schema, input)
    const [before, start, peak] = [process.cpuUsage(), performance.now(), process.resourceUsage().maxRSS]
    const asked = refusal(schema, input, mode)
    const said = Effect.isEffect(asked) ? await Effect.runPromise(asked) : asked
    const grown = (process.resourceUsage().maxRSS - peak) / 1024
    answers.push({ name, mode, where, said: said ?? null, held: spent(before) - own, took: performance.now() - start, grown })
  }
}

if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url), { workerData: names, resourceLimits: { stackSizeMb: 1 } })
  const others = await new Promise((resolve, reject) => {
    worker.once("message", resolve)
    worker.once("error", reject)
    worker.once("exit", (code) => reject(new Error(`the worker ended with ${code}`)))
  })
  await worker.terminate()
  console.log(JSON.stringify([...answers, ...others]))
} else {
  // oxlint-disable-next-line require-post-message-target-origin -- a port has none
  parentPort.postMessage(answers)
}
