/**
 * A call of a tool of any toolkit, up to its last result. Whatever a tool fails with, as an error or as a result, is a
 * `Failure` in the end; a defect stays one, and so does an interruption.
 *
 * The rule: a model reads no more of a failure than it would read when it calls the tool itself.
 */
import * as AiError from "effect/ai/AiError"
import type * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as ToolSourceError from "../ToolSourceError.ts"
import { Failure, failureOf } from "./failure.ts"
import { asJson } from "./json.ts"
import { isHandled, toolOf } from "./tools.ts"

export type Services<Tools extends Record<string, Tool.Any>> = Tool.HandlerServices<Tools[keyof Tools]>

/** What a call gave: its result, and what the tool says a model is shown of it instead, if it does. */
export interface Final {
  readonly value: Schema.Json
  readonly modelOutput: Tool.HandlerResult<Tool.Any>["modelOutput"]
}

/** How much of a failure that is no text a model reads, in UTF-16 units. */
const maxShown = 2000

const isFailure = Schema.is(Failure)

const noTool = (name: string): Failure => ({
  ...failureOf(new ToolSourceError.NotFoundError({})),
  message: `There is no tool ${JSON.stringify(name)}.`
})

/** Words of a failure. What it holds besides a message is shown only where its schema has written it. */
const wordsOf = (error: unknown, isWritten: boolean): string => {
  if (typeof error === "string") return error
  try {
    if (typeof error === "object" && error !== null && "message" in error && typeof error.message === "string" && error.message !== "") {
      return error.message
    }
    return isWritten ? JSON.stringify(error) ?? "" : ""
  } catch {
    return ""
  }
}

/** A failure, where it arose, and as its schema writes it, where that is known. */
interface Failed {
  readonly error: unknown
  readonly origin: Tool.FailureOrigin
  readonly written: Option.Option<unknown>
}

/** A tool's failure as a model of this package reads it: a `Failure` as it is, anything else as a call that failed. */
const asFailure = ({ error, origin, written }: Failed): Failure => {
  const shown = Option.getOrElse(written, () => error)
  if (isFailure(shown)) return { code: shown.code, message: shown.message, retryable: shown.retryable }
  // Of an error of a source a model reads what its reason lets it read.
  if (ToolSourceError.isToolSourceError(error)) return failureOf(error.reason)
  if (origin === "result") return failureOf(new ToolSourceError.InvalidResponseError({}))
  if (origin === "parameters") {
    const description = AiError.isAiError(error) && error.reason._tag === "ToolParameterValidationError" ? error.reason.description : undefined
    return failureOf(new ToolSourceError.InvalidInputError({ description }))
  }
  const words = wordsOf(shown, Option.isSome(written))
  const description = words.length > maxShown ? `${words.slice(0, maxShown).toWellFormed()}…` : words
  return failureOf(new ToolSourceError.CallFailedError(description === "" ? {} : { description }))
}

/** An error that a tool of the mode "error" failed with, as the mode "return" would have written it. */
const writtenOf = (tool: Tool.Any, error: unknown): Effect.Effect<Option.Option<unknown>> =>
  Effect.suspend(() => Schema.encodeUnknownEffect(tool.failureSchema as Schema.Codec<unknown, unknown>)(error)).pipe(
    Effect.map(Option.some),
    Effect.catchCause((cause) => Cause.hasInterrupts(cause) ? Effect.failCause(cause as Cause.Cause<never>) : Effect.succeed(Option.none()))
  )

/** Where a cause that a toolkit failed with arose. What it fails with itself, having looked up no tool, has no origin: its own. */
const originOf = (reason: Cause.Fail<unknown>): Tool.FailureOrigin =>
  Option.getOrElse(Context.getOption(Cause.reasonAnnotations(reason), Toolkit.FailureOrigin), () => "handler" as const)

const withoutFails = (cause: Cause.Cause<unknown>): Cause.Cause<never> =>
  Cause.fromReasons(cause.reasons.filter((reason) => !Cause.isFailReason(reason)) as ReadonlyArray<Cause.Die | Cause.Interrupt>)

type Last = Tool.HandlerResult<Tool.Any> | undefined

/** The last result of a call, a successful one: what a tool says on the way is passed over. `undefined` when it gives none. */
export const run = <Tools extends Record<string, Tool.Any>>(
  presented: Toolkit.WithHandler<Tools>,
  name: string,
  input: unknown,
  toolCallId?: string | undefined
): Effect.Effect<Last, Failure, Services<Tools>> =>
  Effect.suspend(() => {
    const tool = toolOf(presented, name)
    if (tool === undefined || !isHandled(tool)) return Effect.fail(noTool(name))
    let last: Last
    return presented.handle(name, input as never, toolCallId).pipe(
      Stream.unwrap,
      Stream.runForEach((result) =>
        Effect.sync(() => {
          if (!result.preliminary) last = result
        })
      ),
      Effect.matchCauseEffect({
        onFailure: (cause): Effect.Effect<Last, Failure> => {
          const reason = cause.reasons.find(Cause.isFailReason)
          if (Cause.hasDies(cause) || Cause.hasInterrupts(cause) || reason === undefined) return Effect.failCause(withoutFails(cause))
          return Effect.flatMap(writtenOf(tool, reason.error), (written) =>
            Effect.fail(asFailure({ error: reason.error, origin: originOf(reason), written })))
        },
        onSuccess: (): Effect.Effect<Last, Failure> => {
          if (last?.isFailure !== true) return Effect.succeed(last)
          const { encodedResult, failureOrigin: origin = "handler", result: error } = last
          return Effect.fail(asFailure({ error, origin, written: Option.some(encodedResult) }))
        }
      })
    ) as Effect.Effect<Last, Failure, Services<Tools>>
  })

/** The same as JSON: null for a tool that gives nothing. */
export const finalOf = <Tools extends Record<string, Tool.Any>>(
  presented: Toolkit.WithHandler<Tools>,
  name: string,
  input: unknown,
  toolCallId?: string | undefined
): Effect.Effect<Final, Failure, Services<Tools>> =>
  Effect.flatMap(run(presented, name, input, toolCallId), (last): Effect.Effect<Final, Failure> => {
    const json = asJson(last?.encodedResult ?? null)
    return Option.isNone(json)
      ? Effect.fail(failureOf(new ToolSourceError.InvalidResponseError({})))
      : Effect.succeed({ value: json.value, modelOutput: last?.modelOutput })
  })
