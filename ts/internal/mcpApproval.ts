/**
 * A person's approval of a call over MCP, by what the protocol has for asking one: a request of the server's within a session
 * (elicitation, since 2025-06-18), and since 2026-07-28 a result that the client answers by sending the call again.
 *
 * The rule: only a yes that a person gave to this very call is one. Whatever else comes back is none.
 */
import * as McpSchema from "effect/ai/McpSchema"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Option from "effect/Option"

/** What came of asking; that of a client which has to send the call again is what it is to be answered with. */
export type Asked = "approved" | "denied" | "cannot ask" | McpSchema.InputRequired

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

const key = "approval"

/** Asks the person at the client of the request, with the tool's name and the JSON text of its input. */
export const askPerson = (name: string, input: string): Effect.Effect<Asked, never, McpSchema.McpRequestContext> =>
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
    // Nothing is kept between the two requests: the state says which call was asked about. A client could make it up, and
    // could as well make up the person's answer.
    const requestState = yield* digestOf(JSON.stringify([name, input]))
    const { inputResponses } = request
    if (request.requestState === requestState && inputResponses !== undefined && Object.hasOwn(inputResponses, key)) {
      return verdictOf(inputResponses[key])
    }
    const form = formOf(name, input)
    return new McpSchema.InputRequired({
      inputRequests: { [key]: { method: "elicitation/create", params: JSON.parse(JSON.stringify(form)) } },
      requestState
    })
  })
