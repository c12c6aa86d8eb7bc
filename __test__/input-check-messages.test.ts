/** What a model reads of the mistakes that models make most often: one line each, its place first, and no value of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { ToolSource } from "../ts/index.ts"
import { define, recording } from "./support/language-model.ts"

const search = define("search_issues", {
  inputSchema: {
    type: "object",
    properties: {
      repo: { type: "string", minLength: 1 },
      query: { type: "string", maxLength: 20 },
      count: { type: "integer", minimum: 1, maximum: 100 },
      draft: { type: "boolean" },
      state: { enum: ["open", "closed", "all"] },
      labels: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 3, uniqueItems: true },
      comments: { type: "array", items: { $ref: "#/$defs/Comment" } },
      filter: { type: "object", properties: { since: { type: "string", format: "date-time" } }, additionalProperties: false },
      assignee: { anyOf: [{ type: "string" }, { type: "object", properties: { id: { type: "integer" } }, required: ["id"] }] },
      target: { oneOf: [{ $ref: "#/$defs/Branch" }, { $ref: "#/$defs/Tag" }] }
    },
    required: ["repo", "query"],
    additionalProperties: false,
    $defs: {
      Comment: { type: "object", properties: { text: { type: "string" }, line: { type: "integer" } }, required: ["text"] },
      Branch: { type: "object", properties: { kind: { const: "branch" }, branch: { type: "string" } }, required: ["kind", "branch"], additionalProperties: false },
      Tag: { type: "object", properties: { kind: { const: "tag" }, tag: { type: "string" } }, required: ["kind", "tag"], additionalProperties: false }
    }
  }
})

const accepted = "(accepted: \"repo\", \"query\", \"count\", \"draft\", \"state\", \"labels\", \"comments\", \"filter\", \"assignee\", \"target\")"

/** The text that a failed call has for the model; undefined for one that reached the source. */
const said = (input: unknown) =>
  Effect.gen(function*() {
    const toolkit = yield* ToolSource.toolkit(recording("hub"), [search])
    const results = yield* toolkit.handle("search_issues", input).pipe(Stream.unwrap, Stream.runCollect)
    const { isFailure, result } = results.at(-1)!
    return isFailure ? (result as ToolSource.Failure).message : undefined
  })

const sound = { repo: "effect", query: "bug" }
const secret = "hunter2-the-secret"

const mistakes: ReadonlyArray<readonly [what: string, input: unknown, text: string]> = [
  ["a list as a text", { ...sound, labels: "[\"bug\"]" }, "labels: expected array, got a string holding JSON: send the array itself"],
  ["an object as a text", { ...sound, filter: "{\"since\":\"2026\"}" }, "filter: expected object, got a string holding JSON: send the object itself"],
  ["an item of a list as a text", { ...sound, comments: ["{\"text\":\"x\"}"] }, "comments[0]: expected object, got a string holding JSON: send the object itself"],
  ["a number as a text", { ...sound, count: "3" }, "count: expected integer, got a string holding JSON: send the number itself"],
  ["a boolean as a text", { ...sound, draft: "true" }, "draft: expected boolean, got a string holding JSON: send the boolean itself"],
  ["null for what may be left out", { ...sound, count: null, filter: { since: null } }, "count: expected integer, got null: leave it out\nfilter.since: expected string, got null: leave it out"],
  ["a name that the tool does not have", { repository: secret, query: "bug" }, `repo: is required\ninput: unexpected property "repository" ${accepted}`],
  ["a name in another case", { repo: "effect", Query: secret }, `query: is required\ninput: unexpected property "Query" ${accepted}`],
  ["an option that was made up", { ...sound, verbose: true, page: 2 }, `input: unexpected properties "verbose", "page" ${accepted}`],
  ["nothing at all", {}, "repo: is required\nquery: is required"],
  ["the input within a property", { input: sound }, `repo: is required\nquery: is required\ninput: unexpected property "input" ${accepted}`],
  ["an option of an enum in other words", { ...sound, state: secret }, "state: expected one of \"open\", \"closed\", \"all\""],
  ["one text for a list", { ...sound, labels: secret }, "labels: expected array, got string"],
  ["a list for one text", { repo: [secret], query: "bug" }, "repo: expected string, got array"],
  ["a number for a text", { ...sound, query: 7 }, "query: expected string, got number"],
  ["a number out of bounds, and one that is not whole", { ...sound, count: 500, comments: [{ text: "x", line: 2.5 }] }, "count: expected at most 100\ncomments[0].line: expected integer, got a number that is not whole"],
  ["a text that is empty, and one that is too long", { repo: "", query: secret.repeat(3) }, "repo: expected at least 1 character\nquery: expected at most 20 characters"],
  ["a list too long, and with an item twice", { ...sound, labels: [secret, secret, "a", "b"] }, "labels: expected at most 3 items\nlabels: has an item twice: each may be there once"],
  ["a property missing within a list", { ...sound, comments: [{ text: "x" }, { body: secret }] }, "comments[1].text: is required"],
  ["a form of several without what it needs", { ...sound, assignee: { login: secret } }, "assignee.id: is required"],
  ["a value of a kind that no form has", { ...sound, assignee: 7 }, "assignee: expected string or object, got number"],
  ["a form of a kind that there is not", { ...sound, target: { kind: "commit", sha: secret } }, "target.kind: expected one of \"branch\", \"tag\""],
  [
    "a form with the properties of another",
    { ...sound, target: { kind: "tag", branch: secret } },
    "target.tag: is required\ntarget: unexpected property \"branch\" (accepted: \"kind\", \"tag\")"
  ],
  ["a number that is not finite", { ...sound, count: JSON.parse("1e400") }, "count: not a finite number"],
  ["nothing in a list", { ...sound, labels: ["a", undefined] }, "labels[1]: nothing is there"],
  ["the first of what cannot be written", { ...sound, more: [{ "a b": [null, NaN] }], count: Infinity }, "more[0][\"a b\"][1]: not a finite number"],
  ["a list in place of the input", [sound], "The input has to be an object, not a list."],
  ["a text in place of the input", JSON.stringify(sound), "The input has to be an object, not a string holding JSON: send the object itself."],
  ["nothing in place of the input", undefined, "The input has to be an object, not nothing."],
  ["null in place of the input", null, "The input has to be an object, not null."]
]

/** The order in which missing and unexpected names are told is the validator's. */
const lines = (text: string | undefined) => text?.split("\n").toSorted()

describe("a model that gives", () => {
  for (const [what, input, text] of mistakes) {
    it.effect(`${what} reads what is wrong [R-000-038]`, () =>
      Effect.gen(function*() {
        const read = yield* said(input)
        assert.deepEqual(lines(read), lines(text))
        assert.isFalse(read!.includes(secret))
      }))
  }

  it.effect("mistakes without number reads the first of them, in 2 KB at most [R-000-038]", () =>
    Effect.gen(function*() {
      const names = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`${"é€😀".repeat(20)}${at}`, at]))
      const read = yield* said({ ...names, comments: Array.from({ length: 1000 }, () => ({ text: 1 })), repo: 1, query: 1 })
      assert.isAtMost(Buffer.byteLength(read!), 2048)
      assert.match(read!, /\ncomments\[0\]\.text: expected string, got number\n/)
      assert.match(read!, /\(\d+ more mistakes\)$/)
      assert.isTrue(read!.isWellFormed())
    }))

  it.effect("nothing wrong reaches the source", () =>
    Effect.gen(function*() {
      assert.isUndefined(yield* said({ ...sound, count: 3, draft: true, labels: ["a"], comments: [{ text: "x" }], assignee: { id: 1 }, target: { kind: "tag", tag: "v1" } }))
    }))
})
