import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isolatesOf } from "./support/processes.ts"
import { held, modes, resultIn, runIn, withRuntime } from "./support/isolate.ts"
import { bottomless, curious, endless, greedy, type Hostile } from "./isolate/hostile-programs.ts"

const options = {
  cpu: 200,
  timeout: "6 seconds",
  memory: 32 * 2 ** 20,
  maxToolCalls: 50,
  maxInputLength: 100_000,
  maxResultLength: 1_000_000,
  maxLogLength: 1000,
  pool: { warm: 2 }
} as const

const kinds: ReadonlyArray<readonly [kind: string, programs: ReadonlyArray<Hostile>, cpu: number]> = [
  ["runs on and on", endless, 200],
  // So that it is memory that they run out of.
  ["holds more and more", greedy, 2000],
  ["goes deeper and deeper", bottomless, 2000],
  ["looks for a way out [R-000-310]", curious, 2000]
]

for (const mode of modes) {
  describe(`in a ${mode}, code that`, () => {
    for (const [kind, programs, cpu] of kinds) {
      it.live(kind, () =>
        withRuntime({ ...options, mode, cpu }, (runtime) =>
          Effect.forEach(programs.filter(({ isStuck }) => mode === "process" || isStuck !== true), ({ code, comes, name }) =>
            Effect.gen(function*() {
              const ran = yield* Effect.match(runIn(runtime, code), {
                onSuccess: ({ logs, result }) => ({ logs, text: JSON.stringify(result), result }),
                onFailure: ({ logs, message }) => ({ logs, text: message, result: undefined })
              })
              if (comes instanceof RegExp) assert.match(ran.text, comes, name)
              else assert.deepStrictEqual(ran.result, comes.to, `${name}: ${ran.text}`)
              assert.isBelow(ran.logs.join("\n").length, 1200, name)
              assert.isTrue(ran.text.isWellFormed() && ran.logs.every((line) => line.isWellFormed()), name)
              // Whatever it did, it did it to nobody else.
              assert.deepStrictEqual(yield* resultIn(runtime, "return [await tools.echo(1), {}.a]"), [1, null], name)
            }), { concurrency: 3, discard: true })), 120_000)
    }
  })
}

describe("in a thread that cannot be stopped, code", () => {
  it.live("is answered for by the host, and no more is run while too many are stuck", () =>
    withRuntime({ ...options, mode: "thread" }, (runtime) =>
      Effect.gen(function*() {
        // Each asks the engine for something that takes it seconds, during which it asks nobody.
        const code = "const a = 'x'.repeat(2e7); for (;;) a.indexOf('y')"
        for (let n = 0; n < 4; n++) {
          const error = yield* Effect.flip(runIn(runtime, code))
          assert.match(error.message, /^The code ran longer than 200 ms of its own time/)
        }
        yield* Effect.sleep(300)
        const refused = yield* Effect.flip(runIn(runtime, "return 1"))
        assert.match(refused.message, /^No code is run: \d earlier runs went past their limits in threads that cannot be stopped/)
      })), 60_000)
})

/** Signals all isolates of this process, and says whether there were any. */
const signal = () =>
  Effect.sync(() => {
    const all = isolatesOf(process.pid)
    for (const { pid } of all) for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGTSTP"] as const) process.kill(pid, signal)
    return all.length > 0
  })

const living = () => isolatesOf(process.pid).filter(({ state }) => state !== "Z")

describe("the processes of isolates", () => {
  it.live("that are ended while they have nothing to do end no run", () =>
    withRuntime({ pool: { warm: 3 } }, (runtime) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* resultIn(runtime, "return 1"), 1)
        for (let n = 0; n < 400 && living().length < 3; n++) yield* Effect.sleep(25)
        assert.isAtLeast(living().length, 3)
        for (const { pid } of living()) process.kill(pid, "SIGKILL")
        // At once, so that it may be given to one that is not known to have ended.
        assert.deepStrictEqual(yield* Effect.all([resultIn(runtime, "return 2"), resultIn(runtime, "return tools.echo(3)")], { concurrency: 2 }), [2, 3])
      })))

  it.live("go on when a terminal or a supervisor signals all of the host's", () =>
    withRuntime({ pool: { warm: 1 } }, (runtime) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* resultIn(runtime, "return [await tools.signal(), await tools.signal()]", { signal }), [true, true])
      })))

  it.live("are gone when the scope is, whatever their code does", () =>
    Effect.gen(function*() {
      const before = isolatesOf(process.pid).length
      const seen = yield* withRuntime({ ...options, cpu: "10 seconds", pool: { warm: 3 } }, (runtime) =>
        Effect.gen(function*() {
          yield* held(runtime)
          return isolatesOf(process.pid).length
        }))
      assert.isAtLeast(seen, before + 2)
      assert.strictEqual(isolatesOf(process.pid).length, before)
    }))
})
