/**
 * Tools of sources as one Effect AI toolkit: a plain `{ tools, handle }` over module-level schemas, which behaves as
 * Effect's own layered toolkit does (`__test__/tool-source-differential.test.ts` holds the two equal).
 */
import * as Tool from "effect/ai/Tool"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as ToolDefinition from "../ToolDefinition.ts"
import type * as ToolSource from "../ToolSource.ts"
import * as ToolSourceError from "../ToolSourceError.ts"
import { isMadeOnReading } from "./catalog.ts"
import { Failure, failureOf } from "./failure.ts"
import { failed, type Result, succeeded } from "./handlerResult.ts"
import { type Checked, checked, InputCheck, type Mode } from "./inputCheck.ts"
import { notJson } from "./json.ts"
import { isObjectRooted } from "./objectRooted.ts"
import { notFound } from "./presented.ts"
import { report } from "./report.ts"
import { writtenCallOf } from "./writtenCall.ts"

/** A tool of the toolkit: the name a model knows it by, and where its calls go. */
export interface Entry {
  readonly name: string
  readonly source: ToolSource.ToolSource
  readonly definition: ToolDefinition.ToolDefinition
  readonly needsApproval: boolean
}

/** What stands for the parameters while a tool is built: they are read from the definition when somebody asks. */
const unread: Readonly<Record<string, unknown>> = { type: "object" }

const annotationsOf = (annotations: ToolDefinition.Annotations): Context.Context<never> => {
  // A model API's strict schema mode refuses optional properties, and the parameters are the source's.
  let context: Context.Context<never> = Context.make(Tool.Strict, false)
  if (annotations.title !== undefined) context = Context.add(context, Tool.Title, annotations.title) as Context.Context<never>
  if (annotations.readOnly !== undefined) context = Context.add(context, Tool.Readonly, annotations.readOnly)
  if (annotations.destructive !== undefined) context = Context.add(context, Tool.Destructive, annotations.destructive)
  if (annotations.idempotent !== undefined) context = Context.add(context, Tool.Idempotent, annotations.idempotent)
  if (annotations.openWorld !== undefined) context = Context.add(context, Tool.OpenWorld, annotations.openWorld)
  return context
}

const toolOf = ({ definition, name, needsApproval }: Entry): ToolSource.SourceTool => {
  const tool = Tool.dynamic(name, {
    description: definition.description,
    parameters: unread,
    success: Schema.Json,
    failure: Failure,
    failureMode: "return",
    needsApproval: needsApproval ? true : undefined
  }).annotateMerge(annotationsOf(definition.annotations))
  // Last, since each clone that Effect makes of a tool reads every property of it.
  Object.defineProperty(tool, "jsonSchema", { enumerable: true, configurable: true, get: () => definition.inputSchema })
  return tool
}

const sourceFailed = failureOf(new ToolSourceError.UnknownError({}))
const notReadable = failureOf(new ToolSourceError.InvalidResponseError({}))

/** Tells the host of what a source should not have done. */
const reported = ({ definition, source }: Entry, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  report(`The source ${source.name} failed in its tool ${definition.name}`, cause)

/** The failure of a cause that a source may fail with; `undefined` for any other. */
const typedFailure = (cause: Cause.Cause<unknown>): Failure | undefined => {
  try {
    const error = cause.reasons.find(Cause.isFailReason)?.error
    if (Cause.hasDies(cause) || !ToolSourceError.isToolSourceError(error)) return undefined
    const failure = failureOf(error.reason)
    return typeof failure.code === "string" && typeof failure.message === "string" && typeof failure.retryable === "boolean" ? failure : undefined
  } catch {
    return undefined
  }
}

const noEffect = (call: unknown): TypeError => {
  const isPromise = call instanceof Promise
  // Nobody waits for it any more, and a rejection that nobody handles would end the process.
  if (isPromise) call.catch(() => undefined)
  return new TypeError(`The source's call has to give an Effect, and gave ${isPromise ? "a Promise" : typeof call}`)
}

/** Calls the source, unless the input was refused: with the text where that is what it sends. */
const call = ({ definition, source }: Entry, input: unknown, checked: Checked): ReturnType<ToolSource.ToolSource["call"]> => {
  if ("refusal" in checked) {
    return Effect.fail(ToolSourceError.make({
      source: source.name,
      reason: new ToolSourceError.InvalidInputError({ description: checked.refusal })
    }))
  }
  const called: unknown = writtenCallOf(source.call)?.(definition.name, checked.text) ?? source.call(definition.name, input as Schema.JsonObject)
  return Effect.isEffect(called) ? called as ReturnType<ToolSource.ToolSource["call"]> : Effect.die(noEffect(called))
}

/** Whatever happens to a call is a result, but for an interruption. */
const run = (entry: Entry, input: unknown, mode: Mode): Effect.Effect<Result> =>
  Effect.suspend(() => {
    const outcome = checked(entry.definition.inputSchema, input, mode)
    return Effect.isEffect(outcome)
      ? Effect.flatMap(outcome, (checked) => call(entry, input, checked))
      : call(entry, input, outcome)
  }).pipe(
    Effect.matchCauseEffect({
      onSuccess: (value) => {
        const mistake = notJson(value)
        if (mistake === undefined) return Effect.succeed(succeeded(value))
        const defect = new Error(`The answer is not JSON: ${mistake}`)
        return Effect.as(reported(entry, Cause.die(defect)), failed(notReadable))
      },
      onFailure: (cause): Effect.Effect<Result> => {
        if (Cause.hasInterrupts(cause)) {
          return Effect.failCause(Cause.fromReasons(cause.reasons.filter(Cause.isInterruptReason)))
        }
        const failure = typedFailure(cause)
        return failure === undefined ? Effect.as(reported(entry, cause), failed(sourceFailed)) : Effect.succeed(failed(failure))
      }
    })
  )

/** The toolkit of entries with distinct names. */
export const make = (entries: ReadonlyArray<Entry>): Effect.Effect<ToolSource.SourceToolkit> =>
  Effect.flatMap(InputCheck, (mode) => {
    // Without a prototype: Effect looks tools up by the names that a model gives.
    const tools: Record<string, ToolSource.SourceTool> = Object.create(null)
    const byName = new Map<string, Entry>()
    for (const entry of entries) {
      if (!isMadeOnReading(entry.definition) && !isObjectRooted(entry.definition.inputSchema)) {
        return Effect.die(
          new Cause.IllegalArgumentError(
            `The tool ${JSON.stringify(entry.definition.name)} of the source ${JSON.stringify(entry.source.name)} has an inputSchema ` +
              "without an object root: its \"type\" has to be \"object\""
          )
        )
      }
      tools[entry.name] = toolOf(entry)
      byName.set(entry.name, entry)
    }
    const handle = (name: string, params: unknown) => {
      const entry = byName.get(name)
      return Effect.andThen(
        Effect.annotateCurrentSpan({ tool: name, parameters: params }),
        entry === undefined ? notFound(name, byName.keys()) : Effect.succeed(Stream.fromEffect(run(entry, params, mode)))
      )
    }
    return Effect.succeed({ tools, handle } as ToolSource.SourceToolkit)
  })
