import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Schema, Stream } from "effect"
import { Tool } from "effect/ai"
import { ToolDefinition, ToolSource, ToolSourceError } from "../ts/index.ts"
import {
  answered,
  askedOf,
  call,
  calling,
  define,
  diagnostics,
  modes,
  recording,
  resultsOf,
  saying,
  scripted,
  turn
} from "./support/language-model.ts"

const issue = define("create_issue", {
  description: "Creates an issue in a repository.",
  inputSchema: {
    type: "object",
    properties: {
      title: { type: "string", minLength: 2, maxLength: 8 },
      priority: { type: "integer", minimum: 1, maximum: 5 },
      state: { enum: ["open", "closed"] },
      labels: { type: "array", items: { type: "string" }, maxItems: 2, uniqueItems: true },
      author: { $ref: "#/$defs/Person" },
      place: { type: "object", properties: { line: { type: "number", exclusiveMinimum: 0 } }, required: ["line"] }
    },
    required: ["title"],
    $defs: { Person: { type: "object", properties: { name: { type: "string" }, boss: { $ref: "#/$defs/Person" } }, required: ["name"] } }
  }
})

/** What one call through the toolkit gives. */
const handled = (toolkit: ToolSource.SourceToolkit, name: string, input: unknown) =>
  toolkit.handle(name, input).pipe(Stream.unwrap, Stream.runCollect, Effect.map((results) => results.at(-1)!))

/** Runs a tool of one definition once, and tells what came of it and what reached the source. */
const once = (definition: ToolDefinition.ToolDefinition, input: unknown) =>
  Effect.gen(function*() {
    const source = recording("hub")
    const toolkit = yield* ToolSource.toolkit(source, [definition])
    const { isFailure, result } = yield* handled(toolkit, definition.name, input)
    return { isFailure, result, calls: source.calls }
  })

const assertRefused = (definition: ToolDefinition.ToolDefinition, input: unknown) =>
  Effect.gen(function*() {
    const { calls, isFailure, result } = yield* once(definition, input)
    const label = JSON.stringify(input)
    assert.isTrue(isFailure, label)
    const { code, message, retryable } = result as ToolSource.Failure
    assert.deepStrictEqual({ code, retryable }, { code: "InvalidInputError", retryable: false }, label)
    assert.notStrictEqual(message, "", label)
    assert.deepStrictEqual(calls, [], label)
  })

const assertReaches = (definition: ToolDefinition.ToolDefinition, input: Schema.JsonObject) =>
  Effect.gen(function*() {
    const { calls, isFailure } = yield* once(definition, input)
    assert.isFalse(isFailure, JSON.stringify(input))
    assert.lengthOf(calls, 1)
    assert.strictEqual(calls[0]!.input, input)
  })

const needsApproval = ({ name }: ToolDefinition.ToolDefinition) => name === "delete"

describe("ToolSource.make", () => {
  it.effect("gives a source of what it is given", () =>
    Effect.gen(function*() {
      const source = ToolSource.make({ name: "clock", discover: Effect.succeed([define("now")]), call: (tool) => Effect.succeed(tool) })
      assert.strictEqual(source.name, "clock")
      assert.deepStrictEqual(yield* source.discover, [define("now")])
      assert.strictEqual(yield* source.call("now", {}), "now")
    }))
})

describe("the tools of ToolSource.toolkit", () => {
  it.effect("are dynamic, one for each definition, with its schema as it is [R-000-032]", () =>
    Effect.gen(function*() {
      const definitions = [issue, define("list"), define("__proto__"), define("toString")]
      const { tools } = yield* ToolSource.toolkit(recording("hub"), definitions)
      assert.deepStrictEqual(Object.keys(tools), definitions.map(({ name }) => name))
      for (const { inputSchema, name } of definitions) {
        const tool = tools[name]!
        assert.strictEqual(tool.name, name)
        assert.isTrue(Tool.isDynamic(tool))
        assert.strictEqual(Tool.getJsonSchema(tool), inputSchema)
      }
    }))

  it.effect("have the descriptions of their definitions [R-000-033]", () =>
    Effect.gen(function*() {
      const { tools } = yield* ToolSource.toolkit(recording("hub"), [issue, define("list", { description: "" })])
      assert.strictEqual(Tool.getDescription(tools["create_issue"]!), issue.description)
      assert.strictEqual(Tool.getDescription(tools["list"]!), "")
    }))

  it.effect("have to have distinct names [R-000-034]", () =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(ToolSource.toolkit(recording("hub"), [define("a"), define("b"), define("a")]))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause) && !Cause.hasFails(exit.cause))
      const defect = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
      assert.isTrue(Cause.isIllegalArgumentError(defect))
      assert.match((defect as Error).message, /"hub".*"a"/)
    }))

  it.effect("have to have schemas with an object root", () =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(ToolSource.toolkit(recording("hub"), [define("a", { inputSchema: { type: "string" } })]))
      assert.isTrue(Exit.isFailure(exit) && Cause.isIllegalArgumentError(Cause.squash(exit.cause)))
    }))

  it.effect("are built without asking the source for anything [R-000-035]", () =>
    Effect.gen(function*() {
      const source = recording("hub")
      yield* ToolSource.toolkit(source, [issue, define("list")])
      const silent: ToolSource.ToolSource = {
        name: "silent",
        get discover(): never {
          throw new Error("discover was read")
        },
        get call(): never {
          throw new Error("call was read")
        }
      }
      const { tools } = yield* ToolSource.toolkit(silent, [issue])
      assert.deepStrictEqual(Object.keys(tools), ["create_issue"])
      assert.strictEqual(source.discovered(), 0)
      assert.deepStrictEqual(source.calls, [])
    }))

  it.effect("reach the source when they are called, and not before [R-000-036]", () =>
    Effect.gen(function*() {
      const source = recording("hub")
      const toolkit = yield* ToolSource.toolkit(source, [define("list")])
      const { layer } = scripted(saying("no tool is needed"), calling(call("c1", "list", { page: 1 })))
      const ask = modes[0]!.ask({ toolkit })
      yield* Effect.gen(function*() {
        yield* ask
        assert.deepStrictEqual(source.calls, [])
        yield* ask
        assert.deepStrictEqual(source.calls, [{ tool: "list", input: { page: 1 } }])
      }).pipe(Effect.provide(layer))
      yield* toolkit.handle("list", {})
      assert.lengthOf(source.calls, 1)
      assert.strictEqual(source.discovered(), 0)
    }))

  it.effect("are not used in a strict schema mode [R-000-044]", () =>
    Effect.gen(function*() {
      const { tools } = yield* ToolSource.toolkit(recording("hub"), [issue, define("list", { annotations: { readOnly: true, title: "List" } })])
      for (const tool of Object.values(tools)) assert.strictEqual(Tool.getStrictMode(tool), false)
    }))
})

describe("the input of a call", () => {
  it.effect("has to be an object [R-000-037]", () =>
    Effect.forEach(["text", "", "{}", 7, 0, NaN, true, false, null, undefined, [], [{}], 10n, () => ({})], (input) =>
      Effect.gen(function*() {
        const { calls, isFailure, result } = yield* once(define("list"), input)
        assert.isTrue(isFailure, String(input))
        assert.strictEqual((result as ToolSource.Failure).code, "InvalidInputError")
        assert.deepStrictEqual(calls, [])
      })))

  it.effect("that breaks the tool's schema is refused [R-000-038]", () =>
    Effect.forEach([
      { title: 1 },
      { title: null },
      {},
      { titel: "abc" },
      { title: "a" },
      { title: "too long for it" },
      { title: "abc", priority: 0 },
      { title: "abc", priority: 6 },
      { title: "abc", priority: 1.5 },
      { title: "abc", priority: "3" },
      { title: "abc", state: "merged" },
      { title: "abc", labels: "bug" },
      { title: "abc", labels: ["bug", 1] },
      { title: "abc", labels: ["a", "b", "c"] },
      { title: "abc", labels: ["a", "a"] },
      { title: "abc", place: {} },
      { title: "abc", place: { line: 0 } },
      { title: "abc", place: "there" },
      { title: "abc", author: {} },
      { title: "abc", author: { name: "x", boss: { name: "y", boss: { name: 3 } } } }
    ], (input) => assertRefused(issue, input)))

  it.effect("that keeps the schema reaches the source", () =>
    Effect.forEach([
      { title: "abc" },
      { title: "ab", priority: 1, state: "open", labels: [], place: { line: 0.1, column: 2 } },
      { title: "12345678", priority: 5.0, labels: ["a", "b"], author: { name: "x", boss: { name: "y" } }, more: { than: "named" } }
    ], (input) => assertReaches(issue, input)))

  it.effect("may have a property that the schema does not name where it is open, and not where it is closed [R-000-039]", () =>
    Effect.gen(function*() {
      const inner = { type: "object", properties: { line: { type: "number" } } } as const
      const closed = define("closed", {
        inputSchema: {
          type: "object",
          properties: { place: { ...inner, additionalProperties: false }, places: { type: "array", items: { ...inner, additionalProperties: false } } },
          additionalProperties: false
        }
      })
      yield* assertReaches(closed, { place: { line: 1 }, places: [{ line: 2 }] })
      yield* assertRefused(closed, { extra: 1 })
      yield* assertRefused(closed, { place: { line: 1, extra: 1 } })
      yield* assertRefused(closed, { places: [{ line: 1 }, { extra: 1 }] })
      const open = define("open", { inputSchema: { type: "object", properties: { place: inner } } })
      yield* assertReaches(open, { extra: 1, place: { line: 1, extra: { deep: true } } })
      const nested = define("nested", { inputSchema: { type: "object", properties: { place: inner }, additionalProperties: false } })
      yield* assertReaches(nested, { place: { extra: 1 } })
    }))

  it.effect("is not held to a pattern, neither one it breaks nor one that would never end [R-000-040]", () =>
    Effect.gen(function*() {
      const definition = define("search", {
        inputSchema: {
          type: "object",
          properties: { digits: { type: "string", pattern: "^[0-9]+$" }, slow: { type: "string", pattern: "^(a+)+$" }, broken: { type: "string", pattern: "(" } },
          patternProperties: { "^(x+)+$": { type: "number" } }
        }
      })
      yield* assertReaches(definition, { digits: "none" })
      yield* assertReaches(definition, { slow: `${"a".repeat(50_000)}!` })
      yield* assertReaches(definition, { broken: "((" })
      yield* assertReaches(definition, { [`${"x".repeat(50_000)}!`]: "text", xx: "text" })
      yield* assertRefused(definition, { digits: 1 })
    }))

  it.effect("is not held to a format [R-000-041]", () =>
    Effect.gen(function*() {
      for (const format of ["date-time", "email", "uuid", "uri", "ipv4", "regex", "int32", "nonsense"]) {
        const definition = define("send", { inputSchema: { type: "object", properties: { value: { type: "string", format } } } })
        yield* assertReaches(definition, { value: "( nothing of the kind" })
        yield* assertRefused(definition, { value: 1 })
      }
    }))

  it.effect("is given to the source as the model gave it [R-000-043]", () =>
    Effect.gen(function*() {
      const written = "{\"z\":\"1\",\"__proto__\":{\"polluted\":true},\"a\":null,\"10\":1,\"2\":[],\"constructor\":{\"prototype\":1},\"n\":1.0,\"é\":\"\\ud800\"}"
      const definition = define("keep", {
        inputSchema: {
          type: "object",
          properties: { a: { type: ["string", "null"], default: "given" }, missing: { type: "string", default: "filled" }, z: { type: ["number", "string"] } }
        }
      })
      for (const { ask } of modes) {
        const source = recording("hub")
        const toolkit = yield* ToolSource.toolkit(source, [definition])
        yield* Effect.provide(ask({ toolkit }), scripted(calling(call("c1", "keep", JSON.parse(written)))).layer)
        assert.strictEqual(JSON.stringify(source.calls[0]!.input), JSON.stringify(JSON.parse(written)))
        assert.isTrue(Object.hasOwn(source.calls[0]!.input, "__proto__"))
      }
      const source = recording("hub")
      const input = JSON.parse(written) as Schema.JsonObject
      yield* handled(yield* ToolSource.toolkit(source, [definition]), "keep", input)
      assert.strictEqual(source.calls[0]!.input, input)
    }))
})

describe("an interrupted call", () => {
  it.effect("ends as an interruption and interrupts the source [R-000-052]", () =>
    Effect.gen(function*() {
      for (const { ask, mode } of modes) {
        const started = yield* Deferred.make<void>()
        let released = 0
        const source = recording("hub", () =>
          Deferred.succeed(started, undefined).pipe(
            Effect.andThen(Effect.never),
            Effect.onInterrupt(() => Effect.sync(() => { released++ }))
          ))
        const toolkit = yield* ToolSource.toolkit(source, [define("wait")])
        const fiber = yield* Effect.forkChild(Effect.provide(ask({ toolkit }), scripted(calling(call("c1", "wait"))).layer))
        yield* Deferred.await(started)
        yield* Fiber.interrupt(fiber)
        const exit = yield* Fiber.await(fiber)
        assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause), mode)
        assert.strictEqual(released, 1, mode)
      }
    }))

  it.effect("ends as an interruption although a typed failure or a defect came with it [R-000-053]", () =>
    Effect.gen(function*() {
      const failure = Cause.fail(ToolSourceError.make({ source: "hub", reason: new ToolSourceError.UnavailableError({}) }))
      for (const cause of [Cause.combine(failure, Cause.interrupt(1)), Cause.combine(Cause.interrupt(1), Cause.die(new Error("broken")))]) {
        const toolkit = yield* ToolSource.toolkit(recording("hub", () => Effect.failCause(cause)), [define("stop")])
        const exit = yield* Effect.exit(handled(toolkit, "stop", {}))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      }
    }))
})

describe("approval", () => {
  it.effect("is needed where the function throws or says something else than a boolean", () =>
    Effect.gen(function*() {
      const answers: ReadonlyArray<readonly [() => unknown, true | undefined]> = [
        [() => true, true],
        [() => false, undefined],
        [() => undefined, true],
        [() => Effect.succeed(false), true],
        [() => {
          throw new Error("the policy is away")
        }, true]
      ]
      for (const [answer, needed] of answers) {
        const { tools } = yield* ToolSource.toolkit(recording("hub"), [define("list")], { needsApproval: answer as () => boolean })
        assert.strictEqual(tools["list"]!.needsApproval, needed)
      }
    }))

  for (const { ask, mode } of modes) {
    it.effect(`of a tool that needs it is asked for by ${mode}, and the source is not called [R-000-054]`, () =>
      Effect.gen(function*() {
        const source = recording("hub")
        const seen: Array<string> = []
        const toolkit = yield* ToolSource.toolkit(source, [define("delete"), define("list")], {
          needsApproval: (definition) => {
            seen.push(definition.name)
            return needsApproval(definition)
          }
        })
        assert.deepStrictEqual(seen, ["delete", "list"])
        assert.isTrue(toolkit.tools["delete"]!.needsApproval)
        assert.isUndefined(toolkit.tools["list"]!.needsApproval)
        const { layer } = scripted(calling(call("c1", "delete", { id: 1 }), call("c2", "list")))
        const parts = yield* Effect.provide(ask({ toolkit }), layer)
        assert.deepStrictEqual(askedOf(parts), ["c1"])
        assert.deepStrictEqual(resultsOf(parts).map(({ id }) => id), ["c2"])
        assert.deepStrictEqual(source.calls, [{ tool: "list", input: {} }])
      }))

    it.effect(`is followed by ${mode}: an approved call runs, a denied one is a result without the source [R-000-055]`, () =>
      Effect.gen(function*() {
        for (const approved of [true, false]) {
          const source = recording("hub")
          const toolkit = yield* ToolSource.toolkit(source, [define("delete")], { needsApproval })
          const { layer } = scripted(calling(call("c1", "delete", { id: 1 })), saying("done"))
          yield* Effect.gen(function*() {
            const asked = yield* ask({ toolkit, prompt: "clean up" })
            assert.deepStrictEqual(source.calls, [])
            const [result] = resultsOf(yield* ask({ toolkit, prompt: answered("clean up", asked, approved, "not today") }))
            assert.strictEqual(result!.id, "c1")
            assert.deepStrictEqual(source.calls, approved ? [{ tool: "delete", input: { id: 1 } }] : [])
            assert.deepStrictEqual(
              [result!.isFailure, result!.encodedResult],
              approved
                ? [false, { from: "hub", tool: "delete", input: { id: 1 } }]
                : [true, { type: "execution-denied", reason: "not today" }]
            )
          }).pipe(Effect.provide(layer))
        }
      }))
  }
})

describe("calls made together", () => {
  it.effect("each get their own answer, in whatever order the source answers [R-000-056]", () =>
    Effect.gen(function*() {
      const many = Array.from({ length: 20 }, (_, at) => at)
      const turns = yield* Effect.forEach(many, () => Deferred.make<void>())
      // Each call waits for the one after it, so that none answers before all have begun.
      const source = recording("hub", (_, input) => {
        const at = input["at"] as number
        return Effect.gen(function*() {
          if (at + 1 < many.length) yield* Deferred.await(turns[at + 1]!)
          yield* Deferred.succeed(turns[at]!, undefined)
          if (at === 7) return yield* Effect.die("the seventh fails")
          return { answer: at }
        })
      })
      const toolkit = yield* ToolSource.toolkit(source, [define("ask")])
      const parts = yield* turn(toolkit, calling(...many.map((at) => call(`c${String(at).padStart(2, "0")}`, "ask", { at })))).pipe(
        Effect.provide(diagnostics().layer)
      )
      const results = resultsOf(parts)
      assert.deepStrictEqual(
        results.map(({ id, isFailure, result }) => [id, isFailure, isFailure ? (result as ToolSource.Failure).code : result]),
        many.map((at) => [`c${String(at).padStart(2, "0")}`, at === 7, at === 7 ? "UnknownError" : { answer: at }])
      )
    }))
})
