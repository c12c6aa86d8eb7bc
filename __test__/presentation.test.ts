import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Data, Deferred, Effect, Exit, Fiber, Option, Schema, Stream } from "effect"
import { AiError, Tool } from "effect/ai"
import { Assembly, Presentation, ToolSource, ToolSourceError } from "../ts/index.ts"
import { call, calling, define, modes, recording, scripted } from "./support/language-model.ts"
import { Clerk, conversation, type Kit, kit, resultOf, results, typed } from "./support/presented.ts"

const hub = (name = "hub") => recording(name)

const assembled = Effect.gen(function*() {
  const source = hub()
  const definitions = [
    define("list", { inputSchema: { type: "object", properties: { page: { type: "integer" } }, required: ["page"], additionalProperties: false } }),
    define("delete"),
    define("blocked")
  ]
  const toolkit = yield* Assembly.toolkit([{ source, definitions }], (_, { name }) => name === "list" ? "allow" : name === "delete" ? "approve" : "block")
  return { source, toolkit }
})

const failureOf = (presented: Kit, name: string, input: unknown = {}) => Effect.flip(Presentation.call(presented, name, input))

const callFailed = (message: string): ToolSource.Failure => ({ code: "CallFailedError", message, retryable: false })

const standard = (reason: ToolSourceError.ToolSourceErrorReason): ToolSource.Failure => ({
  code: reason.code,
  message: reason.modelMessage,
  retryable: reason.isRetryable
})

/** All that a call gives, in order. */
const given = (toolkit: Kit, name: string) =>
  toolkit.handle(name, {}).pipe(
    Stream.unwrap,
    Stream.runCollect,
    Effect.map((results) => results.map(({ encodedResult, isFailure, preliminary }) => ({ encodedResult, isFailure, preliminary })))
  )

/** A tool that has everything a tool may have. */
const marked = Tool.make("erase", { description: "Erases a line.", parameters: Schema.Struct({ line: Schema.Int }), success: Schema.String, needsApproval: true })
  .annotate(Tool.Title, "Erase").annotate(Tool.Readonly, false).annotate(Tool.Destructive, true).annotate(Tool.Idempotent, true)
  .annotate(Tool.OpenWorld, false).annotate(Tool.Strict, false)

describe("call", () => {
  it.effect("runs a tool and gives its result as JSON, of an assembly and of typed tools [R-000-320]", () =>
    Effect.gen(function*() {
      const { source, toolkit } = yield* assembled
      assert.deepStrictEqual(yield* Presentation.call(toolkit, "hub__list", { page: 2 }), { from: "hub", tool: "list", input: { page: 2 } })
      assert.deepStrictEqual(source.calls, [{ tool: "list", input: { page: 2 } }])
      const { handled, toolkit: kinds } = yield* typed
      assert.strictEqual(yield* Presentation.call(kinds, "greet", { name: "Ada" }), "Hello, Ada.")
      // The handler gets what its schema makes of the input, and the result is what its schema makes of that.
      const postponed = yield* Presentation.call(kinds, "postpone", { at: "2026-01-30T00:00:00.000Z", days: "2" })
      assert.deepStrictEqual(postponed, { at: "2026-02-01T00:00:00.000Z" })
      assert.deepStrictEqual(handled[1]!.input, { at: new Date("2026-01-30T00:00:00.000Z"), days: 2 })
    }))

  it.effect("gives what a provider would send of a result: no member that is undefined, and a date as its text [R-000-320]", () =>
    Effect.gen(function*() {
      const at = new Date(0)
      for (const value of [{ a: "x", note: undefined, at }, { at, list: [at, null] }, at]) {
        const toolkit = yield* kit([Tool.make("odd", { success: Schema.Unknown }), () => Effect.succeed(value)])
        assert.deepStrictEqual(yield* Presentation.call(toolkit, "odd", {}), JSON.parse(JSON.stringify(value)))
      }
    }))

  it.effect("tells the handler the id of the call, where there is one", () =>
    Effect.gen(function*() {
      const { handled, toolkit } = yield* typed
      yield* Presentation.call(toolkit, "greet", { name: "Ada" }, "call-7")
      yield* Presentation.call(toolkit, "greet", { name: "Ada" })
      assert.deepStrictEqual(handled.map(({ id }) => id), ["call-7", undefined])
    }))

  it.effect("gives null for a tool that gives nothing [R-000-321]", () =>
    Effect.gen(function*() {
      const toolkit = yield* kit(
        [Tool.make("void"), () => Effect.void],
        [Tool.make("undefined", { success: Schema.Undefined }), () => Effect.succeed(undefined)],
        [Tool.make("null", { success: Schema.Null }), () => Effect.succeed(null)],
        [Tool.make("perhaps", { success: Schema.UndefinedOr(Schema.String) }), () => Effect.succeed(undefined)]
      )
      for (const name of Object.keys(toolkit.tools)) assert.strictEqual(yield* Presentation.call(toolkit, name, {}), null, name)
      assert.strictEqual(yield* Presentation.call((yield* typed).toolkit, "tidy", {}), null)
    }))

  describe("fails as a Failure, whatever the tool's own failure is", () => {
    class Broken extends Schema.Error<Broken>("test/Broken")({ _tag: Schema.tag("Broken"), message: Schema.String, secret: Schema.String }) {}

    const failures: ReadonlyArray<readonly [string, Schema.Top, unknown, ToolSource.Failure]> = [
      ["a Failure, as it is", ToolSource.Failure, { code: "Busy", message: "Later.", retryable: true }, { code: "Busy", message: "Later.", retryable: true }],
      ["a text", Schema.String, "It is closed.", callFailed("It is closed.")],
      ["an object", Schema.Struct({ lost: Schema.String }), { lost: "the key" }, callFailed("{\"lost\":\"the key\"}")],
      ["an object with a message", Schema.Struct({ message: Schema.String }), { message: "It is closed." }, callFailed("It is closed.")],
      ["a number", Schema.Number, 7, callFailed("7")],
      ["an error", Broken, new Broken({ message: "It broke.", secret: "s3cret" }), callFailed("It broke.")],
      ["what has no words", Schema.String, "", standard(new ToolSourceError.CallFailedError({}))]
    ]
    for (const failureMode of ["return", "error"] as const) {
      for (const [kind, failure, error, expected] of failures) {
        it.effect(`${kind}, which it has by the mode "${failureMode}" [R-000-322]`, () =>
          Effect.gen(function*() {
            const toolkit = yield* kit([Tool.make("fail", { failure, failureMode }), () => Effect.fail(error)])
            assert.deepStrictEqual(yield* failureOf(toolkit, "fail"), expected)
          }))
      }

      it.effect(`an input that its schema refuses, by the mode "${failureMode}" [R-000-322]`, () =>
        Effect.gen(function*() {
          const calls: Array<unknown> = []
          const toolkit = yield* kit([
            Tool.make("strict", { parameters: Schema.Struct({ page: Schema.Int }), failureMode }),
            (input) => Effect.sync(() => void calls.push(input))
          ])
          for (const input of [{}, { page: "1" }, null, undefined, "page", [1]]) {
            const failure = yield* failureOf(toolkit, "strict", input)
            assert.strictEqual(failure.code, "InvalidInputError")
            assert.isFalse(failure.retryable)
            assert.isNotEmpty(failure.message)
          }
          assert.include((yield* failureOf(toolkit, "strict", { page: "1" })).message, "page")
          assert.deepStrictEqual(calls, [])
        }))

      it.effect(`a result that is not what it says, by the mode "${failureMode}" [R-000-322]`, () =>
        Effect.gen(function*() {
          const toolkit = yield* kit([Tool.make("wrong", { success: Schema.String, failureMode }), () => Effect.succeed(7)])
          assert.deepStrictEqual(yield* failureOf(toolkit, "wrong"), standard(new ToolSourceError.InvalidResponseError({})))
        }))

      it.effect(`an error of a source, of which a model reads what it may, by the mode "${failureMode}" [R-000-322]`, () =>
        Effect.gen(function*() {
          for (const reason of [new ToolSourceError.UnavailableError({ description: "https://internal" }), new ToolSourceError.CallFailedError({ description: "No such page." })]) {
            const fail = Effect.fail(ToolSourceError.make({ source: "hub", reason }))
            const toolkit = yield* kit([Tool.make("fail", { failure: ToolSourceError.ToolSourceError, failureMode }), () => fail])
            assert.deepStrictEqual(yield* failureOf(toolkit, "fail"), standard(reason))
          }
        }))

      it.effect(`a reason of Effect's own errors, by the mode "${failureMode}" [R-000-322]`, () =>
        Effect.gen(function*() {
          const reason = new AiError.InvalidRequestError({ description: "Too many." })
          const toolkit = yield* kit([Tool.make("fail", { failureMode }), () => Effect.fail(reason)])
          const failure = yield* failureOf(toolkit, "fail")
          assert.strictEqual(failure.code, "CallFailedError")
          assert.include(failure.message, "Too many.")
        }))
    }

    it.effect("an error of which nothing but its message may be told, where no schema writes it", () =>
      Effect.gen(function*() {
        class Lost extends Data.TaggedError("Lost")<{ readonly dsn: string }> {}
        const toolkit = yield* kit([Tool.make("fail", { failureMode: "error" }), () => Effect.fail(new Lost({ dsn: "s3cret" }))])
        assert.deepStrictEqual(yield* failureOf(toolkit, "fail"), standard(new ToolSourceError.CallFailedError({})))
      }))

    for (const failureMode of ["return", "error"] as const) {
      it.effect(`an error of the handler that is one of Effect's, which is not this tool's, by the mode "${failureMode}"`, () =>
        Effect.gen(function*() {
          const reasons = [
            new AiError.ToolNotFoundError({ toolName: "sub", availableTools: [] }),
            new AiError.ToolParameterValidationError({ toolName: "sub", description: "no page" })
          ]
          for (const reason of reasons) {
            const error = AiError.make({ module: "Toolkit", method: "sub.handle", reason })
            const toolkit = yield* kit([Tool.make("fail", { failureMode }), () => Effect.fail(error)])
            assert.strictEqual((yield* failureOf(toolkit, "fail")).code, "CallFailedError")
          }
        }))
    }

    it.effect("a tool of the model's provider, which does not run here", () =>
      Effect.gen(function*() {
        const webSearch = Tool.providerDefined({ id: "some.web_search", customName: "WebSearch", providerName: "web_search" })(undefined)
        const toolkit = yield* kit([webSearch as unknown as Tool.Any, () => Effect.void])
        assert.strictEqual((yield* failureOf(toolkit, "WebSearch")).code, "NotFoundError")
      }))

    it.effect("a result that is no JSON [R-000-322]", () =>
      Effect.gen(function*() {
        const cyclic: Record<string, unknown> = {}
        cyclic["self"] = cyclic
        for (const value of [new Map(), new Set([1]), 10n, NaN, { a: [Infinity] }, () => 1, [undefined], { a: () => 1 }, [Symbol("a")], cyclic]) {
          const toolkit = yield* kit([Tool.make("odd", { success: Schema.Unknown }), () => Effect.succeed(value)])
          assert.deepStrictEqual(yield* failureOf(toolkit, "odd"), standard(new ToolSourceError.InvalidResponseError({})))
        }
      }))

    it.effect("each of a source's, as a direct call reads it [R-000-322]", () =>
      Effect.gen(function*() {
        const reasons = [
          new ToolSourceError.AuthenticationError({ description: "https://internal" }),
          new ToolSourceError.CallFailedError({ description: "No such page." }),
          new ToolSourceError.UnavailableError({ description: "https://internal" }),
          new ToolSourceError.UnknownError({ description: "https://internal" })
        ]
        for (const reason of reasons) {
          const source = recording("hub", () => Effect.fail(ToolSourceError.make({ source: "hub", reason })))
          const toolkit = yield* ToolSource.toolkit(source, [define("list")])
          assert.deepStrictEqual(yield* failureOf(toolkit, "list"), standard(reason))
          assert.deepStrictEqual((yield* resultOf(toolkit, "list", {})).encodedResult, standard(reason))
        }
        const { source, toolkit } = yield* assembled
        const refused = yield* failureOf(toolkit, "hub__list", { page: "two" })
        assert.deepStrictEqual(refused, (yield* resultOf(toolkit, "hub__list", { page: "two" })).encodedResult)
        assert.strictEqual(refused.code, "InvalidInputError")
        assert.deepStrictEqual(source.calls, [])
      }))

    it.effect("a long one, cut where a model would read no further", () =>
      Effect.gen(function*() {
        for (const error of ["😀".repeat(500_000), { lost: "x".repeat(1_000_000) }, { message: "y".repeat(1_000_000) }]) {
          const toolkit = yield* kit([Tool.make("fail", { failure: Schema.Unknown, failureMode: "return" }), () => Effect.fail(error)])
          const { message } = yield* failureOf(toolkit, "fail")
          assert.isAtMost(message.length, 2001)
          assert.isAbove(message.length, 1000)
          assert.isTrue(message.isWellFormed())
          assert.isTrue(message.endsWith("…"))
        }
      }))
  })

  it.effect("fails as NotFoundError for a name that is no tool [R-000-323]", () =>
    Effect.gen(function*() {
      const { toolkit: sources } = yield* assembled
      const { toolkit: kinds } = yield* typed
      for (const toolkit of [sources, kinds]) {
        for (const name of ["nope", "", "hub__blocked", "__proto__", "toString", "constructor", "hasOwnProperty", "greet ", "GREET"]) {
          const failure = yield* failureOf(toolkit, name)
          assert.deepStrictEqual([failure.code, failure.retryable], ["NotFoundError", false], name)
          assert.include(failure.message, JSON.stringify(name))
        }
      }
      // A toolkit that would answer to any name is not asked.
      const asked: Array<string> = []
      const answering: Kit = {
        tools: { ...kinds.tools },
        handle: (name, ...rest) => {
          asked.push(name as string)
          return kinds.handle(name, ...rest)
        }
      }
      for (const name of ["nope", "__proto__", "toString"]) assert.strictEqual((yield* failureOf(answering, name)).code, "NotFoundError")
      assert.deepStrictEqual(asked, [])
    }))

  it.effect("does not take a preliminary result for the result [R-000-326]", () =>
    Effect.gen(function*() {
      const { toolkit } = yield* typed
      assert.strictEqual(yield* Presentation.call(toolkit, "count", {}), 3)
      const failing = yield* kit(
        [
          Tool.make("return", { success: Schema.Number, failure: Schema.String, failureMode: "return" }),
          (_, { preliminary }) => Effect.andThen(preliminary(1), Effect.fail("stuck"))
        ],
        [Tool.make("error", { success: Schema.Number, failure: Schema.String }), (_, { preliminary }) => Effect.andThen(preliminary(1), Effect.fail("stuck"))]
      )
      for (const name of ["return", "error"]) assert.deepStrictEqual(yield* failureOf(failing, name), callFailed("stuck"))
      // Nothing but preliminary results: the tool gave nothing.
      const unfinished: Kit = {
        tools: toolkit.tools,
        handle: () => Effect.succeed(Stream.make({ result: 1, encodedResult: 1, isFailure: false, preliminary: true })) as never
      }
      assert.strictEqual(yield* Presentation.call(unfinished, "count", {}), null)
    }))

  it.effect("leaves a defect a defect, as a direct call does", () =>
    Effect.gen(function*() {
      const defect = new Error("boom")
      const toolkit = yield* kit(
        [Tool.make("die"), () => Effect.die(defect)],
        [Tool.make("throw"), () => {
          throw defect
        }]
      )
      for (const name of ["die", "throw"]) {
        const exit = yield* Effect.exit(Presentation.call(toolkit, name, {}))
        assert.isTrue(Exit.isFailure(exit) && !Cause.hasFails(exit.cause) && Cause.squash(exit.cause) === defect)
      }
    }))

  it.effect("stops the tool when it is interrupted, and ends by that alone", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      const events: Array<string> = []
      const toolkit = yield* kit([Tool.make("wait"), () =>
        Deferred.succeed(started, undefined).pipe(
          Effect.andThen(Effect.never),
          Effect.onInterrupt(() => Effect.sync(() => void events.push("interrupted")))
        )])
      const fiber = yield* Effect.forkChild(Presentation.call(toolkit, "wait", {}))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.deepStrictEqual(events, ["interrupted"])
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
    }))

  it.effect("needs the services that the tool needs", () =>
    Effect.gen(function*() {
      const { toolkit } = yield* typed
      assert.strictEqual(yield* Effect.provideService(Presentation.call(toolkit, "ask_clerk", {}), Clerk, "Bartleby"), "Bartleby says so.")
    }))
})

describe("restrict", () => {
  it.effect("keeps the chosen tools, which run as in the toolkit they come from [R-000-324]", () =>
    Effect.gen(function*() {
      for (const { ask, mode } of modes) {
        const { handled, toolkit } = yield* typed
        const chosen: ReadonlyArray<readonly [string, Kit]> = [
          ["names", Presentation.restrict(toolkit, ["seek", "greet", "nope", "toString", "__proto__"])],
          ["a set of names", Presentation.restrict(toolkit, new Set(["greet", "seek"]))],
          ["a predicate of the name", Presentation.restrict(toolkit, (_, name) => name === "greet" || name === "seek")],
          ["a predicate of the tool", Presentation.restrict(toolkit, ({ name }: Tool.Any) => ["greet", "seek"].includes(name))],
          ["twice", Presentation.restrict(Presentation.restrict(toolkit, ["greet", "seek", "tidy"]), ["greet", "seek"])]
        ]
        for (const [way, some] of chosen) {
          const model = scripted(calling(call("c1", "greet", { name: way }), call("c2", "seek")))
          const found = yield* Effect.provide(ask({ toolkit: some }), model.layer)
          assert.deepStrictEqual(model.requests[0]!.tools.map(({ name }) => name), ["greet", "seek"], `${way} under ${mode}`)
          const answers = found.flatMap((part) => part.type === "tool-result" ? [[part.id, part.isFailure, part.encodedResult]] : [])
          assert.sameDeepMembers(answers, [["c1", false, `Hello, ${way}.`], ["c2", true, { lost: "the key" }]])
          assert.deepStrictEqual(handled.at(-2)!.id, "c1")
        }
      }
    }))

  it.effect("takes one name for a name, not for its letters [R-000-324]", () =>
    Effect.gen(function*() {
      const toolkit = yield* kit([Tool.make("list"), () => Effect.void], [Tool.make("l"), () => Effect.void])
      assert.deepStrictEqual(Object.keys(Presentation.restrict(toolkit, "list").tools), ["list"])
    }))

  it.effect("runs no other tool, in no way [R-000-324]", () =>
    Effect.gen(function*() {
      const { handled, toolkit } = yield* typed
      const some = Presentation.restrict(toolkit, ["greet"])
      for (const name of ["tidy", "count", "nope", "toString", "__proto__", "constructor", ""]) {
        const error = yield* Effect.flip(some.handle(name, {}))
        assert.strictEqual(error.reason._tag, "ToolNotFoundError", name)
        assert.strictEqual((yield* failureOf(some, name)).code, "NotFoundError", name)
      }
      const none = Presentation.restrict(toolkit, [])
      assert.deepStrictEqual(Object.keys(none.tools), [])
      assert.strictEqual((yield* failureOf(none, "greet")).code, "NotFoundError")
      assert.strictEqual((yield* failureOf(Presentation.restrict(toolkit, () => false), "greet")).code, "NotFoundError")
      assert.deepStrictEqual(handled, [])
    }))

  it.effect("takes names that every object has for names of tools", () =>
    Effect.gen(function*() {
      const names = ["__proto__", "toString", "constructor"]
      const toolkit = yield* kit(...names.map((name) => [Tool.make(name, { success: Schema.String }), () => Effect.succeed(name)] as const))
      for (const some of [Presentation.restrict(toolkit, names), Presentation.merge(toolkit, toolkit), Presentation.restrict(toolkit, () => true)]) {
        assert.deepStrictEqual(Object.keys(some.tools), names)
        for (const name of names) assert.strictEqual(yield* Presentation.call(some, name, {}), name)
      }
    }))
})

describe("merge", () => {
  it.effect("holds the tools of both, each of which runs in the toolkit it comes from [R-000-325]", () =>
    Effect.gen(function*() {
      const { handled, toolkit: kinds } = yield* typed
      const { source, toolkit: sources } = yield* assembled
      const both = Presentation.merge(kinds, sources)
      assert.deepStrictEqual(Object.keys(both.tools), [...Object.keys(kinds.tools), "hub__list", "hub__delete"])
      for (const { ask, mode } of modes) {
        const answers = yield* results(both, calling(call("c1", "greet", { name: "Ada" }), call("c2", "hub__list", { page: 1 })), { ask, mode })
        assert.deepStrictEqual(answers.map(({ encodedResult }) => encodedResult), ["Hello, Ada.", { from: "hub", tool: "list", input: { page: 1 } }])
      }
      assert.deepStrictEqual(handled.map(({ id, tool }) => [tool, id]), [["greet", "c1"], ["greet", "c1"]])
      assert.lengthOf(source.calls, 2)
      for (const name of ["nope", "hub__blocked", "toString", "__proto__"]) assert.strictEqual((yield* failureOf(both, name)).code, "NotFoundError")
    }))

  it.effect("lets the second win where both have a name [R-000-329]", () =>
    Effect.gen(function*() {
      const [first, second] = yield* Effect.forEach(["first", "second"], (which) =>
        kit([Tool.make("which", { description: which, success: Schema.String }), () => Effect.succeed(which)], [Tool.make(which), () => Effect.void]))
      const merged = Presentation.merge(first!, second!)
      assert.deepStrictEqual(Object.keys(merged.tools).sort(), ["first", "second", "which"])
      assert.strictEqual(merged.tools["which"]!.description, "second")
      assert.strictEqual(yield* Presentation.call(merged, "which", {}), "second")
      assert.strictEqual(yield* Presentation.call(Presentation.merge(second!, first!), "which", {}), "first")
    }))

  it.effect("is of toolkits that are themselves merged, restricted and empty", () =>
    Effect.gen(function*() {
      const { toolkit } = yield* typed
      const { toolkit: sources } = yield* assembled
      const none = Presentation.restrict(sources, [])
      const again = Presentation.merge(Presentation.merge(none, Presentation.restrict(toolkit, ["greet"])), Presentation.merge(sources, none))
      assert.deepStrictEqual(Object.keys(again.tools), ["greet", "hub__list", "hub__delete"])
      assert.strictEqual(yield* Presentation.call(again, "greet", { name: "Ada" }), "Hello, Ada.")
      assert.deepStrictEqual(Object.keys(Presentation.merge(none, none).tools), [])
    }))
})

describe("restrict and merge", () => {
  const ways: ReadonlyArray<readonly [string, (toolkit: Kit) => Kit]> = [
    ["restrict", (toolkit) => Presentation.restrict(toolkit, () => true)],
    ["merge, as the first", (toolkit) => Presentation.merge(toolkit, Presentation.restrict(toolkit, []))],
    ["merge, as the second", (toolkit) => Presentation.merge(Presentation.restrict(toolkit, []), toolkit)]
  ]
  for (const [way, present] of ways) {
    it.effect(`keep what a tool is, and that it needs approval: ${way} [R-000-327]`, () =>
      Effect.gen(function*() {
        const asked: Array<unknown> = []
        const lines: Array<number> = []
        const perhaps = Tool.make("perhaps", {
          parameters: Schema.Struct({ line: Schema.Int }),
          success: Schema.String,
          needsApproval: (input, { toolCallId }) => {
            asked.push([input, toolCallId])
            return input.line > 10
          }
        })
        const erase = ({ line }: { readonly line: number }) => Effect.sync(() => `${lines.push(line)}`)
        const toolkit = yield* kit([marked, erase], [perhaps, erase])
        const presented = present(toolkit)
        const tool = presented.tools["erase"]!
        assert.deepStrictEqual(Context.getOption(tool.annotations, Tool.Title), Option.some("Erase"))
        const hints = [Tool.Readonly, Tool.Destructive, Tool.Idempotent, Tool.OpenWorld].map((hint) => Context.get(tool.annotations, hint))
        assert.deepStrictEqual(hints, [false, true, true, false])
        assert.strictEqual(Tool.getStrictMode(tool), false)
        assert.strictEqual(tool.needsApproval, true)
        assert.deepStrictEqual([tool.name, tool.description, Tool.getJsonSchema(tool)], [marked.name, marked.description, Tool.getJsonSchema(marked)])

        const said = calling(call("c1", "erase", { line: 1 }), call("c2", "perhaps", { line: 2 }), call("c3", "perhaps", { line: 30 }))
        for (const mode of modes) {
          const { after, asked, before } = yield* conversation(presented, said, true, mode)
          assert.sameMembers([...asked], ["c1", "c3"])
          assert.deepStrictEqual(before.map(({ id }) => id), ["c2"])
          assert.deepStrictEqual(after.map(({ id, isFailure }) => [id, isFailure]), [["c1", false], ["c3", false]])
        }
        assert.sameMembers(lines, [2, 1, 30, 2, 1, 30])
        assert.deepInclude(asked, [{ line: 30 }, "c3"])
      }))

    it.effect(`take a question about approval that fails for a yes: ${way}`, () =>
      Effect.gen(function*() {
        const questions: ReadonlyArray<Tool.NeedsApproval<any>> = [
          () => Effect.fail("no idea") as never,
          () => Effect.die("no idea"),
          () => {
            throw new Error("no idea")
          },
          () => undefined as never
        ]
        for (const needsApproval of questions) {
          let runs = 0
          const toolkit = yield* kit([Tool.make("erase", { needsApproval }), () => Effect.sync(() => void runs++)])
          for (const mode of modes) {
            const { asked } = yield* conversation(present(toolkit), calling(call("c1", "erase")), false, mode)
            assert.deepStrictEqual([[...asked], runs], [["c1"], 0])
          }
        }
      }))

    it.effect(`let preliminary results through: ${way} [R-000-328]`, () =>
      Effect.gen(function*() {
        const presented = present((yield* typed).toolkit)
        assert.deepStrictEqual(yield* given(presented, "count"), [
          { encodedResult: 1, isFailure: false, preliminary: true },
          { encodedResult: 2, isFailure: false, preliminary: true },
          { encodedResult: 3, isFailure: false, preliminary: false }
        ])
        const parts = yield* Effect.provide(modes[1]!.ask({ toolkit: presented }), scripted(calling(call("c1", "count"))).layer)
        const seen = parts.flatMap((part) => part.type === "tool-result" ? [[part.encodedResult, part.preliminary]] : [])
        assert.deepStrictEqual(seen, [[1, true], [2, true], [3, false]])
        assert.deepStrictEqual((yield* resultOf(presented, "count", {})).encodedResult, 3)
      }))
  }

  it.effect("give the owner all that it is asked with", () =>
    Effect.gen(function*() {
      const { toolkit } = yield* typed
      const seen: Array<ReadonlyArray<unknown>> = []
      const watched: Kit = {
        tools: toolkit.tools,
        handle: (...args) => {
          seen.push(args)
          return toolkit.handle(...args)
        }
      }
      const options = { onExcessProperty: "error" } as const
      yield* Presentation.restrict(watched, ["greet"]).handle("greet", { name: "Ada" }, "c1", options)
      yield* Presentation.merge(toolkit, watched).handle("greet", { name: "Ada" }, "c2", options)
      assert.deepStrictEqual(seen, [["greet", { name: "Ada" }, "c1", options], ["greet", { name: "Ada" }, "c2", options]])
    }))
})
