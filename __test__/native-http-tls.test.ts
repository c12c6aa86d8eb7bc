/** Whom native-http trusts, HTTP/2, and proxies: what fetch cannot be told, or not in the same words. */
import { createServer as createHttpServer } from "node:http"
import { createSecureServer, type Http2SecureServer, type Http2ServerRequest, type Http2ServerResponse, type ServerHttp2Session } from "node:http2"
import { createServer as createHttpsServer } from "node:https"
import { type AddressInfo, connect, type Server } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { HttpClientRequest } from "effect/http"
import * as NativeHttp from "../ts/native-http.ts"
import { type Certificate, makeRoot } from "./support/certificates.ts"
import { execute, isBun, reasonOf, run, served, until, wire } from "./support/native-http.ts"

const { get, post } = HttpClientRequest
const root = makeRoot()
const trusting = (options: NativeHttp.Options = {}) => NativeHttp.layerWith({ proxy: "none", rootCertificates: [root.certificate], ...options })

const started = <S extends Server | Http2SecureServer>(server: S): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () =>
      Effect.sync(() => {
        server.close()
        if ("closeAllConnections" in server) (server as { closeAllConnections: () => void }).closeAllConnections()
      })
  )

const secure = ({ certificate, key }: Certificate) =>
  started(createHttpsServer({ cert: certificate, key }, (request, response) => void response.end(`${request.method} ${request.url}`)))

const textOf = (url: string) => Effect.flatMap(execute(get(url)), ({ text }) => text)

describe("a certificate", () => {
  it.live("of a root that is given is trusted, by name and by address", () =>
    Effect.gen(function*() {
      const port = yield* secure(root.server())
      for (const host of ["localhost", "127.0.0.1"]) assert.strictEqual(yield* textOf(`https://${host}:${port}/a`), "GET /a", host)
    }).pipe(Effect.provide(trusting())))

  it.live("of one of several roots, given as bytes, is trusted", () =>
    Effect.gen(function*() {
      const port = yield* secure(root.server())
      assert.strictEqual(yield* textOf(`https://127.0.0.1:${port}/a`), "GET /a")
    }).pipe(Effect.provide(trusting({ rootCertificates: [new TextEncoder().encode(makeRoot("Another").certificate + root.certificate)] }))))

  for (const [title, certificate, code] of [
    ["of a root that is not known", () => makeRoot("Another").server(), "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    ["of another name", () => root.server({ host: "example.com" }), "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["that has expired", () => root.server({ from: -2, to: -1 }), "CERT_HAS_EXPIRED"],
    ["that is not valid yet", () => root.server({ from: 1, to: 2 }), "CERT_NOT_YET_VALID"]
  ] as const) {
    it.live(`${title} is a TransportError that says so, and nothing is sent`, () =>
      Effect.gen(function*() {
        const port = yield* secure(certificate())
        const reason = yield* reasonOf(execute(get(`https://127.0.0.1:${port}/`)))
        assert.deepStrictEqual([reason.tag, reason.code], ["TransportError", code], reason.text)
        assert.match(reason.text, /^the server is not trusted: /)
      }).pipe(Effect.provide(trusting())))
  }

  it.live("is awaited no longer than making a connection may take", () =>
    Effect.gen(function*() {
      const server = yield* wire(() => undefined)
      const reason = yield* reasonOf(execute(get(`https://127.0.0.1:${server.port}/`)))
      assert.deepStrictEqual([reason.tag, reason.code], ["TransportError", "ETIMEDOUT"], reason.text)
      yield* until(() => server.open() === 0)
    }).pipe(Effect.provide(trusting({ connectTimeout: "100 millis" }))))

  it.live("is asked for from who speaks no TLS: a TransportError", () =>
    Effect.gen(function*() {
      const url = yield* served((_, response) => void response.end())
      const reason = yield* reasonOf(execute(get(url.replace("http:", "https:"))))
      assert.deepStrictEqual([reason.tag, reason.code], ["TransportError", "ERR_TLS"])
      assert.notInclude(reason.text, "trusted")
    }).pipe(Effect.provide(trusting())))
})

/** A server of HTTP/2, and of HTTP/1.1 for who does not speak it. */
const speaking = (answer: (request: Http2ServerRequest, response: Http2ServerResponse) => void) =>
  Effect.gen(function*() {
    const sessions: Array<ServerHttp2Session> = []
    const { certificate: cert, key } = root.server()
    const server = createSecureServer({ cert, key, allowHTTP1: true }, answer)
    server.on("session", (session) => {
      session.on("error", () => undefined)
      sessions.push(session)
    })
    const port = yield* started(server)
    yield* Effect.addFinalizer(() => Effect.sync(() => {
      for (const session of sessions) session.destroy()
    }))
    return { url: `https://127.0.0.1:${port}`, sessions }
  })

describe("HTTP/2", () => {
  it.live("is spoken with who offers it, many requests over one connection, bodies both ways", () =>
    Effect.gen(function*() {
      const { sessions, url } = yield* speaking((request, response) => {
        let body = ""
        request.on("data", (chunk: Buffer) => body += chunk.toString())
        request.on("end", () => response.end(`${request.httpVersion} ${request.headers["x-a"]} ${body}`))
      })
      const one = (n: number) =>
        Effect.flatMap(execute(post(url, { headers: { "x-a": String(n), connection: "keep-alive" } }).pipe(HttpClientRequest.bodyText(`body ${n}`))), ({ text }) => text)
      assert.strictEqual(yield* one(0), "2.0 0 body 0")
      const all = yield* Effect.all(Array.from({ length: 50 }, (_, n) => one(n)), { concurrency: "unbounded" })
      assert.deepStrictEqual(all, Array.from({ length: 50 }, (_, n) => `2.0 ${n} body ${n}`))
      assert.lengthOf(sessions, 1)
    }).pipe(Effect.provide(trusting())))

  it.live("is not spoken where it is not wanted", () =>
    Effect.gen(function*() {
      const { url } = yield* speaking((request, response) => void response.end(request.httpVersion))
      assert.strictEqual(yield* textOf(url), "1.1")
    }).pipe(Effect.provide(trusting({ http2: "never" }))))

  it.live("goes on for one request while others do not read what they are given", () =>
    Effect.gen(function*() {
      const chunk = Buffer.alloc(64 * 1024)
      const { sessions, url } = yield* speaking((request, response) => {
        if (request.url === "/small") return void response.end("fine")
        const write = () => {
          while (!response.destroyed && response.write(chunk));
        }
        response.on("drain", write)
        response.on("error", () => undefined)
        write()
      })
      const held = yield* Effect.forEach(Array.from({ length: 12 }), () => execute(get(`${url}/endless`)))
      yield* Effect.sleep(300)
      assert.strictEqual(yield* textOf(`${url}/small`), "fine")
      assert.deepStrictEqual([held.length, sessions.length], [12, 1])
    }).pipe(Effect.provide(trusting())))

  it.live("takes headers as long as those over HTTP/1", () =>
    Effect.gen(function*() {
      const long = "a".repeat(40_000)
      const { url } = yield* speaking((_, response) => {
        response.setHeader("x-a", long)
        response.end()
      })
      assert.isTrue((yield* execute(get(url))).headers["x-a"] === long)
    }).pipe(Effect.provide(trusting())))

  it.live("that a server says goodbye to goes on over another connection", () =>
    Effect.gen(function*() {
      const { sessions, url } = yield* speaking((_, response) => void response.end("fine"))
      for (let n = 0; n < 5; n++) {
        assert.strictEqual(yield* textOf(url), "fine")
        sessions.at(-1)!.goaway()
        yield* Effect.sleep(20)
      }
      assert.isAtLeast(sessions.length, 5)
    }).pipe(Effect.provide(trusting())))

  it.live("whose stream or connection a server breaks off is an error of one request, and the next works", () =>
    Effect.gen(function*() {
      const { url } = yield* speaking((request, response) => {
        switch (request.url) {
          case "/refuse":
            return request.stream.close(2)
          case "/break":
            response.write("abc")
            return void setTimeout(() => request.stream.close(2), 20)
          case "/destroy":
            return void request.stream.session?.destroy()
          default:
            return void response.end("fine")
        }
      })
      for (const [path, tag] of [["/refuse", "TransportError"], ["/break", "DecodeError"], ["/destroy", "TransportError"]] as const) {
        // Bun's server ends a stream that it is told to break off.
        if (isBun && path === "/break") continue
        const reason = yield* reasonOf(textOf(url + path))
        assert.strictEqual(reason.tag, tag, `${path} ${reason.text}`)
        assert.strictEqual(yield* textOf(url), "fine")
      }
    }).pipe(Effect.provide(trusting())))
})

describe("a proxy", () => {
  /** One that notes what it is asked for, and reaches whatever is asked for on loopback. */
  const proxying = Effect.gen(function*() {
    const asked: Array<string> = []
    const server = createHttpServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers["proxy-authorization"] ?? ""}`.trim())
      response.end("by the proxy")
    })
    server.on("connect", (request, socket) => {
      asked.push(`CONNECT ${request.headers["proxy-authorization"] ?? ""}`.trim())
      socket.on("error", () => undefined)
      if (request.headers["proxy-authorization"] === undefined) return socket.end("HTTP/1.1 407 Who are you\r\n\r\n")
      const there = connect(Number(request.url!.split(":")[1]), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connected\r\n\r\n")
        socket.pipe(there).pipe(socket)
      })
      there.on("error", () => socket.destroy())
      return undefined
    })
    return { asked, url: `http://127.0.0.1:${yield* started(server)}` }
  })

  it.live("at a URL is asked for everything, with its name and password", () =>
    Effect.gen(function*() {
      const { asked, url } = yield* proxying
      const port = yield* secure(root.server())
      const proxy = new URL(url.replace("//", "//name:word@"))
      const authorization = `Basic ${btoa("name:word")}`
      yield* Effect.gen(function*() {
        assert.strictEqual(yield* textOf("http://example.invalid/a"), "by the proxy")
        assert.strictEqual(yield* textOf(`https://localhost:${port}/a`), "GET /a")
      }).pipe(Effect.provide(trusting({ proxy })))
      assert.deepStrictEqual(asked, [`GET http://example.invalid/a ${authorization}`, `CONNECT ${authorization}`])
      const refused = yield* Effect.provide(reasonOf(textOf(`https://localhost:${port}/a`)), trusting({ proxy: new URL(url) }))
      assert.deepStrictEqual([refused.tag, refused.code], ["TransportError", "ERR_PROXY"], refused.text)
    }))

  it.live("of the environment is asked, unless it is not to be", () =>
    Effect.gen(function*() {
      const { asked, url } = yield* proxying
      const here = yield* served((_, response) => void response.end("directly"))
      const environment = { HTTP_PROXY: url, http_proxy: url, NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1" }
      const ask = (address: string, proxy: string) => run(["host.ts", "get", address, proxy], environment)
      assert.strictEqual(yield* ask("http://example.invalid/a", "environment"), "by the proxy")
      assert.strictEqual(yield* ask(here, "environment"), "directly")
      assert.strictEqual(yield* ask("http://example.invalid/a", "none"), "TransportError")
      assert.deepStrictEqual(asked, ["GET http://example.invalid/a"])
      // One that is none is not gone past, and what everything is reached without is not asked for.
      const broken = { ...environment, HTTP_PROXY: "socks5://name:word@127.0.0.1", http_proxy: "socks5://name:word@127.0.0.1" }
      assert.strictEqual(yield* run(["host.ts", "get", "http://example.invalid/a", "environment"], broken), "TransportError")
      assert.strictEqual(yield* run(["host.ts", "get", here, "environment"], broken), "directly")
      assert.strictEqual(yield* run(["host.ts", "get", here, "environment"], { ...environment, NO_PROXY: "*", no_proxy: "*" }), "directly")
      assert.lengthOf(asked, 1)
    }), 60_000)
})
