/** Holds the check of inputs equal to the one that Effect makes of the same schema, but for differences that are listed. */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type Compared, compareChecks, type Difference, ourCheck, type Reason, reasonFor, reasons } from "../bench/lib/compare-checks.ts"
import { box, examples } from "../bench/lib/documents.ts"
import { effectCheck, type Json, type JsonObject } from "../bench/lib/effect-check.ts"
import { samples } from "../bench/lib/samples.ts"
import { asParameter, drafts, readSuite } from "../bench/lib/suite.ts"
import { OpenApi } from "../ts/index.ts"
import { native } from "../ts/internal/native.ts"
import { inputs, inputSchemas, olderInputSchemas } from "./support/schemas.ts"

const shown = ({ input, schema, what }: Difference) => `${what}: ${JSON.stringify(input)} under ${JSON.stringify(schema).slice(0, 2000)}`

/** Fails for a difference that has no reason; gives how often each reason was met. */
const explained = (differences: ReadonlyArray<Difference>): ReadonlyMap<string, number> => {
  const met = new Map<string, number>()
  for (const difference of differences) {
    const reason = reasonFor(difference)
    assert.isDefined(reason, shown(difference))
    met.set(reason!, (met.get(reason!) ?? 0) + 1)
  }
  return met
}

const compare = (schema: JsonObject, inputs: ReadonlyArray<JsonObject>): Compared => compareChecks(native, schema, inputs)

describe("the check is the one that Effect makes of the same schema", () => {
  for (const draft of drafts) {
    it(`in the cases of the JSON-Schema-Test-Suite for ${draft} [R-000-038]`, () => {
      let [checked, unchecked, judged] = [0, 0, 0]
      const differing: Array<string> = []
      const differences: Array<Difference> = []
      for (const { description, file, schema, tests } of readSuite(draft)) {
        const result = compare(asParameter(schema, draft), tests.map(({ data }) => ({ value: data })))
        if (result.unchecked) unchecked++
        else checked++
        judged += result.judged
        if (result.differences.length > 0) differing.push(`${file}: ${description}`)
        differences.push(...result.differences)
      }
      assert.isAbove(checked, 150)
      assert.isAbove(unchecked, 50)
      assert.isAbove(judged, 600)
      // "names of every object".
      assert.deepEqual(differing, ["properties: properties whose names are Javascript object property names"])
      explained(differences)
    })
  }

  it("for every operation of GitHub's and many other OpenAPI documents [R-000-038]", () => {
    const folder = fileURLToPath(new URL("../node_modules/@readme/oas-examples", import.meta.url))
    const github = gunzipSync(readFileSync(new URL("../examples/data/github/openapi.json.gz", import.meta.url)))
    const others = [box, ...existsSync(folder) ? examples(folder) : []].map(({ path }) => readFileSync(path))
    let [operations, judged, accepted, unchecked] = [0, 0, 0, 0]
    const differences: Array<Difference> = []
    for (const document of [github, ...others]) {
      const read = OpenApi.readOperations(JSON.parse(document.toString()))
      for (const [at, { definition }] of read.operations.entries()) {
        const schema = definition.inputSchema as JsonObject
        const result = compare(schema, samples(schema, 10, at))
        operations++
        judged += result.judged
        accepted += result.accepted
        unchecked += Number(result.unchecked)
        differences.push(...result.differences)
      }
    }
    explained(differences)
    assert.isAbove(operations, 1900)
    assert.isAbove(accepted, 2000)
    assert.isAbove(judged - accepted, 2000)
    assert.isAbove(unchecked, 0)
    assert.isBelow(unchecked, 20)
  }, 120_000)

  const generated = [
    ["2020-12", inputSchemas, 20_261_130],
    ["draft 7", olderInputSchemas, 20_261_131]
  ] as const
  for (const [draft, schemas, seed] of generated) {
    it(`for generated schemas of ${draft} and generated inputs [R-000-038]`, () => {
      let [checked, unchecked, accepted, judged] = [0, 0, 0, 0]
      fc.assert(
        fc.property(schemas, fc.array(inputs, { minLength: 5, maxLength: 5 }), (schema, inputs) => {
          const result = compare(schema, inputs)
          explained(result.differences)
          if (result.unchecked) unchecked++
          else checked++
          accepted += result.accepted
          judged += result.judged
        }),
        { numRuns: 1500, seed }
      )
      assert.isAbove(checked, 1000)
      assert.isAbove(unchecked, 100)
      assert.isAbove(accepted, 1500)
      assert.isAbove(judged - accepted, 1500)
    }, 120_000)
  }
})

/** The reasons that were met below. */
const shownReasons = new Set<Reason>()

/** What ours and Effect's say of an input, which differ for this reason if they do. */
const of = (schema: Json, reason: Reason) => {
  const [ours, effects] = [ourCheck(native, schema, false)!, effectCheck(schema)!]
  return (input: unknown) => {
    const said = [ours(input), effects(input)]
    for (const difference of compareChecks(native, schema, [input]).differences) {
      assert.strictEqual(reasonFor(difference), reason, shown(difference))
      shownReasons.add(reason)
    }
    return said
  }
}

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more })

const nested = (levels: number) => JSON.parse("{\"next\":".repeat(levels) + "{}" + "}".repeat(levels)) as Json

describe("the check differs from Effect's", () => {
  it("in integers beyond those that are safe, which JSON Schema takes for integers", () => {
    const both = of(object({ id: { type: "integer" } }), "safe integers")
    for (const id of [2 ** 53, -(2 ** 53), 1e20, 1.5e300]) assert.deepEqual(both({ id }), ["accepts", "refuses"])
    assert.deepEqual(both({ id: 2 ** 53 - 1 }), ["accepts", "accepts"])
    assert.deepEqual(both({ id: 0.5 }), ["refuses", "refuses"])
  })

  it("in undefined, which is not sent", () => {
    const both = of(object({ a: { type: "string" } }, { additionalProperties: false }), "undefined")
    assert.deepEqual(both({ a: undefined }), ["accepts", "refuses"])
    assert.deepEqual(both({ b: undefined }), ["accepts", "refuses"])
    assert.deepEqual(of(object({ a: {} }, { required: ["a"] }), "undefined")({ a: undefined }), ["refuses", "refuses"])
  })

  it("in values that are no JSON, which are judged as they are sent", () => {
    const both = of(object({ at: { type: "string" }, n: { type: "number" }, list: { type: "array" }, any: {} }), "no JSON")
    assert.deepEqual(both({ at: new Date(0) }), ["accepts", "refuses"])
    assert.deepEqual(both({ any: new Map([["a", 1]]) }), ["accepts", "refuses"])
    assert.deepEqual(both({ any: () => 1 }), ["accepts", "refuses"])
    assert.deepEqual(both({ list: new Uint8Array(2) }), ["refuses", "refuses"])
    for (const n of [Number.NaN, Infinity, -Infinity]) assert.deepEqual(both({ n }), ["refuses", "refuses"])
    assert.deepEqual(both({ any: Number.NaN }), ["accepts", "refuses"])
    assert.deepEqual(both({ n: -0 }), ["accepts", "accepts"])
  })

  it("in absent properties named like the methods of every object, which Effect finds there", () => {
    for (const name of ["toString", "valueOf", "hasOwnProperty", "constructor"]) {
      const both = of(object({ [name]: { type: "string" } }), "names of every object")
      assert.deepEqual(both({}), ["accepts", "refuses"])
      assert.deepEqual(both({ [name]: "own" }), ["accepts", "accepts"])
      assert.deepEqual(both({ [name]: 1 }), ["refuses", "refuses"])
    }
  })

  it("in branches that a pattern or a format tells apart, one of which has to fit", () => {
    const both = of(object({ days: { oneOf: [{ enum: ["none"] }, { type: "string", pattern: "^[1-9][0-9]*$" }, { type: "integer", minimum: 1 }] } }), "told apart by what is not run")
    assert.deepEqual(both({ days: "none" }), ["accepts", "refuses"])
    assert.deepEqual(both({ days: "7" }), ["accepts", "accepts"])
    assert.deepEqual(both({ days: 0 }), ["refuses", "refuses"])
    assert.deepEqual(of(object({ at: { oneOf: [{ type: "string", format: "date" }, { type: "string", format: "time" }] } }), "told apart by what is not run")({ at: "x" }), ["accepts", "refuses"])
    // Branches that lost nothing stay exclusive.
    assert.deepEqual(of(object({ n: { oneOf: [{ minimum: 1 }, { minimum: 2 }, { type: "string", pattern: "x" }] } }), "told apart by what is not run")({ n: 3 }), ["refuses", "refuses"])
  })

  it("in the schema false, which no tool has: its root is an object", () => {
    assert.deepEqual(of(false, "root false")({}), ["refuses", "accepts"])
    assert.isUndefined(ourCheck(native, true, false))
  })

  it("in a schema that is itself without end, which makes Effect recurse for ever", () => {
    const alias = object({ a: { $ref: "#/$defs/A" } }, { $defs: { A: { $ref: "#/$defs/A" } } })
    assert.deepEqual(of(alias, "itself without end")({ a: 1 }), ["accepts", "dies"])
    const branching = object({ a: { $ref: "#/$defs/A" } }, { $defs: { A: { anyOf: [{ $ref: "#/$defs/A" }, { type: "null" }] } } })
    assert.isUndefined(ourCheck(native, branching, false))
    assert.strictEqual(effectCheck(branching)!({ a: 1 }), "dies")
    assert.strictEqual(reasonFor({ what: "only Effect checks", schema: branching }), "itself without end")
    // What the root does not reach excuses nothing.
    const unreached = object({ a: { type: "string" } }, { $defs: { A: { $ref: "#/$defs/A" } } })
    assert.isUndefined(reasonFor({ what: "Effect dies", schema: unreached, input: { a: 1 } }))
  })

  it("in a list whose required element follows an optional one, which Effect dies of where a definition has it", () => {
    const B = { anyOf: [{ type: "null" }, { type: "array", prefixItems: [{ type: "string" }, { $ref: "#/$defs/B" }] }] }
    const both = of(object({ a: { $ref: "#/$defs/B" } }, { $defs: { B } }), "optional elements first")
    assert.deepEqual(both({ a: null }), ["accepts", "dies"])
    assert.deepEqual(both({ a: ["x", ["y", null]] }), ["accepts", "dies"])
    assert.deepEqual(both({ a: [1] }), ["refuses", "dies"])
    assert.deepEqual(both({}), ["accepts", "accepts"])
  })

  it("in inputs nested deeper than Effect has stack for, which are refused", () => {
    const both = of(object({ next: { $ref: "#/$defs/N" } }, { $defs: { N: object({ next: { $ref: "#/$defs/N" } }) } }), "limits")
    assert.deepEqual(both(nested(300)), ["accepts", "accepts"])
    assert.strictEqual(both(nested(600))[0], "refuses")
    const [ours, effects] = both(nested(3000))
    assert.strictEqual(ours, "refuses")
    // Bun has stack for it.
    assert.strictEqual(effects, "bun" in process.versions ? "accepts" : "dies")
  })

  it("in schemas beyond its limits", () => {
    const deep = (levels: number): JsonObject => levels === 0 ? { type: "string" } : object({ a: deep(levels - 1) })
    assert.isDefined(ourCheck(native, deep(250), false))
    assert.isUndefined(ourCheck(native, deep(300), false))
    assert.isDefined(effectCheck(deep(300)))
    const long = object({ a: { enum: Array.from({ length: 100_000 }, (_, at) => `a value numbered ${at}`) } })
    assert.isUndefined(ourCheck(native, long, false))
    assert.isDefined(effectCheck(long))
    for (const schema of [deep(300), long]) assert.strictEqual(reasonFor({ what: "only Effect checks", schema }), "limits")
  })

  it("in dialects that Effect has no importer for, which are checked as what they are", () => {
    const older = { $schema: "http://json-schema.org/draft-04/schema#", ...object({ n: { type: "number", minimum: 5, exclusiveMinimum: true } }) }
    assert.deepEqual(of(older, "dialects")({ n: 5 }), ["refuses", "accepts"])
    const between = { $schema: "https://json-schema.org/draft/2019-09/schema", ...object({ pair: { type: "array", items: [{ type: "string" }] } }) }
    assert.deepEqual(of(between, "dialects")({ pair: [1] }), ["refuses", "accepts"])
  })

  it("by these reasons, each of which was shown, and of which no two are the same", () => {
    assert.deepEqual([...shownReasons].toSorted(), reasons.map(({ id }) => id).toSorted())
    assert.strictEqual(new Set(reasons.map(({ id }) => id)).size, reasons.length)
    const decisions = readFileSync(new URL("../docs/decisions.md", import.meta.url), "utf8")
    for (const { by } of reasons) assert.match(decisions, new RegExp(`^${by.replace("decision ", "")}\\. `, "m"))
  })
})
