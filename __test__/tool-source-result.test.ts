import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect } from "effect"
import { ToolSource, ToolSourceError } from "../ts/index.ts"
import { call, calling, define, diagnostics, modes, recording, resultsOf, scripted, turn } from "./support/language-model.ts"

const failing = (reason: ToolSourceError.ToolSourceErrorReason) => Effect.fail(ToolSourceError.make({ source: "hub", reason }))

/** The one result of a source that does `answer`, through `generateText`. */
const resultOf = (answer: () => Effect.Effect<unknown, ToolSourceError.ToolSourceError>) =>
  Effect.gen(function*() {
    const toolkit = yield* ToolSource.toolkit(recording("hub", answer), [define("run")])
    const results = resultsOf(yield* turn(toolkit, calling(call("c1", "run"))))
    assert.lengthOf(results, 1)
    return results[0]!
  })

const sourceFailed = { code: "UnknownError", message: "The source failed.", retryable: false }

/** Ways to be a defect, each with a text that nobody but an operator may read. */
const defects: ReadonlyArray<readonly [string, () => Effect.Effect<unknown, ToolSourceError.ToolSourceError>]> = [
  ["die", () => Effect.die(new Error("secret at https://internal"))],
  ["die with a text", () => Effect.die("secret at https://internal")],
  ["a failure that is none of ToolSourceError", () => Effect.fail(new Error("secret at https://internal") as never)],
  ["a failure and a defect", () =>
    Effect.failCause(Cause.combine(
      Cause.fail(ToolSourceError.make({ source: "hub", reason: new ToolSourceError.CallFailedError({ description: "secret" }) })),
      Cause.die(new Error("secret at https://internal"))
    ))]
]

const throwing: ReadonlyArray<readonly [string, () => Effect.Effect<unknown, ToolSourceError.ToolSourceError>]> = [
  ["throws an error", () => {
    throw new Error("secret at https://internal")
  }],
  ["throws a text", () => {
    // oxlint-disable-next-line no-throw-literal -- a source may throw anything
    throw "secret at https://internal"
  }]
]

const cyclic = () => {
  const value: Record<string, unknown> = { list: [] }
  value["list"] = [{ up: value }]
  return value
}

const nested = (levels: number): unknown => {
  let value: unknown = {}
  for (let level = 1; level < levels; level++) value = level % 2 === 0 ? { value } : [value]
  return value
}

class Point {
  constructor(readonly x: number) {}
}

describe("a call that succeeds", () => {
  for (const { ask, mode } of modes) {
    it.effect(`is its JSON, as the result and as the encoded one, through ${mode} [R-000-045]`, () =>
      Effect.gen(function*() {
        const answers = [null, true, 0, -1.5, "", "text", [], [1, [null]], {}, { a: { b: ["c"] } }, Object.assign(Object.create(null), { a: 1 })]
        for (const answer of answers) {
          const toolkit = yield* ToolSource.toolkit(recording("hub", () => Effect.succeed(answer)), [define("run")])
          const [result, ...others] = resultsOf(yield* Effect.provide(ask({ toolkit }), scripted(calling(call("c1", "run"))).layer))
          assert.deepStrictEqual(others, [])
          assert.strictEqual(result!.isFailure, false)
          assert.deepEqual(result!.result, answer)
          assert.deepEqual(result!.encodedResult, answer)
        }
      }))
  }

  it.effect("may share an object in its answer, nest deep and come from another realm", () =>
    Effect.gen(function*() {
      const part = { id: 1 }
      for (const answer of [{ a: part, b: [part, part] }, nested(400), runInNewContext("({ list: [1, { a: null }] })")]) {
        const { isFailure, result } = yield* resultOf(() => Effect.succeed(answer))
        assert.strictEqual(isFailure, false)
        assert.strictEqual(result, answer)
      }
    }))
})

describe("a call that fails", () => {
  it.effect("is code, message and retryable, and nothing else [R-000-046]", () =>
    Effect.gen(function*() {
      const said = yield* resultOf(() => failing(new ToolSourceError.CallFailedError({ description: "No such repository.", cause: new Error("internal") })))
      assert.strictEqual(said.isFailure, true)
      const failure = { code: "CallFailedError", message: "No such repository.", retryable: false }
      assert.deepStrictEqual(said.result, failure)
      assert.deepStrictEqual(said.encodedResult, failure)
      const down = yield* resultOf(() => failing(new ToolSourceError.UnavailableError({ description: "https://internal is down" })))
      assert.strictEqual(down.isFailure, true)
      assert.deepStrictEqual(down.result, {
        code: "UnavailableError",
        message: "The source is not available at the moment.",
        retryable: true
      })
    }))

  for (const { ask, mode } of modes) {
    it.effect(`leaves the turn of ${mode} a success, whatever failed [R-000-047]`, () =>
      Effect.gen(function*() {
        const reasons = ToolSourceError.ToolSourceErrorReason.members.map((Reason) => () => failing(new Reason({})))
        const endings = [...reasons, ...defects.map(([, run]) => run), ...throwing.map(([, run]) => run), () => Effect.succeed(10n)]
        const source = recording("hub", (_, input) => endings[input["at"] as number]!())
        const toolkit = yield* ToolSource.toolkit(source, [define("run")])
        for (const tool of Object.values(toolkit.tools)) assert.strictEqual(tool.failureMode, "return")
        const calls = endings.map((_, at) => call(`c${at}`, "run", { at }))
        const parts = yield* ask({ toolkit }).pipe(
          Effect.provide(scripted(calling(...calls, call("bad", "run", "no object"))).layer),
          Effect.provide(diagnostics().layer)
        )
        const results = resultsOf(parts)
        assert.lengthOf(results, endings.length + 1)
        assert.isTrue(results.every(({ isFailure }) => isFailure))
      }))
  }
})

describe("a defect of a source", () => {
  it.effect("is a failure that says no more than that the source failed [R-000-048]", () =>
    Effect.gen(function*() {
      for (const [name, run] of defects) {
        const { encodedResult, isFailure, result } = yield* Effect.provide(resultOf(run), diagnostics().layer)
        assert.strictEqual(isFailure, true, name)
        assert.deepStrictEqual(result, sourceFailed, name)
        assert.deepStrictEqual(encodedResult, sourceFailed, name)
      }
    }))

  it.effect("is one likewise when the call throws [R-000-049]", () =>
    Effect.gen(function*() {
      for (const [name, run] of throwing) {
        const caught = diagnostics()
        const { isFailure, result } = yield* Effect.provide(resultOf(run), caught.layer)
        assert.strictEqual(isFailure, true, name)
        assert.deepStrictEqual(result, sourceFailed, name)
        assert.lengthOf(caught.logs, 1, name)
        assert.lengthOf(caught.reports, 1, name)
      }
    }))

  it.effect("is one likewise when the call gives no Effect", () =>
    Effect.gen(function*() {
      // A rejection that nobody handled would fail the run.
      for (const make of [() => undefined, () => null, () => ({ not: "an effect" }), () => Promise.resolve(1), () => Promise.reject(new Error("secret"))]) {
        const { layer, reports } = diagnostics()
        const { result } = yield* Effect.provide(resultOf(make as never), layer)
        assert.deepStrictEqual(result, sourceFailed)
        assert.match(reports[0]!.message, /Effect/)
      }
    }))

  it.effect("is logged as an error with its cause, the source and the tool [R-000-050]", () =>
    Effect.gen(function*() {
      const defect = new Error("disk full")
      const { layer, logs } = diagnostics()
      yield* Effect.provide(resultOf(() => Effect.die(defect)), layer)
      assert.lengthOf(logs, 1)
      const { cause, level, message } = logs[0]!
      assert.strictEqual(level, "Error")
      assert.match(message, /hub.*run/)
      assert.strictEqual(Cause.squash(cause), defect)
    }))

  it.effect("is reported [R-000-051]", () =>
    Effect.gen(function*() {
      const { layer, reports } = diagnostics()
      yield* Effect.provide(resultOf(() => Effect.die(new Error("disk full"))), layer)
      assert.deepStrictEqual(reports.map(({ message }) => message), ["disk full"])
    }))

  it.effect("is what is logged and reported: a failure that the source means is neither", () =>
    Effect.gen(function*() {
      const { layer, logs, reports } = diagnostics()
      for (const Reason of ToolSourceError.ToolSourceErrorReason.members) yield* Effect.provide(resultOf(() => failing(new Reason({}))), layer)
      yield* Effect.provide(resultOf(() => Effect.succeed("fine")), layer)
      assert.deepStrictEqual(logs, [])
      assert.deepStrictEqual(reports, [])
    }))
})

describe("an answer that is not JSON", () => {
  it.effect("is a failure that the model reads, and is logged and reported [R-000-057]", () =>
    Effect.gen(function*() {
      const answers: ReadonlyArray<readonly [string, unknown, string]> = [
        ["a class instance", new Point(1), "a Point"],
        ["a Date", { when: new Date(0) }, "when: a Date"],
        ["a Map", [0, new Map()], "[1]: a Map"],
        ["bytes", { bytes: new Uint8Array(2) }, "bytes: a Uint8Array"],
        ["an Error", new Error("secret"), "a Error"],
        ["undefined", undefined, "undefined"],
        ["undefined inside", { a: [{ b: undefined }] }, "a[0].b: undefined"],
        ["a hole in a list", Array.from({ length: 3 }).fill(1, 1), "[0]: undefined"],
        ["a cycle", cyclic(), "list[0].up: an object that holds itself"],
        ["100,000 levels", nested(100_000), "levels"],
        ["NaN", NaN, "NaN"],
        ["an infinity inside", [1, -Infinity], "[1]: -Infinity"],
        ["a bigint", { big: 10n }, "big: a bigint"],
        ["a function", { toJSON: () => "text" }, "toJSON: a function"],
        ["a symbol", Symbol("secret"), "a symbol"]
      ]
      for (const [name, answer, place] of answers) {
        const { layer, logs, reports } = diagnostics()
        const { encodedResult, isFailure, result } = yield* Effect.provide(resultOf(() => Effect.succeed(answer)), layer)
        const failure = { code: "InvalidResponseError", message: "The source answered with something that cannot be read.", retryable: false }
        assert.strictEqual(isFailure, true, name)
        assert.deepStrictEqual(result, failure, name)
        assert.deepStrictEqual(encodedResult, failure, name)
        assert.lengthOf(logs, 1, name)
        assert.lengthOf(reports, 1, name)
        assert.match(reports[0]!.message, /not JSON/, name)
        assert.include(reports[0]!.message, place, name)
      }
    }))

  it.effect("is one also when looking at it throws", () =>
    Effect.gen(function*() {
      const trap = new Proxy({}, {
        getPrototypeOf: () => {
          throw new Error("secret")
        }
      })
      const getter = {
        get value(): never {
          throw new Error("secret")
        }
      }
      for (const answer of [trap, getter]) {
        const { isFailure, result } = yield* Effect.provide(resultOf(() => Effect.succeed(answer)), diagnostics().layer)
        assert.strictEqual(isFailure, true)
        assert.notInclude(JSON.stringify(result), "secret")
      }
    }))
})
