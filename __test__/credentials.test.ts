import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import * as fc from "fast-check"
import { Assembly, Http } from "../ts/index.ts"
import { type Answered, scripted as scriptedClient } from "./support/http.ts"
import { call, calling, define, diagnostics, modes, scripted } from "./support/language-model.ts"

const token = "tok_5up3r53cr3t"

const operations: ReadonlyArray<Http.Operation> = [
  {
    definition: define("read"),
    request: {
      method: "GET",
      path: "/things/{id}",
      parameters: [{ property: "id", in: "path", name: "id" }, { property: "trace", in: "header", name: "x-trace" }, { property: "q", in: "query", name: "q" }]
    }
  },
  { definition: define("write"), request: { method: "POST", path: "/things", parameters: [], body: "body" } }
]

/** An assembly over an API whose client has a token, and the requests that are sent. */
const assembled = (answer?: Parameters<typeof scriptedClient>[0]) =>
  Effect.gen(function*() {
    const { client, sent } = scriptedClient(answer)
    const source = Http.make({
      name: "api",
      baseUrl: "https://api.example.com/v1",
      client: HttpClient.mapRequest(client, HttpClientRequest.bearerToken(token)),
      operations
    })
    const toolkit = yield* Assembly.toolkit([{ source, definitions: operations.map(({ definition }) => definition) }], () => "allow")
    return { sent, toolkit }
  })

const nasty = fc.oneof(
  fc.constantFrom<unknown>("..", ".", "%2e%2e", "//evil.example", "https://evil.example", "@evil.example", "?a", "#a", "a\r\nhost: evil.example", "\\..\\", "{id}"),
  fc.string({ unit: "binary" }),
  fc.jsonValue()
)
const names = ["id", "trace", "q", "body", "host", "authorization", "Authorization", "headers", "method", "url", "path", "baseUrl", "client", "__proto__"]
const inputs = fc.array(fc.tuple(fc.constantFrom(...names), nasty), { maxLength: 6 }).map((entries) =>
  JSON.parse(`{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value) ?? "null"}`).join(",")}}`) as unknown
)

describe("a model with the tools of an API", () => {
  it.effect("changes no host, method, credential or header that the template does not name [R-000-008]", () =>
    Effect.gen(function*() {
      const { sent, toolkit } = yield* assembled()
      const tools = ["api__read", "api__write"]
      const samples = fc.sample(fc.tuple(fc.constantFrom(...tools), inputs), { numRuns: 400, seed: 7 })
      const calls = [
        ...samples.map(([name, input], at) => call(`c${at}`, name, input)),
        call("sure", "api__read", { id: "a/../b", trace: "t", host: "evil.example", authorization: "Bearer other" }),
        call("sent", "api__write", { body: { url: "https://evil.example" }, method: "DELETE", Authorization: "none" })
      ]
      for (const { ask } of modes) {
        sent.length = 0
        yield* Effect.provide(ask({ toolkit }), scripted(calling(...calls)).layer)
        assert.isAbove(sent.length, 2)
        for (const { headers, method, url } of sent) {
          const { hash, origin, pathname } = new URL(url)
          assert.deepStrictEqual([origin, hash], ["https://api.example.com", ""])
          assert.match(pathname, method === "GET" ? /^\/v1\/things\/[^/]+$/ : /^\/v1\/things$/)
          assert.include(["GET", "POST"], method)
          assert.strictEqual(headers["authorization"], `Bearer ${token}`)
          const others = Object.keys(headers).filter((name) => !["authorization", method === "GET" ? "x-trace" : "content-type", "content-length"].includes(name))
          assert.deepStrictEqual(others, [])
        }
      }
      sent.length = 0
      const exit = yield* Effect.exit(Effect.provide(modes[0]!.ask({ toolkit }), scripted(calling(call("c1", "https://evil.example", {}))).layer))
      assert.isTrue(Exit.isFailure(exit))
      assert.deepStrictEqual(sent, [])
    }))

  it.effect("never reads the client's credential, nor does a log or a report hold it [R-000-009]", () =>
    Effect.gen(function*() {
      const { EncodeError, InvalidUrlError, TransportError } = HttpClientError
      const failing = (Reason: typeof EncodeError | typeof TransportError | typeof InvalidUrlError): Parameters<typeof scriptedClient>[0] => (_, request) =>
        Effect.fail(new HttpClientError.HttpClientError({ reason: new Reason({ request, cause: new Error("no") }) }))
      const answers: ReadonlyArray<Parameters<typeof scriptedClient>[0]> = [
        ...[200, 204, 302, 401, 403, 404, 422, 429, 500, 503].map((status) => (): Answered => new Response(status === 204 ? null : "{", { status, headers: { "content-type": "application/json" } })),
        failing(EncodeError),
        failing(TransportError),
        failing(InvalidUrlError),
        () => Effect.die(new Error("the client broke"))
      ]
      for (const answer of answers) {
        const { sent, toolkit } = yield* assembled(answer)
        const { layer, logs, reports } = diagnostics()
        for (const { ask } of modes) {
          const model = scripted(calling(call("c1", "api__read", { id: 1 }), call("c2", "api__write", { body: 1 })))
          const parts = yield* ask({ toolkit }).pipe(Effect.provide(model.layer), Effect.provide(layer))
          assert.notInclude(inspect([parts, model.requests.map(({ prompt, tools }) => [prompt, tools])], { depth: 20 }), token)
        }
        assert.isTrue(sent.length === 4 && sent.every(({ headers }) => headers["authorization"]!.includes(token)))
        assert.notInclude(inspect([logs, reports], { depth: 20 }), token)
      }
    }))
})
