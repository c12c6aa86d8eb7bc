import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Schema, Stream } from "effect"
import { LanguageModel, Tool } from "effect/ai"
import { ToolSource, ToolSourceError } from "../ts/index.ts"
import {
  answered,
  askedOf,
  call,
  calling,
  define,
  diagnostics,
  finish,
  modes,
  outline,
  recording,
  resultsOf,
  saying,
  scripted,
  text
} from "./support/language-model.ts"

const definitions = [define("list", { annotations: { readOnly: true } }), define("delete")]

/** A source with its toolkit. */
const built = Effect.gen(function*() {
  const source = recording("hub")
  return { source, toolkit: yield* ToolSource.toolkit(source, definitions) }
})

const withTool = (toolkit: ToolSource.SourceToolkit, tool: ToolSource.SourceTool): ToolSource.SourceToolkit => ({
  ...toolkit,
  tools: { ...toolkit.tools, [tool.name]: tool }
})

describe("a toolkit of a source", () => {
  it.effect("is a toolkit of generateText, streamText and generateObject [R-003-01]", () =>
    Effect.gen(function*() {
      for (const { ask } of modes) {
        const { source, toolkit } = yield* built
        const { layer, requests } = scripted([text("Looking."), call("c1", "list", { page: 1 }), finish("tool-calls")])
        const parts = yield* Effect.provide(ask({ toolkit }), layer)
        assert.deepStrictEqual(resultsOf(parts).map(({ encodedResult }) => encodedResult), [{ from: "hub", tool: "list", input: { page: 1 } }])
        assert.deepStrictEqual(source.calls, [{ tool: "list", input: { page: 1 } }])
        assert.deepStrictEqual(requests[0]!.tools.map(({ name }) => name), ["list", "delete"])
      }
      const { source, toolkit } = yield* built
      const { layer, requests } = scripted([text("{\"due\":3}"), call("c1", "list", { page: 2 }), finish("tool-calls")])
      const response = yield* Effect.provide(
        LanguageModel.generateObject({ prompt: "How many are due?", schema: Schema.Struct({ due: Schema.Number }), toolkit }),
        layer
      )
      assert.deepStrictEqual(response.value, { due: 3 })
      assert.lengthOf(response.toolResults, 1)
      assert.deepStrictEqual(source.calls, [{ tool: "list", input: { page: 2 } }])
      assert.strictEqual(requests[0]!.responseFormat.type, "json")
    }))

  it.effect("handles a call as an Effect of a Stream, whose last element is the final result [R-003-02]", () =>
    Effect.gen(function*() {
      const source = recording("hub", (tool) =>
        tool === "list"
          ? Effect.succeed(["a"])
          : Effect.fail(ToolSourceError.make({ source: "hub", reason: new ToolSourceError.CallFailedError({ description: "No." }) })))
      const toolkit = yield* ToolSource.toolkit(source, definitions)
      const results = yield* Effect.forEach(["list", "delete"], (name) =>
        Effect.gen(function*() {
          const stream = yield* toolkit.handle(name, {}, "c1")
          assert.isTrue(Stream.isStream(stream))
          const last = (yield* Stream.runCollect(stream)).at(-1)!
          return [last.isFailure, last.result, last.encodedResult, last.preliminary]
        }))
      const failure = { code: "CallFailedError", message: "No.", retryable: false }
      assert.deepStrictEqual(results, [[false, ["a"], ["a"], false], [true, failure, failure, false]])
    }))

  it.effect("handles no call of a name that it does not have [R-003-03]", () =>
    Effect.gen(function*() {
      const { source, toolkit } = yield* built
      for (const name of ["nope", "toString", "__proto__", "hub__list", ""]) {
        const error = yield* Effect.flip(toolkit.handle(name, {}))
        assert.strictEqual(error._tag, "AiError")
        assert.strictEqual(error.reason._tag, "ToolNotFoundError")
        assert.deepInclude(error.reason, { toolName: name, availableTools: ["list", "delete"] })
      }
      assert.deepStrictEqual(source.calls, [])
    }))

  it.effect("has results that JSON can hold, failures and odd ones included [R-003-05]", () =>
    Effect.gen(function*() {
      const answers: ReadonlyArray<unknown> = ["text", null, [{ a: [1.5, "\ud800"] }], { __proto__: null, a: 1 }, undefined, NaN, new Date(0), 10n, new Map()]
      const source = recording("hub", (_, input) => input["at"] === -1 ? Effect.die("broken") : Effect.succeed(answers[input["at"] as number]))
      const toolkit = yield* ToolSource.toolkit(source, [define("run")])
      for (const at of [-1, ...answers.keys()]) {
        const results = yield* toolkit.handle("run", { at }).pipe(Stream.unwrap, Stream.runCollect, Effect.provide(diagnostics().layer))
        const { encodedResult } = results.at(-1)!
        const written = JSON.stringify(encodedResult)
        assert.isString(written)
        assert.deepEqual(JSON.parse(written), encodedResult)
      }
    }))

  it.effect("gives a stream that another fiber may consume than the one that made it [R-003-10]", () =>
    Effect.gen(function*() {
      const { source, toolkit } = yield* built
      const stream = yield* Fiber.join(yield* Effect.forkChild(toolkit.handle("list", { page: 1 })))
      const consumer = yield* Effect.forkChild(Stream.runCollect(stream))
      const results = yield* Fiber.join(consumer)
      assert.deepStrictEqual(results.map(({ encodedResult }) => encodedResult), [{ from: "hub", tool: "list", input: { page: 1 } }])
      assert.lengthOf(source.calls, 1)
    }))
})

describe("a tool of a source", () => {
  for (const { ask, mode } of modes) {
    it.effect(`has its call's id told to a needsApproval function by ${mode} [R-003-04]`, () =>
      Effect.gen(function*() {
        const { source, toolkit } = yield* built
        const seen: Array<readonly [unknown, string, number]> = []
        const tool = toolkit.tools["delete"]!.setNeedsApproval((input, { messages, toolCallId }) => {
          seen.push([input, toolCallId, messages.length])
          return toolCallId === "call-7"
        })
        const { layer } = scripted(calling(call("call-7", "delete", { id: 1 }), call("call-8", "delete", { id: 2 })))
        const parts = yield* Effect.provide(ask({ toolkit: withTool(toolkit, tool) }), layer)
        assert.sameDeepMembers(seen, [[{ id: 1 }, "call-7", 1], [{ id: 2 }, "call-8", 1]])
        assert.deepStrictEqual(askedOf(parts), ["call-7"])
        assert.deepStrictEqual(source.calls, [{ tool: "delete", input: { id: 2 } }])
      }))

    it.effect(`is asked about under ${mode} as its clone by setNeedsApproval says, and else as it was [R-003-06]`, () =>
      Effect.gen(function*() {
        const { source, toolkit } = yield* built
        const tool = toolkit.tools["delete"]!
        const asking = tool.setNeedsApproval(true)
        assert.notStrictEqual(asking, tool)
        assert.isUndefined(tool.needsApproval)
        assert.strictEqual(Tool.getJsonSchema(asking), Tool.getJsonSchema(tool))
        assert.deepStrictEqual([asking.name, asking.description, asking.failureMode], [tool.name, tool.description, tool.failureMode])
        assert.isTrue(Tool.isDynamic(asking))

        const first = yield* Effect.provide(ask({ toolkit: withTool(toolkit, asking) }), scripted(calling(call("c1", "delete"))).layer)
        assert.deepStrictEqual(askedOf(first), ["c1"])
        assert.deepStrictEqual(source.calls, [])
        const again = withTool(toolkit, asking.setNeedsApproval(false))
        const second = yield* Effect.provide(ask({ toolkit: again }), scripted(calling(call("c2", "delete"))).layer)
        assert.deepStrictEqual(askedOf(second), [])
        assert.lengthOf(source.calls, 1)
      }))

    it.effect(`is approved or denied across turns of ${mode}, of which the provider reads the results alone [R-003-07]`, () =>
      Effect.gen(function*() {
        for (const approved of [true, false]) {
          const { source, toolkit } = yield* built
          const asking = withTool(toolkit, toolkit.tools["delete"]!.setNeedsApproval(true))
          const { layer, requests } = scripted(
            calling(call("c1", "list"), call("c2", "delete", { id: 1 })),
            saying("It is done."),
            saying("Nothing more.")
          )
          yield* Effect.gen(function*() {
            const first = yield* ask({ toolkit: asking, prompt: "clean up" })
            const prompt = answered("clean up", first, approved)
            const second = yield* ask({ toolkit: asking, prompt })
            assert.deepStrictEqual(resultsOf(second).map(({ id, isFailure }) => [id, isFailure]), [["c2", !approved]])
            const third = yield* ask({ toolkit: asking, prompt: answered(prompt, second, approved) })
            assert.deepStrictEqual(resultsOf(third), [])
          }).pipe(Effect.provide(layer))
          assert.deepStrictEqual(source.calls.map(({ tool }) => tool), approved ? ["list", "delete"] : ["list"])
          assert.lengthOf(requests, 3)
          for (const [at, { prompt }] of requests.entries()) {
            assert.notInclude(outline(prompt).join("\n"), "approval")
            if (at > 0) assert.deepStrictEqual(outline(prompt).slice(0, 2), ["user: text", "assistant: tool-call, tool-call"])
          }
          const known = requests[1]!.prompt.content.flatMap(({ content }) => typeof content === "string" ? [] : content.filter(({ type }) => type === "tool-result"))
          assert.deepStrictEqual(known.map((part) => [(part as { readonly id: string }).id, (part as { readonly isFailure: boolean }).isFailure]), [["c1", false], ["c2", !approved]])
        }
      }))

    it.effect(`does not run under ${mode} when the answer was cut by its length [R-003-09]`, () =>
      Effect.gen(function*() {
        const { source, toolkit } = yield* built
        const { layer } = scripted([text("I will"), call("c1", "list"), finish("length")])
        const parts = yield* Effect.provide(ask({ toolkit }), layer)
        assert.deepStrictEqual(source.calls, [])
        assert.deepStrictEqual(
          resultsOf(parts).map(({ encodedResult, id, isFailure }) => [id, isFailure, (encodedResult as { readonly type: string }).type]),
          [["c1", true, "execution-interrupted"]]
        )
      }))
  }

  it.effect("can be annotated, and is as it was but for that [R-003-08]", () =>
    Effect.gen(function*() {
      const { source, toolkit } = yield* built
      const tool = toolkit.tools["list"]!
      class Owner extends Context.Service<Owner, string>()("test/Owner") {}
      const annotated = tool.annotate(Tool.Title, "All of them").annotate(Tool.Readonly, false)
        .annotateMerge(Context.make(Owner, "me").pipe(Context.add(Tool.OpenWorld, false)) as Context.Context<never>)
      assert.strictEqual(Context.get(annotated.annotations as Context.Context<Tool.Title>, Tool.Title), "All of them")
      assert.strictEqual(Context.get(annotated.annotations as unknown as Context.Context<Owner>, Owner), "me")
      assert.isFalse(Context.get(annotated.annotations, Tool.Readonly))
      assert.isFalse(Context.get(annotated.annotations, Tool.OpenWorld))
      assert.isTrue(Context.get(tool.annotations, Tool.Readonly))
      assert.strictEqual(Tool.getStrictMode(annotated), false)
      assert.strictEqual(Tool.getJsonSchema(annotated), definitions[0]!.inputSchema)
      const { layer, requests } = scripted(calling(call("c1", "list")))
      yield* Effect.provide(modes[0]!.ask({ toolkit: withTool(toolkit, annotated) }), layer)
      assert.isFalse(Context.get(requests[0]!.tools[0]!.annotations, Tool.Readonly))
      assert.lengthOf(source.calls, 1)
    }))
})
