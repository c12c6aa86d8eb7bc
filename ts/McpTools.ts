/**
 * A toolkit over MCP: the tools of an assembly, of one of its presentations or of any other Effect AI toolkit, registered with
 * an `effect/ai` McpServer, so that an MCP client can list them and call them.
 *
 * A call runs the tool and nothing else: no model, no history. A tool that needs approval never runs unasked, and whatever
 * happens to a call is a result that the client's model reads.
 *
 * @since 0.1.0
 */
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { ask } from "./internal/approval.ts"
import { failureOf } from "./internal/failure.ts"
import { InputCheck, refusal } from "./internal/inputCheck.ts"
import { textOf } from "./internal/inputText.ts"
import { Answered, askPerson } from "./internal/mcpApproval.ts"
import { blockOf, contentOf, inRevision, text, wordsOf } from "./internal/mcpResult.ts"
import { listed } from "./internal/mcpTool.ts"
import { report } from "./internal/report.ts"
import { run } from "./internal/toolRun.ts"
import { toolOf } from "./internal/tools.ts"
import type * as ToolDefinition from "./ToolDefinition.ts"
import * as ToolSourceError from "./ToolSourceError.ts"

/**
 * What to serve.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options<Tools extends Record<string, Tool.Any>, E = never, R = never> {
  /**
   * The toolkit, or an effect that gives it. An effect runs once for the listing, when the tools are registered, and again at each
   * call: a call runs the tool as it is then, and one that is no longer there answers with an error result.
   */
  readonly toolkit: Toolkit.WithHandler<Tools> | Effect.Effect<Toolkit.WithHandler<Tools>, E, R>
  /** Serves these alone, by their names in the toolkit. A name that it does not have is a defect, `Cause.IllegalArgumentError`. */
  readonly tools?: ReadonlyArray<string | Tool.Any> | undefined
  /**
   * What becomes of a call that needs approval:
   *
   * - `"refuse"`, the default: it answers with an error result.
   * - `"omit"`: a tool that always needs it is not listed; a call that turns out to need it is refused.
   * - `"ask"`: the person at the client is asked by elicitation, where the client has it, and else it is refused. An answer counts
   *   for one call, and in 2026-07-28 for an hour; processes that serve the same do not know of each other's answers.
   *
   * A tool whose question fails needs approval.
   */
  readonly approvals?: "refuse" | "omit" | "ask" | undefined
}

/**
 * What has to be provided where the tools are registered: what their handlers need, but for the request that a call came with,
 * `McpSchema.McpRequestContext`, which is there at each call; and all that the effect that gives the toolkit needs, since that one
 * runs at the registration too, where there is no request.
 *
 * @category models
 * @since 0.1.0
 */
export type Services<Tools extends Record<string, Tool.Any>, R = never> =
  | Exclude<Tool.HandlerServices<Tools[keyof Tools]>, McpSchema.McpRequestContext>
  | R

/**
 * Something to tell besides a result.
 *
 * @category models
 * @since 0.1.0
 */
export interface Diagnostic {
  readonly severity: "error" | "warning" | "info"
  readonly message: string
}

/** A closing tag within a message would end the block. */
const lineOf = ({ message, severity }: Diagnostic): string => `${severity}: ${message.replaceAll(/<(?=\/harness)/gi, "&lt;")}`

const diagnosed = (diagnostics: ReadonlyArray<Diagnostic> = []): McpSchema.CallToolResult["content"] =>
  diagnostics.length === 0 ? [] : [text(`<harness>\n${diagnostics.map(lineOf).join("\n")}\n</harness>`)]

const notReadable = failureOf(new ToolSourceError.InvalidResponseError({}))

const refused = (words: string, diagnostics?: ReadonlyArray<Diagnostic>): McpSchema.CallToolResult =>
  new McpSchema.CallToolResult({ isError: true, content: [text(words), ...diagnosed(diagnostics)] })

/**
 * A tool's result as a `CallToolResult` of MCP.
 *
 * Its content is what the tool's `toModelOutput` gives, text and images in order, or else the result itself: a text as it is, any
 * other value as JSON text, and nothing for a tool that gives nothing. A JSON object is `structuredContent` too. A failure is an
 * error with its message, or all of it as JSON. Diagnostics stand last, a line each, in a `<harness>` block. A value that JSON
 * cannot say is an error.
 *
 * @example
 * ```ts
 * import * as McpTools from "toolkit-native/mcp-tools"
 *
 * const { content, structuredContent } = McpTools.toCallToolResult({
 *   encodedResult: { due: 2 },
 *   isFailure: false,
 *   diagnostics: [{ severity: "warning", message: "The list is a day old." }]
 * })
 * console.log(JSON.stringify(structuredContent)) // "{"due":2}"
 * console.log(content.length) // "2"
 * ```
 *
 * @category results
 * @since 0.1.0
 */
export const toCallToolResult = (
  result: Pick<Tool.HandlerResult<Tool.Any>, "encodedResult" | "isFailure" | "modelOutput"> & {
    readonly diagnostics?: ReadonlyArray<Diagnostic> | undefined
  }
): McpSchema.CallToolResult => {
  const { diagnostics, encodedResult, isFailure, modelOutput } = result
  if (isFailure) return refused(wordsOf(encodedResult), diagnostics)
  const made = modelOutput === undefined ? contentOf(encodedResult) : { content: modelOutput.map(blockOf) }
  return made === undefined
    ? refused(notReadable.message, diagnostics)
    : new McpSchema.CallToolResult({ ...made, content: [...made.content, ...diagnosed(diagnostics)] })
}

/** Logs and reports what should not have happened, and answers with words that tell nothing of it. An interruption goes on. */
const reported = <A, E, R>(
  name: string,
  effect: Effect.Effect<A, E, R>,
  words: string
): Effect.Effect<A | McpSchema.CallToolResult, never, R> =>
  Effect.catchCause(effect, (cause) =>
    Cause.hasInterrupts(cause)
      ? Effect.failCause(Cause.fromReasons(cause.reasons.filter(Cause.isInterruptReason)))
      : Effect.as(report(`The tool ${JSON.stringify(name)}, called over MCP, failed`, cause), refused(words)))

const isResult = (value: unknown): value is McpSchema.CallToolResult => value instanceof McpSchema.CallToolResult

type Answer = McpSchema.CallToolResult | McpSchema.InputRequired

/** What is wrong with an input, in words for the client: nobody is asked about a call that could not run. */
const mistakeOf = (tool: Tool.Any, input: unknown): Effect.Effect<string | undefined> =>
  Effect.gen(function*() {
    const wrong = Tool.isDynamic(tool)
      ? refusal(Tool.getJsonSchema(tool) as ToolDefinition.InputSchema, input, yield* InputCheck)
      : yield* Effect.match(Schema.decodeUnknownEffect(tool.parametersSchema as Schema.Codec<unknown>)(input), {
        onFailure: ({ message }) => message,
        onSuccess: () => undefined
      })
    const description = Effect.isEffect(wrong) ? yield* wrong : wrong
    return description === undefined ? undefined : new ToolSourceError.InvalidInputError({ description }).modelMessage
  }).pipe(Effect.catchDefect(() => Effect.succeed(undefined)))

/** Whether a call may run: nothing when it may, and else what it is answered with. */
const permitted = (
  name: string,
  tool: Tool.Any,
  input: unknown,
  toolCallId: string,
  approvals: NonNullable<Options<{}>["approvals"]>,
  answered: Answered
): Effect.Effect<Answer | undefined, never, McpSchema.McpRequestContext> =>
  Effect.gen(function*() {
    if (tool.needsApproval === undefined) return undefined
    if (!(yield* ask(tool, input, { toolCallId, messages: [] }))) return undefined
    const mistake = yield* mistakeOf(tool, input)
    if (mistake !== undefined) return refused(mistake)
    const shown = JSON.stringify(name)
    if (approvals !== "ask") return refused(`The tool ${shown} needs a person's approval, which this server does not ask for.`)
    const written = textOf(input)
    if ("refusal" in written) return refused(written.refusal)
    const asked = yield* askPerson(name, written.text, answered)
    switch (asked) {
      case "approved":
        return undefined
      case "denied":
        return refused(`A person was asked whether the tool ${shown} may run, and did not approve it.`)
      case "answered before":
        return refused(`The answer that came with this call of the tool ${shown} was used for a call before, and counts for one. To have a person asked again, call it without.`)
      case "cannot ask":
        return refused(`The tool ${shown} needs a person's approval, and this client could not ask for it: it takes elicitation with forms.`)
      default:
        return asked
    }
  })

/** Some of many names, for an error. */
const inWords = (names: ReadonlyArray<string>): string => {
  const shown = names.slice(0, 20).map((name) => JSON.stringify(name))
  return [...shown, ...names.length > shown.length ? [`${names.length - shown.length} more`] : []].join(", ") || "none"
}

/**
 * Registers the tools with the `McpServer` in context.
 *
 * A client is given each tool's parameters as they are, its description, and those hints that it was given; no output schema. A
 * tool that MCP cannot list is left out, with a warning that says why. It fails as the effect that gives the toolkit fails.
 *
 * @category registration
 * @since 0.1.0
 */
export const register = <Tools extends Record<string, Tool.Any>, E = never, R = never>(
  options: Options<Tools, E, R>
): Effect.Effect<void, E, McpServer.McpServer | Services<Tools, R>> => {
  const { approvals = "refuse", toolkit } = options
  const resolve = Effect.isEffect(toolkit) ? toolkit as Effect.Effect<Toolkit.WithHandler<Tools>, E, R> : Effect.succeed(toolkit)

  const call = (name: string, input: unknown, answered: Answered): Effect.Effect<Answer, never, McpSchema.McpRequestContext | Services<Tools, R>> =>
    Effect.gen(function*() {
      const current = yield* reported(name, resolve, `The tool ${JSON.stringify(name)} is not available at present.`)
      if (isResult(current)) return current
      const tool = toolOf(current, name)
      if (tool === undefined) return refused(`The tool ${JSON.stringify(name)} is no longer offered.`)
      // A model has no part in it that would have given the call an id.
      const id = SecureRandom.uuidV4Unsafe()
      const refusal = yield* permitted(name, tool, input, id, approvals, answered)
      if (refusal !== undefined) return refusal
      const result = yield* Effect.match(run(current, name, input, id), {
        onFailure: (failure) => toCallToolResult({ encodedResult: failure, isFailure: true }),
        onSuccess: (result) => toCallToolResult(result ?? { encodedResult: undefined, isFailure: false })
      })
      const { protocolVersion } = yield* McpSchema.McpRequestContext
      const content = inRevision(protocolVersion, result.content)
      return content === result.content ? result : new McpSchema.CallToolResult({ ...result, content })
    }).pipe((called) => reported(name, called, `The tool ${JSON.stringify(name)} failed, for a reason that is not the call's.`)) as never

  return Effect.gen(function*() {
    const server = yield* McpServer.McpServer
    const answered = new Answered()
    const services = (yield* Effect.context<never>()) as Context.Context<never>
    const given = yield* resolve
    const names = new Set(options.tools?.map((tool) => typeof tool === "string" ? tool : tool.name) ?? Object.keys(given.tools))
    const missing = [...names].filter((name) => toolOf(given, name) === undefined)
    if (missing.length > 0) {
      return yield* Effect.die(
        new Cause.IllegalArgumentError(`tools: the toolkit has no ${inWords(missing)}; it has ${inWords(Object.keys(given.tools))}`)
      )
    }
    for (const name of names) {
      const tool = toolOf(given, name)!
      if (approvals === "omit" && typeof tool.needsApproval !== "function" && (tool.needsApproval ?? false) !== false) continue
      const described = listed(name, tool)
      if (typeof described === "string") {
        yield* Effect.logWarning(`The tool ${JSON.stringify(name)} is not served over MCP: ${described}`)
      } else {
        const handle = (input: unknown) => call(name, input, answered) as Effect.Effect<Answer>
        yield* server.addTool({ tool: described, annotations: tool.annotations, services, handle })
      }
    }
  }) as Effect.Effect<void, E, McpServer.McpServer | Services<Tools, R>>
}

/**
 * Registers the tools when the layer is built, with `McpServer.McpServer.layer`, which the layer of a transport shares:
 * `McpServer.layerStdio`, or `McpServer.layerHttp`. Given to the transport as its `registrations`, the tools are there before the
 * first request is read.
 *
 * @example
 * ```ts
 * import type { ToolSource } from "toolkit-native"
 * import * as McpTools from "toolkit-native/mcp-tools"
 * import { Layer, Logger } from "effect"
 * import { McpProtocol, McpServer } from "effect/ai"
 *
 * declare const toolkit: ToolSource.SourceToolkit
 *
 * // It needs a Stdio, such as NodeStdio.layer of @effect/platform-node. Standard output is the protocol's: logs go elsewhere.
 * export const server = McpServer.layerStdio({
 *   name: "tasks",
 *   version: "1.0.0",
 *   protocols: [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25],
 *   registrations: McpTools.layer({ toolkit })
 * }).pipe(Layer.provide(Layer.succeed(Logger.LogToStderr, true)))
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <Tools extends Record<string, Tool.Any>, E = never, R = never>(
  options: Options<Tools, E, R>
): Layer.Layer<never, E, Exclude<Services<Tools, R>, Scope.Scope | McpServer.McpServer>> =>
  Layer.effectDiscard(register(options)).pipe(Layer.provide(McpServer.McpServer.layer)) as never
