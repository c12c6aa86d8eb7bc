// Schemas and inputs that are meant to do harm, or that nobody expects, and what becomes of each. In JavaScript, since
// processes and workers of their own read them too. `says` is what the check says in the default mode, `full` in the other one
// where that differs: that the source may have the input, or that the model is refused.

const object = (properties, more = {}) => ({ type: "object", properties, ...more })
const of = (property, more) => object({ a: property }, more)
const nested = (levels, leaf) => {
  let value = leaf
  for (let level = 0; level < levels; level++) value = { next: value }
  return value
}
const nestedSchema = (levels, leaf) => {
  let schema = leaf
  for (let level = 0; level < levels; level++) schema = of(schema)
  return schema
}
const definitions = (count, definition) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, definition(at)]))
const to = (at) => ({ $ref: `#/$defs/n${at}` })
const list = (length, item) => Array.from({ length }, (_, at) => item(at))
const recursive = () => ({ ...of({}), properties: { next: { $ref: "#/$defs/N" } }, $defs: { N: object({ next: { $ref: "#/$defs/N" }, v: { type: "integer" } }) } })
const fanOut = (keyword) => ({
  ...of(to(0)),
  $defs: definitions(26, (at) => at === 25 ? { type: "string" } : { [keyword]: [to(at + 1), to(at + 1)] })
})
const clique = (size, differs) => ({
  ...of(to(0)),
  $defs: definitions(size, (own) => object({ a: { anyOf: list(size, to).filter((_, at) => !differs || at !== own) } }, { additionalProperties: false }))
})
const withPatterns = { type: "string", pattern: "^(([a-z])+.)+[A-Z]([a-z])+$" }
const cyclic = () => {
  const value = { list: [] }
  value.list.push({ up: value })
  return value
}
/** Lists of nothing but lists, of which no two are the same. */
const forests = (count) => list(count, (at) => list(15, (bit) => at >> bit & 1 ? [[]] : []))
/** Definitions of which each is any of the next one, so many times over. */
const tree = (keyword, width, height, leaf) => definitions(height, (at) => at === height - 1 ? leaf : { [keyword]: list(width, () => to(at + 1)) })
const nullable = (properties) => ({ anyOf: [object(properties, { required: Object.keys(properties) }), { type: "null" }] })
const [taken, refused] = ["reaches the source", "is refused"]

/** What aims at the stack, the time or the memory: each in a process of its own. */
export const hostile = {
  "an input nested 1,000 levels deep": { schema: recursive, input: () => nested(1000, {}), says: refused },
  "an input nested 10,000 levels deep": { schema: recursive, input: () => nested(10_000, {}), says: refused },
  "an input nested 100,000 levels deep": { schema: recursive, input: () => nested(100_000, {}), says: refused },
  "an input nested 511 levels deep": { schema: recursive, input: () => nested(511, {}), says: taken },
  "a mistake 511 levels deep": { schema: recursive, input: () => nested(510, { v: "x" }), says: refused },
  "an input nested 1,000 levels deep where anything goes": { schema: () => ({ type: "object" }), input: () => nested(1000, {}), says: refused },
  "lists nested 50,000 levels deep": { schema: () => ({ type: "object" }), input: () => ({ a: JSON.parse("[".repeat(50_000) + "]".repeat(50_000)) }), says: refused },
  "a schema nested 100 levels deep": { schema: () => nestedSchema(100, { type: "string" }), input: () => JSON.parse("{\"a\":".repeat(100) + "1" + "}".repeat(100)), says: refused },
  "a schema nested 250 levels deep": { schema: () => nestedSchema(250, { type: "string" }), input: () => JSON.parse("{\"a\":".repeat(250) + "1" + "}".repeat(250)), says: refused },
  "a schema nested 1,000 levels deep": { schema: () => nestedSchema(1000, { type: "string" }), input: () => ({ a: 1 }), says: taken },
  "a schema nested 10,000 levels deep": { schema: () => nestedSchema(10_000, { type: "string" }), input: () => ({ a: 1 }), says: taken },
  "a schema that holds itself": {
    schema: () => {
      const schema = of({ type: "string" })
      schema.properties.b = schema
      return schema
    },
    input: () => ({ a: 1 }),
    says: taken
  },
  "a schema with a bigint": { schema: () => of({ type: "integer", maximum: 5n }), input: () => ({ a: "x" }), says: taken },
  "a schema that throws when it is read": {
    schema: () => ({
      type: "object",
      get properties() {
        throw new Error("no")
      }
    }),
    input: () => ({ a: 1 }),
    says: taken
  },
  "a definition that is itself": { schema: () => ({ ...of(to(0)), $defs: definitions(1, () => to(0)) }), input: () => ({ a: 1 }), says: taken },
  "two definitions that are each other": { schema: () => ({ ...of(to(0)), $defs: definitions(2, (at) => to(1 - at)) }), input: () => ({ a: 1 }), says: taken },
  "twelve definitions that are any of each other": {
    schema: () => ({ ...of(to(0)), $defs: definitions(12, () => ({ anyOf: list(12, to) })) }),
    input: () => ({ a: 1 }),
    says: taken
  },
  "references that fan out under anyOf": { schema: () => fanOut("anyOf"), input: () => ({ a: 1 }), says: refused },
  "references that fan out under oneOf": { schema: () => fanOut("oneOf"), input: () => ({ a: 1 }), says: refused },
  "references that fan out under allOf": { schema: () => fanOut("allOf"), input: () => ({ a: 1 }), says: refused },
  "references that fan out through one property": {
    schema: () => ({
      ...of(to(0)),
      $defs: definitions(40, (at) => at === 39 ? { type: "string" } : { anyOf: [of(to(at + 1), { required: ["a"] }), of(to(at + 1), { required: ["a"] })] })
    }),
    input: () => ({ a: JSON.parse("{\"a\":".repeat(39) + "1" + "}".repeat(39)) }),
    says: refused
  },
  "forty types that all refer to one another": { schema: () => clique(40, false), input: () => JSON.parse("{\"a\":".repeat(400) + "1" + "}".repeat(400)), says: refused },
  "twelve types that refer to all others but themselves": { schema: () => clique(12, true), input: () => JSON.parse("{\"a\":".repeat(400) + "1" + "}".repeat(400)), says: refused },
  "an enum of 50,000": { schema: () => of({ enum: list(50_000, (at) => `v${at}`) }), input: () => ({ a: "x" }), says: refused },
  "an enum of 200,000, beyond the longest schema": { schema: () => of({ enum: list(200_000, (at) => `v${at}`) }), input: () => ({ a: "x" }), says: taken },
  "an enum of 10,000 of two kinds for each of 100,000 items": {
    schema: () => of({ type: "array", items: { enum: list(10_000, (at) => at % 2 === 0 ? at : `v${at}`) } }),
    input: () => ({ a: list(100_000, () => "v9999") }),
    says: taken
  },
  "2,000 alternatives": {
    schema: () => of({ anyOf: list(2000, (at) => object({ kind: { const: at }, v: { type: "string" } }, { required: ["kind", "v"] })) }),
    input: () => ({ a: { kind: 1999, v: 1 } }),
    says: refused
  },
  "2,000 alternatives for each of 100,000 items": {
    schema: () => of({ type: "array", items: { anyOf: list(2000, (at) => ({ type: "array", maxItems: at, minItems: at })) } }),
    input: () => ({ a: list(100_000, () => "x") }),
    says: refused
  },
  "half a million mistakes": { schema: () => of({ type: "array", items: { anyOf: [{ type: "string" }, { type: "null" }] } }), input: () => ({ a: list(500_000, () => 1) }), says: refused },
  "5,000 missing names in each of 2,000 items": {
    schema: () => of({ type: "array", items: { type: "object", required: list(5000, (at) => `n${at}`) } }),
    input: () => ({ a: list(2000, () => ({})) }),
    says: refused
  },
  "exact division of 100,000 huge numbers": { schema: () => of({ type: "array", items: { type: "number", multipleOf: 0.1 } }), input: () => ({ a: list(100_000, () => 1e308) }), says: refused },
  "sixty unevaluatedProperties within one another": {
    schema: () => {
      let schema = of({ type: "string" })
      for (let level = 0; level < 60; level++) schema = { type: "object", allOf: [{ anyOf: [schema] }], unevaluatedProperties: false }
      return schema
    },
    input: () => ({ a: 1 }),
    says: taken,
    full: refused
  },
  "allOf of sixty shared halves, which Effect would multiply": {
    schema: () => ({ ...of(to(0)), $defs: definitions(60, (at) => at === 59 ? of({ type: "string" }) : { allOf: [to(at + 1), to(at + 1)] }) }),
    input: () => ({ a: { a: 1 } }),
    says: taken,
    full: refused
  },
  "alternatives beside alternatives beside alternatives": {
    schema: () => of({ allOf: list(150, () => ({ anyOf: list(100, (at) => ({ const: at })) })) }),
    input: () => ({ a: 500 }),
    says: refused
  },
  "a pattern that would backtrack for ever": { schema: () => of(withPatterns), input: () => ({ a: "a".repeat(50_000) }), says: taken },
  "a pattern that looks around": { schema: () => of({ type: "string", pattern: "^(?=(a+)+\\1)(?<!b+)$" }), input: () => ({ a: "a".repeat(50_000) }), says: taken },
  "a pattern of names that would backtrack for ever": {
    schema: () => ({ type: "object", patternProperties: { "^(a+)+$": { type: "string" } }, propertyNames: { pattern: "^(a|a)*$" } }),
    input: () => ({ [`${"a".repeat(50_000)}!`]: 1 }),
    says: taken
  },
  "20,000 mistakes below a name of 400 KB": {
    schema: () => ({ type: "object", additionalProperties: { type: "array", items: { type: "integer" } } }),
    input: () => ({ ["n".repeat(400_000)]: list(20_000, () => "x") }),
    says: refused
  },
  "20,000 mistakes below 400 names of 200 letters": {
    schema: () => ({ type: "object", additionalProperties: to(0), $defs: definitions(1, () => ({ type: ["object", "array", "string"], additionalProperties: to(0), items: { type: "integer" } })) }),
    input: () => list(400, () => "n".repeat(200)).reduce((value, name) => ({ [name]: value }), list(20_000, () => "x")),
    says: refused
  },
  "a missing name of 400 KB in each of 20,000 items": {
    schema: () => of({ type: "array", items: { type: "object", required: ["n".repeat(400_000)] } }),
    input: () => ({ a: list(20_000, () => ({})) }),
    says: refused
  },
  "20,000 items of one shape that all have to differ": { schema: () => of({ type: "array", uniqueItems: true }), input: () => ({ a: forests(20_000) }), says: taken },
  "lists within lists that each have to be unique": {
    schema: () => ({ ...of(to(0)), $defs: definitions(1, () => ({ type: ["array", "number"], uniqueItems: true, items: to(0) })) }),
    input: () => ({ a: list(450, () => list(15, (at) => at)).reduce((value, numbers) => [...numbers, value], list(100_000, (at) => at)) }),
    says: refused
  },
  "370 properties of three times three times three forms": {
    schema: () => ({ ...object(Object.fromEntries(list(370, (at) => [`p${at}`, { anyOf: list(3, () => to(0)) }]))), $defs: tree("allOf", 3, 7, { type: "object", required: ["a", "b"], properties: { a: { const: "x" } } }) }),
    input: () => ({ p0: {} }),
    says: refused
  },
  "150 forms told apart by what they are not": {
    schema: () => of({ anyOf: list(150, (form) => object({ t: { not: { enum: list(150, (at) => `v${form}_${at}`) } } }, { required: ["t"] })) }),
    input: () => ({ a: {} }),
    says: taken,
    full: refused
  },
  "forms of forms for each of 10,000 items": {
    schema: () => ({ ...of({ type: "array", items: to(0) }), $defs: tree("anyOf", 3, 9, { type: "string" }) }),
    input: () => ({ a: list(10_000, (at) => at) }),
    says: refused
  },
  "six levels of a type named ten times": {
    schema: () => of(list(6, () => list(10, () => "object")).reduce((schema, type) => ({ type, properties: { a: schema } }), { type: "string" })),
    input: () => ({ a: 1 }),
    says: refused
  },
  "8,000 URIs below one of 400 KB": {
    schema: () => ({ $id: `https://a.test/${"x".repeat(400_000)}/`, ...object(Object.fromEntries(list(8000, (at) => [`p${at}`, { $id: `b${at}` }]))) }),
    input: () => ({ p0: 1 }),
    says: taken
  },
  "2,000 references below a URI of 400 KB, in draft 7": {
    schema: () => ({
      $schema: "http://json-schema.org/draft-07/schema#",
      $id: `https://a.test/${"x".repeat(400_000)}/`,
      ...object(Object.fromEntries(list(2000, (at) => [`p${at}`, { $ref: "#/definitions/a" }]))),
      definitions: { a: { type: "string" } }
    }),
    input: () => ({ p0: 1 }),
    says: refused
  },
  "40,000 URIs of 1 KB": {
    schema: () => ({ $id: `https://a.test/${"x".repeat(1000)}/`, ...object(Object.fromEntries(list(40_000, (at) => [`p${at}`, { $id: "b" }]))) }),
    input: () => ({ p0: 1 }),
    says: taken
  },
  "1,000 schemas below a name of 200 KB": {
    schema: () => object({ ["n".repeat(200_000)]: object(Object.fromEntries(list(1000, (at) => [`a${at}`, { type: "string", minLength: 1 }]))) }),
    input: () => ({ ["n".repeat(200_000)]: { a0: 1 } }),
    says: refused
  },
  "6,000 dynamic anchors": {
    schema: () => ({
      ...object({ z: { $dynamicRef: "#a0" }, ...Object.fromEntries(list(200, (at) => [`p${at}`, { $ref: "#/$defs/a0" }])) }),
      $defs: Object.fromEntries(list(6000, (at) => [`a${at}`, { $dynamicAnchor: `a${at}` }]))
    }),
    input: () => ({ z: 1 }),
    says: taken
  },
  "5,000 lengths of a text of 5 MB": {
    schema: () => of({ anyOf: list(5000, (at) => ({ type: "string", minLength: 2_500_000 + at })) }),
    input: () => ({ a: "é".repeat(2_499_990) }),
    says: refused
  },
  "5,000 rows with a price": {
    schema: () => of({ type: "array", items: object({ sku: { type: "string" }, price: { type: "number", multipleOf: 0.01 }, qty: { type: "integer" } }, { required: ["sku", "price"] }) }),
    input: () => ({ a: list(5000, (at) => ({ sku: `s${at}`, price: 1.25, qty: at })) }),
    says: taken
  },
  "8,000 rows with one of 250 currencies or none": {
    schema: () => of({ type: "array", items: object({ currency: { type: ["string", "null"], enum: [...list(250, (at) => `C${at}`), null] } }) }),
    input: () => ({ a: list(8000, (at) => ({ currency: at % 2 === 0 ? "C249" : null })) }),
    says: taken
  },
  "20 objects within one another that may each be null": {
    schema: () => object({ a: list(20, () => "a").reduce((schema, name) => nullable({ [name]: schema }), { type: "integer" }) }),
    input: () => ({ a: list(20, () => "a").reduce((value, name) => ({ [name]: value }), "x") }),
    says: refused
  },
  "three million values": { schema: () => ({ type: "object" }), input: () => ({ a: list(3_000_000, () => 0) }), says: refused }
}

/** What is only odd: each in a process of its own too. */
export const odd = {
  "patterns that are none": { schema: () => of({ type: "string", pattern: "[[:alpha:]](" }), input: () => ({ a: "x" }), says: taken },
  "a value of the wrong type beside a pattern that is none": { schema: () => of({ type: "string", pattern: "(a{1,1000}){1,1000}(" }), input: () => ({ a: 1 }), says: refused },
  "a reference to the network": { schema: () => of({ $ref: "http://169.254.169.254/latest" }), input: () => ({ a: 1 }), says: taken },
  "a reference to a file": { schema: () => of({ $ref: "file:///etc/passwd" }), input: () => ({ a: 1 }), says: taken },
  "a reference to nothing": { schema: () => of({ $ref: "#/$defs/none" }), input: () => ({ a: 1 }), says: taken },
  "a reference to the root": { schema: () => object({ a: { $ref: "#" }, b: { type: "string" } }), input: () => ({ a: { b: 1 } }), says: taken, full: refused },
  "a dynamic reference": {
    schema: () => ({ ...of({ $dynamicRef: "#n" }), $defs: { n: { $dynamicAnchor: "n", type: "string" } } }),
    input: () => ({ a: 1 }),
    says: taken,
    full: refused
  },
  "references within a schema that has an $id": {
    schema: () => of({ $id: "https://a.test/b", $ref: "#/$defs/c", $defs: { c: { type: "string" } } }),
    input: () => ({ a: 1 }),
    says: taken,
    full: refused
  },
  "a relative $id at the root": { schema: () => ({ $id: "root.json", ...of({ $ref: "#/$defs/n0" }), $defs: definitions(1, () => ({ type: "string" })) }), input: () => ({ a: 1 }), says: refused },
  "__proto__ where the schema is closed": { schema: () => of({}, { additionalProperties: false }), input: () => JSON.parse("{\"__proto__\":1}"), says: refused },
  "constructor where the schema is closed": { schema: () => of({}, { additionalProperties: false }), input: () => ({ constructor: 1 }), says: refused },
  "__proto__ as a property of the schema": { schema: () => JSON.parse("{\"type\":\"object\",\"properties\":{\"__proto__\":{\"type\":\"string\"}}}"), input: () => JSON.parse("{\"__proto__\":1}"), says: refused },
  "constructor required and missing": { schema: () => ({ type: "object", required: ["constructor"] }), input: () => ({}), says: refused },
  "toString optional and missing": { schema: () => object({ toString: { type: "string" } }), input: () => ({}), says: taken },
  "half of a surrogate pair as a value and a name": { schema: () => of({ type: "string" }), input: () => ({ a: "\ud800", "\udc00": 1 }), says: taken },
  "half of a surrogate pair as a name where the schema is closed": { schema: () => of({}, { additionalProperties: false }), input: () => ({ "\udc00": 1 }), says: refused },
  "NaN for a number": { schema: () => of({ type: "number" }), input: () => ({ a: Number.NaN }), says: refused },
  "Infinity for a number": { schema: () => of({ type: "number" }), input: () => ({ a: Infinity }), says: refused },
  "minus zero": { schema: () => of({ type: "integer", minimum: 0 }), input: () => ({ a: -0 }), says: taken },
  "a bigint": { schema: () => of({ type: "integer" }), input: () => ({ a: 1n }), says: refused },
  "undefined for an optional property": { schema: () => of({ type: "string" }), input: () => ({ a: undefined }), says: taken },
  "undefined for a required property": { schema: () => of({}, { required: ["a"] }), input: () => ({ a: undefined }), says: refused },
  "a date for a text": { schema: () => of({ type: "string" }), input: () => ({ a: new Date(0) }), says: taken },
  "a map for a text": { schema: () => of({ type: "string" }), input: () => ({ a: new Map([["b", 1]]) }), says: refused },
  "a function": { schema: () => of({ type: "string" }, { required: ["a"] }), input: () => ({ a: () => "x" }), says: refused },
  "an input that holds itself": { schema: () => ({ type: "object" }), input: cyclic, says: refused },
  "an input that throws when it is read": {
    schema: () => ({ type: "object" }),
    input: () => ({
      get a() {
        throw new Error("no")
      }
    }),
    says: refused
  },
  "an input that is a proxy which throws": {
    schema: () => ({ type: "object" }),
    input: () =>
      new Proxy({}, {
        ownKeys() {
          throw new Error("no")
        }
      }),
    says: refused
  },
  "an input with a toJSON that gives a text": { schema: () => ({ type: "object" }), input: () => ({ toJSON: () => "text" }), says: refused },
  "integers beyond those that are safe": { schema: () => of({ type: "array", items: { type: "integer" } }), input: () => ({ a: [2 ** 53 + 2, 1e20] }), says: taken },
  "two equal names": { schema: () => of({ type: "string" }), input: () => JSON.parse("{\"a\":1,\"a\":\"x\"}"), says: taken },
  "an instance of a class": {
    schema: () => of({ type: "string" }, { additionalProperties: false }),
    input: () => {
      class Input {
        a = "x"
        #b = 1
        get c() {
          return this.#b
        }
      }
      return new Input()
    },
    says: taken
  },
  "Infinity where anything goes": { schema: () => of({}), input: () => ({ a: [{ b: -Infinity }] }), says: refused },
  "null beside numbers that are finite": { schema: () => of({}), input: () => ({ a: [null, 1, "null"] }), says: taken },
  "nothing in a list": { schema: () => of({}), input: () => ({ a: [1, undefined] }), says: refused },
  "a list with a hole": { schema: () => of({}), input: () => ({ a: Array(3) }), says: refused },
  "a method beside a property": { schema: () => of({ type: "string" }), input: () => ({ a: "x", b: () => 1, c: null }), says: taken },
  "1e400, which is Infinity": { schema: () => of({ type: "number" }), input: () => JSON.parse("{\"a\":1e400}"), says: refused },
  "19.99 as a multiple of 0.01": { schema: () => of({ type: "number", multipleOf: 0.01 }), input: () => ({ a: 19.99 }), says: taken },
  "keywords that are malformed": {
    schema: () => of({ type: "any", required: true, properties: null, exclusiveMinimum: true, enum: "x", items: [{}], minLength: "3" }),
    input: () => ({ a: 1 }),
    says: taken
  },
  "a mistake beside keywords that are malformed": { schema: () => object({ a: { type: "any" }, b: { type: "string" } }, { required: ["b", "b", 7] }), input: () => ({ a: 1, b: 2 }), says: refused },
  "a dialect that nobody knows": { schema: () => ({ $schema: "https://a.test/own", ...of({ type: "string" }) }), input: () => ({ a: 1 }), says: refused },
  "draft 7": {
    schema: () => ({ $schema: "http://json-schema.org/draft-07/schema#", ...of({ $ref: "#/definitions/b" }), definitions: { b: { type: "array", items: [{ type: "string" }], additionalItems: false } } }),
    input: () => ({ a: ["x", "y"] }),
    says: refused
  },
  "draft 4": { schema: () => ({ $schema: "http://json-schema.org/draft-04/schema#", ...of({ type: "number", minimum: 5, exclusiveMinimum: true }) }), input: () => ({ a: 5 }), says: refused },
  "one of two that only patterns tell apart": { schema: () => of({ oneOf: [{ type: "string", pattern: "^a" }, { type: "string", pattern: "^b" }] }), input: () => ({ a: "a" }), says: taken },
  "not what a pattern matches": { schema: () => of({ not: { pattern: "^a" } }), input: () => ({ a: "b" }), says: taken },
  "not what a pattern matches, through a reference": { schema: () => ({ ...of({ not: to(0) }), $defs: definitions(1, () => ({ type: "string", pattern: "^a" })) }), input: () => ({ a: "b" }), says: taken },
  "properties named pattern and format": { schema: () => object({ pattern: { type: "string" }, format: { type: "integer" } }), input: () => ({ pattern: "x", format: "x" }), says: refused },
  "an unknown name where the schema is closed but has patterns of names": {
    schema: () => of({}, { patternProperties: { "^x-": { type: "string" } }, additionalProperties: false }),
    input: () => ({ other: 1 }),
    says: taken
  },
  "two closed halves": {
    schema: () => ({ type: "object", allOf: [of({}, { additionalProperties: false }), object({ b: {} }, { additionalProperties: false })] }),
    input: () => ({ a: 1, b: 1 }),
    says: refused
  },
  "unevaluatedProperties": { schema: () => ({ ...of({}), unevaluatedProperties: false }), input: () => ({ b: 1 }), says: taken, full: refused }
}
