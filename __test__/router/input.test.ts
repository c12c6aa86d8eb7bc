/** What `.input()` takes: JSON Schema, and the schemas of libraries, as the libraries are. */
import { assert, describe, it } from "@effect/vitest"
import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import { Schema } from "effect"
import * as v from "valibot"
import { z } from "zod"
import { createApprovals, createToolExecutor, type JSONSchema, type PendingResult, type PlainTool, route, toToolset } from "../../ts/router.ts"
import { refused } from "./support.ts"

const zodNote = z.object({ title: z.string().min(1).trim(), at: z.iso.date().optional(), tags: z.array(z.enum(["a", "b"])).default([]) })
const valibotNote = toStandardJsonSchema(v.object({ title: v.pipe(v.string(), v.nonEmpty()), tags: v.optional(v.array(v.picklist(["a", "b"])), []) }))
const arkNote = type({ title: "string > 0", "tags?": "('a' | 'b')[]" })
const effectNote = Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(Schema.Struct({
  title: Schema.NonEmptyString,
  tags: Schema.optionalKey(Schema.Array(Schema.Literals(["a", "b"])))
})))

// The handlers' inputs are of the libraries' own types.
const procedures = {
  zod: route.input(zodNote).ai().handler(({ input }): string => `${input.title} ${input.tags.length}`),
  valibot: route.input(valibotNote).ai().handler(({ input }): string => `${input.title} ${input.tags.length}`),
  arktype: route.input(arkNote).ai().handler(({ input }): string => `${input.title} ${input.tags?.length ?? 0}`),
  effect: route.input(effectNote).ai().handler(({ input }): string => `${input.title} ${input.tags?.length ?? 0}`)
}

describe("an input of a library", () => {
  for (const name of Object.keys(procedures) as ReadonlyArray<keyof typeof procedures>) {
    it(`is of ${name}: shown as its JSON Schema, and checked by the library [R-001-05] [R-001-10] [R-001-23]`, async () => {
      const router = { create: procedures[name] }
      const [tool] = toToolset(router) as [PlainTool]
      assert.strictEqual(tool.inputSchema["type"], "object")
      assert.deepInclude(tool.inputSchema["required"], "title")
      const { tags, title } = tool.inputSchema["properties"] as Record<string, JSONSchema>
      assert.strictEqual(title!["type"], "string")
      assert.strictEqual(title!["minLength"], 1)
      assert.include(JSON.stringify(tags), "\"enum\":[\"a\",\"b\"]")
      assert.doesNotThrow(() => JSON.stringify(tool))

      const execute = createToolExecutor(router, {})
      assert.strictEqual(await execute("create", { title: "Hi" }), "Hi 0")
      assert.strictEqual(await execute("create", { title: "Hi", tags: ["a", "b"] }), "Hi 2")
      for (const [args, place] of [[{ title: 5 }, "title"], [{}, "title"], [{ title: "" }, "title"], [{ title: "a", tags: ["a", "c"] }, "tags[1]"]] as const) {
        const error = await refused(execute("create", args), "BAD_REQUEST")
        assert.isTrue(error.message.startsWith(`${place}: `), error.message)
        const { issues } = error.details as { readonly issues: ReadonlyArray<{ readonly path: string; readonly message: string }> }
        assert.deepStrictEqual(issues.map(({ path }) => path), [place])
      }
      await refused(execute("create", [{ title: "Hi" }]), "BAD_REQUEST")
    })
  }

  it("gives the handler what the library makes of it, and stores what the model gave", async () => {
    const amount = z.object({ cents: z.string().transform(Number) })
    const router = { pay: route.input(amount).ai({ confirm: true }).handler(({ input }): number => input.cents + 1) }
    const approvals = createApprovals(router)
    const { actionId } = await createToolExecutor(router, {}, { approvals })("pay", { cents: "5" }) as PendingResult
    assert.deepStrictEqual((await approvals.list({}))[0]!.input, { cents: "5" })
    assert.strictEqual(await approvals.approve(actionId, {}), 6)
  })

  it("says in words of its own that an input is refused of which a library says nothing", async () => {
    for (const issues of [[], [{ message: "" }], [{ message: " " }, { message: "" }]]) {
      const silent = { "~standard": { version: 1, vendor: "silent", validate: () => ({ issues }) } } as const
      await refused(createToolExecutor({ ask: route.input(silent).ai().handler(() => 0) }, {})("ask", {}), "BAD_REQUEST", "The input is not what the tool takes.")
    }
  })

  it("has a JSON Schema that is an object", () => {
    const accepting = { "~standard": { version: 1, vendor: "any", validate: (value: unknown) => ({ value }) } } as const
    for (const schema of ["object", 5, ["x"], true]) {
      assert.throws(() => route.input(accepting, schema as never), TypeError, "The schema given to .input() has a JSON Schema that is no object")
    }
  })

  it("may be checked in a promise, and says no more than can be read", async () => {
    const async = z.object({ id: z.number().refine(async (id) => id < 10, "is taken") })
    const many = z.object({ all: z.array(z.string()) })
    const execute = createToolExecutor({
      async: route.input(async).ai().handler(({ input }) => input.id),
      many: route.input(many).ai().handler(() => 0)
    }, {})
    assert.strictEqual(await execute("async", { id: 5 }), 5)
    await refused(execute("async", { id: 50 }), "BAD_REQUEST", "id: is taken")
    const error = await refused(execute("many", { all: Array.from({ length: 5000 }, (_, at) => at) }), "BAD_REQUEST")
    assert.isAtMost(error.message.length, 2000)
    assert.match(error.message, /^all\[0\]: .*\n[^]*\n… and 4990 more$/)
  })

  it("takes its JSON Schema from the second argument where it gives none of itself, or another is better", async () => {
    const plain = v.object({ title: v.string() })
    const given = { type: "object", properties: { title: { type: "string", description: "What to call it" } } }
    const bare = { bare: route.input(plain).ai().handler(({ input }): string => input.title) }
    assert.deepStrictEqual(toToolset(bare), [{ name: "bare", description: "bare", inputSchema: { type: "object" } }])
    assert.strictEqual(await createToolExecutor(bare, {})("bare", { title: "Hi" }), "Hi")
    const date = z.object({ at: z.date() })
    assert.throws(() => route.input(date), /of zod cannot be said as JSON Schema: give one as the second argument/)
    const router = {
      plain: route.input(plain, given).ai().handler(({ input }): string => input.title),
      date: route.input(z.object({ at: z.coerce.date() }), { type: "object" }).ai().handler(({ input }): number => input.at.getTime()),
      other: route.input(zodNote, given).ai().handler(({ input }): string => input.title)
    }
    assert.deepStrictEqual((toToolset(router) as ReadonlyArray<PlainTool>).map(({ inputSchema }) => inputSchema), [given, { type: "object" }, given])
    assert.strictEqual(await createToolExecutor(router, {})("plain", { title: "Hi" }), "Hi")
    assert.strictEqual(await createToolExecutor(router, {})("date", { at: "1970-01-01T00:00:00.001Z" }), 1)
  })

  it("may be one of several objects", async () => {
    const either = z.discriminatedUnion("kind", [z.object({ kind: z.literal("a"), a: z.number() }), z.object({ kind: z.literal("b") })])
    const router = { either: route.input(either).ai().handler(({ input }) => input.kind === "a" ? input.a : input.kind) }
    assert.strictEqual((toToolset(router) as [PlainTool])[0].inputSchema["type"], "object")
    assert.strictEqual(await createToolExecutor(router, {})("either", { kind: "a", a: 5 }), 5)
  })

  it("has to be of an object", () => {
    const wrong: ReadonlyArray<readonly [unknown, RegExp]> = [
      [z.string(), /has the type "string": a tool's input is an object$/],
      [z.array(z.string()), /has the type "array"/],
      [type("string"), /has the type "string"/],
      [{ type: ["object", "null"] }, /has the type \["object","null"\]/],
      [{ type: "array" }, /has the type "array"/]
    ]
    for (const [schema, message] of wrong) assert.throws(() => route.input(schema as never), message)
  })
})

describe("an input of JSON Schema", () => {
  it("is checked by the draft that it is of", async () => {
    const router = {
      old: route.input({
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
        properties: { pair: { items: [{ type: "string" }, { type: "integer" }], additionalItems: false }, n: { exclusiveMinimum: 0 } }
      }).ai().handler(({ input }) => input),
      recursive: route.input({
        type: "object",
        properties: { tree: { $ref: "#/$defs/tree" } },
        $defs: { tree: { type: "object", properties: { children: { type: "array", items: { $ref: "#/$defs/tree" } }, name: { type: "string" } }, required: ["name"] } }
      }).ai().handler(({ input }) => input)
    }
    const execute = createToolExecutor(router, {})
    await execute("old", { pair: ["a", 1], n: 1 })
    for (const args of [{ pair: ["a", "b"] }, { pair: ["a", 1, 2] }, { n: 0 }]) await refused(execute("old", args), "BAD_REQUEST")
    await execute("recursive", { tree: { name: "a", children: [{ name: "b" }] } })
    const error = await refused(execute("recursive", { tree: { name: "a", children: [{ name: "b", children: [{}] }] } }), "BAD_REQUEST")
    assert.include(error.message, "tree.children[0].children[0].name")
  })

  it("is checked by what it was when it was given", async () => {
    const schema = { type: "object", properties: { n: { type: "integer" } } }
    const router = { act: route.input(schema).ai().handler(() => "ran") }
    schema.properties.n.type = "string"
    const shown = (toToolset(router) as [PlainTool])[0].inputSchema as { properties: { n: { type: string } } }
    assert.strictEqual(shown.properties.n.type, "integer")
    shown.properties.n.type = "string"
    await refused(createToolExecutor(router, {})("act", { n: "a" }), "BAD_REQUEST")
    assert.strictEqual(await createToolExecutor(router, {})("act", { n: 1 }), "ran")
  })

  it("is refused where it stands when it cannot be checked", () => {
    const circle: Record<string, unknown> = { type: "object" }
    circle["properties"] = { circle }
    let deep: object = { type: "string" }
    for (let level = 0; level < 600; level++) deep = { not: deep }
    const wrong: ReadonlyArray<readonly [unknown, RegExp]> = [
      [circle, /cannot be written as JSON/],
      [{ type: "object", const: 1n }, /cannot be written as JSON/],
      [{ type: "object", properties: { deep } }, /cannot be checked: it is no JSON Schema, or larger than what is checked/],
      [{ type: "object", description: "x".repeat(1 << 20) }, /cannot be checked/],
      [Schema.Struct({ a: Schema.String }), /is neither a JSON Schema nor a Standard Schema\. One of Effect is made both by Schema\.toStandardJSONSchemaV1/],
      [() => 1, /is neither a JSON Schema nor a Standard Schema/],
      [[], /is neither a JSON Schema nor a Standard Schema/],
      [undefined, /has to be a JSON Schema or a Standard Schema, not undefined/],
      [null, /not null/],
      ["object", /not string/],
      [true, /not boolean/]
    ]
    for (const [schema, message] of wrong) {
      assert.throws(() => route.input(schema as never), message)
      assert.throws(() => route.input(schema as never), TypeError)
    }
  })
})
