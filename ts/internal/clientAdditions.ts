/** What the caller's client made of a request: where its credentials are, if it has any. */
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"

/** A request as it was sent: its URL, and the headers that were not there before, names and values in turn. */
export interface Additions {
  readonly url: string
  readonly headers: Array<string>
}

/** The whole URL of a request, in a line; empty where it is none. */
export const urlOf = (request: HttpClientRequest.HttpClientRequest): string =>
  Option.match(HttpClientRequest.toUrl(request), { onNone: () => "", onSome: ({ href }) => href })

/**
 * What a client sent of a request that it was given. What happens beneath it, in the function that it fetches with, nobody
 * can see. The id of a session is as good as a credential, and counts as added.
 */
export const additionsOf = (given: HttpClientRequest.HttpClientRequest, sent: HttpClientRequest.HttpClientRequest): Additions => {
  const headers: Array<string> = []
  for (const [name, value] of Object.entries(sent.headers)) {
    if (name === "mcp-session-id" || given.headers[name] !== value) headers.push(name, value)
  }
  return { url: urlOf(sent), headers }
}
