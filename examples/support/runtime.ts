/**
 * A runtime of code in this very process. It isolates nothing, so it is for code that you wrote yourself, as the script of these
 * examples is. Code that a model writes belongs in an isolate.
 */
import { Effect, FiberSet, type Schema } from "effect"
import { CodeRuntime } from "toolkit-native"

type Run = (tools: object, console: object) => Promise<Schema.Json | undefined>

const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor as new(...texts: ReadonlyArray<string>) => Run

export const inProcess: CodeRuntime.CodeRuntime = {
  run: ({ call, code, tools }) =>
    Effect.gen(function*() {
      const start = yield* FiberSet.makeRuntimePromise()
      const logs: Array<string> = []
      const log = (...values: ReadonlyArray<unknown>): void => void logs.push(values.map(String).join(" "))
      const callable = Object.fromEntries(tools.map((name) => [
        name,
        (input: Schema.Json) => {
          const answer = start(Effect.mapError(call(name, input), ({ message }) => new Error(message)))
          // Code may let go of a call, and a rejection that nobody handles would end the process.
          answer.catch(() => undefined)
          return answer
        }
      ]))
      const result = yield* Effect.tryPromise({
        try: () => new AsyncFunction("tools", "console", code)(callable, { log }),
        catch: (thrown) => new CodeRuntime.CodeError({ message: thrown instanceof Error ? thrown.message : String(thrown), logs })
      })
      return { result: result ?? null, logs }
    }).pipe(Effect.scoped)
}
