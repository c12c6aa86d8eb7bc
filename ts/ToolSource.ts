/**
 * A source of tools, whatever system is behind it, and the Effect AI toolkit of its definitions.
 *
 * @since 0.1.0
 */
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { Failure } from "./internal/failure.ts"
import * as inputCheck from "./internal/inputCheck.ts"
import * as toolkits from "./internal/toolkit.ts"
import type * as ToolDefinition from "./ToolDefinition.ts"
import type * as ToolSourceError from "./ToolSourceError.ts"

export { Failure }

/**
 * A source of tools.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolSource {
  /** What the source is called: errors name it, and an assembly puts it before its tools' names. */
  readonly name: string
  /** The tools it has now. A host asks when it refreshes its catalog. */
  readonly discover: Effect.Effect<ReadonlyArray<ToolDefinition.ToolDefinition>, ToolSourceError.ToolSourceError>
  /** Runs a tool with an input object, and gives what it answers. */
  readonly call: (name: string, input: Schema.JsonObject) => Effect.Effect<Schema.Json, ToolSourceError.ToolSourceError>
}

/**
 * The tool that a definition becomes: its parameters are the definition's JSON Schema, and every failure is a result that
 * the model reads.
 *
 * @category models
 * @since 0.1.0
 */
export type SourceTool = Tool.Tool<string, {
  readonly parameters: Schema.Unknown
  readonly success: Schema.Codec<Schema.Json, Schema.Json, never, never>
  readonly failure: typeof Failure
  readonly failureMode: "return"
}, never>

/**
 * The toolkit of a source's tools, which Effect's `LanguageModel` takes as its `toolkit`.
 *
 * @category models
 * @since 0.1.0
 */
export type SourceToolkit = Toolkit.WithHandler<{ readonly [x: string]: SourceTool }>

/**
 * What `toolkit` takes besides the source and its definitions.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Asked once for each definition, when the toolkit is built: whether a person has to approve a call of the tool. */
  readonly needsApproval?: ((definition: ToolDefinition.ToolDefinition) => boolean) | undefined
}

/**
 * How a toolkit checks inputs, read when it is built. `"compatible"`, the default, holds a tool only to being given an
 * object where Effect's importer of JSON Schema cannot turn the tool's schema into a check: where it has `if`, `not` or
 * `contains`, say, or references of another form than `#/$defs/…`. `"full"` checks those schemas too.
 *
 * @example
 * ```ts
 * import { ToolSource } from "toolkit-native"
 * import { Effect } from "effect"
 *
 * declare const source: ToolSource.ToolSource
 *
 * const program = Effect.gen(function*() {
 *   const definitions = yield* source.discover
 *   return yield* ToolSource.toolkit(source, definitions).pipe(Effect.provideService(ToolSource.InputCheck, "full"))
 * })
 * ```
 *
 * @category references
 * @since 0.1.0
 */
export const InputCheck: Context.Reference<"compatible" | "full"> = inputCheck.InputCheck

/**
 * Makes a source by hand.
 *
 * @example
 * ```ts
 * import { ToolSource } from "toolkit-native"
 * import { Effect } from "effect"
 *
 * const clock = ToolSource.make({
 *   name: "clock",
 *   discover: Effect.succeed([
 *     { name: "now", description: "The time.", inputSchema: { type: "object" }, annotations: { readOnly: true } }
 *   ]),
 *   call: () => Effect.sync(() => new Date().toISOString())
 * })
 * Effect.runPromise(clock.call("now", {})).then(console.log)
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: {
  readonly name: string
  readonly discover: ToolSource["discover"]
  readonly call: ToolSource["call"]
}): ToolSource => ({ name: options.name, discover: options.discover, call: (name, input) => options.call(name, input) })

/**
 * The toolkit of a source's definitions: one Effect AI dynamic tool for each. Building it reaches nothing; the source is
 * reached when a model calls a tool, after the input was checked against the tool's JSON Schema.
 *
 * The names have to be distinct: two definitions of one name are a defect, `Cause.IllegalArgumentError`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const toolkit = (
  source: ToolSource,
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  options?: Options | undefined
): Effect.Effect<SourceToolkit> =>
  Effect.suspend(() => {
    const names = new Set<string>()
    for (const { name } of definitions) {
      if (names.has(name)) {
        return Effect.die(
          new Cause.IllegalArgumentError(`Two definitions of the source ${JSON.stringify(source.name)} are named ${JSON.stringify(name)}`)
        )
      }
      names.add(name)
    }
    return toolkits.make(definitions.map((definition) => ({
      name: definition.name,
      source,
      definition,
      needsApproval: options?.needsApproval !== undefined && asks(options.needsApproval, definition)
    })))
  })

/** Only a plain no lets a tool run unasked: a predicate that throws has not said it. */
const asks = (needsApproval: NonNullable<Options["needsApproval"]>, definition: ToolDefinition.ToolDefinition): boolean => {
  try {
    return needsApproval(definition) !== false
  } catch {
    return true
  }
}
