/** How a server of MCP is spoken to and what its answers mean, against servers that answer from a script. */
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Metric, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { Mcp, ToolDefinition, ToolSource, ToolSourceError } from "../../ts/index.ts"
import { diagnostics } from "../support/language-model.ts"
import {
  type Answer,
  type Answered,
  answering,
  type Asked,
  begun,
  credential,
  echo,
  echoTool,
  endOf,
  error,
  event,
  events,
  eventually,
  gate,
  holdsNoSecret,
  inProcess,
  json,
  methodsOf,
  modelReads,
  onLoopback,
  type Peer,
  result,
  said,
  type Script,
  type Server,
  server,
  sessions,
  sourceOf,
  stateless,
  token
} from "../support/mcp.ts"

const probe = "server/discover"
const begin = ["initialize", "notifications/initialized"]

const sayHello = (source: ToolSource.ToolSource) => source.call("echo", { text: "hello" })
type Use = (source: ToolSource.ToolSource) => Effect.Effect<unknown, ToolSourceError.ToolSourceError>

const list: Use = ({ discover }) => discover

const hello = { value: said("hello") }

/** Ends in the middle of an interruption as an interruption, and as nothing else. */
const interrupts = <A, E>(fiber: Fiber.Fiber<A, E>) =>
  Effect.gen(function*() {
    yield* Fiber.interrupt(fiber)
    const exit = yield* Fiber.await(fiber)
    assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
  })

describe("making a source", () => {
  it.effect("sends nothing [R-000-090]", () =>
    Effect.gen(function*() {
      const peer = inProcess(server(stateless))
      const source = yield* sourceOf(peer)
      assert.strictEqual(source.name, "mcp")
      yield* ToolSource.toolkit(source, [])
      assert.deepEqual(peer.asked, [])
      assert.deepEqual(yield* endOf(sayHello(source)), hello)
      assert.isAbove(peer.asked.length, 0)
    }))

  it.effect("takes a URL as a text and as an object, and keeps its query", () =>
    Effect.gen(function*() {
      const urls: Array<string> = []
      const peer = inProcess(server(stateless))
      const client = HttpClient.tapRequest(peer.client, ({ url }) => Effect.sync(() => urls.push(url)))
      const text = `${peer.url}?tenant=a%20b`
      for (const url of [text, new URL(text)]) yield* (yield* Mcp.http({ name: "mcp", url, client })).discover
      assert.deepEqual([...new Set(urls)], [text])
    }))

  const { client, url } = inProcess(server(stateless))
  const mistakes: ReadonlyArray<readonly [string, Partial<Parameters<typeof Mcp.http>[0]>]> = [
    ["a URL that is none", { url: "no url" }],
    ["a relative URL", { url: "/mcp" }],
    ["an empty URL", { url: "" }],
    ["a URL of another scheme", { url: "ftp://mcp.example.com/" }],
    ["a URL object of another scheme", { url: new URL("file:///mcp") }],
    ["a URL with a user and a password", { url: "https://user:secret@mcp.example.com/" }],
    ["a URL with a user", { url: "https://user@mcp.example.com/" }],
    ["a timeout of nothing", { timeout: 0 }],
    ["a timeout of less than nothing", { timeout: -1 }],
    ["a timeout that is none", { timeout: Number.NaN }]
  ]
  for (const [what, options] of mistakes) {
    it.effect(`refuses ${what} as a defect that holds no secret`, () =>
      Effect.gen(function*() {
        const exit = yield* Effect.exit(Effect.suspend(() => Mcp.http({ name: "mcp", url, client, ...options })))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
        const defect = Cause.squash((exit as Exit.Failure<never, never>).cause)
        assert.isTrue(Cause.isIllegalArgumentError(defect), inspect(defect))
        assert.notInclude(inspect(defect), "secret")
      }))
  }

  it.effect("holds nothing of the client's credential in what can be seen of it [R-000-009]", () =>
    Effect.gen(function*() {
      const peer = inProcess(server(stateless))
      const source = yield* sourceOf(peer)
      yield* source.discover
      assert.notInclude(inspect(source, { depth: 20, showHidden: true }) + JSON.stringify(source), token)
    }))
})

describe("the first need of a server", () => {
  const uses: ReadonlyArray<readonly [string, Use, string]> = [
    ["a call", sayHello, "tools/call"],
    ["discover", list, "tools/list"]
  ]
  for (const [what, use, method] of uses) {
    it.live(`by ${what} sends server/discover in the stateless protocol 2026-07-28 [R-000-093]`, () =>
      Effect.gen(function*() {
        const peer = yield* onLoopback(server(stateless))
        yield* use(yield* sourceOf(peer))
        assert.deepEqual(methodsOf(peer), [probe, method])
        for (const { body, headers, http, method } of peer.asked) {
          assert.strictEqual(http, "POST")
          assert.strictEqual(headers["content-type"], "application/json")
          assert.sameMembers(headers["accept"]!.split(",").map((type) => type.trim()), ["application/json", "text/event-stream"])
          assert.strictEqual(headers["mcp-protocol-version"], "2026-07-28")
          assert.strictEqual(headers["mcp-method"], method)
          const { id, jsonrpc, params } = JSON.parse(body)
          assert.strictEqual(jsonrpc, "2.0")
          assert.include(["string", "number"], typeof id)
          assert.strictEqual(params["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28")
          assert.deepEqual(params["_meta"]["io.modelcontextprotocol/clientCapabilities"], {})
          const info = params["_meta"]["io.modelcontextprotocol/clientInfo"]
          assert.deepEqual([typeof info.name, typeof info.version], ["string", "string"])
        }
        assert.deepEqual(Object.keys(peer.asked[0]!.params), ["_meta"])
      }))
  }

  it.live("sends it once for many later calls, and those that start together [R-000-094]", () =>
    Effect.gen(function*() {
      const peer = yield* onLoopback(server(stateless))
      const source = yield* sourceOf(peer)
      yield* Effect.all([source.discover, ...Array.from({ length: 8 }, () => sayHello(source))], { concurrency: "unbounded" })
      for (let count = 0; count < 4; count++) yield* sayHello(source)
      yield* source.discover
      assert.strictEqual(methodsOf(peer).filter((method) => method === probe).length, 1)
      assert.strictEqual(peer.asked.length, 1 + 2 + 12)
      assert.strictEqual(new Set(peer.asked.map(({ id }) => id)).size, peer.asked.length)
    }))

  it.live("finds a stateless server, which gets no initialize and no session id, not even one it gives [R-000-095]", () =>
    Effect.gen(function*() {
      const peer = yield* onLoopback((asked) => {
        const answer = server(stateless)(asked) as Answer
        return { ...answer, headers: { ...answer.headers, "mcp-session-id": "unasked" } }
      })
      const source = yield* sourceOf(peer)
      yield* source.discover
      assert.deepEqual(yield* endOf(sayHello(source)), hello)
      assert.deepEqual(methodsOf(peer), [probe, "tools/list", "tools/call"])
      assert.deepEqual(peer.asked.map(({ headers }) => headers["mcp-session-id"]), [undefined, undefined, undefined])
    }))

  const refusals: ReadonlyArray<readonly [string, (asked: Asked) => Answer]> = [
    ["404", () => ({ status: 404 })],
    ["405", () => ({ status: 405 })],
    ["400", () => ({ status: 400 })],
    ["-32601 at 200", (asked) => error(asked, -32_601)],
    ["-32601 at 404", (asked) => error(asked, -32_601, { status: 404 })],
    ["-32000 at 400", (asked) => error(asked, -32_000, { status: 400 })]
  ]
  for (const [what, refusal] of refusals) {
    it.live(`finds a server with sessions by ${what}, and speaks to it in one [R-000-096]`, () =>
      Effect.gen(function*() {
        const peer = yield* onLoopback(server({ ...sessions, [probe]: refusal }))
        const source = yield* sourceOf(peer)
        assert.deepEqual(yield* endOf(sayHello(source)), hello)
        assert.deepEqual((yield* source.discover).map(({ name }) => name), ["echo"])
        assert.deepEqual(methodsOf(peer), [probe, ...begin, "tools/call", "tools/list"])
      }))
  }

  for (const status of [401, 403]) {
    it.live(`is AuthenticationError when the server refuses the source with ${status}, without initialize [R-000-097]`, () =>
      Effect.gen(function*() {
        const peer = yield* onLoopback(server({ ...sessions, [probe]: (asked) => error(asked, -32_601, { status }) }))
        const source = yield* sourceOf(peer)
        assert.strictEqual(yield* endOf(sayHello(source)), "AuthenticationError")
        assert.strictEqual(yield* endOf(source.discover), "AuthenticationError")
        assert.deepEqual(methodsOf(peer), [probe, probe])
      }))
  }

  it.live("is UnavailableError when the server is not there, without initialize [R-000-098]", () =>
    Effect.gen(function*() {
      const gone = yield* Effect.scoped(onLoopback(server(sessions)))
      const source = yield* sourceOf(gone)
      for (const end of [yield* endOf(sayHello(source)), yield* endOf(source.discover)]) assert.strictEqual(end, "UnavailableError")
      assert.deepEqual(gone.asked, [])
      const closing = yield* onLoopback(server({ ...sessions, [probe]: () => "reset" }))
      assert.strictEqual(yield* endOf(sayHello(yield* sourceOf(closing))), "UnavailableError")
      assert.notInclude(methodsOf(closing), "initialize")
    }))

  for (const status of [408, 429, 500, 501, 502, 503, 504]) {
    it.live(`is UnavailableError when the server says ${status}, without initialize [R-000-125]`, () =>
      Effect.gen(function*() {
        const peer = yield* onLoopback(server({ ...sessions, [probe]: (asked) => error(asked, -32_601, { status }) }))
        const source = yield* sourceOf(peer)
        assert.strictEqual(yield* endOf(sayHello(source)), "UnavailableError")
        assert.deepEqual(methodsOf(peer), [probe])
      }))
  }

  const failures: ReadonlyArray<readonly [string, Script, ReadonlyArray<string>, ToolSourceError.ToolSourceErrorReason["_tag"]]> = [
    ["the probe", { [probe]: () => ({ status: 503 }) }, [probe], "UnavailableError"],
    ["the probe, refused", { [probe]: () => ({ status: 401 }) }, [probe], "AuthenticationError"],
    ["the probe, in a version unheard of", { [probe]: (asked) => error(asked, -32_022, { status: 400, data: { supported: ["2099-01-01"] } }) }, [probe], "UnsupportedError"],
    ["initialize", { initialize: () => ({ status: 503 }) }, [probe, "initialize"], "UnavailableError"],
    ["initialize, refused", { initialize: () => ({ status: 403 }) }, [probe, "initialize"], "AuthenticationError"],
    ["initialize, in a version unheard of", { initialize: (asked) => begun(asked, "s", "2099-01-01") }, [probe, "initialize"], "UnsupportedError"],
    ["the notification", { "notifications/initialized": () => ({ status: 503 }) }, [probe, ...begin], "UnavailableError"]
  ]
  for (const [what, script, first, reason] of failures) {
    it.live(`that failed at ${what} is tried anew by the next call [R-000-105]`, () =>
      Effect.gen(function*() {
        let failing = true
        const well = server(sessions)
        const ill = server({ ...sessions, ...script })
        const peer = yield* onLoopback((asked) => failing ? ill(asked) : well(asked))
        const source = yield* sourceOf(peer)
        assert.strictEqual(yield* endOf(sayHello(source)), reason)
        assert.deepEqual(methodsOf(peer), first)
        failing = false
        assert.deepEqual(yield* endOf(sayHello(source)), hello)
        // A server that is known to have sessions need not be probed again.
        const again = methodsOf(peer).slice(first.length)
        assert.deepEqual(again.filter((method) => method !== probe), [...begin, "tools/call"])
        assert.strictEqual(methodsOf(peer).at(-1), "tools/call")
      }))
  }

  it.live("is met by a client that takes a status as a failure just as well", () =>
    Effect.gen(function*() {
      const peer = yield* onLoopback(server(sessions))
      const client = HttpClient.filterStatusOk(peer.client)
      assert.deepEqual(yield* endOf(sayHello(yield* sourceOf(peer, { client }))), hello)
      const refusing = yield* onLoopback(server({ ...stateless, "tools/call": () => ({ status: 401 }) }))
      const refused = yield* sourceOf(refusing, { client: HttpClient.filterStatusOk(refusing.client) })
      assert.strictEqual(yield* endOf(sayHello(refused)), "AuthenticationError")
    }))
})

describe("a session", () => {
  it.live("is begun with initialize, which names no session and no version in a header", () =>
    Effect.gen(function*() {
      const peer = yield* onLoopback(server(sessions))
      yield* sayHello(yield* sourceOf(peer))
      const { body, headers, http, params } = peer.asked[1]!
      assert.deepEqual([http, headers["content-type"]], ["POST", "application/json"])
      assert.sameMembers(headers["accept"]!.split(",").map((type) => type.trim()), ["application/json", "text/event-stream"])
      assert.deepEqual([headers["mcp-session-id"], headers["mcp-protocol-version"], headers["mcp-method"]], [undefined, undefined, undefined])
      assert.deepEqual([params["protocolVersion"], params["capabilities"]], ["2025-11-25", {}])
      const { name, version } = params["clientInfo"] as Record<string, unknown>
      assert.deepEqual([typeof name, typeof version], ["string", "string"])
      assert.notInclude(body, "io.modelcontextprotocol/")
    }))

  for (const version of ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]) {
    it.live(`is held in ${version} when the server answers that, which the later requests say [R-000-099]`, () =>
      Effect.gen(function*() {
        const peer = yield* onLoopback(server({ ...sessions, initialize: (asked) => begun(asked, "s", version) }))
        const source = yield* sourceOf(peer)
        assert.deepEqual(yield* endOf(sayHello(source)), hello)
        yield* source.discover
        const later = peer.asked.slice(2)
        assert.deepEqual(later.map(({ method }) => method), ["notifications/initialized", "tools/call", "tools/list"])
        assert.deepEqual(later.map(({ headers }) => headers["mcp-protocol-version"]), [version, version, version])
      }))
  }

  for (const version of ["2026-07-28", "2099-01-01", "2025-11-26", "", "DRAFT-2025-v3"]) {
    it.live(`in the version "${version}" is UnsupportedError [R-000-100]`, () =>
      Effect.gen(function*() {
        const peer = yield* onLoopback(server({ ...sessions, initialize: (asked) => begun(asked, "s", version) }))
        assert.strictEqual(yield* endOf(sayHello(yield* sourceOf(peer))), "UnsupportedError")
        assert.deepEqual(methodsOf(peer), [probe, "initialize"])
      }))
  }

  it.live("is said to have begun by notifications/initialized, and its id goes with every later request [R-000-101]", () =>
    Effect.gen(function*() {
      const peer = yield* onLoopback(server(sessions))
      const source = yield* sourceOf(peer)
      yield* sayHello(source)
      yield* source.discover
      assert.deepEqual(methodsOf(peer), [probe, ...begin, "tools/call", "tools/list"])
      assert.deepEqual(peer.asked.map(({ headers }) => headers["mcp-session-id"]), [undefined, undefined, "session-1", "session-1", "session-1"])
      const notification = JSON.parse(peer.asked[2]!.body)
      assert.deepEqual([notification.jsonrpc, "id" in notification], ["2.0", false])
      for (const { body, headers } of peer.asked.slice(1)) {
        assert.deepEqual(Object.keys(headers).filter((name) => /^mcp-(method|name|param)/.test(name)), [])
        assert.notInclude(body, "io.modelcontextprotocol/")
      }
    }))

  it.live("without an id works [R-000-102]", () =>
    Effect.gen(function*() {
      const peer = yield* onLoopback(server({ ...sessions, initialize: (asked) => begun(asked) }))
      const source = yield* sourceOf(peer)
      assert.deepEqual(yield* endOf(sayHello(source)), hello)
      assert.deepEqual(yield* endOf(sayHello(source)), hello)
      assert.deepEqual(methodsOf(peer), [probe, ...begin, "tools/call", "tools/call"])
      assert.isTrue(peer.asked.every(({ headers }) => headers["mcp-session-id"] === undefined))
    }))

  const uses: ReadonlyArray<readonly [string, Use]> = [
    ["tools/call", sayHello],
    ["tools/list", list]
  ]
  for (const [method, use] of uses) {
    it.live(`that the server ends at ${method} is begun again once, and the request repeated [R-000-103]`, () =>
      Effect.gen(function*() {
        const peer = yield* onLoopback(server({
          ...sessions,
          initialize: (asked) => begun(asked, `session-${asked.before + 1}`, asked.before === 0 ? "2025-11-25" : "2025-06-18"),
          [method]: (asked) => asked.headers["mcp-session-id"] === "session-1" ? { status: 404 } : sessions[method]!(asked)
        }))
        const source = yield* sourceOf(peer)
        yield* use(source)
        yield* use(source)
        assert.deepEqual(methodsOf(peer), [probe, ...begin, method, ...begin, method, method])
        const seen = peer.asked.map(({ headers }) => [headers["mcp-session-id"], headers["mcp-protocol-version"]])
        assert.deepEqual(seen.slice(4), [[undefined, undefined], ...Array.from({ length: 3 }, () => ["session-2", "2025-06-18"])])
        const [first, second] = peer.asked.filter((asked) => asked.method === method)
        assert.deepEqual([second!.params.name, second!.params.arguments], [first!.params.name, first!.params.arguments])
      }))
  }

  it.live("that the server ends a second time in the same request is a failure, and not a loop [R-000-104]", () =>
    Effect.gen(function*() {
      const peer = yield* onLoopback(server({ ...sessions, "tools/call": () => ({ status: 404 }) }))
      const source = yield* sourceOf(peer)
      assert.strictEqual(yield* endOf(sayHello(source)), "UnavailableError")
      assert.deepEqual(methodsOf(peer), [probe, ...begin, "tools/call", ...begin, "tools/call"])
    }))

  it.live("ends in later requests too, each of which begins another", () =>
    Effect.gen(function*() {
      const ended = new Set<string | undefined>()
      const peer = yield* onLoopback(server({
        ...sessions,
        "tools/call": (asked) => {
          const id = asked.headers["mcp-session-id"]
          if (ended.has(id)) return { status: 404 }
          ended.add(id)
          return sessions["tools/call"]!(asked)
        }
      }))
      const source = yield* sourceOf(peer)
      for (let count = 0; count < 3; count++) assert.deepEqual(yield* endOf(sayHello(source)), hello)
      assert.deepEqual(methodsOf(peer), [probe, ...begin, "tools/call", "tools/call", ...begin, "tools/call", "tools/call", ...begin, "tools/call"])
    }))

  it.live("is not deleted when the source is no longer used [R-000-106]", () =>
    Effect.gen(function*() {
      const peer = yield* onLoopback(server(sessions))
      yield* Effect.scoped(Effect.flatMap(sourceOf(peer), sayHello))
      yield* Effect.flatMap(sourceOf(peer), sayHello)
      assert.strictEqual(peer.asked.length, 8)
      assert.isTrue(peer.asked.every(({ http }) => http === "POST"))
    }))
})

const noisy = (asked: Asked, value: unknown): Answer =>
  events([
    event({ jsonrpc: "2.0", id: asked.id, method: "ping" }),
    event({ jsonrpc: "2.0", id: "s-1", method: "sampling/createMessage", params: { messages: [] } }),
    event({ jsonrpc: "2.0", id: "s-2", method: "roots/list" }),
    event({ jsonrpc: "2.0", id: "s-3", method: "elicitation/create", params: {} }),
    event(answering(asked, { result: value }))
  ])

describe("what is sent", () => {
  for (const [kind, script] of [["stateless", stateless], ["with sessions", sessions]] as const) {
    it.live(`to a server ${kind} is nothing but what lists and runs tools and what comes before [R-000-091]`, () =>
      Effect.gen(function*() {
        const peer = yield* onLoopback(server({
          ...script,
          "tools/list": (asked) => noisy(asked, { tools: asked.params["cursor"] === undefined ? [echoTool] : [], nextCursor: asked.params["cursor"] === undefined ? "more" : undefined })
        }))
        const source = yield* sourceOf(peer)
        yield* source.discover
        yield* sayHello(source)
        yield* endOf(source.call("no such tool", {}))
        yield* source.discover
        const known = script === stateless ? [probe, "tools/list", "tools/call"] : [probe, ...begin, "tools/list", "tools/call"]
        assert.sameMembers([...new Set(methodsOf(peer))], known)
        assert.isTrue(peer.asked.every(({ http }) => http === "POST"))
      }))

    it.live(`to a server ${kind} answers no request of it [R-000-092]`, () =>
      Effect.gen(function*() {
        const peer = yield* onLoopback(server({ ...script, "tools/call": (asked) => noisy(asked, { content: [] }) }))
        const source = yield* sourceOf(peer)
        assert.deepEqual(yield* endOf(sayHello(source)), { value: [] })
        assert.deepEqual(yield* endOf(sayHello(source)), { value: [] })
        // One more exchange, so that an answer that was under way has arrived.
        yield* source.discover
        for (const { body } of peer.asked) assert.hasAnyKeys(JSON.parse(body), ["method"])
      }))
  }

  it.live("carries the client's bearer token in every request: probe, initialize, notification, list, call, retry, cancel, resumption [R-000-007]", () =>
    Effect.gen(function*() {
      const peers = [
        yield* onLoopback(server({
          ...sessions,
          "tools/call": (asked) => {
            if (asked.before === 0) return { status: 404 }
            if (asked.params.name === "hang") return "hang"
            return asked.params.name === "cut" ? events(["retry: 1\n", "id: 1\ndata:\n\n"]) : sessions["tools/call"]!(asked)
          },
          GET: ({ before }) => before === 0 ? events([event({ jsonrpc: "2.0", id: null, result: { content: [] } })]) : { status: 405 }
        })),
        yield* onLoopback(server({
          ...stateless,
          [probe]: (asked) => asked.before === 0 ? error(asked, -32_022, { status: 400, data: { supported: ["2026-07-28"] } }) : stateless[probe]!(asked),
          "tools/call": (asked) => asked.before === 0 ? error(asked, -32_020, { status: 400 }) : result(asked, { content: [] })
        }))
      ]
      for (const peer of peers) {
        const source = yield* sourceOf(peer)
        yield* endOf(sayHello(source))
        yield* source.discover
        yield* endOf(source.call("cut", { authorization: "Bearer model", Authorization: "model" }))
      }
      const [first] = peers
      const source = yield* sourceOf(first!)
      const fiber = yield* Effect.forkChild(source.call("hang", {}))
      yield* eventually(() => first!.asked.some(({ params }) => params.name === "hang"), "the call arrives")
      yield* interrupts(fiber)
      yield* eventually(() => methodsOf(first!).includes("notifications/cancelled"), "the call is cancelled")
      assert.includeMembers([...new Set(methodsOf(first!))], [probe, ...begin, "tools/call", "tools/list", "GET", "notifications/cancelled"])
      assert.deepEqual(methodsOf(peers[1]!).slice(0, 4), [probe, probe, "tools/call", "tools/list"])
      for (const { asked } of peers) {
        assert.deepEqual(asked.map(({ headers }) => headers["authorization"]), asked.map(() => `Bearer ${token}`))
      }
    }))
})

const listing = (answer: (asked: Asked) => Answer): Peer => inProcess(server({ ...stateless, "tools/list": answer }))

const tool = (name: string, more: object = {}) => ({ name, description: `The tool ${name}.`, inputSchema: { type: "object" }, ...more })

describe("the list of tools", () => {
  for (const [kind, script] of [["stateless", stateless], ["with sessions", sessions]] as const) {
    it.effect(`of a server ${kind} is followed page by page until it ends [R-000-107]`, () =>
      Effect.gen(function*() {
        const cursors = [undefined, "2", "", "last one, with \"signs\" and ü"]
        const peer = inProcess(server({
          ...script,
          "tools/list": (asked) => {
            const at = cursors.indexOf(asked.params["cursor"] as string | undefined)
            return result(asked, { tools: [tool(`t${at}`)], ...(at + 1 < cursors.length && { nextCursor: cursors[at + 1] }) })
          }
        }))
        const source = yield* sourceOf(peer)
        assert.deepEqual((yield* source.discover).map(({ name }) => name), ["t0", "t1", "t2", "t3"])
        const pages = peer.asked.filter(({ method }) => method === "tools/list").map(({ params }) => params)
        assert.deepEqual(pages.map((params) => "cursor" in params ? params["cursor"] : undefined), cursors)
      }))
  }

  it.effect("ends where a cursor comes again, with what there is and a warning [R-000-108]", () =>
    Effect.gen(function*() {
      const { layer, logs } = diagnostics()
      const peer = listing((asked) => result(asked, { tools: [tool(`t${asked.before}`)], nextCursor: asked.before % 2 === 0 ? "a" : "b" }))
      const names = (yield* Effect.provide(Effect.flatMap(sourceOf(peer), ({ discover }) => discover), layer)).map(({ name }) => name)
      assert.deepEqual(names, ["t0", "t1", "t2"])
      assert.deepEqual(logs.map(({ level }) => level), ["Warn"])
    }))

  it.effect("ends after a thousand pages, with what there is and a warning [R-000-108]", () =>
    Effect.gen(function*() {
      const { layer, logs } = diagnostics()
      const peer = listing((asked) => result(asked, { tools: [tool(`t${asked.before}`)], nextCursor: `after ${asked.before}` }))
      const names = (yield* Effect.provide(Effect.flatMap(sourceOf(peer), ({ discover }) => discover), layer)).map(({ name }) => name)
      assert.deepEqual([names.length, names[0], names[999]], [1_000, "t0", "t999"])
      assert.strictEqual(methodsOf(peer).filter((method) => method === "tools/list").length, 1_000)
      assert.deepEqual(logs.map(({ level }) => level), ["Warn"])
    }))

  it.effect("carries the hints and the title a server gives, and leaves out those it does not [R-000-114]", () =>
    Effect.gen(function*() {
      const peer = listing((asked) =>
        result(asked, {
          tools: [
            tool("all", { title: "All", annotations: { title: "Less", readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } }),
            tool("none"),
            tool("some", { annotations: { title: "Some", destructiveHint: true, readOnly: true, custom: 1 } })
          ]
        }))
      const definitions = yield* (yield* sourceOf(peer)).discover
      assert.deepEqual(definitions.map(({ annotations }) => annotations), [
        { title: "All", readOnly: true, destructive: false, idempotent: true, openWorld: false },
        {},
        { title: "Some", destructive: true }
      ])
    }))

  it.effect("holds definitions that a catalog stores, with the schema as the server wrote it and no output schema [R-000-028]", () =>
    Effect.gen(function*() {
      const inputSchema = {
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
        required: ["z", "a"],
        properties: { z: { $ref: "#/$defs/Z" }, a: { type: ["string", "null"], default: null, "x-own": [1, { b: true }] } },
        $defs: { Z: { type: "integer", minimum: -1.5e-7 } },
        additionalProperties: false
      }
      const peer = listing((asked) =>
        result(asked, { tools: [{ ...tool("t", { inputSchema }), outputSchema: { type: "object", title: "told" }, icons: [], _meta: { told: 1 }, execution: { taskSupport: "optional" } }] }))
      const definitions = yield* (yield* sourceOf(peer)).discover
      assert.deepEqual(definitions.map((definition) => Object.keys(definition).sort()), [["annotations", "description", "inputSchema", "name"]])
      assert.strictEqual(JSON.stringify(definitions[0]!.inputSchema), JSON.stringify(inputSchema))
      const codec = Schema.toCodecJson(Schema.Array(ToolDefinition.ToolDefinition))
      const stored = JSON.stringify(yield* Effect.orDie(Schema.encodeEffect(codec)(definitions)))
      assert.notInclude(stored, "told")
      assert.deepEqual(yield* Effect.orDie(Schema.decodeUnknownEffect(codec)(JSON.parse(stored))), definitions)
    }))

  it.effect("is asked for anew by each discover", () =>
    Effect.gen(function*() {
      const peer = listing((asked) => result(asked, { tools: [tool(`t${asked.before}`)] }))
      const source = yield* sourceOf(peer)
      for (const name of ["t0", "t1", "t2"]) assert.deepEqual((yield* source.discover).map(({ name }) => name), [name])
    }))
})

const answers = (value: unknown, script: Script = stateless) => inProcess(server({ ...script, "tools/call": (asked) => result(asked, value) }))

describe("a result", () => {
  it.effect("is the structured content when there is some [R-000-110]", () =>
    Effect.gen(function*() {
      for (const structuredContent of [{ a: { b: [1, null] } }, {}, [], [1], "", "text", 0, false]) {
        const peer = answers({ content: said("beside it"), structuredContent })
        assert.deepEqual(yield* endOf(sayHello(yield* sourceOf(peer))), { value: structuredContent })
      }
    }))

  it.effect("is without it the content blocks as the server wrote them [R-000-111]", () =>
    Effect.gen(function*() {
      const content = [
        { type: "text", text: "a", annotations: { audience: ["user"], priority: 0.1 }, own: null },
        { type: "image", data: "aGk=", mimeType: "image/png", _meta: { x: 1 } },
        { type: "resource", resource: { uri: "file:///a", text: "b" } },
        { type: "resource_link", uri: "file:///b", name: "b" },
        { type: "never heard of", at: [[]] },
        { no: "type" }
      ]
      for (const structuredContent of [undefined, null]) {
        const peer = answers({ content, structuredContent, _meta: { more: true } })
        assert.deepEqual(yield* endOf(sayHello(yield* sourceOf(peer))), { value: content })
      }
    }))

  it.effect("keeps a key named __proto__, the order of keys and a half of a surrogate pair", () =>
    Effect.gen(function*() {
      const text = String.raw`[{"type":"text","text":"\ud83d","b":1,"a":2,"__proto__":{"own":true}}]`
      const peer = inProcess(server({
        ...stateless,
        "tools/call": ({ id }) => ({ headers: { "content-type": "application/json" }, body: `{"id":${JSON.stringify(id)},"result":{"content":${text}}}` })
      }))
      const value = yield* sayHello(yield* sourceOf(peer))
      assert.strictEqual(JSON.stringify(value), JSON.stringify(JSON.parse(text)))
    }))

  it.effect("that says isError is CallFailedError with the text that the tool said, which a model reads [R-000-112]", () =>
    Effect.gen(function*() {
      const value = {
        isError: true,
        content: [{ type: "text", text: "no such" }, { type: "image", data: "", mimeType: "image/png" }, { type: "text", text: "city: Ü" }],
        structuredContent: { hidden: true }
      }
      for (const script of [stateless, sessions]) {
        const source = yield* sourceOf(answers(value, script))
        const { reason } = yield* Effect.flip(sayHello(source))
        assert.deepEqual([reason._tag, reason.modelMessage], ["CallFailedError", "no such\ncity: Ü"])
        const read = yield* modelReads(source, "echo", {})
        assert.deepEqual(read.encodedResult, { code: "CallFailedError", message: "no such\ncity: Ü", retryable: false })
      }
    }))

  it.effect("that asks for input first is UnsupportedError [R-000-113]", () =>
    Effect.gen(function*() {
      for (const more of [{ inputRequests: { a: { method: "elicitation/create", params: {} } } }, { requestState: "x" }, { content: said("x") }]) {
        const peer = answers({ resultType: "input_required", ...more })
        assert.strictEqual(yield* endOf(sayHello(yield* sourceOf(peer))), "UnsupportedError")
        assert.deepEqual(methodsOf(peer), [probe, "tools/call"])
      }
    }))

  it.live("is the same whether it comes as JSON or as an event stream [R-000-115]", () =>
    Effect.gen(function*() {
      const values = [
        { content: said("ü 日本 😀") },
        { structuredContent: { a: 1 } },
        { isError: true, content: said("failed") },
        { resultType: "input_required" },
        { content: 1 }
      ]
      for (const script of [stateless, sessions]) {
        for (const value of values) {
          const ends = []
          for (const wrap of [json, (message: unknown): Answer => events([event(message)])]) {
            const peer = yield* onLoopback(server({ ...script, "tools/call": (asked) => wrap(answering(asked, { result: value })) }))
            const source = yield* sourceOf(peer)
            ends.push([yield* endOf(sayHello(source)), (yield* modelReads(source, "echo", {})).encodedResult])
          }
          assert.deepEqual(ends[1], ends[0])
        }
      }
    }))

  it.live("is found among the other messages of an event stream [R-000-116]", () =>
    Effect.gen(function*() {
      const others = [
        ": a comment\n\n",
        "id: 1\ndata:\n\n",
        "retry: 10\n\n",
        "event: heartbeat\n\n",
        event({ jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } }),
        event({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "result" } }),
        event({ jsonrpc: "2.0", id: 1, method: "ping" }),
        event({ jsonrpc: "2.0", id: "none of ours", result: { content: said("another") } })
      ]
      for (const script of [stateless, sessions]) {
        const peer = yield* onLoopback(server({
          ...script,
          "tools/call": (asked) => events([...others, event({ ...answering(asked, {}), method: "roots/list" }), ...others, event(answering(asked, { result: { content: said("ours") } })), ...others])
        }))
        assert.deepEqual(yield* endOf(sayHello(yield* sourceOf(peer))), { value: said("ours") })
      }
    }))

  for (const [kind, script] of [["stateless", stateless], ["with sessions", sessions]] as const) {
    it.live(`that a stream of a server ${kind} ends without is an error, and no hang [R-000-117]`, () =>
      Effect.gen(function*() {
        const bodies: ReadonlyArray<ReadonlyArray<string>> = [[": only a comment\n\n"], [event({ jsonrpc: "2.0", method: "notifications/progress" })], ["data: {\"jsonrpc\":\"2.0\",\"id\""], ["data"]]
        for (const body of bodies) {
          const peer = yield* onLoopback(server({ ...script, "tools/call": () => events(body) }))
          assert.strictEqual(yield* endOf(sayHello(yield* sourceOf(peer))), "UnavailableError")
        }
      }))
  }

  const unreadable: ReadonlyArray<readonly [string, (asked: Asked) => Answer]> = [
    ["no JSON", () => ({ headers: { "content-type": "application/json" }, body: "<oops>" })],
    ["JSON and no message", () => json({ content: [] })],
    ["a text", () => json("result")],
    ["of another id", (asked) => json({ jsonrpc: "2.0", id: `not ${asked.id}`, result: { content: [] } })],
    ["of another id on a stream", (asked) => events([event({ jsonrpc: "2.0", id: `not ${asked.id}`, result: { content: [] } })])],
    ["of another content type", (asked) => result(asked, { content: [] }, { headers: { "content-type": "text/html" } })],
    ["a page", () => ({ headers: { "content-type": "text/html" }, body: "<html>" })]
  ]
  for (const [what, answer] of unreadable) {
    it.live(`that is ${what} is InvalidResponseError [R-000-118]`, () =>
      Effect.gen(function*() {
        for (const method of ["tools/call", "tools/list"]) {
          const peer = yield* onLoopback(server({ ...stateless, [method]: answer }))
          const source = yield* sourceOf(peer)
          assert.strictEqual(yield* endOf((method === "tools/call" ? sayHello : list)(source)), "InvalidResponseError")
        }
      }))
  }
})

const calling = (answer: (asked: Asked) => Answer, script: Script = stateless) => inProcess(server({ ...script, "tools/call": answer }))

describe("an error", () => {
  const statuses: ReadonlyArray<readonly [ReadonlyArray<number>, string]> = [
    [[401, 403], "AuthenticationError"],
    [[408, 429, 500, 501, 502, 503, 504, 599], "UnavailableError"],
    [[300, 301, 302, 303, 304, 307, 308, 202, 204, 400, 402, 404, 405, 409, 410, 418, 422, 451], "InvalidResponseError"]
  ]
  for (const [codes, reason] of statuses) {
    it.effect(`is ${reason} at status ${codes.join(", ")} [R-000-119]`, () =>
      Effect.gen(function*() {
        for (const status of codes) {
          for (const body of ["", "<html>"]) {
            const answer: Answer = { status, ...(body !== "" && { body, headers: { "content-type": "text/html" } }) }
            const call = yield* endOf(sayHello(yield* sourceOf(calling(() => answer))))
            const list = yield* endOf((yield* sourceOf(listing(() => answer))).discover)
            assert.deepEqual([status, call, list], [status, reason, reason])
          }
        }
      }))
  }

  const codes: ReadonlyArray<readonly [number, string, string]> = [
    [-32_700, "InvalidResponseError", "InvalidResponseError"],
    [-32_600, "InvalidResponseError", "InvalidResponseError"],
    [-32_021, "UnsupportedError", "UnsupportedError"],
    [-32_602, "InvalidInputError", "InvalidResponseError"],
    [-32_603, "CallFailedError", "UnknownError"],
    [-32_000, "CallFailedError", "UnknownError"],
    [-32_002, "CallFailedError", "UnknownError"],
    [-32_042, "CallFailedError", "UnknownError"],
    [0, "CallFailedError", "UnknownError"],
    [1, "CallFailedError", "UnknownError"],
    [404, "CallFailedError", "UnknownError"]
  ]
  for (const [code, ofCall, ofList] of codes) {
    it.effect(`is ${ofCall} of a call and ${ofList} of a list with code ${code}, whatever its status [R-000-119]`, () =>
      Effect.gen(function*() {
        for (const status of [200, 400, 404]) {
          const call = yield* endOf(sayHello(yield* sourceOf(calling((asked) => error(asked, code, { status })))))
          const list = yield* endOf((yield* sourceOf(listing((asked) => error(asked, code, { status })))).discover)
          assert.deepEqual([status, call, list], [status, ofCall, ofList])
        }
      }))
  }

  it.effect("with code -32601 is UnsupportedError of a call, and no tools when the list has it at once [R-000-119]", () =>
    Effect.gen(function*() {
      for (const status of [200, 404]) {
        const call = yield* endOf(sayHello(yield* sourceOf(calling((asked) => error(asked, -32_601, { status })))))
        const list = yield* endOf((yield* sourceOf(listing((asked) => error(asked, -32_601, { status })))).discover)
        assert.deepEqual([call, list], ["UnsupportedError", { value: [] }])
      }
    }))

  for (const message of ["Unknown tool: nothing", "Tool nothing not found", "unknown tool", "Tool 'nothing' not found"]) {
    it.effect(`that says "${message}" with code -32602 is NotFoundError [R-000-119]`, () =>
      Effect.gen(function*() {
        for (const script of [stateless, sessions]) {
          const peer = calling((asked) => error(asked, -32_602, { message }), script)
          assert.strictEqual(yield* endOf((yield* sourceOf(peer)).call("nothing", {})), "NotFoundError")
        }
      }))
  }

  it.effect("of a tool that the server lacks is an error of the source, however the server says so [R-000-120]", () =>
    Effect.gen(function*() {
      const answers: ReadonlyArray<(asked: Asked) => Answer> = [
        (asked) => error(asked, -32_602, { message: "Unknown tool: nothing" }),
        (asked) => error(asked, -32_601, { message: "Unknown tool: nothing" }),
        (asked) => error(asked, -32_603, { message: "KeyError: 'nothing'" }),
        (asked) => error(asked, -32_602, { status: 404 }),
        (asked) => result(asked, { isError: true, content: said("MCP error -32602: Tool nothing not found") }),
        () => ({ status: 404 })
      ]
      for (const answer of answers) {
        const source = yield* sourceOf(calling(answer))
        const failed = yield* Effect.flip(source.call("nothing", {}))
        assert.isTrue(ToolSourceError.isToolSourceError(failed))
        assert.strictEqual(failed.source, "mcp")
      }
    }))

  it.effect("that the model is to mend holds the server's words, cut to 500 characters", () =>
    Effect.gen(function*() {
      for (const [code, tag] of [[-32_602, "InvalidInputError"], [-32_603, "CallFailedError"]] as const) {
        for (const message of ["text: expected a city, got \"ü\"", "password is required", "user.name: too long at 12:30, in index.ts of version 1.2.3"]) {
          const short = yield* Effect.flip(sayHello(yield* sourceOf(calling((asked) => error(asked, code, { message })))))
          assert.deepEqual([short.reason._tag, short.reason.modelMessage], [tag, message])
        }
        const long = yield* Effect.flip(sayHello(yield* sourceOf(calling((asked) => error(asked, code, { message: "x".repeat(499) + "😀".repeat(9) })))))
        assert.strictEqual(long.reason._tag, tag)
        assert.isTrue(long.reason.modelMessage.startsWith("x".repeat(400)))
        assert.isAtMost(long.reason.modelMessage.length, 500)
        assert.isTrue(long.reason.modelMessage.isWellFormed())
      }
    }))

  const addresses = [
    "see http://10.0.0.1/x",
    "see HTTPS://mcp.example.com",
    "connect ECONNREFUSED 127.0.0.1:5432",
    "no localhost here",
    "sent Bearer abc.def",
    "sent bearer abc",
    "timed out: POST 10.0.0.5:8080/mcp",
    "getaddrinfo ENOTFOUND db.internal.example.org",
    "refused by user@10.0.0.5",
    "away: redis:6379"
  ]
  for (const message of addresses) {
    it.effect(`that says "${message}" is fixed words to a model`, () =>
      Effect.gen(function*() {
        for (const code of [-32_602, -32_603]) {
          const peer = calling((asked) => error(asked, code, { message }))
          const { reason } = yield* Effect.flip(sayHello(yield* sourceOf(peer)))
          assert.notInclude(inspect(reason, { depth: 20 }), message.split(" ").at(-1)!)
          assert.isAbove(reason.modelMessage.length, 0)
        }
      }))
  }

  it.effect("of which the model reads nothing holds nothing of the server's words", () =>
    Effect.gen(function*() {
      const words = "words-of-the-server"
      const answers: ReadonlyArray<(asked: Asked) => Answer> = [
        ...[-32_700, -32_600, -32_601, -32_020, -32_021, -32_022].map((code) => (asked: Asked) => error(asked, code, { message: words, data: { words } })),
        ...[401, 403, 404, 418, 429, 500, 503].map((status) => (): Answer => ({ status, body: words, headers: { "content-type": "text/plain", "x-words": words } })),
        (asked) => error(asked, -32_602, { message: `Unknown tool: ${words}` }),
        (asked) => result(asked, { resultType: "input_required", requestState: words }),
        (asked) => result(asked, { resultType: words }),
        (asked) => result(asked, { content: words }),
        () => ({ headers: { "content-type": words }, body: words }),
        () => ({ headers: { "content-type": "application/json" }, body: words })
      ]
      for (const answer of answers) {
        const { reason } = yield* Effect.flip(sayHello(yield* sourceOf(calling(answer))))
        assert.notInclude(["InvalidInputError", "CallFailedError"], reason._tag)
        assert.notInclude(inspect(reason, { depth: 20, showHidden: true }), words)
      }
    }))
})

/** Says the credential and the address wherever it can. */
const saying = (asked: Asked, status: number): Answer =>
  error(asked, -32_603, { status, headers: { "www-authenticate": echo(asked), location: echo(asked) }, data: { supported: [echo(asked)] } })

const withPart = (script: Script, method: string, part: Server): Script => ({ ...script, [method]: part })

describe("the client's credential", () => {
  it.live("is in no error, however it is looked at, in no result and in no log line, also when the server says it [R-000-009]", () =>
    Effect.gen(function*() {
      const parts: ReadonlyArray<Server> = [
        ...[200, 400, 401, 404, 429, 500].map((status) => (asked: Asked) => saying(asked, status)),
        ...[-32_602, -32_601, -32_020, -32_021, -32_022].map((code) => (asked: Asked) => error(asked, code)),
        ...[-32_602, -32_603].map((code) => (asked: Asked) => error(asked, code, { message: `invalid key ${credential(asked)}` })),
        (asked) => result(asked, { isError: true, content: said(`upstream refused ${credential(asked)}`) }),
        () => "reset",
        (asked) => ({ headers: { "content-type": "text/html" }, body: echo(asked) }),
        (asked) => ({ headers: { "content-type": "application/json" }, body: echo(asked) }),
        (asked) => events([`data: ${echo(asked)}\n\n`])
      ]
      const telling: Script = { ...sessions, initialize: (asked) => begun(asked, echo(asked)) }
      const scripts: ReadonlyArray<Script> = [
        ...[probe, "tools/call", "tools/list"].flatMap((method) => parts.map((part) => withPart(stateless, method, part))),
        ...["initialize", "notifications/initialized", "tools/call"].flatMap((method) => parts.map((part) => withPart(telling, method, part))),
        { ...telling, initialize: (asked) => begun(asked, echo(asked), echo(asked)) },
        { ...stateless, "tools/list": (asked) => result(asked, { tools: [{ name: 1, description: echo(asked) }, { inputSchema: echo(asked) }, echo(asked)], nextCursor: echo(asked) }) }
      ]
      const { layer, logs, reports } = diagnostics()
      const codec = Schema.toCodecJson(ToolSourceError.ToolSourceError)
      const tags = new Set<string>()
      for (const script of scripts) {
        const peer = yield* onLoopback(server(script))
        const source = yield* sourceOf(peer)
        for (const use of [sayHello, list]) {
          const exit = yield* Effect.exit(Effect.provide(use(source), layer))
          if (Exit.isSuccess(exit)) continue
          const failed = Cause.squash(exit.cause) as ToolSourceError.ToolSourceError
          tags.add(failed.reason._tag)
          const stored = JSON.stringify(yield* Effect.orDie(Schema.encodeEffect(codec)(failed)))
          holdsNoSecret(peer, `${failed} ${failed.stack} ${Cause.pretty(exit.cause)} ${stored} ${JSON.stringify(failed)}`)
          holdsNoSecret(peer, inspect(failed, { depth: 20, showHidden: true }))
        }
        holdsNoSecret(peer, inspect(yield* Effect.provide(modelReads(source, "echo", {}), layer), { depth: 20 }))
        assert.isAbove(peer.asked.length, 0)
      }
      assert.includeMembers([...tags], ["AuthenticationError", "UnavailableError", "InvalidResponseError", "UnsupportedError", "CallFailedError", "InvalidInputError"])
      assert.isAbove(logs.length, 0)
      assert.notInclude(inspect([logs, reports], { depth: 20 }), token)
    }), 60_000)

  const { basicAuth, bearerToken, setHeader, setUrlParam } = HttpClientRequest
  /** What a client authenticates with, how, and what of the endpoint's URL is a secret. */
  const secrets: ReadonlyArray<readonly [string, string, (request: HttpClientRequest.HttpClientRequest) => HttpClientRequest.HttpClientRequest, string]> = [
    ["a bearer token", "tok_8are", bearerToken("tok_8are"), ""],
    ["a bearer token, percent-encoded", "tok%2F8are%2B", bearerToken("tok/8are+"), ""],
    ["a bearer token, escaped in JSON", String.raw`tok\"8are`, bearerToken("tok\"8are"), ""],
    ["a password", "open sesame", basicAuth("user", "open sesame"), ""],
    ["a user and a password as they are sent", "dXNlcjpvcGVuIHNlc2FtZQ", basicAuth("user", "open sesame"), ""],
    ["a key in a header", "k123", setHeader("x-api-key", "k123"), ""],
    ["a cookie", "s3ss10n", setHeader("cookie", "a=b; sid=s3ss10n"), ""],
    ["a key that the client puts into the query", "k456", setUrlParam("key", "k456"), ""],
    ["a key in the endpoint's query", "k789", (request) => request, "?key=k789"],
    ["a key in the query that a redirect leads away from", "S3cr3tKey", (request) => HttpClientRequest.setUrl(request, request.url.split("?")[0]!), "?key=S3cr3tKey"],
    ["a key in the endpoint's path", "hook_1a2b", (request) => request, "/hook_1a2b"]
  ]
  for (const [what, secret, authenticate, more] of secrets) {
    it.effect(`is left out of a server's words where it is ${what}, and the words are kept [R-000-009]`, () =>
      Effect.gen(function*() {
        const words = `'${secret}' may not say hello: ask for more`
        const kept = "'[withheld]' may not say hello: ask for more"
        const answers: ReadonlyArray<(asked: Asked) => Answer> = [
          ...[-32_602, -32_603].flatMap((code) => [200, 400].map((status) => (asked: Asked) => error(asked, code, { status, message: words }))),
          (asked) => events([event(answering(asked, { error: { code: -32_603, message: words } }))]),
          (asked) => result(asked, { isError: true, content: said(words) }),
          (asked) => result(asked, { isError: true, content: [...said(words), ...said("x".repeat(300_000))] })
        ]
        for (const script of [stateless, sessions]) {
          for (const answer of answers) {
            const peer = calling(answer, script)
            const source = yield* sourceOf(peer, { url: peer.url + more, client: HttpClient.mapRequest(peer.client, authenticate) })
            const { reason } = yield* Effect.flip(sayHello(source))
            assert.strictEqual(reason.modelMessage.slice(0, 60).split("\n")[0], kept)
          }
        }
      }))
  }

  it.effect("is left out where it is the id of a session [R-000-009]", () =>
    Effect.gen(function*() {
      const telling = calling((asked) => error(asked, -32_603, { message: `${asked.headers["mcp-session-id"]} has no room` }), sessions)
      const { reason } = yield* Effect.flip(sayHello(yield* sourceOf(telling)))
      assert.strictEqual(reason.modelMessage, "[withheld] has no room")
    }))

  it.effect("is left out of words that a client takes for a failure, and of those of a stream that was taken up again [R-000-009]", () =>
    Effect.gen(function*() {
      const refusing = calling((asked) => error(asked, -32_602, { status: 400, message: `no ${credential(asked)}` }))
      const refused = yield* Effect.flip(sayHello(yield* sourceOf(refusing, { client: HttpClient.filterStatusOk(refusing.client) })))
      assert.strictEqual(refused.reason.modelMessage, "no [withheld]")

      let call: Asked | undefined
      const cutting = inProcess(server({
        ...sessions,
        "tools/call": (asked) => {
          call = asked
          return events(["id: 1\nretry: 0\ndata:\n\n"])
        },
        GET: (asked) => events([event(answering(call!, { error: { code: -32_603, message: `no ${credential(asked)}` } }))])
      }))
      const fiber = yield* Effect.forkChild(Effect.flip(sayHello(yield* sourceOf(cutting))))
      yield* eventually(() => call !== undefined, "the call arrives")
      for (let left = 100; left > 0 && fiber.pollUnsafe() === undefined; left--) {
        yield* TestClock.adjust("1 second")
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
      }
      assert.strictEqual((yield* Fiber.join(fiber)).reason.modelMessage, "no [withheld]")
      assert.include(methodsOf(cutting), "GET")
    }))

  it.effect("is in a result where a tool gives it: a result is the tool's, as it wrote it", () =>
    Effect.gen(function*() {
      const giving = calling((asked) => result(asked, { content: said(`yours is ${credential(asked)}`) }))
      assert.deepEqual(yield* endOf(sayHello(yield* sourceOf(giving))), { value: said(`yours is ${token}`) })
    }))
})

const hang = () => "hang" as const

const after = (opened: Promise<void>, part: Server): Server => (asked) => opened.then(() => part(asked))

describe("time", () => {
  /** What hangs, the server it hangs at, the use that meets it, and how many requests there are by then. */
  const hanging: ReadonlyArray<readonly [string, Script, Use, number]> = [
    ["the probe", { ...stateless, [probe]: hang }, sayHello, 1],
    ["initialize", { ...sessions, initialize: hang }, sayHello, 2],
    ["the notification that a session has begun", { ...sessions, "notifications/initialized": hang }, sayHello, 3],
    ["a call", { ...stateless, "tools/call": hang }, sayHello, 2],
    ["a call in a session", { ...sessions, "tools/call": hang }, sayHello, 4],
    ["a list", { ...stateless, "tools/list": hang }, list, 2],
    ["the second page of a list", { ...stateless, "tools/list": (asked) => asked.before === 0 ? result(asked, { tools: [], nextCursor: "2" }) : "hang" }, list, 3]
  ]
  const limits = [[undefined, 60_000], ["3 seconds", 3_000], [90_000, 90_000]] as const

  for (const [what, script, use, requests] of hanging) {
    it.effect(`is up when ${what} is not answered within the timeout, a minute when none is given [R-000-121]`, () =>
      Effect.gen(function*() {
        for (const [timeout, millis] of limits) {
          const peer = inProcess(server(script))
          const source = yield* sourceOf(peer, { timeout })
          const fiber = yield* Effect.forkChild(Effect.flip(use(source)))
          yield* eventually(() => peer.asked.length === requests, `${what} is waited for`)
          yield* TestClock.adjust(millis - 1)
          assert.isUndefined(fiber.pollUnsafe())
          yield* TestClock.adjust(1)
          const failed = yield* Fiber.join(fiber)
          assert.deepEqual([failed.reason._tag, failed.isRetryable], ["UnavailableError", true])
        }
      }))
  }

  const bodies: ReadonlyArray<readonly [string, () => Answer]> = [
    ["JSON", () => ({ headers: { "content-type": "application/json" }, body: ["{\"jsonrpc\":"], end: "hang" })],
    ["a stream that says nothing", () => events([], { end: "hang" })],
    ["a stream of other messages", () => events([event({ jsonrpc: "2.0", method: "notifications/progress" }), "data: {\"a\":"], { end: "hang" })]
  ]
  for (const [what, answer] of bodies) {
    for (const [kind, script] of [["stateless", stateless], ["with sessions", sessions]] as const) {
      it.effect(`counts the body of a call, ${what}, with a server ${kind} [R-000-122]`, () =>
        Effect.gen(function*() {
          const peer = inProcess(server({ ...script, "tools/call": answer }))
          const source = yield* sourceOf(peer, { timeout: "10 seconds" })
          const fiber = yield* Effect.forkChild(Effect.flip(sayHello(source)))
          yield* eventually(() => methodsOf(peer).includes("tools/call"), "the tool is called")
          yield* TestClock.adjust("9999 millis")
          assert.isUndefined(fiber.pollUnsafe())
          yield* TestClock.adjust("1 millis")
          assert.strictEqual((yield* Fiber.join(fiber)).reason._tag, "UnavailableError")
        }))
    }
  }

  it.effect("is not given anew by each message of a stream [R-000-122]", () =>
    Effect.gen(function*() {
      const gates = Array.from({ length: 4 }, gate)
      let sent = 0
      const drip = async function*() {
        for (const { opened } of gates) {
          await opened
          sent++
          yield event({ jsonrpc: "2.0", method: "notifications/progress" })
        }
        await new Promise(() => undefined)
      }
      const peer = inProcess(server({ ...stateless, "tools/call": () => events(drip()) }))
      const fiber = yield* Effect.forkChild(Effect.flip(sayHello(yield* sourceOf(peer, { timeout: "10 seconds" }))))
      yield* eventually(() => methodsOf(peer).includes("tools/call"), "the tool is called")
      for (const [at, { open }] of gates.entries()) {
        open()
        yield* eventually(() => sent === at + 1, "a message is sent")
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust("2500 millis")
      }
      assert.strictEqual((yield* Fiber.join(fiber)).reason._tag, "UnavailableError")
    }))

  it.effect("is of each request: a call that has to negotiate first has it for both [R-000-121]", () =>
    Effect.gen(function*() {
      const [probed, called] = [gate(), gate()]
      const peer = inProcess(server({ ...stateless, [probe]: after(probed.opened, stateless[probe]!), "tools/call": after(called.opened, stateless["tools/call"]!) }))
      const fiber = yield* Effect.forkChild(endOf(sayHello(yield* sourceOf(peer))))
      for (const [at, { open }] of [probed, called].entries()) {
        yield* eventually(() => peer.asked.length === at + 1, "the next request is sent")
        yield* TestClock.adjust("59 seconds")
        assert.isUndefined(fiber.pollUnsafe())
        open()
      }
      assert.deepEqual(yield* Fiber.join(fiber), hello)
    }))

  it.effect("that is up in one call leaves the next one all of its own", () =>
    Effect.gen(function*() {
      const peer = inProcess(server({ ...stateless, "tools/call": (asked) => asked.before === 0 ? "hang" : stateless["tools/call"]!(asked) }))
      const source = yield* sourceOf(peer)
      const fiber = yield* Effect.forkChild(endOf(sayHello(source)))
      yield* eventually(() => methodsOf(peer).includes("tools/call"), "the tool is called")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Fiber.join(fiber), "UnavailableError")
      assert.deepEqual(yield* endOf(sayHello(source)), hello)
      assert.deepEqual(methodsOf(peer), [probe, "tools/call", "tools/call"])
    }))

  it.live("that is up closes the request", () =>
    Effect.gen(function*() {
      const answers: ReadonlyArray<Answered> = ["hang", events([": on and on\n\n"], { end: "hang" })]
      for (const answer of answers) {
        const peer = yield* onLoopback(server({ ...stateless, "tools/call": () => answer }))
        assert.strictEqual(yield* endOf(sayHello(yield* sourceOf(peer, { timeout: "300 millis" }))), "UnavailableError")
        yield* peer.closed(1)
      }
    }))
})

const unending = (asked: Asked): Answered => asked.params.name === "body" ? events([": on and on\n\n"], { end: "hang" }) : "hang"

const handles = () => process.getActiveResourcesInfo().length

describe("giving up", () => {
  for (const [kind, script, before] of [["stateless", stateless, 1], ["with sessions", sessions, 3]] as const) {
    for (const name of ["head", "body"]) {
      it.live(`a call before the end of the answer's ${name} closes the request to a server ${kind} [R-000-123]`, () =>
        Effect.gen(function*() {
          const peer = yield* onLoopback(server({ ...script, "tools/call": unending }))
          const source = yield* sourceOf(peer)
          const fiber = yield* Effect.forkChild(source.call(name, {}))
          yield* peer.arrived(before + 1)
          // So that the head of the answer has been read, where there is one.
          if (name === "body") yield* Effect.sleep("50 millis")
          yield* interrupts(fiber)
          yield* peer.closed(before)
        }))
    }
  }

  const negotiations: ReadonlyArray<readonly [string, Script, number]> = [
    ["the probe", { ...stateless, [probe]: () => "hang" }, 0],
    ["initialize", { ...sessions, initialize: () => "hang" }, 1],
    ["the notification", { ...sessions, "notifications/initialized": () => "hang" }, 2]
  ]
  for (const [what, script, at] of negotiations) {
    it.live(`the only call that waits for ${what} closes that request, and the next call begins anew [R-000-123]`, () =>
      Effect.gen(function*() {
        let hanging = true
        const well = server(script[probe] === stateless[probe] || at === 0 ? stateless : sessions)
        const ill = server(script)
        const peer = yield* onLoopback((asked) => hanging ? ill(asked) : well(asked))
        const source = yield* sourceOf(peer)
        const fiber = yield* Effect.forkChild(sayHello(source))
        yield* peer.arrived(at + 1)
        yield* interrupts(fiber)
        yield* peer.closed(at)
        hanging = false
        assert.deepEqual(yield* endOf(sayHello(source)), hello)
        assert.notInclude(methodsOf(peer), "notifications/cancelled")
      }))
  }

  it.live("a list closes the request [R-000-123]", () =>
    Effect.gen(function*() {
      const peer = yield* onLoopback(server({ ...stateless, "tools/list": () => "hang" }))
      const source = yield* sourceOf(peer)
      const fiber = yield* Effect.forkChild(source.discover)
      yield* peer.arrived(2)
      yield* interrupts(fiber)
      yield* peer.closed(1)
    }))

  const given: ReadonlyArray<readonly [string, boolean]> = [["that is interrupted", true], ["that is out of time", false]]
  for (const [how, interrupted] of given) {
    it.live(`a call ${how} is told to a server with sessions, with the call's own id`, () =>
      Effect.gen(function*() {
        const peer = yield* onLoopback(server({ ...sessions, "tools/call": unending }))
        const source = yield* sourceOf(peer, interrupted ? {} : { timeout: "500 millis" })
        for (const name of ["head", "body"]) {
          const told = methodsOf(peer).filter((method) => method === "notifications/cancelled").length
          const fiber = yield* Effect.forkChild(Effect.exit(source.call(name, {})))
          yield* eventually(() => peer.asked.some(({ params }) => params.name === name), "the call arrives")
          if (interrupted) yield* Fiber.interrupt(fiber)
          else yield* Fiber.await(fiber)
          yield* eventually(() => methodsOf(peer).filter((method) => method === "notifications/cancelled").length === told + 1, "the call is cancelled")
          const call = peer.asked.findLast(({ method }) => method === "tools/call")!
          const cancelled = peer.asked.findLast(({ method }) => method === "notifications/cancelled")!
          assert.strictEqual(cancelled.params["requestId"], call.id)
          assert.isUndefined(cancelled.id)
          assert.deepEqual([cancelled.headers["mcp-session-id"], cancelled.headers["mcp-protocol-version"]], ["session-1", "2025-11-25"])
        }
      }))

    it.live(`a call ${how} is not told to a stateless server`, () =>
      Effect.gen(function*() {
        const peer = yield* onLoopback(server({ ...stateless, "tools/call": unending }))
        const source = yield* sourceOf(peer, interrupted ? {} : { timeout: "300 millis" })
        for (const name of ["head", "body"]) {
          const fiber = yield* Effect.forkChild(Effect.exit(source.call(name, {})))
          yield* eventually(() => peer.asked.some(({ params }) => params.name === name), "the call arrives")
          if (interrupted) yield* Fiber.interrupt(fiber)
          else yield* Fiber.await(fiber)
        }
        yield* source.discover
        yield* Effect.sleep("50 millis")
        assert.deepEqual(methodsOf(peer), [probe, "tools/call", "tools/call", "tools/list"])
      }))

    it.live(`an initialize ${how} is not cancelled`, () =>
      Effect.gen(function*() {
        const peer = yield* onLoopback(server({ ...sessions, initialize: (asked) => asked.before === 0 ? "hang" : sessions["initialize"]!(asked) }))
        const source = yield* sourceOf(peer, interrupted ? {} : { timeout: "300 millis" })
        const fiber = yield* Effect.forkChild(Effect.exit(sayHello(source)))
        yield* eventually(() => methodsOf(peer).includes("initialize"), "the session is begun")
        if (interrupted) yield* Fiber.interrupt(fiber)
        else yield* Fiber.await(fiber)
        yield* source.discover
        yield* Effect.sleep("50 millis")
        assert.notInclude(methodsOf(peer), "notifications/cancelled")
      }))
  }

  it.live("a call does not wait for a server that does not answer the cancellation", () =>
    Effect.gen(function*() {
      for (const answer of ["hang", "reset", { status: 500 }] as const) {
        const peer = yield* onLoopback(server({ ...sessions, "tools/call": (asked) => asked.before === 0 ? "hang" : sessions["tools/call"]!(asked), "notifications/cancelled": () => answer }))
        const source = yield* sourceOf(peer)
        const fiber = yield* Effect.forkChild(sayHello(source))
        yield* peer.arrived(4)
        yield* interrupts(fiber)
        assert.deepEqual(yield* endOf(sayHello(source)), hello)
      }
    }))

  for (const [kind, script, total] of [["stateless", stateless, 2_000], ["with sessions", sessions, 2_000]] as const) {
    it.live(`thousands of calls to a server ${kind} leaves nothing behind: no connection, no fiber, and no more handles than before`, () =>
      Effect.gen(function*() {
        const arrivals = Array.from({ length: total }, gate)
        const peer = yield* onLoopback((asked) => {
          if (asked.method === "tools/call") {
            arrivals[Number(asked.params.arguments?.["at"])]!.open()
            return unending(asked)
          }
          const answer = server(script)(asked) as Answer
          return { ...answer, headers: { ...answer.headers, connection: "close" } }
        })
        const source = yield* sourceOf(peer)
        yield* source.discover
        yield* eventually(() => peer.open() === 0, "no connection is open before")
        const before = handles()
        const fibers = { started: 0, ended: 0 }
        const counting: Metric.FiberRuntimeMetricsService = {
          recordFiberStart: () => void fibers.started++,
          recordFiberEnd: () => void fibers.ended++
        }
        yield* Effect.forEach(arrivals, ({ opened }, at) =>
          Effect.gen(function*() {
            const fiber = yield* Effect.forkChild(Effect.provideService(source.call(at % 2 === 0 ? "head" : "body", { at }), Metric.FiberRuntimeMetrics, counting))
            // Before the request has left, on its way, when it has arrived, and while it is answered.
            if (at % 4 === 0) yield* Effect.yieldNow
            if (at % 4 === 1) yield* Effect.sleep(at % 5)
            if (at % 4 >= 2) yield* Effect.promise(() => opened)
            if (at % 4 === 3) yield* Effect.sleep(at % 7)
            yield* Fiber.interrupt(fiber)
          }), { concurrency: 32, discard: true })
        const asked = (method: string) => peer.asked.filter((one) => one.method === method)
        assert.isAtLeast(asked("tools/call").length, total / 2)
        yield* eventually(() => peer.open() === 0, "no connection is open after")
        yield* eventually(() => handles() <= before + 2, "no handle is left")
        yield* eventually(() => fibers.ended === fibers.started, "no fiber is left")
        assert.isAtLeast(fibers.started, script === sessions ? total / 2 : 0)
        // Each that arrived is taken back once, by its own id, and nothing else is.
        const cancelled = asked("notifications/cancelled").map(({ params }) => params["requestId"])
        const calls = new Set(asked("tools/call").map(({ id }) => id))
        assert.strictEqual(new Set(cancelled).size, cancelled.length)
        if (script === sessions) assert.deepEqual([...calls].filter((id) => !cancelled.includes(id)), [])
        else assert.deepEqual(cancelled, [])
      }), 120_000)
  }
})

describe("calls together", () => {
  for (const [kind, script, negotiation] of [["stateless", stateless, [probe]], ["with sessions", sessions, [probe, ...begin]]] as const) {
    it.live(`share one negotiation with a server ${kind}, and each gets its own answer [R-000-124]`, () =>
      Effect.gen(function*() {
        const hold = gate()
        const peer = yield* onLoopback(server({
          ...script,
          [probe]: async (asked) => {
            await hold.opened
            return script[probe]!(asked)
          },
          // The last to come is the first to be answered.
          "tools/call": async (asked) => {
            await new Promise((resolve) => setTimeout(resolve, 64 - asked.before))
            return script["tools/call"]!(asked)
          }
        }))
        const source = yield* sourceOf(peer)
        const texts = Array.from({ length: 64 }, (_, at) => `text ${at}`)
        const fibers = yield* Effect.forEach(texts, (text) => Effect.forkChild(source.call("echo", { text })))
        yield* peer.arrived(1)
        yield* Effect.yieldNow
        hold.open()
        assert.deepEqual(yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber)), texts.map(said))
        assert.deepEqual(methodsOf(peer), [...negotiation, ...texts.map(() => "tools/call")])
        assert.strictEqual(new Set(peer.asked.filter(({ method }) => method === "tools/call").map(({ id }) => id)).size, 64)
      }))

    it.live(`with a server ${kind} go on when the one that negotiates is interrupted`, () =>
      Effect.gen(function*() {
        const hold = gate()
        const peer = yield* onLoopback(server({
          ...script,
          [probe]: async (asked) => {
            await hold.opened
            return script[probe]!(asked)
          }
        }))
        const source = yield* sourceOf(peer)
        const first = yield* Effect.forkChild(sayHello(source))
        yield* peer.arrived(1)
        const others = yield* Effect.forEach(["a", "b", "c"], (text) => Effect.forkChild(source.call("echo", { text })))
        yield* Effect.sleep("20 millis")
        yield* interrupts(first)
        hold.open()
        assert.deepEqual(yield* Effect.forEach(others, (fiber) => Fiber.join(fiber)), ["a", "b", "c"].map(said))
        const methods = methodsOf(peer)
        assert.isAtMost(methods.filter((method) => method === probe).length, 2)
        assert.strictEqual(methods.filter((method) => method === "tools/call").length, 3)
      }))
  }

  it.live("share one negotiation that fails, and the next call tries anew [R-000-105]", () =>
    Effect.gen(function*() {
      const hold = gate()
      const peer = yield* onLoopback(server({
        ...stateless,
        [probe]: async (asked) => {
          await hold.opened
          return asked.before === 0 ? { status: 503 } : stateless[probe]!(asked)
        }
      }))
      const source = yield* sourceOf(peer)
      const fibers = yield* Effect.forEach(Array.from({ length: 8 }), () => Effect.forkChild(endOf(sayHello(source))))
      yield* peer.arrived(1)
      yield* Effect.sleep("20 millis")
      hold.open()
      assert.deepEqual(yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber)), Array.from({ length: 8 }, () => "UnavailableError" as const))
      assert.deepEqual(methodsOf(peer), [probe])
      assert.deepEqual(yield* endOf(sayHello(source)), hello)
      assert.deepEqual(methodsOf(peer), [probe, probe, "tools/call"])
    }))

  it.live("whose session has ended share one begin, and each is sent once more [R-000-103]", () =>
    Effect.gen(function*() {
      const hold = gate()
      const count = 16
      const peer = yield* onLoopback(server({
        ...sessions,
        "tools/call": async (asked) => {
          if (asked.headers["mcp-session-id"] !== "session-1") return sessions["tools/call"]!(asked)
          if (asked.before === count - 1) hold.open()
          await hold.opened
          return { status: 404 }
        }
      }))
      const source = yield* sourceOf(peer)
      const texts = Array.from({ length: count }, (_, at) => `text ${at}`)
      const values = yield* Effect.forEach(texts, (text) => source.call("echo", { text }), { concurrency: "unbounded" })
      assert.deepEqual(values, texts.map(said))
      const methods = methodsOf(peer)
      assert.strictEqual(methods.filter((method) => method === "initialize").length, 2)
      assert.strictEqual(methods.filter((method) => method === "tools/call").length, 2 * count)
      assert.strictEqual(methods.filter((method) => method === probe).length, 1)
    }))

  it.live("of which one learns late that the session has ended, use the one that was begun since", () =>
    Effect.gen(function*() {
      const hold = gate()
      const peer = yield* onLoopback(server({
        ...sessions,
        "tools/call": async (asked) => {
          if (asked.headers["mcp-session-id"] !== "session-1") return sessions["tools/call"]!(asked)
          if (asked.params.arguments?.["text"] === "late") await hold.opened
          return { status: 404 }
        }
      }))
      const source = yield* sourceOf(peer)
      const late = yield* Effect.forkChild(source.call("echo", { text: "late" }))
      yield* eventually(() => methodsOf(peer).includes("tools/call"), "the late call arrives")
      assert.deepEqual(yield* endOf(sayHello(source)), hello)
      hold.open()
      assert.deepEqual(yield* Fiber.join(late), said("late"))
      assert.strictEqual(methodsOf(peer).filter((method) => method === "initialize").length, 2)
    }))

  it.live("of which one that begins the session again is interrupted, go on", () =>
    Effect.gen(function*() {
      const hold = gate()
      const peer = yield* onLoopback(server({
        ...sessions,
        initialize: async (asked) => {
          if (asked.before > 0) await hold.opened
          return sessions["initialize"]!(asked)
        },
        "tools/call": (asked) => asked.headers["mcp-session-id"] === "session-1" ? { status: 404 } : sessions["tools/call"]!(asked)
      }))
      const source = yield* sourceOf(peer)
      const first = yield* Effect.forkChild(sayHello(source))
      yield* eventually(() => methodsOf(peer).filter((method) => method === "initialize").length === 2, "the session is begun again")
      const others = yield* Effect.forEach(["a", "b"], (text) => Effect.forkChild(source.call("echo", { text })))
      yield* Effect.sleep("50 millis")
      yield* interrupts(first)
      hold.open()
      assert.deepEqual(yield* Effect.forEach(others, (fiber) => Fiber.join(fiber)), ["a", "b"].map(said))
    }))

  it.live("on two sources of one client know nothing of each other", () =>
    Effect.gen(function*() {
      const peer = yield* onLoopback(server(sessions))
      for (const source of [yield* sourceOf(peer), yield* sourceOf(peer, { name: "other" })]) yield* sayHello(source)
      assert.deepEqual(methodsOf(peer), [probe, ...begin, "tools/call", probe, ...begin, "tools/call"])
      assert.deepEqual(peer.asked.filter(({ method }) => method === "tools/call").map(({ headers }) => headers["mcp-session-id"]), ["session-1", "session-2"])
    }))
})

describe("redirects", () => {
  it.live("that the client does not follow are InvalidResponseError, and no credential goes elsewhere", () =>
    Effect.gen(function*() {
      const other = yield* onLoopback(server(stateless))
      const peer = yield* onLoopback(server({ ...stateless, "tools/call": () => ({ status: 307, headers: { location: other.url } }) }))
      const client = HttpClient.transform(peer.client, (effect) => Effect.provideService(effect, FetchHttpClient.RequestInit, { redirect: "manual" }))
      assert.strictEqual(yield* endOf(sayHello(yield* sourceOf(peer, { client }))), "InvalidResponseError")
      assert.deepEqual(other.asked, [])
    }))
})
