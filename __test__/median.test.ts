/** The median that the figures of docs/benchmarks.md are. */
import { assert, it } from "@effect/vitest"
import { median } from "../bench/lib/median.ts"

it("a median is the value in the middle, and of an even number of values the mean of the two", () => {
  assert.deepStrictEqual([[7], [9, 1], [3, 10, 1], [40, 1, 3, 2], [10, 9, 2, 1]].map(median), [7, 5, 3, 2.5, 5.5])
  const values = Object.freeze([2, 1])
  assert.strictEqual(median(values), 1.5)
})
