/**
 * A `CodeRuntime` that runs code in this process, for tests and for nothing else: it isolates nothing, so the code reaches all
 * that the process has, and a loop in it cannot be stopped. Interrupting a run interrupts its tool calls, and nobody waits for the
 * code any more.
 */
import { format } from "node:util"
import { Effect, FiberSet, type Schema } from "effect"
import { CodeRuntime, type ToolSource } from "../../ts/index.ts"

type Run = (tools: object, console: object) => Promise<Schema.Json | undefined>

const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor as new(...texts: ReadonlyArray<string>) => Run

/** What code reads of a call that failed. */
class ToolError extends Error {
  readonly code: string
  readonly retryable: boolean
  constructor({ code, message, retryable }: ToolSource.Failure) {
    super(message)
    this.code = code
    this.retryable = retryable
  }
}

export const inProcess: CodeRuntime.CodeRuntime = {
  run: ({ call, code, tools }) =>
    Effect.gen(function*() {
      // When the run is over, however it is, the calls that are still under way are stopped.
      const start = yield* FiberSet.makeRuntimePromise()
      const logs: Array<string> = []
      const log = (...values: ReadonlyArray<unknown>): void => void logs.push(format(...values))
      const callable: Record<string, unknown> = Object.create(null)
      for (const name of tools) {
        callable[name] = (input: Schema.Json) => {
          const answer = start(Effect.mapError(call(name, input), (failure) => new ToolError(failure)))
          // Code may let go of a call, and a rejection that nobody handles would end the process.
          answer.catch(() => undefined)
          return answer
        }
      }
      const result = yield* Effect.tryPromise({
        try: async () => await new AsyncFunction("tools", "console", code)(callable, { log, info: log, warn: log, error: log, debug: log }),
        catch: (thrown) => new CodeRuntime.CodeError({ message: thrown instanceof Error ? thrown.message : format("%s", thrown), logs })
      })
      return { result: result ?? null, logs }
    }).pipe(Effect.scoped)
}

/** A runtime that gives what it is told to, whatever that is. */
export const giving = (run: (options: CodeRuntime.RunOptions) => unknown): CodeRuntime.CodeRuntime => ({ run: run as CodeRuntime.CodeRuntime["run"] })
