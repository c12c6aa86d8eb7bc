import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Schema } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { Http, type ToolSourceError } from "../ts/index.ts"
import { type Answered, chunked, scripted, type Sent } from "./support/http.ts"

const base = "https://api.example.com/v1"

const operation = (request: Http.RequestTemplate, name = "op"): Http.Operation => ({
  definition: { name, description: "An operation.", inputSchema: { type: "object" }, annotations: {} },
  request
})

const place = (at: Http.Place["in"], name: string, property = name): Http.Place => ({ property, in: at, name })

/** `GET`s a path whose placeholders, query and headers are filled by the properties of their names. */
const get = (path: string, ...parameters: ReadonlyArray<Http.Place>): Http.RequestTemplate => ({ method: "GET", path, parameters })

const everywhere = get("/things/{p}", place("path", "p"), place("query", "q"), place("header", "x-h"))

const source = (
  request: Http.RequestTemplate,
  answer?: (sent: Sent, request: HttpClientRequest.HttpClientRequest) => Answered,
  options?: Partial<Http.Options>
) => {
  const { client, sent } = scripted(answer)
  const api = Http.make({ name: "api", baseUrl: base, client, operations: [operation(request)], ...options })
  return { api, sent, call: (input: Schema.JsonObject) => api.call("op", input) }
}

const text = (body: string | null, status = 200, type = "text/plain") => () =>
  new Response(body, { status, headers: { "content-type": type } })

/** The reason of a call that fails. */
const reason = (call: Effect.Effect<unknown, ToolSourceError.ToolSourceError>) => Effect.map(Effect.flip(call), ({ reason }) => reason)

const refuses = (request: Http.RequestTemplate, inputs: ReadonlyArray<Schema.JsonObject>) =>
  Effect.gen(function*() {
    const { call, sent } = source(request)
    for (const input of inputs) {
      const { _tag, message } = yield* reason(call(input))
      assert.strictEqual(_tag, "InvalidInputError", JSON.stringify(input))
      assert.notStrictEqual(message, "")
    }
    assert.deepEqual(sent, [])
  })

/** The URL's part behind the base, for an input. */
const sends = (request: Http.RequestTemplate, cases: ReadonlyArray<readonly [Schema.JsonObject, string]>) =>
  Effect.gen(function*() {
    const { call, sent } = source(request)
    for (const [input] of cases) yield* call(input)
    assert.deepEqual(sent.map(({ url }) => url), cases.map(([, rest]) => base + rest))
  })

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string(),
  fc.constantFrom("", ".", "..", "%2e%2e", "%2E", "/", "\\", "a/../..", "?", "#", "{p}", "//evil.example/", "\r\nx-evil: 1", "\ud800", "@evil.example")
)

describe("what is sent", () => {
  it.effect("goes to the one base URL, whose path and query are kept with one slash at the joint [R-000-161]", () =>
    Effect.gen(function*() {
      for (
        const [baseUrl, path, url] of [
          ["https://api.example.com", "/a", "https://api.example.com/a"],
          ["https://api.example.com/v1/", "/a", "https://api.example.com/v1/a"],
          ["https://api.example.com/v1", "a", "https://api.example.com/v1/a"],
          ["https://api.example.com:8443/v1?key=1", "/a", "https://api.example.com:8443/v1/a?key=1"],
          [new URL("http://127.0.0.1:1/x"), "//evil.example/a", "http://127.0.0.1:1/x/evil.example/a"]
        ] as const
      ) {
        const { call, sent } = source(get(path), undefined, { baseUrl })
        yield* call({})
        assert.deepEqual(sent.map(({ url }) => url), [url])
      }
    }))

  it.effect("has a path value percent-encoded as one segment [R-000-163]", () =>
    sends(get("/repos/{repo}/issues", place("path", "repo")), [
      [{ repo: "a/b" }, "/repos/a%2Fb/issues"],
      [{ repo: "a?b" }, "/repos/a%3Fb/issues"],
      [{ repo: "a#b" }, "/repos/a%23b/issues"],
      [{ repo: "100%" }, "/repos/100%25/issues"],
      [{ repo: "a b" }, "/repos/a%20b/issues"],
      [{ repo: "é😀" }, "/repos/%C3%A9%F0%9F%98%80/issues"],
      [{ repo: "..\\..\\x" }, "/repos/..%5C..%5Cx/issues"],
      [{ repo: "../../x" }, "/repos/..%2F..%2Fx/issues"],
      [{ repo: "{repo}" }, "/repos/%7Brepo%7D/issues"]
    ]))

  it("has any other text in the path, and decodes to it again [R-000-163]", () =>
    fc.assert(fc.asyncProperty(anyText, async (value) => {
      fc.pre(!["", ".", ".."].includes(value) && value.isWellFormed())
      const { call, sent } = source(get("/a/{p}/z", place("path", "p")))
      await Effect.runPromise(call({ p: value }))
      const [, , first, segment, last, ...more] = new URL(sent[0]!.url).pathname.split("/")
      assert.deepEqual([first, decodeURIComponent(segment!), last, more], ["a", value, "z", []])
    })))

  it.effect("refuses \"\", \".\" and \"..\" in the path and sends nothing [R-000-164]", () =>
    refuses(get("/a/{p}", place("path", "p")), [{ p: "" }, { p: "." }, { p: ".." }, {}]))

  it.effect("keeps a value that a URL parser would take for a dot segment the text it is [R-000-165]", () =>
    sends(get("/repos/{repo}/x", place("path", "repo")), [
      [{ repo: "%2e%2e" }, "/repos/%252e%252e/x"],
      [{ repo: "%2E" }, "/repos/%252E/x"],
      [{ repo: ".%2e" }, "/repos/.%252e/x"],
      [{ repo: "\t..\n" }, "/repos/%09..%0A/x"],
      [{ repo: "..." }, "/repos/.../x"]
    ]))

  it.effect("refuses a dot segment that a value and the template's own dots would make [R-000-165]", () =>
    Effect.gen(function*() {
      yield* refuses(get("/x/.{p}", place("path", "p")), [{ p: "." }])
      yield* refuses(get("/x/{p}{p}", place("path", "p")), [{ p: "." }])
    }))

  it.effect("takes a string, a number and a boolean in path, query and header [R-000-166]", () =>
    Effect.gen(function*() {
      const { call, sent } = source(everywhere)
      for (const value of ["text", 7, -1.5, 1e21, true, false]) yield* call({ p: value, q: value, "x-h": value })
      assert.deepEqual(
        sent.map(({ headers, url }) => [url, headers["x-h"]]),
        ["text", "7", "-1.5", "1e%2B21", "true", "false"].map((value) => [`${base}/things/${value}?q=${value}`, decodeURIComponent(value)])
      )
    }))

  it.effect("refuses an object and null in path, query and header, and a list in the path [R-000-166]", () =>
    refuses(everywhere, [
      { p: null }, { p: {} }, { p: ["a"] }, { p: 1, q: null }, { p: 1, q: { a: 1 } }, { p: 1, "x-h": null }, { p: 1, "x-h": {} }
    ]))

  it.effect("has a key for each value of a list in the query, in order [R-000-167]", () =>
    sends(get("/a", place("query", "labels[]", "labels"), place("query", "q")), [
      [{ labels: ["b", "a", "b"], q: 1 }, "/a?labels%5B%5D=b&labels%5B%5D=a&labels%5B%5D=b&q=1"],
      [{ labels: [1, true, "x&y=z"] }, "/a?labels%5B%5D=1&labels%5B%5D=true&labels%5B%5D=x%26y%3Dz"],
      [{ labels: [] }, "/a"]
    ]))

  it.effect("has the values of a list in a header joined by commas [R-000-168]", () =>
    Effect.gen(function*() {
      const { call, sent } = source(get("/a", place("header", "x-ids")))
      yield* call({ "x-ids": ["a", 2, false] })
      yield* call({ "x-ids": [] })
      assert.deepEqual(sent.map(({ headers }) => headers), [{ "x-ids": "a,2,false" }, {}])
    }))

  it.effect("refuses a header value with a control character, CR or LF [R-000-169]", () =>
    refuses(
      get("/a", place("header", "x-h")),
      ["a\r\nx-evil: 1", "a\rb", "a\nb", "\0", "a\tb", "a\u007f", "a\u0085b", "日本", " a", "\ud800"].flatMap((value) => [{ "x-h": value }, { "x-h": ["ok", value] }])
    ))

  it("adds no header to a request whatever a header's value is [R-000-169]", () =>
    fc.assert(fc.asyncProperty(fc.oneof(anyText, fc.array(anyText, { maxLength: 3 })), async (value) => {
      const { call, sent } = source(get("/a", place("header", "x-h")))
      const exit = await Effect.runPromiseExit(call({ "x-h": value }))
      if (Exit.isFailure(exit)) return assert.deepEqual(sent, [])
      assert.deepEqual(sent[0]!.headers, Array.isArray(value) && value.length === 0 ? {} : { "x-h": String(value) })
      // What every client and server agree on: Latin-1 without control characters.
      assert.match(String(value), /^[\u0020-\u007e\u00a0-\u00ff]*$/)
    })))

  it.effect("has nothing of a property that has no place and is not the body [R-000-170]", () =>
    Effect.gen(function*() {
      const { call, sent } = source({ ...everywhere, method: "POST", body: "body" })
      yield* call({ p: 1, body: { a: 1 }, other: "stray", X: ["stray"], __proto__: null, "x-other": "stray", method: "stray", headers: { stray: "stray" } })
      assert.deepEqual(sent, [{
        method: "POST",
        url: `${base}/things/1`,
        headers: { "content-type": "application/json", "content-length": "7" },
        body: "{\"a\":1}"
      }])
    }))

  it.effect("has the body property as JSON with its content type, and no body without it [R-000-171]", () =>
    Effect.gen(function*() {
      const bodies: ReadonlyArray<Schema.Json> = [{ a: [1, null, "é😀"] }, [], "text", 0, false, null, ""]
      const plain = source({ method: "POST", path: "/a", parameters: [], body: "body" })
      for (const body of bodies) yield* plain.call({ body })
      assert.deepEqual(plain.sent.map(({ body }) => body), bodies.map((body) => JSON.stringify(body)))
      for (const { headers } of plain.sent) assert.strictEqual(headers["content-type"], "application/json")

      const patch = source({ method: "PATCH", path: "/a", parameters: [], body: "patch", mediaType: "application/merge-patch+json" })
      yield* patch.call({ patch: { a: null } })
      yield* patch.call({})
      assert.deepEqual(patch.sent.map(({ body, headers }) => [body, headers["content-type"]]), [
        ["{\"a\":null}", "application/merge-patch+json"],
        [undefined, undefined]
      ])
    }))

  it.effect("has the client's header where the model gives one of the same name [R-000-172]", () =>
    Effect.gen(function*() {
      const { client, sent } = scripted()
      const api = Http.make({
        name: "api",
        baseUrl: base,
        client: HttpClient.mapRequest(client, HttpClientRequest.setHeader("X-Tenant", "client")),
        operations: [operation(get("/a", place("header", "x-tenant"), place("header", "X-Own")))]
      })
      yield* api.call("op", { "x-tenant": "model", "X-Own": "model" })
      assert.deepEqual(sent[0]!.headers, { "x-tenant": "client", "x-own": "model" })
    }))

  it.effect("has no User-Agent of the package [R-000-183]", () =>
    Effect.gen(function*() {
      for (const method of ["GET", "POST", "DELETE", "HEAD"] as const) {
        const { call, sent } = source({ method, path: "/a", parameters: [place("query", "user-agent")] })
        yield* call({ "user-agent": "model" })
        assert.deepEqual(sent.map(({ headers }) => headers), [{}])
      }
    }))

  it.effect("has no list item that is an object, a list or null: the call is refused [R-000-188]", () =>
    refuses(everywhere, [{ a: 1 }, ["a"], null].flatMap((item) => [{ p: 1, q: ["ok", item] }, { p: 1, "x-h": [item, "ok"] }])))
})

describe("what a call gives", () => {
  it.effect("is the JSON of a success that says it is JSON [R-000-173]", () =>
    Effect.gen(function*() {
      for (const type of ["application/json", "Application/JSON; charset=utf-8", "text/json", "application/problem+json"]) {
        for (const value of [{ a: [1, null] }, [], "text", 7, false, null]) {
          assert.deepEqual(yield* source(get("/"), text(` ${JSON.stringify(value)}\n`, 201, type)).call({}), value)
        }
      }
      const bytes = new TextEncoder().encode(JSON.stringify({ a: "é😀" }))
      const { response } = chunked((at) => bytes.subarray(at, at + 1).length === 0 ? undefined : bytes.subarray(at, at + 1), {
        headers: { "content-type": "application/json" }
      })
      assert.deepEqual(yield* source(get("/"), () => response).call({}), { a: "é😀" })
    }))

  it.effect("is the text of any other success [R-000-174]", () =>
    Effect.gen(function*() {
      for (const type of ["text/plain", "text/html; charset=utf-8", "application/xml", "application/jsonlines"]) {
        assert.strictEqual(yield* source(get("/"), text("{\"a\":1}", 200, type)).call({}), "{\"a\":1}")
      }
      assert.strictEqual(yield* source(get("/"), () => new Response(new TextEncoder().encode("é"))).call({}), "é")
    }))

  it.effect("is null for a success without a body [R-000-175]", () =>
    Effect.gen(function*() {
      for (const answer of [text(null, 204), text(null, 205), text(""), text(null), text("", 200, "application/json"), text("\n", 200, "application/json")]) {
        assert.isNull(yield* source(get("/"), answer).call({}))
      }
      assert.isNull(yield* source({ method: "HEAD", path: "/", parameters: [] }, text(null, 200, "application/json")).call({}))
    }))

  it.effect("is AuthenticationError for 401 and 403 [R-000-176]", () =>
    Effect.gen(function*() {
      for (const status of [401, 403]) {
        const failed = yield* reason(source(get("/"), text("INTERNAL", status)).call({}))
        assert.strictEqual(failed._tag, "AuthenticationError")
        assert.notInclude(failed.modelMessage + failed.message, "INTERNAL")
      }
    }))

  it.effect("is UnavailableError for 408, 429 and each 5xx, of whose body the model reads nothing [R-000-177]", () =>
    Effect.gen(function*() {
      for (const status of [408, 429, ...Array.from({ length: 100 }, (_, at) => 500 + at)]) {
        const failed = yield* reason(source(get("/"), text("INTERNAL", status)).call({}))
        assert.deepEqual([failed._tag, failed.isRetryable], ["UnavailableError", true], String(status))
        assert.notInclude(failed.modelMessage + failed.message, "INTERNAL")
      }
    }))

  it.effect("is CallFailedError for any other 4xx, with the API's own words cut to 500 characters [R-000-178]", () =>
    Effect.gen(function*() {
      const others = new Set([401, 403, 408, 429])
      for (const status of Array.from({ length: 100 }, (_, at) => 400 + at).filter((status) => !others.has(status))) {
        const failed = yield* reason(source(get("/"), text("no such thing", status)).call({}))
        assert.deepEqual([failed._tag, failed.modelMessage], ["CallFailedError", "no such thing"], String(status))
      }
      for (
        const [words, read] of [
          ["x".repeat(500), "x".repeat(500)],
          ["x".repeat(501), "x".repeat(500)],
          [`${"x".repeat(499)}😀`, "x".repeat(499)],
          [`${"x".repeat(498)}😀!`, `${"x".repeat(498)}😀`],
          ["", "The API answered with status 422."],
          [" \n", "The API answered with status 422."]
        ] as const
      ) {
        const failed = yield* reason(source(get("/"), text(words, 422, "application/json")).call({}))
        assert.strictEqual(failed.modelMessage, read)
      }
    }))

  it.effect("is UnavailableError past the timeout, 30 seconds by default [R-000-179]", () =>
    Effect.gen(function*() {
      for (const [timeout, before] of [[undefined, 29_999], ["2 seconds", 1_999]] as const) {
        const fiber = yield* Effect.forkChild(reason(source(get("/"), () => Effect.never, { timeout }).call({})))
        yield* TestClock.adjust(before)
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust(1)
        assert.strictEqual((yield* Fiber.join(fiber))._tag, "UnavailableError")
      }
    }))

  it.effect("has the reading of the body counted in its timeout [R-000-179]", () =>
    Effect.gen(function*() {
      const reading = { cancelled: false }
      const body = new ReadableStream({ cancel: () => void (reading.cancelled = true) })
      const answer = () => Effect.as(Effect.sleep("20 seconds"), new Response(body, { headers: { "content-type": "application/json" } }))
      const fiber = yield* Effect.forkChild(reason(source(get("/"), answer).call({})))
      yield* TestClock.adjust("29999 millis")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "UnavailableError")
      assert.isTrue(reading.cancelled)
    }))

  it.effect("is CallFailedError that asks for less when the answer is longer than 200,000 characters or the option [R-000-180]", () =>
    Effect.gen(function*() {
      for (const [length, options, words] of [[200_001, {}, "200,000"], [11, { maxAnswerLength: 10 }, "10"]] as const) {
        for (const type of ["text/plain", "application/json"]) {
          const failed = yield* reason(source(get("/"), text("1".repeat(length), 200, type), options).call({}))
          assert.strictEqual(failed._tag, "CallFailedError")
          assert.include(failed.modelMessage, `longer than ${words} characters`)
          assert.include(failed.modelMessage, "Ask for less")
        }
      }
    }))

  it.effect("is the answer of exactly the limit, counted in UTF-16 units [R-000-181]", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* source(get("/"), text("x".repeat(200_000))).call({}), "x".repeat(200_000))
      assert.strictEqual(yield* source(get("/"), text("éééé😀"), { maxAnswerLength: 6 }).call({}), "éééé😀")
      const failed = yield* reason(source(get("/"), text("éééé😀"), { maxAnswerLength: 5 }).call({}))
      assert.strictEqual(failed._tag, "CallFailedError")
    }))

  it.effect("is known of an over-long answer before its end, which is not read [R-000-182]", () =>
    Effect.gen(function*() {
      for (const status of [200, 400]) {
        const endless = chunked((at) => at < 10_000 ? new Uint8Array(100).fill(0x78) : undefined, { status })
        const failed = yield* reason(source(get("/"), () => endless.response, { maxAnswerLength: 1_000 }).call({}))
        assert.strictEqual(failed._tag, "CallFailedError")
        assert.isBelow(endless.reading.chunks, 20)
        assert.isTrue(endless.reading.cancelled)
      }
    }))

  it.effect("is NotFoundError for a name that is no operation, and nothing is sent [R-000-184]", () =>
    Effect.gen(function*() {
      const { api, sent } = source(get("/"))
      for (const name of ["", "OP", "op ", "__proto__", "constructor", "\ud800"]) {
        assert.strictEqual((yield* reason(api.call(name, {})))._tag, "NotFoundError", name)
      }
      assert.deepEqual(sent, [])
    }))

  it.effect("is InvalidResponseError for a redirect, which the source does not follow [R-000-185]", () =>
    Effect.gen(function*() {
      for (const status of [301, 302, 303, 307, 308]) {
        const { call, sent } = source(get("/"), () => new Response(null, { status, headers: { location: "https://evil.example/" } }))
        const failed = yield* reason(call({}))
        assert.strictEqual(failed._tag, "InvalidResponseError")
        assert.include(failed.message, "redirect")
        assert.deepEqual(sent.map(({ url }) => url), [`${base}/`])
      }
    }))

  it.effect("is the same for a client that takes a status as a failure [R-000-186]", () =>
    Effect.gen(function*() {
      for (const status of [200, 302, 400, 401, 403, 404, 408, 422, 429, 500, 503]) {
        const { client } = scripted(text("{\"own\":\"words\"}", status, "application/json"))
        const [one, other] = yield* Effect.forEach([client, HttpClient.filterStatusOk(client)], (client) =>
          Http.make({ name: "api", baseUrl: base, client, operations: [operation(get("/"))] }).call("op", {}).pipe(
            Effect.match({ onFailure: ({ reason }) => [reason._tag, reason.message], onSuccess: (value) => value })
          ))
        assert.deepEqual(other, one, String(status))
      }
    }))

  it.effect("is InvalidResponseError for a success that says it is JSON and is not [R-000-187]", () =>
    Effect.gen(function*() {
      for (const body of ["<html>", "{\"a\":1", "{} {}", "NaN", "undefined", "[1e400]", `[${"9".repeat(400)}]`]) {
        const failed = yield* reason(source(get("/"), text(body, 200, "application/json")).call({}))
        assert.strictEqual(failed._tag, "InvalidResponseError")
        assert.notInclude(failed.modelMessage, body)
      }
    }))

  it.effect("is UnavailableError for a client that reaches nothing, and UnknownError for one that cannot send", () =>
    Effect.gen(function*() {
      const { EncodeError, InvalidUrlError, TransportError } = HttpClientError
      for (const [Reason, tag] of [[TransportError, "UnavailableError"], [EncodeError, "UnknownError"], [InvalidUrlError, "UnknownError"]] as const) {
        const answer = (_: Sent, request: HttpClientRequest.HttpClientRequest) =>
          Effect.fail(new HttpClientError.HttpClientError({ reason: new Reason({ request }) }))
        assert.strictEqual((yield* reason(source(get("/"), answer).call({})))._tag, tag)
      }
    }))

  it.effect("ends with an interruption and not with a failure when it is interrupted", () =>
    Effect.gen(function*() {
      const { call, sent } = source(get("/"), () => Effect.never)
      const fiber = yield* Effect.forkChild(call({}), { startImmediately: true })
      assert.strictEqual(sent.length, 1)
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
    }))
})

describe("Http.make", () => {
  it.effect("lists the operations' definitions and sends nothing for it [R-000-162]", () =>
    Effect.gen(function*() {
      const { client, sent } = scripted()
      const operations = [operation(get("/a"), "a"), operation(everywhere, "b")]
      const api = Http.make({ name: "api", baseUrl: base, client, operations })
      assert.deepEqual(yield* api.discover, operations.map(({ definition }) => definition))
      assert.deepEqual(yield* api.discover, yield* api.discover)
      assert.deepEqual(sent, [])
    }))

  it.effect("gives a source that can be used at once and can also be yielded", () =>
    Effect.gen(function*() {
      const { api } = source(get("/"), text("here"))
      const yielded = yield* api
      assert.strictEqual(api.name, "api")
      assert.strictEqual(yielded.name, "api")
      assert.strictEqual(yield* yielded.call("op", {}), "here")
      assert.deepEqual(yield* api.discover, yield* yielded.discover)
      const { call, discover } = api
      assert.strictEqual((yield* discover).length, 1)
      assert.strictEqual(yield* call("op", {}), "here")
    }))

  it("throws a defect for a base URL that is none, and does not repeat its credentials", () => {
    const { client } = scripted()
    for (const baseUrl of ["", "/v1", "api.example.com", "https://", "ftp://example.com", "file:///a", "https://user@example.com", "https://user:hunter2@example.com"]) {
      const make = () => Http.make({ name: "api", baseUrl, client, operations: [] })
      assert.throws(make, Cause.IllegalArgumentError, /baseUrl/)
      assert.throws(make, /^(?!.*hunter2)/)
    }
  })

  it("throws a defect that names the operation and the key for a template that cannot be sent", () => {
    const { client } = scripted()
    const faults: ReadonlyArray<readonly [Http.RequestTemplate, string]> = [
      [get("/a", place("header", "Authorization")), "parameters[0].name"],
      [get("/a", place("query", "q"), place("header", "Cookie")), "parameters[1].name"],
      [get("/a", place("header", "x\r\ny")), "parameters[0].name"],
      [get("/a/../b"), "path"],
      [get("/a/{id}"), "path"],
      [get("/a", place("path", "id")), "parameters[0].name"],
      [get("/a", { ...place("query", "q"), style: "matrix" }), "parameters[0].style"],
      [get("/a", { ...place("header", "q"), allowReserved: true }), "parameters[0].allowReserved"],
      [get("/a", { ...place("query", "q"), mediaType: "text/plain" }), "parameters[0].mediaType"],
      [{ ...get("/a"), method: "TRACE" }, "method"],
      [{ ...get("/a"), body: "body" }, "body"],
      [{ ...get("/a"), method: "POST", body: "body", mediaType: "multipart/mixed" }, "mediaType"],
      [{ ...get("/a"), method: "POST", body: "body", mediaType: "text/plain", fields: [] }, "fields"],
      [{ ...get("/a"), method: "POST", body: "body", contentEncoding: "base64" }, "contentEncoding"],
      [{ ...get("/a"), more: 1 } as Http.RequestTemplate, "request"]
    ]
    for (const [request, key] of faults) {
      const operations = [operation(get("/fine"), "fine"), operation(request, "wrong")]
      const make = () => Http.make({ name: "api", baseUrl: base, client, operations })
      assert.throws(make, Cause.IllegalArgumentError, `operation "wrong", ${key}: `)
    }
    const twice = () => Http.make({ name: "api", baseUrl: base, client, operations: [operation(get("/")), operation(get("/b"))] })
    assert.throws(twice, Cause.IllegalArgumentError, "\"op\"")
    for (const maxAnswerLength of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.throws(() => Http.make({ name: "api", baseUrl: base, client, operations: [], maxAnswerLength }), Cause.IllegalArgumentError, "maxAnswerLength")
    }
  })
})
