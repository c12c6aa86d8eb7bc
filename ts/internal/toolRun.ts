/**
 * A call of a tool of any toolkit, up to its last result. Whatever a tool fails with, as an error or as a result, is a
 * `Failure` in the end; a defect stays one, and so does an interruption.
 */
import * as AiError from "effect/ai/AiError"
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as ToolSourceError from "../ToolSourceError.ts"
import { Failure, failureOf } from "./failure.ts"
import { toolOf } from "./presented.ts"

/** How much of a failure that is no text a model reads, in UTF-16 units. */
const maxShown = 2000

const isFailure = Schema.is(Failure)

const noTool = (name: string): Failure => ({
  ...failureOf(new ToolSourceError.NotFoundError({})),
  message: `There is no tool ${JSON.stringify(name)}.`
})

/** Words of a failure, whatever it is. */
const wordsOf = (error: unknown): string => {
  if (typeof error === "string") return error
  try {
    if (typeof error === "object" && error !== null && "message" in error && typeof error.message === "string" && error.message !== "") {
      return error.message
    }
    return JSON.stringify(error) ?? ""
  } catch {
    return ""
  }
}

/** A tool's failure as a model of this package reads it: a `Failure` as it is, anything else as a call that failed. */
export const asFailure = (name: string, error: unknown, encoded: unknown = error): Failure => {
  if (isFailure(encoded)) return { code: encoded.code, message: encoded.message, retryable: encoded.retryable }
  // Of an error of a source a model reads what its reason lets it read.
  if (ToolSourceError.isToolSourceError(error)) return failureOf(error.reason)
  if (AiError.isAiError(error)) {
    switch (error.reason._tag) {
      case "ToolNotFoundError":
        return noTool(name)
      case "ToolParameterValidationError":
        return failureOf(new ToolSourceError.InvalidInputError({ description: error.reason.description }))
      case "InvalidToolResultError":
      case "ToolResultEncodingError":
        return failureOf(new ToolSourceError.InvalidResponseError({}))
    }
  }
  const words = wordsOf(encoded)
  const description = words.length > maxShown ? `${words.slice(0, maxShown).toWellFormed()}…` : words
  return failureOf(new ToolSourceError.CallFailedError(description === "" ? {} : { description }))
}

const withoutFails = (cause: Cause.Cause<unknown>): Cause.Cause<never> =>
  Cause.fromReasons(cause.reasons.filter((reason) => !Cause.isFailReason(reason)) as ReadonlyArray<Cause.Die | Cause.Interrupt>)

/** The last result of a call, a successful one: what a tool says on the way is passed over. `undefined` when it gives none. */
export const run = <Tools extends Record<string, Tool.Any>>(
  presented: Toolkit.WithHandler<Tools>,
  name: string,
  input: unknown,
  toolCallId?: string | undefined
): Effect.Effect<Tool.HandlerResult<Tool.Any> | undefined, Failure, Tool.HandlerServices<Tools[keyof Tools]>> => {
  type Result = Tool.HandlerResult<Tool.Any> | undefined
  const called = Effect.suspend((): Effect.Effect<Result, Failure, unknown> => {
    if (toolOf(presented, name) === undefined) return Effect.fail(noTool(name))
    let last: Result
    return presented.handle(name, input as never, toolCallId).pipe(
      Stream.unwrap,
      Stream.runForEach((result) =>
        Effect.sync(() => {
          if (!result.preliminary) last = result
        })
      ),
      Effect.matchCauseEffect({
        onFailure: (cause): Effect.Effect<Result, Failure> => {
          if (Cause.hasDies(cause) || Cause.hasInterrupts(cause)) return Effect.failCause(withoutFails(cause))
          return Effect.fail(asFailure(name, cause.reasons.find(Cause.isFailReason)?.error))
        },
        onSuccess: (): Effect.Effect<Result, Failure> =>
          last?.isFailure === true ? Effect.fail(asFailure(name, last.result, last.encodedResult)) : Effect.succeed(last)
      })
    )
  })
  return called as Effect.Effect<Result, Failure, Tool.HandlerServices<Tools[keyof Tools]>>
}
