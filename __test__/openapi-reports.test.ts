/** What readers of OpenAPI documents have been reported to do wrong, each as the behaviour that is right. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Schema } from "effect"
import { Assembly, Http, OpenApi, ToolSource } from "../ts/index.ts"
import { schemasMade } from "../ts/internal/catalog.ts"
import { scripted } from "./support/http.ts"

type Json = Schema.Json
type JsonObject = Schema.JsonObject

const read = (paths: unknown, more: object = {}, options?: OpenApi.Options) => OpenApi.readOperations({ openapi: "3.0.3", paths, ...more }, options)

const jsonBody = (schema: unknown) => ({ required: true, content: { "application/json": { schema } } })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const withSchemas = (schemas: unknown) => ({ components: { schemas } })

const schemaOf = ({ operations }: OpenApi.Operations, at = 0) => operations[at]!.definition.inputSchema
const propertyOf = (read: OpenApi.Operations, name: string) => (schemaOf(read)["properties"] as JsonObject)[name]
const codes = ({ skipped }: OpenApi.Operations) => skipped.map(({ code }) => code)

/** The schema that a body of this one has in a document of that version. */
const bodyOf = (schema: unknown, schemas: unknown = {}, openapi = "3.0.3") =>
  propertyOf(read({ "/a": { post: { requestBody: jsonBody(schema) } } }, { ...withSchemas(schemas), openapi }), "body")

/** What a tool sends for an input. */
const send = (operations: ReadonlyArray<Http.Operation>, input: object, baseUrl = "https://api.example.com") => {
  const { client, sent } = scripted()
  const source = Http.make({ name: "api", baseUrl, client, operations })
  return Effect.map(Effect.exit(source.call(operations[0]!.definition.name, input as JsonObject)), ({ _tag }) => ({ _tag, sent: sent[0] }))
}

/** The query that a list of two is sent as, or why its operation is left out. */
const queryOf = (more: object, reading: "documented" | "extended") =>
  Effect.gen(function*() {
    const all = read({ "/a": { get: { parameters: [{ name: "q", in: "query", schema: { type: "array", items: {} }, ...more }] } } }, {}, { reading })
    return all.operations.length === 0 ? codes(all)[0] : (yield* send(all.operations, { q: ["a", "b"] })).sent?.url.split("?")[1]
  })

describe("schemas", () => {
  it("that refer to themselves stay references, and a tool's is a finite JSON value", () => {
    const all = read({ "/a": { post: { requestBody: jsonBody(ref("Tree")) } } }, withSchemas({
      Tree: { type: "object", properties: { kids: { type: "array", items: ref("Tree") }, up: ref("Twin") } },
      Twin: { allOf: [ref("Tree")] }
    }))
    const text = JSON.stringify(schemaOf(all))
    assert.isBelow(text.length, 1000)
    assert.sameMembers(Object.keys(schemaOf(all)["$defs"] as JsonObject), ["Tree", "Twin"])
  })

  it("that are cyclic, or lead nowhere, take down no other tool", () => {
    const all = read({
      "/cyclic": { post: { requestBody: jsonBody(ref("Loop")) } },
      "/broken": { post: { requestBody: jsonBody(ref("Broken")) } },
      "/fine": { get: {} }
    }, withSchemas({ Loop: ref("Loop"), Broken: ref("Gone") }))
    assert.deepEqual(all.operations.map(({ request }) => request.path), ["/cyclic", "/fine"])
    assert.deepEqual(codes(all), ["reference"])
  })

  it("that are nullable accept null as parameters and deep inside, and a property that is called nullable stays one", () => {
    const nullable = { type: "string", nullable: true }
    const all = read({ "/a": { post: { parameters: [{ name: "q", in: "query", schema: nullable }], requestBody: jsonBody({ properties: { nullable: { type: "boolean" }, deep: { items: nullable } } }) } } })
    assert.deepEqual(propertyOf(all, "q"), { type: ["string", "null"] })
    assert.deepEqual(propertyOf(all, "body"), { properties: { nullable: { type: "boolean" }, deep: { items: { type: ["string", "null"] } } } })
  })

  it("that allow null under anyOf get no type beside it, which would take it back", () => {
    const schema = { anyOf: [{ type: "string" }, { type: "null" }] }
    assert.deepEqual(bodyOf(schema, {}, "3.1.0"), schema)
    assert.deepEqual(bodyOf({ anyOf: [{ type: "string" }], nullable: true }), schema)
    assert.deepEqual(bodyOf({ nullable: true }), {})
  })

  it("that are said not to be nullable keep their type", () => {
    assert.deepEqual(bodyOf({ type: "string", nullable: false }), { type: "string" })
  })

  it("that are reached through chains of references are all there", () => {
    const all = read({ "/a": { post: { requestBody: { $ref: "#/components/requestBodies/B" } } } }, {
      components: {
        requestBodies: { B: { $ref: "#/components/requestBodies/C" }, C: jsonBody(ref("One")) },
        schemas: { One: ref("Two"), Two: { items: ref("Three") }, Three: { type: "integer" } }
      }
    })
    assert.deepEqual(schemaOf(all)["$defs"], { One: { $ref: "#/$defs/Two" }, Two: { items: { $ref: "#/$defs/Three" } }, Three: { type: "integer" } })
  })

  it("that no input needs are in no tool, nor are those of answers", () => {
    const all = read({
      "/a": { post: { requestBody: jsonBody(ref("In")), responses: { 200: { content: { "application/json": { schema: ref("Out") } } } } } }
    }, withSchemas({ In: { type: "string" }, Out: { type: "string" }, Unused: {} }))
    assert.deepEqual(schemaOf(all)["$defs"], { In: { type: "string" } })
    assert.notProperty(all.operations[0]!.definition, "outputSchema")
  })

  it("that are named by a place inside of another are rewritten, and a place in no schema of the document is none", () => {
    const schemas = { A: { type: "object", properties: { b: { type: "integer" } } } }
    assert.deepEqual(bodyOf({ $ref: "#/components/schemas/A/properties/b" }, schemas), { $ref: "#/$defs/A_properties_b" })
    const all = read({ "/a": { post: { requestBody: jsonBody({ properties: { b: {}, c: { $ref: "#/properties/b" } } }) } } })
    assert.deepEqual([all.operations.length, codes(all)], [0, ["reference"]])
  })

  it("keep their null types and have none added", () => {
    const schema = { type: ["string", "null"], enum: ["a", null] }
    assert.deepEqual(bodyOf(schema, {}, "3.1.0"), schema)
    assert.deepEqual(bodyOf({ type: "object", properties: { a: { type: "string" } } }), { type: "object", properties: { a: { type: "string" } } })
  })

  it("of a document with very many are made when they are read, each on its own", () => {
    const count = 500
    const names = Array.from({ length: count }, (_, at) => `S${at}`)
    const all = read(
      Object.fromEntries(names.map((name) => [`/${name}`, { post: { requestBody: jsonBody(ref(name)) } }])),
      withSchemas(Object.fromEntries(names.map((name, at) => [name, { anyOf: names.slice(at + 1, at + 20).map(ref) }])))
    )
    const before = schemasMade()
    assert.strictEqual(all.operations.length, count)
    assert.deepEqual(schemaOf(all, count - 1)["$defs"], { [`S${count - 1}`]: { anyOf: [] } })
    assert.strictEqual(schemasMade() - before, 1)
  })
})

describe("names", () => {
  const long = `repos_${"get_a_very_long_name_".repeat(6)}request`

  it.effect("longer than agents accept are cut with a fingerprint, and two that share their beginning stay two", () =>
    Effect.gen(function*() {
      const { operations } = read({ "/a": { get: { operationId: `${long}One` } }, "/b": { get: { operationId: `${long}Two` } } })
      const { client } = scripted()
      const source = Http.make({ name: "api", baseUrl: "https://api.example.com", client, operations })
      const { tools } = yield* Assembly.toolkit([{ source, definitions: yield* source.discover }], () => "allow")
      const names = Object.keys(tools)
      assert.strictEqual(new Set(names).size, 2)
      for (const name of names) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/)
    }))

  it("keep their words: only characters are replaced", () => {
    assert.strictEqual(read({ "/a": { get: { operationId: "request.configuration/list" } } }).operations[0]!.definition.name, "request_configuration_list")
    assert.strictEqual(read({ "/a": { get: { operationId: long } } }).operations[0]!.definition.name, long)
  })

  it("that two operations have are the first one's, and the other is left out with the reason", () => {
    const all = read({ "/a": { get: { operationId: "same" } }, "/b": { get: { operationId: "same" } } })
    assert.deepEqual(all.operations.map(({ request }) => request.path), ["/a"])
    assert.deepEqual(all.skipped, [{ method: "GET", path: "/b", code: "name", reason: "paths./b.get: the name \"same\" is another operation's" }])
  })
})

describe("parameters", () => {
  const id = { name: "id", in: "path", required: true, schema: { type: "string" } }

  it("of a path item apply to its operations, those behind references too", () => {
    const all = read({ "/a/{id}": { parameters: [{ $ref: "#/components/parameters/Id" }], get: {}, delete: {} } }, { components: { parameters: { Id: id } } })
    assert.deepEqual(all.operations.map(({ request }) => request.parameters), [[{ property: "id", in: "path", name: "id" }], [{ property: "id", in: "path", name: "id" }]])
  })

  it("behind a pointer through a path are found, its percent signs and tildes decoded", () => {
    const all = read({
      "/{ns}/x~y": { get: { operationId: "one", parameters: [{ ...id, name: "ns" }] } },
      "/b/{ns}": { get: { operationId: "two", parameters: [{ $ref: "#/paths/~1%7Bns%7D~1x~0y/get/parameters/0" }] } }
    })
    assert.deepEqual(all.operations.map(({ request }) => request.parameters[0]?.name), ["ns", "ns"])
  })

  it.effect("and a body that share a name are each sent where they belong, and a body need not be an object", () =>
    Effect.gen(function*() {
      const { operations } = read({ "/a/{body}": { put: { parameters: [{ ...id, name: "body" }], requestBody: jsonBody({ type: "array", items: { properties: { body: {} } } }) } } })
      assert.sameMembers(Object.keys(operations[0]!.definition.inputSchema["properties"] as JsonObject), ["path_body", "body"])
      const { sent } = yield* send(operations, { path_body: "p", body: [{ body: 1 }] })
      assert.deepEqual([sent?.url, sent?.body], ["https://api.example.com/a/p", "[{\"body\":1}]"])
    }))

  it.effect("that are lists are sent as their style has it: a key for each value, or delimited where that is the default", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* queryOf({}, "documented"), "q=a&q=b")
      for (const [more, expected] of [[{ explode: false }, "q=a,b"], [{ style: "pipeDelimited" }, "q=a%7Cb"], [{ style: "spaceDelimited" }, "q=a%20b"]] as const) {
        assert.strictEqual(yield* queryOf(more, "documented"), "style")
        assert.strictEqual(yield* queryOf(more, "extended"), expected)
      }
    }))

  it.effect("that are objects are written by their keys, never as the name of their type", () =>
    Effect.gen(function*() {
      const paths = { "/a": { get: { parameters: [{ name: "filter", in: "query", style: "deepObject", explode: true, schema: { type: "object" } }] } } }
      assert.deepEqual(codes(read(paths)), ["style"])
      const { sent } = yield* send(read(paths, {}, { reading: "extended" }).operations, { filter: { a: 1, b: ["x"] } })
      assert.strictEqual(sent?.url, "https://api.example.com/a?filter%5Ba%5D=1&filter%5Bb%5D%5B%5D=x")
      const { operations } = read({ "/a": { get: { parameters: [{ name: "any", in: "query" }] } } })
      const refused = yield* send(operations, { any: { a: 1 } })
      assert.deepEqual([refused._tag, refused.sent], ["Failure", undefined])
    }))

  it.effect("of the path reach no other endpoint, and no placeholder is left in what is sent", () =>
    Effect.gen(function*() {
      const { operations } = read({ "/users/{id}/posts": { get: { parameters: [id] } } })
      for (const [value, segment] of [["../admin", "..%2Fadmin"], ["a?b=c", "a%3Fb%3Dc"], ["a#b", "a%23b"], ["{id}", "%7Bid%7D"]] as const) {
        assert.strictEqual((yield* send(operations, { id: value })).sent?.url, `https://api.example.com/users/${segment}/posts`)
      }
      for (const value of ["..", ".", "", undefined]) assert.strictEqual((yield* send(operations, { id: value })).sent, undefined)
    }))
})

describe("operations", () => {
  it("behind a path item's reference are read, or the item is left out with its reason", () => {
    const all = read({ "/a": { $ref: "#/components/pathItems/Item" }, "/b": { $ref: "other.json#/b" }, "/c": { $ref: "#/components/pathItems/Gone" } }, { components: { pathItems: { Item: { get: {}, put: {} } } } })
    assert.deepEqual(all.operations.map(({ request }) => request.method), ["GET", "PUT"])
    assert.deepEqual(all.skipped.map(({ code, method, path }) => [method, path, code]), [["*", "/b", "reference"], ["*", "/c", "reference"]])
  })

  it.effect("are sent below the base URL's own path with one slash at the joint", () =>
    Effect.gen(function*() {
      const { operations } = read({ "/pets": { get: {} } }, { servers: [{ url: "https://elsewhere.example/v9/" }] })
      for (const base of ["https://api.example.com/v1", "https://api.example.com/v1/"]) {
        assert.strictEqual((yield* send(operations, {}, base)).sent?.url, "https://api.example.com/v1/pets")
      }
    }))

  it("of a document without servers are read as any", () => {
    const all = read({ "/a": { get: {} } })
    assert.deepEqual([all.servers, all.operations.length], [[], 1])
  })

  it("whose media type has parameters or odd case are of JSON, and one that is not takes down itself alone", () => {
    const all = read(Object.fromEntries(
      ["application/json;charset=utf-8", "Application/JSON", "application/hal+json; v=1", "multipart/form-data"].map((type, at) => [`/${at}`, { post: { requestBody: { required: true, content: { [type]: {} } } } }])
    ))
    assert.deepEqual([all.operations.length, codes(all)], [3, ["body"]])
  })

  it.effect("with a form are sent as a form, and not as JSON", () =>
    Effect.gen(function*() {
      const paths = { "/a": { post: { requestBody: { content: { "application/x-www-form-urlencoded": { schema: { type: "object" } } } } } } }
      assert.deepEqual(codes(read(paths)), ["body"])
      const { sent } = yield* send(read(paths, {}, { reading: "extended" }).operations, { body: { a: "b c", d: [1, 2] } })
      assert.deepEqual([sent?.headers["content-type"], sent?.body], ["application/x-www-form-urlencoded", "a=b%20c&d=1&d=2"])
    }))
})

describe("every report above", () => {
  it.effect("holds for a tool that goes through the toolkit", () =>
    Effect.gen(function*() {
      const { client, sent } = scripted()
      const { operations } = read({ "/a": { post: { operationId: "make", requestBody: jsonBody({ type: "object", properties: { a: { type: "string", nullable: true } } }) } } })
      const source = Http.make({ name: "api", baseUrl: "https://api.example.com", client, operations })
      const toolkit = yield* ToolSource.toolkit(source, yield* source.discover)
      assert.deepEqual(Object.keys(toolkit.tools), ["make"])
      assert.strictEqual(sent.length, 0)
      const answer: Json = yield* source.call("make", { body: { a: null } })
      assert.isNull(answer)
      assert.strictEqual(sent[0]?.body, "{\"a\":null}")
    }))
})
