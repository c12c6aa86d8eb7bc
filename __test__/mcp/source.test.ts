import { assert, describe, it } from "@effect/vitest"
import { type Duration, Effect, Exit, Fiber } from "effect"
import { McpSchema } from "effect/ai"
import { HttpClient, HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { Mcp, type ToolSourceError } from "../../ts/index.ts"
import { diagnostics } from "../support/language-model.ts"
import {
  blocks,
  dual,
  effectServer,
  type Exchange,
  failure,
  giving,
  type Handler,
  markedSchema,
  recorded,
  registration,
  sdkServer,
  sessions,
  stateless
} from "../support/mcp-servers.ts"

const url = "https://mcp.example.com/mcp"
const newest = sessions["2025-11-25"]

type Answering = (exchange: Exchange, handler: Handler) => Promise<Response> | Response

/** A source over a server in the process, and all that it sends. */
const sourceOf = (
  { handler }: { readonly handler: Handler },
  { answer, client: change = (client) => client, ...options }: {
    readonly answer?: Answering
    readonly client?: (client: HttpClient.HttpClient) => HttpClient.HttpClient
    readonly timeout?: Duration.Input
  } = {}
) =>
  Effect.gen(function*() {
    const peer = yield* recorded(handler, answer)
    const source = yield* Mcp.http({ name: "tasks", url, client: change(peer.client), ...options })
    return { ...peer, source }
  })

/** The reason of what fails. */
const reason = (effect: Effect.Effect<unknown, ToolSourceError.ToolSourceError>) => Effect.map(Effect.flip(effect), ({ reason }) => reason)

const tag = (effect: Effect.Effect<unknown, ToolSourceError.ToolSourceError>) => Effect.map(reason(effect), ({ _tag }) => _tag)

const empty = (status: number) => new Response(null, { status })

const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } })

const error = ({ message }: Exchange, code: number, status = 200) => json({ jsonrpc: "2.0", id: message.id, error: { code, message: "no" } }, status)

const unreachable: Answering = () => Promise.reject(new TypeError("fetch failed"))

/** Answers one method in the server's place. */
const instead = (method: string, answer: (exchange: Exchange) => Response): Answering => (exchange, handler) =>
  exchange.message.method === method ? answer(exchange) : handler(exchange.request)

/** Answers a method with what the server answers, changed. */
const changed = (method: string, change: (result: any) => unknown): Answering => async (exchange, handler) => {
  const response = await handler(exchange.request)
  if (exchange.message.method !== method) return response
  const message = await response.json() as { readonly result: unknown }
  return new Response(JSON.stringify({ ...message, result: change(message.result) }), { status: response.status, headers: response.headers })
}

const sessionOf = ({ headers }: Exchange) => headers["mcp-session-id"]

/** The session that a server began. */
const begun = (sent: ReadonlyArray<Exchange>) =>
  sent.flatMap(({ answer, message }) => message.method === "initialize" ? [answer?.headers.get("mcp-session-id")] : [])

const calls = (sent: ReadonlyArray<Exchange>) => sent.filter(({ message }) => message.method === "tools/call")

/** The headers of a call that mirror its parameters. */
const mirrored = ({ headers }: Exchange) => Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("mcp-param-")))

const opening = ["server/discover", "initialize", "notifications/initialized"]

/** What a tool's answer is, in a version. Those before 2025-06-18 have no structured content. */
const answered = (version: string, value: unknown): unknown =>
  version < "2025-06-18" ? [{ type: "text", text: JSON.stringify(value) }] : value

const kinds = [
  { speaks: "2026-07-28", protocols: stateless, opening: ["server/discover"] },
  ...Object.entries(sessions).map(([speaks, protocols]) => ({ speaks, protocols, opening })),
  { speaks: "2026-07-28 and every version with sessions", protocols: dual, opening: ["server/discover"] }
]

/** Each way to need a server. */
const needs: ReadonlyArray<(source: Effect.Success<ReturnType<typeof Mcp.http>>) => Effect.Effect<unknown, ToolSourceError.ToolSourceError>> = [
  (source) => source.discover,
  (source) => source.call("echo", { text: "x" })
]

describe("the source of an MCP server", () => {
  it.effect("sends nothing before something is asked of it [R-000-090]", () =>
    Effect.gen(function*() {
      const { client, sent, source } = yield* sourceOf(yield* effectServer(dual))
      assert.isTrue(Effect.isEffect(source.discover))
      assert.isTrue(Effect.isEffect(source.call("echo", { text: "x" })))
      yield* Mcp.http({ name: "tasks", url: new URL(url), client })
      assert.strictEqual(source.name, "tasks")
      assert.deepEqual(sent, [])
      yield* source.discover
      assert.isAbove(sent.length, 0)
    }))

  for (const { opening, protocols, speaks } of kinds) {
    it.effect(`lists the tools with tools/list and runs them with tools/call, over a server that speaks ${speaks} [R-000-091]`, () =>
      Effect.gen(function*() {
        const { methods, sent, source } = yield* sourceOf(yield* effectServer(protocols))
        const definitions = yield* source.discover
        assert.deepEqual(definitions.map(({ name }) => name), ["echo", "failing", "blocking", "large", "route", "draw"])
        for (const input of [{ text: "héllo \"日本\" 😀" }, { text: "" }]) {
          assert.deepEqual(yield* source.call("echo", input), answered(speaks, input))
        }
        assert.deepEqual(methods(), [...opening, "tools/list", "tools/call", "tools/call"])
        for (const { headers, message, method, request } of sent) {
          assert.deepEqual([method, request.url], ["POST", url])
          assert.strictEqual(headers["content-type"], "application/json")
          assert.sameMembers(headers["accept"]!.split(/, */), ["application/json", "text/event-stream"])
          assert.strictEqual("id" in message, !message.method!.startsWith("notifications/"))
        }
        // The ids of requests are all different.
        const ids = sent.flatMap(({ message }) => "id" in message ? [message.id] : [])
        assert.strictEqual(new Set(ids).size, ids.length)
        const asked = sent.at(-2)!.message.params!
        assert.deepEqual([asked["name"], asked["arguments"]], ["echo", { text: "héllo \"日本\" 😀" }])
      }))
  }

  it.effect("is told of the tools what the server says of them, and no output schema [R-000-028] [R-000-114]", () =>
    Effect.gen(function*() {
      for (const protocols of [stateless, newest]) {
        const { sent, source } = yield* sourceOf(yield* effectServer(protocols))
        const [echo, failing] = yield* source.discover
        assert.deepEqual(echo, {
          name: "echo",
          description: "Answers with the text it is given.",
          inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: true },
          annotations: { title: "Echo", readOnly: true, destructive: false, idempotent: true, openWorld: false }
        })
        assert.deepEqual(failing?.annotations, { readOnly: false, destructive: true, idempotent: false, openWorld: true })
        assert.include(sent.at(-1)!.answer!.text(), "\"outputSchema\"")
      }
      const { source } = yield* sourceOf(yield* sdkServer())
      const [echo, failing] = yield* source.discover
      assert.deepEqual(echo?.annotations, { title: "Echo", readOnly: true })
      assert.deepEqual(failing?.annotations, {})
    }))

  it.effect("sends the client's bearer token with every request [R-000-007]", () =>
    Effect.gen(function*() {
      const authorized = HttpClient.mapRequest(HttpClientRequest.bearerToken("the-hosts-own-token"))
      const over = Effect.fnUntraced(function*(protocols: typeof dual | typeof newest) {
        const server = yield* effectServer(protocols)
        const { first, methods, sent, source } = yield* sourceOf(server, { client: authorized })
        // A call that is refused, listed for, and repeated; one whose session is over; and one that is given up.
        yield* source.call("route", { region: "eu" })
        yield* source.discover
        for (const session of begun(sent)) yield* end(server, session!)
        yield* source.call("echo", { text: "x" })
        const fiber = yield* Effect.forkChild(source.call("blocking", {}))
        yield* server.blocked
        yield* Fiber.interrupt(fiber)
        if (protocols === newest) yield* first("notifications/cancelled")
        for (const { headers } of sent) assert.strictEqual(headers["authorization"], "Bearer the-hosts-own-token")
        return methods()
      })
      assert.includeMembers([...yield* over(dual)], ["server/discover", "tools/list", "tools/call"])
      assert.includeMembers([...yield* over(newest)], [...opening, "tools/list", "tools/call"])
    }))
})

describe("how a server is spoken to", () => {
  it.effect("is asked first, with server/discover of 2026-07-28, whatever the server is needed for [R-000-093]", () =>
    Effect.gen(function*() {
      for (const protocols of [stateless, newest, dual]) {
        for (const need of needs) {
          const { sent, source } = yield* sourceOf(yield* effectServer(protocols))
          yield* need(source)
          const { headers, message } = sent[0]!
          assert.strictEqual(message.method, "server/discover")
          assert.deepEqual([headers["mcp-protocol-version"], headers["mcp-method"]], ["2026-07-28", "server/discover"])
          const meta = message.params!["_meta"] as Record<string, unknown>
          assert.strictEqual(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28")
          assert.deepEqual(meta["io.modelcontextprotocol/clientCapabilities"], {})
        }
      }
    }))

  it.effect("is asked once for all that follows, also when calls start together, and each gets its own answer [R-000-094] [R-000-124]", () =>
    Effect.gen(function*() {
      for (const { opening, protocols, speaks } of kinds) {
        const { methods, source } = yield* sourceOf(yield* effectServer(protocols))
        const texts = Array.from({ length: 16 }, (_, at) => `text ${at}`)
        const answers = yield* Effect.forEach(texts, (text) => source.call("echo", { text }), { concurrency: "unbounded" })
        assert.deepEqual(answers, texts.map((text) => answered(speaks, { text })))
        yield* source.discover
        yield* source.call("echo", { text: "again" })
        assert.deepEqual(methods(), [...opening, ...texts.map(() => "tools/call"), "tools/list", "tools/call"])
      }
    }))

  it.effect("is without a session when the server answers that [R-000-095]", () =>
    Effect.gen(function*() {
      for (const server of [yield* effectServer(stateless), yield* effectServer(dual), yield* sdkServer(), yield* sdkServer({ legacy: "reject" })]) {
        const { methods, sent, source } = yield* sourceOf(server)
        yield* source.call("echo", { text: "x" })
        yield* source.discover
        yield* source.call("echo", { text: "x" })
        assert.deepEqual(methods(), ["server/discover", "tools/call", "tools/list", "tools/call"])
        for (const { headers, message } of sent) {
          assert.notProperty(headers, "mcp-session-id")
          assert.deepEqual([headers["mcp-protocol-version"], headers["mcp-method"]], ["2026-07-28", message.method])
          const meta = message.params!["_meta"] as Record<string, unknown>
          assert.strictEqual(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28")
        }
      }
    }))

  const refusals: ReadonlyArray<readonly [string, (exchange: Exchange) => Response]> = [
    ["404", () => empty(404)],
    ["405", () => empty(405)],
    ["400 in HTML", () => new Response("<p>Bad Request</p>", { status: 400, headers: { "content-type": "text/html" } })],
    ["-32601", (exchange) => error(exchange, -32_601)],
    ["-32601 at 404", (exchange) => error(exchange, -32_601, 404)],
    ["-32600 at 400", (exchange) => error(exchange, -32_600, 400)],
    ["-32000 at 400", (exchange) => error(exchange, -32_000, 400)]
  ]
  for (const [refusal, answer] of refusals) {
    it.effect(`is with a session when the server answers ${refusal} to that [R-000-096]`, () =>
      Effect.gen(function*() {
        const { methods, source } = yield* sourceOf(yield* effectServer(newest), { answer: instead("server/discover", answer) })
        assert.deepEqual(yield* source.call("echo", { text: "x" }), { text: "x" })
        assert.deepEqual(methods(), [...opening, "tools/call"])
      }))
  }

  it.effect("is not found out from a server that refuses the source, and no session is begun [R-000-097]", () =>
    Effect.gen(function*() {
      for (const status of [401, 403]) {
        for (const need of needs) {
          const { methods, source } = yield* sourceOf(yield* effectServer(newest), { answer: instead("server/discover", () => empty(status)) })
          assert.strictEqual(yield* tag(need(source)), "AuthenticationError")
          assert.deepEqual(methods(), ["server/discover"])
        }
      }
    }))

  it.effect("is not found out from a server that cannot be reached, and no session is begun [R-000-098]", () =>
    Effect.gen(function*() {
      for (const need of needs) {
        const { methods, source } = yield* sourceOf(yield* effectServer(newest), { answer: unreachable })
        assert.strictEqual(yield* tag(need(source)), "UnavailableError")
        assert.deepEqual(methods(), ["server/discover"])
      }
    }))

  it.effect("is not found out from a server that is down or busy, and no session is begun [R-000-125]", () =>
    Effect.gen(function*() {
      for (const status of [408, 429, 500, 501, 502, 503, 504]) {
        const { methods, source } = yield* sourceOf(yield* effectServer(newest), { answer: instead("server/discover", () => empty(status)) })
        assert.strictEqual(yield* tag(source.discover), "UnavailableError", String(status))
        assert.deepEqual(methods(), ["server/discover"])
      }
    }))

  it.effect("is found out anew by the next call, when that failed [R-000-105]", () =>
    Effect.gen(function*() {
      for (const { opening, protocols, speaks } of kinds) {
        for (const failing of opening) {
          for (const status of [503, 401]) {
            let times = 1
            const answer: Answering = (exchange, handler) =>
              exchange.message.method === failing && times-- > 0 ? empty(status) : handler(exchange.request)
            const { methods, source } = yield* sourceOf(yield* effectServer(protocols), { answer })
            const code = status === 503 ? "UnavailableError" : "AuthenticationError"
            assert.strictEqual(yield* tag(source.call("echo", { text: "x" })), code, `${failing} ${status}`)
            const before = methods()
            assert.deepEqual(before, opening.slice(0, opening.indexOf(failing) + 1))
            assert.deepEqual(yield* source.call("echo", { text: "x" }), answered(speaks, { text: "x" }))
            // What the server speaks is known once it has said so, and not before.
            const anew = methods().slice(before.length)
            if (failing === "server/discover") assert.deepEqual(anew, [...opening, "tools/call"])
            else assert.deepEqual(anew.slice(-opening.length), [...opening.slice(1), "tools/call"])
          }
        }
      }
    }))
})

/** Ends a session behind the source's back. */
const end = ({ handler }: { readonly handler: Handler }, session: string) =>
  Effect.promise(async () => {
    const { status } = await handler(new Request(url, { method: "DELETE", headers: { "mcp-session-id": session } }))
    assert.strictEqual(status, 204)
  })

describe("a session", () => {
  for (const [version, protocols] of Object.entries(sessions)) {
    it.effect(`speaks ${version} when the server answers with it [R-000-099]`, () =>
      Effect.gen(function*() {
        const { sent, source } = yield* sourceOf(yield* effectServer(protocols))
        assert.deepEqual(yield* source.call("echo", { text: "x" }), answered(version, { text: "x" }))
        yield* source.discover
        const [, initialize, ...later] = sent
        assert.strictEqual(initialize!.message.params!["protocolVersion"], "2025-11-25")
        assert.notProperty(initialize!.headers, "mcp-protocol-version")
        assert.deepEqual(later.map(({ headers }) => headers["mcp-protocol-version"]), [version, version, version])
      }))
  }

  it.effect("is not had in any other version [R-000-100]", () =>
    Effect.gen(function*() {
      for (const protocolVersion of ["2024-10-07", "2026-07-28", "2027-01-01", ""]) {
        const { methods, source } = yield* sourceOf(yield* effectServer(newest), {
          answer: changed("initialize", (result) => ({ ...result, protocolVersion }))
        })
        assert.strictEqual(yield* tag(source.call("echo", { text: "x" })), "UnsupportedError", protocolVersion)
        assert.deepEqual(methods(), ["server/discover", "initialize"])
      }
    }))

  it.effect("is said to have begun, and its id goes with all that follows [R-000-101]", () =>
    Effect.gen(function*() {
      const { methods, sent, source } = yield* sourceOf(yield* effectServer(newest))
      yield* source.call("echo", { text: "x" })
      yield* source.discover
      yield* source.call("echo", { text: "x" })
      assert.deepEqual(methods(), [...opening, "tools/call", "tools/list", "tools/call"])
      const [session] = begun(sent)
      assert.isString(session)
      assert.deepEqual(sent.map(sessionOf), [undefined, undefined, session, session, session, session])
    }))

  it.effect("may have no id [R-000-102]", () =>
    Effect.gen(function*() {
      const { methods, sent, source } = yield* sourceOf(yield* sdkServer(), { answer: instead("server/discover", () => empty(404)) })
      assert.isAbove((yield* source.discover).length, 0)
      assert.deepEqual(yield* source.call("echo", { text: "x" }), { text: "x" })
      assert.deepEqual(methods(), [...opening, "tools/list", "tools/call"])
      assert.deepEqual(begun(sent), [null])
      for (const { headers } of sent) assert.notProperty(headers, "mcp-session-id")
    }))

  it.effect("that the server ends is followed by another, in which the request is made again [R-000-103]", () =>
    Effect.gen(function*() {
      const again = ["initialize", "notifications/initialized"]
      for (const [method, need] of [["tools/list", needs[0]!], ["tools/call", needs[1]!]] as const) {
        const server = yield* effectServer(newest)
        const { methods, sent, source } = yield* sourceOf(server)
        const before = yield* need(source)
        yield* end(server, begun(sent)[0]!)
        assert.deepEqual(yield* need(source), before)
        assert.deepEqual(methods(), [...opening, method, method, ...again, method])
        const [first, second] = begun(sent)
        assert.notStrictEqual(first, second)
        assert.deepEqual(sent.slice(4).map(sessionOf), [first, undefined, second, second])
        // And so is that one.
        yield* end(server, second!)
        assert.deepEqual(yield* need(source), before)
        assert.strictEqual(begun(sent).length, 3)
      }
    }))

  it.effect("that the server ends is followed by one other for all calls that find it ended [R-000-103] [R-000-124]", () =>
    Effect.gen(function*() {
      const server = yield* effectServer(newest)
      const { sent, source } = yield* sourceOf(server)
      yield* source.discover
      yield* end(server, begun(sent)[0]!)
      const texts = Array.from({ length: 16 }, (_, at) => `text ${at}`)
      const answers = yield* Effect.forEach(texts, (text) => source.call("echo", { text }), { concurrency: "unbounded" })
      assert.deepEqual(answers, texts.map((text) => ({ text })))
      assert.strictEqual(begun(sent).length, 2)
    }))

  it.effect("that ends a second time under one request fails that request [R-000-104]", () =>
    Effect.gen(function*() {
      let ends = true
      const answer: Answering = (exchange, handler) =>
        ends && exchange.message.method === "tools/call" ? empty(404) : handler(exchange.request)
      const { methods, source } = yield* sourceOf(yield* effectServer(newest), { answer })
      assert.strictEqual(yield* tag(source.call("echo", { text: "x" })), "UnavailableError")
      assert.deepEqual(methods(), [...opening, "tools/call", "initialize", "notifications/initialized", "tools/call"])
      ends = false
      assert.deepEqual(yield* source.call("echo", { text: "x" }), { text: "x" })
    }))

  it.effect("is not ended when the source is no longer used [R-000-106]", () =>
    Effect.gen(function*() {
      const server = yield* effectServer(newest)
      const { sent } = yield* Effect.scoped(Effect.gen(function*() {
        const peer = yield* sourceOf(server)
        yield* peer.source.call("echo", { text: "x" })
        return peer
      }))
      assert.deepEqual(sent.map(({ method }) => method), ["POST", "POST", "POST", "POST"])
      // The server still has it.
      yield* end(server, begun(sent)[0]!)
    }))
})

/** A source over a server of the stateless protocol with one more tool. */
const withTool = (...tool: Parameters<typeof registration>) =>
  Effect.gen(function*() {
    const server = yield* effectServer(stateless)
    yield* server.addTool(registration(...tool))
    return yield* sourceOf(server)
  })

describe("what a call gives", () => {
  it.effect("is the structured content, when there is some [R-000-110]", () =>
    Effect.gen(function*() {
      for (const content of [{ a: [1, { b: null }] }, [], {}, [1, "a"], "", "text", 0, 1.5, true, false]) {
        const { source } = yield* withTool({ name: "structured" }, () =>
          Effect.succeed(new McpSchema.CallToolResult({ content: [{ type: "text", text: "not this" }], structuredContent: content })))
        assert.deepEqual(yield* source.call("structured", {}), content)
      }
    }))

  it.effect("is else its content blocks, as the server wrote them [R-000-111]", () =>
    Effect.gen(function*() {
      for (const protocols of [stateless, newest]) {
        const { sent, source } = yield* sourceOf(yield* effectServer(protocols))
        const answer = yield* source.call("draw", {})
        const { result } = JSON.parse(sent.at(-1)!.answer!.text()) as { readonly result: { readonly content: ReadonlyArray<object> } }
        assert.strictEqual(result.content.length, blocks.length)
        assert.deepInclude(result.content[1], { type: "image", data: "AQL/" })
        assert.strictEqual(JSON.stringify(answer), JSON.stringify(result.content))
        // Blocks that no version has, and keys.
        const strange = [{ type: "hologram", rays: [[0.5, null]], _more: {} }, { text: "a", type: "text", at: { b: 1, a: 2 } }]
        const other = yield* sourceOf(yield* effectServer(protocols), { answer: changed("tools/call", (result) => ({ ...result, content: strange })) })
        assert.strictEqual(JSON.stringify(yield* other.source.call("draw", {})), JSON.stringify(strange))
      }
    }))

  it.effect("is a failed call with what the tool said, when it says that it failed [R-000-112]", () =>
    Effect.gen(function*() {
      for (const { protocols } of kinds) {
        const { source } = yield* sourceOf(yield* effectServer(protocols))
        const { _tag, message, modelMessage } = yield* reason(source.call("failing", {}))
        assert.deepEqual([_tag, message, modelMessage], ["CallFailedError", failure, failure])
      }
      const { source } = yield* withTool({ name: "both" }, () =>
        Effect.succeed(new McpSchema.CallToolResult({
          content: [{ type: "text", text: "one" }, { type: "image", data: new Uint8Array(1), mimeType: "image/png" }, { type: "text", text: "two" }],
          structuredContent: { not: "this" },
          isError: true
        })))
      const { _tag, message } = yield* reason(source.call("both", {}))
      assert.deepEqual([_tag, message], ["CallFailedError", "one\ntwo"])
    }))

  it.effect("is UnsupportedError when the tool asks for input first [R-000-113]", () =>
    Effect.gen(function*() {
      const { sent, source } = yield* withTool({ name: "asking" }, () => Effect.succeed(new McpSchema.InputRequired({ requestState: "later" })))
      assert.strictEqual(yield* tag(source.call("asking", {})), "UnsupportedError")
      assert.include(sent.at(-1)!.answer!.text(), "\"input_required\"")
      assert.strictEqual(calls(sent).length, 1)
    }))

  it.effect("is the same from JSON and from an event stream [R-000-115]", () =>
    Effect.gen(function*() {
      const told = Effect.fnUntraced(function*(peer: Effect.Success<ReturnType<typeof sourceOf>>) {
        const definitions = yield* peer.source.discover
        const answers = yield* Effect.forEach(["echo", "failing", "large", "no_such_tool"], (name) =>
          Effect.result(peer.source.call(name, name === "large" ? { length: 100_000 } : { text: "x" })))
        const types = new Set(peer.sent.flatMap(({ answer }) => answer?.status === 200 ? [answer.headers.get("content-type")?.split(";")[0]] : []))
        return { said: JSON.stringify([definitions, answers]), types: [...types] }
      })
      const plain = yield* told(yield* sourceOf(yield* sdkServer()))
      const streamed = yield* told(yield* sourceOf(yield* sdkServer({ responseMode: "sse" })))
      assert.deepEqual([plain.types, streamed.types], [["application/json"], ["text/event-stream"]])
      assert.strictEqual(streamed.said, plain.said)
    }))

  it.effect("is the same when the server speaks of other things first [R-000-115]", () =>
    Effect.gen(function*() {
      const server = yield* effectServer(newest)
      yield* server.addTool({
        ...giving({ name: "noisy" }),
        handle: (input) =>
          Effect.gen(function*() {
            for (const data of ["one", "two"]) yield* server.notify({ level: "warning", data })
            return new McpSchema.CallToolResult({ content: [], structuredContent: input as unknown })
          })
      })
      yield* server.addTool(giving({ name: "quiet" }))
      const { sent, source } = yield* sourceOf(server)
      assert.deepEqual(yield* source.call("noisy", { a: 1 }), yield* source.call("quiet", { a: 1 }))
      const [noisy, quiet] = calls(sent)
      assert.include(noisy!.answer!.text(), "notifications/message")
      assert.include(noisy!.answer!.headers.get("content-type"), "text/event-stream")
      assert.include(quiet!.answer!.headers.get("content-type"), "application/json")
    }))

  it.effect("is had without an answer to what the server asks on the way [R-000-092]", () =>
    Effect.gen(function*() {
      const { methods, sent, source } = yield* sourceOf(yield* sdkServer(), { answer: instead("server/discover", () => empty(404)) })
      assert.deepEqual(yield* source.call("pinging", {}), { asked: true })
      assert.include(calls(sent)[0]!.answer!.text(), "\"ping\"")
      yield* source.discover
      assert.deepEqual(methods(), [...opening, "tools/call", "tools/list"])
    }))

  it.effect("is an error of the source when the server has no such tool [R-000-120]", () =>
    Effect.gen(function*() {
      for (const server of [yield* effectServer(stateless), yield* effectServer(newest), yield* sdkServer()]) {
        const { source } = yield* sourceOf(server)
        for (let times = 0; times < 2; times++) {
          const { reason, source: name } = yield* Effect.flip(source.call("no_such_tool", {}))
          assert.deepEqual([reason._tag, name], ["NotFoundError", "tasks"])
          yield* source.discover
        }
      }
    }))

  it.effect("is UnavailableError after a minute, or the time that was given [R-000-121]", () =>
    Effect.gen(function*() {
      for (const protocols of [stateless, newest]) {
        for (const seconds of [60, 5]) {
          const server = yield* effectServer(protocols)
          const { source } = yield* sourceOf(server, seconds === 60 ? {} : { timeout: `${seconds} seconds` })
          yield* source.discover
          const fiber = yield* Effect.forkChild(tag(source.call("blocking", {})))
          yield* server.blocked
          yield* TestClock.adjust(`${seconds - 1} seconds`)
          assert.isUndefined(fiber.pollUnsafe())
          yield* TestClock.adjust("1 seconds")
          assert.strictEqual(yield* Fiber.join(fiber), "UnavailableError")
          yield* server.unblocked
          assert.deepEqual(yield* source.call("echo", { text: "x" }), { text: "x" })
        }
      }
    }))

  it.effect("is not waited for when the call is interrupted, and the request is closed [R-000-123]", () =>
    Effect.gen(function*() {
      const server = yield* effectServer(stateless)
      const { methods, sent, source } = yield* sourceOf(server)
      const fiber = yield* Effect.forkChild(source.call("blocking", {}))
      yield* server.blocked
      assert.isFalse(sent.at(-1)!.request.signal.aborted)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
      assert.isTrue(sent.at(-1)!.request.signal.aborted)
      yield* server.unblocked
      assert.deepEqual(yield* source.call("echo", { text: "x" }), { text: "x" })
      assert.deepEqual(methods(), ["server/discover", "tools/call", "tools/call"])
    }))

  it.effect("is cancelled by name in a session, when the call is given up [R-000-091] [R-000-123]", () =>
    Effect.gen(function*() {
      const server = yield* effectServer(newest)
      const { first, methods, sent, source } = yield* sourceOf(server)
      const fiber = yield* Effect.forkChild(source.call("blocking", {}))
      yield* server.blocked
      yield* Fiber.interrupt(fiber)
      yield* server.unblocked
      const cancelled = yield* first("notifications/cancelled")
      const [call] = calls(sent)
      assert.strictEqual(cancelled.message.params!["requestId"], call!.message.id)
      assert.notProperty(cancelled.message, "id")
      assert.deepEqual([sessionOf(cancelled), cancelled.headers["mcp-protocol-version"]], [sessionOf(call!), "2025-11-25"])
      assert.deepEqual(yield* source.call("echo", { text: "x" }), { text: "x" })
      assert.deepEqual(methods(), [...opening, "tools/call", "notifications/cancelled", "tools/call"])
    }))
})

const base64 = (text: string) => `=?base64?${Buffer.from(text).toString("base64")}?=`

const string = (name: string) => ({ type: "string", "x-mcp-header": name })

describe("the headers that mirror parameters", () => {
  const input = { region: "eu-west 1", tenant: { id: 7 }, dry: true, note: "n" }
  const headers = { "mcp-param-region": "eu-west 1", "mcp-param-tenant-id": "7", "mcp-param-dry-run": "true" }

  it.effect("are those that the server asks for, which checks them [R-000-130] [R-000-132] [R-000-138] [R-000-147]", () =>
    Effect.gen(function*() {
      for (const server of [yield* effectServer(stateless), yield* effectServer(dual), yield* sdkServer()]) {
        const { sent, source } = yield* sourceOf(server)
        yield* source.discover
        assert.deepEqual(yield* source.call("route", input), input)
        const [call, ...others] = calls(sent)
        assert.deepEqual(others, [])
        assert.deepEqual(mirrored(call!), headers)
        assert.deepEqual(call!.message.params!["arguments"], input)
        assert.strictEqual(call!.headers["mcp-name"], "route")
        // It does check: the same request with another value is refused.
        const other = new Request(url, {
          method: "POST",
          headers: { ...call!.headers, "mcp-param-region": "us" },
          body: JSON.stringify(call!.message)
        })
        assert.strictEqual((yield* Effect.promise(() => server.handler(other))).status, 400)
      }
    }))

  it.effect("are not sent for what a call does not give [R-000-131]", () =>
    Effect.gen(function*() {
      for (const server of [yield* effectServer(stateless), yield* sdkServer()]) {
        const { sent, source } = yield* sourceOf(server)
        yield* source.discover
        for (const given of [{ region: "eu" }, { region: "eu", tenant: {}, note: "dry" }]) assert.deepEqual(yield* source.call("route", given), given)
        assert.deepEqual(calls(sent).map(mirrored), [{ "mcp-param-region": "eu" }, { "mcp-param-region": "eu" }])
      }
    }))

  it.effect("hold any text, which the server reads back [R-000-133] [R-000-134] [R-000-135] [R-000-136]", () =>
    Effect.gen(function*() {
      const texts = ["ü", "日本 😀", " a", "a ", "\t", "a\r\nx-evil: 1", "\u0000", "\u007f", "=?base64?YQ==?="]
      for (const server of [yield* effectServer(stateless), yield* sdkServer()]) {
        const { sent, source } = yield* sourceOf(server)
        yield* source.discover
        for (const region of texts) assert.deepEqual(yield* source.call("route", { region }), { region }, JSON.stringify(region))
        assert.deepEqual(calls(sent).map(mirrored), texts.map((text) => ({ "mcp-param-region": base64(text) })))
        for (const { headers } of sent) assert.notProperty(headers, "x-evil")
      }
    }))

  it.effect("have the tool's name beside them, encoded likewise [R-000-137]", () =>
    Effect.gen(function*() {
      const server = yield* effectServer(stateless)
      const names = ["plain", "größe", "two words", "end "]
      for (const name of names) yield* server.addTool(giving({ name }))
      const { sent, source } = yield* sourceOf(server)
      for (const name of names) assert.deepEqual(yield* source.call(name, { a: 1 }), { a: 1 })
      assert.deepEqual(calls(sent).map(({ headers }) => headers["mcp-name"]), ["plain", "=?base64?Z3LDtsOfZQ==?=", "two words", "=?base64?ZW5kIA==?="])
    }))

  it.effect("are learned when the server refuses a call for the lack of them [R-000-140] [R-000-141]", () =>
    Effect.gen(function*() {
      for (const server of [yield* effectServer(stateless), yield* sdkServer()]) {
        const { methods, sent, source } = yield* sourceOf(server)
        assert.deepEqual(yield* source.call("route", input), input)
        assert.deepEqual(methods(), ["server/discover", "tools/call", "tools/list", "tools/call"])
        const [refused, repeated] = calls(sent)
        assert.strictEqual(refused!.answer!.status, 400)
        assert.include(refused!.answer!.text(), "-32020")
        assert.deepEqual([mirrored(refused!), mirrored(repeated!)], [{}, headers])
        // And then they are known.
        assert.deepEqual(yield* source.call("route", input), input)
        assert.strictEqual(methods().length, 5)
      }
    }))

  it.effect("are learned anew when the server has changed its marks [R-000-139] [R-000-143]", () =>
    Effect.gen(function*() {
      const server = yield* effectServer(stateless)
      const { methods, sent, source } = yield* sourceOf(server)
      yield* source.discover
      yield* source.call("route", { region: "eu" })
      yield* server.addTool(giving({ name: "route", inputSchema: markedSchema("Place") }))
      assert.deepEqual(yield* source.call("route", { region: "eu" }), { region: "eu" })
      assert.deepEqual(methods(), ["server/discover", "tools/list", "tools/call", "tools/call", "tools/list", "tools/call"])
      assert.deepEqual(calls(sent).map(mirrored), [{ "mcp-param-region": "eu" }, { "mcp-param-region": "eu" }, { "mcp-param-place": "eu" }])
    }))

  const bad = {
    twice: { properties: { a: string("Same"), b: string("same") } },
    object: { properties: { a: { type: "object", "x-mcp-header": "A" } } },
    list: { properties: { a: { type: "array", "x-mcp-header": "A" } } },
    in_items: { properties: { a: { type: "array", items: string("A") } } },
    in_any_of: { properties: { a: { anyOf: [string("A")] } } },
    in_defs: { $defs: { a: string("A") } },
    no_token: { properties: { a: string("a b") } }
  }
  const good = { number: { properties: { a: { type: "number", "x-mcp-header": "A" } } }, unmarked: {} }
  const withMarks = (server: Effect.Success<ReturnType<typeof effectServer>>) =>
    Effect.forEach(Object.entries({ ...bad, ...good }), ([name, schema]) => server.addTool(giving({ name, inputSchema: { type: "object", ...schema } })))

  it.effect(
    "leave a tool out whose marks may not be, with a warning, and no other [R-000-144] [R-000-145] [R-000-146] [R-000-148] [R-000-149] [R-000-151]",
    () =>
      Effect.gen(function*() {
        const server = yield* effectServer(stateless)
        yield* withMarks(server)
        const { source } = yield* sourceOf(server)
        const { layer, logs } = diagnostics()
        const names = (yield* Effect.provide(source.discover, layer)).map(({ name }) => name)
        assert.deepEqual(names, ["echo", "failing", "blocking", "large", "route", "draw", ...Object.keys(good)])
        const warnings = logs.filter(({ level }) => level === "Warn")
        for (const name of Object.keys(bad)) {
          assert.strictEqual(warnings.filter(({ message }) => message.includes(name)).length, 1, name)
        }
      })
  )

  it.effect("are none in a session, where no tool is left out for them [R-000-150]", () =>
    Effect.gen(function*() {
      const server = yield* effectServer(newest)
      yield* withMarks(server)
      const { sent, source } = yield* sourceOf(server)
      const { layer, logs } = diagnostics()
      const names = (yield* Effect.provide(source.discover, layer)).map(({ name }) => name)
      assert.includeMembers(names, Object.keys({ ...bad, ...good }))
      assert.deepEqual(logs.filter(({ level }) => level === "Warn"), [])
      assert.deepEqual(yield* source.call("route", input), input)
      const [call] = calls(sent)
      assert.deepEqual(mirrored(call!), {})
      for (const name of ["mcp-name", "mcp-method"]) assert.notProperty(call!.headers, name)
    }))
})
