import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Logger, Schema, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import * as fc from "fast-check"
import { Http, OpenApi, ToolSource, ToolSourceError } from "../ts/index.ts"
import { loopback, scripted } from "./support/http.ts"

const operation = (name: string, request: Http.RequestTemplate): Http.Operation => ({
  definition: { name, description: "An operation.", inputSchema: { type: "object" }, annotations: {} },
  request
})

const place = (at: Http.Place["in"], name: string): Http.Place => ({ property: name, in: at, name })

const read = operation("read", { method: "GET", path: "/things/{id}", parameters: [place("path", "id"), place("query", "q"), place("header", "X-Trace")] })
const write = operation("write", { method: "POST", path: "/things", parameters: [], body: "body" })
const look = operation("look", { method: "HEAD", path: "/things", parameters: [] })
const remove = operation("remove", { method: "DELETE", path: "/things", parameters: [place("query", "id")] })
const operations = [read, write, look, remove]

const token = "the-hosts-own-token"

const fetchClient = Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer)
const withToken = (client: HttpClient.HttpClient) => HttpClient.mapRequest(client, HttpClientRequest.bearerToken(token))

const sourceOf = (baseUrl: string, options?: Partial<Http.Options>) =>
  Effect.map(fetchClient, (client) => Http.make({ name: "api", baseUrl, client: withToken(client), operations, ...options }))

const reason = (call: Effect.Effect<unknown, ToolSourceError.ToolSourceError>) => Effect.map(Effect.flip(call), ({ reason }) => reason)

/** The headers of a request that say what the source or the client wanted, and not how `fetch` sends. */
const own = (headers: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) =>
    ["authorization", "content-type", "content-length", "x-trace", "x-tenant", "cookie"].includes(name)
  ))

describe("over the wire", () => {
  it.live("a request arrives with the method, path, query, headers and body that were meant", () =>
    Effect.gen(function*() {
      const server = yield* loopback(({ method, url }, response) =>
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ method, url })))
      const api = yield* sourceOf(`${server.url}/v1/`)
      const answer = yield* api.call("read", { id: "a/b é", q: ["x&y", 1], "X-Trace": ["é", "b"] })
      assert.deepEqual(answer, { method: "GET", url: "/v1/things/a%2Fb%20%C3%A9?q=x%26y&q=1" })
      yield* api.call("write", { body: { a: "é" } })
      assert.isNull(yield* api.call("look", {}))
      assert.deepEqual(server.received.map(({ body, headers, method }) => [method, own(headers), body]), [
        // Node.js gives a header's bytes as Latin-1.
        ["GET", { authorization: `Bearer ${token}`, "x-trace": "é,b" }, ""],
        ["POST", { authorization: `Bearer ${token}`, "content-type": "application/json", "content-length": "10" }, "{\"a\":\"é\"}"],
        ["HEAD", { authorization: `Bearer ${token}` }, ""]
      ])
    }))

  it.live("an operation of a document goes through Http.make and the toolkit to the request that was meant [R-000-217]", () =>
    Effect.gen(function*() {
      const server = yield* loopback((_, response) => response.writeHead(200, { "content-type": "application/json" }).end("{\"ok\":true}"))
      const { operations } = OpenApi.readOperations({
        openapi: "3.1.0",
        paths: {
          "/pets/{pet.id}": {
            parameters: [{ name: "pet.id", in: "path", required: true, schema: { type: "integer" } }],
            get: { operationId: "getPet", parameters: [{ name: "fields[]", in: "query", schema: { type: "array", items: { type: "string" } } }, { name: "X-Trace", in: "header" }] },
            put: { operationId: "putPet", requestBody: { required: true, content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } } } }
          }
        },
        components: { schemas: { Pet: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } } }
      })
      const source = yield* sourceOf(`${server.url}/v1`, { operations })
      const toolkit = yield* ToolSource.toolkit(source, yield* source.discover)
      const call = (name: string, input: unknown) => Stream.runCollect(Stream.unwrap(toolkit.handle(name, input as never)))
      const [answer] = yield* call("getPet", { pet_id: 7, fields__: ["a", "b c"], "X-Trace": "t" })
      assert.deepEqual([answer?.isFailure, answer?.result], [false, { ok: true }])
      yield* call("putPet", { pet_id: 7, body: { name: "é" } })
      const [refused] = yield* call("putPet", { pet_id: 7, body: {} })
      assert.isTrue(refused?.isFailure)
      assert.deepEqual(server.received.map(({ body, headers, method, url }) => [method, url, headers["x-trace"], headers["content-type"], body]), [
        ["GET", "/v1/pets/7?fields%5B%5D=a&fields%5B%5D=b%20c", "t", undefined, ""],
        ["PUT", "/v1/pets/7", undefined, "application/json", "{\"name\":\"é\"}"]
      ])
    }))

  it.live("a bearer token of the client is on every request that a source sends over HTTP [R-000-007]", () =>
    Effect.gen(function*() {
      const statuses = [200, 204, 400, 401, 403, 404, 429, 500, 503]
      let at = 0
      const server = yield* loopback((_, response) => response.writeHead(statuses[at++ % statuses.length]!).end())
      const api = yield* sourceOf(server.url)
      yield* api.discover
      assert.strictEqual(server.received.length, 0)
      const calls = [["read", { id: 1, authorization: "Bearer model", Authorization: "model" }], ["write", { body: {} }], ["look", {}], ["remove", { id: 1 }]] as const
      for (const [name, input] of calls) {
        for (let count = 0; count < statuses.length; count++) yield* Effect.exit(api.call(name, input))
      }
      assert.deepEqual(
        server.received.map(({ headers }) => headers.authorization),
        Array.from({ length: statuses.length * calls.length }, () => `Bearer ${token}`)
      )
    }))

  it.live("a header that mapRequest sets wins over the model's of the same name [R-000-172]", () =>
    Effect.gen(function*() {
      const server = yield* loopback((_, response) => response.end())
      const client = HttpClient.mapRequest(yield* fetchClient, HttpClientRequest.setHeader("x-trace", "client"))
      const api = yield* sourceOf(server.url, { client })
      yield* api.call("read", { id: 1, "X-Trace": "model" })
      assert.deepEqual(server.received.map(({ headers }) => own(headers)), [{ "x-trace": "client" }])
    }))

  it.live("a User-Agent is the one that fetch or the client sets [R-000-183]", () =>
    Effect.gen(function*() {
      const server = yield* loopback((_, response) => response.end())
      const plain = yield* fetchClient
      const named = HttpClient.mapRequest(plain, HttpClientRequest.setHeader("user-agent", "the-host/1"))
      for (const client of [plain, named]) yield* (yield* sourceOf(server.url, { client })).call("look", {})
      yield* Effect.promise(() => fetch(server.url))
      const [bySource, byClient, byFetch] = server.received.map(({ headers }) => headers["user-agent"])
      assert.strictEqual(bySource, byFetch)
      assert.strictEqual(byClient, "the-host/1")
    }))

  it.live("an over-long answer is not read to its end, and its connection is closed [R-000-182]", () =>
    Effect.gen(function*() {
      let left = 4_096
      const server = yield* loopback((_, response) => {
        response.writeHead(200, { "content-type": "text/plain" })
        const write = () => {
          if (left-- === 0) response.end()
          else response.write("x".repeat(16_384), (error) => error ?? setImmediate(write))
        }
        write()
      })
      const api = yield* sourceOf(server.url)
      const failed = yield* reason(api.call("read", { id: 1 }))
      assert.strictEqual(failed._tag, "CallFailedError")
      yield* server.closed(0)
      assert.isAbove(left, 0)
    }))

  it.live("an answer whose body nobody reads has its connection closed", () =>
    Effect.gen(function*() {
      const statuses = [401, 429, 500]
      const server = yield* loopback(({ url }, response) => {
        // Never over: the rest of the body is owed.
        response.writeHead(Number(url.split("/").at(-1)), { "content-type": "text/plain", "content-length": "1000000" }).write("x")
      })
      const api = yield* sourceOf(server.url)
      for (const [at, id] of statuses.entries()) {
        yield* reason(api.call("read", { id }))
        yield* server.closed(at)
      }
    }))

  it.live("an answer that breaks off is UnavailableError, and so is a server that is not there", () =>
    Effect.gen(function*() {
      const server = yield* loopback(({ url }, response) => {
        if (url.includes("head")) return response.destroy()
        response.writeHead(200, { "content-type": "application/json", "content-length": "100" })
        response.write("{\"a\":", () => response.destroy())
      })
      const api = yield* sourceOf(server.url)
      for (const id of ["head", "body"]) assert.strictEqual((yield* reason(api.call("read", { id })))._tag, "UnavailableError")
      const gone = yield* Effect.scoped(Effect.map(loopback(() => undefined), ({ url }) => url))
      const failed = yield* reason((yield* sourceOf(gone)).call("read", { id: 1 }))
      assert.strictEqual(failed._tag, "UnavailableError")
      assert.notInclude(failed.modelMessage, new URL(gone).host)
    }))

  it.live("an interrupted call closes its connection, before the answer and in the middle of it", () =>
    Effect.gen(function*() {
      const server = yield* loopback(({ url }, response) => {
        if (url.includes("body")) response.writeHead(200, { "content-type": "text/plain" }).write("x")
      })
      const api = yield* sourceOf(server.url)
      for (const [at, id] of ["head", "body"].entries()) {
        const fiber = yield* Effect.forkChild(api.call("read", { id }))
        yield* server.arrived(at + 1)
        yield* Fiber.interrupt(fiber)
        const exit = yield* Fiber.await(fiber)
        assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
        yield* server.closed(at)
      }
    }))

  it.live("a call past its timeout closes its connection [R-000-179]", () =>
    Effect.gen(function*() {
      const server = yield* loopback((_, response) => void response.writeHead(200, { "content-type": "text/plain" }).write("x"))
      const api = yield* sourceOf(server.url, { timeout: "1 second" })
      assert.strictEqual((yield* reason(api.call("read", { id: 1 })))._tag, "UnavailableError")
      yield* server.closed(0)
    }))

  it.live("a redirect is the client's: followed without credentials for another host, or seen by the source [R-000-185]", () =>
    Effect.gen(function*() {
      const other = yield* loopback((_, response) => response.end("other"))
      const server = yield* loopback((_, response) => response.writeHead(307, { location: `${other.url}/elsewhere` }).end())
      const api = yield* sourceOf(server.url)
      assert.strictEqual(yield* api.call("read", { id: 1 }), "other")
      assert.deepEqual(other.received.map(({ headers, url }) => [url, headers.authorization]), [["/elsewhere", undefined]])

      const seen = yield* Effect.provideService(reason(api.call("read", { id: 1 })), FetchHttpClient.RequestInit, { redirect: "manual" })
      assert.strictEqual(seen._tag, "InvalidResponseError")
      assert.strictEqual(other.received.length, 1)
      assert.strictEqual(server.received.length, 2)
    }))

  it.live("a client that takes a status as a failure has the same reasons [R-000-186]", () =>
    Effect.gen(function*() {
      const server = yield* loopback(({ url }, response) => response.writeHead(Number(url.split("/").at(-1)), { "content-type": "text/plain" }).end("own words"))
      const client = yield* fetchClient
      const outcomes = yield* Effect.forEach([client, HttpClient.filterStatusOk(client)], (client) =>
        Effect.gen(function*() {
          const api = yield* sourceOf(server.url, { client })
          return yield* Effect.forEach([200, 401, 404, 422, 429, 500], (id) =>
            Effect.match(api.call("read", { id }), { onFailure: ({ reason }) => [reason._tag, reason.message], onSuccess: (value) => value }))
        }))
      assert.deepEqual(outcomes[1], outcomes[0])
      assert.deepEqual(outcomes[0]![2], ["CallFailedError", "own words"])
    }))
})

describe("what a model gives", () => {
  const base = new URL("https://api.example.com/v1")
  const value = fc.oneof(
    fc.constantFrom<unknown>("", ".", "..", "%2e%2e", "//evil.example/x", "https://evil.example/", "@evil.example", "\\\\evil.example", "?x", "#x", "\r\nhost: evil.example", "{id}", ":443"),
    fc.string({ unit: "binary" }),
    fc.jsonValue()
  )
  const keys = ["id", "q", "X-Trace", "body", "host", "authorization", "Authorization", "cookie", "method", "url", "path", "baseUrl", "content-type", "__proto__", "x-tenant"]
  const input = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...keys), fc.string()), value), { maxLength: 8 }).map((entries) =>
    // As `JSON.parse` makes it: `__proto__` is a key like any other.
    JSON.parse(JSON.stringify(Object.fromEntries(entries))) as Schema.JsonObject
  )
  const name = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...operations.map(({ definition }) => definition.name)) }, { weight: 1, arbitrary: fc.string() })

  it("changes no host, method, credential or header that the template does not name [R-000-008]", async () => {
    const succeeded = new Set<string>()
    await fc.assert(fc.asyncProperty(name, input, fc.string({ unit: "binary", minLength: 1 }), async (name, input, id) => {
      const { client, sent } = scripted()
      const api = Http.make({ name: "api", baseUrl: base, client: withToken(client), operations })
      const exit = await Effect.runPromiseExit(api.call(name, name === "read" && !("id" in input) ? { ...input, id } : input))
      const { request } = operations.find(({ definition }) => definition.name === name) ?? {}
      if (Exit.isFailure(exit)) {
        const failed = Cause.squash(exit.cause)
        assert.isTrue(ToolSourceError.isToolSourceError(failed))
        assert.deepEqual(sent, [])
        return
      }
      succeeded.add(name)
      assert.strictEqual(sent.length, 1)
      const { headers, method, url } = sent[0]!
      const { hash, host, password, pathname, protocol, searchParams, username } = new URL(url)
      assert.deepEqual([protocol, host, username, password, hash, method], ["https:", "api.example.com", "", "", "", request!.method])
      const [, v1, things, ...more] = pathname.split("/")
      assert.deepEqual([v1, things, more.length], ["v1", "things", name === "read" ? 1 : 0])
      const named = new Set(request!.parameters.filter((place) => place.in === "query").map(({ name }) => name))
      assert.isTrue([...searchParams.keys()].every((key) => named.has(key)))
      assert.strictEqual(headers["authorization"], `Bearer ${token}`)
      const allowed = new Set(["authorization", ...name === "read" ? ["x-trace"] : [], ...name === "write" && "body" in input ? ["content-type", "content-length"] : []])
      assert.deepEqual(Object.keys(headers).filter((name) => !allowed.has(name)), [])
    }), { numRuns: 500 })
    assert.sameMembers([...succeeded], operations.map(({ definition }) => definition.name))
  })
})

describe("the client's credential", () => {
  const secrets = ["secret-of-the-bearer", "secret-of-a-header", "secret-of-the-query"] as const
  const withSecrets = (client: HttpClient.HttpClient) =>
    HttpClient.mapRequest(client, (request) =>
      request.pipe(
        HttpClientRequest.bearerToken(secrets[0]),
        HttpClientRequest.setHeader("x-key", secrets[1]),
        HttpClientRequest.setUrlParam("key", secrets[2])
      ))

  /** Says all that it was sent, bare. */
  const echoing = scripted(({ headers, url }) =>
    new Response(`no: ${headers["authorization"]!.slice(7)}, ${headers["x-key"]} and ${new URL(url).searchParams.get("key")} at ${url}`, { status: 422, headers: { "content-type": "text/plain" } }))

  it.effect("is left out of an API's words, and what the call itself has sent is not [R-000-009]", () =>
    Effect.gen(function*() {
      const api = Http.make({ name: "api", baseUrl: "https://api.example.com/v1/base_1234", client: withSecrets(echoing.client), operations })
      const { reason } = yield* Effect.flip(api.call("read", { id: "thing_4711" }))
      assert.strictEqual(reason._tag, "CallFailedError")
      assert.strictEqual(reason.modelMessage, "no: [withheld], [withheld] and [withheld] at https://api.example.com/v1/base_1234/things/thing_4711?key=[withheld]")
    }))

  it.effect("is left out where an API's words are cut in its middle [R-000-009]", () =>
    Effect.gen(function*() {
      for (let at = 485; at <= 500; at++) {
        const { client } = scripted(() => {
          const words = new TextEncoder().encode("x".repeat(at) + secrets[0])
          const body = new ReadableStream<Uint8Array>({
            start(controller) {
              controller.enqueue(words.subarray(0, 501))
              controller.enqueue(words.subarray(501))
              controller.close()
            }
          })
          return new Response(body, { status: 400, headers: { "content-type": "text/plain" } })
        })
        const api = Http.make({ name: "api", baseUrl: "https://api.example.com/v1", client: withSecrets(client), operations })
        const { reason } = yield* Effect.flip(api.call("read", { id: 1 }))
        // What is less than four characters of it says nothing.
        assert.notInclude(reason.modelMessage, secrets[0].slice(0, 4))
        assert.include(reason.modelMessage, "x".repeat(at))
      }
    }))

  it.effect("is left out where reading stops within a character of it [R-000-009]", () =>
    Effect.gen(function*() {
      const secret = "the-sécret-of-the-bearer"
      const { client } = scripted(() => {
        const words = new TextEncoder().encode("x".repeat(480) + secret.repeat(2))
        const within = words.indexOf(0xc3, 500) + 1
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            controller.enqueue(words.subarray(0, within))
            controller.enqueue(words.subarray(within))
            controller.close()
          }
        })
        return new Response(body, { status: 400, headers: { "content-type": "text/plain" } })
      })
      const authenticated = HttpClient.mapRequest(client, HttpClientRequest.setHeader("x-key", secret))
      const api = Http.make({ name: "api", baseUrl: "https://api.example.com/v1", client: authenticated, operations })
      const { reason } = yield* Effect.flip(api.call("read", { id: 1 }))
      assert.strictEqual(reason.modelMessage, `${"x".repeat(480)}[withheld][withheld]`)
    }))

  /** Calls that end in each way a call can, over clients that hold the secrets. */
  const calls = Effect.gen(function*() {
    const statuses = [200, 302, 401, 404, 429, 500]
    const server = yield* loopback(({ url }, response) => {
      const status = Number(/\/things\/(\d+)/.exec(url)?.[1])
      if (!statuses.includes(status)) return response.destroy()
      response.writeHead(status, { "content-type": "application/json" }).end(status === 404 ? "own words" : "no JSON")
    })
    const fetching = yield* fetchClient
    const { EncodeError, TransportError } = HttpClientError
    const broken = scripted((_, request) => Effect.fail(new HttpClientError.HttpClientError({ reason: new EncodeError({ request }) })))
    const away = scripted((_, request) => Effect.fail(new HttpClientError.HttpClientError({ reason: new TransportError({ request }) })))
    const sourceOver = (client: HttpClient.HttpClient) =>
      Http.make({ name: "api", baseUrl: server.url, client: withSecrets(client), operations })
    return [
      ...[...statuses, 0].map((id) => ({ source: sourceOver(fetching), input: { id } as Schema.JsonObject })),
      { source: sourceOver(HttpClient.filterStatusOk(fetching)), input: { id: 500 } },
      { source: sourceOver(broken.client), input: { id: 1 } },
      { source: sourceOver(away.client), input: { id: 1 } },
      { source: sourceOver(echoing.client), input: { id: 1 } },
      { source: sourceOver(fetching), input: { id: "" } }
    ]
  })

  const holdsNone = (text: string) => {
    for (const secret of secrets) assert.notInclude(text, secret)
  }

  it.live("is in no error as it is shown, stored or logged, in no result and in no log line [R-000-009]", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const logger = Logger.make((options) => void lines.push(inspect(options, { depth: 20 }), Logger.formatLogFmt.log(options)))
      const codec = Schema.toCodecJson(ToolSourceError.ToolSourceError)
      const tags: Array<string> = []
      yield* Effect.gen(function*() {
        for (const { input, source } of yield* calls) {
          holdsNone(inspect(source, { depth: 20, showHidden: true }) + JSON.stringify(source))
          const cause = yield* Effect.flip(Effect.sandbox(source.call("read", input)))
          const error = Cause.squash(cause) as ToolSourceError.ToolSourceError
          tags.push(error.reason._tag)
          holdsNone(`${error} ${error.stack} ${error.reason.modelMessage}`)
          holdsNone(JSON.stringify(error) + inspect(error, { depth: 20, showHidden: true }) + Cause.pretty(cause))
          holdsNone(JSON.stringify(yield* Effect.orDie(Schema.encodeEffect(codec)(error))))
          yield* Effect.logError("the host logs it", cause)
          const toolkit = yield* ToolSource.toolkit(source, [read.definition])
          holdsNone(JSON.stringify(yield* Stream.runCollect(Stream.unwrap(toolkit.handle("read", input as never)))))
        }
      }).pipe(Effect.provide(Logger.layer([logger])))
      assert.sameMembers([...new Set(tags)], ["InvalidResponseError", "AuthenticationError", "CallFailedError", "UnavailableError", "UnknownError", "InvalidInputError"])
      assert.isAbove(lines.length, tags.length)
      holdsNone(lines.join("\n"))
    }))

  it.live("is nowhere in what an error holds, however deep [R-000-009]", () =>
    Effect.gen(function*() {
      for (const { input, source } of yield* calls) {
        const error = yield* Effect.flip(source.call("read", input))
        const seen = new Set<unknown>()
        const open: Array<readonly [unknown, string]> = [[error, "error"]]
        for (let next = open.pop(); next !== undefined; next = open.pop()) {
          const [value, at] = next
          if (typeof value === "string") for (const secret of secrets) assert.notInclude(value, secret, at)
          if (typeof value !== "object" || value === null || seen.has(value)) continue
          seen.add(value)
          for (const key of Reflect.ownKeys(value)) {
            const { value: held } = Object.getOwnPropertyDescriptor(value, key) ?? {}
            open.push([held, `${at}.${String(key)}`])
          }
        }
        assert.isAbove(seen.size, 1)
      }
    }))
})
