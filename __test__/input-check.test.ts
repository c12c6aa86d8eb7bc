/** How a toolkit checks inputs: which schemas, in which dialect, and when they are compiled. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, type Schema, Stream } from "effect"
import { Assembly, type ToolDefinition, ToolSource } from "../ts/index.ts"
import { type Mode, refusal } from "../ts/internal/inputCheck.ts"
import { native } from "../ts/internal/native.ts"
import { define, recording } from "./support/language-model.ts"

type Check = InstanceType<typeof native.InputCheck>
type InputSchema = ToolDefinition.InputSchema

const object = (properties: Record<string, Schema.Json>, more: Record<string, Schema.Json> = {}): InputSchema => ({ type: "object", properties, ...more })

const handled = (toolkit: ToolSource.SourceToolkit, name: string, input: unknown) =>
  toolkit.handle(name, input).pipe(Stream.unwrap, Stream.runCollect, Effect.map((results) => results.at(-1)!))

/** Whether a call reaches the source of a toolkit that was built in this mode, or in none. */
const reaches = (inputSchema: InputSchema, input: unknown, mode?: Mode) =>
  Effect.gen(function*() {
    const source = recording("hub")
    const building = ToolSource.toolkit(source, [define("run", { inputSchema })])
    const toolkit = yield* mode === undefined ? building : Effect.provideService(building, ToolSource.InputCheck, mode)
    const { isFailure, result } = yield* handled(toolkit, "run", input)
    if (isFailure) assert.strictEqual((result as ToolSource.Failure).code, "InvalidInputError")
    return source.calls.length === 1
  })

/** Keywords that Effect's importer refuses, each with a value that breaks it and one that does not. */
const unimported: ReadonlyArray<readonly [what: string, held: Record<string, Schema.Json>, broken: Schema.Json, kept: Schema.Json]> = [
  ["contains", { type: "array", contains: { type: "string" } }, [1], ["x"]],
  ["not", { not: { type: "string" } }, "x", 1],
  // oxlint-disable-next-line no-thenable -- a keyword of JSON Schema
  ["if with then", { if: { type: "string" }, then: { minLength: 3 } }, "x", "long"],
  ["if with else", { if: { type: "string" }, else: { minimum: 3 } }, 1, "x"],
  ["dependentRequired", { dependentRequired: { a: ["b"] } }, { a: 1 }, { a: 1, b: 1 }],
  ["dependentSchemas", { dependentSchemas: { a: { required: ["b"] } } }, { a: 1 }, {}],
  ["unevaluatedProperties", { properties: { a: {} }, unevaluatedProperties: false }, { b: 1 }, { a: 1 }],
  ["unevaluatedItems", { prefixItems: [{}], unevaluatedItems: false }, [1, 2], [1]],
  ["an object as a const", { const: { a: 1 } }, {}, { a: 1 }],
  ["a list in an enum", { enum: ["x", [1]] }, "y", [1]],
  ["a reference to the root", { anyOf: [{ $ref: "#" }, { type: "null" }] }, 1, { held: null }],
  ["a reference to a property", { $ref: "#/properties/text" }, 1, "x"],
  ["a reference to definitions", { $ref: "#/definitions/text" }, 1, "x"],
  ["typed properties beside named ones", { type: "object", properties: { a: {} }, additionalProperties: { type: "string" } }, { b: 1 }, { b: "x" }],
  ["alternatives beside alternatives", { anyOf: [{ minLength: 2 }, { minLength: 4 }], oneOf: [{ maxLength: 5 }, { minLength: 6, maxLength: 8 }] }, "x", "four"]
]

const holding = (held: Record<string, Schema.Json>): InputSchema =>
  object({ held, text: { type: "string" } }, { required: ["held"], definitions: { text: { type: "string" } } })

describe("a schema that Effect cannot import", () => {
  for (const [what, held, broken, kept] of unimported) {
    it.effect(`for ${what} holds the tool only to being given an object [R-000-042]`, () =>
      Effect.gen(function*() {
        for (const input of [{ held: broken }, { held: kept }, {}, { text: 1, more: [null] }]) {
          assert.isTrue(yield* reaches(holding(held), input))
          assert.isTrue(yield* reaches(holding(held), input, "compatible"))
        }
        for (const input of [[{ held: kept }], "x", null, 7]) assert.isFalse(yield* reaches(holding(held), input))
      }))

    it.effect(`for ${what} is checked in full where the toolkit is built so`, () =>
      Effect.gen(function*() {
        assert.isTrue(yield* reaches(holding(held), { held: kept }, "full"))
        for (const input of [{ held: broken }, {}, { held: kept, text: 1 }]) assert.isFalse(yield* reaches(holding(held), input, "full"))
      }))
  }

  it.effect("where nothing refers to the part that cannot be is checked [R-000-038]", () =>
    Effect.gen(function*() {
      const schema = object({ a: { type: "string" } }, { $defs: { unused: { contains: {}, $ref: "https://a.test" } } })
      assert.isFalse(yield* reaches(schema, { a: 1 }))
      assert.isTrue(yield* reaches(schema, { a: "x" }))
    }))
})

describe("ToolSource.InputCheck", () => {
  const schema = object({ a: { not: { type: "string" } } })

  it.effect("is read when a toolkit is built, and not when a tool is called", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* ToolSource.InputCheck, "compatible")
      const build = ToolSource.toolkit(recording("hub"), [define("run", { inputSchema: schema })])
      const [compatible, full] = [yield* build, yield* Effect.provideService(build, ToolSource.InputCheck, "full")]
      for (const [toolkit, isFailure] of [[compatible, false], [full, true]] as const) {
        for (const mode of ["compatible", "full"] as const) {
          const result = yield* Effect.provideService(handled(toolkit, "run", { a: "x" }), ToolSource.InputCheck, mode)
          assert.strictEqual(result.isFailure, isFailure)
        }
      }
    }))

  it.effect("holds for the toolkit of an assembly too", () =>
    Effect.gen(function*() {
      const member = { source: recording("hub"), definitions: [define("run", { inputSchema: schema })] }
      const build = Assembly.toolkit([member], () => "allow")
      assert.isFalse((yield* handled(yield* build, "hub__run", { a: "x" })).isFailure)
      const full = yield* Effect.provideService(build, ToolSource.InputCheck, "full")
      assert.isTrue((yield* handled(full, "hub__run", { a: "x" })).isFailure)
    }))
})

describe("a schema's dialect", () => {
  it.effect("is the one that its $schema names, else 2020-12 [R-000-038]", () =>
    Effect.gen(function*() {
      const pair = { pair: { $ref: "#/definitions/pair" } }
      const older = object(pair, {
        $schema: "http://json-schema.org/draft-07/schema#",
        definitions: { pair: { type: "array", items: [{ type: "string" }, { type: "integer" }], additionalItems: false } }
      })
      assert.isTrue(yield* reaches(older, { pair: ["a", 1] }))
      for (const broken of [[1, 1], ["a", "b"], ["a", 1, 2]]) assert.isFalse(yield* reaches(older, { pair: broken }))
      for (const $schema of ["https://json-schema.org/draft/2020-12/schema", "https://a.test/own"]) {
        const newest = object({ pair: { type: "array", prefixItems: [{ type: "string" }], items: false } }, { $schema })
        assert.isFalse(yield* reaches(newest, { pair: ["a", 1] }))
        assert.isTrue(yield* reaches(newest, { pair: ["a"] }))
      }
    }))

  it.effect("leaves out keywords with values that it does not allow, and checks the rest [R-000-038]", () =>
    Effect.gen(function*() {
      const schema = object({ a: { type: "any", minLength: "2" }, b: { type: "integer", exclusiveMinimum: true, minimum: 1 } }, { required: ["b", "b"] })
      assert.isTrue(yield* reaches(schema, { a: "x", b: 1 }))
      for (const broken of [{ a: "x" }, { b: "x" }, { b: 0 }]) assert.isFalse(yield* reaches(schema, broken))
    }))
})

describe("a root that is no object", () => {
  it("is held to being given an object where it is true, and accepts nothing where it is false", () => {
    for (const full of [false, true]) {
      const [anything, nothing] = ["true", "false"].map((text) => native.InputCheck.compile(text, full)) as [Check, Check]
      assert.isTrue(anything.objectOnly)
      assert.isNull(anything.check("{\"a\":1}"))
      assert.strictEqual(anything.check("[]"), "input: expected object, got array")
      assert.strictEqual(nothing.check("{}"), "input: is not accepted")
    }
  })

  it.effect("is no tool's", () =>
    Effect.gen(function*() {
      for (const inputSchema of [true, false]) {
        const exit = yield* Effect.exit(ToolSource.toolkit(recording("hub"), [define("run", { inputSchema: inputSchema as never })]))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      }
    }))
})

describe("a compiled schema", () => {
  it("is what it was at the first call", () => {
    const schema = { type: "object", properties: { a: { type: "string" } as { type: string } } } satisfies InputSchema
    assert.strictEqual(refusal(schema, { a: 1 }, "compatible"), "a: expected string, got number")
    schema.properties.a.type = "integer"
    assert.strictEqual(refusal(schema, { a: 1 }, "compatible"), "a: expected string, got number")
    assert.isUndefined(refusal({ ...schema }, { a: 1 }, "compatible"))
  })

  it.effect("that could not be compiled is tried again, and holds the tool to an object meanwhile", () =>
    Effect.gen(function*() {
      const { InputCheck } = native
      const failing = {
        compile: (text: string, full: boolean) => {
          if (text.includes("could not be")) throw new Error("a defect")
          return InputCheck.compile(text, full)
        },
        compileApart: () => Promise.reject(new Error("a defect"))
      }
      for (const schema of [object({ a: { type: "string", title: "could not be" } }), object({ a: { type: "string", description: "x".repeat(40_000) } })]) {
        Object.assign(native, { InputCheck: failing })
        const said = yield* Effect.gen(function*() {
          // Nobody waits for the first one, whose rejection would end the process.
          refusal(schema, { a: 1 }, "compatible")
          const asked = refusal(schema, { a: 1 }, "compatible")
          return Effect.isEffect(asked) ? yield* asked : asked
        }).pipe(Effect.ensuring(Effect.sync(() => Object.assign(native, { InputCheck }))))
        assert.isUndefined(said)
        const asked = refusal(schema, { a: 1 }, "compatible")
        assert.strictEqual(Effect.isEffect(asked) ? yield* asked : asked, "a: expected string, got number")
      }
    }))
})

describe("a schema of more than 32 KB", () => {
  let made = 0
  /** A schema that no other test has, of so many kilobytes. */
  const long = (kilobytes: number): InputSchema =>
    object({ a: { type: "string", description: `${made++} ${"x".repeat(kilobytes * 1024)}` } }, { additionalProperties: false })

  it.effect("is compiled by the first call that needs it, on another thread", () =>
    Effect.gen(function*() {
      const schema = long(40)
      const first = refusal(schema, { a: 1 }, "compatible")
      assert.isTrue(Effect.isEffect(first))
      // The other mode's is another one.
      assert.isTrue(Effect.isEffect(refusal(schema, { a: "x" }, "full")))
      assert.strictEqual(yield* first as Effect.Effect<string | undefined>, "a: expected string, got number")
      assert.strictEqual(refusal(schema, { a: 1 }, "compatible"), "a: expected string, got number")
      assert.isUndefined(refusal(schema, { a: "x" }, "compatible"))
      assert.strictEqual(refusal(long(20), { a: 1 }, "compatible"), "a: expected string, got number")
    }))

  it.effect("answers calls made together, and outlives the one that was interrupted [R-000-052]", () =>
    Effect.gen(function*() {
      const source = recording("hub")
      const toolkit = yield* ToolSource.toolkit(source, [define("run", { inputSchema: long(400) })])
      const interrupted = yield* Effect.forkChild(handled(toolkit, "run", { a: "x" }))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(interrupted)
      const results = yield* Effect.forEach([{ a: "x" }, { a: 1 }, { a: "y" }, { b: 1 }], (input) => handled(toolkit, "run", input), { concurrency: "unbounded" })
      assert.deepEqual(results.map(({ isFailure }) => isFailure), [false, true, false, true])
      assert.deepEqual(source.calls.map(({ input }) => input), [{ a: "x" }, { a: "y" }])
    }))

  it.effect("is held only to being an object above 1 MiB", () =>
    Effect.gen(function*() {
      const schema = long(1100)
      assert.isTrue(yield* reaches(schema, { a: 1 }))
      assert.isFalse(yield* reaches(schema, "x"))
    }))
})
