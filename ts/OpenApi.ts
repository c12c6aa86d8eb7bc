/**
 * The operations of an OpenAPI 3 document, as tools.
 *
 * Reading fetches nothing, and uses no address in the document besides listing them as servers: where requests go is the
 * host's to say.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import * as Schema from "effect/Schema"
import * as Http from "./Http.ts"
import { readApart } from "./internal/apart.ts"
import { isBytes } from "./internal/bytes.ts"
import { makeCatalog } from "./internal/catalog.ts"
import * as compact from "./internal/compact.ts"
import { partsOf } from "./internal/documentParts.ts"
import { maxInline, unshared } from "./internal/documentText.ts"
import { isRefusal, native } from "./internal/native.ts"
import { wordOf } from "./internal/options.ts"
import * as ToolDefinition from "./ToolDefinition.ts"

/**
 * An operation that was left out, with the reason.
 *
 * `method` is in upper case, or `*` when a whole path item could not be read. `code` is one of `body`, `style`, `object`,
 * `list`, `cookie`, `path`, `reference`, `name`, `property`, `method`, `parameter`, `querystring`, `schema` and
 * `malformed`; `reason` says it in words that begin with the place in the document, such as `paths./pets/{id}.get`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Skipped: Schema.Struct<{
  readonly method: Schema.String
  readonly path: Schema.String
  readonly code: Schema.String
  readonly reason: Schema.String
}> = Schema.Struct({
  method: Schema.String,
  path: Schema.String,
  code: Schema.String,
  reason: Schema.String
})

/**
 * An operation that was left out, with the reason.
 *
 * @category models
 * @since 0.1.0
 */
export interface Skipped extends Schema.Schema.Type<typeof Skipped> {}

/**
 * What was read of a document: the operations that are tools, those that are not, and the addresses it names. Data, so
 * that a host can store it.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Operations: Schema.Struct<{
  readonly operations: Schema.$Array<typeof Http.Operation>
  readonly skipped: Schema.$Array<typeof Skipped>
  readonly servers: Schema.$Array<Schema.String>
}> = Schema.Struct({
  operations: Schema.Array(Http.Operation),
  skipped: Schema.Array(Skipped),
  servers: Schema.Array(Schema.String)
})

/**
 * What was read of a document.
 *
 * @category models
 * @since 0.1.0
 */
export interface Operations extends Schema.Schema.Type<typeof Operations> {}

/**
 * Operations in the form to store: a schema that several of them have under their `$defs` is there once, in `schemas`, and an
 * operation has the numbers of its own in `shared`, counted from 0. Its `inputSchema` has an empty `$defs` in their place.
 *
 * Where many tools share large schemas it is much smaller than `Operations` is when stored. `toCompact` gives it, and
 * `fromCompact` loads it.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CompactOperations: Schema.Struct<{
  readonly version: Schema.Literal<1>
  readonly schemas: Schema.$Array<Schema.Struct<{
    readonly name: Schema.String
    readonly schema: Schema.Codec<Schema.Json>
  }>>
  readonly operations: Schema.$Array<Schema.Struct<{
    readonly definition: typeof ToolDefinition.ToolDefinition
    readonly request: typeof Http.RequestTemplate
    readonly shared: Schema.optionalKey<Schema.$Array<Schema.Int>>
  }>>
  readonly skipped: Schema.$Array<typeof Skipped>
  readonly servers: Schema.$Array<Schema.String>
}> = Schema.Struct({
  version: Schema.Literal(1),
  schemas: Schema.Array(Schema.Struct({ name: Schema.String, schema: Schema.Json })),
  operations: Schema.Array(Schema.Struct({
    definition: ToolDefinition.ToolDefinition,
    request: Http.RequestTemplate,
    shared: Schema.optionalKey(Schema.Array(Schema.Int))
  })),
  skipped: Schema.Array(Skipped),
  servers: Schema.Array(Schema.String)
})

/**
 * Operations in the form to store.
 *
 * @category models
 * @since 0.1.0
 */
export interface CompactOperations extends Schema.Schema.Type<typeof CompactOperations> {}

/**
 * What was stored is not what `toCompact` gives. The description names the place and what is wrong there.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidCompact extends Schema.Error<InvalidCompact>("toolkit-native/OpenApi/InvalidCompact")({
  _tag: Schema.tag("InvalidCompact"),
  description: Schema.String
}) {
  override get message(): string {
    return this.description
  }
}

/**
 * What was given is not an OpenAPI 3.0, 3.1 or 3.2 document. The description says what was found instead.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidDocument extends Schema.Error<InvalidDocument>("toolkit-native/OpenApi/InvalidDocument")({
  _tag: Schema.tag("InvalidDocument"),
  description: Schema.String
}) {
  override get message(): string {
    return this.description
  }
}

/**
 * How a document is read.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /**
   * What is read. `"documented"`, the default, is JSON bodies, and parameters in the path, query and headers in their default
   * style. `"extended"` is also what HTTP can carry besides: every style of OpenAPI, with lists and objects; parameters
   * that are JSON; forms in both encodings, with files in base64; text and bytes as bodies. A body that no tool can give is
   * then left out where it is optional, and a description is all that the document says of an operation.
   */
  readonly reading?: "documented" | "extended" | undefined
}

type Outcome = Operations | InvalidDocument

const outcomeOf = (read: ReturnType<typeof native.readOpenApiText>): Outcome =>
  isRefusal(read) ? new InvalidDocument({ description: read.error }) : makeCatalog(read)

const effectOf = (outcome: Outcome): Effect.Effect<Operations, InvalidDocument> =>
  outcome instanceof InvalidDocument ? Effect.fail(outcome) : Effect.succeed(outcome)

const readObject = (document: unknown, extended: boolean): Outcome => {
  let text: string | undefined
  let parted: ReturnType<typeof partsOf>
  try {
    parted = partsOf(document)
    if (parted === undefined) text = JSON.stringify(document)
  } catch (cause) {
    const why = cause instanceof RangeError ? "it is nested too deep" : "it holds itself, or a value that JSON has not"
    return new InvalidDocument({ description: `the document cannot be written as JSON: ${why}` })
  }
  if (parted !== undefined) return outcomeOf(parted.parts.read(parted.schemas, extended))
  if (text === undefined) {
    return new InvalidDocument({
      description: `expected an OpenAPI document of version 3.0, 3.1 or 3.2, found ${document === undefined ? "nothing" : `a ${typeof document}`}`
    })
  }
  return outcomeOf(native.readOpenApiText(text, extended))
}

const readText = (document: string | Uint8Array, extended: boolean): Effect.Effect<Operations, InvalidDocument> => {
  if (document.length <= maxInline) {
    return Effect.suspend(() =>
      effectOf(outcomeOf(
        typeof document === "string"
          ? native.readOpenApiText(document, extended)
          : native.readOpenApiBytes(unshared(document), extended)
      ))
    )
  }
  return Effect.flatMap(
    Effect.suspend(() => readApart(typeof document === "string" ? document : unshared(document), extended)),
    (read) => isRefusal(read) ? Effect.fail(new InvalidDocument({ description: read.error })) : Effect.succeed(read)
  )
}

/** The answer for a document already read: data that can also be yielded, as Effect's own `Toolkit` is. */
class ReadOperations extends Effectable.Class<Operations, InvalidDocument> {
  declare readonly operations: Operations["operations"]
  declare readonly skipped: Operations["skipped"]
  declare readonly servers: Operations["servers"]
  readonly #outcome: Outcome

  constructor(outcome: Outcome) {
    super()
    this.#outcome = outcome
    for (const key of ["operations", "skipped", "servers"] as const) {
      Object.defineProperty(
        this,
        key,
        outcome instanceof InvalidDocument
          ? { enumerable: true, get: () => { throw outcome } }
          : { enumerable: true, value: outcome[key] }
      )
    }
  }

  override asEffect(): Effect.Effect<Operations, InvalidDocument> {
    return effectOf(this.#outcome)
  }

  override toJSON(): unknown {
    return this.#outcome instanceof InvalidDocument ? { _tag: "InvalidDocument", description: this.#outcome.description } : { ...this.#outcome }
  }
}

/**
 * Reads the operations of an OpenAPI 3.0, 3.1 or 3.2 document.
 *
 * Given the JSON already read, the answer can be used at once and can also be yielded; using a field of it for something
 * that is no document throws `InvalidDocument`. Of such a document only what operations need is written as JSON and looked at;
 * the rest may be anything. Given the text or the UTF-8 bytes of a document in JSON or YAML, which JavaScript then never parses,
 * it is an Effect: over 8 MB (8,000,000 bytes or characters) it reads a copy on another thread, and stops when it is interrupted.
 *
 * YAML is version 1.2 with its core schema, and with merge keys (`<<`): `yes` and dates are texts, and of a key that is there
 * twice the last value counts, as in JSON. What is neither JSON nor YAML fails with the line and the column.
 *
 * What HTTP can carry beyond JSON and the default styles is read with `{ reading: "extended" }`.
 *
 * A tool's `inputSchema` is made when it is read, and the schemas under its `$defs` are shared with the other tools of the
 * document: take a copy before changing one.
 *
 * @example
 * ```ts
 * import { OpenApi } from "toolkit-native"
 *
 * const { operations, skipped } = OpenApi.readOperations({
 *   openapi: "3.1.0",
 *   info: { title: "Pets", version: "1" },
 *   paths: {
 *     "/pets/{id}": {
 *       get: { operationId: "getPet", parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }] },
 *       put: { operationId: "putPhoto", requestBody: { content: { "image/png": {} } } }
 *     }
 *   }
 * })
 * console.log(operations[0]?.definition.name) // "getPet"
 * console.log(skipped[0]?.code) // "path"
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const readOperations: {
  (document: string | Uint8Array, options?: Options | undefined): Effect.Effect<Operations, InvalidDocument>
  (document: unknown, options?: Options | undefined): Operations & Effect.Effect<Operations, InvalidDocument>
} = (document: unknown, options?: Options | undefined): Operations & Effect.Effect<Operations, InvalidDocument> => {
  const extended = wordOf("reading", ["documented", "extended"], options?.reading ?? "documented") === "extended"
  if (typeof document !== "string" && !isBytes(document)) return new ReadOperations(readObject(document, extended))
  return readText(document, extended) as Operations & Effect.Effect<Operations, InvalidDocument>
}

/**
 * Operations in the form to store, plain JSON data. Whatever operations there are will do, loaded ones and some written by hand
 * among them: what is equal in them is stored once.
 *
 * No schema is made of a definition that nobody has read. What the form holds may be the very objects that the definitions do:
 * take a copy before changing one.
 *
 * @example
 * ```ts
 * import { OpenApi } from "toolkit-native"
 * import { Effect } from "effect"
 * import { readFileSync, writeFileSync } from "node:fs"
 *
 * const store = Effect.gen(function*() {
 *   const operations = yield* OpenApi.readOperations(readFileSync("openapi.json"))
 *   writeFileSync("catalog.json", JSON.stringify(OpenApi.toCompact(operations)))
 * })
 *
 * const load = Effect.suspend(() => OpenApi.fromCompact(JSON.parse(readFileSync("catalog.json", "utf8"))))
 * ```
 *
 * @category conversions
 * @since 0.1.0
 */
export const toCompact = (operations: Operations): CompactOperations => compact.toCompact(operations)

/**
 * The operations that `toCompact` was given. A definition's `inputSchema` is made when it is read.
 *
 * What was stored is not believed: a number that is no schema's, a part that is missing or of another form fails with
 * `InvalidCompact`, which names the place. A request template is taken as it stands, since `Http.make` refuses one that cannot be
 * sent; decode with the schema `CompactOperations` before, to have the whole looked through.
 *
 * @example
 * ```ts
 * import { OpenApi } from "toolkit-native"
 * import { Effect } from "effect"
 *
 * const loaded = OpenApi.fromCompact({ version: 1, schemas: [], operations: [{ shared: [7] }], skipped: [], servers: [] }).pipe(
 *   Effect.catchTag("InvalidCompact", (error) => Effect.succeed(error.description))
 * )
 * console.log(Effect.runSync(loaded)) // "operations[0].definition has to be an object, and is missing"
 * ```
 *
 * @category conversions
 * @since 0.1.0
 */
export const fromCompact = (stored: unknown): Effect.Effect<Operations, InvalidCompact> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(compact.fromCompact(stored))
    } catch (wrong) {
      return wrong instanceof compact.Wrong ? Effect.fail(new InvalidCompact({ description: wrong.message })) : Effect.die(wrong)
    }
  })
