import { assert, describe, it } from "@effect/vitest"
import {
  createMcpRouter,
  createMcpToolSource,
  createToolExecutor,
  formatTool,
  inspectRouter,
  type PlainTool,
  route,
  type ToolFormat,
  toToolset
} from "../../ts/router.ts"
import { scriptedClient } from "./support.ts"

const input = {
  type: "object",
  properties: { title: { type: "string", minLength: 1 }, tags: { type: "array", items: { enum: ["a", "b"] } } },
  required: ["title"],
  additionalProperties: false
}

const router = {
  notes: {
    create: route.post("/notes").input(input).describe("Creates a note.").ai({ description: "Create a note" }).handler(() => 1),
    list: route.get("/notes").describe("Lists notes.").ai().handler(() => []),
    purge: route.post("/purge").describe("Not for models.").handler(() => null)
  },
  publish: route.ai({ confirm: true, description: "Publishes." }).handler(() => null),
  ping: route.ai().handler(() => null)
}

const plain = (of: object = router) => toToolset(of) as Array<PlainTool>
const sentence = "(Needs a person's approval: calling it returns a pending action, not the result.)"

describe("toToolset", () => {
  it("lists the procedures with .ai() and no other, plain unless told otherwise [R-001-01] [R-001-08]", () => {
    assert.deepStrictEqual(plain().map(({ name }) => name), ["notes.create", "notes.list", "publish", "ping"])
    assert.deepStrictEqual(Object.keys(plain()[0]!), ["name", "description", "inputSchema"])
    assert.deepStrictEqual(plain(), toToolset(router, { format: "plain" }))
  })

  it("names tools by their dotted paths, the same in each format [R-001-02]", () => {
    const names = plain().map(({ name }) => name)
    const anthropic = toToolset(router, { format: "anthropic" }) as Array<{ readonly name: string }>
    const openai = toToolset(router, { format: "openai" }) as Array<{ readonly function: { readonly name: string } }>
    assert.deepStrictEqual(anthropic.map(({ name }) => name), names)
    assert.deepStrictEqual(openai.map((tool) => tool.function.name), names)
    const odd = { "a b/ü": { "c.d": route.ai().handler(() => 0) } }
    assert.deepStrictEqual(plain(odd).map(({ name }) => name), ["a b/ü.c.d"])
  })

  it("describes a tool by .ai(), else .describe(), else its name; a blank text is none [R-001-03]", () => {
    const blank = { blank: route.describe("Said.").ai({ description: " " }).handler(() => 0) }
    const described = [...plain(), ...plain(blank)].map(({ description }) => description)
    assert.deepStrictEqual(described, ["Create a note", "Lists notes.", `Publishes. ${sentence}`, "ping", "Said."])
  })

  it("says of a tool with confirm that it needs a person, at the end [R-001-04]", () => {
    const unnamed = { held: route.ai({ confirm: true }).handler(() => 0), free: route.ai({ confirm: false }).handler(() => 0) }
    assert.deepStrictEqual(plain(unnamed).map(({ description }) => description), [`held ${sentence}`, "free"])
  })

  it("shows the schema of the input, and an empty object where there is none [R-001-05]", () => {
    const [create, list] = plain()
    assert.deepStrictEqual(create!.inputSchema, input)
    assert.deepStrictEqual(list!.inputSchema, { type: "object", properties: {} })
  })

  it("gives a schema without a type that of an object, and shows what it was given when that changes later", () => {
    const given: Record<string, unknown> = { anyOf: [{ required: ["a"] }, { required: ["b"] }] }
    const tools = { either: route.input(given).ai().handler(() => 0) }
    delete given["anyOf"]
    assert.deepStrictEqual(plain(tools)[0]!.inputSchema, { anyOf: [{ required: ["a"] }, { required: ["b"] }], type: "object" })
  })

  it("has Anthropic's shape [R-001-06]", () => {
    assert.deepStrictEqual(toToolset(router, { format: "anthropic" })[0], { name: "notes.create", description: "Create a note", input_schema: input })
  })

  it("has OpenAI's shape [R-001-07]", () => {
    assert.deepStrictEqual(toToolset(router, { format: "openai" })[0], {
      type: "function",
      function: { name: "notes.create", description: "Create a note", parameters: input }
    })
  })

  it("has the shape that formatTool and createMcpToolSource give [R-001-09]", async () => {
    const { client } = scriptedClient([{ name: "notes.create", description: "Create a note", inputSchema: input }])
    for (const format of ["anthropic", "openai", "plain"] as const) {
      const [tool] = toToolset(router, { format })
      assert.deepStrictEqual(tool, formatTool("notes.create", "Create a note", input, format))
      assert.deepStrictEqual((await createMcpToolSource(client, { format })).tools, [tool])
    }
    assert.throws(() => formatTool("a", "b", {}, "toString" as ToolFormat), /no format "toString"/)
    assert.throws(() => toToolset(router, { format: "gemini" as ToolFormat }), /no format "gemini"/)
  })
})

describe("a router", () => {
  it("may have names that every object has", async () => {
    const names = ["constructor", "toString", "hasOwnProperty"]
    const odd = Object.fromEntries(names.map((name) => [name, route.ai().handler(() => name)]))
    Object.defineProperty(odd, "__proto__", { value: route.ai().handler(() => "own"), enumerable: true })
    assert.sameMembers(plain(odd).map(({ name }) => name), [...names, "__proto__"])
    assert.strictEqual(await createToolExecutor(odd, {})("__proto__", {}), "own")
    for (const name of ["constructor", "__proto__", "toString"]) {
      const error = await createToolExecutor(router, {})(name, {}).catch((error: { readonly code: string }) => error.code)
      assert.strictEqual(error, "NOT_FOUND")
    }
  })

  it("says where it holds what is no procedure", async () => {
    const cycle: Record<string, unknown> = {}
    cycle["again"] = { cycle }
    const { client } = scriptedClient([{ name: "a" }])
    const wrong: ReadonlyArray<readonly [unknown, RegExp]> = [
      [{ notes: { create: route.ai() } }, /'notes\.create' in the router has no handler: end it with \.handler/],
      [{ notes: { watch: route.ai().stream() } }, /'notes\.watch' in the router has no handler/],
      [{ notes: { create: () => 1 } }, /'notes\.create' in the router has to be a record of procedures or a procedure, not a function/],
      [{ gh: createMcpRouter(client) }, /'gh' in the router .* not a Promise: await it first/],
      [{ list: [route.handler(() => 0)] }, /'list' in the router .* not a Array/],
      [{ nothing: undefined }, /'nothing' in the router .* not undefined/],
      [{ "": route.handler(() => 0) }, /The router has a member without a name/],
      [{ "a.b": route.handler(() => 0), a: { b: route.handler(() => 0) } }, /Two procedures of the router are named 'a\.b'/],
      [cycle, /'again\.cycle' in the router holds itself/],
      [route.handler(() => 0), /The router has to be a record of procedures, not a procedure/],
      [null, /The router has to be a record of procedures, not null/]
    ]
    for (const [router, message] of wrong) {
      assert.throws(() => toToolset(router as object), message)
      assert.throws(() => createToolExecutor(router as object, {}), message)
      assert.throws(() => inspectRouter(router as object), message)
    }
    const shared = { ping: route.ai().handler(() => 0) }
    assert.deepStrictEqual(plain({ a: shared, b: shared }).map(({ name }) => name), ["a.ping", "b.ping"])
  })

  it("is inspected with the procedures that no model can call", () => {
    const inspected = inspectRouter({ ...router, kept: route.meta({ owner: "ops" }).meta({ since: 1 }).handler(() => 0) })
    assert.deepStrictEqual(inspected, [
      { path: "notes.create", method: "POST", ai: true, confirm: false, description: "Creates a note.", meta: {} },
      { path: "notes.list", method: "GET", ai: true, confirm: false, description: "Lists notes.", meta: {} },
      { path: "notes.purge", method: "POST", ai: false, confirm: false, description: "Not for models.", meta: {} },
      { path: "publish", ai: true, confirm: true, description: "Publishes.", meta: {} },
      { path: "ping", ai: true, confirm: false, meta: {} },
      { path: "kept", ai: false, confirm: false, meta: { owner: "ops", since: 1 } }
    ])
  })

  it("is of routes that are never changed", () => {
    const base = route.describe("base")
    const read = base.get().ai().handler(() => 0)
    const write = base.post().ai({ confirm: true }).handler(() => 0)
    assert.deepStrictEqual(inspectRouter({ base: base.handler(() => 0), read, write }).map(({ ai, confirm, method }) => [method, ai, confirm]), [
      [undefined, false, false],
      ["GET", true, false],
      ["POST", true, true]
    ])
  })
})
