import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Schema, Stream } from "effect"
import { HttpClient } from "effect/http"
import { Http, OpenApi, ToolDefinition, ToolSource } from "../ts/index.ts"
import { isMadeOnReading } from "../ts/internal/catalog.ts"
import { scripted } from "./support/http.ts"

type Json = Schema.Json
type JsonObject = Schema.JsonObject

const document = (paths: JsonObject, more: JsonObject = {}, openapi = "3.1.0"): JsonObject => ({ openapi, info: { title: "t", version: "1" }, paths, ...more })

const parameter = (at: string, name: string, more: JsonObject = {}): JsonObject => ({ name, in: at, schema: { type: "string" }, ...more })

const json = (schema: Json, more: JsonObject = {}): JsonObject => ({ requestBody: { content: { "application/json": { schema } }, ...more } })

const codec = Schema.toCodecJson(OpenApi.Operations)

/** `{ operations, skipped, servers }` without the way it was made. */
const plain = ({ operations, servers, skipped }: OpenApi.Operations) => structuredClone({ operations, skipped, servers })

/** The one operation of `GET /a`, which has to be read. */
const readGet = (operation: JsonObject, path = "/a", more: JsonObject = {}): Http.Operation => {
  const { operations, skipped } = OpenApi.readOperations(document({ [path]: { get: operation } }, more))
  assert.deepEqual(skipped, [])
  return operations[0]!
}

/** The schema of the body of a document's one operation. */
const bodyOf = (openapi: string, schema: Json, schemas: JsonObject = {}): Json => {
  const { operations, skipped } = OpenApi.readOperations(document({ "/a": { post: json(schema) } }, { components: { schemas } }, openapi))
  assert.deepEqual(skipped, [])
  return (operations[0]!.definition.inputSchema["properties"] as JsonObject)["body"]!
}

const all = (codes: ReadonlyArray<string>, code: string, count: number) => assert.deepEqual(codes, Array.from({ length: count }, () => code))

/** Codes of what is left out of a document with each of these as `GET` of a path. */
const codesOf = (operations: ReadonlyArray<JsonObject>, path = "/a", more: JsonObject = {}) =>
  operations.flatMap((operation) =>
    OpenApi.readOperations(document({ [path]: { get: operation } }, more)).skipped.map(({ code, method, path: at, reason }) => {
      assert.deepEqual([method, at], ["GET", path])
      assert.isTrue(reason.startsWith(`paths.${path}.get: `), reason)
      return code
    })
  )

const pets = document({
  "/pets/{id}": {
    parameters: [parameter("path", "id", { required: true, schema: { type: "integer" } })],
    get: { operationId: "getPet", summary: "Gets a pet.", parameters: [parameter("query", "fields", { schema: { type: "array", items: { type: "string" } } })] },
    put: { operationId: "putPet", ...json({ $ref: "#/components/schemas/Pet" }, { required: true }) },
    patch: { operationId: "putPhoto", requestBody: { content: { "image/png": {} } } }
  }
}, {
  servers: [{ url: "https://pets.example.com/v1" }, { url: "/relative" }, { url: "https://{region}.example.com", variables: { region: { default: "eu" } } }],
  components: {
    schemas: {
      Pet: { type: "object", properties: { name: { type: "string" }, friends: { type: "array", items: { $ref: "#/components/schemas/Pet" } } }, required: ["name"] },
      Unused: { type: "null" }
    }
  }
})

/** A definition whose schema may be set. */
const firstOfPets = () => OpenApi.readOperations(pets).operations[0]!.definition as { inputSchema: ToolDefinition.InputSchema }

describe("readOperations of JSON already read", () => {
  it("gives operations, skipped and servers, which can be destructured at once [R-000-190]", () => {
    const { operations, servers, skipped } = OpenApi.readOperations(pets)
    assert.deepEqual(operations.map(({ definition: { name, description }, request }) => [name, description, request]), [
      ["getPet", "Gets a pet.", {
        method: "GET",
        path: "/pets/{id}",
        parameters: [{ property: "id", in: "path", name: "id" }, { property: "fields", in: "query", name: "fields" }]
      }],
      ["putPet", "PUT /pets/{id}", { method: "PUT", path: "/pets/{id}", parameters: [{ property: "id", in: "path", name: "id" }], body: "body" }]
    ])
    assert.deepEqual(skipped, [{
      method: "PATCH",
      path: "/pets/{id}",
      code: "body",
      reason: "paths./pets/{id}.patch: requestBody: is not JSON but image/png"
    }])
    assert.strictEqual(servers.length, 3)
  })

  it.effect("can be yielded, spread, stringified and encoded, and is the plain struct each time [R-000-218]", () =>
    Effect.gen(function*() {
      const read = OpenApi.readOperations(pets)
      const expected = plain(read)
      assert.deepEqual(Object.keys(read), ["operations", "skipped", "servers"])
      assert.deepEqual(Object.keys(expected), Object.keys(read))
      assert.deepEqual(plain(yield* read), expected)
      assert.deepEqual({ ...read }, expected as never)
      assert.strictEqual(JSON.stringify(read), JSON.stringify(expected))
      assert.deepEqual(JSON.parse(JSON.stringify(read)), expected)
      assert.deepEqual(structuredClone(read), expected as never)

      const stored = JSON.stringify(yield* Schema.encodeEffect(codec)(read))
      assert.deepEqual(JSON.parse(stored), JSON.parse(JSON.stringify(expected)))
      assert.deepEqual(yield* Schema.decodeUnknownEffect(codec)(JSON.parse(stored)), expected as never)
      assert.isTrue(Schema.is(OpenApi.Operations)({ ...read }))
    }))

  it.effect("throws InvalidDocument from each field of what is no document, and fails with it when yielded", () =>
    Effect.gen(function*() {
      const read = OpenApi.readOperations({ swagger: "2.0", paths: {} })
      assert.deepEqual(Object.keys(read), ["operations", "skipped", "servers"])
      for (const field of ["operations", "skipped", "servers"] as const) assert.throws(() => read[field], OpenApi.InvalidDocument, "Swagger 2.0")
      const caught = yield* Effect.catchTag(read, "InvalidDocument", (error) => Effect.succeed(error))
      assert.instanceOf(caught, OpenApi.InvalidDocument)
      assert.include((caught as OpenApi.InvalidDocument).description, "Swagger 2.0")
      assert.strictEqual((caught as OpenApi.InvalidDocument).message, (caught as OpenApi.InvalidDocument).description)
    }))

  it.effect("equals what is read of the text and of the bytes", () =>
    Effect.gen(function*() {
      for (const given of [pets, document({}), document({ "/é/{ü}": { get: { parameters: [parameter("path", "ü", { description: "😀" })] } } })]) {
        const text = JSON.stringify(given)
        const expected = plain(OpenApi.readOperations(given))
        assert.deepEqual(plain(yield* OpenApi.readOperations(text)), expected)
        assert.deepEqual(plain(yield* OpenApi.readOperations(JSON.stringify(given, null, 2))), expected)
        assert.deepEqual(plain(yield* OpenApi.readOperations(new TextEncoder().encode(text))), expected)
        assert.deepEqual(plain(yield* OpenApi.readOperations(Buffer.from(`  ${text}`).subarray(2))), expected)
      }
    }))

  it.effect("reads bytes of whichever realm, and such that are shared", () =>
    Effect.gen(function*() {
      const expected = plain(OpenApi.readOperations(pets))
      const text = new TextEncoder().encode(JSON.stringify(pets))
      for (const made of ["new Uint8Array(length)", "new Uint8Array(new SharedArrayBuffer(length))"]) {
        const bytes = runInNewContext(made, { length: text.length }) as Uint8Array
        assert.isFalse(bytes instanceof Uint8Array)
        bytes.set(text)
        assert.deepEqual(plain(yield* OpenApi.readOperations(bytes)), expected, made)
      }
      // What only says that it is bytes is none.
      const { description } = yield* Effect.flip(OpenApi.readOperations({ [Symbol.toStringTag]: "Uint8Array", length: 0 }))
      assert.include(description, "expected an OpenAPI document")
    }))

  it.effect("gives a long description whole, wherever it is cut on its way", () =>
    Effect.gen(function*() {
      for (const filler of ["", "x", "xx", "xxx"]) {
        const description = filler + "\u0001é😀\\".repeat(60_000)
        const item = { get: { description }, put: { description: "short" } }
        const given = { openapi: "3.1.0", paths: { "/a": item, "/b": item } }
        const escaped = JSON.stringify(given).replaceAll("😀", "\\ud83d\\ude00")
        for (const document of [given, JSON.stringify(given), escaped, Buffer.from(escaped)]) {
          const { operations } = yield* OpenApi.readOperations(document)
          assert.deepEqual(operations.map(({ definition }) => definition.description === description ? "long" : definition.description), ["long", "short", "long", "short"])
        }
      }
    }))

  it("gives schemas that are own, enumerable, made once, and data like any other", () => {
    const { definition } = OpenApi.readOperations(pets).operations[1]!
    const { inputSchema } = definition
    assert.strictEqual(definition.inputSchema, inputSchema)
    assert.deepEqual(Object.keys(definition), ["name", "description", "inputSchema", "annotations"])
    assert.isTrue(Object.getOwnPropertyDescriptor(definition, "inputSchema")?.enumerable)
    assert.strictEqual({ ...definition }.inputSchema, inputSchema)
    assert.deepEqual(JSON.parse(JSON.stringify(definition)).inputSchema, inputSchema)
    assert.deepEqual(structuredClone(definition).inputSchema, inputSchema)
    assert.isTrue(Schema.is(ToolDefinition.ToolDefinition)(definition))
  })

  it("gives a schema through whatever inherits from its definition, and says so of a Proxy that stands in for it", () => {
    const { definition } = OpenApi.readOperations(pets).operations[1]!
    const heir = Object.create(Object.create(definition) as object) as typeof definition
    assert.strictEqual(heir.inputSchema, definition.inputSchema)
    const proxy = new Proxy(definition, {})
    assert.strictEqual(proxy.name, definition.name)
    assert.throws(() => proxy.inputSchema, TypeError, "{ ...definition }")
    assert.strictEqual(new Proxy({ ...definition }, {}).inputSchema, definition.inputSchema)
  })

  it("says so of what a definition's property descriptors were copied to, whatever that inherits from", () => {
    const [one, other] = OpenApi.readOperations(pets).operations.map(({ definition }) => definition)
    const copy = Object.create(other!, Object.getOwnPropertyDescriptors(one!)) as ToolDefinition.ToolDefinition
    assert.strictEqual(copy.name, one!.name)
    assert.throws(() => copy.inputSchema, TypeError, "{ ...definition }")
  })

  it("lets a schema be set as a plain property is, whatever object it is set through", () => {
    const schema = { type: "object", properties: { set: {} } } as const
    const base = firstOfPets()
    const heir = Object.create(base) as typeof base
    heir.inputSchema = schema
    assert.strictEqual(heir.inputSchema, schema)
    assert.deepEqual(base.inputSchema, firstOfPets().inputSchema)

    const copy = Object.create(null, Object.getOwnPropertyDescriptors(base)) as typeof base
    copy.inputSchema = schema
    assert.strictEqual(copy.inputSchema, schema)
    assert.deepEqual(base.inputSchema, firstOfPets().inputSchema)

    const behind = firstOfPets()
    new Proxy(behind, {}).inputSchema = schema
    assert.strictEqual(behind.inputSchema, schema)

    const frozen = Object.freeze(firstOfPets()) as typeof base
    assert.throws(() => frozen.inputSchema = schema, TypeError)
    assert.deepEqual(frozen.inputSchema, base.inputSchema)
  })

  it("forgets what a schema would be made of once another property has taken its place", () => {
    const replaced = [
      (definition: object) => Object.defineProperty(definition, "inputSchema", { value: { type: "string" } }),
      (definition: { inputSchema?: unknown }) => {
        delete definition.inputSchema
        definition.inputSchema = { type: "string" }
      },
      (definition: object) => Object.assign(new Proxy(definition, {}), { inputSchema: { type: "string" } })
    ]
    for (const replace of replaced) {
      const read = OpenApi.readOperations(pets)
      const [{ definition }] = read.operations as [Http.Operation]
      replace(definition as { inputSchema?: unknown })
      assert.isFalse(isMadeOnReading(definition))
      assert.deepEqual(OpenApi.toCompact(read).operations[0]!.definition.inputSchema, { type: "string" })
    }
  })

  it("gives operations that share no object, so that a change of one is a change of one", () => {
    const shared = { parameters: [parameter("path", "id", { type: "integer" }), parameter("query", "q", { type: "string" })], requestBody: { content: { "application/json": { schema: { type: "object" } } } } }
    const read = OpenApi.readOperations(document({ "/a/{id}": { put: shared }, "/b/{id}": { put: shared } }))
    const [one, other] = read.operations as [Http.Operation, Http.Operation]
    assert.deepEqual(one.request.parameters, other.request.parameters)
    assert.notStrictEqual(one.request, other.request)
    assert.notStrictEqual(one.request.parameters, other.request.parameters)
    for (const at of [0, 1]) assert.notStrictEqual(one.request.parameters[at], other.request.parameters[at])
    assert.notStrictEqual(one.definition.annotations, other.definition.annotations)

    const form = { requestBody: { content: { "multipart/form-data": { schema: { type: "object", properties: { file: { type: "string", format: "binary" } } } } } } }
    const forms = OpenApi.readOperations(document({ "/a": { post: form }, "/b": { post: form } }), { reading: "extended" }).operations
    const [fields, others] = forms.map(({ request }) => request.fields!) as [ReadonlyArray<unknown>, ReadonlyArray<unknown>]
    assert.deepEqual(fields, others)
    assert.strictEqual(fields.length, 1)
    assert.notStrictEqual(fields, others)
    assert.notStrictEqual(fields[0], others[0])
  })

  it("says of a definition that is no object what is wrong with it", () => {
    const read = OpenApi.readOperations(pets)
    for (const definition of ["s", 1, null] as Array<never>) {
      assert.throws(() => OpenApi.toCompact({ ...read, operations: [{ ...read.operations[0]!, definition }] }), /^(?!.*#source)/)
    }
  })

  it("gives definitions whose schemas can be set, one by one", () => {
    const [one, other] = OpenApi.readOperations(pets).operations.map(({ definition }) => definition as { inputSchema: unknown })
    const schema = { type: "object" }
    one!.inputSchema = schema
    assert.strictEqual(one!.inputSchema, schema)
    assert.notStrictEqual(other!.inputSchema, schema)
    Object.freeze(other)
    assert.strictEqual(other!.inputSchema, other!.inputSchema)
  })

  it("refuses a way of reading that this version does not know", () => {
    assert.throws(() => OpenApi.readOperations(pets, { reading: "all" as never }), Cause.IllegalArgumentError, "\"documented\" or \"extended\", not \"all\"")
  })
})

describe("a document", () => {
  it.effect("has its servers listed, and requests go to the host's base URL all the same [R-000-192]", () =>
    Effect.gen(function*() {
      const given = document({ "/a": { servers: [{ url: "https://evil.example/item" }], get: { operationId: "a", servers: [{ url: "https://evil.example/op" }] } } }, {
        servers: [{ url: "https://evil.example/v1" }, { url: "/v2" }]
      })
      const { operations, servers } = OpenApi.readOperations(given)
      assert.deepEqual(servers, ["https://evil.example/v1", "/v2"])
      assert.notInclude(JSON.stringify(operations), "evil.example")
      const { client, sent } = scripted()
      yield* Http.make({ name: "api", baseUrl: "https://api.example.com/", client, operations }).call("a", {})
      assert.deepEqual(sent.map(({ url }) => url), ["https://api.example.com/a"])
    }))

  it.effect("is one of OpenAPI 3.0, 3.1 or 3.2, and Swagger 2 and others are refused with what was found [R-000-193]", () =>
    Effect.gen(function*() {
      for (const openapi of ["3.0.0", "3.0.4", "3.1.0", "3.1.1", "3.2.0"]) {
        assert.strictEqual(OpenApi.readOperations(document({ "/a": { get: {} } }, {}, openapi)).operations.length, 1, openapi)
      }
      for (
        const [given, found] of [
          [{ swagger: "2.0", paths: {} }, "Swagger 2.0"],
          [{ openapi: "2.0", paths: {} }, "\"2.0\""],
          [{ openapi: "4.0.0", paths: {} }, "\"4.0.0\""],
          [{ openapi: "3.3.0", paths: {} }, "\"3.3.0\""],
          [{ paths: {} }, "\"openapi\""]
        ] as const
      ) {
        assert.include((yield* Effect.flip(OpenApi.readOperations(given))).description, found)
      }
    }))

  it("has each operation in operations or in skipped [R-000-215]", () => {
    const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]
    const item = Object.fromEntries(methods.map((method, at) => [method, at % 3 === 0 ? { parameters: [null] } : {}]))
    const paths = { "/a": item, "/b": { ...item, summary: "s", "x-get": {}, parameters: [] }, "/c": { get: null, post: 7 }, "x-paths": { get: {} } } as JsonObject
    const { operations, skipped } = OpenApi.readOperations(document(paths))
    const known = [...operations.map(({ request: { method, path } }) => `${method} ${path}`), ...skipped.map(({ method, path }) => `${method} ${path}`)]
    const all = ["/a", "/b"].flatMap((path) => methods.map((method) => `${method.toUpperCase()} ${path}`))
    assert.sameMembers(known, [...all, "GET /c", "POST /c"])
    assert.isAbove(operations.length, 5)
  })

  it("is read though one operation of it is bad [R-000-216]", () => {
    const bad: ReadonlyArray<Json> = [null, 7, [], { parameters: {} }, { parameters: [{ name: 1, in: "query" }] }, { requestBody: "x" }, { parameters: [{ $ref: 7 }] }]
    for (const get of bad) {
      const { operations, skipped } = OpenApi.readOperations(document({ "/a": { get }, "/b": { get: { operationId: "good" } }, "/c": null }))
      assert.deepEqual(operations.map(({ definition }) => definition.name), ["good"], JSON.stringify(get))
      assert.deepEqual(skipped.map(({ method, path }) => [method, path]), [["GET", "/a"], ["*", "/c"]])
    }
  })
})

describe("the input of a tool", () => {
  it("has a property for each parameter, named in the characters agents accept [R-000-194]", () => {
    const names = ["plain", "filter[name]", "a.b:c", "été", "X-Trace-Id", "$top", "with space"]
    const { definition: { inputSchema }, request } = readGet({ parameters: names.map((name) => parameter("query", name, { description: name })) })
    const properties = ["plain", "filter_name_", "a_b_c", "_t_", "X-Trace-Id", "_top", "with_space"]
    assert.deepEqual(Object.keys(inputSchema["properties"] as JsonObject), properties)
    assert.deepEqual(request.parameters.map(({ name, property }) => [property, name]), properties.map((property, at) => [property, names[at]]))
    assert.deepEqual((inputSchema["properties"] as Record<string, JsonObject>)["filter_name_"], { type: "string", description: "filter[name]" })
  })

  it("has the place before a name that two parameters would share, or leaves the operation out [R-000-195]", () => {
    const operation = { parameters: [parameter("path", "id"), parameter("query", "id"), parameter("header", "x.id"), parameter("query", "x_id")] }
    const { definition, request } = readGet(operation, "/a/{id}")
    assert.deepEqual(request.parameters.map(({ property }) => property), ["path_id", "query_id", "header_x_id", "query_x_id"])
    assert.deepEqual(Object.keys(definition.inputSchema["properties"] as JsonObject), ["path_id", "query_id", "header_x_id", "query_x_id"])

    const { skipped } = OpenApi.readOperations(document({ "/a": { get: { parameters: [parameter("query", "a.b"), parameter("query", "a_b")] } } }))
    assert.deepEqual(skipped.map(({ code }) => code), ["property"])
    for (const name of ["\"a.b\"", "\"a_b\""]) assert.include(skipped[0]!.reason, name)
  })

  it("has the place before a parameter called body [R-000-196]", () => {
    const { operations } = OpenApi.readOperations(document({ "/a": { post: { parameters: [parameter("query", "body")], ...json({ type: "integer" }) } } }))
    assert.deepEqual(operations[0]!.definition.inputSchema["properties"], { query_body: { type: "string" }, body: { type: "integer" } })
    assert.deepEqual(operations[0]!.request.parameters, [{ property: "query_body", in: "query", name: "body" }])
    assert.deepEqual(readGet({ parameters: [parameter("header", "body")] }).request.parameters[0]!.property, "header_body")
  })

  it("has a JSON request body as the property body [R-000-197]", () => {
    for (const [type, mediaType] of [["application/json", undefined], ["application/json; charset=utf-8", undefined], ["application/merge-patch+json", "application/merge-patch+json"]] as const) {
      const { operations } = OpenApi.readOperations(document({ "/a": { post: { requestBody: { content: { [type]: { schema: { type: "object" } } } } } } }))
      const { definition, request } = operations[0]!
      assert.deepEqual(definition.inputSchema["properties"], { body: { type: "object" } })
      assert.deepEqual([request.body, request.mediaType], ["body", mediaType])
    }
    assert.isUndefined(readGet({}).request.body)
  })

  it("requires what the document requires and nothing else, and is closed [R-000-198]", () => {
    const parameters = [parameter("path", "id", { required: true }), parameter("query", "q", { required: true }), parameter("query", "o", { required: false }), parameter("header", "x-o")]
    const { operations } = OpenApi.readOperations(document({
      "/a/{id}": { parameters, post: { operationId: "a", ...json({}, { required: true }) }, put: { operationId: "b", ...json({}) } }
    }))
    assert.deepEqual(Object.fromEntries(operations.map(({ definition }) => [definition.name, definition.inputSchema["required"]])), { a: ["id", "q", "body"], b: ["id", "q"] })
    for (const { definition } of operations) assert.deepEqual([definition.inputSchema["type"], definition.inputSchema["additionalProperties"]], ["object", false])
  })

  it("has the parameters of the path, which an operation's own replace by name and place [R-000-199]", () => {
    const { operations } = OpenApi.readOperations(document({
      "/a": {
        parameters: [parameter("query", "q", { description: "path's" }), parameter("header", "X-A", { description: "path's" })],
        get: { operationId: "own", parameters: [parameter("query", "q", { description: "own", required: true }), parameter("header", "x-a", { description: "own" })] },
        post: { operationId: "path", parameters: [parameter("header", "q", { description: "own" })] }
      }
    }))
    const descriptions = operations.map(({ definition: { inputSchema, name } }) => [
      name,
      Object.entries(inputSchema["properties"] as Record<string, JsonObject>).map(([key, schema]) => `${key} ${schema["description"]}`),
      inputSchema["required"]
    ])
    assert.deepEqual(descriptions, [
      ["own", ["q own", "x-a own"], ["q"]],
      ["path", ["query_q path's", "X-A path's", "header_q own"], []]
    ])
  })

  it("stands alone, with the schemas it refers to under $defs and no others [R-000-200]", () => {
    const schemas = {
      A: { type: "object", properties: { b: { $ref: "#/components/schemas/B" }, "$ref": { type: "string" } } },
      B: { type: "array", items: { $ref: "#/components/schemas/C%3CT%3E" } },
      "C<T>": { type: "string" },
      Unused: { $ref: "#/components/schemas/A" }
    }
    const { operations } = OpenApi.readOperations(document({
      "/a": { post: json({ $ref: "#/components/schemas/A" }) },
      "/b": { get: { parameters: [parameter("query", "q", { schema: { $ref: "#/components/schemas/B" } })] } },
      "/c": { get: {} }
    }, { components: { schemas } }))
    const defs = {
      A: { type: "object", properties: { b: { $ref: "#/$defs/B" }, "$ref": { type: "string" } } },
      B: { type: "array", items: { $ref: "#/$defs/C%3CT%3E" } },
      "C<T>": { type: "string" }
    }
    const root = { type: "object", required: [], additionalProperties: false }
    assert.deepEqual(operations.map(({ definition }) => definition.inputSchema), [
      { ...root, properties: { body: { $ref: "#/$defs/A" } }, $defs: defs },
      { ...root, properties: { q: { $ref: "#/$defs/B" } }, $defs: { B: defs.B, "C<T>": defs["C<T>"] } },
      { ...root, properties: {} }
    ])
  })

  it("keeps cyclic schemas by reference and ends [R-000-201]", () => {
    const schemas = {
      Tree: { type: "object", properties: { kids: { type: "array", items: { $ref: "#/components/schemas/Tree" } }, leaf: { $ref: "#/components/schemas/Leaf" } } },
      Leaf: { anyOf: [{ $ref: "#/components/schemas/Tree" }, { type: "null" }] },
      Self: { $ref: "#/components/schemas/Self" }
    }
    const { operations } = OpenApi.readOperations(document({
      "/a": { post: json({ $ref: "#/components/schemas/Leaf" }) },
      "/b": { post: json({ $ref: "#/components/schemas/Self" }) }
    }, { components: { schemas } }))
    assert.deepEqual(operations.map(({ definition }) => definition.inputSchema["$defs"]), [
      {
        Leaf: { anyOf: [{ $ref: "#/$defs/Tree" }, { type: "null" }] },
        Tree: { type: "object", properties: { kids: { type: "array", items: { $ref: "#/$defs/Tree" } }, leaf: { $ref: "#/$defs/Leaf" } } }
      },
      { Self: { $ref: "#/$defs/Self" } }
    ])
  })
})

describe("a schema of OpenAPI 3.0", () => {
  const both = { Cat: { type: "object" } }

  it("that is nullable accepts null, and is left as it is in 3.1 [R-000-202]", () => {
    const cases: ReadonlyArray<readonly [JsonObject, Json]> = [
      [{ type: "string", nullable: true }, { type: ["string", "null"] }],
      [{ type: "string", nullable: false }, { type: "string" }],
      [{ type: "string", enum: ["a"], nullable: true }, { type: ["string", "null"], enum: ["a", null] }],
      [{ $ref: "#/components/schemas/Cat", nullable: true }, { anyOf: [{ $ref: "#/$defs/Cat" }, { type: "null" }] }],
      [{ oneOf: [{ type: "string" }], nullable: true }, { anyOf: [{ oneOf: [{ type: "string" }] }, { type: "null" }] }],
      [{ type: "object", properties: { nullable: { type: "string", nullable: true } } }, { type: "object", properties: { nullable: { type: ["string", "null"] } } }]
    ]
    for (const [given, expected] of cases) {
      assert.deepEqual(bodyOf("3.0.3", given, both), expected, JSON.stringify(given))
      assert.deepEqual((bodyOf("3.1.0", given, both) as JsonObject)["nullable"], given["nullable"])
    }
  })

  it.effect("that is nullable has null reach the API through the toolkit [R-000-202]", () =>
    Effect.gen(function*() {
      for (const [openapi, failures] of [["3.0.3", [false, false]], ["3.1.0", [true, false]]] as const) {
        const schema = { type: "object", properties: { due: { type: "string", nullable: true } } }
        const { operations } = OpenApi.readOperations(document({ "/a": { post: { operationId: "a", ...json(schema) } } }, {}, openapi))
        const source = Http.make({ name: "api", baseUrl: "https://api.example.com", client: scripted().client, operations })
        const toolkit = yield* ToolSource.toolkit(source, yield* source.discover)
        const results = yield* Effect.forEach([null, "now"], (due) => Stream.runCollect(Stream.unwrap(toolkit.handle("a", { body: { due } } as never))))
        assert.deepEqual(results.map(([result]) => result!.isFailure), [...failures])
      }
    }))

  it("has its other forms as 3.1 has them [R-000-203]", () => {
    const cases: ReadonlyArray<readonly [JsonObject, Json]> = [
      [{ type: "integer", minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true }, { type: "integer", exclusiveMinimum: 1, exclusiveMaximum: 9 }],
      [{ minimum: 1, exclusiveMinimum: false }, { minimum: 1 }],
      [{ type: "string", example: "a" }, { type: "string", examples: ["a"] }],
      [{ $ref: "#/components/schemas/Cat", description: "dropped" }, { $ref: "#/$defs/Cat" }],
      [{ allOf: [{ $ref: "#/components/schemas/Cat" }], nullable: true }, { anyOf: [{ $ref: "#/$defs/Cat" }, { type: "null" }] }]
    ]
    for (const [given, expected] of cases) assert.deepEqual(bodyOf("3.0.3", given, both), expected, JSON.stringify(given))
    const siblings = { $ref: "#/components/schemas/Cat", description: "kept" }
    assert.deepEqual(bodyOf("3.1.0", siblings, both), { $ref: "#/$defs/Cat", description: "kept" })
  })
})

describe("the hints of a tool", () => {
  const { operations } = OpenApi.readOperations(document({
    "/a": { get: {}, put: {}, post: {}, delete: {}, options: {}, head: {}, patch: {}, query: {} }
  }, {}, "3.2.0"))
  const hints = new Map<string, ToolDefinition.Annotations>(operations.map(({ definition, request }) => [request.method, definition.annotations]))
  const having = (hint: keyof ToolDefinition.Annotations, value: boolean) => [...hints].filter(([, hints]) => hints[hint] === value).map(([method]) => method)

  it("say that GET, HEAD, OPTIONS and QUERY only read [R-000-204]", () => {
    assert.sameMembers(having("readOnly", true), ["GET", "HEAD", "OPTIONS", "QUERY"])
    assert.deepEqual(having("readOnly", false), [])
  })

  it("say that POST and PATCH are not idempotent [R-000-205]", () => {
    assert.sameMembers(having("idempotent", false), ["POST", "PATCH"])
  })

  it("say that DELETE destroys [R-000-206]", () => {
    assert.deepEqual(having("destructive", true), ["DELETE"])
    assert.deepEqual(having("destructive", false), [])
  })

  it("say that the other methods are idempotent, and nothing else [R-000-207]", () => {
    assert.sameMembers(having("idempotent", true), ["GET", "HEAD", "OPTIONS", "QUERY", "PUT", "DELETE"])
    for (const annotations of hints.values()) {
      assert.deepEqual(Object.keys(annotations).filter((hint) => !["readOnly", "destructive", "idempotent"].includes(hint)), [])
    }
  })
})

describe("an operation is left out with its place and reason for", () => {
  const list: JsonObject = { type: "array", items: { type: "string" } }

  it("a body that is not JSON [R-000-208]", () => {
    const contents: ReadonlyArray<JsonObject> = [{ "multipart/form-data": {} }, { "application/x-www-form-urlencoded": {} }, { "text/plain": {}, "application/xml": {} }]
    for (const content of contents) {
      const { skipped } = OpenApi.readOperations(document({ "/a": { post: { requestBody: { content } } } }))
      assert.deepEqual(skipped.map(({ code, method }) => [code, method]), [["body", "POST"]])
      for (const type of Object.keys(content)) assert.include(skipped[0]!.reason, type)
    }
    assert.deepEqual(codesOf([json({}, { required: true })]), ["body"])
    assert.deepEqual(codesOf([json({})]), [])
  })

  it("a parameter in a style other than the default [R-000-209]", () => {
    const refused = [
      parameter("query", "q", { style: "deepObject" }),
      parameter("query", "q", { style: "pipeDelimited", schema: list }),
      parameter("query", "q", { style: "spaceDelimited", schema: list }),
      parameter("query", "q", { explode: false, schema: list }),
      parameter("query", "q", { allowReserved: true }),
      parameter("query", "q", { content: { "application/json": { schema: {} } } }),
      parameter("header", "q", { style: "form" })
    ]
    all(codesOf(refused.map((one) => ({ parameters: [one] }))), "style", refused.length)
    all(codesOf(["label", "matrix"].map((style) => ({ parameters: [parameter("path", "id", { style })] })), "/a/{id}"), "style", 2)
    const read = [
      parameter("query", "q", { style: "form", explode: true, schema: list }),
      parameter("query", "q", { explode: false }),
      parameter("header", "q", { style: "simple", explode: false, schema: list })
    ]
    assert.deepEqual(codesOf(read.map((one) => ({ parameters: [one] }))), [])
  })

  it("a parameter that is an object, and a list in the path [R-000-210]", () => {
    const components = { schemas: { Cat: { type: "object" } } }
    const schemas: ReadonlyArray<Json> = [{ type: "object" }, { properties: { a: {} } }, { $ref: "#/components/schemas/Cat" }]
    all(codesOf(schemas.map((schema) => ({ parameters: [parameter("query", "q", { schema })] })), "/a", { components }), "object", 3)
    assert.deepEqual(codesOf([{ parameters: [parameter("path", "id", { schema: list })] }], "/a/{id}"), ["list"])
  })

  it("a cookie that it needs, and not for one that it may leave out [R-000-211]", () => {
    assert.deepEqual(codesOf([{ parameters: [parameter("cookie", "c", { required: true })] }]), ["cookie"])
    const { definition, request } = readGet({ parameters: [parameter("cookie", "c"), parameter("query", "q")] })
    assert.deepEqual(request.parameters.map(({ property }) => property), ["q"])
    assert.deepEqual(Object.keys(definition.inputSchema["properties"] as JsonObject), ["q"])
  })

  it("a path whose placeholders and path parameters differ, either way [R-000-212]", () => {
    assert.deepEqual(codesOf([{}, { parameters: [parameter("path", "ID")] }, { parameters: [parameter("query", "id")] }], "/a/{id}"), ["path", "path", "path"])
    assert.deepEqual(codesOf([{ parameters: [parameter("path", "id")] }]), ["path"])
    assert.deepEqual(codesOf([{}], "/a/{id"), ["path"])
    assert.deepEqual(codesOf([{}], "/a/../b"), ["path"])
  })

  it("a reference that is remote, dangling, a loop, or to a wrong kind of thing [R-000-213]", () => {
    const components = {
      schemas: { Outer: { items: { $ref: "#/components/schemas/Gone" } }, Fine: {} },
      parameters: { P: parameter("query", "p"), L1: { $ref: "#/components/parameters/L2" }, L2: { $ref: "#/components/parameters/L1" } }
    }
    const schemas = ["other.yaml#/A", "https://example.com/a", "#/components/schemas/Gone", "#/components/parameters/P", "#/components/schemas/Outer", "#anchor", "#/info/title"]
    const operations: ReadonlyArray<JsonObject> = [
      ...schemas.map(($ref) => ({ parameters: [parameter("query", "q", { schema: { type: "string", allOf: [{ $ref }] } })] })),
      ...["other.yaml#/P", "#/components/parameters/Gone", "#/components/parameters/L1"].map(($ref) => ({ parameters: [{ $ref }] }))
    ]
    all(codesOf(operations, "/a", { components }), "reference", operations.length)
    assert.deepEqual(codesOf([{ parameters: [{ $ref: "#/components/parameters/P" }] }], "/a", { components }), [])
  })

  it("a name that another operation has [R-000-214]", () => {
    const { operations, skipped } = OpenApi.readOperations(document({
      "/a": { get: { operationId: "list things" } },
      "/b": { get: { operationId: "list_things" }, post: { operationId: "list.things" } }
    }))
    assert.deepEqual(operations.map(({ definition, request }) => [definition.name, request.path]), [["list_things", "/a"]])
    assert.deepEqual(skipped.map(({ code, method, path }) => [code, method, path]), [["name", "GET", "/b"], ["name", "POST", "/b"]])
    for (const { reason } of skipped) assert.include(reason, "list_things")
  })
})

describe("an operation with security", () => {
  it.effect("has no property and no parameter for a security scheme or a header of the client [R-000-219]", () =>
    Effect.gen(function*() {
      const securitySchemes = {
        bearer: { type: "http", scheme: "bearer" },
        key: { type: "apiKey", in: "header", name: "X-Api-Key" },
        query: { type: "apiKey", in: "query", name: "api_key" }
      }
      const security = [{ bearer: [] }, { key: [], query: [] }]
      const given = document({
        "/a": { get: { operationId: "a", security, parameters: ["Authorization", "accept", "Content-Type"].map((name) => parameter("header", name, { required: true })) } }
      }, { security, components: { securitySchemes } })
      const { operations } = OpenApi.readOperations(given)
      assert.deepEqual(operations[0]!.request.parameters, [])
      assert.deepEqual(operations[0]!.definition.inputSchema, { type: "object", properties: {}, required: [], additionalProperties: false })
      const { client, sent } = scripted()
      yield* Http.make({ name: "api", baseUrl: "https://api.example.com", client: HttpClient.filterStatusOk(client), operations }).call("a", {})
      assert.deepEqual(sent.map(({ headers, url }) => [headers, url]), [[{}, "https://api.example.com/a"]])
    }))
})
