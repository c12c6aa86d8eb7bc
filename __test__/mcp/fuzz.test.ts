/**
 * Whatever bytes a server answers with, and however they arrive: what becomes of them depends on the bytes alone, and is never
 * a defect and never a wait without an end. Here it is the driver around the addon that is tried, over a client in the
 * process: its ways of reading a body (chunk by chunk, at once, apart from the thread), not the machine's.
 */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Logger } from "effect"
import * as fc from "fast-check"
import type { ToolSourceError } from "../../ts/index.ts"
import { type Answer, type Asked, begun, inProcess, methodsOf, type Script, server, sessions, sourceOf, stateless } from "../support/mcp.ts"

/** What is so large that it is looked at apart. */
const large = "x".repeat(300_000)

/** Of streams, messages and mistakes. ID is the request's. An id of an event has a short wait beside it: the test is not to wait. */
const fragments = [
  "data: ",
  "data:",
  "id: 7\nretry: 1\n",
  "retry: 1\n",
  ": keep\n",
  "\n",
  "\r",
  "\r\n",
  "\n\n",
  "\u{feff}",
  "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"é😀\"}]}}",
  "{\"id\":ID,\"result\":{\"structuredContent\":{\"a\":[1,2]}}}",
  "{\"id\":ID,\"result\":{\"isError\":true,\"content\":[{\"text\":\"no\"}]}}",
  "{\"id\":ID,\"error\":{\"code\":-32602,\"message\":\"bad\"}}",
  `{"id":ID,"result":{"content":[{"type":"text","text":"${large}"}]}}`,
  `{"id":ID,"error":{"code":-32603,"message":"${large}"}}`,
  `{"method":"x","params":"${large}"}`,
  `{"id":ID,"result":{"tools":[{"name":"t","description":"${large}"}]}}`,
  "{\"id\":ID,\"result\":{\"tools\":[{\"name\":\"t\",\"inputSchema\":{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}}],\"nextCursor\":\"c\"}}",
  "{\"id\":ID,\"result\":{\"supportedVersions\":[\"2026-07-28\"],\"protocolVersion\":\"2025-11-25\",\"tools\":[],\"content\":[]}}",
  "{\"id\":9999,\"result\":{}}",
  "{\"error\":{\"code\":-32000,\"message\":\"no session\"},\"id\":null}",
  "{\"error\":{\"code\":-32020}}",
  "{\"error\":{\"code\":-32022,\"data\":{\"supported\":[\"2026-07-28\"]}}}",
  "[",
  "]",
  "{",
  "}",
  ",",
  "null",
  "\"",
  "\\"
]

/** The bytes of a body, with the request's id in them. */
const bytesOf = (pieces: ReadonlyArray<Uint8Array>, id: unknown): Buffer =>
  Buffer.from(Buffer.concat(pieces).toString("latin1").replaceAll("ID", String(id)), "latin1")

const utf8 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text))

const any = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...fragments).map(utf8) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) }
  ),
  { maxLength: 7 }
)

/** A message that stands as it should, or nearly. */
const message = fc.constantFrom(...fragments.filter((text) => text.includes("ID"))).map(utf8)
const framed = fc.tuple(fc.constantFrom("", ": keep\n\n", "data: {}\n\n", "id: 7\nretry: 1\n"), message, fc.constantFrom("", "\n", "\r\n\r\n", "\n\ndata: "))
  .map(([before, message, after]) => [utf8(`${before}data: `), message, utf8(after)])

const body = fc.oneof<fc.Arbitrary<ReadonlyArray<Uint8Array>>[]>(any, framed, fc.tuple(message))

const answers = fc.array(
  fc.record({
    status: fc.constantFrom(200, 200, 200, 200, 202, 204, 302, 400, 400, 401, 404, 418, 429, 500),
    type: fc.constantFrom("application/json", "text/event-stream", "text/plain", "text/html", "application/json;;charset", undefined),
    body,
    breaks: fc.constantFrom(false, false, false, true)
  }),
  { minLength: 1, maxLength: 4 }
)

/** How a server answers to being asked how it is spoken to; `undefined`: with the answers, too. */
const manners: ReadonlyArray<Script | undefined> = [
  stateless,
  { ...sessions, initialize: (asked) => begun(asked, "session-1") },
  { ...sessions, initialize: (asked) => begun(asked) },
  undefined
]

interface Arriving {
  /** The length of the chunks, in bytes; of a large body, in so many KiB, or the test would take an hour. */
  readonly chunk: number
  /** Whether the body's length is said before. */
  readonly saysLength: boolean
}

type Answers = typeof answers extends fc.Arbitrary<infer A> ? A : never

const chunksOf = (bytes: Buffer, length: number): ReadonlyArray<Uint8Array> => {
  const each = bytes.length > 5_000 ? length * 1_024 : length
  return Array.from({ length: Math.ceil(bytes.length / each) }, (_, at) => bytes.subarray(at * each, (at + 1) * each))
}

/** What two calls and a listing come to, and what was sent for them. */
const outcomes = (answers: Answers, manner: Script | undefined, { chunk, saysLength }: Arriving) =>
  Effect.gen(function*() {
    let given = 0
    let id: unknown
    const anything = (asked: Asked): Answer => {
      const { body, breaks, status, type } = answers[given++ % answers.length]!
      id = asked.id ?? id
      const bytes = bytesOf(body, id)
      return {
        status,
        headers: { ...(type !== undefined && { "content-type": type }), ...(saysLength && { "content-length": String(bytes.length) }) },
        body: chunksOf(bytes, chunk),
        ...(breaks && { end: "reset" })
      }
    }
    const { [`server/discover`]: discover, "notifications/initialized": initialized, initialize } = manner ?? {}
    const known = Object.entries({ "server/discover": discover, initialize, "notifications/initialized": initialized })
    const script: Script = Object.fromEntries(known.flatMap(([method, part]) => part === undefined ? [] : [[method, part] as const]))
    const answering = server(script)
    const peer = inProcess((asked) => Object.hasOwn(script, asked.method) ? answering(asked) : anything(asked))
    const source = yield* sourceOf(peer)
    const ended: Array<string> = []
    for (const use of [source.call("t", { a: "é" }), source.discover, source.call("t", {})]) {
      const exit = yield* Effect.exit(use as Effect.Effect<unknown, ToolSourceError.ToolSourceError>)
      if (Exit.isSuccess(exit)) {
        ended.push(JSON.stringify(exit.value))
        continue
      }
      assert.isFalse(Cause.hasDies(exit.cause) || Cause.hasInterrupts(exit.cause), Cause.pretty(exit.cause))
      const { reason } = Cause.squash(exit.cause) as ToolSourceError.ToolSourceError
      ended.push(`${reason._tag}: ${reason.message}`)
    }
    return { ended, sent: methodsOf(peer) }
  })

describe("any bytes", () => {
  for (const [at, manner] of manners.entries()) {
    const what = ["a stateless server", "a server with sessions", "a server of sessions without ids", "a server that says anything to anything"][at]!
    it(`of ${what} come to the same in any chunks [R-000-115]`, async () => {
      const tags = new Set<string>()
      await fc.assert(
        fc.asyncProperty(answers, fc.integer({ min: 1, max: 9 }), async (answers, chunk) => {
          const ways: ReadonlyArray<Arriving> = [
            { chunk: 2 ** 30, saysLength: false },
            { chunk, saysLength: false },
            // What breaks off is not there at once, whatever it is.
            ...answers.some(({ breaks }) => breaks) ? [] : [{ chunk: 2 ** 30, saysLength: true }]
          ]
          const [first, ...others] = await Promise.all(ways.map((way) => Effect.runPromise(Effect.provide(outcomes(answers, manner, way), Logger.layer([])))))
          for (const other of others) assert.deepEqual(other, first)
          for (const ended of first!.ended) tags.add(/^\w+Error/.exec(ended)?.[0] ?? "value")
        }),
        { numRuns: 150, seed: 20_260_728 + at }
      )
      // The bytes are not all of one kind.
      assert.includeMembers([...tags], ["value", "InvalidResponseError", "UnavailableError"])
    }, 120_000)
  }
})
