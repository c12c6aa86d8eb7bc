/**
 * Exchanges with an MCP server over the caller's client. What is said and what it means, the addon knows; here are the
 * client, time, and interruption.
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Pull from "effect/Pull"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type * as Binding from "../../native/binding.cjs"
import * as ToolSourceError from "../ToolSourceError.ts"
import { causeOf } from "./clientError.ts"
import { join } from "./jsonPieces.ts"
import { native } from "./native.ts"

type Reason = ToolSourceError.ToolSourceErrorReason
type Step = Binding.McpStep
type Exchange = InstanceType<typeof native.McpExchange>

/** What an exchange gave. */
export interface Done {
  readonly value: Schema.Json
  readonly warnings: ReadonlyArray<string>
}

/** A server that is spoken to. */
export interface Connection {
  readonly list: Effect.Effect<Done, Reason>
  readonly call: (tool: string, input: string) => Effect.Effect<Done, Reason>
}

/** The longest body that is read at once, in bytes: a longer one is read as it comes. */
const maxWhole = 1 << 20

/** How long a server may take to hear that nobody waits for a call any more. */
const patience = Duration.seconds(5)

/** How long the rest of a stream is read behind the answer, in milliseconds, so that its connection can serve again. */
const lingering = 250

const requestOf = (url: string, { body, headers, method }: Binding.McpRequest): HttpClientRequest.HttpClientRequest => {
  const lines = headers.split("\n")
  const pairs: Array<readonly [string, string]> = []
  for (let at = 0; at < lines.length; at += 2) pairs.push([lines[at]!, lines[at + 1]!])
  return HttpClientRequest.make(method)(url, {
    headers: pairs,
    // As the text itself: fetch cannot send the bytes of a body once more for a redirect (307, 308) before Node.js 24.
    ...(body === undefined ? undefined : { body: HttpBody.raw(body, { contentType: "application/json" }) })
  })
}

type Pulled = Pull.Pull<ReadonlyArray<Uint8Array>, HttpClientError.HttpClientError>

/** What is read of an answer: the step behind it, and how what is left of its body is to be read, if anything is. */
interface Received {
  readonly step: Step
  /** `false`: it was read to its end. */
  readonly rest: Pulled | boolean
}

const settled = (exchange: Exchange, step: Step): Effect.Effect<Step> =>
  step.kind === "think" ? Effect.promise(() => exchange.think()) : Effect.succeed(step)

const atEnd = (exchange: Exchange): Effect.Effect<Received> =>
  Effect.map(Effect.suspend(() => settled(exchange, exchange.end())), (step) => ({ step, rest: false }))

/** Reads a body at once. */
const readWhole = (exchange: Exchange, response: HttpClientResponse.HttpClientResponse): Effect.Effect<Received, HttpClientError.HttpClientError> =>
  Effect.flatMap(response.arrayBuffer, (bytes) => {
    const found = exchange.chunk(new Uint8Array(bytes))
    if (found === null) return atEnd(exchange)
    return Effect.flatMap(settled(exchange, found), (step) => step.kind === "read" ? atEnd(exchange) : Effect.succeed({ step, rest: false }))
  })

/** Reads a body as it comes, up to the step that is not reading. */
const readOn = (exchange: Exchange, pull: Pulled): Effect.Effect<Received, HttpClientError.HttpClientError> => {
  const take = (chunks: ReadonlyArray<Uint8Array>, from: number): Effect.Effect<Received, HttpClientError.HttpClientError> => {
    for (let at = from; at < chunks.length; at++) {
      const found = exchange.chunk(chunks[at]!)
      if (found === null) continue
      return Effect.flatMap(settled(exchange, found), (step) => step.kind === "read" ? take(chunks, at + 1) : Effect.succeed({ step, rest: pull }))
    }
    return next
  }
  const next: Effect.Effect<Received, HttpClientError.HttpClientError> = Pull.matchEffect(pull, {
    onSuccess: (chunks) => take(chunks, 0),
    onFailure: (cause): Effect.Effect<Received, HttpClientError.HttpClientError> => {
      const error = cause.reasons.find(Cause.isFailReason)?.error
      return error?.reason._tag === "EmptyBodyError" ? atEnd(exchange) : Effect.failCause(cause)
    },
    onDone: () => atEnd(exchange)
  })
  return next
}

const receive = (
  exchange: Exchange,
  response: HttpClientResponse.HttpClientResponse
): Effect.Effect<Received, HttpClientError.HttpClientError, Scope.Scope> =>
  Effect.suspend((): Effect.Effect<Received, HttpClientError.HttpClientError, Scope.Scope> => {
    const { headers } = response
    const step = exchange.head(response.status, headers["content-type"], headers["mcp-session-id"])
    if (step !== null) return Effect.succeed({ step, rest: true })
    return headers["content-encoding"] === undefined && Number(headers["content-length"]) <= maxWhole
      ? readWhole(exchange, response)
      : Effect.flatMap(Stream.toPull(response.stream), (pull) => readOn(exchange, pull))
  })

/** Real time: a test's clock stands still. */
const lingered = Effect.callback<void>((resume) => {
  const timer = setTimeout(() => resume(Effect.void), lingering)
  timer.unref?.()
  return Effect.sync(() => clearTimeout(timer))
})

/** Reads the rest of a body that nobody waits for; one that goes on is closed. */
const linger = (pull: Pulled, scope: Scope.Closeable): Effect.Effect<unknown> =>
  Effect.raceFirst(Effect.as(Effect.exit(Effect.forever(pull, { disableYield: true })), true), Effect.as(lingered, false)).pipe(
    Effect.flatMap((ended) => ended ? Effect.void : Scope.close(scope, Exit.void)),
    Effect.forkDetach
  )

/** The server at a URL, over a client. Nobody is contacted yet. */
export const connect = (client: HttpClient.HttpClient, url: string, timeout: Duration.Duration): Connection => {
  const server = new native.McpServer()
  const { execute } = HttpClient.withScope(client)

  /** Sends one request: the step after its answer. */
  const send = (exchange: Exchange, request: Binding.McpRequest): Effect.Effect<Step, Reason> =>
    Effect.suspend(() => {
      // Closing it aborts the request, which costs even where the request is over; so it is closed only where it is not.
      const scope = Scope.makeUnsafe()
      return execute(requestOf(url, request)).pipe(
        // A client may take a status as a failure (filterStatusOk): the answer is there all the same.
        Effect.catch((error) => error.response === undefined ? Effect.fail(error) : Effect.succeed(error.response)),
        Effect.flatMap((response) => receive(exchange, response)),
        Scope.provide(scope),
        Effect.onExit((exit) => {
          if (Exit.isFailure(exit) || exit.value.rest === true) return Scope.close(scope, exit)
          return exit.value.rest === false ? Effect.void : linger(exit.value.rest, scope)
        }),
        Effect.map(({ step }) => step),
        Effect.catch((error): Effect.Effect<Step, Reason> => {
          const cause = causeOf(error)
          switch (error.reason._tag) {
            case "InvalidUrlError":
            case "EncodeError":
              return Effect.fail(new ToolSourceError.UnknownError({ description: "The request could not be sent.", cause }))
          }
          const step = exchange.broke()
          return step.kind === "fail" ? Effect.fail(reasonOf(step, cause)) : Effect.succeed(step)
        })
      )
    })

  /** Tells the server, without waiting for it, that nobody waits for an answer any more. */
  const giveUp = (exchange: Exchange): Effect.Effect<unknown> =>
    Effect.suspend(() => {
      const request = exchange.cancel()
      if (request === null) return Effect.void
      return Effect.forkDetach(execute(requestOf(url, request)).pipe(
        Effect.scoped,
        Effect.timeoutOption(patience),
        Effect.ignore,
        Effect.interruptible
      ))
    })

  /** A message and its answer, which may come in several parts. */
  const deliver = (exchange: Exchange, request: Binding.McpRequest): Effect.Effect<Step, Reason> => {
    const part = (request: Binding.McpRequest): Effect.Effect<Step, Reason> =>
      Effect.flatMap(send(exchange, request), (step) =>
        step.kind === "send" && step.request!.method === "GET"
          ? Effect.andThen(Effect.sleep(step.request!.wait), part(step.request!))
          : Effect.succeed(step))
    return part(request).pipe(
      Effect.onInterrupt(() => giveUp(exchange)),
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () => Effect.fail(new ToolSourceError.UnavailableError({ description: "The server did not answer in time." }))
      })
    )
  }

  const drive = (exchange: Exchange, step: Step): Effect.Effect<Step, Reason> => {
    switch (step.kind) {
      case "send":
        return Effect.flatMap(deliver(exchange, step.request!), (step) => drive(exchange, step))
      case "negotiate":
        return Effect.flatMap(negotiate, () => drive(exchange, exchange.begin()))
      case "fail":
        return Effect.fail(reasonOf(step))
      default:
        return Effect.succeed(step)
    }
  }

  const turns = Semaphore.makeUnsafe(1)
  /** The number of the negotiation that is under way, or was last. */
  let latest = 0
  let isUnderWay = false
  let failed: { readonly number: number; readonly reason: Reason } | undefined

  /**
   * Settles how the server is spoken to. Who comes while it is being settled waits, and shares a failure; when the one who
   * settles it is interrupted, the next of them takes over.
   */
  const negotiate: Effect.Effect<void, Reason> = Effect.suspend(() => {
    const joined = isUnderWay ? latest : latest + 1
    return turns.withPermits(1)(Effect.suspend((): Effect.Effect<void, Reason> => {
      if (failed !== undefined && failed.number >= joined) return Effect.fail(failed.reason)
      const exchange = server.negotiation()
      if (exchange === null) return Effect.void
      const number = ++latest
      isUnderWay = true
      return Effect.suspend(() => drive(exchange, exchange.begin())).pipe(
        Effect.tapError((reason) => Effect.sync(() => void (failed = { number, reason }))),
        Effect.ensuring(Effect.sync(() => void (isUnderWay = false))),
        Effect.asVoid
      )
    }))
  })

  const run = (begin: () => Exchange): Effect.Effect<Done, Reason> =>
    Effect.suspend(() => {
      const exchange = begin()
      return Effect.flatMap(drive(exchange, exchange.begin()), (step) => doneOf(exchange, step))
    })

  return {
    list: run(() => server.list()),
    call: (tool, input) => run(() => server.call(tool, input))
  }
}

const reasons = {
  AuthenticationError: ToolSourceError.AuthenticationError,
  NotFoundError: ToolSourceError.NotFoundError,
  InvalidInputError: ToolSourceError.InvalidInputError,
  CallFailedError: ToolSourceError.CallFailedError,
  UnavailableError: ToolSourceError.UnavailableError,
  InvalidResponseError: ToolSourceError.InvalidResponseError,
  UnsupportedError: ToolSourceError.UnsupportedError,
  UnknownError: ToolSourceError.UnknownError
}

const reasonOf = ({ description, reason }: Step, cause?: unknown): Reason =>
  new reasons[reason!]({ description, ...(cause === undefined ? undefined : { cause }) })

const doneOf = (exchange: Exchange, { value, warnings }: Step): Effect.Effect<Done, Reason> => {
  const read = value === undefined
    ? join(() => exchange.nextPiece())
    : Effect.try({
      try: () => JSON.parse(value) as Schema.Json,
      catch: () => new ToolSourceError.InvalidResponseError({ description: "The answer cannot be read." })
    })
  return Effect.map(read, (value) => ({ value, warnings: warnings ?? [] }))
}
