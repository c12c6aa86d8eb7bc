/** A host of isolates in a process of its own: `many <mode>`, `hold` or `leave`. */
import { Effect, Scope } from "effect"
import * as Isolate from "../../ts/isolate.ts"
import { resultIn, runIn, withRuntime } from "../support/isolate.ts"

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
    yield* Effect.forkScoped(Effect.exit(runIn(runtime, "for (;;) {}")))
    yield* Effect.forkScoped(Effect.exit(runIn(runtime, "await tools.hang()")))
    yield* resultIn(runtime, "return 1")
    process.stdout.write("ready\n")
    yield* Effect.sleep("1 minute")
  }))

// The scope is never closed: what is ready does not keep the process.
const leave = Effect.gen(function*() {
  const runtime = yield* Effect.provideService(Isolate.make(), Scope.Scope, yield* Scope.make())
  process.stdout.write(String(yield* resultIn(runtime, "return 1")))
})

await Effect.runPromise(task === "many" ? many : task === "hold" ? hold : leave)
