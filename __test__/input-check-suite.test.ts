/** The JSON-Schema-Test-Suite, in the mode that checks all it can. `npm run bench -- input-check-suite` has the figures. */
import { assert, describe, it } from "@effect/vitest"
import { ourCheck } from "../bench/lib/compare-checks.ts"
import { type Draft, type Judged, judge, type Outcome } from "../bench/lib/suite.ts"
import { native } from "../ts/internal/native.ts"

const full = (draft: Draft) => judge((schema) => ourCheck(native, schema, true), draft)

const groupsOf = (judged: ReadonlyArray<Judged>, outcome: Outcome): ReadonlyArray<Judged["group"]> => [
  ...new Set(judged.filter((test) => test.outcome === outcome).map(({ group }) => group))
]

const titles = (groups: ReadonlyArray<Judged["group"]>) => groups.map(({ description, file }) => `${file}: ${description}`)

/** Cases beside those of `refRemote` that refer to a document which they do not hold: another of the suite's, or a dialect's. */
const remote: Readonly<Record<Draft, ReadonlyArray<string>>> = {
  "draft-2020-12": [
    "defs: validate definition against metaschema",
    "dynamicRef: strict-tree schema, guards against misspelled properties",
    "dynamicRef: tests for implementation dynamic anchor and reference link",
    "dynamicRef: $ref and $dynamicAnchor are independent of order - $defs first",
    "dynamicRef: $ref and $dynamicAnchor are independent of order - $ref first",
    "dynamicRef: $ref to $dynamicRef finds detached $dynamicAnchor",
    "ref: remote ref, containing refs itself"
  ],
  "draft-07": ["definitions: validate definition against metaschema", "ref: remote ref, containing refs itself"]
}

describe("in full, all that the suite asks is checked", () => {
  const rejected: Readonly<Record<Draft, ReadonlyArray<string>>> = {
    // The dialect of a document on the network says that nothing is asserted. It is not fetched, and counts as 2020-12.
    "draft-2020-12": ["vocabulary: schema that uses custom metaschema with with no validation vocabulary"],
    "draft-07": []
  }
  for (const draft of ["draft-2020-12", "draft-07"] as const) {
    const judged = full(draft)

    it(`but what stands in remote documents, for ${draft}`, () => {
      const unsupported = groupsOf(judged, "unsupported")
      assert.deepEqual(titles(unsupported.filter(({ file }) => file !== "refRemote")), remote[draft])
      assert.isAbove(unsupported.filter(({ file }) => file === "refRemote").length, 9)
    })

    it(`and only patterns are not held to, for ${draft} [R-000-040]`, () => {
      const accepted = groupsOf(judged, "wrong accept")
      assert.isAbove(accepted.length, 5)
      assert.deepEqual(titles(accepted.filter(({ schema }) => !/"pattern(?:Properties)?":/.test(JSON.stringify(schema)))), [])
    })

    it(`and nothing valid is refused, for ${draft} [R-000-038]`, () => {
      assert.deepEqual(titles(groupsOf(judged, "wrong reject")), rejected[draft])
      assert.deepEqual(titles(groupsOf(judged, "crash")), [])
      assert.isAbove(judged.filter(({ outcome }) => outcome === "ok").length, draft === "draft-07" ? 860 : 1170)
    })
  }
})
