/**
 * Between a router and Effect: a toolkit of an assembly as a tool source of a router, and a router as a source of an assembly.
 * It stands apart from the router, which is without Effect.
 *
 * @since 0.1.0
 */
import * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { needsApprovalOf } from "./internal/approval.ts"
import type { Failure } from "./internal/failure.ts"
import { notJson } from "./internal/json.ts"
import { isHandled } from "./internal/tools.ts"
import { parametersOf } from "./internal/parameters.ts"
import { publicError } from "./internal/router/publicError.ts"
import * as Presentation from "./Presentation.ts"
import type { Approvals } from "./router/approvals.ts"
import { DendraError, type ErrorCode } from "./router/error.ts"
import { createToolExecutor } from "./router/executor.ts"
import { mcpToolDefinitions } from "./router/mcpServer.ts"
import type { ToolSource as RouterSource } from "./router/source.ts"
import { formatTool, type ToolFormat } from "./router/toolset.ts"
import type * as ToolDefinition from "./ToolDefinition.ts"
import type * as ToolSource from "./ToolSource.ts"
import * as ToolSourceError from "./ToolSourceError.ts"

/** How a failure of a toolkit's tool is called in a router. Its message is written for a model already. */
const codes: Readonly<Record<string, ErrorCode>> = { NotFoundError: "NOT_FOUND", InvalidInputError: "BAD_REQUEST" }

const errorOf = ({ code, message }: Failure): DendraError => new DendraError(codes[code] ?? "BAD_GATEWAY", message)

/**
 * A toolkit as a tool source of a router: of an assembly, of tools with schemas of their own, or a presentation. Its tools run as
 * when a model calls them; one that needs approval is `FORBIDDEN`, since a person is asked through Effect's language model alone.
 *
 * `execute` rejects with a `DendraError`: `NOT_FOUND`, `BAD_REQUEST` for an input that the tool does not take, `INTERNAL` for a
 * defect, which is logged, `BAD_GATEWAY` for any other failure; or with the reason of `call.signal`, which interrupts the tool.
 *
 * @example
 * ```ts
 * import { ToolSource } from "toolkit-native"
 * import { mergeToolsets } from "toolkit-native/router"
 * import { fromToolkit } from "toolkit-native/router-effect"
 * import { Effect } from "effect"
 *
 * const clock = ToolSource.make({
 *   name: "clock",
 *   discover: Effect.succeed([{ name: "now", description: "The time.", inputSchema: { type: "object" }, annotations: {} }]),
 *   call: () => Effect.succeed("noon")
 * })
 * const program = Effect.gen(function*() {
 *   const toolkit = yield* ToolSource.toolkit(clock, yield* clock.discover)
 *   const { execute } = mergeToolsets(yield* fromToolkit(toolkit))
 *   return yield* Effect.promise(() => execute("now", {}))
 * })
 * Effect.runPromise(program).then(console.log) // "noon"
 * ```
 *
 * @category conversions
 * @since 0.1.0
 */
export const fromToolkit = <Tools extends Record<string, Tool.Any>>(
  toolkit: Toolkit.WithHandler<Tools>,
  options: { readonly format?: ToolFormat | undefined } = {}
): Effect.Effect<RouterSource, never, Tool.HandlerServices<Tools[keyof Tools]>> =>
  Effect.map(Effect.context<Tool.HandlerServices<Tools[keyof Tools]>>(), (context) => {
    const names = Object.keys(toolkit.tools).filter((name) => isHandled(toolkit.tools[name]!))
    const needsApproval = needsApprovalOf(toolkit, context)
    const run = (name: string, input: unknown, toolCallId: string) =>
      Effect.gen(function*() {
        const answer = needsApproval({ name, input }, { toolCallId, messages: [] })
        const isHeld = Effect.isEffect(answer) ? yield* answer : answer
        if (isHeld) return yield* Effect.fail(new DendraError("FORBIDDEN", `Tool '${name}' needs a person's approval, which cannot be asked for here`))
        return yield* Effect.mapError(Presentation.call(toolkit, name, input, toolCallId), errorOf)
      })
    return {
      names,
      tools: names.map((name) => {
        const tool = toolkit.tools[name]!
        return formatTool(name, Tool.getDescription(tool) ?? name, parametersOf(tool), options.format ?? "plain")
      }),
      async execute(name, args, { signal } = {}) {
        signal?.throwIfAborted()
        if (!names.includes(name)) throw new DendraError("NOT_FOUND", `Tool '${name}' not found`)
        try {
          return await Effect.runPromiseWith(context)(run(name, args, crypto.randomUUID()), { signal })
        } catch (error) {
          if (signal?.aborted === true) throw signal.reason
          throw publicError(name, error)
        }
      }
    }
  })

const reasonOf = (error: unknown): ToolSourceError.ToolSourceErrorReason => {
  if (!(error instanceof DendraError)) return new ToolSourceError.UnknownError({ cause: error })
  const { cause, code, message } = error
  if (code === "INTERNAL") return new ToolSourceError.UnknownError({ description: message, cause: cause ?? error })
  return code === "BAD_REQUEST"
    ? new ToolSourceError.InvalidInputError({ description: message, cause: error })
    : new ToolSourceError.CallFailedError({ description: message, cause: error })
}

/** What an answer is as JSON; nothing is null. */
const jsonOf = (value: unknown): Schema.Json => {
  const json: unknown = JSON.parse(JSON.stringify(value) ?? "null")
  const wrong = notJson(json)
  if (wrong !== undefined) throw new TypeError(`The answer is not JSON: ${wrong}`)
  return json as Schema.Json
}

const definitionsOf = (router: object): ReadonlyArray<ToolDefinition.ToolDefinition> =>
  mcpToolDefinitions(router).map(({ annotations = {}, description, inputSchema, name }) => ({
    name,
    description,
    inputSchema: inputSchema as ToolDefinition.InputSchema,
    annotations: {
      ...annotations.title === undefined ? {} : { title: annotations.title },
      ...annotations.readOnlyHint === undefined ? {} : { readOnly: annotations.readOnlyHint },
      ...annotations.destructiveHint === undefined ? {} : { destructive: annotations.destructiveHint },
      ...annotations.idempotentHint === undefined ? {} : { idempotent: annotations.idempotentHint },
      ...annotations.openWorldHint === undefined ? {} : { openWorld: annotations.openWorldHint }
    }
  }))

/**
 * A router as a source of tools, for an assembly. Its calls run as in `createToolExecutor`, with the permissions of `ctx`, and an
 * interrupted one is given up. A tool with `confirm` answers that it waits for a person where `approvals` are given, and fails
 * where not, whatever the assembly decides.
 *
 * A `DendraError` is `InvalidInputError` for `BAD_REQUEST`, `UnknownError` for `INTERNAL`, and else `CallFailedError` with its
 * message, which the model reads; a name that is no tool is `NotFoundError`. What is answered is read as JSON, as an MCP client
 * would read it; what cannot be is `InvalidResponseError`.
 *
 * @example
 * ```ts
 * import { Assembly } from "toolkit-native"
 * import { route } from "toolkit-native/router"
 * import { toEffectSource } from "toolkit-native/router-effect"
 * import { Effect } from "effect"
 *
 * const router = { notes: { count: route.get().ai().handler(() => 3) } }
 * const program = Effect.gen(function*() {
 *   const source = toEffectSource("app", router, { user: "Ada" })
 *   const toolkit = yield* Assembly.toolkit([{ source, definitions: yield* source.discover }], () => "allow")
 *   return Object.keys(toolkit.tools).join()
 * })
 * Effect.runPromise(program).then(console.log) // "app__notes_count"
 * ```
 *
 * @category conversions
 * @since 0.1.0
 */
export const toEffectSource = <Ctx>(
  name: string,
  router: object,
  ctx: Ctx,
  options: { readonly approvals?: Approvals<Ctx> | undefined } = {}
): ToolSource.ToolSource => {
  const definitions = definitionsOf(router)
  const names = new Set(definitions.map(({ name }) => name))
  const execute = createToolExecutor(router, ctx, options)
  const failed = (reason: ToolSourceError.ToolSourceErrorReason) => ToolSourceError.make({ source: name, reason })
  return {
    name,
    discover: Effect.succeed(definitions),
    call: (tool, input) =>
      Effect.suspend(() => {
        if (!names.has(tool)) return Effect.fail(failed(new ToolSourceError.NotFoundError({})))
        const answer = Effect.tryPromise({
          try: (signal) => execute(tool, input, { signal }),
          catch: (error) => failed(reasonOf(error))
        })
        return Effect.flatMap(answer, (value) =>
          Effect.try({
            try: () => jsonOf(value),
            catch: (cause) => failed(new ToolSourceError.InvalidResponseError({ cause }))
          }))
      })
  }
}
