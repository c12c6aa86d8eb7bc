/**
 * What the ways of presenting a toolkit share: a call of a tool of it as a plain effect, a toolkit of some of its tools, and
 * one of both of two.
 *
 * A toolkit is whatever Effect AI takes as one: of an assembly, of tools with schemas of their own, or another presentation.
 *
 * @since 0.1.0
 */
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Failure } from "./internal/failure.ts"
import { routed } from "./internal/presented.ts"
import { finalOf, type Services } from "./internal/toolRun.ts"

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
): Effect.Effect<Schema.Json, Failure, Services<Tools>> => Effect.map(finalOf(presented, name, input, toolCallId), ({ value }) => value)

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
  const names = typeof keep === "function" ? undefined : new Set(typeof keep === "string" ? [keep] : keep)
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
