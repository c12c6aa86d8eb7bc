/** Schemas and inputs that nobody thought of: of every keyword, some malformed, with references among few definitions. */
import * as fc from "fast-check"
import type { Json, JsonObject } from "../../bench/lib/effect-check.ts"

type Made = Record<string, unknown>

const names = fc.constantFrom("a", "b", "c")
const scalars = fc.constantFrom<Json>(null, true, false, 0, 1, -1, 1.5, 2, "a", "b", "abc", "", 1e20)
const types = fc.constantFrom("string", "number", "integer", "boolean", "null", "object", "array")
const rarely = <A, B>(often: fc.Arbitrary<A>, rare: fc.Arbitrary<B>) => fc.oneof({ arbitrary: often, weight: 8 }, { arbitrary: rare, weight: 1 })
const bounds = rarely(fc.constantFrom(0, 1, 2, 3), fc.constantFrom<unknown>(1.5, -1, 2.5, "2", true))
const malformed = fc.constantFrom<unknown>(null, 7, "x", true, [], {}, [7], { a: 7 }, -1, 1.5)
const references = rarely(
  fc.constantFrom("#/$defs/A", "#/$defs/B", "#/$defs/C"),
  fc.constantFrom(
    "#",
    "#/$defs/A/properties/a",
    "#/$defs/B/items",
    "#/$defs/C/anyOf/0",
    "#/$defs/N",
    "#/$defs/a%20b",
    "#/$defs/a b",
    "#/definitions/A",
    "#/$defs/A/properties/a/x",
    "#/$defs/E",
    "#/$defs/E/properties/p"
  )
)

/** Some of these keywords, at most so many. */
const some = (keywords: Readonly<Record<string, fc.Arbitrary<unknown>>>, most: number): fc.Arbitrary<Made> =>
  fc.shuffledSubarray(Object.keys(keywords), { maxLength: most }).chain((chosen) =>
    fc.record(Object.fromEntries(chosen.map((keyword) => [keyword, keywords[keyword]!])))
  )

const typed = (type: fc.Arbitrary<unknown>, keywords: fc.Arbitrary<Made>): fc.Arbitrary<Made> =>
  fc.tuple(type, keywords).map(([type, keywords]) => Object.assign({ type }, keywords))

const { schema: schemas } = fc.letrec<{ schema: unknown; scalar: Made; object: Made; list: Made; composed: Made }>((tie) => {
  const schema = tie("schema")
  const lists = fc.array(schema, { maxLength: 3 })
  const properties = fc.dictionary(names, schema, { maxKeys: 3 })
  const odd = some({
    not: fc.constantFrom<unknown>({}, {}, { type: "string" }),
    if: fc.constant({}),
    // oxlint-disable-next-line no-thenable -- a keyword of JSON Schema
    then: fc.constant({ type: "string" }),
    contains: fc.constant({}),
    $id: fc.constantFrom("https://a.test/x", "#x"),
    $anchor: fc.constant("n"),
    title: fc.constant("t"),
    default: scalars,
    required: malformed,
    type: malformed,
    properties: malformed,
    items: malformed,
    anyOf: malformed,
    allOf: malformed,
    enum: malformed,
    additionalProperties: malformed,
    deprecated: fc.constant(true),
    dependencies: fc.constantFrom<unknown>({}, { a: ["b"] }, { a: {} }),
    additionalItems: schema
  }, 1)
  return {
    schema: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      { arbitrary: fc.constantFrom<unknown>(true, false, {}), weight: 1 },
      { arbitrary: types.map((type) => ({ type })), weight: 2 },
      { arbitrary: references.map(($ref) => ({ $ref })), weight: 2 },
      { arbitrary: tie("scalar"), weight: 2 },
      { arbitrary: tie("object"), weight: 4 },
      { arbitrary: tie("list"), weight: 2 },
      { arbitrary: tie("composed"), weight: 4 },
      { arbitrary: fc.tuple(fc.oneof(tie("object"), tie("list"), tie("composed")), odd).map(([one, other]) => Object.assign({}, one, other)), weight: 2 }
    ),
    scalar: some({
      type: fc.oneof(types, fc.array(types, { maxLength: 3 }), fc.constant("any")),
      enum: fc.array(scalars, { minLength: 1, maxLength: 4 }),
      const: scalars,
      minLength: bounds,
      maxLength: bounds,
      minimum: bounds,
      maximum: bounds,
      exclusiveMinimum: bounds,
      exclusiveMaximum: bounds,
      multipleOf: fc.constantFrom(1, 2, 0.5, 0, -2, 0.1),
      pattern: fc.constant("^a"),
      format: fc.constant("email")
    }, 3),
    object: typed(
      rarely(fc.constant("object"), fc.constantFrom<unknown>(undefined, ["object", "null"])),
      some({
        properties,
        required: rarely(fc.array(names, { maxLength: 2 }), fc.constant(["a", 7])),
        additionalProperties: fc.oneof(fc.boolean(), fc.boolean(), schema),
        minProperties: bounds,
        maxProperties: bounds,
        propertyNames: schema,
        patternProperties: fc.constantFrom({}, { "^x": false })
      }, 3)
    ),
    list: typed(
      fc.constantFrom("array", "array", "array", undefined),
      some({ items: schema, prefixItems: fc.array(schema, { maxLength: 2 }), minItems: bounds, maxItems: bounds, uniqueItems: fc.boolean() }, 3)
    ),
    composed: some({
      type: fc.oneof(types, fc.constant(["object", "null"])),
      allOf: lists,
      anyOf: lists,
      oneOf: lists,
      minLength: bounds,
      description: fc.constant("d"),
      $ref: references,
      required: fc.array(names, { maxLength: 2 }),
      enum: fc.array(scalars, { maxLength: 4 }),
      properties
    }, 3)
  }
})

/** Input schemas of 2020-12, as a source would have them after `JSON.parse`. */
export const inputSchemas: fc.Arbitrary<JsonObject> = fc.record({
  root: schemas,
  A: schemas,
  B: schemas,
  C: schemas,
  E: fc.constantFrom<unknown>({ $id: "https://a.test/e", type: "string" }, { $id: "e", properties: { p: { type: "string" } } }, { $id: "e", $ref: "#/$defs/A" })
}).map(({ root, ...definitions }) =>
  JSON.parse(JSON.stringify({
    ...typeof root === "object" ? root : {},
    type: "object",
    properties: { a: root, b: { $ref: "#/$defs/A" } },
    $defs: { ...definitions, "a b": { type: "string" } }
  })) as JsonObject
)

/** The same in draft 7. */
export const olderInputSchemas: fc.Arbitrary<JsonObject> = inputSchemas.map((schema) => {
  const text = JSON.stringify(schema).replaceAll("\"$defs\"", "\"definitions\"").replaceAll("#/$defs/", "#/definitions/")
  return Object.assign({ $schema: "http://json-schema.org/draft-07/schema#" }, JSON.parse(text.replaceAll("\"prefixItems\":", "\"items\":")))
})

const values: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, scalars, fc.array(tie("value"), { maxLength: 3 }), fc.dictionary(names, tie("value"), { maxKeys: 3 }))
})).value

export const inputs: fc.Arbitrary<JsonObject> = fc.dictionary(names, values, { maxKeys: 3 })
