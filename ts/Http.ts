/**
 * Tools that are HTTP requests, and the source that sends them to one base URL over the caller's client.
 *
 * What the model gives fills the places an operation has for it and decides nothing else; the credentials are the client's.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import type * as HttpClient from "effect/http/HttpClient"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { type ClosedStruct, closedStruct } from "./internal/closed.ts"
import { exchange } from "./internal/httpExchange.ts"
import { isRefusal, native } from "./internal/native.ts"
import { positiveInteger, timeoutOf } from "./internal/options.ts"
import { callOf } from "./internal/writtenCall.ts"
import * as ToolDefinition from "./ToolDefinition.ts"
import type * as ToolSource from "./ToolSource.ts"
import * as ToolSourceError from "./ToolSourceError.ts"

const methods = ["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "QUERY"] as const

/**
 * The methods that a path item of OpenAPI 3 names, stored in upper case; any case decodes.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Method: Schema.Codec<typeof methods[number], string> = Schema.String.pipe(
  Schema.decodeTo(Schema.String, SchemaTransformation.transform({ decode: (method) => method.toUpperCase(), encode: (method) => method })),
  Schema.decodeTo(Schema.Literals(methods))
)

/**
 * A method in upper case.
 *
 * @category models
 * @since 0.1.0
 */
export type Method = typeof Method.Type

/**
 * How OpenAPI writes a list or an object where only text stands.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Style: Schema.Literals<
  readonly ["form", "spaceDelimited", "pipeDelimited", "deepObject", "simple", "label", "matrix"]
> = Schema.Literals(["form", "spaceDelimited", "pipeDelimited", "deepObject", "simple", "label", "matrix"])

/**
 * How a list or an object is written where only text stands.
 *
 * @category models
 * @since 0.1.0
 */
export type Style = typeof Style.Type

/**
 * Where a property of the input goes: a segment of the path, a query parameter, or a header, and the name the API knows it
 * by.
 *
 * Without more it is written in the place's own way: one value, and in the query a key for each value of a list, in a header
 * a list joined by commas. With a `style` or `explode` it is written as OpenAPI's table of styles has it, lists and objects
 * too: `simple`, `label` and `matrix` in the path, `form`, `spaceDelimited`, `pipeDelimited` and `deepObject` in the query,
 * `simple` in a header. `allowReserved` leaves the reserved characters of a query value as they are, but for those that
 * would end the value. A `mediaType`, which is one of JSON, has the value sent as JSON text instead.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Place: ClosedStruct<{
  readonly property: Schema.String
  readonly in: Schema.Literals<readonly ["path", "query", "header"]>
  readonly name: Schema.String
  readonly style: Schema.optionalKey<typeof Style>
  readonly explode: Schema.optionalKey<Schema.Boolean>
  readonly allowReserved: Schema.optionalKey<Schema.Boolean>
  readonly mediaType: Schema.optionalKey<Schema.String>
}> = closedStruct({
  property: Schema.String,
  in: Schema.Literals(["path", "query", "header"]),
  name: Schema.String,
  style: Schema.optionalKey(Style),
  explode: Schema.optionalKey(Schema.Boolean),
  allowReserved: Schema.optionalKey(Schema.Boolean),
  mediaType: Schema.optionalKey(Schema.String)
})

/**
 * Where a property of the input goes.
 *
 * @category models
 * @since 0.1.0
 */
export interface Place extends Schema.Schema.Type<typeof Place> {}

/**
 * How a field of a form is written, where that is not as any other is: a plain value as text, an object as JSON, and a list
 * as a field for each item. It has either a `style` (with `explode` and `allowReserved`), as a query parameter has, or a
 * `mediaType`, or the `contentEncoding` of a file, whose bytes the input gives in base64.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Field: ClosedStruct<{
  readonly name: Schema.String
  readonly style: Schema.optionalKey<typeof Style>
  readonly explode: Schema.optionalKey<Schema.Boolean>
  readonly allowReserved: Schema.optionalKey<Schema.Boolean>
  readonly mediaType: Schema.optionalKey<Schema.String>
  readonly contentEncoding: Schema.optionalKey<Schema.Literal<"base64">>
}> = closedStruct({
  name: Schema.String,
  style: Schema.optionalKey(Style),
  explode: Schema.optionalKey(Schema.Boolean),
  allowReserved: Schema.optionalKey(Schema.Boolean),
  mediaType: Schema.optionalKey(Schema.String),
  contentEncoding: Schema.optionalKey(Schema.Literal("base64"))
})

/**
 * How a field of a form is written.
 *
 * @category models
 * @since 0.1.0
 */
export interface Field extends Schema.Schema.Type<typeof Field> {}

/**
 * A request with places for what the model gives: its method, its path with `{name}` for each place in it, the places, and
 * the property that holds the body. It is data, so a catalog stores it; a key that this version does not know is refused,
 * since leaving it out would send another request.
 *
 * The `mediaType` says how the body is written: JSON where there is none, or for one of JSON; the fields of an object for
 * `application/x-www-form-urlencoded` and `multipart/form-data`, each as `fields` says of it; the text of a value for any
 * other; and with the `contentEncoding` `"base64"` the bytes that a string gives so.
 *
 * @category schemas
 * @since 0.1.0
 */
export const RequestTemplate: ClosedStruct<{
  readonly method: typeof Method
  readonly path: Schema.String
  readonly parameters: Schema.$Array<typeof Place>
  readonly body: Schema.optionalKey<Schema.String>
  readonly mediaType: Schema.optionalKey<Schema.String>
  readonly contentEncoding: Schema.optionalKey<Schema.Literal<"base64">>
  readonly fields: Schema.optionalKey<Schema.$Array<typeof Field>>
}> = closedStruct({
  method: Method,
  path: Schema.String,
  parameters: Schema.Array(Place),
  body: Schema.optionalKey(Schema.String),
  mediaType: Schema.optionalKey(Schema.String),
  contentEncoding: Schema.optionalKey(Schema.Literal("base64")),
  fields: Schema.optionalKey(Schema.Array(Field))
})

/**
 * A request with places for what the model gives.
 *
 * @category models
 * @since 0.1.0
 */
export interface RequestTemplate extends Schema.Schema.Type<typeof RequestTemplate> {}

/**
 * A tool that is an HTTP request.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Operation: Schema.Struct<{
  readonly definition: typeof ToolDefinition.ToolDefinition
  readonly request: typeof RequestTemplate
}> = Schema.Struct({
  definition: ToolDefinition.ToolDefinition,
  request: RequestTemplate
})

/**
 * A tool that is an HTTP request.
 *
 * @category models
 * @since 0.1.0
 */
export interface Operation extends Schema.Schema.Type<typeof Operation> {}

/**
 * What a source of operations is made of.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** What the source is called. */
  readonly name: string
  /** Where all requests go: an absolute `http` or `https` URL, whose path is kept. */
  readonly baseUrl: string | URL
  /** Carries the credentials; what it sets on a request wins over what the source set. */
  readonly client: HttpClient.HttpClient
  readonly operations: ReadonlyArray<Operation>
  /** How long a call may take, reading the answer included; 30 seconds when not given. */
  readonly timeout?: Duration.Input | undefined
  /** The longest answer in UTF-16 units, as JavaScript counts characters; 200,000 when not given. */
  readonly maxAnswerLength?: number | undefined
}

const requestsOf = ({ baseUrl, operations }: Options) => {
  const templates = operations.map(({ definition, request }) => ({ name: definition.name, request }))
  const requests = native.httpRequests(String(baseUrl), JSON.stringify(templates))
  if (isRefusal(requests)) throw new Cause.IllegalArgumentError(requests.error)
  return requests
}

class HttpSource extends Effectable.Class<ToolSource.ToolSource> implements ToolSource.ToolSource {
  readonly name: string
  readonly discover: ToolSource.ToolSource["discover"]
  readonly call: ToolSource.ToolSource["call"]

  constructor(options: Options) {
    super()
    const { client, maxAnswerLength = 200_000, name, operations, timeout = "30 seconds" } = options
    positiveInteger("maxAnswerLength", maxAnswerLength)
    const duration = timeoutOf(timeout, "30 seconds")
    const requests = requestsOf(options)
    const fail = (reason: ToolSourceError.ToolSourceErrorReason) => Effect.fail(ToolSourceError.make({ source: name, reason }))
    this.name = name
    this.discover = Effect.sync(() => operations.map(({ definition }) => definition))
    this.call = callOf(name, (operation, text) =>
      Effect.suspend(() => {
        const request = requests.build(operation, text)
        if (request === null) {
          return fail(new ToolSourceError.NotFoundError({ description: `There is no operation ${JSON.stringify(operation)}.` }))
        }
        if (isRefusal(request)) return fail(new ToolSourceError.InvalidInputError({ description: request.error }))
        return exchange(client, request, maxAnswerLength).pipe(
          Effect.timeoutOrElse({
            duration: duration,
            orElse: () => Effect.fail(new ToolSourceError.UnavailableError({ description: "The API did not answer in time." }))
          }),
          Effect.catch(fail)
        )
      }))
  }

  override asEffect(): Effect.Effect<ToolSource.ToolSource> {
    return Effect.succeed(this)
  }

  override toJSON(): unknown {
    return { name: this.name }
  }
}

/**
 * Makes a source of operations that sends their requests to one base URL. It contacts nothing; what it gives can be used at
 * once and can also be yielded.
 *
 * A base URL that is none, and a template that cannot be sent, are defects: `Cause.IllegalArgumentError` with the operation
 * and the mend.
 *
 * @example
 * ```ts
 * import { Http, OpenApi } from "toolkit-native"
 * import { Effect } from "effect"
 * import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
 *
 * declare const document: unknown
 *
 * const program = Effect.gen(function*() {
 *   const client = (yield* HttpClient.HttpClient).pipe(HttpClient.mapRequest(HttpClientRequest.bearerToken("…")))
 *   const { operations } = yield* OpenApi.readOperations(document)
 *   const pets = Http.make({ name: "pets", baseUrl: "https://api.example.com/v1", client, operations })
 *   return yield* pets.call("getPet", { id: 7 })
 * }).pipe(Effect.provide(FetchHttpClient.layer))
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: Options): ToolSource.ToolSource & Effect.Effect<ToolSource.ToolSource> => new HttpSource(options)
