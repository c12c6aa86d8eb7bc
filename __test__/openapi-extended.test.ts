/** What `reading: "extended"` reads, on the wire: sent to servers that read it with parsers of their own. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import busboy from "busboy"
import { Effect, Schema, Stream } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import * as fc from "fast-check"
import qs from "qs"
import { Http, OpenApi, ToolSource, type ToolSourceError } from "../ts/index.ts"
import { scripted, serving } from "./support/http.ts"

type Json = Schema.Json
type Input = Schema.JsonObject

/** What a server reads of a request. */
interface Read {
  readonly method: string
  readonly segments: ReadonlyArray<string>
  /** As Express reads it: brackets are objects and lists. */
  readonly query: Json
  /** As the URL Standard reads it: keys that may be repeated. */
  readonly pairs: ReadonlyArray<readonly [string, string]>
  readonly headers: Readonly<Record<string, Json>>
  readonly type: string | undefined
  readonly fields: ReadonlyArray<{ readonly name: string; readonly value: string; readonly type: string }>
  readonly files: ReadonlyArray<{ readonly name: string; readonly filename: string; readonly type: string; readonly hex: string }>
  readonly form: Json
  readonly text: string
}

const parse = (text: string): Json => qs.parse(text, { depth: 40, arrayLimit: 1000, parameterLimit: 100_000 }) as Json

const bytesOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const readMultipart = (request: IncomingMessage): Promise<Pick<Read, "fields" | "files">> =>
  new Promise((resolve, reject) => {
    const [fields, files]: [Array<Read["fields"][number]>, Array<Read["files"][number]>] = [[], []]
    const parser = busboy({ headers: request.headers, defParamCharset: "utf8" })
    parser.on("field", (name, value, { mimeType }) => fields.push({ name, value, type: mimeType }))
    parser.on("file", (name, stream, { filename, mimeType }) => {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => files.push({ name, filename: filename ?? "", type: mimeType, hex: Buffer.concat(chunks).toString("hex") }))
    })
    parser.on("close", () => resolve({ fields, files }))
    parser.on("error", reject)
    request.pipe(parser)
  })

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = request.url!
  const at = url.includes("?") ? url.indexOf("?") : url.length
  const [path, query] = [url.slice(0, at), url.slice(at + 1)]
  const type = request.headers["content-type"]
  const isMultipart = type?.startsWith("multipart/") === true
  const parts = isMultipart ? await readMultipart(request) : { fields: [], files: [] }
  const bytes = isMultipart ? Buffer.alloc(0) : await bytesOf(request)
  const read: Read = {
    method: request.method!,
    segments: path.split("/").slice(1),
    query: parse(query),
    pairs: [...new URLSearchParams(query)],
    headers: Object.fromEntries(Object.entries(request.headers).filter(([name]) => name.startsWith("x-"))) as Read["headers"],
    type: isMultipart ? type.split(";")[0] : type,
    ...parts,
    form: type?.startsWith("application/x-www-form-urlencoded") === true ? parse(bytes.toString()) : null,
    text: type?.startsWith("image/") === true ? bytes.toString("hex") : bytes.toString()
  }
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(read))
}

const server = serving((request, response) => void answer(request, response))

const fetchClient = Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer)

/** The source of a document's tools over a server that says what it read. */
const sourceOf = (paths: unknown, version = "3.1.0") =>
  Effect.gen(function*() {
    const url = yield* server
    const client = yield* fetchClient
    const { operations, skipped } = yield* OpenApi.readOperations({ openapi: version, paths }, { reading: "extended" })
    assert.deepEqual(skipped, [])
    const source = Http.make({ name: "api", baseUrl: `${url}/v1`, client, operations })
    const read = (name: string, input: Input) => Effect.map(source.call(name, input), (result) => result as unknown as Read)
    return { operations, source, read }
  })

const refusalOf = (call: Effect.Effect<unknown, ToolSourceError.ToolSourceError>) =>
  Effect.map(Effect.flip(call), ({ reason }) => {
    assert.strictEqual(reason._tag, "InvalidInputError")
    return "description" in reason ? reason.description : undefined
  })

const list = { type: "array", items: { type: "string" } }
const object = { type: "object" }

const string = { schema: { type: "string" } }

const query = (name: string, more: object) => ({ name, in: "query", ...more })
const inPath = (name: string, more: object) => ({ name, in: "path", required: true, ...more })

describe("a parameter of the query", () => {
  const paths = {
    "/search": {
      get: {
        operationId: "search",
        parameters: [
          query("repeated", { schema: list }),
          query("commas", { schema: list, explode: false }),
          query("spaces", { schema: list, style: "spaceDelimited" }),
          query("pipes", { schema: list, style: "pipeDelimited" }),
          query("exploded", { schema: object }),
          query("flat", { schema: object, explode: false }),
          query("filter", { schema: object, style: "deepObject", explode: true }),
          query("expand", { schema: list, style: "deepObject", explode: true }),
          query("reserved", { schema: { type: "string" }, allowReserved: true }),
          query("json", { content: { "application/json": { schema: object } } })
        ]
      }
    }
  }

  it.live("is read by a server as it was given, in every style", () =>
    Effect.gen(function*() {
      const { read } = yield* sourceOf(paths)
      const { pairs, query } = yield* read("search", {
        repeated: ["a b", "c&d"],
        commas: ["x", "y z"],
        spaces: ["one", "two"],
        pipes: ["left", "right"],
        exploded: { R: 100, "key with space": "é" },
        flat: { G: 200, B: 150 },
        filter: { status: "open", owner: { name: "é&=", tags: ["a", "b"] }, lines: [{ n: 1 }, { n: 2 }] },
        expand: ["data.customer", "items"],
        reserved: "/a:b,c?d&e=f#g",
        json: { a: [1, { b: "&" }] }
      })
      assert.deepEqual(pairs.filter(([key]) => !key.includes("[")), [
        ["repeated", "a b"],
        ["repeated", "c&d"],
        ["commas", "x,y z"],
        ["spaces", "one two"],
        ["pipes", "left|right"],
        ["R", "100"],
        ["key with space", "é"],
        ["flat", "G,200,B,150"],
        ["reserved", "/a:b,c?d&e=f#g"],
        ["json", "{\"a\":[1,{\"b\":\"&\"}]}"]
      ])
      const { expand, filter } = query as Record<string, Json>
      assert.deepEqual(filter, { status: "open", owner: { name: "é&=", tags: ["a", "b"] }, lines: [{ n: "1" }, { n: "2" }] })
      assert.deepEqual(expand, ["data.customer", "items"])
    }).pipe(Effect.scoped))

  it.live("takes no key of another parameter, and holds nothing that separates values", () =>
    Effect.gen(function*() {
      const { source } = yield* sourceOf(paths)
      assert.include(yield* refusalOf(source.call("search", { exploded: { pipes: 1 } })), "exploded.pipes: is the key of another parameter")
      assert.include(yield* refusalOf(source.call("search", { pipes: ["a|b"] })), "pipes[0]: holds \"|\"")
      assert.include(yield* refusalOf(source.call("search", { filter: { "a]": 1 } })), "bracket")
      assert.include(yield* refusalOf(source.call("search", { flat: { a: { b: 1 } } })), "flat.a: expected")
    }).pipe(Effect.scoped))

  it("in brackets is read back by a parser whatever is nested in it", async () => {
    const key = fc.stringMatching(/^[a-z][a-z .&=+%é]{0,4}$/).filter((key) => !(key in {}))
    const leaf = fc.oneof(fc.string({ unit: "grapheme", maxLength: 8 }), fc.integer().map(String))
    const { node } = fc.letrec<{ readonly node: unknown; readonly object: unknown }>((tie) => ({
      node: fc.oneof(
        { depthSize: "small" },
        leaf,
        fc.array(leaf, { minLength: 1, maxLength: 4 }),
        fc.array(tie("object"), { minLength: 1, maxLength: 3 }),
        tie("object")
      ),
      object: fc.dictionary(key, tie("node"), { minKeys: 1, maxKeys: 4, noNullPrototype: true })
    }))
    const source = Http.make({
      name: "api",
      baseUrl: "https://api.example.com",
      client: HttpClient.make((request) => Effect.die(request.url)),
      operations: [{
        definition: { name: "get", description: "", inputSchema: { type: "object" }, annotations: {} },
        request: { method: "GET", path: "/", parameters: [{ property: "q", in: "query", name: "q", style: "deepObject" }] }
      }]
    })
    await fc.assert(
      fc.asyncProperty(fc.dictionary(key, node, { minKeys: 1, maxKeys: 4, noNullPrototype: true }), async (given) => {
        const url = await Effect.runPromise(Effect.catchDefect(source.call("get", { q: given as Json }), Effect.succeed))
        assert.deepEqual(parse(String(url).split("?")[1]!), { q: given } as never)
      }),
      { numRuns: 500 }
    )
  })
})

describe("a parameter of the path or a header", () => {
  it.live("is read by a server as it was given, in every style", () =>
    Effect.gen(function*() {
      const { read, source } = yield* sourceOf({
        "/{plain}/{simple}/v{label}/x{matrix}": {
          get: {
            operationId: "get",
            parameters: [
              inPath("plain", { schema: list }),
              inPath("simple", { schema: object, explode: true }),
              inPath("label", { schema: list, style: "label", explode: true }),
              inPath("matrix", { schema: list, style: "matrix", explode: true }),
              { name: "X-List", in: "header", schema: list },
              { name: "X-Object", in: "header", schema: object, explode: true },
              { name: "X-Json", in: "header", content: { "application/json": { schema: object } } }
            ]
          }
        }
      })
      const input = { plain: ["a,b", "c/d"], simple: { R: 1, "=": "/" }, label: ["k", "l"], matrix: ["m", ";"] }
      const { headers, segments } = yield* read("get", { ...input, "X-List": ["a", "b c"], "X-Object": { a: 1, b: "é" }, "X-Json": { "日本": "\n" } })
      assert.deepEqual(segments, ["v1", "a%2Cb,c%2Fd", "R=1,%3D=%2F", "v.k.l", "x;matrix=m;matrix=%3B"])
      assert.deepEqual(segments[1]!.split(",").map(decodeURIComponent), input.plain)
      assert.deepEqual([headers["x-list"], headers["x-object"]], ["a,b c", "a=1,b=é"])
      assert.deepEqual(JSON.parse(headers["x-json"] as string), { "日本": "\n" })
      assert.include(yield* refusalOf(source.call("get", { ...input, plain: [] })), "plain: may not be empty")
      assert.include(yield* refusalOf(source.call("get", { ...input, label: ["a.b"] })), "label[0]: holds \".\"")
      assert.include(yield* refusalOf(source.call("get", { ...input, "X-Object": { a: "x\r\nX-Admin: 1" } })), "X-Object.a: holds a control character")
    }).pipe(Effect.scoped))
})

describe("a form", () => {
  const schema = {
    type: "object",
    properties: {
      name: { type: "string" },
      items: { type: "array", items: object },
      expand: list,
      tags: list,
      address: object,
      photo: { type: "string", format: "binary" },
      pages: { type: "array", items: { type: "string", format: "binary" } }
    }
  }
  const encoding = { items: { style: "deepObject", explode: true }, expand: { style: "deepObject", explode: true }, photo: { contentType: "image/png" } }
  const post = (mediaType: string) => ({
    "/forms": { post: { operationId: "post", requestBody: { required: true, content: { [mediaType]: { schema, encoding } } } } }
  })
  const plain = { name: "é & co = 100%", items: [{ price: "p_1", n: 2 }, { price: "p_2" }], expand: ["a", "b"], tags: ["x", "y+z"], address: { zip: "1+2" } }

  it.live("is read by a server as it was given, in its one encoding and the other", () =>
    Effect.gen(function*() {
      const urlencoded = yield* sourceOf(post("application/x-www-form-urlencoded"), "3.0.3")
      const { form, type } = yield* urlencoded.read("post", { body: plain })
      assert.strictEqual(type, "application/x-www-form-urlencoded")
      const read = { ...plain, items: [{ price: "p_1", n: "2" }, { price: "p_2" }], address: "{\"zip\":\"1+2\"}" }
      assert.deepEqual(form, read)

      const multipart = yield* sourceOf(post("multipart/form-data"), "3.0.3")
      const { fields, files, type: other } = yield* multipart.read("post", {
        body: { ...plain, photo: "iVBORw==", pages: ["aGk=", "DQotLQ=="] }
      })
      assert.strictEqual(other, "multipart/form-data")
      const pairs = fields.map(({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&")
      assert.deepEqual(parse(pairs), read)
      assert.deepEqual(fields.filter(({ type }) => type !== "text/plain"), [{ name: "address", value: "{\"zip\":\"1+2\"}", type: "application/json" }])
      assert.deepEqual(files, [
        { name: "photo", filename: "photo", type: "image/png", hex: "89504e47" },
        { name: "pages", filename: "pages", type: "application/octet-stream", hex: "6869" },
        { name: "pages", filename: "pages", type: "application/octet-stream", hex: "0d0a2d2d" }
      ])
      assert.include(yield* refusalOf(multipart.source.call("post", { body: { photo: "no base64" } })), "body.photo: is no base64")
    }).pipe(Effect.scoped))

  it.live("has for each type of field the content type that OpenAPI's table of Encoding Objects gives by default", () =>
    Effect.gen(function*() {
      // A part without a content type is text/plain (RFC 7578 §4.4).
      const binary = { type: "string", format: "binary" }
      const table: ReadonlyArray<readonly [version: string, schema: object, value: Json, contentType: string]> = [
        ["3.0.4", { type: "string" }, "a", "text/plain"],
        ["3.0.4", { type: "string", format: "uuid" }, "a", "text/plain"],
        ["3.0.4", { type: "number" }, 1.5, "text/plain"],
        ["3.0.4", { type: "integer" }, 1, "text/plain"],
        ["3.0.4", { type: "boolean" }, true, "text/plain"],
        ["3.0.4", binary, "aGk=", "application/octet-stream"],
        ["3.0.4", { type: "object" }, { a: 1 }, "application/json"],
        ["3.0.4", { type: "array", items: { type: "integer" } }, [1], "text/plain"],
        ["3.0.4", { type: "array", items: { type: "object" } }, [{ a: 1 }], "application/json"],
        ["3.0.4", { type: "array", items: binary }, ["aGk="], "application/octet-stream"],
        ["3.1.1", {}, "aGk=", "application/octet-stream"],
        ["3.1.1", { type: "array", items: {} }, ["aGk="], "application/octet-stream"],
        ["3.1.1", { type: "string", contentEncoding: "base64" }, "aGk=", "application/octet-stream"],
        ["3.1.1", { type: "string", contentMediaType: "text/html" }, "<p>", "text/plain"],
        ["3.1.1", { type: ["object", "null"] }, { a: 1 }, "application/json"]
      ]
      for (const [version, schema, value, contentType] of table) {
        const { read } = yield* sourceOf({
          "/a": { post: { operationId: "post", requestBody: { content: { "multipart/form-data": { schema: { type: "object", properties: { field: schema } } } } } } }
        }, version)
        const { fields, files } = yield* read("post", { body: { field: value } })
        assert.deepEqual([...fields, ...files].map(({ name, type }) => [name, type]), [["field", contentType]], JSON.stringify(schema))
      }
    }).pipe(Effect.scoped))

  it.live("is checked as any body is, and goes through the toolkit", () =>
    Effect.gen(function*() {
      const { operations, source } = yield* sourceOf(post("multipart/form-data"), "3.0.3")
      assert.strictEqual((operations[0]!.definition.inputSchema["properties"] as Schema.JsonObject)["body"] !== undefined, true)
      const toolkit = yield* ToolSource.toolkit(source, yield* source.discover)
      const call = (input: unknown) => Stream.runCollect(Stream.unwrap(toolkit.handle("post", input as never)))
      const [good] = yield* call({ body: { name: "n" } })
      assert.isFalse(good!.isFailure)
      assert.strictEqual((good!.result as unknown as Read).fields[0]?.value, "n")
      const [bad] = yield* call({ body: { name: 7 } })
      assert.isTrue(bad?.isFailure)
    }).pipe(Effect.scoped))

  it("is taken apart by a parser into what was put together, whatever it holds", async () => {
    const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }).filter((name) => name !== "__proto__" && !/["\r\n\\]/.test(name))
    const text = fc.oneof(fc.string({ unit: "grapheme", maxLength: 20 }), fc.constantFrom("\r\n--", "--\r\n\r\n", "\r\n\r\nContent-Type: text/html", ""))
    await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
      const { read } = yield* sourceOf(post("multipart/form-data"), "3.0.3")
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(fc.dictionary(name, text, { noNullPrototype: true, minKeys: 1, maxKeys: 5 }), fc.uint8Array({ maxLength: 40 }), async (given, bytes) => {
            const photo = Buffer.from(bytes).toString("base64")
            const { fields, files } = await Effect.runPromise(read("post", { body: { ...given, photo } }))
            const expected = Object.entries(given).filter(([name]) => !["photo", "pages", "items", "expand"].includes(name))
            assert.deepEqual(fields.map(({ name, value }) => [name, value]), expected)
            assert.strictEqual(files.find(({ name }) => name === "photo")?.hex, Buffer.from(bytes).toString("hex"))
          }),
          { numRuns: 200 }
        )
      )
    })))
  })
})

describe("an API of a kind that is well known", () => {
  it.live("with nested forms and lists in brackets for every call is sent what its own documentation shows", () =>
    Effect.gen(function*() {
      const when = { anyOf: [{ type: "object", properties: { gt: { type: "integer" }, lt: { type: "integer" } } }, { type: "integer" }] }
      const deep = { style: "deepObject", explode: true }
      const { operations, source } = yield* sourceOf({
        "/charges": {
          get: {
            operationId: "list",
            parameters: [query("created", { schema: when, ...deep }), query("expand", { schema: list, ...deep }), query("limit", { schema: { type: "integer" }, style: "form" })],
            requestBody: { content: { "application/x-www-form-urlencoded": { encoding: {}, schema: { type: "object", properties: {} } } } }
          },
          post: {
            operationId: "create",
            requestBody: {
              content: {
                "application/x-www-form-urlencoded": {
                  encoding: { metadata: deep, expand: deep, items: deep },
                  schema: {
                    type: "object",
                    additionalProperties: false,
                    properties: {
                      amount: { type: "integer" },
                      metadata: { anyOf: [{ type: "object", additionalProperties: { type: "string" } }, { type: "string", enum: [""] }] },
                      expand: list,
                      items: { type: "array", items: { type: "object" } }
                    }
                  }
                }
              }
            }
          }
        }
      }, "3.0.0")
      const toolkit = yield* ToolSource.toolkit(source, yield* source.discover)
      const call = (name: string, input: Input) =>
        Effect.map(Stream.runCollect(Stream.unwrap(toolkit.handle(name, input as never))), ([answer]) => {
          assert.isFalse(answer?.isFailure, JSON.stringify(answer?.result))
          return answer!.result as unknown as Read
        })
      assert.deepEqual(operations.map(({ request }) => request.body), [undefined, "body"])
      assert.deepEqual((yield* call("list", { created: { gt: 1, lt: 2 }, expand: ["data.customer"], limit: 3 })).query, {
        created: { gt: "1", lt: "2" },
        expand: ["data.customer"],
        limit: "3"
      })
      assert.deepEqual((yield* call("list", { created: 7 })).pairs, [["created", "7"]])
      const created = yield* call("create", { body: { amount: 2000, metadata: { order: "6735" }, expand: ["customer", "invoice"], items: [{ price: "p" }] } })
      assert.strictEqual(decodeURIComponent(created.text), "amount=2000&metadata[order]=6735&expand[]=customer&expand[]=invoice&items[0][price]=p")
      assert.strictEqual((yield* call("create", { body: { metadata: "" } })).text, "metadata=")
    }).pipe(Effect.scoped))

  it.live("with lists joined by commas, functions in its paths and files as bytes is sent what it reads", () =>
    Effect.gen(function*() {
      const { read } = yield* sourceOf({
        "/users/{user-id}/events/range(address='{address}')": {
          parameters: [inPath("user-id", string)],
          get: { operationId: "events", parameters: [inPath("address", string), query("$select", { schema: list, style: "form", explode: false }), query("$top", { schema: { type: "integer" }, style: "form", explode: false })] }
        },
        "/users/{user-id}/photo/$value": {
          parameters: [inPath("user-id", string)],
          put: { operationId: "photo", requestBody: { required: true, content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } } } }
        }
      }, "3.0.1")
      const events = yield* read("events", { "user-id": "me@example.com", address: "A1:B2", _select: ["id", "subject"], _top: 5 })
      assert.deepEqual(events.segments.map(decodeURIComponent), ["v1", "users", "me@example.com", "events", "range(address='A1:B2')"])
      assert.deepEqual(events.pairs, [["$select", "id,subject"], ["$top", "5"]])
      const photo = yield* read("photo", { "user-id": "me", body: "aGk=" })
      assert.deepEqual([photo.method, photo.type, photo.text], ["PUT", "application/octet-stream", "hi"])
    }).pipe(Effect.scoped))
})

describe("a body of text or bytes", () => {
  it.live("arrives as it was given", () =>
    Effect.gen(function*() {
      const { read, source } = yield* sourceOf({
        "/text": { put: { operationId: "text", requestBody: { required: true, content: { "text/csv": {} } } } },
        "/image": { put: { operationId: "image", requestBody: { required: true, content: { "image/png": {} } } } },
        "/optional": { post: { operationId: "optional", requestBody: { content: { "multipart/mixed": {} } } } }
      })
      const text = yield* read("text", { body: "a,b\n1,é" })
      assert.deepEqual([text.type, text.text], ["text/csv; charset=utf-8", "a,b\n1,é"])
      const image = yield* read("image", { body: "iVBORw0KGgo=" })
      assert.deepEqual([image.type, image.text], ["image/png", "89504e470d0a1a0a"])
      const none = yield* read("optional", {})
      assert.deepEqual([none.method, none.type, none.text], ["POST", undefined, ""])
      assert.include(yield* refusalOf(source.call("image", { body: "…" })), "body: is no base64")
    }).pipe(Effect.scoped))
})

describe("a document of 3.2", () => {
  const document = {
    openapi: "3.2.0",
    $self: "https://example.com/api.json",
    paths: {
      "/search": {
        query: { operationId: "search", requestBody: { required: true, content: { "application/json": { schema: { $ref: "https://example.com/api.json#/components/schemas/Question" } } } } },
        get: { operationId: "raw", parameters: [{ name: "q", in: "querystring", content: { "application/x-www-form-urlencoded": {} } }] },
        additionalOperations: { COPY: { operationId: "copy" } }
      },
      "/elsewhere": { get: { parameters: [{ $ref: "https://example.com/other.json#/components/parameters/P" }] } }
    },
    components: { schemas: { Question: { type: "object", properties: { text: { type: "string" } } } } }
  }

  for (const reading of ["documented", "extended"] as const) {
    it.effect(`has QUERY with its body, its own address in references, and the rest left out by its codes (${reading})`, () =>
      Effect.gen(function*() {
        const { operations, skipped } = yield* OpenApi.readOperations(document, { reading })
        assert.deepEqual(operations.map(({ definition }) => definition.inputSchema["$defs"]), [{ Question: document.components.schemas.Question }])
        assert.deepEqual(skipped.map(({ code, method, path }) => [method, path, code]), [
          ["GET", "/search", "querystring"],
          ["COPY", "/search", "method"],
          ["GET", "/elsewhere", "reference"]
        ])
        const { client, sent } = scripted()
        yield* Http.make({ name: "api", baseUrl: "https://api.example.com", client, operations }).call("search", { body: { text: "a" } })
        assert.deepEqual(sent.map(({ body, method, url }) => [method, url, body]), [["QUERY", "https://api.example.com/search", "{\"text\":\"a\"}"]])
      }))
  }
})

describe("operations of the extended reading", () => {
  it.effect("are stored and read back, and what a version does not know of is refused", () =>
    Effect.gen(function*() {
      const { operations } = yield* OpenApi.readOperations({
        openapi: "3.1.0",
        paths: {
          "/a/{id}": {
            post: {
              parameters: [{ name: "id", in: "path", required: true, schema: list, style: "matrix", explode: true }, query("j", { content: { "application/json": {} } }), query("r", { allowReserved: true })],
              requestBody: { content: { "multipart/form-data": { schema: { type: "object", properties: { f: { type: "string", format: "binary" } } }, encoding: { g: { style: "pipeDelimited" } } } } }
            },
            put: { parameters: [{ name: "id", in: "path", required: true }], requestBody: { content: { "image/png": {} } } }
          }
        }
      }, { reading: "extended" })
      const codec = Schema.toCodecJson(Schema.Array(Http.Operation))
      const stored = JSON.stringify(yield* Schema.encodeEffect(codec)(operations))
      assert.deepEqual(yield* Schema.decodeUnknownEffect(codec)(JSON.parse(stored)), operations as never)
      assert.deepEqual(operations.map(({ request }) => request), [
        {
          method: "PUT",
          path: "/a/{id}",
          parameters: [{ property: "id", in: "path", name: "id" }],
          body: "body",
          mediaType: "image/png",
          contentEncoding: "base64"
        },
        {
          method: "POST",
          path: "/a/{id}",
          parameters: [
            { property: "id", in: "path", name: "id", style: "matrix", explode: true },
            { property: "j", in: "query", name: "j", mediaType: "application/json" },
            { property: "r", in: "query", name: "r", style: "form", allowReserved: true }
          ],
          body: "body",
          mediaType: "multipart/form-data",
          fields: [{ name: "f", contentEncoding: "base64" }, { name: "g", style: "pipeDelimited" }]
        }
      ])
      for (const more of [{ fields: [{ name: "f", charset: "utf-8" }] }, { fields: [{ name: "f", style: "simpler" }] }, { contentEncoding: "base32" }]) {
        const [{ definition, request }] = operations as unknown as [Http.Operation]
        assert.isTrue((yield* Effect.exit(Schema.decodeUnknownEffect(codec)([{ definition, request: { ...request, ...more } }])))._tag === "Failure")
      }
    }))
})
