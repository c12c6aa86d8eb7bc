/** What the types of presentations promise, checked where this file is compiled; each test also asserts what can be seen when it runs. */
import { assert, describe, it } from "@effect/vitest"
import { type Cause, type Duration, Effect, Schema } from "effect"
import { type AiError, LanguageModel, Tool, Toolkit } from "effect/ai"
import { Assembly, CodeMode, CodeRuntime, Presentation, ToolSearch, type ToolSource, type ToolSourceError } from "../../ts/index.ts"
import { inProcess } from "../support/code-runtime.ts"
import { call, calling, define, recording, saying, scripted } from "../support/language-model.ts"
import { Clerk } from "../support/presented.ts"

/** Whether two types are the same, in both directions and in every modifier. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false

/** Compiles where `T` is true, and has nothing to do when it runs. */
const holds = <_T extends true>(): void => {}

/** Never called: what stands in it is compiled only. */
const compiled = (_never: () => unknown): void => {}

const Greet = Tool.make("greet", { parameters: Schema.Struct({ name: Schema.String }), success: Schema.String })
const AskClerk = Tool.make("ask_clerk", { success: Schema.Number, failure: Schema.String, dependencies: [Clerk] })
const kinds = Toolkit.make(Greet, AskClerk)
const handlers = kinds.toLayer({
  greet: ({ name }) => Effect.succeed(`Hello, ${name}.`),
  ask_clerk: () => Effect.map(Clerk, (clerk) => clerk.length)
})
type Kinds = { readonly greet: typeof Greet; readonly ask_clerk: typeof AskClerk }

const sourceOf = (name: string): ToolSource.ToolSource => ({
  ...recording(name),
  discover: Effect.succeed([define("list", { description: "Lists what is due." }), define("delete")])
})

const policy: ReadonlyMap<string, { readonly tools: ReadonlyMap<string, Assembly.Decision>; readonly others: Assembly.Decision }> = new Map([
  ["github", { tools: new Map([["delete", "approve"]]), others: "allow" }]
])

/** All presentations of one assembly, each given to a model. */
const program = Effect.gen(function*() {
  const members = yield* Effect.forEach([sourceOf("github"), sourceOf("linear")], (source) => Effect.map(source.discover, (definitions) => ({ source, definitions })))
  const toolkit = yield* Assembly.toolkit(members, (source, definition) => {
    const stored = policy.get(source)
    return stored?.tools.get(definition.name) ?? stored?.others ?? "block"
  })
  const searched = yield* ToolSearch.toolkit(toolkit, { limit: 10 })
  const coded = yield* CodeMode.toolkit(toolkit, inProcess)
  const both = Presentation.merge(searched, Presentation.restrict(toolkit, (tool) => tool.needsApproval === true))
  const first = yield* LanguageModel.generateText({ prompt: "x", toolkit: searched })
  const second = yield* LanguageModel.generateText({ prompt: "x", toolkit: coded })
  const third = yield* LanguageModel.generateText({ prompt: "x", toolkit: both })
  const deep = yield* ToolSearch.toolkit(coded)
  return { answers: [first, second, third].map(({ toolResults }) => toolResults.map(({ encodedResult }) => encodedResult)), deep }
})

describe("presentations", () => {
  it.effect("are given to a model as an assembly is, with a model alone left to provide", () =>
    Effect.gen(function*() {
      holds<Same<Effect.Error<typeof program>, ToolSourceError.ToolSourceError | Assembly.NameClash | AiError.AiError>>()
      holds<Same<Effect.Services<typeof program>, LanguageModel.LanguageModel>>()
      const listed = { from: "github", tool: "list", input: {} }
      const { layer, requests } = scripted(
        calling(call("c1", "tool_call", { name: "github__list", input: {} })),
        calling(call("c2", "execute", { code: "return await tools.github__list({})" })),
        saying("Nothing.")
      )
      const { answers, deep } = yield* Effect.provide(program, layer)
      assert.deepStrictEqual(answers, [[listed], [{ result: listed, logs: [] }], []])
      assert.deepStrictEqual(requests.map(({ tools }) => tools.map(({ name }) => name).sort()), [
        ["tool_call", "tool_search"],
        ["execute", "github__delete"],
        ["github__delete", "tool_call", "tool_search"]
      ])
      holds<Same<keyof typeof deep.tools, "tool_search" | "tool_call">>()
      assert.deepStrictEqual(Object.keys(deep.tools), ["tool_search", "tool_call"])
    }))

  it.effect("take the services of the tools that they present, and ask for them where they are made", () =>
    Effect.gen(function*() {
      const typed = yield* kinds
      holds<Same<typeof typed, Toolkit.WithHandler<Kinds>>>()
      const searched = ToolSearch.toolkit(typed)
      const coded = CodeMode.toolkit(typed, inProcess)
      const called = Presentation.call(typed, "greet", { name: "Ada" })
      holds<Same<Effect.Services<typeof searched>, Clerk>>()
      holds<Same<Effect.Error<typeof searched>, never>>()
      holds<Same<Effect.Services<typeof coded>, Clerk>>()
      holds<Same<Effect.Error<typeof coded>, never>>()
      holds<Same<typeof called, Effect.Effect<Schema.Json, ToolSource.Failure, Clerk>>>()
      const asking = LanguageModel.generateText({ prompt: "x", toolkit: yield* searched })
      holds<Same<Effect.Services<typeof asking>, LanguageModel.LanguageModel>>()
      holds<Same<Effect.Error<typeof asking>, AiError.AiError>>()
      compiled(() => {
        // @ts-expect-error: the clerk is not provided
        const alone: Effect.Effect<unknown> = searched
        return alone
      })
      const { layer } = scripted(calling(call("c1", "tool_call", { name: "ask_clerk", input: {} })))
      const { toolResults } = yield* Effect.provide(asking, layer)
      assert.deepStrictEqual(toolResults.map(({ encodedResult }) => encodedResult), [8])
    }).pipe(Effect.provide(handlers), Effect.provideService(Clerk, "Bartleby")))
})

describe("Presentation", () => {
  type Call = <Tools extends Record<string, Tool.Any>>(
    presented: Toolkit.WithHandler<Tools>,
    name: string,
    input: unknown,
    toolCallId?: string | undefined
  ) => Effect.Effect<Schema.Json, ToolSource.Failure, Tool.HandlerServices<Tools[keyof Tools]>>

  it.effect("calls, restricts and merges toolkits of every type", () =>
    Effect.gen(function*() {
      holds<Same<typeof Presentation.call, Call>>()
      const typed = yield* kinds
      const some = Presentation.restrict(typed, (tool, name) => {
        holds<Same<typeof tool, typeof Greet | typeof AskClerk>>()
        holds<Same<typeof name, string>>()
        return tool.name === "greet"
      })
      holds<Same<typeof some, Toolkit.WithHandler<{ readonly [x: string]: typeof Greet | typeof AskClerk }>>>()
      for (const names of [["greet"], new Set(["greet"]), new Map([["greet", 1]]).keys()]) assert.deepStrictEqual(Object.keys(Presentation.restrict(typed, names).tools), ["greet"])
      const other = Tool.make("greet", { success: Schema.Boolean })
      const others = Toolkit.make(other, Tool.make("tidy"))
      const merged = Presentation.merge(typed, yield* Effect.provide(others, others.toLayer({ greet: () => Effect.succeed(true), tidy: () => Effect.void })))
      holds<Same<keyof typeof merged.tools, "greet" | "ask_clerk" | "tidy">>()
      // On one name the second wins.
      holds<Same<typeof merged.tools.greet, typeof other>>()
      holds<Same<typeof merged.tools.ask_clerk, typeof AskClerk>>()
      assert.strictEqual(merged.tools.greet, other)
      compiled(() => {
        // @ts-expect-error: a name is a text
        Presentation.call(typed, 5, {})
        // @ts-expect-error: tools are chosen
        Presentation.restrict(typed)
        // @ts-expect-error: two are merged
        Presentation.merge(typed)
      })
      assert.deepStrictEqual(yield* Presentation.call(merged, "greet", {}), true)
    }).pipe(Effect.provide(handlers), Effect.provideService(Clerk, "Bartleby")))
})

describe("ToolSearch", () => {
  it("has options, and two tools of their own types", () => {
    holds<Same<keyof ToolSearch.Options, "limit" | "ranking" | "fields">>()
    holds<Same<ToolSearch.Options["limit"], number | undefined>>()
    holds<Same<ToolSearch.Options["ranking"], "words" | "rarity" | "bm25" | undefined>>()
    holds<Same<ToolSearch.Options["fields"], "description" | "parameters" | undefined>>()
    holds<Same<Tool.Parameters<ToolSearch.SearchTool>, { readonly query: string; readonly limit?: number }>>()
    holds<Same<Tool.Success<ToolSearch.SearchTool>["matched"], number>>()
    holds<Same<Tool.Success<ToolSearch.SearchTool>["tools"][number]["inputSchema"], Schema.JsonObject>>()
    holds<Same<Tool.Parameters<ToolSearch.CallTool>, { readonly name: string; readonly input: Schema.JsonObject }>>()
    holds<Same<Tool.Success<ToolSearch.CallTool>, Schema.Json>>()
    holds<Same<Tool.HandlerServices<ToolSearch.SearchTool | ToolSearch.CallTool>, never>>()
    const found: ToolSearch.Found = { tools: [{ name: "a", description: "b", inputSchema: { type: "object" } }], matched: 1, available: 2 }
    assert.deepStrictEqual(Schema.decodeUnknownSync(ToolSearch.Found)(found), found)
    compiled(() => {
      // @ts-expect-error: there is no such ranking
      ToolSearch.toolkit(Toolkit.empty as never, { ranking: "best" })
      // @ts-expect-error: there is no such option
      ToolSearch.toolkit(Toolkit.empty as never, { offset: 5 })
    })
  })
})

describe("CodeMode and CodeRuntime", () => {
  it("have options, a tool of its own type, and an interface that an adapter implements", () => {
    holds<Same<keyof CodeMode.Options, "declarationsLimit" | "timeout" | "maxResultLength">>()
    holds<Same<CodeMode.Options["timeout"], Duration.Input | undefined>>()
    holds<Same<Tool.Parameters<CodeMode.ExecuteTool>, { readonly code: string }>>()
    holds<Same<Tool.Success<CodeMode.ExecuteTool>, { readonly result: Schema.Json; readonly logs: ReadonlyArray<string> }>>()
    holds<Same<CodeMode.ExecuteFailure["code"], "CodeError" | "Timeout" | "ResultTooLarge">>()
    holds<Same<CodeMode.ExecuteFailure["logs"], ReadonlyArray<string> | undefined>>()
    holds<Same<CodeMode.CodeRuntime, CodeRuntime.CodeRuntime>>()
    holds<Same<keyof CodeRuntime.RunOptions, "code" | "tools" | "call">>()
    holds<Same<CodeRuntime.RunOptions["call"], (name: string, input: Schema.Json) => Effect.Effect<Schema.Json, ToolSource.Failure>>>()
    holds<Same<CodeRuntime.CodeRuntime["run"], (options: CodeRuntime.RunOptions) => Effect.Effect<CodeRuntime.Result, CodeRuntime.CodeError>>>()
    holds<CodeRuntime.CodeError extends Cause.YieldableError ? true : false>()
    holds<Same<CodeRuntime.CodeError["_tag"], "CodeError">>()
    holds<Same<ReturnType<typeof CodeMode.declarations>, string>>()
    compiled(() => {
      // @ts-expect-error: a runtime is needed
      CodeMode.toolkit(Toolkit.empty as never)
      // @ts-expect-error: a runtime fails with CodeError alone
      const failing: CodeRuntime.CodeRuntime = { run: () => Effect.fail("no") }
      // @ts-expect-error: a result has logs
      const silent: CodeRuntime.CodeRuntime = { run: () => Effect.succeed({ result: 1 }) }
      // @ts-expect-error: an error has logs
      const error = new CodeRuntime.CodeError({ message: "no" })
      return [failing, silent, error]
    })
    const runtime: CodeRuntime.CodeRuntime = { run: ({ tools }) => Effect.succeed({ result: tools, logs: [] }) }
    assert.deepStrictEqual(Effect.runSync(runtime.run({ code: "", tools: ["a"], call: () => Effect.succeed(null) })), { result: ["a"], logs: [] })
    const failure: CodeMode.ExecuteFailure = { code: "CodeError", message: "no", retryable: false }
    assert.deepStrictEqual(Schema.decodeUnknownSync(CodeMode.ExecuteFailure)(failure), failure)
    const executed: CodeMode.Executed = { result: [1], logs: ["a"] }
    assert.deepStrictEqual(Schema.decodeUnknownSync(CodeMode.Executed)(executed), executed)
  })

  it.effect("present execute beside tools of the types that they present", () =>
    Effect.gen(function*() {
      const typed = yield* kinds
      const { tools } = yield* CodeMode.toolkit(typed, inProcess)
      holds<Same<typeof tools, { readonly [x: string]: CodeMode.ExecuteTool | typeof Greet | typeof AskClerk }>>()
      assert.deepStrictEqual(Object.keys(tools), ["execute"])
    }).pipe(Effect.provide(handlers), Effect.provideService(Clerk, "Bartleby")))
})
