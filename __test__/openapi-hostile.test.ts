import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import { Worker } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as fc from "fast-check"
import { Http, OpenApi } from "../ts/index.ts"
import { loopback, scripted } from "./support/http.ts"

type Json = Schema.Json

const document = (paths: string, more = "") => `{"openapi":"3.1.0","paths":${paths}${more}}`

const post = (schema: string, more = "") =>
  document(`{"/pets/{id}":{"post":{"parameters":[{"name":"id","in":"path"}],"requestBody":{"content":{"application/json":{"schema":${schema}}}}}}}`, more)

/** What a document gives, as plain data, in whichever way it was given. */
const outcome = (given: unknown) =>
  OpenApi.readOperations(given).pipe(
    Effect.match({
      onFailure: (error) => {
        assert.instanceOf(error, OpenApi.InvalidDocument)
        assert.notStrictEqual(error.description, "")
        return { invalid: error.description, operations: [], skipped: [], servers: [] }
      },
      onSuccess: ({ operations, servers, skipped }) => structuredClone({ invalid: undefined, operations, skipped, servers })
    })
  )

/** The same for a text, its bytes and, where it is JSON, the value: all have to be one. */
const outcomes = (text: string) =>
  Effect.gen(function*() {
    const read = yield* outcome(text)
    assert.deepEqual(yield* outcome(new TextEncoder().encode(text)), read)
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      assert.isDefined(read.invalid)
      return read
    }
    // A string is read as a text again.
    if (typeof value !== "string") assert.deepEqual(yield* outcome(value), read)
    return read
  })

const reasons = ({ skipped }: OpenApi.Operations) => skipped.map(({ code, reason }) => `${code} ${reason}`)

const nested = (levels: number, open: string, close: string, inner: string) => open.repeat(levels) + inner + close.repeat(levels)

/** A value of so many levels, which no literal could spell. */
const nestedValue = (levels: number): unknown => {
  let value: unknown = {}
  for (let level = 0; level < levels; level++) value = { items: value }
  return value
}

/** Documents deeper than a stack is, by what they are. */
const deep = (levels: number): Readonly<Record<string, string>> => ({
  "a list": nested(levels, "[", "]", ""),
  "an object": nested(levels, "{\"openapi\":", "}", "1"),
  "a schema": post(nested(levels, "{\"items\":", "}", "{}")),
  "a list of schemas": post(nested(levels, "{\"anyOf\":[", "]}", "{}")),
  "an example": post(`{"example":${nested(levels, "[", "]", "")}}`),
  "what is not read": document(`{"/pets/{id}":{"get":{"parameters":[{"name":"id","in":"path"}],"x-deep":${nested(levels, "{\"a\":", "}", "1")}}}}`),
  "cut short": nested(levels, "{\"a\":", "", "")
})

/** A text with keys that are there twice is read as what `JSON.parse` makes of it. */
const compare = (text: string) =>
  Effect.gen(function*() {
    assert.strictEqual(JSON.stringify(yield* outcome(text)), JSON.stringify(yield* outcome(JSON.parse(text))), text)
  })

const refuses = (schema: Schema.Codec<unknown, unknown>, value: unknown, ...words: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const { message } = yield* Effect.flip(Schema.decodeUnknownEffect(schema)(value))
    for (const word of words) assert.include(message, word)
  })

/** What a message says of a key that is not known. */
const unknown = (key: string) => [`"${key}"`, "does not know"]

describe("what is no document", () => {
  it.effect("is InvalidDocument whatever it is", () =>
    Effect.gen(function*() {
      const values = [null, undefined, true, 7, Number.NaN, [], [{ openapi: "3.1.0", paths: {} }], {}, () => 7, Symbol("x"), new Map(), Object("3.1.0")]
      const documents: ReadonlyArray<Json> = [
        { swagger: "2.0", paths: {} },
        { openapi: "3.1.0" },
        { openapi: "3.0.0", components: {} },
        { openapi: 3, paths: {} },
        { openapi: 3.1, paths: {} },
        { openapi: null, paths: {} },
        { openapi: "", paths: {} },
        { openapi: "3", paths: {} },
        { openapi: "3.1.0", paths: [] },
        { openapi: "3.1.0", paths: null },
        { openapi: "3.1.0", paths: "/a" }
      ]
      for (const value of values) assert.match((yield* outcome(value)).invalid ?? "", /found/)
      for (const value of documents) assert.match((yield* outcomes(JSON.stringify(value))).invalid ?? "", /found/)
      const texts = ["", " \n", "\ufeff", "null", "7", "\"3.1.0\"", "[]", "openapi: 3.1\npaths: {}\n", "<xml/>", "{'openapi':'3.1.0'}", "undefined", "{}{}", "\0"]
      for (const text of texts) assert.isDefined((yield* outcomes(text)).invalid, JSON.stringify(text))
      assert.include((yield* outcome("<xml/>")).invalid ?? "", "found a string (the text was read as YAML)")
    }))

  it.effect("is InvalidDocument when it holds itself, a bigint, or code that throws", () =>
    Effect.gen(function*() {
      const cyclic: Record<string, unknown> = { openapi: "3.1.0", paths: {} }
      cyclic["servers"] = [cyclic]
      const throws = { openapi: "3.1.0", get paths() { throw new Error("no") } }
      const says = { openapi: "3.1.0", paths: {}, toJSON: () => { throw new Error("no") } }
      const values = [cyclic, { openapi: "3.1.0", paths: {}, servers: 1n }, 1n, throws, says, { toJSON: () => undefined }]
      for (const value of values) assert.isDefined((yield* outcome(value)).invalid)
      assert.throws(() => OpenApi.readOperations(cyclic).operations, OpenApi.InvalidDocument)
    }))

  it.effect("is InvalidDocument wherever a text of one is cut short", () =>
    Effect.gen(function*() {
      const text = post("{\"type\":\"string\",\"enum\":[\"\\ud83d\\ude00\",\"é\",-1.5e3,true,null]}", ",\"servers\":[{\"url\":\"/\"}]")
      assert.strictEqual((yield* outcomes(text)).operations.length, 1)
      const bytes = new TextEncoder().encode(text)
      for (let at = 0; at < text.length; at++) assert.isDefined((yield* outcome(text.slice(0, at))).invalid, text.slice(0, at))
      for (let at = 0; at < bytes.length; at++) assert.isDefined((yield* outcome(bytes.subarray(0, at))).invalid, String(at))
    }))

  it.effect("is InvalidDocument in bytes that are not UTF-8, and a byte order mark is no mistake", () =>
    Effect.gen(function*() {
      const good = document("{\"/a\":{\"get\":{\"description\":\"é\"}}}")
      const bytes = new TextEncoder().encode(good)
      const at = bytes.indexOf(0xc3)
      for (const bad of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xc0, 0xaf]]) {
        const broken = Uint8Array.from([...bytes.subarray(0, at), ...bad, ...bytes.subarray(at + 2)])
        assert.include((yield* outcome(broken)).invalid ?? "", `byte ${at}`)
      }
      assert.isDefined((yield* outcome(Buffer.from(good, "utf16le"))).invalid)
      assert.isDefined((yield* outcome(Buffer.from(good, "latin1"))).invalid)
      const read = yield* outcome(good)
      assert.deepEqual(yield* outcome(`\ufeff${good}`), read)
      assert.deepEqual(yield* outcome(Uint8Array.from([0xef, 0xbb, 0xbf, ...bytes])), read)
      assert.strictEqual(read.operations[0]!.definition.description, "é")
    }))

  it.effect("is any text or value: nothing but InvalidDocument comes of it", () =>
    Effect.promise(() =>
      fc.assert(fc.asyncProperty(fc.oneof(fc.string({ unit: "binary" }), fc.json(), fc.uint8Array()), fc.jsonValue(), async (text, value) => {
        await Effect.runPromise(outcome(text))
        await Effect.runPromise(outcome(value))
        await Effect.runPromise(outcome({ openapi: "3.1.0", paths: { "/a": value }, components: value }))
      }))
    ))
})

describe("a hostile document", () => {
  it.live("is fetched nothing of, remote references and servers included [R-000-191]", () =>
    Effect.gen(function*() {
      const { received, url } = yield* loopback((_, response) => response.writeHead(200, { "content-type": "application/json" }).end("{}"))
      const remote = `${url}/shared.json`
      const given = {
        openapi: "3.2.0",
        $self: remote,
        $schema: remote,
        servers: [{ url: remote }],
        externalDocs: { url: remote },
        paths: {
          "/a": { post: { operationId: "a", requestBody: { content: { "application/json": { schema: { $ref: `${remote}#/A` } } } } } },
          "/b": { get: { operationId: "b", parameters: [{ $ref: `${remote}#/P` }] } },
          "/c": { $ref: remote },
          "/d": { get: { operationId: "d", servers: [{ url: remote }] } }
        }
      }
      const { operations, servers, skipped } = yield* outcomes(JSON.stringify(given))
      assert.deepEqual(operations.map(({ definition }) => definition.name), ["d"])
      assert.deepEqual(servers, [remote])
      assert.deepEqual(skipped.map(({ code }) => code), ["reference", "reference", "reference"])
      // Whatever was asked for before would have arrived before this.
      yield* Effect.promise(() => fetch(`${url}/last`))
      assert.deepEqual(received.map(({ url }) => url), ["/last"])
    }))

  it.effect("with references that lead nowhere or in circles has its operations left out with their place [R-000-213]", () =>
    Effect.gen(function*() {
      const components = `,"components":{
        "schemas":{"Self":{"$ref":"#/components/schemas/Self"},"A":{"items":{"$ref":"#/components/schemas/B"}},"B":{"$ref":"#/components/schemas/A"}},
        "parameters":{"L1":{"$ref":"#/components/parameters/L2"},"L2":{"$ref":"#/components/parameters/L1"},"Me":{"$ref":"#/components/parameters/Me"}},
        "requestBodies":{"Me":{"$ref":"#/components/requestBodies/Me"}},
        "pathItems":{"Me":{"$ref":"#/components/pathItems/Me"}}}`
      for (const name of ["Self", "A", "B"]) {
        const { operations, skipped } = yield* outcomes(post(`{"$ref":"#/components/schemas/${name}"}`, components))
        assert.deepEqual([operations.length, skipped.length], [1, 0])
        assert.property(operations[0]!.definition.inputSchema["$defs"], name)
      }
      for (const reference of ["#/components/schemas/Gone", "#/paths/~1pets~1{id}/post", "#/", "#", "", "http://127.0.0.1:1/", "#/components/schemas/%zz", "#/components/schemas/~2", "#/__proto__", "#/constructor"]) {
        const { operations, skipped } = yield* outcomes(post(`{"$ref":"${reference}"}`, components))
        assert.deepEqual([operations.length, skipped.length], [0, 1], reference)
        assert.strictEqual(skipped[0]!.code, "reference")
        assert.isTrue(skipped[0]!.reason.startsWith("paths./pets/{id}.post: "), skipped[0]!.reason)
      }
      const loops = ["L1", "Me"].map((name) => `{"parameters":[{"$ref":"#/components/parameters/${name}"}]}`)
      const paths = `{"/pets/{id}":{"get":${loops[0]},"put":${loops[1]}},"/body":{"post":{"requestBody":{"$ref":"#/components/requestBodies/Me"}}},"/me":{"$ref":"#/components/pathItems/Me"},"/fine":{"get":{}}}`
      const read = yield* outcomes(document(paths, components))
      assert.strictEqual(read.operations.length, 1)
      assert.deepEqual(read.skipped.map(({ code }) => code), ["reference", "reference", "reference", "reference"])
      for (const [at, place] of ["paths./pets/{id}.get: ", "paths./pets/{id}.put: ", "paths./body.post: ", "paths./me: "].entries()) {
        assert.isTrue(read.skipped[at]!.reason.startsWith(place), read.skipped[at]!.reason)
      }
    }))

  it.effect("of 10,000 and 100,000 levels is left out with its place, and so is a value of as many", () =>
    Effect.gen(function*() {
      for (const levels of [10_000, 100_000]) {
        for (const [what, text] of Object.entries(deep(levels))) {
          const read = yield* outcome(text)
          assert.deepEqual(yield* outcome(new TextEncoder().encode(text)), read)
          if (["a list", "an object", "cut short"].includes(what)) assert.isDefined(read.invalid, what)
          else if (what === "what is not read") assert.strictEqual(read.operations.length, 1)
          else assert.deepEqual(reasons(read), ["schema paths./pets/{id}.post: requestBody: the schema is nested more than 512 levels deep"], what)
        }
        const schema = nestedValue(levels)
        for (const value of [schema, { openapi: "3.1.0", paths: { "/a": { post: { requestBody: { content: { "application/json": { schema } } } } } } }]) {
          const { invalid, skipped } = yield* outcome(value)
          // An engine that writes it as JSON all the same has its schema left out.
          if (invalid === undefined) assert.deepEqual(skipped.map(({ code, path }) => [code, path]), [["schema", "/a"]])
          else assert.match(invalid, /nested too deep|without "openapi"/)
        }
      }
    }))

  it.effect("is met in a worker, whose stack is smaller, as on the main thread", () =>
    Effect.gen(function*() {
      const documents = Object.values(deep(10_000))
      const expected = yield* Effect.forEach(documents, (text) => Effect.map(outcome(text), ({ invalid, skipped }) => invalid ?? skipped))
      const program = `
        const { parentPort, workerData: { documents, effect, toolkit } } = require("node:worker_threads")
        const run = async () => {
          const { Effect } = await import(effect)
          const { OpenApi } = await import(toolkit)
          const met = (read) => Effect.runSync(Effect.match(read, { onFailure: ({ _tag, description }) => _tag === "InvalidDocument" ? description : "?", onSuccess: ({ skipped }) => skipped }))
          let value = {}
          for (let level = 0; level < 10_000; level++) value = { items: value }
          parentPort.postMessage([...documents.map((text) => met(OpenApi.readOperations(text))), met(OpenApi.readOperations(value))])
        }
        run()
      `
      const start = () =>
        new Worker(program, {
          eval: true,
          resourceLimits: { stackSizeMb: 1 },
          workerData: {
            documents,
            effect: pathToFileURL(createRequire(import.meta.url).resolve("effect")).href,
            toolkit: new URL("../dist/index.js", import.meta.url).href
          }
        })
      const worker = yield* Effect.acquireRelease(Effect.sync(start), (worker) => Effect.promise(() => worker.terminate()))
      const met = yield* Effect.callback<ReadonlyArray<unknown>, Error>((resume) => {
        worker.once("message", (message: ReadonlyArray<unknown>) => resume(Effect.succeed(message)))
        worker.once("error", (error) => resume(Effect.fail(error as Error)))
        worker.once("exit", (code) => resume(Effect.fail(new Error(`the worker ended with ${code}`))))
      })
      assert.deepEqual(met.slice(0, -1), expected)
      assert.match(String(met.at(-1)), /nested too deep|without "openapi"/)
    }), { timeout: 120_000 })

  it.effect("with __proto__ as each kind of name is read as data, and changes no prototype", () =>
    Effect.gen(function*() {
      const before = Reflect.ownKeys(Object.prototype)
      const text = `{"openapi":"3.1.0","__proto__":{"polluted":true},"paths":{"/__proto__/{__proto__}":{"post":{"operationId":"__proto__",
        "parameters":[{"name":"__proto__","in":"path"},{"name":"constructor","in":"query"}],
        "requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/__proto__"}}}}}}},
        "components":{"schemas":{"__proto__":{"properties":{"__proto__":{"type":"string"},"polluted":{}},"default":{"__proto__":{"polluted":true}}}}}}`
      const { operations, skipped } = yield* outcomes(text)
      assert.deepEqual(skipped, [])
      const { definition, request } = operations[0]!
      assert.strictEqual(definition.name, "__proto__")
      assert.deepEqual(request.parameters.map(({ name, property }) => [name, property]), [["__proto__", "__proto__"], ["constructor", "constructor"]])
      const schema = "{\"properties\":{\"__proto__\":{\"type\":\"string\"},\"polluted\":{}},\"default\":{\"__proto__\":{\"polluted\":true}}}"
      assert.strictEqual(
        JSON.stringify(definition.inputSchema),
        "{\"type\":\"object\",\"properties\":{\"__proto__\":{},\"constructor\":{},\"body\":{\"$ref\":\"#/$defs/__proto__\"}}," +
          `"required":["__proto__"],"additionalProperties":false,"$defs":{"__proto__":${schema}}}`
      )
      const codec = Schema.toCodecJson(OpenApi.Operations)
      const read = yield* OpenApi.readOperations(text)
      const stored = JSON.stringify(yield* Schema.encodeEffect(codec)(read))
      assert.strictEqual(JSON.stringify(yield* Schema.decodeUnknownEffect(codec)(JSON.parse(stored))), JSON.stringify(read))

      const { client, sent } = scripted()
      yield* Http.make({ name: "api", baseUrl: "https://api.example.com", client, operations }).call("__proto__", JSON.parse("{\"__proto__\":\"p\",\"constructor\":1}"))
      assert.deepEqual(sent.map(({ url }) => url), ["https://api.example.com/__proto__/p?constructor=1"])
      assert.deepEqual(Reflect.ownKeys(Object.prototype), before)
      assert.isUndefined(({} as Record<string, unknown>)["polluted"])
    }))

  it.effect("with halves of surrogate pairs is read, and its tools can be sent", () =>
    Effect.gen(function*() {
      const half = "\\ud800"
      const described = yield* outcomes(document(`{"/a":{"get":{"operationId":"a${half}","description":"d${half}","parameters":[{"name":"q","in":"query","description":"\\udfff","schema":{"enum":["${half}","b"]}}]}}}`))
      const { definition } = described.operations[0]!
      assert.deepEqual([definition.name, definition.description], ["a_", "d\ud800"])
      assert.deepEqual(definition.inputSchema["properties"], { q: { enum: ["\ud800", "b"], description: "\udfff" } })

      const named = [
        document(`{"/a":{"get":{"parameters":[{"name":"q${half}","in":"query"}]}}}`),
        document(`{"/a/{p${half}}":{"get":{"parameters":[{"name":"p${half}","in":"path"}]}}}`),
        document(`{"/a${half}":{"get":{}}}`),
        document(`{"/a":{"get":{"parameters":[{"name":"x${half}","in":"header"}]}}}`),
        document(`{"/a":{"post":{"requestBody":{"content":{"application/${half}+json":{}}}}}}`),
        post(`{"$ref":"#/components/schemas/S${half}"}`, `,"components":{"schemas":{"S${half}":{"type":"string"}}}`),
        post(`{"$ref":"${half}"}`)
      ]
      const codes: Array<string> = []
      for (const text of named) {
        const { operations, skipped } = yield* outcomes(text)
        assert.strictEqual(operations.length + skipped.length, 1, text)
        codes.push(skipped[0]?.code ?? "read")
        for (const { reason } of skipped) assert.match(reason, /^paths\.\/(a.?|a\/\{p.\}|pets\/\{id\})\.(get|post): /u)
        const { client, sent } = scripted()
        const source = Http.make({ name: "api", baseUrl: "https://api.example.com", client, operations })
        for (const { definition, request } of operations) {
          yield* source.call(definition.name, Object.fromEntries(request.parameters.map(({ property }) => [property, "v"])))
        }
        assert.strictEqual(sent.length, operations.length)
      }
      // A name or path of which only a part could be sent is left out: it would be another one.
      assert.deepEqual(codes.slice(0, 4), ["parameter", "parameter", "path", "parameter"])
    }))

  it.effect("with halves of surrogate pairs as names of properties keeps them as they are", () =>
    Effect.gen(function*() {
      const schema = "{\"properties\":{\"\\ud800\":{\"type\":\"string\"},\"\\udc00\":{}},\"required\":[\"\\ud800\"],\"additionalProperties\":false}"
      const { operations } = yield* outcomes(post(schema))
      assert.deepEqual((operations[0]!.definition.inputSchema["properties"] as Record<string, Json>)["body"], JSON.parse(schema))
    }))

  it.effect("with a number beyond what JavaScript has can be stored all the same [R-000-218]", () =>
    Effect.gen(function*() {
      const codec = Schema.toCodecJson(OpenApi.Operations)
      for (const schema of ["{\"maximum\":1e400}", "{\"enum\":[-1e999]}", "{\"default\":{\"a\":[1e400]}}"]) {
        const read = yield* OpenApi.readOperations(post(schema))
        const stored = yield* Schema.encodeEffect(codec)(read)
        assert.deepEqual(JSON.parse(JSON.stringify(stored)), JSON.parse(JSON.stringify(read)))
      }
    }))
})

describe("a key that is there twice", () => {
  it.effect("counts as JSON.parse has it: the last one", () =>
    Effect.gen(function*() {
      const texts = [
        "{\"openapi\":\"3.0.0\",\"openapi\":\"3.1.0\",\"paths\":{\"/x\":{\"get\":{}}},\"paths\":{\"/a\":{\"get\":{}}}}",
        document("{\"/a\":{\"get\":{\"operationId\":\"one\"}},\"/b\":{\"get\":{}},\"/a\":{\"put\":{\"operationId\":\"two\"}}}"),
        document("{\"/a\":{\"get\":{\"operationId\":\"one\"},\"get\":{\"operationId\":\"two\",\"operationId\":\"three\"}}}"),
        document("{\"/a\":{\"get\":{},\"get\":null}}"),
        document("{}", ",\"paths\":null"),
        document("{\"/a\":{\"get\":{\"parameters\":[],\"parameters\":[{\"name\":\"a\",\"name\":\"b\",\"in\":\"header\",\"in\":\"query\",\"schema\":{},\"schema\":{\"type\":\"integer\"}}]}}}"),
        post("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{},\"a\":{\"type\":\"integer\"}},\"type\":\"array\"}"),
        post("{\"$ref\":\"#/components/schemas/A\",\"$ref\":\"#/components/schemas/B\"}", ",\"components\":{\"schemas\":{\"A\":{},\"B\":{\"type\":\"string\"},\"B\":{\"type\":\"null\"}}}"),
        document("{\"/a\":{\"$ref\":\"#/components/pathItems/A\",\"$ref\":\"#/components/pathItems/B\"}}", ",\"components\":{\"pathItems\":{\"A\":{\"get\":{}},\"B\":{\"put\":{}}}}"),
        document("{}", ",\"servers\":[{\"url\":\"a\"}],\"servers\":[{\"url\":\"b\",\"url\":\"c\"}]")
      ]
      for (const text of texts) yield* compare(text)
    }))

  it.effect("counts as JSON.parse has it among the media types of a body", () =>
    Effect.gen(function*() {
      for (const type of ["application/json", "application/merge-patch+json", "text/plain"]) {
        yield* compare(document(`{"/a":{"post":{"requestBody":{"content":{"${type}":{"schema":{"type":"string"}},"${type}":{"schema":{"type":"integer"}}}}}}}`))
      }
    }))

  it.effect("counts as JSON.parse has it among additional operations", () =>
    compare("{\"openapi\":\"3.2.0\",\"paths\":{\"/a\":{\"additionalOperations\":{\"COPY\":{},\"COPY\":{}}}}}"))
})

describe("a stored operation", () => {
  const template = { method: "GET", path: "/a/{p}", parameters: [{ property: "p", in: "path", name: "p" }] }
  const definition = { name: "a", description: "", inputSchema: { type: "object" }, annotations: {} }
  const operation = { definition, request: template }
  it.effect("is refused for a key of a place or a template that this version does not know, which is named [R-000-160]", () =>
    Effect.gen(function*() {
      yield* refuses(Http.Place, { ...template.parameters[0], allowEmptyValue: true }, ...unknown("allowEmptyValue"))
      yield* refuses(Http.RequestTemplate, { ...template, headers: {} }, ...unknown("headers"))
      yield* refuses(Http.RequestTemplate, { ...template, parameters: [{ ...template.parameters[0], more: undefined }] }, ...unknown("more"))
      yield* refuses(Http.Operation, { ...operation, request: JSON.parse("{\"method\":\"GET\",\"path\":\"/\",\"parameters\":[],\"__proto__\":1}") }, ...unknown("__proto__"))
      yield* refuses(Schema.toCodecJson(OpenApi.Operations), { operations: [{ ...operation, request: { ...template, x: 1 } }], skipped: [], servers: [] }, ...unknown("x"))
      const more = { operations: [{ definition: { ...definition, more: 1, annotations: { more: 1 } }, request: template, more: 1 }], skipped: [{ method: "GET", path: "/", code: "new", reason: "r", more: 1 }], servers: [], more: 1 }
      assert.deepEqual(yield* Schema.decodeUnknownEffect(Schema.toCodecJson(OpenApi.Operations))(more), {
        operations: [operation as Http.Operation],
        skipped: [{ method: "GET", path: "/", code: "new", reason: "r" }],
        servers: []
      })
    }))

  it.effect("has its method in any case, and no other method than OpenAPI's", () =>
    Effect.gen(function*() {
      for (const method of ["get", "Put", "POST", "delete", "options", "head", "patch", "trace", "query"]) {
        assert.strictEqual(yield* Schema.decodeUnknownEffect(Http.Method)(method), method.toUpperCase() as Http.Method)
        assert.strictEqual((yield* Schema.decodeUnknownEffect(Http.RequestTemplate)({ ...template, method })).method, method.toUpperCase())
      }
      for (const method of ["", "COPY", "GET ", "get\n", 7, null]) yield* refuses(Http.Method, method)
    }))

  it.effect("does not decode with a schema that has no object root, or without one of its parts", () =>
    Effect.gen(function*() {
      for (const inputSchema of [{}, { type: "array" }, { type: ["object"] }, { properties: {} }]) {
        yield* refuses(Http.Operation, { ...operation, definition: { ...definition, inputSchema } }, "object root")
      }
      for (const inputSchema of [null, true, "object", []]) yield* refuses(Http.Operation, { ...operation, definition: { ...definition, inputSchema } })
      for (const request of [{ method: "GET", path: "/" }, { ...template, parameters: [{ property: "p", in: "cookie", name: "p" }] }, { ...template, body: 7 }]) {
        yield* refuses(Http.Operation, { ...operation, request })
      }
    }))
})
