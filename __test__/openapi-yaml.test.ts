/**
 * YAML documents beside the two parsers of YAML that JavaScript has: whatever they read is read here as the same document,
 * by its text and by its bytes. Row by row it is in the tests of crates/core/src/yaml.
 */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { CORE_SCHEMA, dump, load, mergeTag } from "js-yaml"
import { parse, stringify } from "yaml"
import { OpenApi } from "../ts/index.ts"

/** The last of a key's values counts, and `<<` merges, which both have to be asked for. */
const parsers = {
  "js-yaml": (text: string): unknown => load(text, { schema: CORE_SCHEMA.withTags(mergeTag), json: true }),
  yaml: (text: string): unknown => parse(text, { merge: true, uniqueKeys: false, logLevel: "silent" })
}

/** What was read, as plain data; or why it is no document. */
const outcome = (given: unknown) =>
  OpenApi.readOperations(given).pipe(
    Effect.match({
      onFailure: ({ description }) => ({ invalid: description.replace(" (the text was read as YAML)", "") }),
      onSuccess: (read) => JSON.parse(JSON.stringify(read)) as OpenApi.Operations
    })
  )

const files = (folder: string) =>
  readdirSync(folder).filter((name) => name.endsWith(".yaml")).toSorted().map((name) => ({ name, text: readFileSync(`${folder}/${name}`, "utf8") }))

/** A document whose one tool takes this as the default of its body, which is where it is found again. */
const holding = (value: unknown) => ({
  openapi: "3.1.0",
  paths: { "/a": { post: { requestBody: { content: { "application/json": { schema: { default: value } } } } } } }
})

const held = (text: string) =>
  Effect.map(outcome(text), (read) => {
    if ("invalid" in read) return read.invalid
    const schema = read.operations[0]!.definition.inputSchema as { readonly properties: { readonly body: { readonly default: unknown } } }
    return schema.properties.body.default
  })

/** The same for a value that is spelled in YAML. */
const spelled = (value: string) => {
  const before = "openapi: 3.1.0\npaths:\n  /a:\n    post:\n      requestBody:\n        content:\n          application/json:\n            schema:\n              default:"
  return held(`${before}\n${value.split("\n").map((line) => line === "" ? "" : `                ${line}`).join("\n")}\n`)
}

describe("a document in YAML", () => {
  const examples = fileURLToPath(new URL("../node_modules/@readme/oas-examples", import.meta.url))

  // Of these the package has other things in YAML than in JSON.
  const noTwins = new Set(["3.0/petstore-expanded", "3.0/uspto", "3.1/parameters-style", "3.1/train-travel"])

  for (const version of ["3.0", "3.1"]) {
    it.effect(`gives what its twin in JSON gives (OpenAPI ${version})`, () =>
      Effect.gen(function*() {
        const documents = files(`${examples}/${version}/yaml`)
        assert.isAbove(documents.length, 10)
        let operations = 0
        for (const { name, text } of documents) {
          const twin = readFileSync(`${examples}/${version}/json/${name.replace(".yaml", ".json")}`)
          if (noTwins.has(`${version}/${name.replace(".yaml", "")}`)) {
            assert.notDeepEqual(load(text), JSON.parse(twin.toString()), name)
            continue
          }
          const read = yield* outcome(text)
          assert.deepEqual(read, yield* outcome(twin), name)
          operations += "invalid" in read ? 0 : read.operations.length
        }
        assert.isAbove(operations, 100)
      }))
  }

  const published = files(fileURLToPath(new URL("data/openapi-yaml", import.meta.url)))
  // Of a number that is no version the text has digits that the object has not.
  const written = [...published.filter(({ name }) => name !== "circular.yaml"), ...files(`${examples}/3.0/yaml`), ...files(`${examples}/3.1/yaml`)]

  for (const [parser, read] of Object.entries(parsers)) {
    it.effect(`gives what the object gives that ${parser} makes of it, by text and by bytes`, () =>
      Effect.gen(function*() {
        let operations = 0
        for (const { name, text } of written) {
          const expected = yield* outcome(read(text))
          assert.deepEqual(yield* outcome(text), expected, name)
          assert.deepEqual(yield* outcome(new TextEncoder().encode(text)), expected, name)
          assert.deepEqual(yield* outcome(text.replaceAll("\n", "\r\n")), expected, name)
          assert.deepEqual(yield* outcome(`\ufeff${text}`), expected, name)
          operations += "invalid" in expected ? 0 : expected.operations.length + expected.skipped.length
        }
        assert.isAbove(operations, 400)
      }))
  }

  it.effect("says of an unquoted version that it has to be a text, as in JSON", () =>
    Effect.gen(function*() {
      const circular = published.find(({ name }) => name === "circular.yaml")!
      assert.deepEqual(yield* outcome(circular.text), {
        invalid: "expected an OpenAPI document of version 3.0, 3.1 or 3.2, found a number (3.0) as \"openapi\": it has to be a string such as \"3.1.0\""
      })
    }))
})

describe("YAML that real documents have", () => {
  /** A name of a parser: it reads this otherwise, or not at all. */
  const rows: ReadonlyArray<readonly [value: string, other?: keyof typeof parsers]> = [
    ["a: 1\nb: 2\na: 3"],
    ["? a long key\n: 1\n? other\n:\n  b: 2"],
    ["- - a\n  - b\n- - - c"],
    ["- a: 1\n  b:\n  - c\n  - d: [e, {f: g}]"],
    ["a: &x {b: 1}\nc: *x\nd: [*x, *x]"],
    ["a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\ne:\n  c: 4\n  <<: *x"],
    ["a: &x {b: 1}\nc: &y {b: 2, d: 3}\ne: {<<: [*x, *y], f: 5}"],
    ["a: -9223372036854776000\nb: 18446744073709551616\nc: 9007199254740993"],
    ["[1.50, .5, 5., 1e3, -0.0, +1, 1_000, 1:30]"],
    ["[08, 09, 010, 0o17, 0x1F, 0b11, -0x1F]"],
    ["[null, ~, Null, nULL, true, True, tRUE]"],
    ["[yes, no, on, off, y, n]"],
    ["[2024-01-31, 2024-01-31T10:00:00Z, 3.0.0, 1.2.3.4]"],
    ["200: a\n404: b\n2XX: c\ntrue: d\nno: e"],
    // yaml makes an empty text of the key null.
    ["null: a\n~: b", "yaml"],
    ["1.0: a\n1e21: b\n08: c\n123456789012345678901: d"],
    ["a: |\n  b\n   c\n\n  d\ne: >-\n  f\n  g\n\n  h\n   i\nj: |+\n  k\n\nl: |2-\n    m"],
    ["a: 'it''s'\nb: \"a\\tb\\u00e9\\x41\\\n  c\"\nc: \"d\n  e\n\n  f\"\nd: plain\n  text\n\n  on lines"],
    ["a: !!str 1\nb: !!int \"2\"\nc: !!float 3.0\nd: !!null ''\ne: !!bool \"true\"\nf: ! 4"],
    // To yaml a float that is whole is a text.
    ["a: !!float 3", "yaml"],
    // js-yaml refuses tags that it does not know.
    ["a: !mine 1\nb: !mine [c]\nd: !<tag:a.b,2000:c> e", "js-yaml"],
    ["# comment\na: b # comment\n# comment\nc: d#e\nf:\n  # comment\n  - g"],
    ["{\"a\":1,'b':[true,],? c : d, e}"],
    ["[a: 1, b, ? c : d]"],
    ["a: http://b.c/d?e=f#g\nh: a:b\ni: -j\nk: x, y"],
    ["'<<': {a: 1}"],
    ["__proto__: 1\nconstructor: {__proto__: {a: 1}}"],
    ["a:\nb: \"\"\nc: ''\nd: []\ne: {}\nf: ~"]
  ]

  it.effect("is read as js-yaml and yaml read it", () =>
    Effect.gen(function*() {
      for (const [value, other] of rows) {
        for (const [name, read] of Object.entries(parsers)) {
          let expected: unknown
          try {
            expected = read(value)
          } catch {
            assert.strictEqual(name, other, value)
            continue
          }
          const ours = JSON.stringify(yield* spelled(value))
          if (name === other) assert.notStrictEqual(ours, JSON.stringify(expected), value)
          else assert.strictEqual(ours, JSON.stringify(expected), `${name}: ${value}`)
        }
      }
    }))

  const isReadBack = (text: string, value: unknown) => {
    try {
      return JSON.stringify(parsers["js-yaml"](text)) === JSON.stringify(holding(value))
    } catch {
      return false
    }
  }

  it("is read back as any value was written, whoever wrote it", () => {
    const writers: ReadonlyArray<(value: unknown) => string> = [
      (value) => dump(value),
      (value) => dump(value, { flowLevel: 12, lineWidth: 20 }),
      (value) => dump(value, { flowLevel: 0, lineWidth: -1 }),
      (value) => dump(value, { indent: 5, seqNoIndent: true, quoteStyle: "double", lineWidth: 40 }),
      (value) => stringify(value),
      (value) => stringify(value, { lineWidth: 20, indent: 3, indentSeq: false }),
      (value) => stringify(value, { collectionStyle: "flow", lineWidth: 40 }),
      (value) => stringify(value, { defaultStringType: "QUOTE_DOUBLE", lineWidth: 20, simpleKeys: true }),
      (value) => stringify(value, { blockQuote: "folded", defaultKeyType: "QUOTE_SINGLE" })
    ]
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), fc.constantFrom(...writers), (value, write) => {
        // What is there twice is written as an anchor and an alias.
        const text = write(holding([value, value, { again: value }]))
        // What its own kind does not read back was not written as it is: yaml breaks some lines of escapes within an escape.
        fc.pre(isReadBack(text, [value, value, { again: value }]))
        // yaml also breaks lines within a pair of surrogates; no file can hold half of one.
        fc.pre(text.isWellFormed())
        // What YAML calls not printable has to be escaped here, also between quotes, where the others let it be.
        fc.pre(!/[\u007f-\u0084\u0086-\u009f\ufffe\uffff]/.test(text))
        assert.strictEqual(JSON.stringify(Effect.runSync(held(text))), JSON.stringify([value, value, { again: value }]), text)
      }),
      { numRuns: 1000 }
    )
  })
})

describe("what is no YAML either", () => {
  it.effect("is refused with its line and column, and with what it was taken for", () =>
    Effect.gen(function*() {
      const rows = [
        ["openapi: 3.1.0\npaths: [\n", /^the text of the document, read as YAML since it does not begin as JSON, cannot be read: .* at line 2, column 8$/],
        ["{\"openapi\":\"3.1.0\",\"paths\":{}", /^the text of the document is not JSON: .* at line 1, column 29$/],
        ["openapi: 3.1.0\n---\nopenapi: 3.1.0\n", /: a second document begins, and only one is read at line 2, column 1$/],
        ["openapi: 3.1.0\npaths: *paths\n", /: an alias \(\*\) of an anchor \(&\) that is not there at line 2, column 8$/],
        ["openapi: 3.1.0\npaths: &paths\n  /a: *paths\n", /: an alias \(\*\) within what it stands for, which would have no end at line 3, column 7$/],
        ["openapi: 3.1.0\npaths:\n  [a]: {}\n", /: a list as a key, which in JSON is a string at line 3, column 3$/],
        [" ", /: there is nothing in it at line 1, column 1$/]
      ] as const
      for (const [text, expected] of rows) {
        const read = yield* outcome(text)
        assert.match("invalid" in read ? read.invalid : "", expected, text)
      }
    }))

  it.effect("is a bomb of aliases or merge keys, whatever it would come to", () =>
    Effect.gen(function*() {
      const levels = Array.from({ length: 60 }, (_, at) => at + 1)
      const laughs = levels.map((at) => `  a${at}: &a${at} [${Array(9).fill(`*a${at - 1}`).join(", ")}]`).join("\n")
      const merges = levels.map((at) => `  a${at}: &a${at} {x${at}: *a${at - 1}, <<: [*a${at - 1}, *a${at - 1}]}`).join("\n")
      for (const text of [`  a0: &a0 [lol]\n${laughs}`, `  a0: &a0 {a: b}\n${merges}`]) {
        const read = yield* outcome(`openapi: 3.1.0\npaths: {}\nx-bomb:\n${text}\n`)
        assert.match("invalid" in read ? read.invalid : "", /aliases \(\*\) and merge keys \(<<\) that come to more than \d+ bytes when they are written out at line \d+/)
      }
    }))
})
