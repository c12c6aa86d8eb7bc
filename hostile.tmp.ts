import { Effect } from "effect"
import * as Isolate from "./ts/isolate.ts"
import { bottomless, curious, endless, greedy } from "./__test__/isolate/hostile-programs.ts"
import { echoing, runIn } from "./__test__/support/isolate.ts"
const mode = process.argv[2] as "thread" | "process"
const options = { cpu: 200, timeout: "3 seconds", memory: 32 * 2 ** 20, maxToolCalls: 50, maxInputLength: 100_000, maxResultLength: 1_000_000, maxLogLength: 1000, pool: { warm: 2 } } as const
let bad = 0
for (const [kind, programs] of Object.entries({ endless, greedy, bottomless, curious })) {
  for (const { name, code, comes, isStuck } of programs) {
    if (isStuck && mode === "thread") continue
    const t = performance.now()
    await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
      const rt = yield* Isolate.make({ ...options, mode, pool: { warm: 1 } })
      const r = yield* Effect.match(runIn(rt, code, echoing), { onSuccess: ({ result, logs }) => ({ text: JSON.stringify(result), logs, ok: true }), onFailure: (e) => ({ text: e.message, logs: e.logs, ok: false }) })
      const good = comes instanceof RegExp ? comes.test(r.text) : JSON.stringify(comes.to) === r.text
      const took = performance.now() - t
      if (!good || took > 1500) { bad++; console.log(good ? "SLOW" : "BAD", kind, "|", name, "|", took.toFixed(0), "ms |", r.text.slice(0, 250), "| wanted", comes instanceof RegExp ? comes.source.slice(0, 120) : JSON.stringify(comes.to)) }
    })))
  }
}
console.log("bad", bad)
process.exit(0)
