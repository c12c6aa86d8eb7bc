/** Documents made up: every place that reading looks at, with what fits there, what is odd there, and references of every kind. */
import * as fc from "fast-check"

const names = ["A", "B", "a b", "a/b", "a~b", "é", "__proto__", "7", "\ud800", "A_properties_n"]
const kinds = ["schemas", "parameters", "requestBodies", "pathItems", "examples", "headers"]

/** A name as a reference has it; half of a surrogate pair, which no escape spells, as it is. */
const escaped = (name: string): string => name === "\ud800" ? name : encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))

const reference = fc.oneof(
  { weight: 12, arbitrary: fc.tuple(fc.constantFrom(...kinds), fc.constantFrom(...names)).map(([kind, name]) => `#/components/${kind}/${escaped(name)}`) },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...names), fc.constantFrom("/properties/n", "/items", "/properties/n/items", "/nothing", "/schema")).map(([name, more]) => `#/components/schemas/${escaped(name)}${more}`) },
  { weight: 1, arbitrary: fc.constantFrom("#/paths/~1a~1%7Bid%7D/post/requestBody/content/application~1json/schema", "#/paths/~1a~1%7Bid%7D/get/parameters/0", "#/paths/~1a~1%7Bid%7D/parameters/1/schema", "#/paths/~1a~1%7Bid%7D", "#/components/schemas", "#/", "#", "other.json", "other.json#/a", "#/x-a", "#/components/schemas/\ud800", "#/components/parameters/A/schema") }
)

const ref = reference.map(($ref) => ({ $ref }))

/** Something that stands where nobody expects it. */
const odd: fc.Arbitrary<unknown> = fc.oneof(fc.constantFrom(null, true, 7, "", [], {}, [null, {}], undefined), fc.jsonValue({ maxDepth: 2 }))

/** An object of these members, each there or not, now and then odd, in any order. */
const object = (members: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Record<string, unknown>> =>
  fc.shuffledSubarray(Object.keys(members)).chain((keys) =>
    fc.tuple(...keys.map((key) => fc.oneof({ weight: 14, arbitrary: members[key]! }, { weight: 1, arbitrary: odd }))).map((values) => Object.fromEntries(keys.map((key, at) => [key, values[at]])))
  )

const named = (value: fc.Arbitrary<unknown>, keys: ReadonlyArray<string> = names): fc.Arbitrary<unknown> =>
  fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 4, noNullPrototype: true })

const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthIdentifier: "schema" },
    fc.constantFrom({}, { type: "string" }, { type: "integer", nullable: true }, { type: "string", format: "binary" }, true, { enum: ["a", null] }),
    ref,
    object({
      type: fc.constantFrom("object", "array", "string", ["string", "null"]),
      properties: named(tie("schema"), ["n", "o", "__proto__"]),
      items: tie("schema"),
      allOf: fc.array(tie("schema"), { maxLength: 2 }),
      anyOf: fc.array(tie("schema"), { maxLength: 2 }),
      nullable: fc.boolean(),
      example: fc.oneof(ref, odd),
      description: fc.constantFrom("d", "", "#/components/schemas/B"),
      discriminator: fc.constant({ propertyName: "n", mapping: { a: "#/components/schemas/B" } }),
      $id: fc.constantFrom("https://example.com/a", "a"),
      $anchor: fc.constant("A"),
      $dynamicRef: fc.constant("#A"),
      $schema: fc.constantFrom("http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"),
      $defs: named(tie("schema"))
    })
  )
}))

const encoding = named(fc.oneof(ref, object({ contentType: fc.constantFrom("application/json", "image/png"), style: fc.constantFrom("form", "deepObject"), headers: named(fc.oneof(ref, fc.constant({ required: true }))) })), ["n", "o"])

const mediaType = fc.oneof({ weight: 1, arbitrary: ref }, { weight: 6, arbitrary: object({ schema, encoding, example: odd, examples: named(fc.oneof(ref, odd)) }) })

const content = named(mediaType, ["application/json", "application/vnd.a+json", "multipart/form-data", "application/x-www-form-urlencoded", "text/plain", "*/*", "__proto__"])

const parameter = fc.oneof(
  { weight: 1, arbitrary: ref },
  {
    weight: 4,
    arbitrary: fc.tuple(
      object({ schema, required: fc.boolean(), description: fc.constant("d"), style: fc.constantFrom("form", "simple", "deepObject"), explode: fc.boolean(), example: odd, examples: named(ref) }),
      fc.constantFrom("id", "n", "body", "x-a", "__proto__"),
      fc.constantFrom("query", "query", "header", "cookie", "path"),
      fc.option(content)
    ).map(([parameter, name, place, content]) => Object.assign(parameter, { name, in: place }, content === null ? undefined : { content }))
  }
)

const requestBody = fc.oneof({ weight: 1, arbitrary: ref }, { weight: 4, arbitrary: object({ required: fc.boolean(), description: fc.constant("d"), content }) })

const id = { name: "id", in: "path", schema: { type: "string" } }

const parameters = fc.array(parameter, { maxLength: 3 }).map((parameters) => [id as unknown].concat(parameters))

const operation = object({
  operationId: fc.constantFrom("a", "b", "c d", ""),
  summary: fc.constantFrom("s", ""),
  description: fc.constantFrom("d", " "),
  tags: odd,
  deprecated: fc.boolean(),
  parameters,
  requestBody,
  responses: named(fc.oneof(ref, odd), ["200", "default"]),
  callbacks: odd,
  "x-a": ref
})

const pathItem = fc.oneof(
  { weight: 1, arbitrary: ref },
  {
    weight: 5,
    arbitrary: object({
      $ref: reference,
      summary: fc.constant("s"),
      description: fc.constant("d"),
      parameters,
      servers: odd,
      get: operation,
      put: operation,
      post: operation,
      patch: operation,
      trace: operation,
      query: operation,
      additionalOperations: named(operation, ["COPY", "LINK"]),
      "x-a": ref
    })
  }
)

/** Components of each kind: those of these names may be there. */
const components = object({
  schemas: named(schema),
  parameters: named(parameter),
  requestBodies: named(requestBody),
  pathItems: named(pathItem),
  examples: named(odd),
  headers: named(fc.oneof(ref, fc.constantFrom({ required: true }, {}))),
  "x-a": odd
})

/** Documents of any version, most of them read. */
export const documents: fc.Arbitrary<Record<string, unknown>> = fc.tuple(
  fc.constantFrom("3.0.3", "3.1.0", "3.2.0"),
  fc.dictionary(fc.constantFrom("/a/{id}", "/b/{id}", "/c", "x-a", "7", "__proto__"), pathItem, { maxKeys: 5, noNullPrototype: true }),
  object({
    info: odd,
    servers: fc.array(fc.constantFrom({ url: "/a" }, { url: 7 }, null)),
    components,
    webhooks: odd,
    tags: odd,
    "x-a": ref
  }),
  fc.oneof({ weight: 8, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fc.constantFrom({ $self: "https://example.com/api.json" }, { jsonSchemaDialect: "http://json-schema.org/draft-07/schema#" }, { paths: undefined }, { swagger: "2.0" }) })
).map(([openapi, paths, more, rare]) => Object.assign(more, { paths, openapi }, rare))
