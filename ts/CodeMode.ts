/**
 * Presents a toolkit as one tool, `execute`, that runs code the model writes, which calls the tools as functions.
 *
 * @since 0.1.0
 */
import * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ErrorReporter from "effect/ErrorReporter"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as CodeRuntime from "./CodeRuntime.ts"
import { declare, finding } from "./internal/declarations.ts"
import type { Failure } from "./internal/failure.ts"
import { refusalAtOnce } from "./internal/inputCheck.ts"
import { notJson } from "./internal/json.ts"
import { notFound } from "./internal/presented.ts"
import * as Presentation from "./Presentation.ts"
import type * as ToolDefinition from "./ToolDefinition.ts"
import * as ToolSourceError from "./ToolSourceError.ts"

export { CodeError, type CodeRuntime } from "./CodeRuntime.ts"

/**
 * How a toolkit is presented as code.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /**
   * How many characters of declarations a model is shown. Past it the tools are listed by name, and the code is given
   * `tools.$search` and `tools.$describe` to find and read the rest with. All are declared when not given.
   */
  readonly declarationsLimit?: number | undefined
  /** How long a run may take, its tool calls included; a minute when not given. */
  readonly timeout?: Duration.Input | undefined
  /** The longest result with its logs, in UTF-16 units of JSON; 50,000 when not given. */
  readonly maxResultLength?: number | undefined
}

/**
 * What a model reads of a run that failed.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ExecuteFailure: Schema.Struct<{
  readonly code: Schema.Literals<readonly ["CodeError", "Timeout", "ResultTooLarge"]>
  readonly message: Schema.String
  readonly retryable: Schema.Boolean
  readonly logs: Schema.optionalKey<Schema.$Array<Schema.String>>
}> = Schema.Struct({
  code: Schema.Literals(["CodeError", "Timeout", "ResultTooLarge"]),
  message: Schema.String,
  retryable: Schema.Boolean,
  logs: Schema.optionalKey(Schema.Array(Schema.String))
})

/**
 * What a model reads of a run that failed.
 *
 * @category models
 * @since 0.1.0
 */
export interface ExecuteFailure extends Schema.Schema.Type<typeof ExecuteFailure> {}

/**
 * What a model reads of a run: what the code returned, null when it returned nothing, and what it logged.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Executed: Schema.Struct<{
  readonly result: Schema.Codec<Schema.Json>
  readonly logs: Schema.$Array<Schema.String>
}> = Schema.Struct({ result: Schema.Json, logs: Schema.Array(Schema.String) })

/**
 * What a model reads of a run.
 *
 * @category models
 * @since 0.1.0
 */
export interface Executed extends Schema.Schema.Type<typeof Executed> {}

/**
 * The tool that runs code.
 *
 * @category models
 * @since 0.1.0
 */
export type ExecuteTool = Tool.Tool<"execute", {
  readonly parameters: Schema.Struct<{ readonly code: Schema.String }>
  readonly success: typeof Executed
  readonly failure: typeof ExecuteFailure
  readonly failureMode: "return"
}, never>

/**
 * The TypeScript that a model reads of tools: each as a function of `tools`, its input as its JSON Schema says.
 *
 * @category declarations
 * @since 0.1.0
 */
export const declarations = (
  tools: ReadonlyArray<{ readonly name: string; readonly description?: string | undefined; readonly inputSchema: Schema.JsonObject }>
): string => declare(tools).text

const execute: ExecuteTool = Tool.make("execute", {
  parameters: Schema.Struct({
    code: Schema.String.annotate({ description: "The body of an async JavaScript function." })
  }),
  success: Executed,
  failure: ExecuteFailure,
  failureMode: "return"
}).annotate(Tool.Strict, false)

const parameters: ToolDefinition.InputSchema = {
  type: "object",
  properties: { code: { type: "string" } },
  required: ["code"],
  additionalProperties: false
}

const descriptionOf = (declared: ReturnType<typeof declare>): string =>
  [
    "Runs JavaScript code that you write, the body of an async function, and returns { result, logs }: what the code returns, as JSON, " +
    "and what it logs with console.log. The code reaches nothing but the tools below: no network, no files, no modules.",
    "- Call a tool with `await tools.name(input)`, and independent ones together with `await Promise.all([…])`. The answer is JSON.\n" +
    "- A call that fails throws an error whose message says why; catch it where you can go on.\n" +
    "- Only what you return or log comes back to you: filter and combine in code, and return no more than you need.",
    ...declared.example === undefined ? [] : [`For example:\n\`\`\`js\nconst answer = ${declared.example}\nreturn answer\n\`\`\``],
    `The tools:\n\`\`\`ts\n${declared.text.trimEnd()}\n\`\`\``
  ].join("\n\n")

const failure = (code: ExecuteFailure["code"], message: string, logs?: ReadonlyArray<string>): ExecuteFailure => ({
  code,
  message,
  retryable: false,
  ...(logs === undefined ? undefined : { logs })
})

const optionsOf = ({ declarationsLimit, maxResultLength = 50_000, timeout = "1 minute" }: Options) => {
  for (const [name, value] of Object.entries({ declarationsLimit, maxResultLength })) {
    if (value !== undefined && (!Number.isInteger(value) || value < 1)) {
      throw new Cause.IllegalArgumentError(`${name} has to be a positive integer, not ${value}`)
    }
  }
  const duration = Duration.fromInput(timeout)
  if (Option.isNone(duration) || !Duration.isGreaterThan(duration.value, Duration.zero)) {
    throw new Cause.IllegalArgumentError("timeout has to be a duration of more than nothing, such as \"1 minute\"")
  }
  return { declarationsLimit, maxResultLength, timeout: duration.value }
}

/** Whether calls of a tool may need approval: of one that decides by the call, too. */
const asks = (tool: Tool.Any): boolean => tool.needsApproval !== undefined && tool.needsApproval !== false

const noTool = (name: string): Failure => ({
  code: "NotFoundError",
  message: `The code has no tool ${JSON.stringify(name)}.`,
  retryable: false
})

/** What a run says that failed: its message, and of what it logged the last that a model can be given. */
const codeError = (message: unknown, logs: ReadonlyArray<unknown>, maxLength: number): ExecuteFailure => {
  const words = String(message)
  const cut = words.length > maxMessage ? `${words.slice(0, maxMessage).toWellFormed()}…` : words
  const lines = logs.map(String)
  // As JSON, with the rest of the failure.
  let left = maxLength - JSON.stringify(cut).length - 200
  let from = lines.length
  for (; from > 0; from--) {
    left -= JSON.stringify(lines[from - 1]).length + 1
    if (left < 0) break
  }
  return failure("CodeError", cut, from === 0 ? lines : [`… ${from.toLocaleString("en-US")} earlier lines are left out`, ...lines.slice(from)])
}

/** How much a model reads of the message of code that failed, in UTF-16 units. */
const maxMessage = 5000

/** How long a value is as JSON, looked at no further than that it is longer than `most`: writing it whole may take gigabytes. */
const lengthOf = (value: Executed, most: number): number => {
  const left: Array<unknown> = [value]
  let least = 0
  while (left.length > 0 && least <= most) {
    const at = left.pop()
    least += typeof at === "string" ? at.length + 2 : 1
    if (typeof at !== "object" || at === null) continue
    for (const [key, member] of Object.entries(at)) {
      if (!Array.isArray(at)) least += key.length + 3
      if (least > most) break
      left.push(member)
    }
  }
  return least > most ? least : JSON.stringify(value).length
}

/** What a run gave, if a model can be given it. */
const resultOf = (given: CodeRuntime.Result, maxResultLength: number): Effect.Effect<Executed, ExecuteFailure> =>
  Effect.suspend(() => {
    const logs = given.logs.map(String)
    const result = given.result ?? null
    const mistake = notJson(result)
    if (mistake !== undefined) return Effect.fail(codeError(`The code returned something that is not JSON: ${mistake}.`, logs, maxResultLength))
    const executed = { result, logs }
    const length = lengthOf(executed, maxResultLength)
    if (length <= maxResultLength) return Effect.succeed(executed)
    const [counted, most] = [length, maxResultLength].map((count) => count.toLocaleString("en-US"))
    return Effect.fail(failure(
      "ResultTooLarge",
      `The result and the logs are at least ${counted} characters of JSON, more than the ${most} that can be returned. ` +
        "Return less: only the fields you need, fewer items, or a count or summary of them."
    ))
  })

/**
 * Presents a toolkit as `execute`, which runs code on the runtime, and beside it each tool that needs approval, since nobody can
 * be asked in the middle of a run. Such a tool cannot be called from code.
 *
 * A tool is called as it is when a model calls it directly, and its failure is an error that the code can catch. What becomes of
 * a run is a result the model reads. A tool beside it that is named `execute` too is a defect, and so is an option that is none:
 * `Cause.IllegalArgumentError`.
 *
 * @example
 * ```ts
 * import { Assembly, CodeMode, type CodeRuntime } from "toolkit-native"
 * import { Effect } from "effect"
 *
 * declare const members: ReadonlyArray<Assembly.Member>
 * declare const runtime: CodeRuntime.CodeRuntime
 *
 * const program = Effect.gen(function*() {
 *   const assembled = yield* Assembly.toolkit(members, (_source, { annotations }) => annotations.readOnly === true ? "allow" : "approve")
 *   return yield* CodeMode.toolkit(assembled, runtime, { timeout: "30 seconds" })
 * })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const toolkit = <Tools extends Record<string, Tool.Any>>(
  presented: Toolkit.WithHandler<Tools>,
  runtime: CodeRuntime.CodeRuntime,
  options: Options = {}
): Effect.Effect<
  Toolkit.WithHandler<{ readonly [x: string]: ExecuteTool | Tools[keyof Tools] }>,
  never,
  Tool.HandlerServices<Tools[keyof Tools]>
> =>
  Effect.map(Effect.context<Tool.HandlerServices<Tools[keyof Tools]>>(), (context) => {
    const { declarationsLimit, maxResultLength, timeout } = optionsOf(options)
    const callable = Presentation.restrict(presented, (tool) => !asks(tool))
    const beside = Presentation.restrict(presented, asks)
    if (Object.hasOwn(beside.tools, "execute")) {
      throw new Cause.IllegalArgumentError("A tool that needs approval is named \"execute\", as the tool that runs code is: give it another name")
    }
    const found = finding(Object.values(callable.tools), declarationsLimit)
    const taken = Object.keys(found.finders).find((name) => Object.hasOwn(callable.tools, name))
    if (taken !== undefined) {
      throw new Cause.IllegalArgumentError(`A tool is named ${JSON.stringify(taken)}, as what finds tools is: give it another name`)
    }
    const names = [...Object.keys(callable.tools), ...Object.keys(found.finders)]
    const tools: Record<string, Tool.Any> = Object.assign(Object.create(null), beside.tools)
    tools["execute"] = Object.assign(execute.annotateMerge(Context.empty()), { description: descriptionOf(found.declared) })

    const call = (name: string, input: Schema.Json, toolCallId?: string): Effect.Effect<Schema.Json, Failure> =>
      Effect.suspend((): Effect.Effect<Schema.Json, Failure, any> => {
        // Code calls a tool that needs nothing with nothing.
        const given = input ?? {}
        if (Object.hasOwn(found.finders, name)) return found.finders[name]!(given)
        return names.includes(name) ? Presentation.call(callable, name, given, toolCallId) : Effect.fail(noTool(name))
      }).pipe(Effect.updateContext((mine: Context.Context<never>) => Context.merge(context, mine)))

    const run = (code: string, toolCallId?: string): Effect.Effect<Executed, ExecuteFailure> =>
      Effect.suspend(() => runtime.run({ code, tools: names, call: (name, input) => call(name, input, toolCallId) })).pipe(
        Effect.mapError(({ logs, message }) => codeError(message, logs, maxResultLength)),
        Effect.flatMap((given) => resultOf(given, maxResultLength)),
        Effect.timeoutOrElse({
          duration: timeout,
          orElse: () => Effect.fail(failure("Timeout", `The code ran longer than ${Duration.format(timeout)}, its tool calls included. Do less in one run.`))
        }),
        Effect.catchCause((cause) => {
          const failed = cause.reasons.find(Cause.isFailReason)
          if (Cause.hasInterrupts(cause)) return Effect.failCause(cause)
          if (failed !== undefined && !Cause.hasDies(cause)) return Effect.fail(failed.error)
          return Effect.logError("The runtime of the code failed", cause).pipe(
            Effect.andThen(ErrorReporter.report(cause)),
            Effect.andThen(Effect.fail(failure("CodeError", "The code could not be run.")))
          )
        })
      )

    const answer = (params: unknown, toolCallId?: string) =>
      Effect.suspend((): Effect.Effect<Executed, unknown> => {
        const refused = refusalAtOnce(parameters, params)
        if (refused === undefined) return run((params as { readonly code: string }).code, toolCallId)
        const { modelMessage } = new ToolSourceError.InvalidInputError({ description: refused })
        return Effect.fail(failure("CodeError", modelMessage))
      }).pipe(Effect.match({
        onSuccess: (value) => ({ result: value, encodedResult: value, isFailure: false, preliminary: false }),
        onFailure: (failure) => ({ result: failure, encodedResult: failure, isFailure: true, failureOrigin: "handler", preliminary: false })
      }))

    const handle = (name: string, params: unknown, toolCallId?: string) => {
      if (name !== "execute") {
        return Object.hasOwn(beside.tools, name) ? beside.handle(name, params as never, toolCallId) : notFound(name, Object.keys(tools))
      }
      return Effect.as(Effect.annotateCurrentSpan({ tool: name, parameters: params }), Stream.fromEffect(answer(params, toolCallId)))
    }
    return { tools, handle } as unknown as Toolkit.WithHandler<{ readonly [x: string]: ExecuteTool | Tools[keyof Tools] }>
  })
