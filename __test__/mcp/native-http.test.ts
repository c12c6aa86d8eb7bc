/** A source over native-http: answers that are there with their head mean what they mean when they come over fetch, piece by piece. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { arrived } from "../../ts/internal/arrived.ts"
import { Mcp } from "../../ts/index.ts"
import { type Answer, answering, type Asked, endOf, event, events, json, said, server, stateless } from "../support/mcp.ts"
import { bodyOf, ours, served } from "../support/native-http.ts"

const notification = event({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "on its way" } })
const answer = (asked: Asked) => event(answering(asked, { result: { resultType: "complete", content: said("fine") } }))

/** What a server answers a call with, and how the call ends. */
const table: ReadonlyArray<readonly [name: string, answer: (asked: Asked) => Answer, end: unknown]> = [
  ["an event", (asked) => events(answer(asked)), { value: said("fine") }],
  ["an event between others", (asked) => events(notification + answer(asked) + notification), { value: said("fine") }],
  ["an event without the blank line that ends it", (asked) => events(answer(asked).trimEnd()), { value: said("fine") }],
  ["events without an answer", () => events(notification), "UnavailableError"],
  ["no event", () => events(""), "UnavailableError"],
  ["JSON", (asked) => json(answering(asked, { result: { resultType: "complete", content: said("fine") } })), { value: said("fine") }],
  ["JSON that is none", () => ({ headers: { "content-type": "application/json" }, body: "{" }), "InvalidResponseError"],
  ["a type that is not MCP's", () => ({ headers: { "content-type": "text/html" }, body: "<p>" }), "InvalidResponseError"],
  ["a refusal with words", () => ({ status: 401, headers: { "content-type": "text/plain" }, body: "who are you" }), "AuthenticationError"],
  ["a status that has no body", () => ({ status: 204 }), "InvalidResponseError"]
]

describe("an answer that is there with its head", () => {
  for (const [name, part, end] of table) {
    it.live(`is read as over fetch: ${name}`, () =>
      Effect.gen(function*() {
        const answered = server({ ...stateless, "tools/call": part })
        const url = yield* served((request, response) => {
          void bodyOf(request).then(async (bytes) => {
            const body = String(bytes)
            const message = JSON.parse(body) as Pick<Asked, "method" | "id" | "params">
            const given = await answered({ ...message, http: "POST", headers: request.headers as Asked["headers"], body, before: 0 }) as Answer
            response.writeHead(given.status ?? 200, given.headers).end(given.body)
          })
        })
        let whole = 0
        const ends = Effect.gen(function*() {
          const client = HttpClient.tap(yield* HttpClient.HttpClient, (response) =>
            Effect.sync(() => {
              if ((response as { readonly [arrived]?: ArrayBuffer })[arrived] !== undefined) whole++
            }))
          const source = yield* Mcp.http({ name: "tasks", url, client })
          // Twice, so that what is left of the first answer would be in the way of the second.
          return [yield* endOf(source.call("echo", {})), yield* endOf(source.call("echo", {}))]
        })
        assert.deepStrictEqual(yield* Effect.provide(ends, FetchHttpClient.layer), [end, end])
        assert.deepStrictEqual(yield* Effect.provide(ends, ours), [end, end])
        assert.isAbove(whole, 0)
      }))
  }
})
