import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Http, OpenApi } from "../ts/index.ts"
import { scripted } from "./support/http.ts"

type Json = Schema.Json
type JsonObject = Schema.JsonObject

const bytes = readFileSync(new URL("../examples/data/box/openapi.json", import.meta.url))
const document = JSON.parse(bytes.toString()) as { readonly paths: Record<string, Record<string, unknown>> }
const box = OpenApi.readOperations(document)

const methods = new Set(["get", "put", "post", "delete", "options", "head", "patch", "trace"])

const countBy = <A>(values: ReadonlyArray<A>, key: (value: A) => string) => {
  const counts: Record<string, number> = {}
  for (const value of values) counts[key(value)] = (counts[key(value)] ?? 0) + 1
  return counts
}

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value)

/** Keywords whose values are data and not schemas. */
const data = new Set(["enum", "const", "default", "examples"])
/** Keywords whose values are schemas by name. */
const named = new Set(["properties", "$defs", "patternProperties", "dependentSchemas"])

/** Every `$ref` of a schema, at schema positions only. */
const referencesOf = (schema: Json): ReadonlyArray<string> => {
  if (Array.isArray(schema)) return schema.flatMap(referencesOf)
  if (!isObject(schema)) return []
  return Object.entries(schema).flatMap(([key, value]) => {
    if (data.has(key)) return []
    if (named.has(key) && isObject(value)) return Object.values(value).flatMap(referencesOf)
    return key === "$ref" ? [String(value)] : referencesOf(value)
  })
}

/** What a JSON pointer of a fragment leads to within a schema (RFC 6901 §6). */
const resolve = (schema: Json, reference: string): Json | undefined => {
  const [before, pointer = ""] = reference.split("#")
  if (before !== "" || (pointer !== "" && !pointer.startsWith("/"))) return undefined
  let at: Json | undefined = schema
  for (const token of decodeURIComponent(pointer).split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~")
    at = isObject(at) && Object.hasOwn(at, key) ? at[key] : Array.isArray(at) ? (at as ReadonlyArray<Json>)[Number(key)] : undefined
  }
  return at
}

describe("the document of Box", () => {
  it("has each of its operations in operations or in skipped [R-000-215]", () => {
    const inDocument = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).filter((key) => methods.has(key)).map((method) => `${method.toUpperCase()} ${path}`)
    )
    assert.strictEqual(inDocument.length, 296)
    const read = [...box.operations.map(({ request: { method, path } }) => `${method} ${path}`), ...box.skipped.map(({ method, path }) => `${method} ${path}`)]
    assert.sameMembers(read, inDocument)
    assert.strictEqual(new Set(read).size, read.length)
  })

  it("gives these tools, and leaves out these many for each reason", () => {
    assert.strictEqual(box.operations.length, 228)
    assert.deepEqual(countBy(box.operations, ({ request }) => request.method), { GET: 88, POST: 54, DELETE: 45, PUT: 36, PATCH: 3, OPTIONS: 2 })
    assert.deepEqual(countBy(box.skipped, ({ code }) => code), { style: 63, body: 5 })
    assert.deepEqual(box.servers, ["https://api.box.com/2.0"])
    for (const { method, path, reason } of box.skipped) assert.isTrue(reason.startsWith(`paths.${path}.${method.toLowerCase()}: `), reason)
    assert.strictEqual(new Set(box.operations.map(({ definition }) => definition.name)).size, 228)
    for (const { definition } of box.operations) assert.match(definition.name, /^[a-zA-Z0-9_-]+$/)
  })

  it("gives schemas with an object root that stand alone [R-000-200]", () => {
    let references = 0
    for (const { definition: { inputSchema, name }, request } of box.operations) {
      assert.strictEqual(inputSchema["type"], "object", name)
      assert.isFalse(inputSchema["additionalProperties"], name)
      const found = referencesOf(inputSchema)
      for (const reference of found) assert.isDefined(resolve(inputSchema, reference), `${name}: ${reference}`)
      references += found.length
      const defs = Object.keys(isObject(inputSchema["$defs"]) ? inputSchema["$defs"] : {})
      const wanted = new Set(found.map((reference) => decodeURIComponent(reference.split("/")[2]!).replaceAll("~1", "/").replaceAll("~0", "~")))
      assert.sameMembers(defs, [...wanted], name)
      const properties = [...request.parameters.map(({ property }) => property), ...request.body === undefined ? [] : [request.body]]
      assert.sameMembers(Object.keys(inputSchema["properties"] as JsonObject), properties, name)
      for (const required of inputSchema["required"] as ReadonlyArray<string>) assert.include(properties, required)
    }
    assert.isAbove(references, 100)
  })

  it("has none of the forms of 3.0 in its schemas [R-000-202] [R-000-203]", () => {
    const keywords: Array<readonly [string, Json]> = []
    const collect = (schema: Json): void => {
      if (Array.isArray(schema)) return schema.forEach(collect)
      if (!isObject(schema)) return
      for (const [key, value] of Object.entries(schema)) {
        if (named.has(key) && isObject(value)) Object.values(value).forEach(collect)
        else keywords.push([key, value])
        if (!named.has(key) && !data.has(key)) collect(value)
      }
    }
    for (const { definition } of box.operations) collect(definition.inputSchema)
    assert.include(bytes.toString(), "\"nullable\": true")
    assert.isAbove(keywords.filter(([key, value]) => key === "type" && Array.isArray(value) && value.includes("null")).length, 10)
    for (const [key, value] of keywords) {
      assert.notInclude(["nullable", "example", "discriminator", "xml"], key)
      if (key.startsWith("exclusive")) assert.isNumber(value)
    }
  })

  it.effect("is read the same of its text and its bytes", () =>
    Effect.gen(function*() {
      const expected = structuredClone(box)
      assert.deepEqual(structuredClone(yield* OpenApi.readOperations(bytes)), expected)
      assert.deepEqual(structuredClone(yield* OpenApi.readOperations(bytes.toString())), expected)
    }))

  it.effect("is the same after JSON, structuredClone and Schema.toCodecJson [R-000-218]", () =>
    Effect.gen(function*() {
      const expected = { operations: box.operations, skipped: box.skipped, servers: box.servers }
      const text = JSON.stringify(box)
      assert.deepEqual(JSON.parse(text), expected)
      assert.deepEqual(structuredClone(box), expected as never)
      assert.strictEqual(JSON.stringify(structuredClone(box)), text)
      const codec = Schema.toCodecJson(OpenApi.Operations)
      const stored = JSON.stringify(yield* Schema.encodeEffect(codec)(box))
      const back = yield* Schema.decodeUnknownEffect(codec)(JSON.parse(stored))
      assert.deepEqual(back, expected)
      assert.strictEqual(JSON.stringify(back), text)
    }))

  it.effect("has each of its tools sent as it says, below the base URL [R-000-161] [R-000-217]", () =>
    Effect.gen(function*() {
      const { client, sent } = scripted()
      const source = Http.make({ name: "box", baseUrl: "https://api.example.com/2.0", client, operations: box.operations })
      assert.deepEqual(yield* source.discover, box.operations.map(({ definition }) => definition))
      for (const { definition, request } of box.operations) {
        const input = Object.fromEntries([
          ...request.parameters.map(({ property }) => [property, "a b"]),
          ...request.body === undefined ? [] : [[request.body, { a: 1 }]]
        ])
        assert.isNull(yield* source.call(definition.name, input), definition.name)
      }
      const expected = box.operations.map(({ request: { body, method, parameters, path } }) => {
        const filled = path.split("#")[0]!.replaceAll(/\{[^}]*\}/g, "a%20b")
        const query = parameters.filter((place) => place.in === "query").map(({ name }) => `${encodeURIComponent(name)}=a%20b`).join("&")
        return [method, `https://api.example.com/2.0${filled}${query === "" ? "" : `?${query}`}`, body === undefined ? undefined : "{\"a\":1}"]
      })
      assert.deepEqual(sent.map(({ body, method, url }) => [method, url, body]), expected)
    }))
})

describe("stored operations", () => {
  it.effect("are the operations that they were, and send the same requests [R-000-160] [R-000-218]", () =>
    Effect.gen(function*() {
      const written: ReadonlyArray<Http.Operation> = [...box.operations, {
        definition: { name: "by-hand", description: "", inputSchema: { type: "object", x: [null, 1.5] }, annotations: { title: "t", openWorld: false } },
        request: {
          method: "QUERY",
          path: "/{a}",
          parameters: [{ property: "a", in: "path", name: "a", style: "simple", explode: false }, { property: "b", in: "header", name: "b" }],
          body: "c",
          mediaType: "application/merge-patch+json"
        }
      }]
      const operations = Schema.toCodecJson(Schema.Array(Http.Operation))
      const stored = JSON.stringify(yield* Schema.encodeEffect(operations)(written))
      const back = yield* Schema.decodeUnknownEffect(operations)(JSON.parse(stored))
      assert.deepEqual(back, written)
      assert.strictEqual(JSON.stringify(back), JSON.stringify(written))
      const [one, other] = [scripted(), scripted()]
      for (const [{ client }, operations] of [[one, written], [other, back]] as const) {
        const source = Http.make({ name: "api", baseUrl: "https://api.example.com", client, operations })
        yield* source.call("get_files_id_tasks", { file_id: 1 })
        yield* source.call("by-hand", { a: 1, b: ["x", "y"], c: {} })
      }
      assert.strictEqual(one.sent.length, 2)
      assert.deepEqual(other.sent, one.sent)
    }))
})
