/** A host of isolates in a process of its own: `many <mode>`, `workers <mode>`, `hold` or `leave`. */
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { Worker } from "node:worker_threads"
import { Effect, Scope } from "effect"
import * as Isolate from "../../ts/isolate.ts"
import { held, resultIn, withRuntime } from "../support/isolate.ts"
import { isolatesOf } from "../support/processes.ts"

const [task, mode] = process.argv.slice(2) as [string, "process" | "thread" | undefined]

/** Resident memory in megabytes, after what can be let go of is. */
const resident = Effect.gen(function*() {
  for (let n = 0; n < 3; n++) {
    if (process.versions["bun"] === undefined) (globalThis as { gc?: () => void }).gc?.()
    else (globalThis as unknown as { readonly Bun: { readonly gc: (isSync: boolean) => void } }).Bun.gc(true)
    yield* Effect.sleep(50)
  }
  return process.memoryUsage().rss / 2 ** 20
})

const runs = (runtime: Isolate.IsolateRuntime, count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, n) => n),
    (n) => resultIn(runtime, `const a = Array.from({ length: 1000 }, (_, n) => ({ n })); console.log('x'.repeat(100)); return (await tools.echo(a)).length + ${n}`),
    { concurrency: 4, discard: true }
  )

const many = withRuntime({ mode, pool: { warm: 2, max: 4 } }, (runtime) =>
  Effect.gen(function*() {
    yield* runs(runtime, 500)
    const before = yield* resident
    yield* runs(runtime, 2000)
    process.stdout.write(JSON.stringify({ before, after: yield* resident }))
  }))

const hold = withRuntime({ cpu: "1 minute" }, (runtime) =>
  Effect.gen(function*() {
    yield* held(runtime)
    process.stdout.write("ready\n")
    yield* Effect.sleep("1 minute")
  }))

// The scope is never closed: what is ready does not keep the process.
const leave = Effect.gen(function*() {
  const runtime = yield* Effect.provideService(Isolate.make(), Scope.Scope, yield* Scope.make())
  process.stdout.write(String(yield* resultIn(runtime, "return 1")))
})

/** The name of a thread of this process; nothing where it has just ended. */
const nameOf = (thread: string) => {
  try {
    return readFileSync(`/proc/self/task/${thread}/comm`, "utf8").trim()
  } catch {
    return ""
  }
}

/** What is left of isolates in this process, by the names of threads and as processes. */
const left = () => [
  ...readdirSync("/proc/self/task").map(nameOf).filter((name) => name.startsWith("isolate")),
  ...isolatesOf(process.pid).map(({ pid }) => pid)
]

const workers = Effect.promise(async () => {
  let most = 0
  for (let n = 0; n < 3; n++) {
    const worker = new Worker(new URL("worker.mjs", import.meta.url), { execArgv: [], workerData: mode })
    await once(worker, "message")
    most = Math.max(most, left().length)
    await worker.terminate()
  }
  for (let n = 0; n < 400 && left().length > 0; n++) await new Promise((resolve) => setTimeout(resolve, 25))
  process.stdout.write(JSON.stringify({ most, left: left() }))
})

await Effect.runPromise(task === "many" ? many : task === "workers" ? workers : task === "hold" ? hold : leave)
