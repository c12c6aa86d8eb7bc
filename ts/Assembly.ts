/**
 * The one toolkit that a model is given for a turn, made of the tools of every source a workspace has.
 *
 * Each tool is named by its source's name and its own, the tools that a decision blocks are left out, and those that it
 * asks about need approval. Which decision is right is the host's to say, from what it has stored: a source's hints are its
 * own claims, and no decision is made from them here.
 *
 * @since 0.1.0
 */
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { native } from "./internal/native.ts"
import * as toolkits from "./internal/toolkit.ts"
import type * as ToolDefinition from "./ToolDefinition.ts"
import type * as ToolSource from "./ToolSource.ts"

/**
 * What the model may do with a tool: call it, call it once a person has approved the call, or not be given it. A schema,
 * so that a host can store its policy.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Decision: Schema.Literals<readonly ["allow", "approve", "block"]> = Schema.Literals(["allow", "approve", "block"])

/**
 * What the model may do with a tool.
 *
 * @category schemas
 * @since 0.1.0
 */
export type Decision = typeof Decision.Type

/**
 * A source, with the definitions of its tools that the workspace has.
 *
 * @category models
 * @since 0.1.0
 */
export interface Member {
  readonly source: ToolSource.ToolSource

  /** The definitions of the source's tools that the host holds in its catalog. */
  readonly definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
}

/**
 * What `toolkit` takes besides its members and the decision for each tool.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /**
   * The longest name a tool may have, in characters: for an agent that adds to the names it is given and so takes fewer
   * than the 64 of model APIs. At least 16; over 64 counts as 64.
   */
  readonly maxNameLength?: number
}

/**
 * Tools that the model would know by one name.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Clash: Schema.Struct<{
  readonly name: Schema.String
  readonly tools: Schema.$Array<Schema.Struct<{ readonly source: Schema.String; readonly tool: Schema.String }>>
}> = Schema.Struct({
  name: Schema.String,
  tools: Schema.Array(Schema.Struct({ source: Schema.String, tool: Schema.String }))
})

/**
 * Tools that the model would know by one name.
 *
 * @category schemas
 * @since 0.1.0
 */
export interface Clash extends Schema.Schema.Type<typeof Clash> {}

/**
 * More than one tool has the same name, so the model could not tell which one it calls. It holds every clash.
 *
 * @category errors
 * @since 0.1.0
 */
export class NameClash extends Schema.Error<NameClash>("toolkit-native/Assembly/NameClash")({
  _tag: Schema.tag("NameClash"),
  clashes: Schema.Array(Clash)
}) {
  override get message(): string {
    const shown = this.clashes.slice(0, 5).map(({ name, tools }) =>
      `${name} (${tools.map(({ source, tool }) => `${tool} of ${source}`).join(", ")})`
    )
    const more = this.clashes.length > shown.length ? [`${this.clashes.length - shown.length} more`] : []
    return `Tools share a name: ${[...shown, ...more].join("; ")}`
  }
}

const maxLength = 64
const minLength = 16

const nameLength = (options: Options | undefined): number => {
  const length = options?.maxNameLength ?? maxLength
  if (!Number.isInteger(length) || length < minLength) {
    throw new Cause.IllegalArgumentError(`maxNameLength has to be an integer of at least ${minLength}, not ${length}`)
  }
  // The addon takes 32 bits, and a number beyond them would wrap.
  return Math.min(length, maxLength)
}

/**
 * The name by which a model knows a source's tool: the same on every build, process and machine.
 *
 * @example
 * ```ts
 * import { Assembly } from "toolkit-native"
 *
 * console.log(Assembly.toolName("github", "create_issue")) // "github__create_issue"
 * ```
 *
 * @category names
 * @since 0.1.0
 */
export const toolName = (source: string, tool: string, options?: Options | undefined): string =>
  native.toolName(source, tool, nameLength(options))

interface Names {
  readonly names: ReadonlyArray<string>
  readonly clashes: ReadonlyArray<Clash>
}

/** The names of all tools, in one crossing. Half of a surrogate pair is no text; it is as good as any other character here. */
const namesOf = (members: ReadonlyArray<Member>, length: number): Names =>
  JSON.parse(native.assemblyNames(
    JSON.stringify(members.map(({ definitions, source }) => ({
      source: source.name.toWellFormed(),
      tools: definitions.map(({ name }) => name.toWellFormed())
    }))),
    length
  ))

/**
 * Builds the toolkit of `members`. The tools that `decide` blocks are left out, and the names of the others have to be
 * distinct, or the assembly fails with the names that are not. Building contacts none of the sources.
 *
 * @example
 * ```ts
 * import { Assembly, type ToolSource } from "toolkit-native"
 * import { Effect } from "effect"
 *
 * declare const github: ToolSource.ToolSource
 * declare const linear: ToolSource.ToolSource
 * declare const policy: ReadonlyMap<string, Assembly.Decision>
 *
 * const program = Effect.gen(function*() {
 *   const members = yield* Effect.forEach([github, linear], (source) =>
 *     Effect.map(source.discover, (definitions) => ({ source, definitions })))
 *   return yield* Assembly.toolkit(members, (source, { name }) => policy.get(`${source}/${name}`) ?? "block")
 * })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const toolkit = (
  members: ReadonlyArray<Member>,
  decide: (source: string, definition: ToolDefinition.ToolDefinition) => Decision,
  options?: Options | undefined
): Effect.Effect<
  Toolkit.WithHandler<{
    readonly [x: string]: Tool.Tool<
      string,
      {
        readonly parameters: Schema.Unknown
        readonly success: Schema.Codec<Schema.Json, Schema.Json, never, never>
        readonly failure: Schema.Struct<{
          readonly code: Schema.String
          readonly message: Schema.String
          readonly retryable: Schema.Boolean
        }>
        readonly failureMode: "return"
      },
      never
    >
  }>,
  NameClash,
  never
> =>
  Effect.suspend(() => {
    const length = nameLength(options)
    const decided = members.map(({ definitions, source }) => ({
      source,
      tools: definitions.map((definition) => ({ definition, decision: decisionOf(decide(source.name, definition), source, definition) }))
        .filter(({ decision }) => decision !== "block")
    }))
    const { clashes, names } = namesOf(
      decided.map(({ source, tools }) => ({ source, definitions: tools.map(({ definition }) => definition) })),
      length
    )
    if (clashes.length > 0) return Effect.fail(new NameClash({ clashes }))
    const kept = decided.flatMap(({ source, tools }) => tools.map((tool) => ({ ...tool, source })))
    return toolkits.make(kept.map(({ decision, definition, source }, at) => ({
      name: names[at]!,
      source,
      definition,
      needsApproval: decision === "approve"
    })))
  })

/** A policy that answers with something else must not let a tool through. */
const decisionOf = (decision: Decision, source: ToolSource.ToolSource, definition: ToolDefinition.ToolDefinition): Decision => {
  if (Decision.literals.includes(decision)) return decision
  throw new Cause.IllegalArgumentError(
    `The decision for the tool ${JSON.stringify(definition.name)} of ${JSON.stringify(source.name)} has to be "allow", "approve" or "block"`
  )
}
