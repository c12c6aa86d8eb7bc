/**
 * What the ways of presenting a toolkit share: a call of a tool of it as a plain effect, a toolkit of some of its tools, and
 * one of both of two.
 *
 * A toolkit is whatever Effect AI takes as one: of an assembly, of tools with schemas of their own, or another presentation.
 *
 * @since 0.1.0
 */
import * as AiError from "effect/ai/AiError"
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Failure } from "./internal/failure.ts"
import { notJson } from "./internal/json.ts"
import { routed, toolOf } from "./internal/presented.ts"
import * as ToolSourceError from "./ToolSourceError.ts"

type Services<Tools extends Record<string, Tool.Any>> = Tool.HandlerServices<Tools[keyof Tools]>

/** How much of a failure that is no text a model reads, in UTF-16 units. */
const maxShown = 2000

const isFailure = Schema.is(Failure)

const failureOf = (reason: ToolSourceError.ToolSourceErrorReason): Failure => ({
  code: reason.code,
  message: reason.modelMessage,
  retryable: reason.isRetryable
})

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
const asFailure = (name: string, error: unknown, encoded: unknown = error): Failure => {
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

/**
 * Runs a tool of a toolkit, as it runs when a model calls it, and gives its result as JSON: null for a tool that gives
 * nothing. Whatever its own failure is, and whether it is a result or an error, it fails as a `Failure`; a name that is no tool
 * fails with `NotFoundError`. A defect stays one.
 *
 * @example
 * ```ts
 * import { Presentation } from "toolkit-native"
 * import { Effect, Schema } from "effect"
 * import { Tool, Toolkit } from "effect/ai"
 *
 * const Echo = Tool.make("echo", { parameters: Schema.Struct({ text: Schema.String }), success: Schema.String })
 * const kit = Toolkit.make(Echo)
 *
 * const program = Effect.gen(function*() {
 *   return yield* Presentation.call(yield* kit, "echo", { text: "hello" })
 * }).pipe(Effect.provide(kit.toLayer({ echo: ({ text }) => Effect.succeed(text) })))
 * Effect.runPromise(program).then(console.log) // "hello"
 * ```
 *
 * @category calls
 * @since 0.1.0
 */
export const call = <Tools extends Record<string, Tool.Any>>(
  presented: Toolkit.WithHandler<Tools>,
  name: string,
  input: unknown,
  toolCallId?: string | undefined
): Effect.Effect<Schema.Json, Failure, Services<Tools>> => {
  const run = Effect.suspend((): Effect.Effect<Schema.Json, Failure, Services<Tools>> => {
    if (toolOf(presented, name) === undefined) return Effect.fail(noTool(name))
    let last: Tool.HandlerResult<Tool.Any> | undefined
    return presented.handle(name, input as never, toolCallId).pipe(
      Stream.unwrap,
      Stream.runForEach((result) =>
        Effect.sync(() => {
          if (!result.preliminary) last = result
        })
      ),
      Effect.matchCauseEffect({
        onFailure: (cause): Effect.Effect<Schema.Json, Failure> => {
          if (Cause.hasDies(cause) || Cause.hasInterrupts(cause)) return Effect.failCause(withoutFails(cause))
          return Effect.fail(asFailure(name, cause.reasons.find(Cause.isFailReason)?.error))
        },
        onSuccess: (): Effect.Effect<Schema.Json, Failure> => {
          if (last === undefined) return Effect.succeed(null)
          if (last.isFailure) return Effect.fail(asFailure(name, last.result, last.encodedResult))
          const value = last.encodedResult ?? null
          return notJson(value) === undefined
            ? Effect.succeed(value as Schema.Json)
            : Effect.fail(failureOf(new ToolSourceError.InvalidResponseError({})))
        }
      })
    ) as Effect.Effect<Schema.Json, Failure, Services<Tools>>
  })
  return run
}

const withoutFails = (cause: Cause.Cause<unknown>): Cause.Cause<never> =>
  Cause.fromReasons(cause.reasons.filter((reason) => !Cause.isFailReason(reason)) as ReadonlyArray<Cause.Die | Cause.Interrupt>)

/**
 * A toolkit of some tools of one: those of these names, or those that the predicate keeps. They run as they do in the toolkit
 * they come from, and need approval as they do there; no other can be run through it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const restrict = <Tools extends Record<string, Tool.Any>>(
  presented: Toolkit.WithHandler<Tools>,
  keep: Iterable<string> | ((tool: Tools[keyof Tools], name: string) => boolean)
): Toolkit.WithHandler<{ readonly [x: string]: Tools[keyof Tools] }> => {
  const names = typeof keep === "function" ? undefined : new Set(keep)
  const isKept = (name: string): boolean =>
    typeof keep === "function" ? keep(presented.tools[name] as Tools[keyof Tools], name) : names!.has(name)
  return routed(Object.keys(presented.tools).filter(isKept).map((name) => [name, presented] as const))
}

/**
 * A toolkit of the tools of two, each of which runs in the one it comes from. On one name the second wins, as in Effect AI's
 * own `Toolkit.merge`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const merge = <A extends Record<string, Tool.Any>, B extends Record<string, Tool.Any>>(
  first: Toolkit.WithHandler<A>,
  second: Toolkit.WithHandler<B>
): Toolkit.WithHandler<{ readonly [K in keyof A | keyof B]: K extends keyof B ? B[K] : K extends keyof A ? A[K] : never }> =>
  routed([
    ...Object.keys(first.tools).map((name) => [name, first] as const),
    ...Object.keys(second.tools).map((name) => [name, second] as const)
  ])
