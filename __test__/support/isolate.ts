/** Runs code in isolates of both modes, for the tests of `toolkit-native/isolate`. */
import { assert } from "@effect/vitest"
import { Deferred, Effect, type Schema, type Scope } from "effect"
import type { CodeRuntime, ToolSource } from "../../ts/index.ts"
import * as Isolate from "../../ts/isolate.ts"

export const modes = ["process", "thread"] as const
export type Mode = typeof modes[number]

export const failure = (message: string, code = "CallFailedError"): ToolSource.Failure => ({ code, message, retryable: false })

/** What tools there are: by name, what each does with its input. */
export type Tools = Readonly<Record<string, (input: Schema.Json) => Effect.Effect<Schema.Json, ToolSource.Failure>>>

export const echoing: Tools = {
  echo: (input) => Effect.succeed(input),
  fail: () => Effect.fail(failure("No such page.")),
  hang: () => Effect.never
}

export const runIn = (runtime: CodeRuntime.CodeRuntime, code: string, tools: Tools = echoing): Effect.Effect<CodeRuntime.Result, CodeRuntime.CodeError> =>
  runtime.run({ code, tools: Object.keys(tools), call: (name, input) => tools[name]!(input) })

/** What code returns. */
export const resultIn = (runtime: CodeRuntime.CodeRuntime, code: string, tools?: Tools): Effect.Effect<Schema.Json> =>
  Effect.match(runIn(runtime, code, tools), {
    onSuccess: ({ result }) => result,
    onFailure: ({ message }) => assert.fail(`${code}\n${message}`)
  })

/** Why code returns nothing. */
export const errorIn = (runtime: CodeRuntime.CodeRuntime, code: string, tools?: Tools): Effect.Effect<string> =>
  Effect.match(runIn(runtime, code, tools), {
    onSuccess: ({ result }) => assert.fail(`${code}\nreturned ${JSON.stringify(result)?.slice(0, 500)}`),
    onFailure: ({ message }) => message
  })

/** Does something with a runtime, whose isolates are gone afterwards. */
export const withRuntime = <A, E>(
  options: Isolate.Options,
  use: (runtime: Isolate.IsolateRuntime) => Effect.Effect<A, E, Scope.Scope>
): Effect.Effect<A, E | Isolate.UnavailableSandbox> => Effect.scoped(Effect.flatMap(Isolate.make(options), use))

/** Runs code that computes for ever, and code that waits for ever, until the scope ends. Both have begun when this ends. */
export const held = (runtime: CodeRuntime.CodeRuntime): Effect.Effect<void, never, Scope.Scope> =>
  Effect.forEach(["for (;;) {}", "await tools.hang()"], (code) =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const begin = () => Effect.as(Deferred.succeed(begun, undefined), null)
      yield* Effect.forkScoped(Effect.exit(runIn(runtime, `await tools.begin(); ${code}`, { ...echoing, begin })))
      yield* Deferred.await(begun)
    }), { discard: true })
