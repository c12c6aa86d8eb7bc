// A worker of host.ts: a run that loops and one that calls tools, neither of which ends by itself.
import { parentPort, workerData } from "node:worker_threads"
import { Effect } from "effect"
import * as Isolate from "toolkit-native/isolate"

await Effect.runPromise(Effect.scoped(
  Effect.gen(function*() {
    const runtime = yield* Isolate.make({ mode: workerData, cpu: "1 minute", maxToolCalls: 1_000_000 })
    const run = (code) => runtime.run({ code, tools: ["echo"], call: (_, input) => Effect.succeed(input) })
    yield* Effect.forkScoped(Effect.exit(run("for (;;) {}")))
    yield* Effect.forkScoped(Effect.exit(run("for (;;) await tools.echo(1)")))
    yield* run("return 1")
    // oxlint-disable-next-line require-post-message-target-origin -- it is no window
    parentPort.postMessage("ready")
    yield* Effect.never
  })
))
