import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Schema } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { Http, ToolSource, ToolSourceError } from "../ts/index.ts"
import { call, calling, define, recording, resultsOf, turn } from "./support/language-model.ts"

const Reasons = ToolSourceError.ToolSourceErrorReason.members

const tags = [
  "AuthenticationError",
  "NotFoundError",
  "InvalidInputError",
  "CallFailedError",
  "UnavailableError",
  "InvalidResponseError",
  "UnsupportedError",
  "UnknownError"
]

/** The reasons whose description is written for the model. */
const told = new Set(["InvalidInputError", "CallFailedError"])

const secret = "https://user:hunter2@internal.example.com/v1?token=tok_12345"

const errorOf = (reason: ToolSourceError.ToolSourceErrorReason) => ToolSourceError.make({ source: "tasks", reason })

/** An answer of so many characters. */
const textOf = (length: number) => () => Response.json("x".repeat(length - 2))

/** An HTTP source whose system gives one answer to everything. */
const answering = (answer: () => Response, options: { readonly maxAnswerLength?: number } = {}) =>
  Http.make({
    name: "tasks",
    baseUrl: "https://api.example.com",
    client: HttpClient.make((request) => Effect.sync(() => HttpClientResponse.fromWeb(request, answer()))),
    operations: [{ definition: define("list"), request: { method: "GET", path: "/tasks", parameters: [] } }],
    ...options
  })

describe("ToolSourceError", () => {
  it("has its tag, the source's name and the reason [R-000-070]", () => {
    for (const Reason of Reasons) {
      const reason = new Reason({ description: "why" })
      const error = errorOf(reason)
      assert.strictEqual(error._tag, "ToolSourceError")
      assert.strictEqual(error.source, "tasks")
      assert.strictEqual(error.reason, reason)
      assert.instanceOf(error, Error)
      assert.isTrue(ToolSourceError.isToolSourceError(error))
      assert.isTrue(ToolSourceError.isToolSourceErrorReason(reason))
      assert.isFalse(ToolSourceError.isToolSourceErrorReason(error))
      assert.isFalse(ToolSourceError.isToolSourceError(reason))
      assert.strictEqual(error.message, "tasks: why")
    }
    assert.throws(() => ToolSourceError.make({ source: "tasks", reason: "AuthenticationError" as never }))
  })

  it("has one of eight reasons [R-000-071]", () => {
    assert.deepStrictEqual(Reasons.map((Reason) => new Reason({})._tag), tags)
    const exported = Object.keys(ToolSourceError).filter((name) => tags.includes(name))
    assert.deepStrictEqual(exported.sort(), [...tags].sort())
  })

  it("is worth trying again when the source is unavailable, and never else [R-000-072]", () => {
    const retryable = Reasons.map((Reason) => new Reason({ description: "try again" })).filter(({ isRetryable }) => isRetryable)
    assert.deepStrictEqual(retryable.map(({ _tag }) => _tag), ["UnavailableError"])
    for (const Reason of Reasons) assert.strictEqual(errorOf(new Reason({})).isRetryable, new Reason({}).isRetryable)
  })

  it.effect("tells of no time to wait, although the system said one [R-000-073]", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(Object.keys(ToolSourceError.UnavailableError.fields), ["_tag", "description", "cause"])
      const source = answering(() => new Response("slow down", { status: 429, headers: { "retry-after": "1234" } }))
      const { reason } = yield* Effect.flip(source.call("list", {}))
      assert.strictEqual(reason._tag, "UnavailableError")
      assert.notInclude(JSON.stringify(Schema.encodeSync(Schema.toCodecJson(ToolSourceError.ToolSourceErrorReason))(reason)), "1234")
      const toolkit = yield* ToolSource.toolkit(source, [define("list")])
      const [result] = resultsOf(yield* turn(toolkit, calling(call("c1", "list"))))
      assert.deepStrictEqual(result!.result, {
        code: "UnavailableError",
        message: "The source is not available at the moment.",
        retryable: true
      })
    }))

  it.effect("is recovered from by the tag of its reason, the other reasons passing [R-000-074]", () =>
    Effect.gen(function*() {
      for (const Reason of Reasons) {
        const reason = new Reason({ description: "why" })
        const seen: Array<unknown> = []
        const exit = yield* Effect.fail(errorOf(reason)).pipe(
          Effect.catchReason("ToolSourceError", "AuthenticationError", (found, error) => {
            seen.push(found, error.source)
            return Effect.succeed("connect again")
          }),
          Effect.exit
        )
        if (reason._tag === "AuthenticationError") {
          assert.deepStrictEqual(exit, Exit.succeed("connect again"))
          assert.deepStrictEqual(seen, [reason, "tasks"])
        } else {
          assert.isTrue(Exit.isFailure(exit) && (Cause.squash(exit.cause) as ToolSourceError.ToolSourceError).reason === reason)
          assert.deepStrictEqual(seen, [])
        }
      }
    }))

  it("is encoded to JSON and decoded to an instance with the same reason [R-000-081]", () => {
    const codec = Schema.toCodecJson(ToolSourceError.ToolSourceError)
    for (const [at, Reason] of Reasons.entries()) {
      for (const fields of [{}, { description: "why" }, { description: "why", cause: new Error("underneath") }]) {
        const text = JSON.stringify(Schema.encodeSync(codec)(errorOf(new Reason(fields))))
        const decoded = Schema.decodeUnknownSync(codec)(JSON.parse(text))
        assert.instanceOf(decoded, ToolSourceError.ToolSourceError)
        assert.strictEqual(decoded.source, "tasks")
        assert.isTrue(decoded.reason instanceof Reason)
        assert.strictEqual(decoded.reason._tag, tags[at])
        assert.strictEqual(decoded.reason.description, "description" in fields ? "why" : undefined)
        assert.strictEqual((decoded.reason.cause as Error | undefined)?.message, "cause" in fields ? "underneath" : undefined)
        assert.strictEqual(decoded.isRetryable, tags[at] === "UnavailableError")
      }
    }
  })
})

describe("what a model reads of a failure", () => {
  it("is the description, where that is written for it [R-000-076]", () => {
    for (const Reason of [ToolSourceError.InvalidInputError, ToolSourceError.CallFailedError]) {
      assert.strictEqual(new Reason({ description: "The repository is archived." }).modelMessage, "The repository is archived.")
      assert.notStrictEqual(new Reason({}).modelMessage, "")
    }
  })

  it("is a fixed text for every other reason, whatever its description [R-000-077]", () => {
    const others = Reasons.filter((Reason) => !told.has(new Reason({})._tag))
    assert.lengthOf(others, 6)
    const texts = others.map((Reason) => {
      const { modelMessage } = new Reason({})
      assert.isAbove(modelMessage.length, 10)
      for (const description of ["", "short", secret]) assert.strictEqual(new Reason({ description }).modelMessage, modelMessage)
      assert.strictEqual(new Reason({ description: secret, cause: new Error(secret) }).modelMessage, modelMessage)
      return modelMessage
    })
    assert.lengthOf(new Set(texts), 6)
  })

  it.effect("holds no address and no token of a description that is not for it [R-000-078]", () =>
    Effect.gen(function*() {
      const others = Reasons.filter((Reason) => !told.has(new Reason({})._tag))
      const source = recording("tasks", (_, input) =>
        Effect.fail(errorOf(new others[input["at"] as number]!({ description: secret, cause: new Error(secret) }))))
      const toolkit = yield* ToolSource.toolkit(source, [define("run")])
      const parts = yield* turn(toolkit, calling(...others.map((_, at) => call(`c${at}`, "run", { at }))))
      const results = resultsOf(parts)
      assert.deepStrictEqual(
        results.map(({ result }) => (result as ToolSource.Failure).code),
        tags.filter((tag) => !told.has(tag))
      )
      for (const part of ["hunter2", "internal.example.com", "tok_12345", "https://"]) assert.notInclude(JSON.stringify(parts), part)
    }))

  it.effect("names the reason by its tag [R-000-079]", () =>
    Effect.gen(function*() {
      const source = recording("tasks", (_, input) => Effect.fail(errorOf(new Reasons[input["at"] as number]!({}))))
      const toolkit = yield* ToolSource.toolkit(source, [define("run")])
      const parts = yield* turn(toolkit, calling(...Reasons.map((_, at) => call(`c${at}`, "run", { at }))))
      assert.deepStrictEqual(resultsOf(parts).map(({ result }) => (result as ToolSource.Failure).code), tags)
      assert.deepStrictEqual(Reasons.map((Reason) => new Reason({}).code), tags as never)
    }))

  it.effect("is that the call failed when a tool answers more than a tool can return [R-000-080]", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* answering(textOf(100), { maxAnswerLength: 100 }).call("list", {}), "x".repeat(98))
      const { reason } = yield* Effect.flip(answering(textOf(101), { maxAnswerLength: 100 }).call("list", {}))
      assert.strictEqual(reason._tag, "CallFailedError")
      const toolkit = yield* ToolSource.toolkit(answering(textOf(101), { maxAnswerLength: 100 }), [define("list")])
      const [result] = resultsOf(yield* turn(toolkit, calling(call("c1", "list"))))
      assert.strictEqual(result!.isFailure, true)
      const { code, message, retryable } = result!.result as ToolSource.Failure
      assert.deepStrictEqual({ code, retryable }, { code: "CallFailedError", retryable: false })
      assert.match(message, /longer than 100 characters.*less/)
    }))
})
