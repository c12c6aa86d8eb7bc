/** A client that answers from a script, and a server on loopback: what the tests of HTTP send their requests to. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"
import { type HttpBody, HttpClient, type HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"

/** A request as a client was asked to send it. */
export interface Sent {
  readonly method: string
  /** As a URL parser reads it. */
  readonly url: string
  /** Without those that trace a request, which Effect's own client adds to each. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export type Answered = Response | Effect.Effect<Response, HttpClientError.HttpClientError>

const traceHeaders = new Set(["traceparent", "tracestate", "b3"])

/** The text of a request's body, where it has one. */
export const bodyTextOf = (body: HttpBody.HttpBody): string | undefined => {
  if (body._tag === "Uint8Array") return new TextDecoder().decode(body.body)
  return body._tag === "Raw" && typeof body.body === "string" ? body.body : undefined
}

const sentOf = (request: HttpClientRequest.HttpClientRequest, url: URL): Sent => ({
  method: request.method,
  url: url.href,
  headers: Object.fromEntries(Object.entries(request.headers).filter(([name]) => !traceHeaders.has(name))),
  body: bodyTextOf(request.body)
})

/** A client that records each request, and what `answer` makes of it; 204 when there is none. */
export const scripted = (
  answer: (sent: Sent, request: HttpClientRequest.HttpClientRequest) => Answered = () => new Response(null, { status: 204 })
): { readonly client: HttpClient.HttpClient; readonly sent: Array<Sent> } => {
  const sent: Array<Sent> = []
  const client = HttpClient.make((request, url) =>
    Effect.suspend(() => {
      const one = sentOf(request, url)
      sent.push(one)
      const answered = answer(one, request)
      return Effect.map(
        answered instanceof Response ? Effect.succeed(answered) : answered,
        (response) => HttpClientResponse.fromWeb(request, response)
      )
    })
  )
  return { client, sent }
}

/** An answer of a body that is given in chunks, and how far it was read. */
export const chunked = (
  chunkAt: (at: number) => Uint8Array | undefined,
  init: ResponseInit = { status: 200, headers: { "content-type": "text/plain" } }
): { readonly response: Response; readonly reading: { chunks: number; cancelled: boolean } } => {
  const reading = { chunks: 0, cancelled: false }
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = chunkAt(reading.chunks)
      if (chunk === undefined) return controller.close()
      reading.chunks++
      controller.enqueue(chunk)
    },
    cancel() {
      reading.cancelled = true
    }
  }, { highWaterMark: 0 })
  return { response: new Response(body, init), reading }
}

/** A request as it arrived at the server. */
export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Loopback {
  readonly url: string
  readonly received: ReadonlyArray<Received>
  /** Settles when an answer is over or its connection is closed, whichever comes first: one for each request, in order. */
  readonly closed: (at: number) => Effect.Effect<void>
  /** Settles when so many requests have arrived. */
  readonly arrived: (count: number) => Effect.Effect<void>
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** Starts a server on loopback for as long as the scope is open. */
export const loopback = (
  handle: (received: Received, response: ServerResponse) => void
): Effect.Effect<Loopback, never, Scope.Scope> => {
  const start = Effect.callback<Loopback & { readonly stop: () => void }>((resume) => {
    const received: Array<Received> = []
    const closings: Array<Promise<void>> = []
    const waiting: Array<{ readonly count: number; readonly done: () => void }> = []
    const server = createServer((request, response) => {
      const closing = new Promise<void>((resolve) => response.once("close", () => resolve()))
      void bodyOf(request).then((body) => {
        const one = { method: request.method ?? "", url: request.url ?? "", headers: request.headers, body }
        received.push(one)
        closings.push(closing)
        for (const { count, done } of waiting) if (received.length >= count) done()
        handle(one, response)
        return undefined
      }, () => undefined)
    })
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resume(Effect.succeed({
        url: `http://127.0.0.1:${port}`,
        received,
        closed: (at) => Effect.promise(() => closings[at] ?? Promise.reject(new Error(`no request ${at} has arrived`))),
        arrived: (count) =>
          Effect.callback((resume) => {
            if (received.length >= count) return resume(Effect.void)
            waiting.push({ count, done: () => resume(Effect.void) })
          }),
        stop: () => {
          server.close()
          server.closeAllConnections()
        }
      }))
    })
  })
  return Effect.acquireRelease(start, ({ stop }) => Effect.sync(stop))
}

const stop = (server: Server): Effect.Effect<void> =>
  Effect.sync(() => {
    server.close()
    server.closeAllConnections()
  })

/** Starts a server on loopback for as long as the scope is open, which reads its requests itself; its address. */
export const serving = (handle: (request: IncomingMessage, response: ServerResponse) => void): Effect.Effect<string, never, Scope.Scope> => {
  const start = Effect.callback<Server>((resume) => {
    const server = createServer(handle)
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  })
  return Effect.map(Effect.acquireRelease(start, stop), (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}
