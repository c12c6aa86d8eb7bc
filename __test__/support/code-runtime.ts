/**
 * A `CodeRuntime` that runs code in this process, for tests and for nothing else: it isolates nothing, so the code reaches all
 * that the process has, and a loop in it cannot be stopped. Interrupting a run interrupts its tool calls, and nobody waits for the
 * code any more.
 */
import { format } from "node:util"
import { Effect, Schema } from "effect"
import { CodeRuntime, type ToolSource } from "./namespaces.ts"

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
    Effect.contextWith((context) => {
      const logs: Array<string> = []
      const log = (...values: ReadonlyArray<unknown>): void => void logs.push(format(...values))
      const run = async (signal: AbortSignal) => {
        const callable: Record<string, unknown> = Object.create(null)
        for (const name of tools) {
          callable[name] = (input: Schema.Json) => {
            const answer = Effect.runPromiseWith(context)(Effect.mapError(call(name, input), (failure) => new ToolError(failure)), { signal })
            // Code may let go of a call, and a rejection that nobody handles would end the process.
            answer.catch(() => undefined)
            return answer
          }
        }
        const result = await new AsyncFunction("tools", "console", code)(callable, { log, info: log, warn: log, error: log, debug: log })
        return { result: result ?? null, logs }
      }
      return Effect.tryPromise({
        try: run,
        catch: (thrown) => new CodeRuntime.CodeError({ message: thrown instanceof Error ? thrown.message : format("%s", thrown), logs })
      })
    })
}

/** A runtime that gives what it is told to, whatever that is. */
export const giving = (run: (options: CodeRuntime.RunOptions) => unknown): CodeRuntime.CodeRuntime => ({ run: run as CodeRuntime.CodeRuntime["run"] })
