/** A language model that answers from a script, what tests say to it, and sources that remember their calls. */
import { type Cause, Effect, ErrorReporter, Layer, Logger, Stream } from "effect"
import { type AiError, LanguageModel, Prompt, type Response } from "effect/ai"
import type { Schema } from "effect"
import type { ToolDefinition, ToolSource, ToolSourceError } from "../../ts/index.ts"

type Spoken = Response.TextPartEncoded | Response.ToolCallPartEncoded | Response.FinishPartEncoded

/** What the model says in one turn. */
export type Turn = ReadonlyArray<Spoken>

export const text = (said: string): Response.TextPartEncoded => ({ type: "text", text: said })

export const call = (id: string, name: string, params: unknown = {}): Response.ToolCallPartEncoded => ({
  type: "tool-call",
  id,
  name,
  params: params as Response.ToolCallPartEncoded["params"]
})

export const finish = (reason: Response.FinishReason): Response.FinishPartEncoded => ({
  type: "finish",
  reason,
  usage: {
    inputTokens: { uncached: undefined, total: 1, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 1, text: undefined, reasoning: undefined }
  }
})

/** A turn that calls tools. */
export const calling = (...calls: ReadonlyArray<Response.ToolCallPartEncoded>): Turn => [...calls, finish("tool-calls")]

/** A turn that says a text. */
export const saying = (said: string): Turn => [text(said), finish("stop")]

export interface ScriptedModel {
  readonly layer: Layer.Layer<LanguageModel.LanguageModel>
  /** What the provider was given, turn by turn. */
  readonly requests: ReadonlyArray<LanguageModel.ProviderOptions>
}

const streamed = (part: Spoken): ReadonlyArray<Response.StreamPartEncoded> =>
  part.type === "text"
    ? [{ type: "text-start", id: "t" }, { type: "text-delta", id: "t", delta: part.text }, { type: "text-end", id: "t" }]
    : [part]

/** A model that says one turn after the other, and dies when it is asked once more. */
export const scripted = (...turns: ReadonlyArray<Turn>): ScriptedModel => {
  const requests: Array<LanguageModel.ProviderOptions> = []
  const next = (options: LanguageModel.ProviderOptions): Effect.Effect<Turn> =>
    Effect.suspend(() => {
      const turn = turns[requests.push(options) - 1]
      return turn === undefined ? Effect.die(new Error("the script has no further turn")) : Effect.succeed(turn)
    })
  const layer = Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: (options) => Effect.map(next(options), (turn) => [...turn]),
      // One part a chunk, as they come from a model.
      streamText: (options) =>
        Stream.unwrap(Effect.map(next(options), (turn) => Stream.rechunk(Stream.fromIterable(turn.flatMap(streamed)), 1)))
    })
  )
  return { layer, requests }
}

export interface Asked {
  readonly toolkit: ToolSource.SourceToolkit
  readonly prompt?: Prompt.RawInput
}

type Parts = ReadonlyArray<Response.AnyPart>

/** The two ways to ask a model, each giving all parts of its answer. */
export const modes: ReadonlyArray<{
  readonly mode: "generateText" | "streamText"
  readonly ask: (asked: Asked) => Effect.Effect<Parts, AiError.AiError, LanguageModel.LanguageModel>
}> = [
  {
    mode: "generateText",
    ask: ({ prompt = "go on", toolkit }) =>
      Effect.map(LanguageModel.generateText({ prompt, toolkit }), ({ content }) => content as Parts)
  },
  {
    mode: "streamText",
    ask: ({ prompt = "go on", toolkit }) =>
      Effect.map(Stream.runCollect(LanguageModel.streamText({ prompt, toolkit })), (parts) => parts as Parts)
  }
]

/** One turn of `generateText`, with the tools that the model calls in it. */
export const turn = (toolkit: ToolSource.SourceToolkit, said: Turn): Effect.Effect<Parts, AiError.AiError> =>
  Effect.provide(modes[0]!.ask({ toolkit }), scripted(said).layer)

export interface Result {
  readonly id: string
  readonly name: string
  readonly isFailure: boolean
  readonly result: unknown
  readonly encodedResult: unknown
}

/** The results of tools among the parts of an answer, by the ids of their calls. */
export const resultsOf = (parts: Parts): ReadonlyArray<Result> =>
  parts.flatMap((part) =>
    part.type === "tool-result"
      ? [{ id: part.id, name: part.name, isFailure: part.isFailure, result: part.result, encodedResult: part.encodedResult }]
      : []
  ).sort((a, b) => a.id < b.id ? -1 : 1)

/** The calls of tools that a person is asked about. */
export const askedOf = (parts: Parts): ReadonlyArray<string> =>
  parts.flatMap((part) => part.type === "tool-approval-request" ? [part.toolCallId] : [])

/** The conversation after an answer whose requests for approval a person has answered. */
export const answered = (prompt: Prompt.RawInput, parts: Parts, approved: boolean, reason = "because"): Prompt.Prompt =>
  Prompt.fromMessages([
    ...Prompt.make(prompt).content,
    ...Prompt.fromResponseParts(parts).content,
    Prompt.toolMessage({
      content: parts.flatMap((part) =>
        part.type === "tool-approval-request"
          ? [Prompt.toolApprovalResponsePart({ approvalId: part.approvalId, approved, reason })]
          : []
      )
    })
  ])

/** What stands in a prompt: the role of each message with the types of its parts. */
export const outline = ({ content }: Prompt.Prompt): ReadonlyArray<string> =>
  content.map(({ content, role }) => `${role}: ${typeof content === "string" ? "text" : content.map(({ type }) => type).join(", ")}`)

/** A definition whose schema is any object, but for what is given. */
export const define = (name: string, more: Partial<Omit<ToolDefinition.ToolDefinition, "name">> = {}): ToolDefinition.ToolDefinition => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: "object" },
  annotations: {},
  ...more
})

export interface RecordingSource extends ToolSource.ToolSource {
  /** The calls that reached the source. */
  readonly calls: ReadonlyArray<{ readonly tool: string; readonly input: Schema.JsonObject }>
  /** How often it was asked what it has. */
  readonly discovered: () => number
}

/** A source that remembers what reached it. It answers with what it was asked unless told otherwise. */
export const recording = (
  name: string,
  answer: (tool: string, input: Schema.JsonObject) => Effect.Effect<unknown, ToolSourceError.ToolSourceError> = (tool, input) =>
    Effect.succeed({ from: name, tool, input })
): RecordingSource => {
  const calls: Array<RecordingSource["calls"][number]> = []
  let discovered = 0
  return {
    name,
    calls,
    discovered: () => discovered,
    discover: Effect.sync(() => {
      discovered++
      return []
    }),
    call: (tool, input) => {
      calls.push({ tool, input })
      return answer(tool, input) as Effect.Effect<Schema.Json, ToolSourceError.ToolSourceError>
    }
  }
}

export interface Diagnostics {
  readonly layer: Layer.Layer<never>
  readonly logs: ReadonlyArray<{ readonly level: string; readonly message: string; readonly cause: Cause.Cause<unknown> }>
  readonly reports: ReadonlyArray<Error>
}

/** Catches what is logged and what is reported. */
export const diagnostics = (): Diagnostics => {
  const logs: Array<Diagnostics["logs"][number]> = []
  const reports: Array<Error> = []
  const logger = Logger.make(({ cause, logLevel, message }) => {
    logs.push({ level: logLevel, message: Array.isArray(message) ? message.join(" ") : String(message), cause })
  })
  const reporter = ErrorReporter.make(({ error }) => {
    reports.push(error)
  })
  return { layer: Layer.mergeAll(Logger.layer([logger]), ErrorReporter.layer([reporter])), logs, reports }
}
