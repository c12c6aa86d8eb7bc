import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import type { Json } from "../bench/lib/compare.ts"
import { box, examples } from "../bench/lib/documents.ts"
import { operationsOf, parametersOf } from "../bench/lib/operations.ts"
import { danglingOf, lookup, reached } from "../bench/lib/schemas.ts"
import { check } from "../bench/peers/checks.ts"
import { compareRows, rowOf } from "../bench/sweep/golden.ts"
import { type RuleId, rules, trusting } from "../bench/sweep/trusted.ts"
import { OpenApi } from "../ts/index.ts"

const folder = fileURLToPath(new URL("../node_modules/@readme/oas-examples", import.meta.url))
const documents = [box, ...existsSync(folder) ? examples(folder) : []]

const read = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Json
const placesOf = (document: Json) => operationsOf(document).map(({ method, path }) => `${method} ${path}`)
const info = { title: "T", version: "1" }

/** The input of an operation whose body has the schema. */
const inputOf = (version: string, schema: Json, applied: ReadonlyArray<RuleId> = [], schemas: Json = {}) => {
  const document: Json = {
    openapi: version,
    info,
    components: { schemas },
    paths: { "/a": { post: { requestBody: { required: true, content: { "application/json; charset=utf-8": { schema } } } } } }
  }
  const { faults, schema: input } = trusting(document, new Set(applied))(operationsOf(document)[0]!, { parameters: [], body: "body" })
  assert.deepEqual(faults, [])
  return { body: (input["properties"] as any).body as Json, defs: input["$defs"] }
}

const put = (schema: any) => schema.properties.body
const pet = (schema: any) => schema.$defs.Pet

describe("the operations of a document, by the specification", () => {
  it("R-000-215 are each a tool or left out, once, in both readings", () => {
    assert.isAbove(documents.length, 60)
    let count = 0
    for (const { name, path } of documents) {
      const document = read(path)
      const places = placesOf(document).toSorted()
      count += places.length
      for (const reading of ["documented", "extended"] as const) {
        const { operations, skipped } = OpenApi.readOperations(document, { reading })
        const accounted = [...operations.map(({ request }) => `${request.method} ${request.path}`), ...skipped.map(({ method, path }) => `${method} ${path}`)]
        assert.deepEqual(accounted.toSorted(), places, `${name}, ${reading}`)
      }
    }
    assert.isAbove(count, 500)
  })

  it("are found behind references, in any method, and not among extensions", () => {
    const paths = {
      "/a": { get: {}, trace: {}, query: {}, parameters: [], "x-get": {} },
      "/b": { $ref: "#/components/pathItems/b", put: {} },
      "/c": { $ref: "#/nowhere" },
      "/d": { $ref: "#/paths/~1d" },
      "/e": "a text",
      "x-f": { get: {} }
    }
    const components = { pathItems: { b: { get: {}, put: {} } } }
    const common = ["GET /a", "TRACE /a", "GET /b", "PUT /b", "* /c", "* /d", "* /e"]
    assert.sameMembers(placesOf({ openapi: "3.1.0", info, paths, components }), common)
    assert.sameMembers(placesOf({ openapi: "3.2.0", info, paths: { ...paths, "/g": { additionalOperations: { COPY: {} } } }, components }), [...common, "QUERY /a", "COPY /g"])
    assert.deepEqual(placesOf({ openapi: "3.1.0", info, webhooks: {} }), [])
  })

  it("have the parameters of their path item but for those that they have themselves", () => {
    const document: Json = {
      openapi: "3.0.0",
      info,
      components: { parameters: { q: { name: "q", in: "query", content: { "text/plain": {}, "application/json": { schema: { type: "object" } } } } } },
      paths: {
        "/{id}": {
          parameters: [{ name: "id", in: "path" }, { name: "X-A", in: "header", required: true, schema: { type: "string" } }],
          get: { parameters: [{ $ref: "#/components/parameters/q" }, { name: "x-a", in: "header", schema: { type: "integer" } }] }
        }
      }
    }
    assert.deepEqual([...parametersOf(document, operationsOf(document)[0]!).values()], [
      { name: "id", in: "path", required: true, schema: undefined },
      { name: "x-a", in: "header", required: false, schema: { type: "integer" } },
      { name: "q", in: "query", required: false, schema: { type: "object" } }
    ])
  })
})

describe("the input that a document describes", () => {
  it("is that of OpenAPI 3.0 by the letter, and by the rules that are decided", () => {
    const cases: ReadonlyArray<readonly [schema: Json, letter: Json, rule: RuleId, decided: Json]> = [
      [{ type: "string", nullable: true }, { type: ["string", "null"] }, "nullable", { anyOf: [{ type: "string" }, { type: "null" }] }],
      [{ enum: ["a"], nullable: true }, { enum: ["a"] }, "nullable", { anyOf: [{ enum: ["a"] }, { type: "null" }] }],
      [
        { properties: { a: { readOnly: true }, b: {} }, required: ["a", "b"] },
        { properties: { a: { readOnly: true }, b: {} }, required: ["b"] },
        "read-only",
        { properties: { a: { readOnly: true }, b: {} }, required: ["a", "b"] }
      ]
    ]
    for (const [schema, letter, rule, decided] of cases) {
      assert.deepEqual(inputOf("3.0.3", schema).body, letter)
      assert.deepEqual(inputOf("3.0.3", schema, [rule]).body, decided)
    }
    const bounds = { minimum: 1, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: false }
    assert.deepEqual(inputOf("3.0.3", { ...bounds, const: 1, example: 1 }).body, { exclusiveMinimum: 1, maximum: 2 })
    assert.deepEqual(inputOf("3.1.0", { minimum: 1, exclusiveMinimum: 0, nullable: true }, ["nullable"]).body, { minimum: 1, exclusiveMinimum: 0 })
  })

  it("stands alone, with each schema that it refers to", () => {
    const schemas = { A: { properties: { next: { $ref: "#/components/schemas/A" }, b: { $ref: "#/components/schemas/A/properties/c" }, c: { type: "null" } } } }
    const { body, defs } = inputOf("3.1.0", { $ref: "#/components/schemas/A", minProperties: 1 }, [], schemas)
    assert.deepEqual(body, { $ref: "#/$defs/0", minProperties: 1 })
    assert.deepEqual(defs, { 0: { properties: { next: { $ref: "#/$defs/0" }, b: { $ref: "#/$defs/1" }, c: { type: "null" } } }, 1: { type: "null" } })
    assert.deepEqual(danglingOf({ $defs: defs as Json, ...body as object }), [])
  })

  it("is at fault with a tool that lost a parameter, a body or a reference", () => {
    const document: Json = {
      openapi: "3.0.0",
      info,
      paths: {
        "/a": {
          post: {
            parameters: [{ name: "q", in: "query" }, { name: "Accept", in: "header" }, { name: "c", in: "cookie" }],
            requestBody: { required: true, content: { "application/json": { schema: { $ref: "#/nowhere" } } } }
          }
        }
      }
    }
    const faultsOf = (template: Parameters<ReturnType<typeof trusting>>[1]) => trusting(document, new Set())(operationsOf(document)[0]!, template).faults
    assert.deepEqual(faultsOf({ parameters: [{ property: "p", in: "path", name: "p" }] }), [
      "the document has no parameter \"p\" in the path",
      "the parameter \"q\" in the query is no property",
      "the body that the operation requires is no property"
    ])
    const q = { property: "q", in: "query", name: "q" }
    assert.deepEqual(faultsOf({ parameters: [q], body: "q" }), ["the property \"q\" has two meanings", "the reference #/nowhere leads to nothing in the document"])
    assert.deepEqual(faultsOf({ parameters: [q], body: "body", mediaType: "text/plain" }), ["the document has no body of the type text/plain"])
  })

  it("differs from the letter by decisions that are written down", () => {
    const decisions = readFileSync(new URL("../docs/decisions.md", import.meta.url), "utf8")
    for (const { by, id } of rules) {
      for (const number of by.match(/\d+/g)!) assert.isTrue(new RegExp(`^${number}\\. `, "m").test(decisions), `${id}: ${number}`)
    }
  })
})

describe("schemas", () => {
  it("are followed through references once, and pointers as RFC 6901 has them", () => {
    const root: Json = { a: { "b/c~d": [{ e: 1 }] }, properties: { $ref: { $ref: "#/$defs/x%20y" } }, $defs: { "x y": { not: { $ref: "#" } } } }
    assert.deepEqual(lookup(root, "#/a/b~1c~0d/0/e"), 1)
    for (const reference of ["#/a/b~1c~0d/00", "#/a/b~1c~0d/-", "#/a/toString", "other.json#/a", "#/%"]) assert.isUndefined(lookup(root, reference))
    assert.strictEqual(reached(root, (reference) => lookup(root, reference)).length, 4)
    assert.deepEqual(danglingOf(root), [])
    assert.deepEqual(danglingOf({ items: { $ref: "#/$defs/x" }, enum: [{ $ref: "#/no" }] }), ["\"#/$defs/x\""])
  })
})

describe("the list of the sweep", () => {
  const found = {
    document: "d",
    operations: 3,
    readings: { documented: { tools: 1, skipped: { style: 1, body: 1 }, ms: 5 }, extended: { tools: 3, skipped: {}, ms: 5 } },
    counts: { schemas: 2, accepted: 1, refused: 1 },
    differences: { nullable: 1 },
    misused: { "type: \"file\"": 2 },
    unjudged: {},
    faults: []
  }

  it("has a line of each document, and says what changed", () => {
    const row = rowOf(found)
    assert.deepEqual(row, ["d", "3", "1", "body=1 style=1", "3", "-", "nullable=1", "2"])
    assert.deepEqual(compareRows([row], [row]), [])
    assert.deepEqual(compareRows([rowOf({ ...found, readings: { ...found.readings, extended: { tools: 2, skipped: { body: 1 }, ms: 1 } } })], [row]), [
      "d: extended 3 → 2, skipped - → body=1"
    ])
    assert.deepEqual(compareRows([], [row]), ["d: is in golden.tsv and was not read"])
    assert.deepEqual(compareRows([row], []), ["d: is not in golden.tsv"])
    assert.deepEqual(compareRows([rowOf({ document: "d", refused: "no\nOpenAPI", faults: [] })], [["d", "refused", "no OpenAPI"]]), [])
  })
})

describe("the tools of a reader", () => {
  const document: Json = {
    openapi: "3.0.0",
    info,
    components: { schemas: { Pet: { type: "object", properties: { age: { type: "integer", nullable: true }, owner: { $ref: "#/components/schemas/Owner" } } }, Owner: { properties: { email: { type: "string" } } } } },
    paths: {
      "/pets/{id}": {
        put: {
          operationId: "putPet",
          parameters: [{ name: "id", in: "path", schema: { type: "string" } }, { name: "id", in: "query", schema: { type: "string" } }],
          requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } } }
        },
        get: { parameters: [{ name: "id", in: "path", schema: { type: "string" } }] }
      }
    }
  }
  const { operations } = OpenApi.readOperations(document)
  const tools = operations.map(({ definition: { inputSchema, name }, request: { method, path } }) => ({ name, inputSchema, method, path })) as any[]
  const faultless = { lost: 0, names: 0, references: 0, parameters: 0, properties: 0, nulls: 0, types: 0, unwritable: 0 }

  it("are found to be what the document says where they are ours", () => {
    const { bytes, longest, operations, ...counts } = check(document, { tools })
    assert.deepEqual(counts, faultless)
    assert.strictEqual(operations, 2)
    assert.strictEqual(bytes, tools.reduce((sum, { inputSchema, name }) => sum + JSON.stringify({ name, inputSchema }).length, 0))
    assert.isAbove(bytes, longest)
  })

  it("are found to have lost something or to have it wrong", () => {
    const changes: ReadonlyArray<readonly [keyof typeof faultless, (tool: any) => void]> = [
      ["names", (tool) => { tool.name = "a".repeat(65) }],
      ["names", (tool) => { tool.name = "get_pet.s" }],
      ["references", ({ inputSchema }) => { inputSchema.properties.more = { $ref: "#/components/schemas/Pet" } }],
      ["parameters", ({ inputSchema }) => { delete inputSchema.properties.query_id }],
      ["properties", ({ inputSchema }) => { delete pet(inputSchema).properties.owner }],
      ["properties", ({ inputSchema }) => { inputSchema.$defs.Owner = { type: "object" } }],
      ["nulls", ({ inputSchema }) => { pet(inputSchema).properties.age = { type: "integer" } }],
      ["types", ({ inputSchema }) => { pet(inputSchema).properties.age.type = ["number", "null"] }],
      ["unwritable", ({ inputSchema }) => { put(inputSchema).items = put(inputSchema) }]
    ]
    for (const [what, change] of changes) {
      const changed = structuredClone(tools)
      change(changed.find(({ method }) => method === "PUT"))
      const { bytes: _, longest: __, operations: ___, ...counts } = check(document, { tools: changed })
      assert.deepEqual(counts, { ...faultless, [what]: 1 }, what)
    }
    assert.strictEqual(check(document, { tools: tools.slice(1) }).lost, 1)
    assert.strictEqual(check(document, { tools: tools.slice(1), skipped: 1 }).lost, 0)
  })
})
