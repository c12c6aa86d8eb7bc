/**
 * What servers of MCP do that they should not, one row each: to the probe, to a session's beginning and end, to a list and
 * to a call. Whatever it is, it ends as it should and soon, never in a defect, and a model reads neither the credential nor
 * the address, which most of these servers say wherever they can.
 */
import { inspect } from "node:util"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, type Scope } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import type { ToolDefinition, ToolSource, ToolSourceError } from "../../ts/index.ts"
import { diagnostics } from "../support/language-model.ts"
import {
  accepted,
  type Answer,
  type Answered,
  answering,
  type Asked,
  begun,
  credential,
  echo,
  endOf,
  error,
  event,
  events,
  eventually,
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
  server,
  sessions,
  sourceOf,
  stateless
} from "../support/mcp.ts"

type Tag = ToolSourceError.ToolSourceErrorReason["_tag"]
type Respond = (asked: Asked) => Answered

const probe = "server/discover"
const begin = ["initialize", "notifications/initialized"]
const MiB = 1_048_576

/** An answer of a content type, or of none. */
const typed = (type: string | undefined, body: NonNullable<Answer["body"]>, answer: Answer = {}): Answer => ({ ...answer, ...(type !== undefined && { headers: { ...answer.headers, "content-type": type } }), body })

const page = (asked: Asked, status = 200): Answer => typed("text/html", `<html>${echo(asked)}</html>`, { status })

/** Of time, where the case is that nothing comes. */
const short = { timeout: "1 second" } as const

interface Options {
  /** For a server that does not answer: the row is about the timeout. */
  readonly timeout?: "1 second"
  /** A client that shows redirects, which `fetch` would follow. */
  readonly seesRedirects?: boolean
  /** For a stream that breaks after it is read: a runtime drops what it holds unread when a connection breaks, so here the break waits for the reader. */
  readonly inProcess?: boolean
}

const peerOf = (script: Script, { inProcess: inside = false }: Options): Effect.Effect<Peer, never, Scope.Scope> => (inside ? Effect.succeed(inProcess(server(script))) : onLoopback(server(script)))

const withOptions = (peer: Peer, { seesRedirects = false, timeout }: Options): Effect.Effect<ToolSource.ToolSource> =>
  sourceOf(peer, {
    ...(timeout !== undefined && { timeout }),
    ...(seesRedirects && { client: HttpClient.transform(peer.client, (effect) => Effect.provideService(effect, FetchHttpClient.RequestInit, { redirect: "manual" })) })
  })

/** How a use of a source over this server ends: its value or its reason. Defects fail the test, and so do errors that tell too much. */
const ends = <A>(peer: Peer, effect: Effect.Effect<A, ToolSourceError.ToolSourceError>): Effect.Effect<{ readonly value: A } | Tag> =>
  Effect.gen(function*() {
    const exit = yield* Effect.exit(effect)
    if (Exit.isSuccess(exit)) return { value: exit.value }
    assert.isFalse(Cause.hasDies(exit.cause) || Cause.hasInterrupts(exit.cause), Cause.pretty(exit.cause))
    const failed = Cause.squash(exit.cause) as ToolSourceError.ToolSourceError
    holdsNoSecret(peer, inspect(failed, { depth: 20, showHidden: true }))
    assert.strictEqual(failed.isRetryable, failed.reason._tag === "UnavailableError")
    return failed.reason._tag
  })

/** The same call as a model makes it, over a server of its own: it reads the value, or the reason and nothing of the server. */
const isReadAs = (script: () => Script, expected: { readonly value: unknown } | Tag, options: Options): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function*() {
    const peer = yield* peerOf(script(), options)
    const read = yield* modelReads(yield* withOptions(peer, options), "echo", { text: "hello" })
    const text = JSON.stringify([read.result, read.encodedResult])
    holdsNoSecret(peer, text)
    if (typeof expected !== "string") return assert.deepEqual([read.isFailure, read.result], [false, expected.value])
    assert.deepEqual([read.isFailure, (read.result as ToolSource.Failure).code], [true, expected])
    assert.notMatch(text, /https?:\/\/|127\.0\.0\.1|localhost|bearer /i)
  })

interface Row extends Options {
  readonly title: string
  readonly script: () => Script
  readonly ends: { readonly value: unknown } | Tag
  /** What is sent, in order. */
  readonly sent?: ReadonlyArray<string>
  /** What a model reads of the failure. */
  readonly says?: string
}

/** One test for each row, of a call of the tool `echo`. */
const rows = (rows: ReadonlyArray<Row>): void => {
  for (const { ends: expected, says, script, sent, title, ...options } of rows) {
    const called = Effect.gen(function*() {
      const peer = yield* peerOf(script(), options)
      const source = yield* withOptions(peer, options)
      const call = Effect.tapError(source.call("echo", { text: "hello" }), ({ reason }) =>
        Effect.sync(() => assert.strictEqual(reason.modelMessage, says ?? reason.modelMessage)))
      assert.deepEqual(yield* ends(peer, call), expected)
      if (sent !== undefined) assert.deepEqual(methodsOf(peer), sent)
    })
    it.live(title, () => Effect.all([called, isReadAs(script, expected, options)], { concurrency: 2 }), 30_000)
  }
}

const hello = { value: said("hello") }

const refusing = (code: number, answer: Parameters<typeof error>[2] = {}): Respond => (asked) => error(asked, code, { status: 400, ...answer })

const supported = (...versions: ReadonlyArray<unknown>) => ({ data: { supported: versions, requested: "2026-07-28" } })

describe("the probe", () => {
  const discovered = { supportedVersions: ["2026-07-28"], capabilities: {} }

  const isStateless: ReadonlyArray<readonly [string, Respond]> = [
    ["a result listing 2026-07-28 alone", (asked) => result(asked, discovered)],
    ["a result listing all five versions", (asked) => result(asked, { ...discovered, supportedVersions: ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] })],
    ["a result listing things that are no versions besides", (asked) => result(asked, { ...discovered, supportedVersions: [null, 1, "2099-01-01", "2026-07-28"] })],
    ["a result with hints for a cache and unknown members", (asked) => result(asked, { ...discovered, resultType: "complete", ttlMs: -1, cacheScope: "public", instructions: null, more: {} })],
    ["a result without capabilities", (asked) => result(asked, { supportedVersions: ["2026-07-28"] })],
    ["a result as an event stream", (asked) => events([event(answering(asked, { result: discovered }))])],
    ["a result as an event stream that stays open", (asked) => events([event(answering(asked, { result: discovered }))], { end: "hang" })],
    ["a result as an event stream in CRLF after other messages", (asked) => events([": hi\r\n\r\n", "id: 1\r\ndata:\r\n\r\n", event({ method: "notifications/message" }).replaceAll("\n", "\r\n"), event(answering(asked, { result: discovered })).replaceAll("\n", "\r\n")])],
    ["a result whose id is text", (asked) => json({ jsonrpc: "2.0", id: String(asked.id), result: discovered })],
    ["a result whose id is null", (asked) => result({ ...asked, id: null }, discovered)],
    ["a result without an id", () => json({ jsonrpc: "2.0", result: discovered })],
    ["a result without jsonrpc beside an error of null", ({ id }) => json({ id, result: discovered, error: null })],
    ["a result as plain text", (asked) => typed("text/plain; charset=utf-8", JSON.stringify(answering(asked, { result: discovered })))],
    ["a result without a content type", (asked) => typed(undefined, JSON.stringify(answering(asked, { result: discovered })))],
    ["a result after a byte order mark", (asked) => typed("application/json", `\u{feff}${JSON.stringify(answering(asked, { result: discovered }))}`)],
    ["a result in a batch", (asked) => json([answering(asked, { result: discovered })])],
    ["a result with a session id", (asked) => result(asked, discovered, { headers: { "mcp-session-id": echo(asked) } })]
  ]
  for (const [what, respond] of isStateless) {
    it.live(`answered with ${what} finds a stateless server [R-000-095]`, () =>
      Effect.gen(function*() {
        const peer = yield* onLoopback(server({ ...stateless, [probe]: respond }))
        assert.deepEqual(yield* ends(peer, (yield* sourceOf(peer)).call("echo", { text: "hello" })), hello)
        assert.deepEqual(methodsOf(peer), [probe, "tools/call"])
        assert.isTrue(peer.asked.every(({ headers }) => headers["mcp-session-id"] === undefined))
      }))
  }

  it.live("answered with -32022 listing 2026-07-28 is sent once more, and finds a stateless server [R-000-095]", () =>
    Effect.gen(function*() {
      for (const status of [400, 200]) {
        const peer = yield* onLoopback(server({ ...stateless, [probe]: (asked) => asked.before === 0 ? refusing(-32_022, { ...supported("2025-11-25", "2026-07-28"), status })(asked) : stateless[probe]!(asked) }))
        assert.deepEqual(yield* ends(peer, (yield* sourceOf(peer)).call("echo", { text: "hello" })), hello)
        assert.deepEqual(methodsOf(peer), [probe, probe, "tools/call"])
        assert.notStrictEqual(peer.asked[0]!.id, peer.asked[1]!.id)
      }
    }))

  const hasSessions: ReadonlyArray<readonly [string, Respond]> = [
    ["a result listing session versions only", (asked) => result(asked, { ...discovered, supportedVersions: ["2025-11-25", "2025-06-18"] })],
    ["a result of {}", (asked) => result(asked, {})],
    ["a result of null", (asked) => result(asked, null)],
    ["a result that is a text", (asked) => result(asked, "2026-07-28")],
    ["a result that is a list", (asked) => result(asked, ["2026-07-28"])],
    ["a result whose supportedVersions is a text", (asked) => result(asked, { supportedVersions: "2026-07-28" })],
    ["a result whose supportedVersions is an object", (asked) => result(asked, { supportedVersions: { 0: "2026-07-28" } })],
    ["a result of another method", (asked) => result(asked, { tools: [] })],
    ...["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"].map((version) => [`-32022 listing ${version}`, refusing(-32_022, supported("2099-01-01", version))] as const),
    ["-32022 listing session versions at 200", refusing(-32_022, { ...supported("2025-11-25"), status: 200 })],
    ["-32022 without data", refusing(-32_022)],
    ["-32022 with data of {}", refusing(-32_022, { data: {} })],
    ["-32022 with data of null", refusing(-32_022, { data: null })],
    ["-32022 whose supported is a number", refusing(-32_022, { data: { supported: 5 } })],
    ["-32022 whose supported is an object", refusing(-32_022, { data: { supported: { 0: "2026-07-28" } } })],
    ...[-32_700, -32_600, -32_601, -32_602, -32_603, -32_020, -32_021, -32_000, -32_001, -32_002, 0, 404].flatMap((code) =>
      [200, 400, 404].map((status) => [`${code} at ${status}`, refusing(code, { status })] as const)
    ),
    ["-32601 with an id of null", (asked) => error({ ...asked, id: null }, -32_601, { status: 404 })],
    ["-32601 with an id of its own", (asked) => error({ ...asked, id: "server-error" }, -32_600, { status: 400 })],
    ["-32601 as an event stream", (asked) => events([event(answering(asked, { error: { code: -32_601, message: echo(asked) } }))])],
    ["404 \"Invalid session ID\"", (asked) => json({ error: "Invalid session ID", at: echo(asked) }, { status: 404 })],
    ["an error whose code is a text", (asked) => json(answering(asked, { error: { code: "unknown", message: echo(asked) } }))],
    ["an error that is a text", (asked) => json({ error: echo(asked) })],
    ...[400, 404, 405, 406, 410, 415, 422].flatMap((status): ReadonlyArray<readonly [string, Respond]> => [
      [`${status} and nothing`, () => ({ status })],
      [`${status} and a page`, (asked) => page(asked, status)],
      [`${status} and JSON of its own`, (asked) => json({ detail: echo(asked) }, { status })]
    ]),
    ["409 and nothing", () => ({ status: 409 })],
    ["418 and nothing", () => ({ status: 418 })],
    ["202", () => accepted],
    ["202 of JSON and nothing", () => typed("application/json", "", { status: 202 })],
    ["204", () => ({ status: 204 })],
    ["nothing", () => ({})],
    ["JSON and nothing", () => typed("application/json", "")],
    ["an empty event stream", () => events([])],
    ["an event stream of comments", () => events([": on\n\n", ": and on\n\n"])],
    ["an event stream of notifications", () => events([event({ jsonrpc: "2.0", method: "notifications/message" })])],
    ["an event stream of no JSON", (asked) => events([`data: ${echo(asked)}\n\n`])],
    ["an event stream answering another request", () => events([event({ jsonrpc: "2.0", id: "another", result: discovered })])],
    ["an answer to another request", () => json({ jsonrpc: "2.0", id: "another", result: discovered })],
    ["plain text", (asked) => typed("text/plain", `ok ${echo(asked)}`)],
    ["a page", (asked) => page(asked)],
    ["a picture", () => typed("image/png", new Uint8Array([137, 80, 78, 71]))],
    ["half of a message, whole by its length", () => typed("application/json", "{\"jsonrpc\":\"2.0\",")],
    ["JSON null", () => json(null)],
    ["JSON true", () => json(true)],
    ["JSON {}", () => json({})],
    ["an empty batch", () => json([])],
    ["a notification", () => json({ jsonrpc: "2.0", method: "notifications/message" })],
    ["a request", ({ id }) => json({ jsonrpc: "2.0", id, method: "ping" })]
  ]
  for (const [what, respond] of hasSessions) {
    it.live(`answered with ${what} is followed by a session [R-000-096]`, () =>
      Effect.gen(function*() {
        const peer = yield* onLoopback(server({ ...sessions, [probe]: respond }))
        assert.deepEqual(yield* ends(peer, (yield* sourceOf(peer)).call("echo", { text: "hello" })), hello)
        assert.deepEqual(methodsOf(peer), [probe, ...begin, "tools/call"])
      }))
  }

  /** No fallback, and nothing is kept: the second call probes again. */
  const failing = (reason: Tag, id: string, table: ReadonlyArray<readonly [string, Respond, Options?]>, probes = 1): void => {
    for (const [what, respond, options = {}] of table) {
      it.live(`answered with ${what} is ${reason}, and the next call probes again${id}`, () =>
        Effect.gen(function*() {
          let failing = true
          const script: Script = { ...stateless, [probe]: (asked) => failing ? respond(asked) : stateless[probe]!(asked) }
          const peer = yield* onLoopback(server(script))
          const source = yield* withOptions(peer, options)
          assert.strictEqual(yield* ends(peer, source.call("echo", { text: "hello" })), reason)
          assert.deepEqual(methodsOf(peer), Array.from({ length: probes }, () => probe))
          yield* isReadAs(() => script, reason, options)
          failing = false
          assert.deepEqual(yield* ends(peer, source.call("echo", { text: "hello" })), hello)
          assert.deepEqual(methodsOf(peer).slice(probes), [probe, "tools/call"])
        }))
    }
  }

  failing("AuthenticationError", " [R-000-097]", [
    ["401 and nothing", () => ({ status: 401 })],
    ["401 and a challenge", (asked) => json({ error: "invalid_token" }, { status: 401, headers: { "www-authenticate": `Bearer resource_metadata="${echo(asked)}"` } })],
    ["401 and -32601", refusing(-32_601, { status: 401 })],
    ["401 and a result", (asked) => result(asked, discovered, { status: 401 })],
    ["401 and a body that never ends", () => ({ status: 401, body: ["x"], end: "hang" })],
    ["403 and a page", (asked) => page(asked, 403)],
    ["403 and -32022", refusing(-32_022, { ...supported("2025-11-25"), status: 403 })]
  ])
  failing("UnavailableError", " [R-000-125]", [
    ...[408, 429, 500, 501, 502, 503, 504, 520, 599].flatMap((status): ReadonlyArray<readonly [string, Respond]> => [
      [`${status} and a page`, (asked) => page(asked, status)],
      [`${status} and -32601`, refusing(-32_601, { status })]
    ]),
    ["429 and a time to wait", () => ({ status: 429, headers: { "retry-after": "1" } })],
    ["503 and a result", (asked) => result(asked, discovered, { status: 503 })],
    ["503 and a body that never ends", () => ({ status: 503, body: ["x"], end: "hang" })]
  ])
  failing("UnavailableError", " [R-000-098]", [
    ["a connection that closes", () => "reset"],
    ["a head and a connection that closes", () => typed("application/json", [], { end: "reset" })],
    ["JSON that breaks off", () => typed("application/json", ["{\"jsonrpc\":\"2.0\","], { end: "reset" })],
    ["JSON shorter than its length", () => typed("application/json", ["{}"], { headers: { "content-length": "1000" }, end: "reset" })],
    ["an event stream that breaks off", () => events([": hi\n\n"], { end: "reset" })],
    ["nothing in time", () => "hang", short],
    ["half of a message in time", () => typed("application/json", ["{\"jsonrpc\""], { end: "hang" }), short],
    ["an event stream without an answer in time", () => events([": hi\n\n"], { end: "hang" }), short]
  ])
  failing("InvalidResponseError", "", [301, 302, 303, 307, 308].map((status) =>
    [`${status}, which the client shows`, (asked) => ({ status, headers: { location: `${echo(asked)}/elsewhere` } }), { seesRedirects: true }] as const
  ))
  failing("UnsupportedError", " [R-000-105]", [
    ["-32022 listing unknown versions", refusing(-32_022, supported("2099-01-01", "2026-07-29"))],
    ["-32022 listing unknown versions at 200", refusing(-32_022, { ...supported("2099-01-01"), status: 200 })]
  ])
  failing("UnsupportedError", " [R-000-105]", [["-32022 listing 2026-07-28 again and again", refusing(-32_022, supported("2026-07-28"))]], 2)
})

const erring = (code: number, answer: Parameters<typeof error>[2] = {}): Respond => (asked) => error(asked, code, answer)

const choosing = (code: number, supported: unknown): Script => ({ ...sessions, initialize: (asked) => asked.params["protocolVersion"] === "2025-11-25" ? error(asked, code, { status: 400, data: { supported } }) : begun(asked, "s", asked.params["protocolVersion"] as string) })

describe("initialize", () => {
  const opening = (respond: Respond): (() => Script) => () => ({ ...sessions, initialize: respond })
  const negotiating = [probe, "initialize"]
  const whole = [probe, ...begin, "tools/call"]
  const version = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "", version: "" } }

  const good: ReadonlyArray<readonly [string, Respond]> = [
    ["a result as an event stream", (asked) => events([event(answering(asked, { result: version }))], { headers: { "mcp-session-id": "s" } })],
    ["a result as an event stream that stays open, after a priming event", (asked) => events(["id: 0\nretry: 3000\ndata:\n\n", event(answering(asked, { result: version }))], { end: "hang" })],
    ["a result without capabilities and serverInfo", (asked) => result(asked, { protocolVersion: "2025-03-26" })],
    ["a result of wrong members beside the version", (asked) => result(asked, { protocolVersion: "2024-11-05", capabilities: null, serverInfo: [], instructions: 5 })],
    ["a result whose id is text", (asked) => json({ jsonrpc: "2.0", id: String(asked.id), result: version })],
    ["a result as plain text", (asked) => typed("text/plain", JSON.stringify(answering(asked, { result: version })))],
    ["a session id that says the credential", (asked) => begun(asked, echo(asked))]
  ]
  rows(good.map(([what, respond]) => ({ title: `answered with ${what} begins a session`, script: opening(respond), ends: hello, sent: whole })))

  rows([
    ...["2026-07-28", "2099-01-01", "1.0", "", " 2025-11-25"].map((version): Row => ({
      title: `answered with the version "${version}" is UnsupportedError [R-000-100]`,
      script: opening((asked) => begun(asked, "s", version)),
      ends: "UnsupportedError",
      sent: negotiating
    })),
    { title: "answered with a version that says the credential is UnsupportedError", script: opening((asked) => begun(asked, "s", echo(asked))), ends: "UnsupportedError", sent: negotiating },
    ...[{}, null, "2025-11-25", ["2025-11-25"], { capabilities: {} }].map((value): Row => ({
      title: `answered with the result ${JSON.stringify(value)} is InvalidResponseError`,
      script: opening((asked) => result(asked, value)),
      ends: "InvalidResponseError",
      sent: negotiating
    })),
    { title: "answered with -32601 is UnsupportedError", script: opening(erring(-32_601, { status: 404 })), ends: "UnsupportedError", sent: negotiating },
    { title: "answered with -32022 without data is UnsupportedError", script: opening(erring(-32_022, { status: 400 })), ends: "UnsupportedError", sent: negotiating },
    { title: "answered with -32022 listing unknown versions is UnsupportedError", script: opening(erring(-32_022, { data: { supported: ["2099-01-01"] } })), ends: "UnsupportedError", sent: negotiating },
    ...[-32_700, -32_600, -32_602, -32_603, -32_000, 1].map((code): Row => ({ title: `answered with ${code} is InvalidResponseError`, script: opening(erring(code)), ends: "InvalidResponseError", sent: negotiating })),
    ...[400, 404, 405, 406, 415, 422].map((status): Row => ({ title: `answered with ${status} and a page is InvalidResponseError`, script: opening((asked) => page(asked, status)), ends: "InvalidResponseError", sent: negotiating })),
    ...[202, 204].map((status): Row => ({ title: `answered with ${status} is InvalidResponseError at once`, script: opening(() => ({ status })), ends: "InvalidResponseError", sent: negotiating })),
    { title: "answered with a page is InvalidResponseError", script: opening((asked) => page(asked)), ends: "InvalidResponseError", sent: negotiating },
    ...[401, 403].map((status): Row => ({ title: `answered with ${status} is AuthenticationError`, script: opening((asked) => page(asked, status)), ends: "AuthenticationError", sent: negotiating })),
    ...[408, 429, 500, 501, 503].map((status): Row => ({ title: `answered with ${status} is UnavailableError`, script: opening(erring(-32_601, { status })), ends: "UnavailableError", sent: negotiating })),
    ...[302, 307].map((status): Row => ({ title: `answered with ${status}, which the client shows, is InvalidResponseError`, script: opening((asked) => ({ status, headers: { location: echo(asked) } })), ends: "InvalidResponseError", sent: negotiating, seesRedirects: true })),
    { title: "answered with a connection that closes is UnavailableError", script: opening(() => "reset"), ends: "UnavailableError", sent: negotiating },
    { title: "answered with an event stream that ends is UnavailableError", script: opening(() => events([": hi\n\n"])), ends: "UnavailableError", sent: negotiating },
    { title: "not answered in time is UnavailableError", script: opening(() => "hang"), ends: "UnavailableError", sent: negotiating, ...short }
  ])

  for (const [code, supported, chosen] of [[-32_602, ["2025-06-18"], "2025-06-18"], [-32_022, ["2024-11-05", "2025-03-26", "2099-01-01"], "2025-03-26"], [-32_000, ["x", 5, "2024-11-05"], "2024-11-05"]] as const) {
    it.live(`refused with ${code} by a server that names versions is sent once more in the newest that is known, ${chosen}`, () =>
      Effect.gen(function*() {
        const peer = yield* onLoopback(server(choosing(code, supported)))
        assert.deepEqual(yield* ends(peer, (yield* sourceOf(peer)).call("echo", { text: "hello" })), hello)
        assert.deepEqual(methodsOf(peer), [probe, "initialize", ...begin, "tools/call"])
        assert.deepEqual(peer.asked.map(({ params }) => params["protocolVersion"]), [undefined, "2025-11-25", chosen, undefined, undefined])
        assert.strictEqual(peer.asked[4]!.headers["mcp-protocol-version"], chosen)
      }))
  }
  it.live("refused with the version that the server expects is sent once more in that", () =>
    Effect.gen(function*() {
      const peer = yield* onLoopback(server({ ...sessions, initialize: (asked) => asked.before === 0 ? error(asked, -32_602, { data: { expected: "2025-03-26", received: "2025-11-25" } }) : begun(asked, "s", "2025-03-26") }))
      assert.deepEqual(yield* ends(peer, (yield* sourceOf(peer)).call("echo", { text: "hello" })), hello)
      assert.deepEqual(peer.asked.map(({ params }) => params["protocolVersion"]), [undefined, "2025-11-25", "2025-03-26", undefined, undefined])
    }))
  rows([
    { title: "refused again with the versions it names is an error, and not a loop", script: opening(erring(-32_602, { data: { supported: ["2025-06-18"] } })), ends: "InvalidResponseError", sent: [probe, "initialize", "initialize"] },
    { title: "refused again with -32022 is UnsupportedError, and not a loop", script: opening(erring(-32_022, { data: { supported: ["2025-06-18"] } })), ends: "UnsupportedError", sent: [probe, "initialize", "initialize"] }
  ])

  const notified = (respond: Respond): (() => Script) => () => ({ ...sessions, "notifications/initialized": respond })
  rows([
    ...([
      ["204", () => ({ status: 204 })],
      ["200 and null", () => json(null)],
      ["200 of JSON and nothing", () => typed("application/json", "")],
      ["200 and a text", (asked) => typed("text/plain", echo(asked))],
      ["200 and a page", (asked) => page(asked)],
      ["200 and an empty event stream", () => events([])],
      ["200 and an event stream that stays open", () => events([], { end: "hang" })],
      ["200 and a body that never ends", () => typed("application/json", ["{"], { end: "hang" })],
      ["200 and a body that breaks off", () => typed("application/json", ["{"], { end: "reset" })],
      ["400", (asked) => error(asked, -32_600, { status: 400 })],
      ["404", () => ({ status: 404 })],
      ["405", () => ({ status: 405 })],
      ["415", (asked) => page(asked, 415)]
    ] satisfies ReadonlyArray<readonly [string, Respond]>).map(([what, respond]): Row => ({
      title: `is over when notifications/initialized is answered with ${what}`,
      script: notified(respond),
      ends: hello,
      sent: whole
    })),
    ...([
      ["401", "AuthenticationError", () => ({ status: 401 })],
      ["403", "AuthenticationError", () => ({ status: 403 })],
      ["408", "UnavailableError", () => ({ status: 408 })],
      ["429", "UnavailableError", () => ({ status: 429 })],
      ["500", "UnavailableError", () => ({ status: 500 })],
      ["503", "UnavailableError", () => ({ status: 503 })],
      ["a connection that closes", "UnavailableError", () => "reset"]
    ] satisfies ReadonlyArray<readonly [string, Tag, Respond]>).map(([what, ends, respond]): Row => ({
      title: `is ${ends} when notifications/initialized is answered with ${what}`,
      script: notified(respond),
      ends,
      sent: [probe, ...begin]
    })),
    { title: "is UnavailableError when notifications/initialized is not answered in time", script: notified(() => "hang"), ends: "UnavailableError", sent: [probe, ...begin], ...short }
  ])
})

const inFirst = ({ headers }: Asked) => headers["mcp-session-id"] === "session-1"

describe("a session", () => {
  const first = [probe, ...begin, "tools/call"]
  const again = [...first, ...begin, "tools/call"]
  const ending = (respond: Respond): (() => Script) => () => ({ ...sessions, "tools/call": (asked) => inFirst(asked) ? respond(asked) : sessions["tools/call"]!(asked) })
  const always = (respond: Respond, more: Script = {}): (() => Script) => () => ({ ...sessions, ...more, "tools/call": respond })

  rows([
    ...([
      ["404 and nothing", () => ({ status: 404 })],
      ["404 and a text", (asked) => typed("text/plain", `Session not found ${echo(asked)}`, { status: 404 })],
      ["404 and -32600 of no id", (asked) => error({ ...asked, id: null }, -32_600, { status: 404 })],
      ["404 and -32001", (asked) => error(asked, -32_001, { status: 404 })],
      ["404 and -32601", (asked) => error(asked, -32_601, { status: 404 })],
      ["400 and -32000", (asked) => error({ ...asked, id: null }, -32_000, { status: 400, message: "Bad Request: No valid session ID provided" })],
      ["400 and nothing", () => ({ status: 400 })],
      ["400 and a page", (asked) => page(asked, 400)]
    ] satisfies ReadonlyArray<readonly [string, Respond]>).map(([what, respond]): Row => ({
      title: `that ends with ${what} is begun again, and the call repeated [R-000-103]`,
      script: ending(respond),
      ends: hello,
      sent: again
    })),
    {
      title: "that ends with 404 and a body that never ends is begun again, and the call repeated [R-000-103]",
      script: ending(() => typed("text/plain", ["x"], { status: 404, end: "hang" })),
      ends: hello,
      sent: again,
      ...short
    },
    ...([
      ["404", "UnavailableError", () => ({ status: 404 })],
      ["404 and -32602", "InvalidInputError", (asked) => error(asked, -32_602, { status: 404 })],
      ["400 and a page", "InvalidResponseError", (asked) => page(asked, 400)],
      ["400 and nothing", "InvalidResponseError", () => ({ status: 400 })],
      ["400 and -32602 that names no request", "InvalidInputError", () => json({ jsonrpc: "2.0", id: null, error: { code: -32_602, message: "no" } }, { status: 400 })],
      ["400 and -32000", "CallFailedError", (asked) => error(asked, -32_000, { status: 400 })],
      ["400 and -32600", "InvalidResponseError", (asked) => error(asked, -32_600, { status: 400 })]
    ] satisfies ReadonlyArray<readonly [string, Tag, Respond]>).map(([what, ends, respond]): Row => ({
      title: `that ends again and again with ${what} is ${ends}, after one repeat [R-000-104]`,
      script: always(respond),
      ends,
      sent: again
    })),
    ...([
      ["404", "InvalidResponseError", () => ({ status: 404 })],
      ["404 and -32601", "UnsupportedError", (asked) => error(asked, -32_601, { status: 404 })],
      ["400 and -32602", "InvalidInputError", (asked) => error(asked, -32_602, { status: 400 })]
    ] satisfies ReadonlyArray<readonly [string, Tag, Respond]>).map(([what, ends, respond]): Row => ({
      title: `without an id does not end with ${what}: it is ${ends} [R-000-102]`,
      script: always(respond, { initialize: (asked) => begun(asked) }),
      ends,
      sent: first
    })),
    {
      title: "does not end with 400 and -32602 that names the request: it was answered within the session",
      script: always((asked) => error(asked, -32_602, { status: 400 })),
      ends: "InvalidInputError",
      sent: first
    },
    ...([405, 410, 422] as const).map((status): Row => ({ title: `does not end with ${status}`, script: always(() => ({ status })), ends: "InvalidResponseError", sent: first })),
    ...([401, 403] as const).map((status): Row => ({ title: `does not end with ${status}`, script: always(() => ({ status })), ends: "AuthenticationError", sent: first })),
    ...([429, 503] as const).map((status): Row => ({ title: `does not end with ${status}`, script: always(() => ({ status })), ends: "UnavailableError", sent: first })),
    {
      title: "that cannot be begun again is that failure [R-000-104]",
      script: () => ({ ...sessions, initialize: (asked) => asked.before === 0 ? begun(asked, "session-1") : { status: 503 }, "tools/call": () => ({ status: 404 }) }),
      ends: "UnavailableError",
      sent: [...first, "initialize"]
    },
    {
      title: "that is dead by an event of {\"error\": \"Session not found\"} is InvalidResponseError at once [R-000-118]",
      script: always((asked) => events([event({ error: `Session not found ${echo(asked)}` })], { end: "hang" })),
      ends: "InvalidResponseError",
      sent: first
    },
    {
      title: "whose answers change the session id goes on with the first",
      script: () => ({ ...sessions, "tools/call": (asked) => ({ ...(inFirst(asked) ? sessions["tools/call"]!(asked) : { status: 404 }) as Answer, headers: { "content-type": "application/json", "mcp-session-id": echo(asked) } }) }),
      ends: hello,
      sent: first
    },
    { title: "whose answers have a priming event first are read", script: always((asked) => events(["id: 1\ndata:\n\n", event(answering(asked, { result: { content: said("hello") } })), "id: 2\n\n"])), ends: hello, sent: first },
    { title: "whose answers have any resultType are read", script: always((asked) => result(asked, { resultType: "of its own", content: said("hello") })), ends: hello, sent: first },
    { title: "that breaks off its answer before an event with an id is UnavailableError", script: always(() => events([event({ jsonrpc: "2.0", method: "notifications/progress" })])), ends: "UnavailableError", sent: first }
  ])

  it.live("that could not be begun again is begun by the next call [R-000-105]", () =>
    Effect.gen(function*() {
      const peer = yield* onLoopback(server({
        ...ending(() => ({ status: 404 }))(),
        initialize: (asked) => asked.before === 1 ? { status: 503 } : begun(asked, `session-${asked.before + 1}`)
      }))
      const source = yield* sourceOf(peer)
      assert.strictEqual(yield* ends(peer, source.call("echo", { text: "hello" })), "UnavailableError")
      assert.deepEqual(yield* ends(peer, source.call("echo", { text: "hello" })), hello)
      assert.strictEqual(peer.asked.at(-1)!.headers["mcp-session-id"], "session-3")
    }))
})

const cut: Respond = () => events(["id: a-1\nretry: 5\ndata:\n\n"])

const answered = (call: Asked) => event(answering(call, { result: { content: said("hello") } }))

describe("an answer that a session cuts", () => {
  const first = [probe, ...begin, "tools/call"]

  /** The last call's request, which the answer on another stream belongs to. */
  const resuming = (get: (asked: Asked, call: Asked) => Answered, call: Respond = cut): Script => {
    let last: Asked | undefined
    return {
      ...sessions,
      "tools/call": (asked) => {
        last = asked
        return call(asked)
      },
      GET: (asked) => get(asked, last!)
    }
  }

  it.live("after an event with an id is taken up with GET and Last-Event-ID", () =>
    Effect.gen(function*() {
      const peer = yield* onLoopback(server(resuming((_, call) => events([answered(call)]))))
      assert.deepEqual(yield* ends(peer, (yield* sourceOf(peer)).call("echo", { text: "hello" })), hello)
      assert.deepEqual(methodsOf(peer), [...first, "GET"])
      const { headers } = peer.asked.at(-1)!
      assert.deepEqual(
        [headers["last-event-id"], headers["accept"], headers["mcp-session-id"], headers["mcp-protocol-version"], headers["content-type"]],
        ["a-1", "text/event-stream", "session-1", "2025-11-25", undefined]
      )
    }))

  it.live("again and again is taken up as long as there is progress, each time from the last id", () =>
    Effect.gen(function*() {
      const peer = yield* onLoopback(server(resuming((asked, call) =>
        asked.before < 6
          ? events([`id: b-${asked.before}\n${event({ jsonrpc: "2.0", method: "notifications/progress" })}`])
          : events([answered(call)], { end: "hang" })
      )))
      assert.deepEqual(yield* ends(peer, (yield* sourceOf(peer)).call("echo", { text: "hello" })), hello)
      assert.deepEqual(peer.asked.filter(({ method }) => method === "GET").map(({ headers }) => headers["last-event-id"]), ["a-1", "b-0", "b-1", "b-2", "b-3", "b-4", "b-5"])
    }))

  it.live("without progress is UnavailableError after a few times", () =>
    Effect.gen(function*() {
      const peer = yield* onLoopback(server(resuming(() => events([]))))
      assert.strictEqual(yield* ends(peer, (yield* sourceOf(peer)).call("echo", { text: "hello" })), "UnavailableError")
      const gets = methodsOf(peer).filter((method) => method === "GET").length
      assert.isTrue(gets >= 1 && gets <= 10, String(gets))
    }))

  rows([
    ...([
      ["405", () => ({ status: 405 })],
      ["404", () => ({ status: 404 })],
      ["503", () => ({ status: 503 })],
      ["a connection that closes", () => "reset"]
    ] satisfies ReadonlyArray<readonly [string, Respond]>).map(([what, respond]): Row => ({
      title: `and answers with ${what} when asked for the rest is UnavailableError`,
      script: () => resuming(respond),
      ends: "UnavailableError"
    })),
    { title: "and does not give in time when asked for the rest is UnavailableError", script: () => resuming(() => "hang"), ends: "UnavailableError", sent: [...first, "GET"], ...short },
    { title: "by breaking the connection is taken up too", script: () => resuming((_, call) => events([answered(call)]), () => events(["id: a-1\nretry: 5\ndata:\n\n"], { end: "reset" })), ends: hello, sent: [...first, "GET"], inProcess: true },
    { title: "with the credential as an event's id is taken up too", script: () => resuming((_, call) => events([answered(call)]), (asked) => events([`id: ${echo(asked)}\nretry: 5\ndata:\n\n`])), ends: hello, sent: [...first, "GET"] },
    { title: "after an id that no header can hold does not end in a defect", script: () => resuming(() => ({ status: 405 }), () => events(["id: é\u{1}日\nretry: 5\ndata:\n\n"])), ends: "UnavailableError" },
    { title: "of a stateless server is UnavailableError, and not taken up", script: () => ({ ...stateless, "tools/call": cut }), ends: "UnavailableError", sent: [probe, "tools/call"] }
  ])

  it.effect("is taken up after a second when the server names no time", () =>
    Effect.gen(function*() {
      const peer = inProcess(server(resuming((_, call) => events([answered(call)]), () => events(["id: a-1\ndata:\n\n"]))))
      const source = yield* sourceOf(peer)
      const fiber = yield* Effect.forkChild(endOf(source.call("echo", { text: "hello" })))
      yield* eventually(() => methodsOf(peer).includes("tools/call"), "the call arrives")
      // The stream's end is read in real time.
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 50)))
      yield* TestClock.adjust("999 millis")
      assert.deepEqual(methodsOf(peer), first)
      yield* TestClock.adjust("1 millis")
      assert.deepEqual(yield* Fiber.join(fiber), hello)
      assert.deepEqual(methodsOf(peer), [...first, "GET"])
    }))
})

const tool = (name: unknown, more: object = {}) => ({ name, description: "d", inputSchema: { type: "object" }, ...more })

const having = (...tools: ReadonlyArray<unknown>): Respond => (asked) => result(asked, { tools })

type Listed = ReadonlyArray<Partial<ToolDefinition.ToolDefinition>>

const definition = (more: Partial<ToolDefinition.ToolDefinition>): Listed => [{ name: "t", description: "d", inputSchema: { type: "object" }, annotations: {}, ...more }]

describe("tools/list", () => {
  const good = tool("good")
  const nested = (levels: number): unknown => levels === 0 ? { type: "string" } : { type: "object", properties: { a: nested(levels - 1) } }

  /** The names or the definitions of what is listed, or the reason; and how many warnings are logged. */
  const lists = (title: string, respond: Respond, expected: ReadonlyArray<string> | Listed | Tag, more: { readonly warnings?: number; readonly sent?: ReadonlyArray<string> } & Options = {}): void => {
    const { sent = [probe, "tools/list"], warnings = 0, ...options } = more
    it.live(title, () =>
      Effect.gen(function*() {
        const { layer, logs } = diagnostics()
        const peer = yield* onLoopback(server({ ...stateless, "tools/list": respond }))
        const source = yield* withOptions(peer, options)
        const end = yield* Effect.provide(ends(peer, source.discover), layer)
        if (typeof expected === "string") assert.strictEqual(end, expected)
        else if (typeof end === "string") assert.fail(`it was ${end}`)
        else if (expected.every((one) => typeof one === "string")) assert.deepEqual(end.value.map(({ name }) => name), expected)
        else assert.deepEqual(end.value as never, expected as never)
        assert.deepEqual(logs.map(({ level }) => level), Array.from({ length: warnings }, () => "Warn"))
        assert.deepEqual(methodsOf(peer), sent)
      }))
  }

  for (const value of [{}, null, [], "tools", 1, { tools: null }, { tools: {} }, { tools: "t" }, { Tools: [] }]) {
    lists(`answered with the result ${JSON.stringify(value)} is InvalidResponseError [R-000-118]`, (asked) => result(asked, value), "InvalidResponseError")
  }
  lists("answered with no tools is an empty list", having(), [])
  lists("without a resultType and hints for a cache is read", (asked) => result(asked, { tools: [good] }), ["good"])
  lists("with unknown members is read", (asked) => result(asked, { resultType: "complete", ttlMs: 1, cacheScope: "private", tools: [good], prompts: [], _meta: null }), ["good"])
  lists("as an event stream is read", (asked) => events([event({ method: "notifications/tools/list_changed" }), event(answering(asked, { result: { tools: [good] } }))], { end: "hang" }), ["good"])
  lists("keeps the order of the server", having(tool("b"), tool("a"), tool("B"), tool("1")), ["b", "a", "B", "1"])
  lists("keeps names as they are", having(tool("größe 😀"), tool("a/b.c"), tool(" x ")), ["größe 😀", "a/b.c", " x "])

  lists("leaves out what is no tool, with a warning each [R-000-151]", having(null, 1, "t", [], true, good), ["good"], { warnings: 5 })
  for (const name of [undefined, null, "", 5, {}, ["t"]]) {
    lists(`leaves out a tool of the name ${JSON.stringify(name)}, with a warning [R-000-151]`, having(tool(name), good), ["good"], { warnings: 1 })
  }
  lists("leaves out the second tool of a name, with a warning", having(tool("t", { title: "first" }), tool("t", { title: "second" }), good), [
    ...definition({ annotations: { title: "first" } }),
    { name: "good", description: "d", inputSchema: { type: "object" }, annotations: {} }
  ], { warnings: 1 })
  lists("leaves out the second tool of a name on another page, with a warning", (asked) => result(asked, { tools: [good], ...(asked.before === 0 && { nextCursor: "2" }) }), ["good"], { warnings: 1, sent: [probe, "tools/list", "tools/list"] })

  for (const [what, inputSchema] of [["no", undefined], ["a null", null], ["an empty", {}]] as const) {
    lists(`reads ${what} inputSchema as any object`, having(tool("t", { inputSchema })), definition({}))
  }
  for (const inputSchema of [{ properties: { a: { type: "string" } } }, { anyOf: [{ required: ["a"] }] }, { $schema: "https://json-schema.org/draft/2020-12/schema" }, { description: "x" }]) {
    lists(`gives the root of ${JSON.stringify(inputSchema)} the type object`, having(tool("t", { inputSchema })), definition({ inputSchema: { ...inputSchema, type: "object" } }))
  }
  for (const inputSchema of [{ type: "array" }, { type: "string" }, { type: "null" }, "object", [], ["object"], 5, true, false]) {
    lists(`leaves out a tool whose inputSchema is ${JSON.stringify(inputSchema)}, with a warning [R-000-151]`, having(tool("t", { inputSchema }), good), ["good"], { warnings: 1 })
  }
  for (const description of [undefined, null, 5, {}, ["d"]]) {
    lists(`reads the description ${JSON.stringify(description)} as none`, having(tool("t", { description })), definition({ description: "" }))
  }
  for (const title of [null, 5, {}]) {
    lists(`reads the title ${JSON.stringify(title)} as none`, having(tool("t", { title, annotations: { title } })), definition({}))
  }
  lists("takes the title of the annotations where that of the tool is none", having(tool("t", { title: null, annotations: { title: "Title" } })), definition({ annotations: { title: "Title" } }))
  for (const annotations of [null, [], "readOnlyHint", 5, { readOnlyHint: "true", destructiveHint: null, idempotentHint: 1, openWorldHint: {} }]) {
    lists(`reads the annotations ${JSON.stringify(annotations)} as none`, having(tool("t", { annotations })), definition({}))
  }
  lists("keeps the hints that are right beside one that is not", having(tool("t", { annotations: { readOnlyHint: true, destructiveHint: "no" } })), definition({ annotations: { readOnly: true } }))
  it.live("keeps a property of the name __proto__", () =>
    Effect.gen(function*() {
      const schema = "{\"type\":\"object\",\"properties\":{\"__proto__\":{\"type\":\"string\"}},\"required\":[\"__proto__\"]}"
      const peer = yield* onLoopback(server({ ...stateless, "tools/list": ({ id }) => typed("application/json", `{"id":${JSON.stringify(id)},"result":{"tools":[{"name":"t","inputSchema":${schema}}]}}`) }))
      const [definition] = yield* (yield* sourceOf(peer)).discover
      assert.strictEqual(JSON.stringify(definition!.inputSchema), schema)
    }))
  it.live("with a schema of 10,000 levels hides no other tool [R-000-151]", () =>
    Effect.gen(function*() {
      const schema = `${"{\"type\":\"object\",\"properties\":{\"a\":".repeat(10_000)}{}${"}}".repeat(10_000)}`
      const peer = yield* onLoopback(server({ ...stateless, "tools/list": ({ id }) => typed("application/json", `{"id":${JSON.stringify(id)},"result":{"tools":[{"name":"deep","inputSchema":${schema}},{"name":"good"}]}}`) }))
      const end = yield* ends(peer, (yield* sourceOf(peer)).discover)
      assert.include(typeof end === "string" ? [end] : end.value.map(({ name }) => name), "good")
    }))
  lists("with a schema of 100 levels is read", having(tool("t", { inputSchema: nested(100) })), definition({ inputSchema: nested(100) as never }))

  for (const nextCursor of [null, 5, {}, [], false]) {
    lists(`ends at the nextCursor ${JSON.stringify(nextCursor)} [R-000-107]`, (asked) => result(asked, { tools: [good], nextCursor }), ["good"])
  }
  lists("goes on at the nextCursor \"\" [R-000-107]", (asked) => result(asked, { tools: [tool(`t${asked.before}`)], ...(asked.before === 0 && { nextCursor: "" }) }), ["t0", "t1"], { sent: [probe, "tools/list", "tools/list"] })
  lists("stops at the nextCursor \"\" a second time [R-000-108]", (asked) => result(asked, { tools: [tool(`t${asked.before}`)], nextCursor: "" }), ["t0", "t1"], { warnings: 1, sent: [probe, "tools/list", "tools/list"] })
  lists("whose second page is empty is read", (asked) => result(asked, asked.before === 0 ? { tools: [good], nextCursor: "2" } : { tools: [] }), ["good"], { sent: [probe, "tools/list", "tools/list"] })
  const second = (respond: Respond): Respond => (asked) => asked.before === 0 ? result(asked, { tools: [good], nextCursor: "2" }) : respond(asked)
  const pages = { sent: [probe, "tools/list", "tools/list"] }
  lists("whose second page is 503 is UnavailableError", second(() => ({ status: 503 })), "UnavailableError", pages)
  lists("whose second page is 401 is AuthenticationError", second(() => ({ status: 401 })), "AuthenticationError", pages)
  lists("whose second page is -32601 is UnsupportedError", second((asked) => error(asked, -32_601)), "UnsupportedError", pages)
  lists("whose second page is -32602 is InvalidResponseError", second((asked) => error(asked, -32_602)), "InvalidResponseError", pages)
  lists("whose second page is no list is InvalidResponseError", second((asked) => result(asked, {})), "InvalidResponseError", pages)

  for (const status of [200, 400, 404]) lists(`answered with -32601 at ${status} is an empty list`, (asked) => error(asked, -32_601, { status }), [])
  for (const [code, reason] of [[-32_700, "InvalidResponseError"], [-32_600, "InvalidResponseError"], [-32_020, "InvalidResponseError"], [-32_021, "UnsupportedError"], [-32_602, "InvalidResponseError"], [-32_603, "UnknownError"], [-32_000, "UnknownError"], [7, "UnknownError"]] as const) {
    for (const status of [200, 400]) lists(`answered with ${code} at ${status} is ${reason} [R-000-119]`, (asked) => error(asked, code, { status }), reason)
  }
  for (const [status, reason] of [[401, "AuthenticationError"], [403, "AuthenticationError"], [408, "UnavailableError"], [429, "UnavailableError"], [500, "UnavailableError"], [503, "UnavailableError"], [400, "InvalidResponseError"], [404, "InvalidResponseError"], [413, "InvalidResponseError"]] as const) {
    lists(`answered with ${status} and a page is ${reason} [R-000-119]`, (asked) => page(asked, status), reason)
  }
  lists("answered with 307, which the client shows, is InvalidResponseError", (asked) => ({ status: 307, headers: { location: echo(asked) } }), "InvalidResponseError", { seesRedirects: true })
  lists("answered with 202 is InvalidResponseError at once", () => accepted, "InvalidResponseError")
  lists("answered with nothing is InvalidResponseError at once", () => typed("application/json", ""), "InvalidResponseError")
  lists("answered with a page is InvalidResponseError", (asked) => page(asked), "InvalidResponseError")
  lists("answered with a stream that ends is UnavailableError [R-000-117]", () => events([": hi\n\n"]), "UnavailableError")
  lists("answered with JSON that breaks off is UnavailableError", () => typed("application/json", ["{\"result\""], { end: "reset" }), "UnavailableError")
  lists("not answered in time is UnavailableError", () => "hang", "UnavailableError", short)
  lists("of more than 16 MiB is InvalidResponseError", (asked) => result(asked, { tools: [tool("t", { description: "x".repeat(16 * MiB) })] }), "InvalidResponseError")
})

const message = (asked: Asked, value: unknown = { content: said("hello") }) => JSON.stringify(answering(asked, { result: value }))

const shown = (value: unknown) => JSON.stringify(value) ?? "nothing"

const written = (structured: string): Respond => ({ id }) => typed("application/json", `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"structuredContent":${structured}}}`)

const split = (text: string): ReadonlyArray<Uint8Array> => [...Buffer.from(text)].map((byte) => Uint8Array.of(byte))

const forever = async function*(chunk: string) {
  for (;;) {
    yield chunk
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const lines = async function*() {
  yield "data: [\n"
  for (;;) yield `data: "${"x".repeat(65_536)}",\n`
}

const nestedLists = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`

describe("tools/call", () => {
  const first = [probe, "tools/call"]
  const calls = (title: string, respond: Respond, expected: { readonly value: unknown } | Tag, more: Partial<Row> = {}): void =>
    rows([{ title, script: () => ({ ...stateless, "tools/call": respond }), ends: expected, sent: first, ...more }])

  describe("a result", () => {
    for (const value of [null, [], "text", 5, true]) {
      calls(`of ${shown(value)} is InvalidResponseError [R-000-118]`, (asked) => result(asked, value), "InvalidResponseError")
    }
    for (const content of [undefined, null, []]) calls(`whose content is ${shown(content)} is []`, (asked) => result(asked, { content }), { value: [] })
    for (const content of [{}, "text", 5, true]) calls(`whose content is ${shown(content)} is InvalidResponseError`, (asked) => result(asked, { content }), "InvalidResponseError")
    calls("of content that is no blocks is given as written [R-000-111]", (asked) => result(asked, { content: [null, 1, "x", [{}]] }), { value: [null, 1, "x", [{}]] })
    for (const structuredContent of [{}, [], 0, "", false, { result: "h" }]) {
      for (const content of [undefined, null, [], {}]) {
        calls(`whose structuredContent is ${shown(structuredContent)} beside content of ${shown(content)} is that [R-000-110]`, (asked) => result(asked, { structuredContent, content }), { value: structuredContent })
      }
    }
    calls("whose structuredContent is null is its content [R-000-111]", (asked) => result(asked, { structuredContent: null, content: said("hello") }), hello)
    for (const isError of [null, false]) calls(`whose isError is ${shown(isError)} is a result`, (asked) => result(asked, { isError, content: said("hello") }), hello)
    calls("that isError without content is CallFailedError", (asked) => result(asked, { isError: true }), "CallFailedError", { says: "The tool failed." })
    calls("that isError with no text is CallFailedError", (asked) => result(asked, { isError: true, content: [{ type: "image", data: "", mimeType: "image/png" }] }), "CallFailedError", { says: "The tool failed." })
    calls("that isError with blocks that are none is CallFailedError of the text there is [R-000-112]", (asked) => result(asked, { isError: true, content: [null, { type: "text" }, { type: "text", text: 5 }, ...said("said"), "x"] }), "CallFailedError", { says: "said" })
    calls("that isError with structuredContent is CallFailedError of the text [R-000-112]", (asked) => result(asked, { isError: true, content: said("said"), structuredContent: { secret: echo(asked) } }), "CallFailedError", { says: "said" })
    calls("that isError and says the bare credential is CallFailedError of the text without it [R-000-009]", (asked) => result(asked, { isError: true, content: said(`upstream refused ${credential(asked)}`) }), "CallFailedError", { says: "upstream refused [withheld]" })
    calls("that isError and structuredContent alone is CallFailedError", (asked) => result(asked, { isError: true, structuredContent: { secret: echo(asked) } }), "CallFailedError", { says: "The tool failed." })
    calls("that isError with as much text as a model can do with is CallFailedError of all of it", (asked) => result(asked, { isError: true, content: [...said("x".repeat(9_999)), ...said("y".repeat(10_000))] }), "CallFailedError", { says: `${"x".repeat(9_999)}\n${"y".repeat(10_000)}` })
    it.live("that isError with a book is CallFailedError of 20,000 characters of it", () =>
      Effect.gen(function*() {
        const peer = yield* onLoopback(server({ ...stateless, "tools/call": (asked) => result(asked, { isError: true, content: said(`x${"😀".repeat(50_000)}`) }) }))
        const { reason } = yield* Effect.flip((yield* sourceOf(peer)).call("echo", {}))
        assert.strictEqual(reason._tag, "CallFailedError")
        assert.isTrue(reason.modelMessage.length <= 20_000 && reason.modelMessage.length > 19_900, String(reason.modelMessage.length))
        assert.isTrue(reason.modelMessage.isWellFormed())
      }))

    calls("without a resultType is complete", (asked) => result(asked, { content: said("hello") }), hello)
    calls("of resultType complete is complete", (asked) => result(asked, { resultType: "complete", content: said("hello"), ttlMs: 0 }), hello)
    for (const resultType of ["incomplete", "", "COMPLETE", 5]) calls(`of resultType ${shown(resultType)} is InvalidResponseError`, (asked) => result(asked, { resultType, content: said("hello") }), "InvalidResponseError")
    calls("of resultType input_required is UnsupportedError [R-000-113]", (asked) => result(asked, { resultType: "input_required", requestState: echo(asked) }), "UnsupportedError")

    calls("of 400 levels is read", written(nestedLists(400)), { value: JSON.parse(nestedLists(400)) })
    for (const levels of [600, 100_000]) calls(`of ${levels} levels is InvalidResponseError`, written(nestedLists(levels)), "InvalidResponseError")
    calls("with a number beyond a double is InvalidResponseError", written("{\"a\":1e999}"), "InvalidResponseError")
    calls("with numbers at the edge of a double is read", written("[1.7976931348623157e308,5e-324,-0.0,12345678901234567890]"), { value: JSON.parse("[1.7976931348623157e308,5e-324,-0.0,12345678901234567890]") })
    calls("with a key twice is its last", written("{\"a\":1,\"a\":2}"), { value: { a: 2 } })
    calls("with halves of surrogate pairs is given as written", written(String.raw`"\ud83d \udc00"`), { value: "\ud83d \udc00" })
  })

  describe("an error", () => {
    for (const status of [200, 400, 404, 422]) {
      calls(`of -32602 about the input at ${status} is InvalidInputError [R-000-119]`, (asked) => error(asked, -32_602, { status, message: "text: expected a city" }), "InvalidInputError", { says: "text: expected a city" })
      calls(`of -32602 about the tool at ${status} is NotFoundError [R-000-119]`, (asked) => error(asked, -32_602, { status, message: `Unknown tool: ${echo(asked)}` }), "NotFoundError")
      calls(`of -32601 at ${status} is UnsupportedError [R-000-119]`, (asked) => error(asked, -32_601, { status }), "UnsupportedError")
    }
    for (const [code, reason] of [[-32_700, "InvalidResponseError"], [-32_600, "InvalidResponseError"], [-32_021, "UnsupportedError"], [-32_603, "CallFailedError"], [-32_000, "CallFailedError"], [-32_099, "CallFailedError"], [0, "CallFailedError"], [500, "CallFailedError"]] as const) {
      for (const status of [200, 400]) calls(`of ${code} at ${status} is ${reason}, and says no address [R-000-119]`, (asked) => error(asked, code, { status }), reason)
    }
    calls("of -32602 that says the credential and the address is InvalidInputError of other words", (asked) => error(asked, -32_602), "InvalidInputError", { says: "The server refused the input (error -32602)." })
    for (const [code, reason] of [[-32_602, "InvalidInputError"], [-32_603, "CallFailedError"]] as const) {
      for (const status of [200, 400]) {
        calls(`of ${code} at ${status} that says the bare credential is ${reason} without it [R-000-009]`, (asked) => error(asked, code, { status, message: `invalid key ${credential(asked)}: ask for another` }), reason, { says: "invalid key [withheld]: ask for another" })
        calls(`of ${code} at ${status} that says the credential alone is ${reason} without it [R-000-009]`, (asked) => error(asked, code, { status, message: credential(asked) }), reason, { says: "[withheld]" })
      }
    }
    calls("of -32603 is CallFailedError in the server's words", (asked) => error(asked, -32_603, { message: "out of stock", data: echo(asked) }), "CallFailedError", { says: "out of stock" })
    for (const words of [undefined, null, 5, {}, ""]) {
      calls(`whose message is ${shown(words)} is CallFailedError`, (asked) => json(answering(asked, { error: { code: 1, message: words } })), "CallFailedError")
    }
    calls("of another id at 400 counts", (asked) => error({ ...asked, id: "server-error" }, -32_602, { status: 400, message: "mend it" }), "InvalidInputError", { says: "mend it" })
    calls("of no id counts", (asked) => error({ ...asked, id: null }, -32_603, { message: "no" }), "CallFailedError", { says: "no" })
    calls("as an event counts", (asked) => events([event(answering(asked, { error: { code: -32_603, message: "no" } }))], { end: "hang" }), "CallFailedError", { says: "no" })
    calls("as an event at 400 counts", (asked) => events([event(answering(asked, { error: { code: -32_602, message: "no" } }))], { status: 400 }), "InvalidInputError", { says: "no" })
    for (const body of [{ error: "Session not found" }, { error: true }, { error: ["no"] }]) {
      calls(`of ${shown(body)} is InvalidResponseError at once [R-000-118]`, () => json(body), "InvalidResponseError")
      calls(`of ${shown(body)} in a stream that stays open is InvalidResponseError at once [R-000-118]`, () => events([event(body)], { end: "hang" }), "InvalidResponseError")
    }

    calls("of -32020 with no other headers to send is InvalidResponseError [R-000-142]", (asked) => error(asked, -32_020, { status: 400 }), "InvalidResponseError", { sent: [...first, "tools/list"] })
    calls("of -32022 listing 2026-07-28 once is tried once more", (asked) => asked.before === 0 ? error(asked, -32_022, { status: 400, data: { supported: ["2026-07-28"] } }) : result(asked, { content: said("hello") }), hello, { sent: [...first, "tools/call"] })
    calls("of -32022 listing 2026-07-28 for ever is UnsupportedError", (asked) => error(asked, -32_022, { status: 400, data: { supported: ["2026-07-28"] } }), "UnsupportedError", { sent: [...first, "tools/call"] })
    calls("of -32022 listing others once asks the server anew", (asked) => asked.before === 0 ? error(asked, -32_022, { status: 400, data: { supported: ["2025-11-25"] } }) : result(asked, { content: said("hello") }), hello, { sent: [...first, ...first] })
    calls("of -32022 without data for ever is UnsupportedError", (asked) => error(asked, -32_022, { status: 400 }), "UnsupportedError", { sent: [...first, ...first] })
    rows([{
      title: "of -32022 by a server that has sessions now begins one",
      script: () => ({
        ...sessions,
        [probe]: (asked) => (asked.before === 0 ? stateless : sessions)[probe]!(asked),
        "tools/call": (asked) => asked.headers["mcp-session-id"] === undefined ? error(asked, -32_022, { status: 400, data: { supported: ["2025-11-25"] } }) : sessions["tools/call"]!(asked)
      }),
      ends: hello,
      sent: [...first, probe, ...begin, "tools/call"]
    }])
    rows(["Bad Request: Server not initialized", "No valid session ID provided"].map((message): Row => ({
      title: `of 400 and "${message}" by a server that has sessions now begins one`,
      script: () => ({
        ...sessions,
        [probe]: (asked) => (asked.before === 0 ? stateless : sessions)[probe]!(asked),
        "tools/call": (asked) => asked.headers["mcp-session-id"] === undefined ? error(asked, -32_000, { status: 400, message }) : sessions["tools/call"]!(asked)
      }),
      ends: hello,
      sent: [...first, probe, ...begin, "tools/call"]
    })))
    calls("of 400 about a session for ever is CallFailedError, after one repeat", (asked) => error(asked, -32_000, { status: 400, message: "Server not initialized" }), "CallFailedError", { sent: [...first, ...first] })
  })

  describe("a status", () => {
    for (const status of [401, 403]) {
      calls(`of ${status} and -32602 is AuthenticationError [R-000-119]`, (asked) => error(asked, -32_602, { status }), "AuthenticationError")
      calls(`of ${status} and a result is AuthenticationError`, (asked) => result(asked, { content: [] }, { status }), "AuthenticationError")
    }
    for (const status of [408, 429, 500, 501, 502, 503, 504, 599]) {
      calls(`of ${status} and -32602 is UnavailableError [R-000-119]`, (asked) => error(asked, -32_602, { status }), "UnavailableError")
    }
    calls("of 503 and a body that never ends is UnavailableError at once", () => ({ status: 503, body: ["x"], end: "hang" }), "UnavailableError")
    for (const status of [301, 302, 303, 307, 308]) {
      calls(`of ${status}, which the client shows, is InvalidResponseError [R-000-119]`, (asked) => ({ status, headers: { location: echo(asked) } }), "InvalidResponseError", { seesRedirects: true })
    }
    for (const status of [400, 402, 404, 405, 410, 413, 415, 422]) {
      calls(`of ${status} and a page is InvalidResponseError [R-000-119]`, (asked) => page(asked, status), "InvalidResponseError")
    }
    calls("of 404 and nothing is InvalidResponseError", () => ({ status: 404 }), "InvalidResponseError")
    calls("of 400 and a result is InvalidResponseError", (asked) => result(asked, { content: [] }, { status: 400 }), "InvalidResponseError")
    calls("of 202 is InvalidResponseError at once", () => accepted, "InvalidResponseError")
    calls("of 204 is InvalidResponseError at once", () => ({ status: 204 }), "InvalidResponseError")
    calls("of 201 and a result is the result", (asked) => result(asked, { content: said("hello") }, { status: 201 }), hello)
    calls("of 200 and nothing is InvalidResponseError at once", () => ({}), "InvalidResponseError")
    calls("of 200 and empty JSON is InvalidResponseError at once", () => typed("application/json", ""), "InvalidResponseError")
  })

  describe("an answer in JSON", () => {
    for (const type of ["Application/JSON", "application/json;charset=ISO-8859-1", "application/json; charset=\"utf-8\"", "application/json-rpc", "application/problem+json", "text/json", "text/plain", undefined]) {
      calls(`of the type ${type ?? "that is not said"} is read as UTF-8`, (asked) => typed(type, message(asked, { content: said("Größe 日本 😀") })), { value: said("Größe 日本 😀") })
    }
    for (const type of ["text/html", "application/octet-stream", "application/xml", "image/png", "nonsense"]) {
      calls(`of the type ${type} is InvalidResponseError [R-000-118]`, (asked) => typed(type, message(asked)), "InvalidResponseError")
    }
    calls("after a byte order mark is read", (asked) => typed("application/json", `\u{feff}${message(asked)}`), hello)
    calls("after and before white space is read", (asked) => typed("application/json", `\r\n \t${message(asked)}\n\n`), hello)
    calls("compressed is read", (asked) => typed("application/json", gzipSync(message(asked)), { headers: { "content-encoding": "gzip" } }), hello)
    calls("a byte at a time is read", (asked) => typed("application/json", [...Buffer.from(message(asked, { content: said("ü😀") }))].map((byte) => Uint8Array.of(byte))), { value: said("ü😀") })
    calls("whose id is text is read", (asked) => result({ ...asked, id: String(asked.id) }, { content: said("hello") }), hello)
    calls("whose id is null is read", (asked) => result({ ...asked, id: null }, { content: said("hello") }), hello)
    calls("without an id is read", () => json({ jsonrpc: "2.0", result: { content: said("hello") } }), hello)
    calls("without jsonrpc is read", ({ id }) => json({ id, result: { content: said("hello") } }), hello)
    calls("with members of its own is read", (asked) => json({ ...answering(asked, { result: { content: said("hello") } }), own: 1, _meta: {} }), hello)
    calls("with an error of null is read", (asked) => json(answering(asked, { result: { content: said("hello") }, error: null })), hello)
    calls("in a batch is read", (asked) => json([{ jsonrpc: "2.0", method: "notifications/message" }, { jsonrpc: "2.0", id: "another", result: {} }, answering(asked, { result: { content: said("hello") } })]), hello)
    calls("in a batch of others is InvalidResponseError", () => json([{ jsonrpc: "2.0", id: "another", result: { content: [] } }]), "InvalidResponseError")
    for (const id of ["another", 987_654, "", true, {}, []]) calls(`of the id ${shown(id)} is InvalidResponseError at once [R-000-118]`, () => json({ jsonrpc: "2.0", id, result: { content: [] } }), "InvalidResponseError")
    for (const value of [null, true, 5, "text", [], {}, { jsonrpc: "2.0" }, { method: "ping" }, { content: [] }]) {
      calls(`that is ${shown(value)} is InvalidResponseError [R-000-118]`, () => json(value), "InvalidResponseError")
    }
    for (const body of ["{", "{\"jsonrpc\":\"2.0\",", "{}}", "undefined", "NaN", "{'id':1}", "<html>"]) {
      calls(`that is ${body} is InvalidResponseError [R-000-118]`, (asked) => typed("application/json", body === "{}}" ? `${message(asked)}}` : body), "InvalidResponseError")
    }
    calls("that breaks off is UnavailableError", (asked) => typed("application/json", [message(asked).slice(0, 30)], { end: "reset" }), "UnavailableError")
    calls("that breaks off before its first byte is UnavailableError", () => typed("application/json", [], { end: "reset" }), "UnavailableError")
    calls("that does not go on is UnavailableError in time", (asked) => typed("application/json", [message(asked).slice(0, 30)], { end: "hang" }), "UnavailableError", short)
    calls("on a connection that closes is UnavailableError", () => "reset", "UnavailableError")
    calls("that never comes is UnavailableError in time", () => "hang", "UnavailableError", short)
    calls("of 15 MiB is read", (asked) => result(asked, { content: said("x".repeat(15 * MiB)) }), { value: said("x".repeat(15 * MiB)) })
    calls("of more than 16 MiB is CallFailedError [R-000-080]", (asked) => result(asked, { content: said("x".repeat(16 * MiB)) }), "CallFailedError")
    calls("of more than 16 MiB in few characters is CallFailedError [R-000-080]", (asked) => typed("application/json", gzipSync(message(asked, { content: said("x".repeat(17 * MiB)) })), { headers: { "content-encoding": "gzip" } }), "CallFailedError")
  })

  describe("an answer in an event stream", () => {
    const streams = (title: string, body: (asked: Asked) => NonNullable<Answer["body"]>, expected: { readonly value: unknown } | Tag = hello, more: Partial<Row> & Answer = {}): void => {
      const { end, headers = {}, ...row } = more
      calls(title, (asked) => events(body(asked), { headers, ...(end !== undefined && { end }) }), expected, row)
    }
    const others = ": hi\n\nid: 1\ndata:\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n"

    for (const [what, line] of [["LF", "\n"], ["CRLF", "\r\n"], ["CR", "\r"]] as const) {
      streams(`in lines that end with ${what} is read`, (asked) => [`${others}data: ${message(asked)}\n\n`.replaceAll("\n", line)], hello, { end: "hang" })
      streams(`in lines that end with ${what}, a byte at a time, is read`, (asked) => split(`${others}data: ${message(asked, { content: said("ü😀") })}\n\n`.replaceAll("\n", line)), { value: said("ü😀") }, { end: "hang" })
    }
    streams("in lines that end in all ways is read", (asked) => [`: a\r: b\n: c\r\n\rdata:${message(asked)}\r\n\n`], hello, { end: "hang" })
    streams("after a byte order mark is read", (asked) => [`\u{feff}data: ${message(asked)}\n\n`])
    streams("after a byte order mark that is split is read", (asked) => split(`\u{feff}data: ${message(asked)}\n\n`))
    streams("without a space after the colon is read", (asked) => [`data:${message(asked)}\n\n`])
    streams("on several lines of data is read", (asked) => [`${JSON.stringify(answering(asked, { result: { content: said("hello") } }), null, 2).split("\n").map((line) => `data: ${line}`).join("\n")}\n\n`])
    streams("on several lines of data, an empty one among them, is read", (asked) => [`data: [\ndata\ndata: ${message(asked)}\ndata: ]\n\n`])
    streams("of another event name is read", (asked) => [`event: result\ndata: ${message(asked)}\n\n`])
    streams("with fields of all kinds is read", (asked) => [`retry: never\nid: 7\nfoo: bar\nfoo\nevent\n:\ndata: ${message(asked)}\nid: 8\n\n`])
    streams("after comments and notifications is read", (asked) => [others, others, `data: ${message(asked)}\n\n`])
    streams("after data that is no JSON is read", (asked) => [`data: hi\n\ndata: [DONE]\n\ndata: {\n\ndata: ${message(asked)}\n\n`])
    streams("after data that is a scalar is read", (asked) => [`data: null\n\ndata: 5\n\ndata: "x"\n\ndata: ${message(asked)}\n\n`])
    streams("after a request of the same id is read", (asked) => [event({ ...answering(asked, {}), method: "ping" }), event({ ...answering(asked, {}), method: "sampling/createMessage", params: {} }), `data: ${message(asked)}\n\n`])
    streams("after answers of other ids is read", (asked) => [event({ jsonrpc: "2.0", id: "another", result: { content: [] } }), event({ jsonrpc: "2.0", id: 987_654, error: { code: 1, message: "x" } }), `data: ${message(asked)}\n\n`])
    streams("of the id as text is read", (asked) => [event({ jsonrpc: "2.0", id: String(asked.id), result: { content: said("hello") } })], hello, { end: "hang" })
    streams("of the id null is read", () => [event({ jsonrpc: "2.0", id: null, result: { content: said("hello") } })], hello, { end: "hang" })
    streams("in a batch is read", (asked) => [`data: [{"jsonrpc":"2.0","method":"notifications/message"},${message(asked)}]\n\n`], hello, { end: "hang" })
    streams("before the stream's end without a blank line is read", (asked) => [`data: ${message(asked)}\n`])
    streams("before the stream's end without the end of a line is read", (asked) => [`data: ${message(asked)}`])
    streams("without a blank line on a stream that stays open is read", (asked) => [`data: ${message(asked)}\n`], hello, { end: "hang" })
    streams("on a stream that stays open is read", (asked) => [`data: ${message(asked)}\n\n`], hello, { end: "hang" })
    streams("on a stream that breaks off after it is read", (asked) => [`data: ${message(asked)}\n\n`, ": more\n\n"], hello, { end: "reset", inProcess: true })
    streams("before another answer of the same id is the first", (asked) => [`data: ${message(asked)}\n\n`, `data: ${message(asked, { content: said("late") })}\n\n`])
    streams("with line breaks that are none is read", (asked) => [`data: ${message(asked, { content: said("a\u0085b\u2028c\u2029d\u000bе") })}\n\n`], { value: said("a\u0085b\u2028c\u2029d\u000bе") })
    streams("in UTF-8 whatever the charset says is read", (asked) => [`data: ${message(asked, { content: said("Größe") })}\n\n`], { value: said("Größe") }, { headers: { "content-type": "Text/Event-Stream;charset=iso-8859-1" } })
    for (const type of ["text/plain", undefined]) {
      for (const start of ["data: ", "event: message\ndata: ", ": hi\n\ndata: ", "id: 1\ndata: ", "retry: 5\ndata: "]) {
        calls(`of the type ${type ?? "that is not said"}, beginning with ${JSON.stringify(start)}, is read`, (asked) => typed(type, `${start}${message(asked)}\n\n`), hello)
      }
    }
    calls("compressed is read", (asked) => events(gzipSync(`${others}data: ${message(asked)}\n\n`), { headers: { "content-encoding": "gzip" } }), hello)

    streams("that ends with notifications is UnavailableError [R-000-117]", () => [others], "UnavailableError")
    streams("that ends in the middle of the answer is UnavailableError [R-000-117]", (asked) => [`data: ${message(asked).slice(0, 40)}`], "UnavailableError")
    streams("that breaks off is UnavailableError [R-000-117]", () => [others], "UnavailableError", { end: "reset" })
    streams("that breaks off in the middle of the answer is UnavailableError [R-000-117]", (asked) => [`data: ${message(asked).slice(0, 40)}`], "UnavailableError", { end: "reset" })
    streams("that ends with answers to others is InvalidResponseError [R-000-118]", () => [others, event({ jsonrpc: "2.0", id: "another", result: { content: [] } })], "InvalidResponseError")
    streams("that says nothing is UnavailableError in time", () => [], "UnavailableError", { end: "hang", ...short })
    streams("that says other things is UnavailableError in time", () => [others], "UnavailableError", { end: "hang", ...short })
    streams("that says other things for ever is UnavailableError in time", () => forever(others), "UnavailableError", short)
    const block = "x".repeat(MiB)
    streams("whose event is more than 16 MiB is CallFailedError [R-000-080]", (asked) => [`data: ${message(asked, { content: said(block.repeat(16)) })}\n\n`], "CallFailedError")
    const unending = async function*() {
      yield "data: {\"a\":\""
      for (;;) yield block
    }
    streams("whose event never ends is CallFailedError [R-000-080]", () => unending(), "CallFailedError")
    streams("whose lines of data never end is CallFailedError [R-000-080]", () => lines(), "CallFailedError")
    streams("whose lines of other data never end is UnavailableError in time", () => forever(`data: "${"x".repeat(65_536)}"\n`), "UnavailableError", short)
    streams("of 15 MiB is read", (asked) => [`data: ${message(asked, { content: said(block.repeat(15)) })}\n\n`], { value: said(block.repeat(15)) })
    const many = function*(asked: Asked) {
      for (let count = 0; count < 20; count++) yield event({ jsonrpc: "2.0", method: "notifications/message", params: { data: block } })
      yield `data: ${message(asked)}\n\n`
    }
    streams("after 20 MiB of other messages is read", many)
    const comments = function*(asked: Asked) {
      for (let count = 0; count < 20; count++) yield `: ${block}\n`
      yield `data: ${message(asked)}\n\n`
    }
    streams("after 20 MiB of comments is read", comments)
  })

  it.live("reads no further than the answer, and closes the connection of a stream that stays open", () =>
    Effect.gen(function*() {
      const peer = yield* onLoopback(server({ ...stateless, "tools/call": (asked) => events([`data: ${message(asked)}\n\n`], { end: "hang" }) }))
      const source = yield* sourceOf(peer)
      for (const at of [1, 2, 3]) {
        assert.deepEqual(yield* ends(peer, source.call("echo", { text: "hello" })), hello)
        yield* peer.closed(at)
      }
    }))

  it.live("closes the connection of an answer that is too long, and of one that is refused by its head", () =>
    Effect.gen(function*() {
      const answers: ReadonlyArray<Respond> = [
        () => events((async function*() {
          yield "data: {\"a\":\""
          for (;;) yield "x".repeat(MiB)
        })()),
        () => typed("application/json", (async function*() {
          yield "{\"a\":\""
          for (;;) yield "x".repeat(MiB)
        })()),
        () => typed("text/html", ["<html>"], { end: "hang" }),
        () => ({ status: 503, body: ["x"], end: "hang" }),
        () => ({ status: 401, body: ["x"], end: "hang" })
      ]
      const peer = yield* onLoopback(server({ ...stateless, "tools/call": (asked) => answers[asked.before]!(asked) }))
      const source = yield* sourceOf(peer)
      for (const at of answers.keys()) {
        assert.isString(yield* ends(peer, source.call("echo", {})))
        yield* peer.closed(at + 1)
      }
    }))

  it.live("after one that failed in any way is answered as ever", () =>
    Effect.gen(function*() {
      const answers: ReadonlyArray<Respond> = ["reset" as const, { status: 500 }, { status: 401 }, events([]), json(null), accepted].map((answer) => () => answer)
      const peer = yield* onLoopback(server({ ...stateless, "tools/call": (asked) => asked.before % 2 === 0 && asked.before / 2 < answers.length ? answers[asked.before / 2]!(asked) : stateless["tools/call"]!(asked) }))
      const source = yield* sourceOf(peer)
      for (const at of answers.keys()) {
        assert.isString(yield* ends(peer, source.call("echo", { text: "hello" })), String(at))
        assert.deepEqual(yield* ends(peer, source.call("echo", { text: "hello" })), hello)
      }
      assert.strictEqual(methodsOf(peer).filter((method) => method === probe).length, 1)
    }))
})
