/** Holds the toolkit of a source equal to one that Effect builds itself of the same tools, seen through a language model. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Schema, Stream } from "effect"
import { type LanguageModel, Tool, Toolkit } from "effect/ai"
import { type ToolDefinition, ToolSource, ToolSourceError } from "../ts/index.ts"
import { refusal } from "../ts/internal/inputCheck.ts"
import {
  answered,
  askedOf,
  type Asked,
  call,
  calling,
  define,
  diagnostics,
  finish,
  modes,
  outline,
  recording,
  saying,
  scripted,
  type ScriptedModel,
  type Turn
} from "./support/language-model.ts"

type Approval = boolean | ((input: unknown, context: Tool.NeedsApprovalContext) => boolean | Effect.Effect<boolean>)

/** Effect's own toolkit of a source's tools: layered handlers that know nothing of defects. */
const effectToolkit = (source: ToolSource.ToolSource, definitions: ReadonlyArray<ToolDefinition.ToolDefinition>) =>
  Effect.gen(function*() {
    const tools = definitions.map(({ annotations, description, inputSchema, name }) => {
      let tool: Tool.Any = Tool.dynamic(name, {
        description,
        parameters: inputSchema,
        success: Schema.Json,
        failure: ToolSource.Failure,
        failureMode: "return"
      }).annotate(Tool.Strict, false)
      if (annotations.title !== undefined) tool = tool.annotate(Tool.Title, annotations.title)
      if (annotations.readOnly !== undefined) tool = tool.annotate(Tool.Readonly, annotations.readOnly)
      if (annotations.destructive !== undefined) tool = tool.annotate(Tool.Destructive, annotations.destructive)
      if (annotations.idempotent !== undefined) tool = tool.annotate(Tool.Idempotent, annotations.idempotent)
      if (annotations.openWorld !== undefined) tool = tool.annotate(Tool.OpenWorld, annotations.openWorld)
      return tool
    })
    const handlers = Object.fromEntries(definitions.map(({ inputSchema, name }) => [name, (input: unknown) => {
      // Schemas of this size are compiled at once.
      const refused = refusal(inputSchema, input, "compatible") as string | undefined
      return refused === undefined
        ? Effect.suspend(() => source.call(name, input as Schema.JsonObject)).pipe(
          Effect.mapError(({ reason }): ToolSource.Failure => ({ code: reason.code, message: reason.modelMessage, retryable: reason.isRetryable }))
        )
        : Effect.fail<ToolSource.Failure>({ code: "InvalidInputError", message: refused, retryable: false })
    }]))
    const toolkit = Toolkit.make(...tools)
    const context = yield* toolkit.toHandlers(handlers as never)
    return (yield* Effect.provideContext(toolkit, context as never)) as unknown as ToolSource.SourceToolkit
  })

const definitions = [
  define("echo", {
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false },
    annotations: { title: "Echo", readOnly: true, destructive: false, idempotent: true, openWorld: false }
  }),
  define("failing"),
  define("refusing", { annotations: { readOnly: false } }),
  define("unavailable"),
  define("defect"),
  define("throwing"),
  define("toString", { description: "" })
]

const fail = (reason: ToolSourceError.ToolSourceErrorReason) => Effect.fail(ToolSourceError.make({ source: "hub", reason }))

const hub = () =>
  recording("hub", (tool, input) => {
    switch (tool) {
      case "failing":
        return fail(new ToolSourceError.CallFailedError({ description: "It broke." }))
      case "refusing":
        return fail(new ToolSourceError.AuthenticationError({ description: "https://internal refused", cause: new Error("401") }))
      case "unavailable":
        return fail(new ToolSourceError.UnavailableError({}))
      case "defect":
        return Effect.die(new Error("boom"))
      case "throwing":
        throw new Error("boom")
      default:
        return Effect.succeed({ tool, input, list: [1, null, { deep: true }] })
    }
  })

type Build = (source: ToolSource.ToolSource, definitions: ReadonlyArray<ToolDefinition.ToolDefinition>) => Effect.Effect<ToolSource.SourceToolkit>

/** What `observe` sees with the source's toolkit is what it sees with Effect's. */
const same = <A, E>(observe: (build: Build) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.gen(function*() {
    const ours = yield* observe(ToolSource.toolkit)
    const theirs = yield* observe(effectToolkit)
    assert.deepStrictEqual(ours, theirs)
    return ours
  })

const plain = (value: object): Record<string, unknown> => Object.fromEntries(Object.entries(value))

type Ask = typeof modes[number]["ask"]

/** The parts of an answer as plain data, in an order that does not depend on which call was quickest. */
const partsOf = (parts: Effect.Success<ReturnType<Ask>>) =>
  parts.map((part) => {
    const { approvalId, ...data } = plain(part)
    return { ...data, ...(typeof approvalId === "string" ? { approvalId: "some" } : {}) } as Record<string, unknown>
  }).sort((a, b) => `${a["id"]} ${a["type"]}` < `${b["id"]} ${b["type"]}` ? -1 : 1)

/** What the provider was given, with all that can be asked of a tool. */
const givenOf = ({ requests }: ScriptedModel) =>
  requests.map((request) => ({
    prompt: outline(request.prompt),
    toolChoice: request.toolChoice,
    tools: request.tools.map((tool) => ({
      name: tool.name,
      id: tool.id,
      dynamic: Tool.isDynamic(tool),
      description: Tool.getDescription(tool),
      schema: Tool.getJsonSchema(tool),
      strict: Tool.getStrictMode(tool),
      failureMode: tool.failureMode,
      needsApproval: tool.needsApproval,
      schemas: [tool.parametersSchema, tool.successSchema, tool.failureSchema].map((schema) => schema === Schema.Unknown || schema === Schema.Json || schema === ToolSource.Failure),
      title: Context.getOption(tool.annotations, Tool.Title),
      hints: [Tool.Readonly, Tool.Destructive, Tool.Idempotent, Tool.OpenWorld].map((hint) => Context.get(tool.annotations, hint)),
      annotated: [...tool.annotations.mapUnsafe.keys()].sort()
    }))
  }))

const attributesOf = (span: LanguageModel.ProviderOptions["span"]) => Object.fromEntries(span.attributes)

const turnOf = (ask: Ask, build: Build, said: Turn) =>
  Effect.gen(function*() {
    const source = hub()
    const model = scripted(said)
    const toolkit = yield* build(source, definitions)
    const exit = yield* Effect.exit(Effect.provide(ask({ toolkit }), model.layer))
    const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
    return {
      parts: Exit.isSuccess(exit) ? partsOf(exit.value) : undefined,
      error: error === undefined ? undefined : String(error),
      given: givenOf(model),
      attributes: model.requests.map(({ span }) => attributesOf(span)),
      calls: source.calls
    }
  })

for (const { ask, mode } of modes) {
  describe(`a source's toolkit under ${mode} is as Effect's own`, () => {
    const turns: ReadonlyArray<readonly [string, Turn, (seen: Effect.Success<ReturnType<typeof turnOf>>) => void]> = [
      ["for a success", calling(call("c1", "echo", { text: "hi" })), ({ calls }) => assert.lengthOf(calls, 1)],
      ["for a tool named like a method of every object", calling(call("c1", "toString", { a: 1 })), ({ calls }) => assert.lengthOf(calls, 1)],
      ["for an input that is no object", calling(call("c1", "echo", "hi")), ({ calls }) => assert.lengthOf(calls, 0)],
      ["for an input that breaks the schema", calling(call("c1", "echo", { text: 1 })), ({ calls }) => assert.lengthOf(calls, 0)],
      ["for an input with a property too many", calling(call("c1", "echo", { text: "a", b: 1 })), ({ calls }) => assert.lengthOf(calls, 0)],
      ["for typed failures", calling(call("c1", "failing"), call("c2", "refusing"), call("c3", "unavailable")), ({ calls }) => assert.lengthOf(calls, 3)],
      [
        "for many calls at once",
        calling(...Array.from({ length: 12 }, (_, at) => call(`c${at}`, ["echo", "failing", "unavailable"][at % 3]!, at % 3 === 0 ? { text: `${at}` } : {}))),
        ({ calls, parts }) => {
          assert.lengthOf(calls, 12)
          assert.lengthOf(parts!.filter(({ type }) => type === "tool-result"), 12)
        }
      ],
      ["for a text without a call", saying("nothing to do"), ({ calls, given }) => {
        assert.lengthOf(calls, 0)
        assert.lengthOf(given[0]!.tools, definitions.length)
      }],
      ["for a tool that nobody declared", calling(call("c1", "nope")), ({ calls, error }) => {
        assert.lengthOf(calls, 0)
        assert.isDefined(error)
      }],
      ["for an undeclared name that every object has", calling(call("c1", "valueOf")), ({ error }) => assert.isDefined(error)],
      ["for an answer that was cut by its length", [call("c1", "echo", { text: "hi" }), finish("length")], ({ calls, parts }) => {
        assert.lengthOf(calls, 0)
        assert.deepStrictEqual(parts!.filter(({ type }) => type === "tool-result").map(({ isFailure }) => isFailure), [true])
      }],
      ["for an answer that was filtered", [call("c1", "echo", { text: "hi" }), finish("content-filter")], ({ calls }) => assert.lengthOf(calls, 0)]
    ]
    for (const [name, said, holds] of turns) {
      it.effect(name, () => Effect.map(same((build) => turnOf(ask, build, said)), holds))
    }

    const approvals: ReadonlyArray<readonly [string, Approval, boolean]> = [
      ["true", true, true],
      ["false", false, false],
      ["a function of the input that says yes", (input) => (input as { readonly text: string }).text === "danger", true],
      ["a function of the input that says no", (input) => (input as { readonly text: string }).text === "harmless", false],
      ["a function of the call", (_, { messages, toolCallId }) => toolCallId === "c1" && messages.length === 1, true],
      ["a function with an Effect", () => Effect.succeed(true), true]
    ]
    for (const [name, approval, asks] of approvals) {
      it.effect(`for an approval that is ${name}, asked for and then given or denied`, () =>
        Effect.gen(function*() {
          for (const approved of [true, false]) {
            const seen = yield* same((build) =>
              Effect.gen(function*() {
                const source = hub()
                const built = yield* build(source, definitions)
                const tools = { ...built.tools, echo: built.tools["echo"]!.setNeedsApproval(approval as never) }
                const toolkit: Asked["toolkit"] = { ...built, tools }
                const model = scripted(calling(call("c1", "echo", { text: "danger" }), call("c2", "failing")), saying("done"), saying("done"))
                return yield* Effect.gen(function*() {
                  const first = yield* ask({ toolkit, prompt: "go" })
                  const after = [...source.calls]
                  const prompt = answered("go", first, approved)
                  const second = yield* ask({ toolkit, prompt })
                  const third = yield* ask({ toolkit, prompt: answered(prompt, second, approved) })
                  return {
                    asked: askedOf(first),
                    parts: [first, second, third].map(partsOf),
                    given: givenOf(model),
                    calls: [after, source.calls]
                  }
                }).pipe(Effect.provide(model.layer))
              })
            )
            assert.deepStrictEqual(seen.asked, asks ? ["c1"] : [])
            assert.lengthOf(seen.calls[0]!, asks ? 1 : 2)
            assert.lengthOf(seen.calls[1]!, asks && !approved ? 1 : 2)
            assert.isFalse(JSON.stringify(seen.given.map(({ prompt }) => prompt)).includes("approval"))
          }
        }))
    }

    it.effect("for an interruption: finalizers run, and the exit is an interruption alone", () =>
      Effect.gen(function*() {
        const seen = yield* same((build) =>
          Effect.gen(function*() {
            const started = yield* Deferred.make<void>()
            const events: Array<string> = []
            const source = recording("hub", () =>
              Deferred.succeed(started, undefined).pipe(
                Effect.andThen(Effect.never),
                Effect.onInterrupt(() => Effect.sync(() => { events.push("interrupted") })),
                Effect.ensuring(Effect.sync(() => { events.push("released") }))
              ))
            const toolkit = yield* build(source, [define("wait")])
            const fiber = yield* Effect.forkChild(Effect.provide(ask({ toolkit }), scripted(calling(call("c1", "wait"))).layer))
            yield* Deferred.await(started)
            yield* Fiber.interrupt(fiber)
            const exit = yield* Fiber.await(fiber)
            return { events, only: Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) }
          })
        )
        assert.deepStrictEqual(seen, { events: ["interrupted", "released"], only: true })
      }))

    it.effect("but for a defect, which Effect lets end the turn and the source's makes a result [R-000-048]", () =>
      Effect.gen(function*() {
        for (const name of ["defect", "throwing"]) {
          const exitOf = (build: Build) =>
            Effect.gen(function*() {
              const toolkit = yield* build(hub(), definitions)
              const asked = Effect.provide(ask({ toolkit }), scripted(calling(call("c1", name), call("c2", "echo", { text: "hi" }))).layer)
              return yield* Effect.exit(asked)
            }).pipe(Effect.provide(diagnostics().layer))
          const theirs = yield* exitOf(effectToolkit)
          assert.isTrue(Exit.isFailure(theirs) && Cause.hasDies(theirs.cause))
          const ours = yield* exitOf(ToolSource.toolkit)
          assert.isTrue(Exit.isSuccess(ours))
          const results = Exit.isSuccess(ours) ? partsOf(ours.value).filter(({ type }) => type === "tool-result") : []
          assert.deepStrictEqual(results.map(({ id, isFailure }) => [id, isFailure]), [["c1", true], ["c2", false]])
        }
      }))
  })
}

describe("the handle of a source's toolkit is as Effect's own", () => {
  it.effect("in what it gives of each call, where it failed included", () =>
    Effect.gen(function*() {
      const inputs: ReadonlyArray<readonly [string, unknown]> = [
        ["echo", { text: "hi" }],
        ["echo", { text: 1 }],
        ["echo", null],
        ["failing", {}],
        ["refusing", {}],
        ["unavailable", {}],
        ["toString", {}]
      ]
      const seen = yield* same((build) =>
        Effect.gen(function*() {
          const toolkit = yield* build(hub(), definitions)
          return yield* Effect.forEach(inputs, ([name, input]) =>
            toolkit.handle(name, input, "c1").pipe(Stream.unwrap, Stream.runCollect, Effect.map((results) => results.map(plain))))
        })
      )
      assert.deepStrictEqual(seen.map((results) => results.length), inputs.map(() => 1))
      assert.deepStrictEqual(seen[3]![0]!["failureOrigin"], "handler")
    }))

  it.effect("for a name that no tool has", () =>
    Effect.gen(function*() {
      for (const name of ["nope", "valueOf", "__proto__", ""]) {
        const error = yield* same((build) =>
          Effect.gen(function*() {
            const toolkit = yield* build(hub(), definitions)
            const { message, method, module, reason } = yield* Effect.flip(toolkit.handle(name, {}))
            return { message, method, module, reason: plain(reason), isRetryable: reason.isRetryable }
          })
        )
        assert.strictEqual(error.reason["_tag"], "ToolNotFoundError")
      }
    }))

  it.effect("in the attributes of the span around it", () =>
    Effect.gen(function*() {
      for (const [name, input] of [["echo", { text: "hi" }], ["failing", {}], ["nope", { a: 1 }]] as const) {
        const attributes = yield* same((build) =>
          Effect.gen(function*() {
            const toolkit = yield* build(hub(), definitions)
            const span = yield* Effect.currentSpan
            yield* toolkit.handle(name, input).pipe(Stream.unwrap, Stream.runDrain, Effect.exit)
            return Object.fromEntries(span.attributes)
          }).pipe(Effect.withSpan("around"))
        )
        assert.deepStrictEqual(attributes, { tool: name, parameters: input })
      }
    }))

  it.effect("in what it takes for JSON, of another realm too", () =>
    Effect.gen(function*() {
      const { runInNewContext } = yield* Effect.promise(() => import("node:vm"))
      const answers = [null, "text", [1, { a: [] }], Object.create(null), runInNewContext("({ a: [{}] })"), new Date(0), new Map(), NaN, undefined, { a: undefined }, () => 1]
      const seen = yield* same((build) =>
        Effect.gen(function*() {
          const source = recording("hub", (_, input) => Effect.succeed(answers[input["at"] as number]))
          const toolkit = yield* build(source, [define("run")])
          return yield* Effect.forEach(answers, (_, at) =>
            toolkit.handle("run", { at }).pipe(
              Stream.unwrap,
              Stream.runCollect,
              Effect.exit,
              // Effect fails the turn where the source's toolkit gives a failure to read.
              Effect.map((exit) => Exit.isSuccess(exit) && exit.value[0]?.isFailure === false)
            ))
        }).pipe(Effect.provide(diagnostics().layer))
      )
      assert.deepStrictEqual(seen, answers.map((_, at) => at < 5))
    }))

  it.effect("but that its stream may be consumed by another fiber, where Effect's is interrupted with the first [R-003-10]", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      let interrupted = false
      const waiting = recording("hub", () =>
        Deferred.succeed(started, undefined).pipe(
          Effect.andThen(Effect.never),
          Effect.onInterrupt(() => Effect.sync(() => { interrupted = true }))
        ))
      const theirs = yield* effectToolkit(waiting, definitions)
      yield* Fiber.join(yield* Effect.forkChild(Effect.andThen(theirs.handle("failing", {}), Deferred.await(started))))
      assert.isTrue(interrupted)

      const source = hub()
      const ours = yield* ToolSource.toolkit(source, definitions)
      const stream = yield* Fiber.join(yield* Effect.forkChild(ours.handle("echo", { text: "later" })))
      assert.deepStrictEqual(source.calls, [])
      const results = yield* Fiber.join(yield* Effect.forkChild(Stream.runCollect(stream)))
      assert.deepStrictEqual(
        results.map(({ encodedResult, isFailure }) => [isFailure, encodedResult]),
        [[false, { tool: "echo", input: { text: "later" }, list: [1, null, { deep: true }] }]]
      )
    }))
})
