/**
 * A person's approval of a call over MCP, by what the protocol has for asking one: a request of the server's within a session
 * (elicitation, since 2025-06-18), and since 2026-07-28 a result that the client answers by sending the call again.
 *
 * The rule: only a yes that a person gave to this very call is one, and for one call. Whatever else comes back is none.
 */
import * as McpSchema from "effect/ai/McpSchema"
import * as Clock from "effect/Clock"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Option from "effect/Option"

/** What came of asking; that of a client which has to send the call again is what it is to be answered with. */
export type Asked = "approved" | "denied" | "cannot ask" | "answered before" | McpSchema.InputRequired

/** How much of an input a person is shown, in UTF-16 units. */
const maxShown = 4000

/** Characters that hide themselves or turn others round: a person has to see what is there. */
const unseen = /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const seen = (text: string): string =>
  text.replaceAll(unseen, (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""))

const shown = (input: string): string => {
  const text = seen(input)
  if (text.length <= maxShown) return text
  return `${text.slice(0, maxShown).toWellFormed()}\n… and ${text.length - maxShown} more characters, which are not shown.`
}

/** What a person is asked, with the input as JSON text. */
const formOf = (name: string, input: string): McpSchema.ElicitRequestFormParams =>
  new McpSchema.ElicitRequestFormParams({
    mode: "form",
    message: `May the tool ${seen(JSON.stringify(name))} run with this input?\n\n${shown(input)}`,
    requestedSchema: {
      type: "object",
      // Not the acceptance of the form alone, which some clients give by themselves.
      properties: { approve: new McpSchema.ElicitationBoolean({ type: "boolean", title: "Approve", description: "Whether the tool may run." }) },
      required: ["approve"]
    }
  })

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null

const verdictOf = (answer: unknown): "approved" | "denied" =>
  isRecord(answer) && answer["action"] === "accept" && isRecord(answer["content"]) && answer["content"]["approve"] === true ? "approved" : "denied"

/** Whether a client shows forms: since 2025-11-25 it may be one that opens addresses only. */
const showsForms = ({ elicitation }: McpSchema.ClientCapabilities): boolean =>
  elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)

const digestOf = (text: string): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))),
    (digest) => Base64Url.encode(new Uint8Array(digest))
  )

/** How long a question may be answered, and how far the clocks of processes may be apart that know each other's, in milliseconds. */
const lifetime = 60 * 60 * 1000
const apart = 5 * 60 * 1000
/** How many of the questions that were answered are remembered. */
const maxAnswered = 10_000

/**
 * The questions that were answered, of those that still could be. Where they are too many, the first of them is forgotten, and each
 * question that ends no later than it does counts as over: so none is answered twice.
 */
export class Answered {
  private readonly ends = new Map<string, number>()
  private over = 0

  /** When a question ends that is asked now. */
  endOf(now: number): number {
    return Math.max(now + lifetime, this.over + 1)
  }

  /** Whether a question may still be answered. */
  isOpen(end: number, now: number): boolean {
    return end > now && end > this.over && end <= now + lifetime + apart
  }

  /** Takes down that a question is answered; false where it was before. */
  take(question: string, end: number, now: number): boolean {
    if (this.ends.has(question)) return false
    for (const [answered, end] of this.ends) {
      if (end > now && this.ends.size < maxAnswered) break
      this.ends.delete(answered)
      this.over = Math.max(this.over, end)
    }
    this.ends.set(question, end)
    return true
  }
}

/** A question about a call, as the client keeps it: when it ends, what tells it from all others, and the digest of both and the call. */
const stateOf = (name: string, input: string, end: number, nonce: string): Effect.Effect<string> =>
  Effect.map(digestOf(JSON.stringify([name, input, end, nonce])), (digest) => `${end}.${nonce}.${digest}`)

const key = "approval"

/** Asks the person at the client of the request, with the tool's name and the JSON text of its input. */
export const askPerson = (name: string, input: string, answered: Answered): Effect.Effect<Asked, never, McpSchema.McpRequestContext> =>
  Effect.gen(function*() {
    const request = yield* McpSchema.McpRequestContext
    if (!showsForms(request.clientCapabilities)) return "cannot ask"
    const session = yield* Effect.serviceOption(McpSchema.McpServerClient)
    if (Option.isSome(session)) {
      return yield* session.value.getClient.pipe(
        Effect.flatMap((client) => client.elicit(formOf(name, input))),
        Effect.match({ onFailure: (): Asked => "cannot ask", onSuccess: verdictOf }),
        Effect.scoped
      )
    }
    // Between the two requests the question is kept by the client alone. It could make one up, and could as well make up the person's
    // answer; but an answer that was given to one call is not there for another.
    const { inputResponses, requestState } = request
    const [, end, nonce] = /^(\d{1,15})\.([\w-]{1,64})\.[\w-]{43}$/.exec(requestState ?? "") ?? []
    if (end !== undefined && nonce !== undefined && inputResponses !== undefined && Object.hasOwn(inputResponses, key)) {
      const isOfThis = requestState === (yield* stateOf(name, input, Number(end), nonce))
      const now = yield* Clock.currentTimeMillis
      if (isOfThis && answered.isOpen(Number(end), now)) {
        return answered.take(requestState, Number(end), now) ? verdictOf(inputResponses[key]) : "answered before"
      }
    }
    const form = formOf(name, input)
    return new McpSchema.InputRequired({
      inputRequests: { [key]: { method: "elicitation/create", params: JSON.parse(JSON.stringify(form)) } },
      requestState: yield* stateOf(name, input, answered.endOf(yield* Clock.currentTimeMillis), SecureRandom.uuidV4Unsafe())
    })
  })
