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
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as CodeRuntime from "./CodeRuntime.ts"
import { declare, finding } from "./internal/declarations.ts"
import { type Failure, failureOf } from "./internal/failure.ts"
import { refusalAtOnce } from "./internal/inputCheck.ts"
import { notJsonNow } from "./internal/json.ts"
import { positiveInteger, timeoutOf } from "./internal/options.ts"
import { notFound } from "./internal/presented.ts"
import { report } from "./internal/report.ts"
import { beneath } from "./internal/services.ts"
import { isHandled } from "./internal/tools.ts"
import { within } from "./internal/within.ts"
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

/** Text as a block of code that nothing in it ends. */
const fenced = (language: string, text: string): string => {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map(({ length }) => length))
  const fence = "`".repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

const descriptionOf = (declared: ReturnType<typeof declare>, { maxResultLength, timeout }: ReturnType<typeof optionsOf>): string =>
  [
    "Runs JavaScript code that you write, the body of an async function, and returns { result, logs }: what the code returns, as JSON, " +
    "and what it logs with console.log. The code reaches nothing but the tools below: no network, no files, no modules.",
    "- Call a tool with `await tools.name(input)`, and independent ones together with `await Promise.all([…])`. A call gives the value " +
    "itself: an object, a list, a text, with nothing to parse.\n" +
    "- A call that fails throws an error whose message says why; catch it where you can go on.\n" +
    "- Only what you return or log comes back to you, at most " +
    `${maxResultLength.toLocaleString("en-US")} characters of it: filter and combine in code, and return no more than you need.\n` +
    `- A run may take ${Duration.format(timeout)}, its calls included.`,
    ...declared.example === undefined ? [] : [
      "What a call gives is not declared, so look at a little of it where you do not know it. For example:\n" +
      fenced("js", `const answer = ${declared.example}\nreturn Array.isArray(answer) ? answer.slice(0, 3) : answer`)
    ],
    `The tools:\n${fenced("ts", declared.text.trimEnd())}`
  ].join("\n\n")

const failure = (code: ExecuteFailure["code"], message: string, logs?: ReadonlyArray<string>): ExecuteFailure => ({
  code,
  message,
  retryable: false,
  ...(logs === undefined ? undefined : { logs })
})

const optionsOf = ({ declarationsLimit, maxResultLength = 50_000, timeout = "1 minute" }: Options) => {
  if (declarationsLimit !== undefined) positiveInteger("declarationsLimit", declarationsLimit)
  return { declarationsLimit, maxResultLength: positiveInteger("maxResultLength", maxResultLength), timeout: timeoutOf(timeout, "1 minute") }
}

/** Whether calls of a tool may need approval: of one that decides by the call, too. */
const asks = (tool: Tool.Any): boolean => tool.needsApproval !== undefined && tool.needsApproval !== false

const late = (timeout: Duration.Duration): ExecuteFailure =>
  failure("Timeout", `The code ran longer than ${Duration.format(timeout)}, its tool calls included. Do less in one run.`)

const runStopped: Failure = { code: "UnavailableError", message: "The run was stopped: nothing can be called any more.", retryable: false }

const toolDied = failureOf(new ToolSourceError.UnknownError({}))

/** The calls of one run. What is under way ends with it, and after a run that was stopped none begins, whatever its runtime does. */
const callsOf = (call: CodeRuntime.RunOptions["call"]) => {
  const running = new Set<Fiber.Fiber<Schema.Json, Failure>>()
  let isStopped = false
  return {
    call: (name: string, input: Schema.Json): Effect.Effect<Schema.Json, Failure> =>
      Effect.uninterruptibleMask((restore) => {
        if (isStopped) return Effect.fail(runStopped)
        return Effect.flatMap(Effect.forkDetach(Effect.interruptible(call(name, input))), (fiber) => {
          running.add(fiber)
          fiber.addObserver(() => running.delete(fiber))
          return Effect.onInterrupt(restore(Fiber.join(fiber)), () => Fiber.interrupt(fiber))
        })
      }),
    end: (isEarly: boolean): Effect.Effect<void> =>
      Effect.suspend(() => {
        isStopped ||= isEarly
        return Fiber.interruptAll([...running])
      })
  }
}

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
    // Code that runs in this process may have changed what a source gave.
    const mistake = notJsonNow(result)
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
    const limits = optionsOf(options)
    const { declarationsLimit, maxResultLength, timeout } = limits
    const callable = Presentation.restrict(presented, (tool) => isHandled(tool) && !asks(tool))
    const beside = Presentation.restrict(presented, (tool) => !isHandled(tool) || asks(tool))
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
    tools["execute"] = Object.assign(execute.annotateMerge(Context.empty()), { description: descriptionOf(found.declared, limits) })

    const call = (name: string, input: Schema.Json, toolCallId?: string): Effect.Effect<Schema.Json, Failure> =>
      Effect.suspend((): Effect.Effect<Schema.Json, Failure, any> => {
        // Code calls a tool that needs nothing with nothing.
        const given = input ?? {}
        if (Object.hasOwn(found.finders, name)) return found.finders[name]!(given)
        return Object.hasOwn(callable.tools, name) ? Presentation.call(callable, name, given, toolCallId) : Effect.fail(noTool(name))
      }).pipe(
        beneath(context as Context.Context<any>),
        // Code reads what it catches, and a model what code returns: of a defect neither reads anything.
        Effect.catchCause((cause) =>
          Cause.hasDies(cause) && !Cause.hasInterrupts(cause)
            ? Effect.andThen(report(`The tool ${name} failed`, cause), Effect.fail(toolDied))
            : Effect.failCause(cause)
        )
      )

    const run = (code: string, toolCallId?: string): Effect.Effect<Executed, ExecuteFailure> =>
      Effect.suspend(() => {
        // Each call has an id of its own, since a tool may tell a call that comes again by it.
        let made = 0
        const calls = callsOf((name, input) => call(name, input, toolCallId === undefined ? undefined : `${toolCallId}_${++made}`))
        const running = runtime.run({ code, tools: names, call: calls.call }).pipe(
          Effect.onExit((exit) => calls.end(Exit.hasInterrupts(exit))),
          Effect.mapError(({ logs, message }) => codeError(message, logs, maxResultLength)),
          Effect.flatMap((given) => resultOf(given, maxResultLength))
        )
        // Nobody waits for a runtime that does not stop.
        return within(running, timeout, (fiber) => {
          fiber.interruptUnsafe()
          return Effect.andThen(Effect.forkDetach(calls.end(true)), Effect.fail(late(timeout)))
        })
      }).pipe(
        Effect.catchCause((cause) => {
          const failed = cause.reasons.find(Cause.isFailReason)
          if (Cause.hasInterrupts(cause)) return Effect.failCause(cause)
          if (failed !== undefined && !Cause.hasDies(cause)) return Effect.fail(failed.error)
          return Effect.andThen(report("The runtime of the code failed", cause), Effect.fail(failure("CodeError", "The code could not be run.")))
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

    const handle = (name: string, params: unknown, toolCallId?: string, ...rest: ReadonlyArray<any>) => {
      if (name !== "execute") {
        return Object.hasOwn(beside.tools, name) ? beside.handle(name, params as never, toolCallId, ...rest) : notFound(name, Object.keys(tools))
      }
      return Effect.as(Effect.annotateCurrentSpan({ tool: name, parameters: params }), Stream.fromEffect(answer(params, toolCallId)))
    }
    return { tools, handle } as unknown as Toolkit.WithHandler<{ readonly [x: string]: ExecuteTool | Tools[keyof Tools] }>
  })
