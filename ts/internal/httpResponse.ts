/** An answer of the addon's client, as Effect's clients give answers. Its body is read from the connection as it is read here. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Cookies from "effect/http/Cookies"
import * as Headers from "effect/http/Headers"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as UrlParams from "effect/http/UrlParams"
import * as Inspectable from "effect/Inspectable"
import * as Option from "effect/Option"
import { type Pipeable, pipeArguments } from "effect/Pipeable"
import type * as Pull from "effect/Pull"
import type * as Schema from "effect/Schema"
import type * as Socket from "effect/socket/Socket"
import * as Stream from "effect/Stream"
import { arrived } from "./arrived.ts"
import { type Exchange, Fault, type Head, type Piece } from "./httpConnections.ts"

const decoder = new TextDecoder()
const formDecoder = new TextDecoder("utf-8", { ignoreBOM: true })
const nothing = new ArrayBuffer(0)

/** Names and values that take turns, as one record: of one name they are joined, but the last of cookies counts, as for fetch. */
const headersOf = (pairs: ReadonlyArray<string>): Headers.Headers => {
  const record = Object.create(null) as Record<string, string>
  for (let at = 0; at + 1 < pairs.length; at += 2) {
    const name = pairs[at]!
    const value = pairs[at + 1]!
    record[name] = name in record && name !== "set-cookie" ? `${record[name]}, ${value}` : value
  }
  return Headers.fromRecordUnsafe(record)
}

export class NativeResponse extends Inspectable.Class implements HttpClientResponse.HttpClientResponse, Pipeable {
  readonly [HttpIncomingMessage.TypeId]: typeof HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly [HttpClientResponse.TypeId]: typeof HttpClientResponse.TypeId = HttpClientResponse.TypeId
  readonly request: HttpClientRequest.HttpClientRequest
  readonly status: number
  readonly url: string
  private readonly exchange: Exchange
  private readonly hasBody: boolean
  private whole: ArrayBuffer | undefined
  private isEnd: boolean
  private used: "stream" | "bytes" | undefined
  private readonly lines: string
  private pairsRead: ReadonlyArray<string> | undefined
  private headersRead: Headers.Headers | undefined
  private cookiesRead: Cookies.Cookies | undefined
  private bytesRead: Effect.Effect<ArrayBuffer, HttpClientError.HttpClientError> | undefined
  private formRead: Effect.Effect<FormData, HttpClientError.HttpClientError> | undefined

  constructor(request: HttpClientRequest.HttpClientRequest, url: string, exchange: Exchange, head: Head) {
    super()
    this.request = request
    this.exchange = exchange
    this.status = head.status
    this.lines = head.headers
    this.url = (head.url ?? url).split("#")[0]!
    this.hasBody = head.hasBody
    this.whole = head.whole
    this.isEnd = head.isEnd
  }

  private get pairs(): ReadonlyArray<string> {
    return this.pairsRead ??= this.lines.split("\n")
  }

  get headers(): Headers.Headers {
    return this.headersRead ??= headersOf(this.pairs)
  }

  get cookies(): Cookies.Cookies {
    const { pairs } = this
    return this.cookiesRead ??= Cookies.fromSetCookie(pairs.filter((_, at) => at % 2 === 1 && pairs[at - 1] === "set-cookie"))
  }

  get remoteAddress(): Option.Option<string> {
    return Option.none()
  }

  private failure(cause: unknown): HttpClientError.HttpClientError {
    const description = cause instanceof Error ? cause.message : undefined
    return new HttpClientError.HttpClientError({
      reason: new HttpClientError.DecodeError({ request: this.request, response: this, cause, ...(description === undefined ? undefined : { description }) })
    })
  }

  /** The body is read once: as a stream, or as bytes, which are kept. */
  private use<A>(how: "stream" | "bytes", read: () => Effect.Effect<A, HttpClientError.HttpClientError>): Effect.Effect<A, HttpClientError.HttpClientError> {
    return Effect.suspend(() => {
      if (this.used === "stream" || (this.used === "bytes" && how === "stream")) {
        return Effect.fail(this.failure(new TypeError("the body has been read already")))
      }
      this.used = how
      return read()
    })
  }

  private read(all: boolean): Effect.Effect<Exclude<Piece, Fault>, HttpClientError.HttpClientError> {
    return Effect.callback((resume) => {
      const cease = this.exchange.read(all, (piece) => resume(piece instanceof Fault ? Effect.fail(this.failure(piece)) : Effect.succeed(piece)))
      return Effect.sync(cease)
    })
  }

  get [arrived](): ArrayBuffer | undefined {
    return this.isEnd && this.used !== "stream" ? this.whole ?? nothing : undefined
  }

  get arrayBuffer(): Effect.Effect<ArrayBuffer, HttpClientError.HttpClientError> {
    return this.bytesRead ??= this.isEnd
      ? this.use("bytes", () => Effect.succeed(this.whole ?? nothing))
      : this.use("bytes", () => Effect.map(this.read(true), ({ bytes }) => bytes)).pipe(Effect.cached, Effect.runSync)
  }

  get text(): Effect.Effect<string, HttpClientError.HttpClientError> {
    return Effect.map(this.arrayBuffer, (bytes) => decoder.decode(bytes))
  }

  private parsed<A, B>(
    read: Effect.Effect<A, HttpClientError.HttpClientError>,
    parse: (read: A) => B
  ): Effect.Effect<B, HttpClientError.HttpClientError> {
    return Effect.flatMap(read, (read) => Effect.try({ try: () => parse(read), catch: (cause) => this.failure(cause) }))
  }

  get json(): Effect.Effect<Schema.Json, HttpClientError.HttpClientError> {
    return this.parsed(this.text, (text) => text === "" ? null : JSON.parse(text) as Schema.Json)
  }

  get urlParamsBody(): Effect.Effect<UrlParams.UrlParams, HttpClientError.HttpClientError> {
    // A question mark in front would be taken for that of a query, which a form does not have.
    return this.parsed(this.arrayBuffer, (bytes) => UrlParams.fromInput(new URLSearchParams(`&${formDecoder.decode(bytes)}`)))
  }

  get formData(): Effect.Effect<FormData, HttpClientError.HttpClientError> {
    return this.formRead ??= Effect.flatMap(this.arrayBuffer, (bytes) =>
      Effect.tryPromise({
        try: () => {
          const type = this.headers["content-type"]
          return new Response(bytes, type === undefined ? {} : { headers: { "content-type": type } }).formData()
        },
        catch: (cause) => this.failure(cause)
      })).pipe(Effect.cached, Effect.runSync)
  }

  private pull(): Pull.Pull<readonly [Uint8Array], HttpClientError.HttpClientError> {
    return Effect.suspend(() => {
      const { whole } = this
      if (whole !== undefined) {
        this.whole = undefined
        return Effect.succeed([new Uint8Array(whole)] as const)
      }
      if (this.isEnd) return Cause.done()
      return Effect.flatMap(this.read(false), ({ bytes, isEnd }) => {
        this.isEnd = isEnd
        return bytes.byteLength === 0 ? this.pull() : Effect.succeed([new Uint8Array(bytes)] as const)
      })
    })
  }

  get stream(): Stream.Stream<Uint8Array, HttpClientError.HttpClientError> {
    if (!this.hasBody) {
      const description = "a body that cannot be there has no stream"
      return Stream.fail(
        new HttpClientError.HttpClientError({ reason: new HttpClientError.EmptyBodyError({ request: this.request, response: this, description }) })
      )
    }
    // Whoever leaves it before its end wants no more of it. Who is refused it has nothing to leave.
    const read = () => Effect.succeed(Stream.ensuring(Stream.fromPull(Effect.succeed(this.pull())), Effect.sync(() => this.exchange.cancel())))
    return Stream.unwrap(this.use("stream", read))
  }

  get upgrade(): Effect.Effect<Socket.Socket, HttpClientError.HttpClientError> {
    const description = "the connection of an upgrade cannot be handed over"
    return Effect.fail(
      new HttpClientError.HttpClientError({ reason: new HttpClientError.StatusCodeError({ request: this.request, response: this, description }) })
    )
  }

  override toJSON(): unknown {
    return HttpIncomingMessage.inspect(this, { _id: "HttpClientResponse", request: this.request.toJSON(), status: this.status })
  }

  pipe() {
    return pipeArguments(this, arguments)
  }
}
