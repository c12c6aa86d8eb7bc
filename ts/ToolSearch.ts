/**
 * Presents a toolkit, however large, as two tools: one that finds tools by what they do, and one that runs them.
 *
 * @since 0.1.0
 */
import * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { needsApprovalOf } from "./internal/approval.ts"
import { Failure, failureOf } from "./internal/failure.ts"
import { failed, type Result, succeeded } from "./internal/handlerResult.ts"
import { refusalAtOnce } from "./internal/inputCheck.ts"
import { notFound } from "./internal/presented.ts"
import { finalOf } from "./internal/toolRun.ts"
import { searchOf } from "./internal/search.ts"
import { beneath } from "./internal/services.ts"
import { isHandled } from "./internal/tools.ts"
import type * as ToolDefinition from "./ToolDefinition.ts"
import * as ToolSourceError from "./ToolSourceError.ts"

/**
 * How tools are searched.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** How many tools a search returns when it does not ask for a number; 1 to 20, five when not given. */
  readonly limit?: number | undefined
  /**
   * How tools that match are ordered. `"words"`, when not given: by how many words of the query a tool has, in its name
   * before its description. `"rarity"`: the same, a word counting the more the fewer tools have it. `"bm25"`: BM25 over word stems.
   */
  readonly ranking?: "words" | "rarity" | "bm25" | undefined
  /** What is searched besides the name; `"parameters"` adds the names, descriptions and values of the parameters. */
  readonly fields?: "description" | "parameters" | undefined
}

const defaultLimit = 5
const maxLimit = 20

/**
 * What a search finds: the tools, how many match, and how many there are.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Found: Schema.Struct<{
  readonly tools: Schema.$Array<Schema.Struct<{
    readonly name: Schema.String
    readonly description: Schema.String
    readonly inputSchema: Schema.Codec<Schema.JsonObject>
  }>>
  readonly matched: Schema.Int
  readonly available: Schema.Int
}> = Schema.Struct({
  tools: Schema.Array(Schema.Struct({ name: Schema.String, description: Schema.String, inputSchema: Schema.JsonObject })),
  matched: Schema.Int,
  available: Schema.Int
})

/**
 * What a search finds.
 *
 * @category models
 * @since 0.1.0
 */
export interface Found extends Schema.Schema.Type<typeof Found> {}

/**
 * The tool that finds tools.
 *
 * @category models
 * @since 0.1.0
 */
export type SearchTool = Tool.Tool<"tool_search", {
  readonly parameters: Schema.Struct<{ readonly query: Schema.String; readonly limit: Schema.optionalKey<Schema.Int> }>
  readonly success: typeof Found
  readonly failure: typeof Failure
  readonly failureMode: "return"
}, never>

/**
 * The tool that runs a tool.
 *
 * @category models
 * @since 0.1.0
 */
export type CallTool = Tool.Tool<"tool_call", {
  readonly parameters: Schema.Struct<{ readonly name: Schema.String; readonly input: Schema.Codec<Schema.JsonObject> }>
  readonly success: Schema.Codec<Schema.Json, Schema.Json, never, never>
  readonly failure: typeof Failure
  readonly failureMode: "return"
}, never>

const searchTool: SearchTool = Tool.make("tool_search", {
  description: "Finds the tools you can use by what they do. Give a few words of the task, such as \"create issue\": a tool matches by " +
    "words of its name and its description. Returns the best matches with their name, description and inputSchema, how many tools " +
    "matched, and how many are available; without words it lists the tools in order. Search again with other words, or a higher " +
    "limit, when the tool you need is not among them. Then run it with tool_call.",
  parameters: Schema.Struct({
    query: Schema.String.annotate({ description: "What the tool should do, in a few words." }),
    limit: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxLimit })).annotate({ description: "How many tools to return at most, 1 to 20." })
    )
  }),
  success: Found,
  failure: Failure,
  failureMode: "return"
}).annotate(Tool.Strict, false).annotate(Tool.Readonly, true).annotate(Tool.Destructive, false).annotate(Tool.Idempotent, true)
  .annotate(Tool.OpenWorld, false)

const callTool: CallTool = Tool.make("tool_call", {
  description: "Runs a tool that tool_search returned, and returns what it answers. The input has to match the tool's inputSchema.",
  parameters: Schema.Struct({
    name: Schema.String.annotate({ description: "The tool's name, as tool_search returned it." }),
    input: Schema.JsonObject.annotate({ description: "The tool's input: an object that its inputSchema allows." })
  }),
  success: Schema.Json,
  failure: Failure,
  failureMode: "return"
}).annotate(Tool.Strict, false)

const schemas = {
  tool_search: Tool.getJsonSchema(searchTool) as Schema.JsonObject,
  tool_call: { ...Tool.getJsonSchema(callTool), properties: { name: { type: "string" }, input: { type: "object" } } } as Schema.JsonObject
}

const readable = (tool: SearchTool | CallTool) => {
  const decode = Schema.decodeUnknownOption(tool.parametersSchema as Schema.Codec<unknown>)
  return (params: unknown): boolean => {
    try {
      return Option.isSome(decode(params))
    } catch {
      return false
    }
  }
}
const isReadable = { tool_search: readable(searchTool), tool_call: readable(callTool) }

const invalid = (description: string): Failure => failureOf(new ToolSourceError.InvalidInputError({ description }))

const limitOf = ({ limit = defaultLimit }: Options): number => {
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit) {
    throw new Cause.IllegalArgumentError(`limit has to be an integer from 1 to ${maxLimit}, not ${limit}`)
  }
  return limit
}

/**
 * Presents a toolkit as `tool_search` and `tool_call`, the same two however many tools there are.
 *
 * `tool_call` runs a tool as the presented toolkit does when a model calls it directly, and needs approval when that tool
 * would. A failure is a result the model reads, and a name that is no tool is `NotFoundError`. A limit that is no integer from
 * 1 to 20 is a defect: `Cause.IllegalArgumentError`.
 *
 * @example
 * ```ts
 * import { Assembly, ToolSearch } from "toolkit-native"
 * import { Effect } from "effect"
 *
 * declare const members: ReadonlyArray<Assembly.Member>
 *
 * const program = Effect.gen(function*() {
 *   const assembled = yield* Assembly.toolkit(members, () => "approve")
 *   return yield* ToolSearch.toolkit(assembled, { limit: 10 })
 * })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const toolkit = <Tools extends Record<string, Tool.Any>>(
  presented: Toolkit.WithHandler<Tools>,
  options: Options = {}
): Effect.Effect<
  Toolkit.WithHandler<{ readonly tool_search: SearchTool; readonly tool_call: CallTool }>,
  never,
  Tool.HandlerServices<Tools[keyof Tools]>
> =>
  Effect.map(Effect.context<Tool.HandlerServices<Tools[keyof Tools]>>(), (context) => {
    const limit = limitOf(options)
    const search = searchOf(Object.values(presented.tools).filter(isHandled), options)
    const tools = {
      tool_search: searchTool,
      tool_call: callTool.setNeedsApproval(needsApprovalOf(presented, context))
    }
    const find = (input: { readonly query: string; readonly limit?: number }): Effect.Effect<Result> =>
      Effect.sync(() => succeeded(search(input.query, input.limit ?? limit) as unknown as Schema.Json))
    const run = (input: { readonly name: string; readonly input: unknown }, toolCallId?: string): Effect.Effect<Result> =>
      finalOf(presented, input.name, input.input, toolCallId).pipe(
        beneath(context),
        Effect.match({
          onSuccess: ({ modelOutput, value }) => ({ ...succeeded(value), ...(modelOutput === undefined ? undefined : { modelOutput }) }),
          onFailure: failed
        })
      )
    const answer = (name: "tool_search" | "tool_call", params: unknown, toolCallId?: string): Effect.Effect<Result> => {
      const refused = refusalAtOnce(schemas[name] as ToolDefinition.InputSchema, params)
      if (refused !== undefined) return Effect.succeed(failed(invalid(refused)))
      // Nobody was asked whether a call needs approval that Effect could not read.
      if (!isReadable[name](params)) return Effect.succeed(failed(invalid("The input holds a number or a value that is not JSON.")))
      return name === "tool_search" ? find(params as never) : run(params as never, toolCallId)
    }
    const handle = (name: string, params: unknown, toolCallId?: string) =>
      Effect.andThen(
        Effect.annotateCurrentSpan({ tool: name, parameters: params }),
        name === "tool_search" || name === "tool_call"
          ? Effect.succeed(Stream.fromEffect(Effect.suspend(() => answer(name, params, toolCallId))))
          : notFound(name, Object.keys(tools))
      )
    return { tools, handle } as unknown as Toolkit.WithHandler<typeof tools>
  })
