/**
 * Exchanges with an MCP server over the caller's client. What is said and what it means, the addon knows; here are the
 * client, time, and interruption.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Pull from "effect/Pull"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as Binding from "../../native/binding.cjs"
import * as ToolSourceError from "../ToolSourceError.ts"
import { arrived } from "./arrived.ts"
import { turns } from "./breath.ts"
import { additionsOf, urlOf } from "./clientAdditions.ts"
import { causeOf } from "./clientError.ts"
import { join } from "./jsonPieces.ts"
import { native } from "./native.ts"
import { within } from "./within.ts"

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

/** How much of it is read, in bytes. */
const maxRest = 64 << 10

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
  step.kind === "think" ? Effect.flatMap(Effect.promise(() => exchange.think()), (step) => settled(exchange, step)) : Effect.succeed(step)

const atEnd = (exchange: Exchange): Effect.Effect<Received> =>
  Effect.map(Effect.suspend(() => settled(exchange, exchange.end())), (step) => ({ step, rest: false }))

/** Tells of a whole answer with one crossing. */
const tellWhole = (exchange: Exchange, { headers, status }: HttpClientResponse.HttpClientResponse, bytes: ArrayBuffer): Effect.Effect<Received> => {
  const step = exchange.whole(status, headers["content-type"], headers["mcp-session-id"], new Uint8Array(bytes))
  if (step.kind !== "think") return Effect.succeed({ step, rest: false })
  return Effect.flatMap(settled(exchange, step), (step) => step.kind === "read" ? atEnd(exchange) : Effect.succeed({ step, rest: false }))
}

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
  // A stream within the process may have the next chunk at once, for ever.
  const due = turns()
  const next: Effect.Effect<Received, HttpClientError.HttpClientError> = Pull.matchEffect(pull, {
    onSuccess: (chunks) => {
      const turn = due()
      return turn === undefined ? take(chunks, 0) : Effect.flatMap(turn, () => take(chunks, 0))
    },
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
    const whole = (response as { readonly [arrived]?: ArrayBuffer })[arrived]
    if (whole !== undefined) return tellWhole(exchange, response, whole)
    const { headers, status } = response
    // A stream of events may stay open whatever length it says, and of another status the body may not be needed.
    const isWhole = status === 200 && headers["content-type"]?.includes("json") === true && headers["content-encoding"] === undefined
    if (isWhole && Number(headers["content-length"]) <= maxWhole) return Effect.flatMap(response.arrayBuffer, (bytes) => tellWhole(exchange, response, bytes))
    const step = exchange.head(status, headers["content-type"], headers["mcp-session-id"])
    if (step !== null) return Effect.succeed({ step, rest: true })
    return Effect.flatMap(Stream.toPull(response.stream), (pull) => readOn(exchange, pull))
  })

/** Reads the rest of a body that nobody waits for, a little of it: whether it ended. */
const rest = (pull: Pulled, left: number): Effect.Effect<boolean> =>
  Pull.matchEffect(pull, {
    onSuccess: (chunks) => {
      const more = left - chunks.reduce((sum, { length }) => sum + length, 0)
      return more > 0 ? rest(pull, more) : Effect.succeed(false)
    },
    onFailure: () => Effect.succeed(false),
    onDone: () => Effect.succeed(true)
  })

/** Waits a moment for the end of a body behind the answer in it, so that the connection can serve again; one that goes on is closed. */
const linger = (pull: Pulled, scope: Scope.Closeable): Effect.Effect<void> =>
  Effect.map(Effect.forkDetach(rest(pull, maxRest), { startImmediately: true }), (reading) => {
    if (reading.pollUnsafe() === undefined) {
      // Real time: a test's clock stands still.
      const timer = setTimeout(() => reading.interruptUnsafe(), lingering)
      timer.unref?.()
      reading.addObserver(() => clearTimeout(timer))
    }
    reading.addObserver((exit) => {
      if (Exit.isFailure(exit) || !exit.value) Effect.runFork(Scope.close(scope, Exit.void))
    })
  })

/** A negotiation that is under way, and how many wait for it. */
interface UnderWay {
  readonly outcome: Deferred.Deferred<void, Reason>
  fiber: Fiber.Fiber<unknown> | undefined
  waiting: number
}

const late = Effect.fail(new ToolSourceError.UnavailableError({ description: "The server did not answer in time." }))

/** A failure in the server's own words, which must not repeat what the client sent. */
const told = (exchange: Exchange, step: Step, given: HttpClientRequest.HttpClientRequest, sent: HttpClientRequest.HttpClientRequest): Step => {
  const { headers, url } = additionsOf(given, sent)
  // A client that follows redirects tells of the last request alone.
  const description = exchange.tell(`${urlOf(given)}\n${url}`, headers)
  return description === null ? step : { ...step, description }
}

/** The server at a URL, over a client. Nobody is contacted yet. */
export const connect = (client: HttpClient.HttpClient, url: string, timeout: Duration.Duration): Connection => {
  const server = new native.McpServer(new URL(url).hostname)
  const { execute } = HttpClient.withScope(client)

  /** Sends one request: the step after its answer. */
  const send = (exchange: Exchange, request: Binding.McpRequest): Effect.Effect<Step, Reason> =>
    Effect.suspend(() => {
      // All that closing it does is to abort the request, which costs even where that is over; so it is left then.
      const scope = Scope.makeUnsafe()
      const given = requestOf(url, request)
      let sent = given
      return execute(given).pipe(
        // A client may take a status as a failure (filterStatusOk): the answer is there all the same.
        Effect.catch((error) => error.response === undefined ? Effect.fail(error) : Effect.succeed(error.response)),
        Effect.flatMap((response) => {
          sent = response.request
          return receive(exchange, response)
        }),
        Scope.provide(scope),
        Effect.onExit((exit) => {
          if (Exit.isFailure(exit) || exit.value.rest === true) return Scope.close(scope, exit)
          return exit.value.rest === false ? Effect.void : linger(exit.value.rest, scope)
        }),
        Effect.map(({ step }) => step.hasWords === true ? told(exchange, step, given, sent) : step),
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
        Effect.ignore
      ))
    })

  /** A message and its answer, which may come in several parts. */
  const deliver = (exchange: Exchange, request: Binding.McpRequest): Effect.Effect<Step, Reason> => {
    const part = (request: Binding.McpRequest): Effect.Effect<Step, Reason> =>
      Effect.flatMap(send(exchange, request), (step) =>
        step.kind === "send" && step.request!.method === "GET"
          ? Effect.andThen(Effect.sleep(step.request!.wait), part(step.request!))
          : Effect.succeed(step))
    return within(Effect.onInterrupt(part(request), () => giveUp(exchange)), timeout, (fiber) => Effect.andThen(Fiber.interrupt(fiber), late))
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

  let underWay: UnderWay | undefined

  const begin = (exchange: Exchange): Effect.Effect<UnderWay> =>
    Effect.suspend(() => {
      const mine: UnderWay = { outcome: Deferred.makeUnsafe(), fiber: undefined, waiting: 0 }
      underWay = mine
      return Effect.suspend(() => drive(exchange, exchange.begin())).pipe(
        Effect.onExit((exit) => {
          if (underWay === mine) underWay = undefined
          return Deferred.done(mine.outcome, Exit.asVoid(exit))
        }),
        Effect.ignore,
        Effect.interruptible,
        Effect.forkDetach,
        Effect.map((fiber) => Object.assign(mine, { fiber }))
      )
    })

  /**
   * Settles how the server is spoken to. Who comes meanwhile waits for the same, and shares a failure; it ends with the last of
   * those who wait, so that none of them has to have the patience for all of it.
   */
  const negotiate: Effect.Effect<void, Reason> = Effect.uninterruptibleMask((restore) =>
    Effect.suspend(() => {
      const exchange = underWay === undefined ? server.negotiation() : undefined
      if (exchange === null) return Effect.void
      return Effect.flatMap(exchange === undefined ? Effect.succeed(underWay!) : begin(exchange), (joined) => {
        joined.waiting++
        return restore(Deferred.await(joined.outcome)).pipe(
          Effect.onExit(() => {
            if (--joined.waiting > 0 || underWay !== joined || joined.fiber === undefined) return Effect.void
            underWay = undefined
            return Fiber.interrupt(joined.fiber)
          })
        )
      })
    })
  )

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
