/** Effect's HttpClient over the addon's: a request sent, its body written as it is wanted, its answer, and its end when nobody waits. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Stream from "effect/Stream"
import { isBytes } from "./bytes.ts"
import { type Connections, type Exchange, Fault } from "./httpConnections.ts"
import { contentOf, isDetached } from "./httpContent.ts"
import { NativeResponse } from "./httpResponse.ts"

const failed = (request: HttpClientRequest.HttpClientRequest, cause: Fault): Effect.Effect<never, HttpClientError.HttpClientError> =>
  Effect.fail(
    new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause, description: cause.message }) })
  )

const awaitRoom = (exchange: Exchange): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const cease = exchange.awaitRoom((isWanted) => resume(Effect.succeed(isWanted)))
    return Effect.sync(cease)
  })

/** Writes a piece of a body, and says whether more is wanted, once it is. */
const write = (exchange: Exchange, round: number, bytes: Uint8Array): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    if (!isBytes(bytes)) return Effect.die(new TypeError("a stream that is a body has to give Uint8Arrays"))
    if (bytes.byteLength === 0) {
      return isDetached(bytes) ? Effect.die(new TypeError("a stream that is a body gave bytes that were handed to somebody else")) : Effect.succeed(true)
    }
    const room = exchange.write(round, bytes)
    if (room === "excess") return Effect.die(new Fault("ERR_BODY", "the body of the request was not sent to its end: it is longer than was said"))
    return room === "later" ? awaitRoom(exchange) : Effect.succeed(room === "more")
  })

/** Writes a body for as long as it is wanted; the stream is not begun before it is. Its failure is the request's. */
const writeAll = (exchange: Exchange, round: number, stream: Stream.Stream<Uint8Array, unknown>): Effect.Effect<void> =>
  Effect.flatMap(awaitRoom(exchange), (isWanted) =>
    isWanted ? Stream.runForEachWhile(stream, (bytes) => write(exchange, round, bytes)) : Effect.void).pipe(
      Effect.matchCause({
        onSuccess: () => exchange.finish(round),
        onFailure: (cause) => {
          const failure = Cause.squash(cause)
          if (failure instanceof Fault) return exchange.fail(round, failure)
          const fault = new Fault("ERR_BODY", "the body of the request failed")
          fault.cause = failure
          exchange.fail(round, fault)
        }
      })
    )

/** It goes on for longer than the effect that sends the request, which is over with the head of the answer. */
const upload = (exchange: Exchange, fiber: Fiber.Fiber<unknown, unknown>, stream: Stream.Stream<Uint8Array, unknown>): void => {
  const { connections } = exchange
  let writing: Fiber.Fiber<void> | undefined
  exchange.onWanted((round) => {
    writing?.interruptUnsafe()
    connections.alive.hold()
    writing = Effect.runForkWith(fiber.context)(writeAll(exchange, round, stream))
    writing.addObserver(() => connections.alive.release())
  })
  exchange.onOver(() => writing?.interruptUnsafe())
}

/** A client that sends its requests over these connections. */
export const make = (connections: Connections): HttpClient.HttpClient =>
  HttpClient.make((request, url, signal, fiber) =>
    Effect.callback((resume) => {
      const sent = contentOf(request)
      if (HttpClientError.isHttpClientError(sent)) return resume(Effect.fail(sent))
      if (signal.aborted) return resume(failed(request, new Fault("ERR_CANCELLED", "the request was ended before it was sent")))

      const headers: Array<string> = []
      for (const name of Object.keys(request.headers)) headers.push(name, String(request.headers[name]))
      if (sent.type !== undefined && request.headers["content-type"] === undefined) headers.push("content-type", sent.type)

      const exchange = connections.send(request.method, url.href, headers, sent.content, sent.isRepeatable === true)
      if (exchange instanceof Fault) return resume(failed(request, exchange))
      exchange.head((head) =>
        resume(head instanceof Fault ? failed(request, head) : Effect.succeed(new NativeResponse(request, url.href, exchange, head)))
      )
      // It is aborted when the scope of the request closes, and when its answer is forgotten; so it must not lead to that answer.
      const abort = () => exchange.cancel()
      signal.addEventListener("abort", abort)
      exchange.onOver(() => signal.removeEventListener("abort", abort))
      if (sent.stream !== undefined) upload(exchange, fiber, sent.stream)
      return Effect.sync(() => exchange.cancel())
    })
  )
