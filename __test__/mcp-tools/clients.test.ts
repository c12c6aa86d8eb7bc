/** Tools served over MCP to clients that others wrote, and to the source of this package, over sockets and over standard input and output. */
import { fileURLToPath } from "node:url"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Schema, type Scope } from "effect"
import { McpClient, McpProtocol, Tool } from "effect/ai"
import { FetchHttpClient, HttpClient } from "effect/http"
import { Mcp } from "../../ts/index.ts"
import { onLoopback, sessions, stateless } from "../support/mcp-servers.ts"
import { client, newest, serveTools, versions } from "../support/mcp-tools.ts"
import { kit } from "../support/presented.ts"
import { connectSdk, type Transport } from "../support/sdk-client.ts"

const Text = Schema.Struct({ text: Schema.String })

/** A toolkit with a tool that waits, and whether it was given up. */
const waiting = Effect.gen(function*() {
  let running = 0
  let started = yield* Deferred.make<void>()
  let stopped = yield* Deferred.make<void>()
  const toolkit = yield* kit(
    [Tool.make("echo", { parameters: Text, success: Text }), ({ text }) => Effect.succeed({ text })],
    [Tool.make("wait", { success: Schema.String }), () =>
      Effect.sync(() => running++).pipe(
        Effect.andThen(Effect.suspend(() => Deferred.succeed(started, undefined))),
        Effect.andThen(Effect.never),
        Effect.onInterrupt(() => Effect.suspend(() => {
          running--
          return Deferred.succeed(stopped, undefined)
        }))
      )]
  )
  return {
    toolkit,
    running: () => running,
    started: Effect.suspend(() => Deferred.await(started)),
    stopped: Effect.suspend(() => Deferred.await(stopped)),
    again: Effect.gen(function*() {
      started = yield* Deferred.make<void>()
      stopped = yield* Deferred.make<void>()
    })
  }
})

const texts = ["", "plain", "„Grüße“ \u2028 𝄞\r\n\0", "x".repeat(3_000_000)]

describe.each(versions)("the SDK's client in %s", (version) => {
  const transports: Readonly<Record<string, Effect.Effect<Transport | number, never, Scope.Scope>>> = {
    "a socket": Effect.flatMap(Effect.flatMap(waiting, serveTools), (server) => onLoopback(server)),
    "standard input and output": Effect.sync(() => stdio())
  }
  for (const [way, transport] of Object.entries(transports)) {
    it.live(`lists and calls over ${way} [R-004-01] [R-004-02] [R-004-04]`, () =>
      Effect.gen(function*() {
        const sdk = yield* connectSdk(yield* transport, version)
        const { tools } = yield* Effect.promise(() => sdk.listTools())
        assert.includeMembers(tools.map(({ name }) => name), ["echo", "wait"])
        const call = (text: string) => Effect.promise(() => sdk.callTool({ name: "echo", arguments: { text } }))
        const has = (answer: Awaited<ReturnType<typeof sdk.callTool>>, text: string) => {
          // Not by deepEqual, which would print megabytes.
          assert.isTrue(JSON.stringify(answer.content) === JSON.stringify([{ type: "text", text: JSON.stringify({ text }) }]))
          if (version >= "2025-06-18") assert.isTrue((answer.structuredContent as { readonly text: string }).text === text)
        }
        for (const text of texts) has(yield* call(text), text)
        const many = Array.from({ length: 64 }, (_, at) => `text ${at}`)
        const answers = yield* Effect.forEach(many, call, { concurrency: "unbounded" })
        for (const [at, text] of many.entries()) has(answers[at]!, text)
        const wrong = yield* Effect.promise(() => sdk.callTool({ name: "echo", arguments: { text: 1 } }))
        assert.strictEqual(wrong.isError, true)
      }), 30_000)
  }
})

/** A program that serves over its standard input and output, as a client starts it. */
const program = fileURLToPath(new URL("stdio-server.ts", import.meta.url))

const stdio = (...args: ReadonlyArray<string>) =>
  new StdioClientTransport({
    command: process.execPath,
    args: [...process.versions["bun"] === undefined ? ["--import", "tsx"] : [], program, ...args],
    stderr: "pipe"
  })

describe("over standard input and output", () => {
  it.live("a call that is given up is interrupted, and its server goes on", () =>
    Effect.gen(function*() {
      for (const version of ["2025-11-25", newest] as const) {
        const sdk = yield* connectSdk(stdio(), version)
        const given = new AbortController()
        const call = sdk.callTool({ name: "wait", arguments: {} }, { signal: given.signal }).then(() => "answered", () => "given up")
        const count = () => Effect.promise(async () => (await sdk.callTool({ name: "waiting", arguments: {} })).content)
        yield* Effect.repeat(count(), { until: (content) => JSON.stringify(content).includes("\"1\"") })
        given.abort()
        assert.strictEqual(yield* Effect.promise(() => call), "given up")
        yield* Effect.repeat(count(), { until: (content) => JSON.stringify(content).includes("\"0\"") })
      }
    }), 30_000)

  it.live("a warning and a defect are told on standard error, and nothing but the protocol on standard output", () =>
    Effect.gen(function*() {
      const transport = stdio()
      const said: Array<Buffer> = []
      transport.stderr?.on("data", (chunk: Buffer) => said.push(chunk))
      const errors: Array<unknown> = []
      const sdk = yield* connectSdk(transport, newest, { prepare: (client) => Object.assign(client, { onerror: (error: unknown) => errors.push(error) }) })
      const failed = yield* Effect.promise(() => sdk.callTool({ name: "dies", arguments: {} }))
      assert.strictEqual(failed.isError, true)
      assert.notInclude(JSON.stringify(failed), "s3cret")
      const stderr = () => Buffer.concat(said).toString()
      yield* Effect.repeat(Effect.sleep("10 millis"), { until: () => stderr().includes("s3cret"), times: 500 })
      assert.include(stderr(), "The tool \"unlisted\" is not served over MCP")
      assert.include(stderr(), "s3cret")
      assert.deepStrictEqual(errors, [])
    }), 30_000)
})

describe("the source of this package", () => {
  it.live("has the tools of a server of ours, of every revision, with their schemas and hints", () =>
    Effect.gen(function*() {
      const { toolkit } = yield* waiting
      for (const protocols of [stateless, ...Object.values(sessions)]) {
        const port = yield* onLoopback(yield* serveTools({ toolkit }, protocols))
        const client = yield* Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer)
        const source = yield* Mcp.http({ name: "ours", url: `http://127.0.0.1:${port}/mcp`, client })
        const definitions = yield* source.discover
        assert.deepStrictEqual(definitions.map(({ name }) => name), ["echo", "wait"])
        assert.deepInclude(definitions[0]!.inputSchema, { type: "object", properties: { text: { type: "string" } }, required: ["text"] })
        const structured = protocols[0]!.protocolVersion >= "2025-06-18"
        const answer = yield* source.call("echo", { text: "ü" })
        assert.deepStrictEqual(answer, structured ? { text: "ü" } : [{ type: "text", text: "{\"text\":\"ü\"}" }])
        const { reason } = yield* Effect.flip(source.call("echo", { text: 1 }))
        assert.strictEqual(reason._tag, "CallFailedError")
        assert.strictEqual((yield* Effect.flip(source.call("none", {}))).reason._tag, "NotFoundError")
      }
    }))
})

describe("Effect's client", () => {
  it.live("lists and calls in the revisions that it speaks", () =>
    Effect.gen(function*() {
      const { toolkit } = yield* waiting
      const port = yield* onLoopback(yield* serveTools({ toolkit }))
      for (const protocol of [McpProtocol.v2025_11_25, McpProtocol.v2026_07_28]) {
        const layer = McpClient.layerHttp({ name: "effect", version: "1", url: `http://127.0.0.1:${port}/mcp`, protocol })
        yield* Effect.gen(function*() {
          const effects = yield* McpClient.McpClient
          const tools = yield* effects.listTools()
          assert.deepStrictEqual(tools.map(({ name }) => name), ["echo", "wait"])
          const { structuredContent } = yield* effects.callTool({ tool: tools[0]!, arguments: { text: "ü" } })
          assert.deepStrictEqual(structuredContent, { text: "ü" })
        }).pipe(Effect.provide(layer), Effect.provide(FetchHttpClient.layer))
      }
    }))
})

describe("a call over a socket", () => {
  it.live("is interrupted when its connection is closed", () =>
    Effect.gen(function*() {
      const { again, running, started, stopped, toolkit } = yield* waiting
      const port = yield* onLoopback(yield* serveTools({ toolkit }))
      for (const version of versions) {
        yield* again
        const { call, request } = yield* client(port, version)
        const given = new AbortController()
        const waits = request("tools/call", { name: "wait", arguments: {} }, { signal: given.signal }).then(() => "answered", () => "closed")
        yield* started
        given.abort()
        assert.strictEqual(yield* Effect.promise(() => waits), "closed")
        yield* stopped
        assert.strictEqual(running(), 0)
        assert.deepStrictEqual((yield* Effect.promise(() => call("echo", { text: "on" }))).isError ?? false, false)
      }
    }))

  it.live("is interrupted by a cancellation, unanswered, and by the end of its session", () =>
    Effect.gen(function*() {
      const { again, running, started, stopped, toolkit } = yield* waiting
      const port = yield* onLoopback(yield* serveTools({ toolkit }))
      for (const version of versions.filter((version) => version !== newest)) {
        yield* again
        const { send } = yield* client(port, version)
        const waits = send({ id: "w", method: "tools/call", params: { name: "wait", arguments: {} } })
        yield* started
        // Another session cannot give up what is not its own.
        const other = yield* client(port, version)
        yield* Effect.promise(() => other.send({ method: "notifications/cancelled", params: { requestId: "w" } }))
        assert.strictEqual(running(), 1)
        yield* Effect.promise(() => send({ method: "notifications/cancelled", params: { requestId: "w", reason: "enough" } }))
        yield* stopped
        assert.deepStrictEqual((yield* Effect.promise(() => waits)).message, undefined)
        assert.strictEqual(running(), 0)
      }
    }))

  it.live("is interrupted when its server stops", () =>
    Effect.gen(function*() {
      const { running, started, stopped, toolkit } = yield* waiting
      const call = yield* Effect.scoped(Effect.gen(function*() {
        const port = yield* onLoopback(yield* serveTools({ toolkit }))
        const { request } = yield* client(port)
        const call = yield* Effect.forkDetach(Effect.exit(Effect.tryPromise(() => request("tools/call", { name: "wait", arguments: {} }))))
        yield* started
        return call
      }))
      yield* stopped
      assert.strictEqual(running(), 0)
      yield* Fiber.join(call)
    }))
})
