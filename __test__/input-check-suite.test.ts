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

/** Whether a case refers to a document that it does not hold: another of the suite's, or the definition of a dialect. */
const isRemote = ({ file, schema }: Judged["group"]): boolean =>
  file === "refRemote" || /"\$(?:ref|id)":"(?:http:\/\/localhost:1234\/draft2020-12\/|https?:\/\/json-schema\.org\/)/.test(JSON.stringify(schema))

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
      assert.isAbove(unsupported.length, 8)
      assert.deepEqual(titles(unsupported.filter((group) => !isRemote(group))), [])
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
