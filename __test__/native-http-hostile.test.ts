/** Servers that do what servers must not: each request ends in the reason that fetch would give, and the next one works. */
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { HttpClientRequest, type HttpClientResponse } from "effect/http"
import { execute, ours, reasonOf, served, until, wire } from "./support/native-http.ts"

const { get, post } = HttpClientRequest
const answer = "HTTP/1.1 200 OK\r\n"
const fine = `${answer}content-length: 4\r\n\r\nfine`

const read = ({ text }: HttpClientResponse.HttpClientResponse) => text

describe("a server", () => {
  const endings: ReadonlyArray<readonly [string, string | ReadonlyArray<string>, "end" | "reset" | "stay", string, string]> = [
    ["that closes without a word", "", "end", "TransportError", "ECONNRESET"],
    ["that resets without a word", "", "reset", "TransportError", "ECONNRESET"],
    ["that closes within the head", `${answer}x-a: `, "end", "TransportError", "ECONNRESET"],
    ["that resets within the head", `${answer}x-a: `, "reset", "TransportError", "ECONNRESET"],
    ["that closes within the body", `${answer}content-length: 10\r\n\r\nabc`, "end", "DecodeError", "ECONNRESET"],
    ["that resets within the body", `${answer}content-length: 10\r\n\r\nabc`, "reset", "DecodeError", "ECONNRESET"],
    ["that closes within chunks", `${answer}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n`, "end", "DecodeError", "ECONNRESET"],
    ["whose chunks are none", `${answer}transfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n`, "stay", "DecodeError", "ERR_HTTP_PARSE"],
    ["whose chunks are longer than can be", `${answer}transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\nabc`, "stay", "DecodeError", "ERR_HTTP_PARSE"],
    ["that switches to another protocol", "HTTP/1.1 101 Other\r\nconnection: upgrade\r\nupgrade: other\r\n\r\nabc", "stay", "TransportError", "ERR_UPGRADE"],
    ["that speaks something else", "SSH-2.0-OpenSSH_9.9\r\n\r\n", "stay", "TransportError", "ERR_HTTP_PARSE"],
    ["that sends bytes of no meaning", "\u0000\u0001\u0002\r\n\r\n\r\n", "stay", "TransportError", "ERR_HTTP_PARSE"],
    ["whose status is none", "HTTP/1.1 abc OK\r\n\r\n", "stay", "TransportError", "ERR_HTTP_PARSE"],
    ["whose header has no name", `${answer}: a\r\n\r\n`, "stay", "TransportError", "ERR_HTTP_PARSE"],
    ["whose length is none", `${answer}content-length: abc\r\n\r\n`, "stay", "TransportError", "ERR_HTTP_PARSE"],
    ["whose lengths differ", `${answer}content-length: 1\r\ncontent-length: 2\r\n\r\nab`, "stay", "TransportError", "ERR_HTTP_PARSE"],
    ["whose headers are very many", `${answer}${"a: b\r\n".repeat(1100)}\r\n`, "stay", "TransportError", "ERR_HTTP_HEADERS"]
  ]
  for (const [title, said, ending, tag, code] of endings) {
    it.live(`${title} is a ${tag}, and the next request works`, () =>
      Effect.gen(function*() {
        const server = yield* wire((socket, _, at) => {
          if (at > 0) return void socket.write(fine)
          socket.write(said as string, "latin1", () => {
            if (ending === "end") socket.end()
            if (ending === "reset") setTimeout(() => socket.resetAndDestroy(), 10)
          })
        })
        const reason = yield* reasonOf(Effect.flatMap(execute(get(server.url)), read))
        assert.strictEqual(reason.tag, tag, reason.text)
        if (code !== "") assert.strictEqual(reason.code, code, reason.text)
        assert.notStrictEqual(reason.text, "")
        assert.strictEqual(yield* Effect.flatMap(execute(get(server.url)), read), "fine")
      }).pipe(Effect.provide(ours)))
  }

  it.live("that stalls before the head, within it or within the body is left when its time is up", () =>
    Effect.gen(function*() {
      for (const said of ["", `${answer}x-a: `, `${answer}content-length: 10\r\n\r\nabc`]) {
        const server = yield* wire((socket, _, at) => void socket.write(at === 0 ? said : fine))
        const outcome = yield* execute(get(server.url)).pipe(Effect.flatMap(read), Effect.timeoutOption("100 millis"))
        assert.strictEqual(outcome._tag, "None", said)
        yield* until(() => server.open() === 0)
        assert.strictEqual(yield* Effect.flatMap(execute(get(server.url)), read), "fine")
      }
    }).pipe(Effect.provide(ours)))

  it.live("that sends headers without an end is left, having been read no further than it must", () =>
    Effect.gen(function*() {
      let written = 0
      const server = yield* wire((socket) => {
        socket.write(answer)
        const line = `x-a: ${"b".repeat(60_000)}\r\n`
        const write = () => {
          while (!socket.destroyed && written < 5000) {
            written++
            if (!socket.write(line)) return void socket.once("drain", write)
          }
        }
        write()
      })
      const reason = yield* reasonOf(execute(get(server.url)))
      assert.deepStrictEqual([reason.tag, reason.code], ["TransportError", "ERR_HTTP_HEADERS"], reason.text)
      yield* until(() => server.open() === 0)
      assert.isBelow(written, 500)
    }).pipe(Effect.provide(ours)))

  it.live("that sends more than it said is read as far as it said", () =>
    Effect.gen(function*() {
      const server = yield* wire((socket) => void socket.write(`${answer}content-length: 4\r\n\r\nfine, and more`))
      for (let n = 0; n < 3; n++) assert.strictEqual(yield* Effect.flatMap(execute(get(server.url)), read), "fine")
    }).pipe(Effect.provide(ours)))

  it.live("that sends what unpacks to a thousand times as much is read as far as it is wanted", () =>
    Effect.gen(function*() {
      const packed = gzipSync(Buffer.alloc(200 * 2 ** 20))
      const url = yield* served((_, response) => void response.writeHead(200, { "content-encoding": "gzip", "content-length": packed.length }).end(packed))
      const before = process.memoryUsage().rss
      const response = yield* execute(get(url))
      let size = 0
      yield* Stream.runForEachWhile(response.stream, (bytes) =>
        Effect.sync(() => {
          size += bytes.length
          return size < 2 ** 20
        }))
      yield* Effect.sleep(200)
      assert.isBelow(size, 2 * 2 ** 20)
      assert.isBelow((process.memoryUsage().rss - before) / 2 ** 20, 60)
    }).pipe(Effect.provide(ours)))

  it.live("that answers while a body is still sent to it, and closes, has its answer read", () =>
    Effect.gen(function*() {
      const server = yield* wire((socket) => socket.end(`${answer.replace("200 OK", "413 Too Large")}connection: close\r\ncontent-length: 8\r\n\r\nno, less`))
      const body = Stream.fromEffectRepeat(Effect.as(Effect.sleep(1), new Uint8Array(16 * 1024)))
      const response = yield* execute(post(server.url).pipe(HttpClientRequest.bodyStream(body)))
      assert.deepStrictEqual([response.status, yield* response.text], [413, "no, less"])
    }).pipe(Effect.provide(ours)))

  it.live("that closes a connection which is kept costs no request", () =>
    Effect.gen(function*() {
      const server = yield* wire((socket) => {
        socket.write(fine)
        setTimeout(() => socket.end(), 5)
      })
      for (let n = 0; n < 20; n++) {
        assert.strictEqual(yield* Effect.flatMap(execute(get(server.url)), read), "fine")
        yield* until(() => server.open() === 0)
      }
      assert.lengthOf(server.sockets, 20)
    }).pipe(Effect.provide(ours)))
})
