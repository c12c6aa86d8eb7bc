/** A document given as an object is written in parts, and read as its whole text would be. */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { examples } from "../bench/lib/documents.ts"
import { partsOf } from "../ts/internal/documentParts.ts"
import { OpenApi } from "../ts/index.ts"
import { documents } from "./support/openapi-documents.ts"

const readings = ["documented", "extended"] as const

type Reading = typeof readings[number]

/** What is read, or what it is refused for. */
const plain = (read: Effect.Effect<OpenApi.Operations, OpenApi.InvalidDocument>) =>
  Effect.runSync(Effect.match(read, {
    onFailure: ({ description }) => description,
    // As text, so that the order of all members counts too.
    onSuccess: ({ operations, servers, skipped }) => JSON.parse(JSON.stringify([operations, skipped, servers])) as unknown
  }))

const ofObject = (document: unknown, reading: Reading) => plain(OpenApi.readOperations(document, { reading }))

/** What comes of the whole text, in the one way in which nothing is left out of it. */
const ofText = (document: unknown, reading: Reading) => plain(OpenApi.readOperations(JSON.stringify(document), { reading }))

const holds = (document: unknown, what?: string): void => {
  for (const reading of readings) {
    const [object, text] = [ofObject(document, reading), ofText(document, reading)]
    assert.deepEqual(object, text, what)
    assert.strictEqual(JSON.stringify(object), JSON.stringify(text), what)
  }
}

const isParted = (document: unknown): boolean => partsOf(document) !== undefined

const data = fileURLToPath(new URL("../examples/data/", import.meta.url))
const readme = fileURLToPath(new URL("../node_modules/@readme/oas-examples", import.meta.url))

const json = (schema: unknown) => ({ requestBody: { content: { "application/json": { schema } } } })
const operation = (reference: string) => ({ openapi: "3.1.0", paths: { "/a": { post: json({ $ref: reference }) }, "/b": { post: json({ type: "string" }) } } })
const own = (value: object) => Object.assign(Object.create(null) as object, value)
const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` })

describe("a document given as an object", () => {
  it("is read as its text is: the documents of Box and GitHub", () => {
    for (const bytes of [readFileSync(`${data}box/openapi.json`), gunzipSync(readFileSync(`${data}github/openapi.json.gz`))]) {
      const document: unknown = JSON.parse(bytes.toString())
      assert.isTrue(isParted(document))
      holds(document)
    }
  })

  it.skipIf(!existsSync(readme))("is read as its text is: the documents of @readme/oas-examples, most of them in parts", () => {
    const all = examples(readme).map(({ name, path }) => ({ name, document: JSON.parse(readFileSync(path, "utf8")) as unknown }))
    assert.isAbove(all.length, 60)
    for (const { document, name } of all) holds(document, name)
    assert.isAbove(all.filter(({ document }) => isParted(document)).length, all.length / 2)
  })

  it("is read as its text is, whatever it is made of", () => {
    let parted = 0
    fc.assert(fc.property(documents, (document) => {
      holds(document)
      if (isParted(document)) parted++
    }), { numRuns: 400 })
    assert.isAbove(parted, 100)
  })

  it("is written in parts: what nobody reads is not looked at, and components only when something refers to them", () => {
    const looked: Array<string> = []
    const watched = <A extends object>(name: string, value: A): A =>
      Object.defineProperties({}, Object.fromEntries(Object.entries(value).map(([key, value]) => [key, {
        enumerable: true,
        get: () => {
          looked.push(`${name}.${key}`)
          return value as unknown
        }
      }]))) as A
    const document = watched("", {
      openapi: "3.1.0",
      info: { title: "Pets", version: "1" },
      tags: [],
      paths: {
        "/pets": {
          servers: [],
          post: watched("post", {
            operationId: "addPet",
            tags: ["pets"],
            requestBody: watched("body", { content: { "application/json": watched("media", { schema: schemaRef("Pet"), example: {}, examples: {} }) }, "x-a": 1 }),
            responses: { "200": schemaRef("Answer") },
            callbacks: {},
            security: []
          })
        }
      },
      components: { schemas: { Answer: {}, Pet: { properties: { friend: schemaRef("Friend") } }, Friend: {} } }
    })
    const { operations } = OpenApi.readOperations(document)
    assert.deepEqual(Object.keys(operations[0]!.definition.inputSchema["$defs"] as object), ["Pet", "Friend"])
    assert.sameMembers([...new Set(looked)], [".openapi", ".paths", ".components", "post.operationId", "post.requestBody", "body.content", "media.schema"])
  })

  it("may hold itself, or what is no JSON, where nobody looks", () => {
    const document: Record<string, unknown> = {
      openapi: "3.1.0",
      info: 1n,
      paths: { "/a": { get: { operationId: "a", responses: {} }, "x-a": () => 1 } },
      components: { schemas: {} }
    }
    document["x-self"] = document
    ;(document["components"] as Record<string, unknown>)["schemas"] = { Unneeded: document }
    const { operations, skipped } = OpenApi.readOperations(document)
    assert.deepEqual([operations.map(({ definition }) => definition.name), skipped], [["a"], []])
  })

  it("that holds itself, or what is no JSON, where reading looks is InvalidDocument", () => {
    const cyclic: Record<string, unknown> = {}
    cyclic["items"] = cyclic
    const throws = { get schema() { throw new Error("no") } }
    for (const bad of [cyclic, { minimum: 1n }]) {
      for (const document of [
        { openapi: "3.1.0", paths: { "/a": { post: json(bad) } } },
        { openapi: "3.1.0", paths: { "/a": { post: json(schemaRef("A")) } }, components: { schemas: { A: bad } } },
        { openapi: "3.1.0", paths: { "/a": { get: { parameters: [{ name: "a", in: "query", schema: bad }] } } } },
        { openapi: "3.1.0", paths: { "/a": { get: { parameters: [{ name: "a", in: "query", schema: {} }], requestBody: { content: { a: throws } } } } } }
      ]) {
        assert.throws(() => OpenApi.readOperations(document).operations, OpenApi.InvalidDocument, "the document cannot be written as JSON: it holds itself")
      }
    }
  })

  it("is written whole where a reference leads to what may have been left out, and where its parts may be other than they look", () => {
    for (const reference of ["#/paths/~1b/post/requestBody", "#/paths/~1b", "#/paths/~1b/post/responses/200/content/application~1json/schema", "#/components/schemas", "#/x-own/A", "#/"]) {
      assert.isFalse(isParted(operation(reference)), reference)
      holds(operation(reference), reference)
    }
    for (const reference of ["#/components/schemas/A", "#/components/schemas/A/properties/a%7Eb", "other.json", "#A", "https://example.com/a.json#/components/schemas/A", "#/paths/~1b/post/requestBody/content/application~1json/schema", "#/paths/~1gone/parameters/0/schema"]) {
      assert.isTrue(isParted(operation(reference)), reference)
      holds(operation(reference), reference)
    }
    const whole: ReadonlyArray<unknown> = [
      { ...operation("#A"), $self: "https://example.com/a.json" },
      { ...operation("#A"), openapi: 3.1 },
      { swagger: "2.0", paths: {} },
      { openapi: "3.1.0", components: {} },
      { openapi: "3.1.0", paths: [] },
      { ...operation("#A"), components: null },
      { ...operation("#A"), toJSON: () => operation("#/components/schemas/A") },
      Object.assign(Object.create({ inherited: true }), operation("#A")),
      [operation("#A")]
    ]
    for (const [at, document] of whole.entries()) {
      assert.isFalse(isParted(document), String(at))
      holds(document, String(at))
    }
  })

  it("gives a schema that stands elsewhere a name that none of all schemas has", () => {
    const document = {
      openapi: "3.1.0",
      paths: { "/a": { post: json({ $ref: "#/components/schemas/A/properties/b" }) } },
      components: { schemas: { A: { properties: { b: { type: "string" } } }, A_properties_b: {}, A_properties_b_2: undefined, A_properties_b_3: { toJSON: () => undefined } } }
    }
    holds(document)
    assert.deepEqual(Object.keys(OpenApi.readOperations(document).operations[0]!.definition.inputSchema["$defs"] as object), ["A_properties_b_2"])
  })

  it("is what JSON makes of it: members left out, classes, proxies, boxed values, accessors, lists with holes", () => {
    class Schema {
      readonly type = "string"
      toJSON(key: string) {
        return { title: key, type: this.type }
      }
    }
    const hidden = Object.defineProperty({ operationId: "hidden" }, "parameters", { value: 7, enumerable: false })
    const holes: Array<unknown> = []
    holes.length = 2
    const parameter = { name: "a", in: "query", schema: new Schema() }
    const operations: ReadonlyArray<unknown> = [
      undefined,
      () => 1,
      Symbol("a"),
      null,
      7,
      [],
      new Date(0),
      hidden,
      own({ operationId: "own", ...json(new Schema()) }),
      new Proxy({ operationId: "proxy", ...json({ type: "string" }) }, {}),
      new Proxy([], {}),
      { operationId: Object("boxed"), deprecated: Object(true), parameters: [parameter] },
      { get operationId() { return "accessor" }, summary: undefined, description: () => 1 },
      { parameters: holes },
      { parameters: own({ 0: parameter }) },
      { requestBody: { toJSON: () => json(schemaRef("A")).requestBody } },
      { requestBody: { content: { toJSON: () => ({ "application/json": { schema: schemaRef("A") } }) } } },
      { requestBody: { content: { "text/plain": undefined, "application/json": { toJSON: (key: string) => ({ schema: { title: key } }) } } } },
      { toJSON: (key: string) => ({ operationId: `said_${key}` }) },
      Object.defineProperty({ operationId: "a" }, "toJSON", { value: () => ({ operationId: "unseen" }), enumerable: false }),
      Object.assign(Object.create({ toJSON: () => ({ operationId: "inherited" }) }) as object, { operationId: "own" }),
      new Map([["operationId", "map"]]),
      JSON.parse("{\"__proto__\":{\"operationId\":\"a\"},\"constructor\":1,\"requestBody\":{\"content\":{\"__proto__\":{\"schema\":{}},\"application/json\":{\"schema\":{\"$ref\":\"#/components/schemas/__proto__\"}}}}}")
    ]
    const schemas = JSON.parse("{\"A\":{\"type\":\"object\"},\"__proto__\":{\"type\":\"string\"}}") as object
    const kinds: ReadonlyArray<unknown> = [schemas, own(schemas), new Proxy(schemas, {}), [schemas], null, "A", undefined, { toJSON: () => schemas }, Object.create(schemas), new (class { A = {} })()]
    for (const [at, operation] of operations.entries()) {
      for (const paths of [{ "/a": { post: operation } }, own({ "/a": own({ post: operation }), 7: { get: operation }, "x-a": { get: operation } })]) {
        holds({ openapi: "3.1.0", paths, components: { schemas } }, `operation ${at}`)
      }
    }
    for (const [at, schemas] of kinds.entries()) {
      for (const components of [{ schemas }, own({ schemas }), { toJSON: () => ({ schemas }) }]) {
        holds({ openapi: "3.1.0", paths: { "/a": { post: json(schemaRef("A")) }, "/b": { post: json(schemaRef("toString")) } }, components }, `schemas ${at}`)
      }
    }
  })

  it("is what JSON makes of it where every object has more members", () => {
    const document = { openapi: "3.1.0", paths: { "/a": { post: json(schemaRef("A")) } }, components: { schemas: { A: {} } } }
    const ofAll: object = Object.prototype
    const more: Readonly<Record<string, PropertyDescriptor>> = {
      put: { value: { operationId: "b" }, enumerable: true },
      toJSON: {
        value(this: unknown, key: string) {
          return key === "paths" ? { "/b": { post: json(schemaRef("A")) } } : this
        },
        enumerable: false
      }
    }
    for (const [name, descriptor] of Object.entries(more)) {
      Object.defineProperty(ofAll, name, { ...descriptor, configurable: true })
      let [read, text]: [Effect.Effect<OpenApi.Operations, OpenApi.InvalidDocument> | undefined, string] = [undefined, ""]
      try {
        read = OpenApi.readOperations(document)
        text = JSON.stringify(document)
      } finally {
        Reflect.deleteProperty(ofAll, name)
      }
      assert.deepEqual(plain(read), plain(OpenApi.readOperations(text)), name)
    }
  })
})
