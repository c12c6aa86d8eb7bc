import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { McpProtocol } from "effect/ai"
import { Mcp, type ToolSource, type ToolSourceError } from "../../ts/index.ts"
import {
  dual,
  effectServer,
  everythingServer,
  failure,
  largeText,
  onLoopback,
  recorded,
  restartable,
  sdkOnLoopback,
  sdkServer,
  sessions,
  type Start,
  stateless
} from "../support/mcp-servers.ts"

/** A server, and what it says in its own way. */
interface Peer {
  readonly name: string
  readonly start: Start
  readonly tools: ReadonlyArray<string>
  readonly hasSessions: boolean
  readonly echo: { readonly input: (text: string) => { readonly [key: string]: string }; readonly answer: (text: string) => unknown }
  readonly failing: { readonly tool: string; readonly input: { readonly [key: string]: string | number }; readonly says: string }
  /** A tool's answer of several megabytes. */
  readonly large: (source: ToolSource.ToolSource) => Effect.Effect<readonly [answer: unknown, expected: unknown], ToolSourceError.ToolSourceError>
  /** The reasons of a call of a tool that it does not have, and of one with arguments that the tool does not take. */
  readonly unknownTool: ToolSourceError.ToolSourceErrorReason["_tag"]
  readonly badArguments: ToolSourceError.ToolSourceErrorReason["_tag"]
}

const effectPeer = (protocols: readonly [McpProtocol.ProtocolAdapter, ...ReadonlyArray<McpProtocol.ProtocolAdapter>]): Start => (port) =>
  Effect.flatMap(effectServer(protocols), (server) => onLoopback(server, port))

const sdkPeer = (options?: Parameters<typeof sdkServer>[0]): Start => (port) =>
  Effect.flatMap(sdkServer(options), (server) => sdkOnLoopback(server, port))

const ours = {
  tools: ["echo", "failing", "blocking", "large", "route"],
  hasSessions: false,
  echo: { input: (text: string) => ({ text }), answer: (text: string) => ({ text }) },
  failing: { tool: "failing", input: {}, says: failure },
  large: (source: ToolSource.ToolSource) =>
    Effect.map(source.call("large", { length: 3_000_000 }), (answer) => [answer, { text: largeText(3_000_000) }] as const),
  unknownTool: "NotFoundError",
  badArguments: "CallFailedError"
} as const

const reference: Peer = {
  name: "the reference server",
  start: everythingServer,
  tools: ["echo", "get-sum", "get-structured-content", "get-tiny-image"],
  hasSessions: true,
  echo: { input: (message) => ({ message }), answer: (text) => [{ type: "text", text: `Echo: ${text}` }] },
  failing: { tool: "get-resource-reference", input: { resourceId: -1 }, says: "Invalid resourceId: -1. Must be a finite positive integer." },
  large: (source) =>
    Effect.map(source.call("echo", { message: largeText(1_500_000) }), (answer) =>
      [answer, [{ type: "text", text: `Echo: ${largeText(1_500_000)}` }]] as const),
  // It tells them as a tool tells its failure.
  unknownTool: "CallFailedError",
  badArguments: "CallFailedError"
}

const peers: ReadonlyArray<Peer> = [
  { ...ours, name: "Effect's, stateless", start: effectPeer(stateless) },
  { ...ours, name: "Effect's, with sessions", start: effectPeer(sessions["2025-11-25"]), hasSessions: true },
  { ...ours, name: "Effect's, in every version", start: effectPeer(dual) },
  { ...ours, name: "the TypeScript SDK's", start: sdkPeer() },
  { ...ours, name: "the TypeScript SDK's, stateless alone", start: sdkPeer({ legacy: "reject" }) },
  { ...ours, name: "the TypeScript SDK's, in event streams", start: sdkPeer({ responseMode: "sse" }) },
  reference
]

const over = (url: string) =>
  Effect.gen(function*() {
    const peer = yield* recorded((request) => fetch(request))
    return { ...peer, source: yield* Mcp.http({ name: "peer", url, client: peer.client }) }
  })

const connect = (start: Start) => Effect.flatMap(start(), (port) => over(`http://127.0.0.1:${port}/mcp`))

const reason = (call: Effect.Effect<unknown, ToolSourceError.ToolSourceError>) => Effect.map(Effect.flip(call), ({ reason }) => reason)

const texts = (count: number) => Array.from({ length: count }, (_, at) => `text ${at}`)

describe.each(peers)("over a socket, $name", ({ badArguments, echo, failing, hasSessions, large, start, tools, unknownTool }) => {
  const say = (source: ToolSource.ToolSource, text: string) =>
    Effect.map(source.call("echo", echo.input(text)), (answer) => assert.deepEqual(answer, echo.answer(text)))

  it.live("lists its tools, the same each time", () =>
    Effect.gen(function*() {
      const { source } = yield* connect(start)
      const definitions = yield* source.discover
      assert.includeMembers(definitions.map(({ name }) => name), [...tools])
      for (const { description, inputSchema } of definitions) {
        assert.isNotEmpty(description)
        assert.strictEqual(inputSchema["type"], "object")
      }
      assert.deepEqual(yield* source.discover, definitions)
    }))

  it.live("runs a tool, time and again", () =>
    Effect.gen(function*() {
      const { methods, source } = yield* connect(start)
      for (const text of ["plain", "", "quotes \" and \\ and ü and 日本 and 😀", "data: x\n\nevent: y\r\n\u2028"]) yield* say(source, text)
      const opening = hasSessions ? ["server/discover", "initialize", "notifications/initialized"] : ["server/discover"]
      assert.deepEqual(methods(), [...opening, ...Array.from({ length: 4 }, () => "tools/call")])
    }))

  it.live("has a tool that fails, with what it said, and runs tools after it [R-000-112]", () =>
    Effect.gen(function*() {
      const { source } = yield* connect(start)
      const { _tag, message } = yield* reason(source.call(failing.tool, failing.input))
      assert.strictEqual(_tag, "CallFailedError")
      assert.include(message, failing.says)
      yield* say(source, "after it")
    }))

  it.live("answers with several megabytes", () =>
    Effect.gen(function*() {
      const { source } = yield* connect(start)
      const [answer, expected] = yield* large(source)
      // Not by deepEqual, which would print both.
      assert.isTrue(JSON.stringify(answer) === JSON.stringify(expected))
      yield* say(source, "after it")
    }))

  it.live("answers 64 calls at once, each with its own answer [R-000-124]", () =>
    Effect.gen(function*() {
      const { methods, source } = yield* connect(start)
      yield* Effect.forEach(texts(64), (text) => say(source, text), { concurrency: "unbounded" })
      assert.strictEqual(methods().filter((method) => method === "server/discover").length, 1)
      assert.strictEqual(methods().filter((method) => method === "initialize").length, hasSessions ? 1 : 0)
      assert.strictEqual(methods().filter((method) => method === "tools/call").length, 64)
    }))

  it.live("has a tool that it does not have fail as an error of the source [R-000-120]", () =>
    Effect.gen(function*() {
      const { source } = yield* connect(start)
      for (const name of ["no_such_tool", "größe", "a\r\nx-evil: 1"]) {
        const error = yield* Effect.flip(source.call(name, {}))
        assert.deepEqual([error.source, error.reason._tag], ["peer", unknownTool], name)
      }
      yield* say(source, "after it")
    }))

  it.live("has a call fail whose arguments the tool does not take", () =>
    Effect.gen(function*() {
      const { source } = yield* connect(start)
      for (const input of [{}, { text: 1, message: 1 }]) {
        const { _tag, message } = yield* reason(source.call("echo", input))
        assert.strictEqual(_tag, badArguments)
        assert.match(message, /text|message/)
      }
      yield* say(source, "after it")
    }))

  it.live("is spoken to as before when it has been started again, also by 16 calls at once [R-000-103]", () =>
    Effect.gen(function*() {
      const server = yield* restartable(start)
      const restart = Effect.andThen(server.stop, server.start())
      const { methods, source } = yield* over(server.url)
      yield* say(source, "before")
      const definitions = yield* source.discover

      yield* restart
      yield* say(source, "after")
      assert.deepEqual(yield* source.discover, definitions)

      yield* restart
      assert.deepEqual(yield* source.discover, definitions)
      yield* say(source, "after that")

      yield* restart
      yield* Effect.forEach(texts(16), (text) => say(source, text), { concurrency: "unbounded" })
      assert.strictEqual(methods().filter((method) => method === "server/discover").length, 1)
      // One for each time that it was started, and for all calls that found their session gone.
      for (const method of ["initialize", "notifications/initialized"]) {
        assert.strictEqual(methods().filter((one) => one === method).length, hasSessions ? 4 : 0, method)
      }
    }))
})

/** A source that has called a server which then stopped. */
const stopped = (start: Start) =>
  Effect.gen(function*() {
    const server = yield* restartable(start)
    const peer = yield* over(server.url)
    assert.deepEqual(yield* peer.source.call("echo", { text: "before" }), { text: "before" })
    yield* server.stop
    return { ...peer, start: server.start }
  })

describe("over a socket", () => {
  const newest = effectPeer(sessions["2025-11-25"])

  it.live("a server that is down in between is unavailable then, and spoken to again later [R-000-105]", () =>
    Effect.gen(function*() {
      for (const peer of [effectPeer(stateless), newest, sdkPeer()]) {
        const { source, start } = yield* stopped(peer)
        for (const need of [source.discover, source.call("echo", { text: "x" })]) {
          const { _tag, isRetryable } = yield* reason(need)
          assert.deepEqual([_tag, isRetryable], ["UnavailableError", true])
        }
        yield* start()
        assert.deepEqual(yield* source.call("echo", { text: "x" }), { text: "x" })
      }
    }))

  it.live("an answer of more than 16 MiB is a failed call, and the next one is read [R-000-080]", () =>
    Effect.gen(function*() {
      for (const start of [effectPeer(stateless), newest, sdkPeer(), sdkPeer({ responseMode: "sse" })]) {
        const { source } = yield* connect(start)
        const { _tag, message } = yield* reason(source.call("large", { length: 5_000_000 }))
        assert.strictEqual(_tag, "CallFailedError")
        assert.isBelow(message.length, 500)
        assert.deepEqual(yield* source.call("large", { length: 3 }), { text: largeText(3) })
      }
    }))

  it.live("a call that is under way when the server goes down is unavailable, and is not made again", () =>
    Effect.gen(function*() {
      for (const protocols of [stateless, sessions["2025-11-25"]]) {
        const { handler, blocked } = yield* effectServer(protocols)
        const server = yield* restartable((port) => onLoopback({ handler }, port))
        const { methods, source } = yield* over(server.url)
        const fiber = yield* Effect.forkChild(reason(source.call("blocking", {})))
        yield* blocked
        yield* server.stop
        assert.strictEqual((yield* Fiber.join(fiber))._tag, "UnavailableError")
        assert.strictEqual(methods().filter((method) => method === "tools/call").length, 1)
        yield* server.start()
        assert.deepEqual(yield* source.call("echo", { text: "x" }), { text: "x" })
      }
    }))

  it.live("a call whose answer has begun when the server goes down is unavailable, and is not made again", () =>
    Effect.gen(function*() {
      const begins = [
        { start: sdkPeer({ responseMode: "sse", keepAliveMs: 50 }), tool: "blocking", input: {}, echo: ours.echo },
        // It begins with an event that the answer could be asked for again from.
        { start: everythingServer, tool: "trigger-long-running-operation", input: { duration: 600 }, echo: reference.echo }
      ]
      for (const { echo, input, start, tool } of begins) {
        const server = yield* restartable(start)
        const { first, methods, source } = yield* over(server.url)
        const fiber = yield* Effect.forkChild(reason(source.call(tool, input)))
        yield* (yield* first("tools/call")).answered
        yield* server.stop
        assert.strictEqual((yield* Fiber.join(fiber))._tag, "UnavailableError")
        assert.strictEqual(methods().filter((method) => method === "tools/call").length, 1)
        yield* server.start()
        assert.deepEqual(yield* source.call("echo", echo.input("x")), echo.answer("x"))
      }
    }))

  it.live("a stateless server that is replaced by one with sessions is asked anew by the call that finds out", () =>
    Effect.gen(function*() {
      const { methods, source, start } = yield* stopped(effectPeer(stateless))
      yield* start(newest)
      assert.deepEqual(yield* source.call("echo", { text: "after" }), { text: "after" })
      assert.deepEqual(methods().slice(2), ["tools/call", "server/discover", "initialize", "notifications/initialized", "tools/call"])
    }))

  it.live("a server with sessions that is replaced by a stateless one is asked anew, at the latest by the next call [R-000-105]", () =>
    Effect.gen(function*() {
      const { source, start } = yield* stopped(newest)
      yield* start(effectPeer(stateless))
      yield* Effect.exit(source.call("echo", { text: "after" }))
      assert.deepEqual(yield* source.call("echo", { text: "after" }), { text: "after" })
    }))

  describe.each([
    { name: "Effect's", start: effectPeer(stateless) },
    { name: "the TypeScript SDK's", start: sdkPeer() },
    { name: "the TypeScript SDK's in event streams", start: sdkPeer({ responseMode: "sse" }) }
  ])("a server that checks the headers that mirror parameters, $name,", ({ start }) => {
    const inputs = [
      { region: "eu-west 1", tenant: { id: 7 }, dry: true, note: "n" },
      { region: "eu" },
      { region: "", dry: false, tenant: {} },
      { region: "0", tenant: { id: -9_007_199_254_740_991 } },
      { region: "ü 日本 😀" },
      { region: " a\t" },
      { region: "a\r\nx-evil: 1\r\n\r\n" },
      { region: "\u0000\u007f" },
      { region: "=?base64?YQ==?=" },
      { region: "=?base64?", note: "?=" },
      { region: "a,b;c=\"d\"" }
    ]

    it.live(
      "takes every call of a source that has listed the tools [R-000-130] [R-000-131] [R-000-132] [R-000-133] [R-000-134] [R-000-135] [R-000-136] [R-000-138]",
      () =>
        Effect.gen(function*() {
          const { methods, source } = yield* connect(start)
          yield* source.discover
          for (const input of inputs) assert.deepEqual(yield* source.call("route", input), input)
          assert.strictEqual(methods().length, 2 + inputs.length)
        })
    )

    it.live("takes the calls of one that has not, each at the second try at most [R-000-140] [R-000-141]", () =>
      Effect.gen(function*() {
        for (const input of inputs) {
          const { methods, source } = yield* connect(start)
          assert.deepEqual(yield* source.call("route", input), input)
          assert.deepEqual(methods(), ["server/discover", "tools/call", "tools/list", "tools/call"])
        }
      }))

    it.live("takes 16 calls at once of one that has not", () =>
      Effect.gen(function*() {
        const { source } = yield* connect(start)
        const given = texts(16).map((region, id) => ({ region, tenant: { id } }))
        const answers = yield* Effect.forEach(given, (input) => source.call("route", input), { concurrency: "unbounded" })
        assert.deepEqual(answers, given)
      }))
  })
})
