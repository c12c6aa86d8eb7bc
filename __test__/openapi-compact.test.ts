/** Operations in the form to store. */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as fc from "fast-check"
import { examples } from "../bench/lib/documents.ts"
import { schemasMade } from "../ts/internal/catalog.ts"
import { Http, OpenApi } from "../ts/index.ts"
import { scripted } from "./support/http.ts"
import { documents } from "./support/openapi-documents.ts"

type JsonObject = Schema.JsonObject

const codec = Schema.toCodecJson(OpenApi.CompactOperations)

const data = fileURLToPath(new URL("../examples/data/", import.meta.url))
const readme = fileURLToPath(new URL("../node_modules/@readme/oas-examples", import.meta.url))

const read = (document: unknown) => OpenApi.readOperations(document, { reading: "extended" })
const box = JSON.parse(readFileSync(`${data}box/openapi.json`, "utf8")) as unknown
const github = JSON.parse(gunzipSync(readFileSync(`${data}github/openapi.json.gz`)).toString()) as unknown

const textOf = (operations: OpenApi.Operations) => JSON.stringify({ ...operations })

const stored = (operations: OpenApi.Operations): unknown => JSON.parse(JSON.stringify(OpenApi.toCompact(operations)))

/** Stores, has the schema look it through, and loads: what comes back is what there was, in the same order too. */
const holds = (operations: OpenApi.Operations): Effect.Effect<unknown> =>
  Effect.gen(function*() {
    const compact = stored(operations)
    const back = yield* OpenApi.fromCompact(yield* Schema.decodeUnknownEffect(codec)(compact))
    assert.deepEqual({ ...back }, structuredClone({ ...operations }))
    assert.strictEqual(textOf(back), textOf(operations))
    // The same of what was loaded, and of what was loaded and read.
    assert.strictEqual(JSON.stringify(stored(yield* OpenApi.fromCompact(compact))), JSON.stringify(compact))
    assert.strictEqual(textOf(yield* OpenApi.fromCompact(stored(back))), textOf(operations))
    return compact
  }).pipe(Effect.orDie)

const operation = (name: string, inputSchema: JsonObject): Http.Operation => ({
  definition: { name, description: "", inputSchema, annotations: { title: "t", openWorld: false } },
  request: { method: "POST", path: "/a", parameters: [], body: "body" }
})

/** A schema with its `$defs`, if it has any, before or behind its other members. */
const inOrder = ([more, $defs, isFirst]: readonly [object, unknown, boolean]): JsonObject => {
  const defs = $defs === null ? {} : { $defs }
  const schema = isFirst ? { ...defs, type: "object", ...more } : { ...more, type: "object", ...defs }
  // As JSON has it: a negative zero is none.
  return JSON.parse(JSON.stringify(schema)) as JsonObject
}

const by = (...operations: ReadonlyArray<Http.Operation>): OpenApi.Operations => ({ operations, skipped: [], servers: [] })

describe("operations in the form to store", () => {
  it.effect("load back to what they were: the documents of Box and GitHub, and are shorter", () =>
    Effect.gen(function*() {
      for (const document of [box, github]) {
        const operations = read(document)
        const compact = yield* holds(operations)
        assert.isBelow(JSON.stringify(compact).length, textOf(operations).length)
      }
    }))

  it.effect("are a fraction of it where many tools share what is large", () =>
    Effect.gen(function*() {
      const names = Array.from({ length: 200 }, (_, at) => `Thing${at}`)
      const schema = (at: number) => ({ type: "object", properties: Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`property${at}`, { type: "string" }])), allOf: [{ $ref: `#/components/schemas/${names[(at + 1) % names.length]}` }] })
      const document = {
        openapi: "3.1.0",
        paths: Object.fromEntries(names.map((name) => [`/${name}`, { post: { requestBody: { content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } } } } }])),
        components: { schemas: Object.fromEntries(names.map((name, at) => [name, schema(at)])) }
      }
      const operations = read(document)
      const compact = yield* holds(operations)
      assert.isBelow(JSON.stringify(compact).length, textOf(operations).length / 40)
    }))

  it.effect.skipIf(!existsSync(readme))("load back to what they were: the documents of @readme/oas-examples", () =>
    Effect.forEach(examples(readme), ({ path }) =>
      Effect.matchEffect(read(JSON.parse(readFileSync(path, "utf8"))), { onFailure: () => Effect.void, onSuccess: holds })))

  it.effect("load back to what they were, whatever document they are of", () =>
    Effect.promise(() =>
      fc.assert(fc.asyncProperty(documents, async (document) => {
        await Effect.runPromise(Effect.matchEffect(read(document), { onFailure: () => Effect.void, onSuccess: holds }))
      }), { numRuns: 200 })
    ))

  it.effect("load back to what they were, whatever they are", () => {
    const schema = fc.tuple(
      fc.dictionary(fc.constantFrom("a", "__proto__", "7", "$ref"), fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true }),
      fc.option(fc.oneof(
        { weight: 4, arbitrary: fc.dictionary(fc.constantFrom("A", "B", "__proto__", "7", ""), fc.oneof(fc.constantFrom({ type: "string" }, { type: "null" }, true), fc.jsonValue({ maxDepth: 1 })), { noNullPrototype: true }) },
        { weight: 1, arbitrary: fc.constantFrom(null, 7, "A", [], [0], true) }
      )),
      fc.boolean()
    ).map(inOrder)
    return Effect.promise(() =>
      fc.assert(fc.asyncProperty(fc.array(schema, { maxLength: 5 }), async (schemas) => {
        await Effect.runPromise(holds(by(...schemas.map((schema, at) => operation(`tool${at}`, schema)))))
      }), { numRuns: 300 })
    )
  })

  it.effect("have each shared schema once, also of operations that came back some other way", () =>
    Effect.gen(function*() {
      const operations = read(box)
      const count = (stored(operations) as OpenApi.CompactOperations).schemas.length
      assert.isAbove(count, 10)
      const copied = structuredClone({ ...operations })
      const decoded = yield* Schema.decodeUnknownEffect(Schema.toCodecJson(OpenApi.Operations))(JSON.parse(textOf(operations)))
      const loaded = yield* OpenApi.fromCompact(stored(operations))
      for (const other of [copied, decoded, loaded]) {
        assert.deepEqual(stored(other), stored(operations))
        const both = { ...operations, operations: [...operations.operations, ...other.operations] }
        assert.strictEqual((stored(both) as OpenApi.CompactOperations).schemas.length, count)
      }
    }))

  it.effect("keep apart what has one name in two documents, and take schemas of any order of members for what they are", () =>
    Effect.gen(function*() {
      const pet = { type: "object", properties: { a: { type: "string" } } }
      const schemas = [pet, { type: "object" }, { properties: { a: { type: "string" } }, type: "object" }, pet]
      const compact = (yield* holds(by(...schemas.map((schema, at) => operation(`t${at}`, { type: "object", $defs: { Pet: schema, Same: true } }))))) as OpenApi.CompactOperations
      assert.deepEqual(compact.schemas.map(({ name }) => name), ["Pet", "Same", "Pet", "Pet"])
      assert.deepEqual(compact.operations.map(({ shared }) => shared), [[0, 1], [2, 1], [3, 1], [0, 1]])
    }))

  it.effect("are stored and loaded without a schema being made", () =>
    Effect.gen(function*() {
      const before = schemasMade()
      const operations = read(box)
      const compact = stored(operations)
      const loaded = yield* OpenApi.fromCompact(compact)
      assert.deepEqual(stored(loaded), compact)
      assert.strictEqual(schemasMade(), before)
      const { definition } = loaded.operations[3]!
      assert.strictEqual(definition.inputSchema, definition.inputSchema)
      assert.strictEqual(schemasMade(), before + 1)
    }))

  it.effect("hold what a host has made of a definition", () =>
    Effect.gen(function*() {
      const { operations, servers, skipped } = read(box)
      const [first, second, third] = operations as [Http.Operation, Http.Operation, Http.Operation]
      const changed: Http.Operation = { ...second, definition: { ...second.definition, name: "renamed", inputSchema: { type: "object", title: "changed" } } }
      ;(third.definition as { inputSchema: JsonObject }).inputSchema = { type: "object", title: "set" }
      ;(first.definition.inputSchema["properties"] as Record<string, unknown>)["more"] = { type: "null" }
      const loaded = yield* OpenApi.fromCompact(stored({ operations: [first, changed, third], servers, skipped }))
      assert.property(loaded.operations[0]!.definition.inputSchema["properties"], "more")
      assert.deepEqual(loaded.operations.slice(1).map(({ definition: { inputSchema, name } }) => [name, inputSchema["title"]]), [["renamed", "changed"], [third.definition.name, "set"]])
    }))

  it.effect("are sent as the operations that they were", () =>
    Effect.gen(function*() {
      const operations = read(box)
      const [one, other] = [scripted(), scripted()]
      for (const [{ client }, { operations: given }] of [[one, operations], [other, yield* OpenApi.fromCompact(stored(operations))]] as const) {
        const source = Http.make({ name: "box", baseUrl: "https://api.example.com", client, operations: given })
        yield* source.call("get_files_id_tasks", { file_id: 1 })
      }
      assert.strictEqual(one.sent.length, 1)
      assert.deepEqual(other.sent, one.sent)
    }))
})

const refused = (value: unknown) =>
  Effect.map(Effect.flip(OpenApi.fromCompact(value)), (error) => {
    assert.instanceOf(error, OpenApi.InvalidCompact)
    assert.strictEqual(error.message, error.description)
    return error.description
  })

describe("a stored form that is none", () => {
  const inputSchema = { type: "object", $defs: {} }
  const definition = { name: "a", description: "", inputSchema, annotations: {} }
  const request = { method: "GET", path: "/", parameters: [] }
  const good = {
    version: 1,
    schemas: [{ name: "A", schema: {} }, { name: "B", schema: true }, { name: "A", schema: { type: "null" } }],
    operations: [{ definition, request, shared: [0, 1] }, { definition, request }],
    skipped: [{ method: "GET", path: "/", code: "body", reason: "r" }],
    servers: ["/"]
  }
  it.effect("is InvalidCompact, which names the place", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* OpenApi.fromCompact(good)).operations.length, 2)
      const one = (more: object) => ({ ...good, operations: [good.operations[1], { ...good.operations[0], ...more }] })
      const number = "has to be the number of one of the 3 schemas, which count from 0, and is"
      const cases: ReadonlyArray<readonly [unknown, string]> = [
        [null, "the stored form has to be an object, and is null"],
        ["{}", "the stored form has to be an object, and is \"{}\""],
        [{ ...good, version: 2 }, "version has to be 1, and is 2"],
        [{ operations: [], skipped: [], servers: [] }, "version has to be 1, and is missing"],
        [{ ...good, schemas: {} }, "schemas has to be a list, and is a value of the type object"],
        [{ ...good, schemas: [null] }, "schemas[0] has to be an object, and is null"],
        [{ ...good, schemas: [{ name: 7, schema: {} }] }, "schemas[0].name has to be a string, and is 7"],
        [{ ...good, schemas: [{ name: "A" }] }, "schemas[0].schema has to be a schema, and is missing"],
        [{ ...good, operations: undefined }, "operations has to be a list, and is missing"],
        [one({ shared: [3] }), `operations[1].shared[0] ${number} 3`],
        [one({ shared: [0, -1] }), `operations[1].shared[1] ${number} -1`],
        [one({ shared: [0.5] }), `operations[1].shared[0] ${number} 0.5`],
        [one({ shared: ["0"] }), `operations[1].shared[0] ${number} "0"`],
        [one({ shared: [null] }), `operations[1].shared[0] ${number} null`],
        [one({ shared: 0 }), "operations[1].shared has to be a list, and is 0"],
        [one({ shared: [1, 1] }), "operations[1].shared[1] is a second schema of the name \"B\""],
        [one({ shared: [0, 2] }), "operations[1].shared[1] is a second schema of the name \"A\""],
        [one({ definition: undefined }), "operations[1].definition has to be an object, and is missing"],
        [one({ request: [] }), "operations[1].request has to be an object, and is a list"],
        [one({ definition: { ...definition, inputSchema: { type: "array" } } }), "operations[1].definition.inputSchema has to be a JSON Schema with an object root, and is a value of the type object"],
        [one({ definition: { ...definition, name: true } }), "operations[1].definition.name has to be a string, and is true"],
        [one({ definition: { ...definition, description: null } }), "operations[1].definition.description has to be a string, and is null"],
        [one({ definition: { ...definition, annotations: "" } }), "operations[1].definition.annotations has to be an object, and is \"\""],
        [{ ...good, skipped: [{ ...good.skipped[0], code: 7 }] }, "skipped[0].code has to be a string, and is 7"],
        [{ ...good, servers: [null] }, "servers[0] has to be a string, and is null"]
      ]
      for (const [value, description] of cases) {
        assert.strictEqual(yield* refused(value), description)
        assert.isTrue((yield* Effect.exit(Schema.decodeUnknownEffect(codec)(value)))._tag === "Failure" || /number of one|second schema/.test(description), description)
      }
    }))

  it.effect("is InvalidCompact or loads, wherever one of its values is another", () => {
    const places: Array<(value: unknown) => unknown> = []
    const visit = (value: unknown, put: (value: unknown) => unknown): void => {
      places.push(put)
      if (typeof value !== "object" || value === null) return
      for (const key of Object.keys(value)) {
        visit((value as Record<string, unknown>)[key], (inner) => put(Array.isArray(value) ? value.map((item, at) => String(at) === key ? inner : item as unknown) : { ...value, [key]: inner }))
      }
    }
    visit(good, (value) => value)
    assert.isAbove(places.length, 30)
    return Effect.promise(() =>
      fc.assert(fc.asyncProperty(fc.nat({ max: places.length - 1 }), fc.oneof(fc.jsonValue(), fc.constantFrom(undefined, [0], [1e9], [-0], NaN)), async (at, value) => {
        const outcome = await Effect.runPromise(OpenApi.fromCompact(places[at]!(value)).pipe(
          Effect.match({ onFailure: (error) => error, onSuccess: (operations) => textOf(operations) })
        ))
        if (typeof outcome !== "string") assert.instanceOf(outcome, OpenApi.InvalidCompact)
      }), { numRuns: 500 })
    )
  })

  it.effect("has names such as __proto__ as data, and changes no prototype", () =>
    Effect.gen(function*() {
      const before = Reflect.ownKeys(Object.prototype)
      const text = "{\"version\":1,\"schemas\":[{\"name\":\"__proto__\",\"schema\":{\"__proto__\":{\"polluted\":true}}}],\"operations\":[{\"definition\":{\"name\":\"__proto__\",\"description\":\"\",\"inputSchema\":{\"type\":\"object\",\"__proto__\":{\"polluted\":true},\"$defs\":{}},\"annotations\":{}},\"request\":{\"method\":\"GET\",\"path\":\"/\",\"parameters\":[]},\"shared\":[0]}],\"skipped\":[],\"servers\":[]}"
      const loaded = yield* OpenApi.fromCompact(JSON.parse(text))
      assert.strictEqual(
        JSON.stringify(loaded.operations[0]!.definition.inputSchema),
        "{\"type\":\"object\",\"__proto__\":{\"polluted\":true},\"$defs\":{\"__proto__\":{\"__proto__\":{\"polluted\":true}}}}"
      )
      assert.strictEqual(JSON.stringify(OpenApi.toCompact(loaded)), text)
      assert.deepEqual(Reflect.ownKeys(Object.prototype), before)
      assert.isUndefined(({} as Record<string, unknown>)["polluted"])
    }))
})
