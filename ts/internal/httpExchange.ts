/** One request over the caller's client, and what its answer means. */
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as Binding from "../../native/binding.cjs"
import * as ToolSourceError from "../ToolSourceError.ts"
import { additionsOf } from "./clientAdditions.ts"
import { causeOf } from "./clientError.ts"
import { notJson } from "./json.ts"
import { native } from "./native.ts"

type Reason = ToolSourceError.ToolSourceErrorReason

/** The reasons that the head of an answer alone can give. */
const verdicts = {
  AuthenticationError: ToolSourceError.AuthenticationError,
  UnavailableError: ToolSourceError.UnavailableError,
  InvalidResponseError: ToolSourceError.InvalidResponseError
}

/** How much of an API's own words a model reads, in UTF-16 units. */
const maxWords = 500

const requestOf = ({ body, headers, mediaType, method, url }: Binding.HttpRequest): HttpClientRequest.HttpClientRequest => {
  const pairs: Array<readonly [string, string]> = []
  for (let at = 0; at < headers.length; at += 2) pairs.push([headers[at]!, headers[at + 1]!])
  return HttpClientRequest.make(method as "GET")(url, {
    headers: pairs,
    ...(body === undefined || body === null
      ? undefined
      : { body: typeof body === "string" ? HttpBody.text(body, mediaType!) : HttpBody.uint8Array(body, mediaType!) })
  })
}

/** An API's own words, without what the client sent beside the request. */
const told = (words: string, given: HttpClientRequest.HttpClientRequest, sent: HttpClientRequest.HttpClientRequest): string => {
  const { headers, url } = additionsOf(given, sent)
  return native.tellWords(words, words.length > maxWords, maxWords, url, given.url, headers)
}

/** The body as text, read no further than `limit` UTF-16 units and a little. */
const readText = (response: HttpClientResponse.HttpClientResponse, limit: number): Effect.Effect<string, Reason> =>
  Effect.suspend(() => {
    const decoder = new TextDecoder()
    let text = ""
    return response.stream.pipe(
      Stream.runForEachWhile((chunk) =>
        Effect.sync(() => {
          text += decoder.decode(chunk, { stream: true })
          return text.length <= limit
        })
      ),
      // Where reading has stopped, a character may have only its beginning: what would stand for it hides that of a secret.
      Effect.map(() => text.length > limit ? text : text + decoder.decode()),
      Effect.catch((error) =>
        error.reason._tag === "EmptyBodyError"
          ? Effect.succeed(text)
          : Effect.fail(new ToolSourceError.UnavailableError({ description: "The answer broke off.", cause: causeOf(error) }))
      )
    )
  })

const unreadable = (description: string, cause?: unknown): Effect.Effect<never, Reason> =>
  Effect.fail(new ToolSourceError.InvalidResponseError({ description, cause }))

const answerOf = (
  request: HttpClientRequest.HttpClientRequest,
  response: HttpClientResponse.HttpClientResponse,
  maxAnswerLength: number
): Effect.Effect<Schema.Json, Reason> =>
  Effect.suspend((): Effect.Effect<Schema.Json, Reason> => {
    const { description, kind } = native.judgeHttpAnswer(request.method, response.status, response.headers["content-type"])
    switch (kind) {
      case "nothing":
        return Effect.succeed(null)
      case "AuthenticationError":
      case "UnavailableError":
      case "InvalidResponseError":
        return Effect.fail(new verdicts[kind]({ description: description ?? undefined }))
      case "ownWords":
        // The status alone says that the call failed, whatever becomes of the words.
        return Effect.flatMap(Effect.orElseSucceed(readText(response, maxWords), () => ""), (words) =>
          Effect.fail(
            new ToolSourceError.CallFailedError({
              description: words.trim() === "" ? `The API answered with status ${response.status}.` : told(words, request, response.request)
            })
          ))
    }
    return Effect.flatMap(readText(response, maxAnswerLength), (text): Effect.Effect<Schema.Json, Reason> => {
      if (text.length > maxAnswerLength) {
        return Effect.fail(
          new ToolSourceError.CallFailedError({
            description: `The answer is longer than ${maxAnswerLength.toLocaleString("en-US")} characters. ` +
              "Ask for less: fewer items, a smaller page, or a narrower filter."
          })
        )
      }
      if (kind === "text") return Effect.succeed(text === "" ? null : text)
      if (text.trim() === "") return Effect.succeed(null)
      let value: Schema.Json
      try {
        value = JSON.parse(text)
      } catch (cause) {
        return unreadable("The API says that its answer is JSON, and it is not.", cause)
      }
      // JSON.parse makes infinities of numbers that no double holds.
      const mistake = notJson(value)
      return mistake === undefined
        ? Effect.succeed(value)
        : unreadable(`The API's answer is more than JSON can be here: ${mistake}.`)
    })
  })

const reasonOf = (error: HttpClientError.HttpClientError): Reason => {
  switch (error.reason._tag) {
    case "TransportError":
      return new ToolSourceError.UnavailableError({ description: "The API cannot be reached.", cause: causeOf(error) })
    default:
      return new ToolSourceError.UnknownError({ description: "The request could not be sent.", cause: causeOf(error) })
  }
}

/** Sends a request and reads its answer, at most `maxAnswerLength` UTF-16 units of it. */
export const exchange = (
  client: HttpClient.HttpClient,
  request: Binding.HttpRequest,
  maxAnswerLength: number
): Effect.Effect<Schema.Json, Reason> => {
  const given = requestOf(request)
  return HttpClient.withScope(client).execute(given).pipe(
    // A client may take a status as a failure (filterStatusOk): the answer is there all the same.
    Effect.catch((error) => error.response === undefined ? Effect.fail(reasonOf(error)) : Effect.succeed(error.response)),
    Effect.flatMap((response) => answerOf(given, response, maxAnswerLength)),
    Effect.scoped
  )
}
