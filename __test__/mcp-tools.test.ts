import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Schema } from "effect"
import { McpServer, Prompt, Tool } from "effect/ai"
import { HttpRouter } from "effect/http"
import { Assembly, CodeMode, ToolSearch, ToolSource, ToolSourceError } from "../ts/index.ts"
import * as McpTools from "../ts/McpTools.ts"
import { fromToolkit } from "../ts/router-effect.ts"
import { inProcess } from "./support/code-runtime.ts"
import { define, diagnostics, recording } from "./support/language-model.ts"
import { dual } from "./support/mcp-servers.ts"
import { client, serve, serveTools, textsOf, versions } from "./support/mcp-tools.ts"
import { Clerk, type Kit, kit, typed } from "./support/presented.ts"

/** A schema with all that a reader of schemas might not keep. */
const schema = JSON.parse(`{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "properties": {
    "page": { "type": "integer", "minimum": 1, "x-of-ours": [null, { "deep": true }] },
    "sort": { "$ref": "#/$defs/order", "description": "How." },
    "any": true,
    "__proto__": { "type": "string" },
    "constructor": { "const": 1e400 }
  },
  "required": ["page"],
  "additionalProperties": false,
  "$defs": { "order": { "enum": ["up", "down"] } },
  "allOf": [{ "if": { "required": ["sort"] }, "then": { "required": ["page"] } }]
}`.replace("1e400", "1e100")) as Schema.JsonObject

const words = "The page is a whole number, from 1."

const assembled = Effect.gen(function*() {
  const source = recording("hub", (tool, input) => {
    switch (tool) {
      case "list":
        return Effect.succeed({ page: input["page"], entries: [] })
      case "away":
        return Effect.fail(ToolSourceError.make({ source: "hub", reason: new ToolSourceError.UnavailableError({ description: "http://10.0.0.7 is down" }) }))
      case "broken":
        return Effect.die(new Error("the password is s3cret"))
      default:
        return Effect.succeed(input["value"])
    }
  })
  const definitions = [
    define("list", { description: words, inputSchema: schema, annotations: { title: "List", readOnly: true, destructive: false } }),
    define("say", { annotations: { idempotent: true, openWorld: false } }),
    define("away"),
    define("broken"),
    define("delete")
  ]
  const toolkit = yield* Assembly.toolkit([{ source, definitions }], (_, { name }) => name === "delete" ? "approve" : "allow").pipe(
    // Effect has no check of this schema, for its if.
    Effect.provideService(ToolSource.InputCheck, "full")
  )
  return { source, toolkit }
})

/** A toolkit of one tool that tells a text. */
const telling = (text: string) => kit([Tool.make("tell", { description: text, success: Schema.String }), () => Effect.succeed(text)])

const errorOf = (exit: Exit.Exit<unknown, unknown>) => Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined

describe.each(versions)("served in %s", (version) => {
  it.live("an assembly's tools are listed and called [R-004-01] [R-004-02] [R-004-04] [R-004-10] [R-004-14]", () =>
    Effect.gen(function*() {
      const { source, toolkit } = yield* assembled
      const { call, list } = yield* client(yield* serveTools({ toolkit }), version)
      const listed = yield* Effect.promise(list)
      assert.deepStrictEqual(listed.map(({ name }) => name), ["hub__list", "hub__say", "hub__away", "hub__broken", "hub__delete"])
      assert.strictEqual(listed[0].description, words)

      const hasObjects = version >= "2025-06-18"
      const found = yield* Effect.promise(() => call("hub__list", { page: 2 }))
      assert.deepStrictEqual(found.content, [{ type: "text", text: "{\"page\":2,\"entries\":[]}" }])
      assert.deepStrictEqual(found.structuredContent, hasObjects ? { page: 2, entries: [] } : undefined)
      assert.isNotOk(found.isError)
      assert.deepStrictEqual(source.calls, [{ tool: "list", input: { page: 2 } }])

      for (const [value, text] of [["plain \"text\"", "plain \"text\""], [[1, "two"], "[1,\"two\"]"], [7, "7"], [false, "false"], [null, "null"]] as const) {
        const said = yield* Effect.promise(() => call("hub__say", { value }))
        assert.deepStrictEqual([textsOf(said), "structuredContent" in said], [[text], false])
      }

      const wrong = yield* Effect.promise(() => call("hub__list", { page: 0, sort: "up" }))
      assert.deepStrictEqual([wrong.isError, "structuredContent" in wrong], [true, false])
      assert.match(textsOf(wrong)[0]!, /page/)
      assert.strictEqual(source.calls.filter(({ tool }) => tool === "list").length, 1)

      const away = yield* Effect.promise(() => call("hub__away"))
      assert.strictEqual(away.isError, true)
      assert.deepStrictEqual(textsOf(away), [new ToolSourceError.UnavailableError({}).modelMessage])
    }))

  it.live("a tool that is not there is an error of the protocol, whatever it is called", () =>
    Effect.gen(function*() {
      const { toolkit } = yield* assembled
      const { request } = yield* client(yield* serveTools({ toolkit }), version)
      for (const name of ["none", "__proto__", "constructor", "toString", "", "größe", "hub__list\u0000"]) {
        const { error } = yield* Effect.promise(() => request("tools/call", { name, arguments: {} }))
        assert.strictEqual(error?.code, -32_602, name)
      }
    }))

  it.live("the parameters are published as they are, with the hints that were given, and no output schema [R-004-13]", () =>
    Effect.gen(function*() {
      const { toolkit } = yield* assembled
      const { list } = yield* client(yield* serveTools({ toolkit }), version)
      const [first, say, unhinted] = yield* Effect.promise(list)
      // The two oldest revisions have three members of a schema and no hints, and know no schema that is a boolean: Effect's server keeps to that.
      const { properties, required, type } = schema as { readonly properties: object } & Schema.JsonObject
      const inputSchema = version >= "2025-06-18" ? schema : { type, required, properties: { ...properties, any: {}, ["__proto__"]: { type: "string" } } }
      assert.strictEqual(JSON.stringify(sorted(first.inputSchema)), JSON.stringify(sorted(inputSchema)))
      if (version >= "2025-03-26") {
        // Of a tool with hints Effect's server says the others too, as MCP has them when nothing is said.
        assert.deepStrictEqual(first.annotations, { title: "List", readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: true })
        assert.deepStrictEqual(say.annotations, { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false })
        assert.notProperty(unhinted, "annotations")
      }
      for (const tool of [first, say, unhinted]) assert.notProperty(tool, "outputSchema")
    }))

  it.live("tools of every kind with schemas of their own are called, with the services that they were registered with", () =>
    Effect.gen(function*() {
      const { handled, toolkit } = yield* typed
      const layer = McpTools.layer({ toolkit }).pipe(Layer.provide(Layer.succeed(Clerk, "The clerk")))
      const { call, list } = yield* client(yield* serve(layer), version)
      const listed = yield* Effect.promise(list)
      assert.deepStrictEqual(listed.map(({ name }) => name), Object.keys(toolkit.tools))
      assert.deepStrictEqual(listed.find(({ name }) => name === "greet").inputSchema.properties, { name: { type: "string" } })
      const called = (name: string, input?: object) => Effect.promise(() => call(name, input))
      assert.deepStrictEqual(textsOf(yield* called("greet", { name: "Ada" })), ["Hello, Ada."])
      assert.deepStrictEqual(textsOf(yield* called("postpone", { at: "2026-01-30T00:00:00.000Z", days: "2" })), ["{\"at\":\"2026-02-01T00:00:00.000Z\"}"])
      assert.deepStrictEqual((yield* called("tidy")).content, [])
      assert.deepStrictEqual(textsOf(yield* called("ask_clerk")), ["The clerk says so."])
      for (const name of ["seek", "search"]) {
        const failed = yield* called(name)
        assert.deepStrictEqual([failed.isError, textsOf(failed)], [true, ["{\"lost\":\"the key\"}"]])
      }
      const wrong = yield* called("greet", { name: 1 })
      assert.strictEqual(wrong.isError, true)
      assert.match(textsOf(wrong)[0]!, /name/)
      // What a tool says on the way is no part of its result.
      assert.deepStrictEqual(textsOf(yield* called("count")), ["3"])
      const ids = handled.map(({ id }) => id)
      assert.isTrue(ids.every((id) => typeof id === "string" && id !== ""))
      assert.strictEqual(new Set(ids).size, ids.length)
    }))

  it.live("a search over an assembly and code over one are served as any other toolkit", () =>
    Effect.gen(function*() {
      const { toolkit } = yield* assembled
      const searched = yield* client(yield* serveTools({ toolkit: yield* ToolSearch.toolkit(toolkit) }), version)
      assert.deepStrictEqual((yield* Effect.promise(searched.list)).map(({ name }) => name), ["tool_search", "tool_call"])
      const found = JSON.parse(textsOf(yield* Effect.promise(() => searched.call("tool_search", { query: "whole number" })))[0]!)
      assert.strictEqual(found.tools[0].name, "hub__list")
      const called = yield* Effect.promise(() => searched.call("tool_call", { name: "hub__list", input: { page: 3 } }))
      assert.deepStrictEqual(JSON.parse(textsOf(called)[0]!), { page: 3, entries: [] })
      // The approval that the tool behind it needs is needed of the call too.
      const refused = yield* Effect.promise(() => searched.call("tool_call", { name: "hub__delete", input: {} }))
      assert.strictEqual(refused.isError, true)

      const coded = yield* client(yield* serveTools({ toolkit: yield* CodeMode.toolkit(toolkit, inProcess) }), version)
      const ran = yield* Effect.promise(() => coded.call("execute", { code: "return (await tools.hub__list({ page: 4 })).page" }))
      assert.deepStrictEqual(JSON.parse(textsOf(ran)[0]!), { result: 4, logs: [] })
    }))

  it.live("a picture, a sound and an address are what the revision has for them", () =>
    Effect.gen(function*() {
      const toolkit = yield* kit([
        Tool.make("draw", {
          success: Schema.Struct({ secret: Schema.String }),
          toModelOutput: () => [
            Prompt.textPart({ text: "first" }),
            Prompt.filePart({ mediaType: "image/png", data: new Uint8Array([1, 2, 255]) }),
            Prompt.filePart({ mediaType: "audio/wav", data: "AQL/" }),
            Prompt.filePart({ mediaType: "text/csv", fileName: "a b.csv", data: "data:text/csv;base64,AQL/" }),
            Prompt.filePart({ mediaType: "video/mp4", fileName: "film", data: new URL("https://example.com/film.mp4") })
          ]
        }),
        () => Effect.succeed({ secret: "kept from the model" })
      ])
      const { call } = yield* client(yield* serveTools({ toolkit }), version)
      const drawn = yield* Effect.promise(() => call("draw"))
      assert.deepStrictEqual(drawn.content, [
        { type: "text", text: "first" },
        { type: "image", data: "AQL/", mimeType: "image/png" },
        version === "2024-11-05" ? { type: "text", text: "[audio/wav omitted]" } : { type: "audio", data: "AQL/", mimeType: "audio/wav" },
        { type: "resource", resource: { uri: "attachment:a%20b.csv", mimeType: "text/csv", blob: "AQL/" } },
        version < "2025-06-18"
          ? { type: "text", text: "https://example.com/film.mp4" }
          : { type: "resource_link", uri: "https://example.com/film.mp4", name: "film", mimeType: "video/mp4" }
      ])
      // What the model reads stands in the place of the result.
      assert.notInclude(JSON.stringify(drawn), "kept from the model")
    }))
})

/** JSON with the members of each object in one order: no schema means something by it. */
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === "object" && value !== null
      ? Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1).map(([key, member]) => [key, sorted(member)])
      : value

describe("what is registered", () => {
  it.live("are the tools of a list alone, by their names or as they are [R-004-05]", () =>
    Effect.gen(function*() {
      const { toolkit } = yield* assembled
      const { list, request } = yield* client(yield* serveTools({ toolkit, tools: ["hub__say", toolkit.tools["hub__list"]!, "hub__say"] }))
      assert.deepStrictEqual((yield* Effect.promise(list)).map(({ name }) => name), ["hub__say", "hub__list"])
      const { error } = yield* Effect.promise(() => request("tools/call", { name: "hub__away", arguments: {} }))
      assert.strictEqual(error?.code, -32_602)
      const none = yield* client(yield* serveTools({ toolkit, tools: [] }))
      assert.deepStrictEqual(yield* Effect.promise(none.list), [])
    }))

  it.effect("has to be in the toolkit, or whoever registers it is told what is not", () =>
    Effect.gen(function*() {
      const { toolkit } = yield* assembled
      const exit = yield* Effect.exit(Effect.provide(McpTools.register({ toolkit, tools: ["hub__say", "hub__lsit", "__proto__"] }), McpServer.McpServer.layer))
      const error = errorOf(exit)
      assert.instanceOf(error, Cause.IllegalArgumentError)
      assert.include((error as Error).message, "\"hub__lsit\", \"__proto__\"")
      assert.include((error as Error).message, "\"hub__list\"")
    }))

  it.live("is listed once, and each call runs the tool as it is then [R-004-06] [R-004-07] [R-004-15]", () =>
    Effect.gen(function*() {
      const { layer, logs, reports } = diagnostics()
      let asked = 0
      let now: Effect.Effect<Kit, Error> = telling("one")
      const toolkit = Effect.suspend(() => {
        asked++
        return now
      })
      const { call, list } = yield* client(yield* serve(McpTools.layer({ toolkit }).pipe(Layer.provide(layer), Layer.orDie)))
      assert.strictEqual((yield* Effect.promise(list))[0].description, "one")
      assert.strictEqual(asked, 1)
      assert.deepStrictEqual(textsOf(yield* Effect.promise(() => call("tell"))), ["one"])
      now = telling("two")
      assert.deepStrictEqual(textsOf(yield* Effect.promise(() => call("tell"))), ["two"])
      assert.strictEqual((yield* Effect.promise(list))[0].description, "one")
      assert.strictEqual(asked, 3)

      now = kit()
      const gone = yield* Effect.promise(() => call("tell"))
      assert.deepStrictEqual([gone.isError, textsOf(gone)], [true, ["The tool \"tell\" is no longer offered."]])

      for (const failing of [Effect.fail(new Error("postgres://admin:s3cret@db")), Effect.die(new Error("postgres://admin:s3cret@db"))]) {
        now = failing
        const failed = yield* Effect.promise(() => call("tell"))
        assert.deepStrictEqual([failed.isError, textsOf(failed)], [true, ["The tool \"tell\" is not available at present."]])
      }
      assert.strictEqual(logs.length, 2)
      assert.deepStrictEqual(reports.map(({ message }) => message), ["postgres://admin:s3cret@db", "postgres://admin:s3cret@db"])

      now = telling("three")
      assert.deepStrictEqual(textsOf(yield* Effect.promise(() => call("tell"))), ["three"])
    }))

  it.live("is what MCP can list; another tool is left out, and a warning says why", () =>
    Effect.gen(function*() {
      const { layer, logs } = diagnostics()
      let deep: Schema.JsonObject = {}
      for (let at = 0; at < 2000; at++) deep = { not: deep }
      const schemas: Readonly<Record<string, any>> = {
        list: { type: "array" },
        property: { type: "object", properties: { a: 7 } },
        required: { type: "object", required: true },
        deep: { type: "object", properties: { deep } },
        bigint: { type: "object", default: 1n },
        fine: { type: "object" }
      }
      const toolkit = yield* kit(
        ...Object.entries(schemas).map(([name, parameters]) => [Tool.dynamic(name, { parameters, success: Schema.String }), () => Effect.succeed("")] as const),
        [Tool.make("union", { parameters: Schema.Union([Schema.Struct({ a: Schema.String }), Schema.Struct({ b: Schema.String })]), success: Schema.String }), () => Effect.succeed("")]
      )
      Object.defineProperty(toolkit.tools, "throws", {
        enumerable: true,
        value: Object.defineProperty(Tool.dynamic("throws", { parameters: { type: "object" } }), "jsonSchema", { get: () => { throw new Error("not there") } })
      })
      const { list } = yield* client(yield* serve(McpTools.layer({ toolkit }).pipe(Layer.provide(layer))))
      assert.deepStrictEqual((yield* Effect.promise(list)).map(({ name }) => name), ["fine"])
      assert.deepStrictEqual(logs.map(({ level }) => level), Array.from({ length: 7 }, () => "Warn"))
      const said = logs.map(({ message }) => message).join("\n")
      for (const name of ["list", "property", "required", "deep", "bigint", "union", "throws"]) assert.include(said, `The tool "${name}" is not served over MCP`)
      assert.include(said, "more than 512 levels")
      assert.include(said, "not there")
    }))

  it.live("keeps the parameters of a class and of a recursive type an object at the root", () =>
    Effect.gen(function*() {
      class Search extends Schema.Class<Search>("a/b~c")({ words: Schema.String }) {}
      interface Tree {
        readonly name: string
        readonly children: ReadonlyArray<Tree>
      }
      const Tree = Schema.Struct({ name: Schema.String, children: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree)) }).annotate({ identifier: "Tree" })
      const toolkit = yield* kit(
        [Tool.make("search", { parameters: Search, success: Schema.String }), ({ words }) => Effect.succeed(words)],
        [Tool.make("plant", { parameters: Tree, success: Schema.String }), ({ children }) => Effect.succeed(`${children.length} branches`)]
      )
      const { call, list } = yield* client(yield* serveTools({ toolkit }))
      const [search, plant] = yield* Effect.promise(list)
      assert.deepStrictEqual([search.inputSchema.type, search.inputSchema.properties], ["object", { words: { type: "string" } }])
      assert.deepStrictEqual(plant.inputSchema.properties.children, { type: "array", items: { $ref: "#/$defs/Tree" } })
      assert.property(plant.inputSchema.$defs, "Tree")
      assert.deepStrictEqual(textsOf(yield* Effect.promise(() => call("plant", { name: "a", children: [{ name: "b", children: [] }] }))), ["1 branches"])
    }))

  it.live("puts at the root what a reference leads to, over any number of steps, and keeps the words beside each", () =>
    Effect.gen(function*() {
      const { layer, logs } = diagnostics()
      const Place = Schema.Struct({ city: Schema.String }).annotate({ identifier: "a place/100%~", title: "Place", description: "Where." })
      const steps = ["One", "Two", "Three"].reduce<Schema.Codec<{ readonly city: string }>>(
        (to, identifier) => Schema.suspend(() => to).annotate({ identifier, description: `By ${identifier}.` }),
        Place
      )
      const beside = Schema.suspend(() => steps).annotate({ examples: [{ city: "Ulm" }] })
      const [Circle, Other] = [
        Schema.suspend((): Schema.Codec<{}> => Other).annotate({ identifier: "Circle" }),
        Schema.suspend((): Schema.Codec<{}> => Circle).annotate({ identifier: "Other" })
      ]
      const toolkit = yield* kit(
        [Tool.make("place", { parameters: Place, success: Schema.String }), () => Effect.succeed("")],
        [Tool.make("steps", { parameters: beside, success: Schema.String }), ({ city }) => Effect.succeed(city)],
        [Tool.make("circle", { parameters: Circle, success: Schema.String }), () => Effect.succeed("")]
      )
      const { call, list } = yield* client(yield* serve(McpTools.layer({ toolkit }).pipe(Layer.provide(layer))))
      const listed = yield* Effect.promise(list)
      assert.deepStrictEqual(listed.map(({ name }) => name), ["place", "steps"])
      const [place, found] = listed.map(({ inputSchema }) => inputSchema)
      const object = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: true, title: "Place" }
      assert.deepStrictEqual(place, { ...object, description: "Where.", $defs: place.$defs })
      assert.deepStrictEqual(found, { ...object, description: "By Three.", examples: [{ city: "Ulm" }], $defs: found.$defs })
      assert.deepStrictEqual(Object.keys(found.$defs).toSorted(), ["One", "Three", "Two", "a place/100%~"])
      assert.deepStrictEqual(textsOf(yield* Effect.promise(() => call("steps", { city: "Ulm" }))), ["Ulm"])
      assert.deepStrictEqual(logs.map(({ message }) => message), [
        "The tool \"circle\" is not served over MCP: it cannot be described: the root of its parameters is a circle of references: #/$defs/Circle, #/$defs/Other"
      ])
      const source = yield* fromToolkit({ ...toolkit, tools: { steps: toolkit.tools["steps"]! } })
      assert.deepStrictEqual(source.tools, [{ name: "steps", description: "steps", inputSchema: listed[1].inputSchema }])
    }))

  it.live("shares the server of a transport, whichever way it is put together [R-004-03]", () =>
    Effect.gen(function*() {
      const { toolkit } = yield* assembled
      const transport = { name: "served", version: "1", path: "/mcp", protocols: dual } as const
      const layers = {
        provided: McpTools.layer({ toolkit }).pipe(Layer.provideMerge(McpServer.layerHttp(transport))),
        registered: McpServer.layerHttp({ ...transport, registrations: McpTools.layer({ toolkit }) }),
        "by hand": Layer.effectDiscard(McpTools.register({ toolkit })).pipe(Layer.provideMerge(McpServer.layerHttp(transport)))
      }
      for (const [way, layer] of Object.entries(layers)) {
        const { handler } = yield* Effect.acquireRelease(
          Effect.sync(() => HttpRouter.toWebHandler(layer as typeof layers.registered, { disableLogger: true })),
          ({ dispose }) => Effect.promise(dispose)
        )
        const { list } = yield* client({ handler: (request) => handler(request) })
        assert.strictEqual((yield* Effect.promise(list)).length, 5, way)
      }
    }))

  it.live("takes several toolkits for one server", () =>
    Effect.gen(function*() {
      const one = yield* kit([Tool.make("one", { success: Schema.String }), () => Effect.succeed("1")])
      const two = yield* kit([Tool.make("two", { success: Schema.String }), () => Effect.succeed("2")])
      const { call, list } = yield* client(yield* serve(Layer.merge(McpTools.layer({ toolkit: one }), McpTools.layer({ toolkit: two }))))
      assert.sameMembers((yield* Effect.promise(list)).map(({ name }) => name), ["one", "two"])
      assert.deepStrictEqual(textsOf(yield* Effect.promise(() => call("two"))), ["2"])
    }))
})

describe("a defect", () => {
  it.live("is logged and reported, and the client reads that the tool failed and nothing of it", () =>
    Effect.gen(function*() {
      const { layer, logs, reports } = diagnostics()
      const toolkit = yield* kit([Tool.make("dies", { success: Schema.String }), () => Effect.die(new Error("the password is s3cret"))])
      for (const version of versions) {
        const { call } = yield* client(yield* serve(McpTools.layer({ toolkit }).pipe(Layer.provide(layer))), version)
        const failed = yield* Effect.promise(() => call("dies"))
        assert.strictEqual(failed.isError, true)
        assert.deepStrictEqual(textsOf(failed), ["The tool \"dies\" failed, for a reason that is not the call's."])
      }
      assert.strictEqual(logs.length, versions.length)
      assert.isTrue(logs.every(({ cause, message }) => message.includes("dies") && Cause.pretty(cause).includes("s3cret")))
      assert.strictEqual(reports.length, versions.length)
    }))

  it.live("of a source is what a model reads of it", () =>
    Effect.gen(function*() {
      const { toolkit } = yield* assembled
      const { call } = yield* client(yield* serve(McpTools.layer({ toolkit }).pipe(Layer.provide(diagnostics().layer))))
      const failed = yield* Effect.promise(() => call("hub__broken"))
      assert.deepStrictEqual([failed.isError, textsOf(failed)], [true, [new ToolSourceError.UnknownError({}).modelMessage]])
    }))

  it.live("of an interruption that is the tool's own is an error of the protocol, and no hang", () =>
    Effect.gen(function*() {
      const toolkit = yield* kit([Tool.make("stops", { success: Schema.String }), () => Effect.interrupt])
      for (const version of versions) {
        const { request } = yield* client(yield* serveTools({ toolkit }), version)
        const { error } = yield* Effect.promise(() => request("tools/call", { name: "stops", arguments: {} }))
        assert.strictEqual(error?.code, -32_603, version)
      }
    }))
})

describe("toCallToolResult", () => {
  const ok = { isFailure: false } as const

  it("gives text and pictures in order, then what there is to tell besides, in a block of its own [R-004-09] [R-004-11]", () => {
    const made = McpTools.toCallToolResult({
      ...ok,
      encodedResult: { hidden: true },
      modelOutput: [
        Prompt.textPart({ text: "one" }),
        Prompt.filePart({ mediaType: "image/png", data: "AQL/" }),
        Prompt.textPart({ text: "two" }),
        // Of another realm, as a program in a context of its own makes it.
        { ...Prompt.filePart({ mediaType: "image/png", data: "" }), data: runInNewContext("new Uint8Array([1, 2, 255])") as Uint8Array }
      ],
      diagnostics: [{ severity: "warning", message: "old" }, { severity: "error", message: "a\n</harness> b" }]
    })
    assert.deepStrictEqual(made.content, [
      { type: "text", text: "one" },
      { type: "image", data: new Uint8Array([1, 2, 255]), mimeType: "image/png" },
      { type: "text", text: "two" },
      { type: "image", data: new Uint8Array([1, 2, 255]), mimeType: "image/png" },
      { type: "text", text: "<harness>\nwarning: old\nerror: a\n&lt;/harness> b\n</harness>" }
    ])
    assert.isUndefined(made.structuredContent)
    assert.deepStrictEqual(McpTools.toCallToolResult({ ...ok, encodedResult: 1, diagnostics: [] }).content, [{ type: "text", text: "1" }])
  })

  it("gives a failure's message, or all of it, as an error [R-004-10]", () => {
    for (const [encodedResult, text] of [
      [{ code: "NotFoundError", message: "There is no such task.", retryable: false }, "There is no such task."],
      ["in words", "in words"],
      [{ lost: "the key" }, "{\"lost\":\"the key\"}"],
      [{ message: "" }, "{\"message\":\"\"}"],
      [undefined, "The tool failed."]
    ] as const) {
      const { content, isError, structuredContent } = McpTools.toCallToolResult({ isFailure: true, encodedResult, diagnostics: [{ severity: "info", message: "i" }] })
      assert.deepStrictEqual([isError, content, structuredContent], [true, [{ type: "text", text }, { type: "text", text: "<harness>\ninfo: i\n</harness>" }], undefined])
    }
  })

  it("gives what JSON can say of a value as it says it, and an error for what it cannot [R-004-14]", () => {
    const own = JSON.parse("{\"__proto__\":{\"a\":1},\"b\":[]}") as object
    for (const [encodedResult, text, structured] of [
      [own, "{\"__proto__\":{\"a\":1},\"b\":[]}", own],
      [{ at: new Date(0), none: undefined }, "{\"at\":\"1970-01-01T00:00:00.000Z\"}", { at: "1970-01-01T00:00:00.000Z" }],
      [[{}], "[{}]", undefined]
    ] as const) {
      const made = McpTools.toCallToolResult({ ...ok, encodedResult })
      assert.deepStrictEqual(made.content, [{ type: "text", text }])
      assert.deepStrictEqual(made.structuredContent, structured)
      assert.isUndefined(made.isError)
    }
    let deep: unknown = 1
    for (let at = 0; at < 100_000; at++) deep = [deep]
    const self: { self?: unknown } = {}
    self.self = self
    for (const encodedResult of [1n, { a: 1n }, () => 1, Symbol("s"), self, deep]) {
      assert.strictEqual(McpTools.toCallToolResult({ ...ok, encodedResult }).isError, true)
    }
  })

  it("tells of a file that it cannot read, by its name", () => {
    const { content } = McpTools.toCallToolResult({ ...ok, encodedResult: 1, modelOutput: [Prompt.filePart({ mediaType: "image/png", fileName: "a.png", data: "not base64!" })] })
    assert.deepStrictEqual(content, [{ type: "text", text: "[image/png a.png omitted]" }])
  })
})
