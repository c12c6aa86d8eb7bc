import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Option, Schema } from "effect"
import { Tool } from "effect/ai"
import { Assembly, OpenApi, ToolDefinition, ToolSource } from "../ts/index.ts"
import { call, calling, define, recording, resultsOf, turn } from "./support/language-model.ts"

const full: ToolDefinition.ToolDefinition = {
  name: "create_issue",
  description: "Creates an issue.",
  inputSchema: {
    type: "object",
    properties: { title: { type: "string", default: null }, labels: { type: "array", items: { $ref: "#/$defs/Label" } } },
    required: ["title"],
    additionalProperties: false,
    $defs: { Label: { enum: ["bug", "idea", 1, false, null] } }
  },
  annotations: { title: "New issue", readOnly: false, destructive: false, idempotent: false, openWorld: true }
}

const codec = Schema.toCodecJson(ToolDefinition.ToolDefinition)
const catalog = Schema.toCodecJson(Schema.Array(ToolDefinition.ToolDefinition))

const toolOf = (annotations: ToolDefinition.Annotations) =>
  Effect.map(
    ToolSource.toolkit(recording("tasks"), [define("list", { annotations })]),
    ({ tools }) => tools["list"]!
  )

/** Whether an annotation was set on the tool, and not only has a default. */
const isSet = (tool: Tool.Any, key: { readonly key: string }): boolean => tool.annotations.mapUnsafe.has(key.key)

const hints = ["readOnly", "destructive", "idempotent", "openWorld"] as const

/** Every way to claim or leave out each hint. */
const everyClaim: ReadonlyArray<ToolDefinition.Annotations> = hints.reduce<ReadonlyArray<ToolDefinition.Annotations>>(
  (claims, hint) => claims.flatMap((claim) => [claim, { ...claim, [hint]: true }, { ...claim, [hint]: false }]),
  [{}]
)

/** A response of a document, with something to find it by. */
const response = (marker: string) => ({
  description: marker,
  content: { "application/json": { schema: { type: "object", properties: { [marker]: { $ref: "#/components/schemas/Answer" } } } } }
})

describe("ToolDefinition", () => {
  it("is equal after it was stored as JSON text and read again [R-000-021]", () => {
    for (const definition of [full, define("echo")]) {
      const stored = JSON.stringify(Schema.encodeSync(codec)(definition))
      assert.deepStrictEqual(Schema.decodeUnknownSync(codec)(JSON.parse(stored)), definition)
    }
  })

  it("encodes in a list to plain JSON, written by hand or decoded [R-000-022]", () => {
    const encoded = Schema.encodeSync(catalog)([full, define("echo")]) as ReadonlyArray<ToolDefinition.ToolDefinition>
    assert.deepStrictEqual(encoded, [full, define("echo")])
    assert.deepStrictEqual(JSON.parse(JSON.stringify(encoded)), encoded)
    const again = Schema.encodeSync(catalog)(Schema.decodeUnknownSync(catalog)(encoded))
    assert.deepStrictEqual(again, encoded)
    for (const value of [encoded[0], encoded[0]!.annotations, encoded[0]!.inputSchema]) {
      assert.strictEqual(Object.getPrototypeOf(value), Object.prototype)
    }
    assert.notProperty(encoded[1]!.annotations, "title")
  })

  it("does not decode with a schema that has no object root [R-000-023]", () => {
    const decodes = (inputSchema: unknown) => Option.isSome(Schema.decodeUnknownOption(codec)({ ...full, inputSchema }))
    assert.isTrue(decodes({ type: "object" }))
    for (const schema of [{ type: "string" }, { type: ["object", "null"] }, {}, { anyOf: [{ type: "object" }] }, true, null, undefined, [], "object"]) {
      assert.isFalse(decodes(schema), JSON.stringify(schema))
    }
    const error = Schema.decodeUnknownResult(codec)({ ...full, inputSchema: { type: "array" } })
    assert.include(String(error), "object root")
  })

  it("has the annotations title, readOnly, destructive, idempotent and openWorld, each of which may be absent [R-000-024]", () => {
    const keys = ["title", "readOnly", "destructive", "idempotent", "openWorld"]
    assert.deepStrictEqual(Object.keys(ToolDefinition.Annotations.fields), keys)
    for (const key of keys) {
      const { [key as "title"]: left, ...annotations } = full.annotations
      assert.isDefined(left)
      const decoded = Schema.decodeUnknownSync(codec)({ ...full, annotations })
      assert.deepStrictEqual(decoded.annotations, annotations)
      assert.notProperty(decoded.annotations, key)
      assert.isTrue(Option.isNone(Schema.decodeUnknownOption(ToolDefinition.Annotations)({ [key]: undefined })), key)
    }
    assert.isTrue(Option.isNone(Schema.decodeUnknownOption(codec)({ ...full, annotations: { readOnly: "yes" } })))
  })

  it.effect("leaves the tool without an annotation that it has not, so that Effect's defaults show [R-000-025]", () =>
    Effect.gen(function*() {
      const tool = yield* toolOf({})
      for (const key of [Tool.Title, Tool.Readonly, Tool.Destructive, Tool.Idempotent, Tool.OpenWorld]) {
        assert.isFalse(isSet(tool, key), key.key)
      }
      assert.isTrue(Option.isNone(Context.getOption(tool.annotations, Tool.Title)))
      assert.isFalse(Context.get(tool.annotations, Tool.Readonly))
      assert.isTrue(Context.get(tool.annotations, Tool.Destructive))
      assert.isFalse(Context.get(tool.annotations, Tool.Idempotent))
      assert.isTrue(Context.get(tool.annotations, Tool.OpenWorld))
    }))

  it.effect("gives the tool the annotations that it has, false included [R-000-026]", () =>
    Effect.gen(function*() {
      for (const value of [true, false]) {
        const tool = yield* toolOf({ title: "List", readOnly: value, destructive: value, idempotent: value, openWorld: value })
        assert.deepStrictEqual(Context.getOption(tool.annotations, Tool.Title), Option.some("List"))
        for (const key of [Tool.Readonly, Tool.Destructive, Tool.Idempotent, Tool.OpenWorld]) {
          assert.isTrue(isSet(tool, key), key.key)
          assert.strictEqual(Context.get(tool.annotations, key), value, key.key)
        }
      }
      const alone = yield* toolOf({ destructive: false })
      assert.isTrue(isSet(alone, Tool.Destructive))
      assert.isFalse(isSet(alone, Tool.Readonly))
    }))

  it.effect("is shown, run and asked about alike whatever its annotations claim [R-000-027]", () =>
    Effect.gen(function*() {
      assert.lengthOf(everyClaim, 81)
      const definitions = everyClaim.map((annotations, at) => define(`tool_${at}`, { annotations }))
      const source = recording("claims")
      const own = yield* ToolSource.toolkit(source, definitions)
      const asking = yield* ToolSource.toolkit(source, definitions, { needsApproval: ({ name }) => name === "tool_0" })
      const allowed = yield* Assembly.toolkit([{ source, definitions }], () => "allow")
      const blocked = yield* Assembly.toolkit([{ source, definitions }], () => "block")
      for (const [at, { name }] of definitions.entries()) {
        assert.isUndefined(own.tools[name]!.needsApproval)
        assert.isUndefined(allowed.tools[`claims__${name}`]!.needsApproval)
        assert.strictEqual(asking.tools[name]!.needsApproval, at === 0 ? true : undefined)
      }
      assert.deepStrictEqual(Object.keys(blocked.tools), [])
      const parts = yield* turn(own, calling(...definitions.map(({ name }) => call(name, name))))
      assert.isTrue(resultsOf(parts).every(({ isFailure }) => !isFailure))
      assert.lengthOf(source.calls, 81)
    }))

  it("holds nothing of an OpenAPI response schema [R-000-028]", () => {
    const { operations, skipped } = OpenApi.readOperations({
      openapi: "3.1.0",
      info: { title: "Pets", version: "1" },
      components: {
        schemas: {
          Question: { type: "object", properties: { asked_marker: { type: "string" } } },
          Answer: { type: "object", properties: { answer_marker: { type: "string" } } }
        },
        responses: { Broken: response("component_marker") }
      },
      paths: {
        "/pets": {
          post: {
            operationId: "addPet",
            requestBody: { required: true, content: { "application/json": { schema: { $ref: "#/components/schemas/Question" } } } },
            responses: { 200: response("ok_marker"), default: { $ref: "#/components/responses/Broken" } }
          }
        }
      }
    })
    assert.deepStrictEqual(skipped, [])
    assert.lengthOf(operations, 1)
    const written = JSON.stringify(operations[0]!.definition)
    assert.include(written, "asked_marker")
    for (const marker of ["answer_marker", "ok_marker", "component_marker", "Answer", "outputSchema", "responses"]) {
      assert.notInclude(written, marker)
    }
    assert.deepStrictEqual(Object.keys(operations[0]!.definition), ["name", "description", "inputSchema", "annotations"])
  })
})
