/** The source with servers that others wrote. Those in Python end their lines with CRLF in a stream. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { Mcp, type ToolSourceError } from "../../ts/index.ts"
import { bodyTextOf } from "../support/http.ts"
import { type Server, serve } from "./mcp/python.ts"

/** How a server is spoken to: without sessions as since 2026-07-28, or as before that, with an id of the session or without. */
type Way = "stateless" | "session" | "session without id"

const peers: ReadonlyArray<{ readonly name: string; readonly way: Way; readonly args: ReadonlyArray<string> }> = [
  { name: "FastMCP", way: "stateless", args: ["fastmcp_server.py"] },
  { name: "FastMCP with JSON alone", way: "stateless", args: ["fastmcp_server.py", "--stateless", "--json"] },
  { name: "FastMCP as before 2026-07-28", way: "session", args: ["fastmcp_server.py", "--before"] },
  { name: "FastMCP as before 2026-07-28, with JSON alone", way: "session without id", args: ["fastmcp_server.py", "--before", "--stateless", "--json"] },
  { name: "the Python SDK", way: "stateless", args: ["sdk_server.py"] },
  { name: "the Python SDK as before 2026-07-28", way: "session", args: ["sdk_server.py", "--before"] }
]

const holds: Record<Way, string> = {
  stateless: "[R-000-095]",
  session: "[R-000-096] [R-000-101]",
  "session without id": "[R-000-096] [R-000-102]"
}

/** The requests that come before the first one for a tool. */
const beginning: Record<Way, ReadonlyArray<string>> = {
  stateless: ["server/discover"],
  session: ["server/discover", "initialize", "notifications/initialized"],
  "session without id": ["server/discover", "initialize", "notifications/initialized"]
}

interface Sent {
  readonly method: string
  readonly version: string | undefined
  readonly session: string | undefined
}

/** A source that has asked nothing yet, and what it sends. */
const sourceOf = ({ url }: Server) =>
  Effect.gen(function*() {
    const sent: Array<Sent> = []
    const client = HttpClient.tapRequest(yield* HttpClient.HttpClient, ({ body, headers }) =>
      Effect.sync(() => {
        const text = bodyTextOf(body)
        const { method } = text === undefined ? { method: "GET" } : JSON.parse(text) as { readonly method: string }
        sent.push({ method, version: headers["mcp-protocol-version"], session: headers["mcp-session-id"] })
      }))
    return { source: yield* Mcp.http({ name: "peer", url, client }), sent }
  }).pipe(Effect.provide(FetchHttpClient.layer))

const methods = (sent: ReadonlyArray<Sent>) => sent.map(({ method }) => method)

const reason = (call: Effect.Effect<unknown, ToolSourceError.ToolSourceError>) => Effect.map(Effect.flip(call), ({ reason }) => reason)

/** What a server with sessions answers to a call, as it comes over the wire. */
const streamOf = async ({ url }: Server, name: string): Promise<string> => {
  const headers = new Headers({ "content-type": "application/json", accept: "application/json, text/event-stream" })
  const post = async (message: object) => {
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", ...message }) })
    headers.set("mcp-session-id", response.headers.get("mcp-session-id") ?? "")
    return response.text()
  }
  const clientInfo = { name: "test", version: "1" }
  await post({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } })
  await post({ method: "notifications/initialized" })
  return post({ id: 2, method: "tools/call", params: { name, arguments: {} } })
}

const lines = (count: number) => Array.from({ length: count }, (_, at) => `${String(at).padStart(7, "0")}\n`).join("")

for (const { args, name, way } of peers) {
  describe(name, () => {
    let server: Server
    beforeAll(async () => {
      server = await serve(...args)
    })
    afterAll(() => server.stop())

    it.live(`lists its tools, spoken to in its way ${holds[way]}`, () =>
      Effect.gen(function*() {
        const { sent, source } = yield* sourceOf(server)
        const tools = yield* source.discover
        assert.includeMembers(tools.map(({ name }) => name), ["add", "echo", "failing", "lines", "chatty", "blocks"])
        const add = tools.find(({ name }) => name === "add")!
        assert.strictEqual(add.description, "Adds two numbers.")
        assert.deepInclude(add.inputSchema, { type: "object", required: ["a", "b"] })
        yield* source.call("add", { a: 2, b: 3 })

        assert.deepEqual(methods(sent), [...beginning[way], "tools/list", "tools/call"])
        const later = sent.slice(way === "stateless" ? 0 : 2)
        assert.deepEqual([...new Set(later.map(({ version }) => version))], [way === "stateless" ? "2026-07-28" : "2025-11-25"])
        const [session, ...others] = new Set(later.map(({ session }) => session))
        assert.strictEqual(session !== undefined, way === "session")
        assert.deepEqual(others, [])
      }))

    it.live("is reached by an address from which it redirects", () =>
      Effect.gen(function*() {
        const { source } = yield* sourceOf({ ...server, url: `${server.url}/` })
        assert.deepEqual(yield* source.call("add", { a: 2, b: 3 }), { result: 5 })
      }))

    it.live("answers with what is structured, or else with its blocks [R-000-110] [R-000-111]", () =>
      Effect.gen(function*() {
        const { source } = yield* sourceOf(server)
        assert.deepEqual(yield* source.call("add", { a: 2, b: 3 }), { result: 5 })
        const text = "„Grüße“ \u2028 𝄞\r\n\0"
        assert.deepEqual(yield* source.call("echo", { text }), { result: text })
        assert.deepEqual(yield* source.call("blocks", {}), [{ type: "text", text: "one" }, { type: "text", text: "two" }])
      }))

    it.live("says why a tool failed [R-000-112]", () =>
      Effect.gen(function*() {
        const { source } = yield* sourceOf(server)
        const { _tag, message } = yield* reason(source.call("failing", {}))
        assert.strictEqual(_tag, "CallFailedError")
        assert.include(message, "the cellar is flooded")
      }))

    it.live("has no such tool, and goes on [R-000-120]", () =>
      Effect.gen(function*() {
        const { source } = yield* sourceOf(server)
        const { _tag, message } = yield* reason(source.call("missing", {}))
        assert.strictEqual(_tag, "CallFailedError")
        assert.include(message, "missing")
        assert.deepEqual(yield* source.call("echo", { text: "still" }), { result: "still" })
      }))

    it.live("answers with some megabytes", () =>
      Effect.gen(function*() {
        const { source } = yield* sourceOf(server)
        const count = 400_000
        const { result } = (yield* source.call("lines", { count })) as { readonly result: string }
        assert.isTrue(result === lines(count))
      }))

    it.live("answers 64 calls at once, each with its own, and is asked what it speaks once [R-000-094] [R-000-124]", () =>
      Effect.gen(function*() {
        const { sent, source } = yield* sourceOf(server)
        const texts = Array.from({ length: 64 }, (_, at) => `call ${at}`)
        const answers = yield* Effect.forEach(texts, (text) => source.call("echo", { text }), { concurrency: "unbounded" })
        assert.deepEqual(answers, texts.map((result) => ({ result })))
        assert.deepEqual(methods(sent), [...beginning[way], ...texts.map(() => "tools/call")])
      }))

    // A server that answers with JSON alone does not look whether anybody still waits.
    if (!args.includes("--json")) {
      it.live("stops a tool whose call is given up [R-000-123]", () =>
        Effect.gen(function*() {
          const { sent, source } = yield* sourceOf(server)
          const until = (result: number) =>
            Effect.repeat(Effect.delay(source.call("waits", {}), "50 millis"), {
              until: (answer) => (answer as { readonly result: number }).result === result,
              times: 200
            })
          const call = yield* Effect.forkChild(source.call("wait", {}))
          assert.deepEqual(yield* until(1), { result: 1 })
          yield* Fiber.interrupt(call)
          assert.deepEqual(yield* until(0), { result: 0 })
          assert.strictEqual(methods(sent).includes("notifications/cancelled"), way === "session")
        }))
    }

    if (way === "session") {
      it.live("answers in a stream, after it has said something else, with lines that end in CRLF [R-000-116]", () =>
        Effect.gen(function*() {
          const { source } = yield* sourceOf(server)
          assert.deepEqual(yield* source.call("chatty", {}), { result: "done" })
          const stream = yield* Effect.promise(() => streamOf(server, "chatty"))
          assert.match(stream, /^event: message\r\ndata: \{.*"notifications\/message".*\}\r\n\r\nevent: message\r\ndata: \{.*"result".*\}\r\n\r\n$/)
        }))
    }

    it.live(`is away, and is gone on with when it is back${way === "session" ? ", in another session [R-000-103]" : ""}`, () =>
      Effect.gen(function*() {
        const { sent, source } = yield* sourceOf(server)
        yield* source.call("echo", { text: "before" })
        yield* Effect.promise(server.stop)
        assert.strictEqual((yield* reason(source.call("echo", { text: "away" })))._tag, "UnavailableError")
        yield* Effect.promise(server.start)
        sent.length = 0
        const texts = ["a", "b", "c"]
        const answers = yield* Effect.forEach(texts, (text) => source.call("echo", { text }), { concurrency: "unbounded" })
        assert.deepEqual(answers, texts.map((result) => ({ result })))
        const begun = methods(sent).filter((method) => method !== "tools/call")
        assert.deepEqual(begun, way === "session" ? ["initialize", "notifications/initialized"] : [])
      }))
  })
}

describe("the Python SDK as before 2026-07-28, with what it sent kept", () => {
  let server: Server
  beforeAll(async () => {
    server = await serve("sdk_server.py", "--before", "--resumable")
  })
  afterAll(() => server.stop())

  it.live("ends the stream of an answer, which is taken up again", () =>
    Effect.gen(function*() {
      const { sent, source } = yield* sourceOf(server)
      assert.deepEqual(yield* source.call("parted", {}), { result: "done" })
      const [call, ...others] = methods(sent).slice(beginning.session.length)
      assert.strictEqual(call, "tools/call")
      assert.deepEqual([...new Set(others)], ["GET"])
    }))
})
