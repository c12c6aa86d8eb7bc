import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Option, Schema, Stream } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { Assembly, Http, OpenApi, type ToolDefinition, ToolSearch, type ToolSource } from "../ts/index.ts"
import { schemasMade } from "../ts/internal/catalog.ts"
import {
  answered,
  askedOf,
  call,
  calling,
  define,
  modes,
  recording,
  resultsOf,
  saying,
  scripted,
  turn
} from "./support/language-model.ts"

const member = (source: string, ...tools: ReadonlyArray<string>): Assembly.Member => ({
  source: recording(source),
  definitions: tools.map((tool) => define(tool))
})

const discovering = (name: string, ...tools: ReadonlyArray<string>): ToolSource.ToolSource => ({
  ...recording(name),
  discover: Effect.succeed(tools.map((tool) => define(tool)))
})

const allow = (): Assembly.Decision => "allow"

const namesOf = (members: ReadonlyArray<Assembly.Member>, options?: Assembly.Options) =>
  Effect.map(Assembly.toolkit(members, allow, options), ({ tools }) => Object.keys(tools))

/** The fingerprint of a pair, computed again by other means. */
const fingerprint = (source: string, tool: string): string => {
  const length = Buffer.alloc(8)
  length.writeBigUInt64BE(BigInt(Buffer.byteLength(source)))
  const hash = createHash("sha256").update(length).update(source).update(tool).digest()
  const bits = [...hash.subarray(0, 5)].map((byte) => byte.toString(2).padStart(8, "0")).join("")
  return bits.match(/.{5}/g)!.map((five) => "abcdefghijklmnopqrstuvwxyz234567"[Number.parseInt(five, 2)]).join("")
}

const isIllegalArgument = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) && !Cause.hasFails(exit.cause) && Cause.isIllegalArgumentError(Cause.squash(exit.cause))

describe("the tools of an assembly", () => {
  it.effect("are those of several members, each named by its source and itself [R-000-230]", () =>
    Effect.gen(function*() {
      const { tools } = yield* Assembly.toolkit([member("github", "create_issue", "list"), member("linear"), member("linear_2", "list")], allow)
      assert.deepStrictEqual(Object.keys(tools), ["github__create_issue", "github__list", "linear_2__list"])
      for (const [name, tool] of Object.entries(tools)) assert.strictEqual(tool.name, name)
      assert.strictEqual(Assembly.toolName("github", "create_issue"), "github__create_issue")
    }))

  it.effect("are decided about one by one, by the source's name and the definition [R-000-231]", () =>
    Effect.gen(function*() {
      const members = [member("github", "a", "b"), member("linear", "a")]
      const asked: Array<readonly [string, ToolDefinition.ToolDefinition]> = []
      yield* Assembly.toolkit(members, (source, definition) => {
        asked.push([source, definition])
        return "block"
      })
      assert.deepStrictEqual(asked.map(([source, { name }]) => [source, name]), [["github", "a"], ["github", "b"], ["linear", "a"]])
      const given = members.flatMap(({ definitions }) => definitions)
      for (const [at, [, definition]] of asked.entries()) assert.strictEqual(definition, given[at])
    }))

  it.effect("are without those that a decision blocks, which cannot be called [R-000-232]", () =>
    Effect.gen(function*() {
      const github = member("github", "list", "delete")
      const toolkit = yield* Assembly.toolkit([github], (_, { name }) => name === "delete" ? "block" : "allow")
      assert.deepStrictEqual(Object.keys(toolkit.tools), ["github__list"])
      const error = yield* Effect.flip(toolkit.handle("github__delete", {}))
      assert.strictEqual(error.reason._tag, "ToolNotFoundError")
      assert.deepStrictEqual((github.source as ReturnType<typeof recording>).calls, [])
    }))

  it.effect("need approval where a decision says approve, and not where it says allow [R-000-233]", () =>
    Effect.gen(function*() {
      const { tools } = yield* Assembly.toolkit([member("github", "list", "delete")], (_, { name }) => name === "delete" ? "approve" : "allow")
      assert.strictEqual(tools["github__delete"]!.needsApproval, true)
      assert.strictEqual(tools["github__list"]!.needsApproval, undefined)
    }))

  for (const { ask, mode } of modes) {
    it.effect(`run through ${mode} after a person approved them, where a decision says approve [R-002-09]`, () =>
      Effect.gen(function*() {
        const source = recording("github")
        const toolkit = yield* Assembly.toolkit([{ source, definitions: [define("delete")] }], () => "approve")
        const { layer } = scripted(calling(call("c1", "github__delete", { id: 1 })), saying("done"))
        yield* Effect.gen(function*() {
          const asked = yield* ask({ toolkit, prompt: "clean up" })
          assert.deepStrictEqual(askedOf(asked), ["c1"])
          assert.deepStrictEqual(resultsOf(asked), [])
          assert.deepStrictEqual(source.calls, [])
          const [result] = resultsOf(yield* ask({ toolkit, prompt: answered("clean up", asked, true) }))
          assert.strictEqual(result!.isFailure, false)
          assert.deepStrictEqual(source.calls, [{ tool: "delete", input: { id: 1 } }])
        }).pipe(Effect.provide(layer))
      }))
  }

  it.effect("are never decided about by the hints of their source [R-002-10]", () =>
    Effect.gen(function*() {
      const claims = [
        { readOnly: true, destructive: false, idempotent: true, openWorld: false },
        { readOnly: false, destructive: true, idempotent: false, openWorld: true },
        {}
      ]
      const source = recording("github")
      const definitions = claims.map((annotations, at) => define(`tool_${at}`, { annotations }))
      for (const decision of ["allow", "approve", "block"] as const) {
        const { tools } = yield* Assembly.toolkit([{ source, definitions }], () => decision)
        assert.deepStrictEqual(
          Object.values(tools).map(({ needsApproval }) => needsApproval),
          decision === "block" ? [] : claims.map(() => decision === "approve" ? true : undefined)
        )
      }
    }))

  it.effect("are built without contacting a source [R-000-243]", () =>
    Effect.gen(function*() {
      const silent = {
        name: "silent",
        get discover(): never {
          throw new Error("discover was read")
        },
        get call(): never {
          throw new Error("call was read")
        }
      }
      assert.deepStrictEqual(yield* namesOf([{ source: silent, definitions: [define("list")] }]), ["silent__list"])
    }))

  it.effect("reach the source that owns them, by its own name for them [R-000-240]", () =>
    Effect.gen(function*() {
      const long = "reads.every/thing ".repeat(8)
      const [github, linear] = [recording("git.hub"), recording("linear")]
      const toolkit = yield* Assembly.toolkit([
        { source: github, definitions: [define("list"), define(long)] },
        { source: linear, definitions: [define("list"), define("__proto__")] }
      ], allow)
      const names = Object.keys(toolkit.tools)
      const results = resultsOf(yield* turn(toolkit, calling(...names.map((name, at) => call(`c${at}`, name, { at })))))
      assert.isTrue(results.every(({ isFailure }) => !isFailure))
      assert.deepStrictEqual(github.calls, [{ tool: "list", input: { at: 0 } }, { tool: long, input: { at: 1 } }])
      assert.deepStrictEqual(linear.calls, [{ tool: "list", input: { at: 2 } }, { tool: "__proto__", input: { at: 3 } }])
    }))

  it.effect("may be none: an empty assembly is a toolkit that a model can be given [R-000-247]", () =>
    Effect.gen(function*() {
      for (const members of [[], [member("github")], [member("github", "list")]]) {
        const toolkit = yield* Assembly.toolkit(members, () => "block")
        assert.deepStrictEqual(Object.keys(toolkit.tools), [])
        for (const { ask } of modes) {
          const { layer, requests } = scripted(saying("nothing to do"))
          const parts = yield* Effect.provide(ask({ toolkit }), layer)
          assert.isTrue(parts.some(({ type }) => type === "finish"))
          assert.deepStrictEqual(requests[0]!.tools, [])
        }
      }
    }))

  it.effect("are assembled from the sources' own answers under a stored policy [R-002-07]", () =>
    Effect.gen(function*() {
      const policy: ReadonlyMap<string, { readonly tools: ReadonlyMap<string, Assembly.Decision>; readonly others: Assembly.Decision }> = new Map([
        ["github", { tools: new Map([["delete", "block"], ["create", "approve"]] as const), others: "allow" as const }]
      ])
      const members = yield* Effect.forEach(
        [discovering("github", "list", "create", "delete"), discovering("linear", "list")],
        (source) => Effect.map(source.discover, (definitions) => ({ source, definitions }))
      )
      const toolkit = yield* Assembly.toolkit(members, (source, definition) => {
        const stored = policy.get(source)
        return stored?.tools.get(definition.name) ?? stored?.others ?? "block"
      })
      assert.deepStrictEqual(
        Object.values(toolkit.tools).map(({ name, needsApproval }) => [name, needsApproval]),
        [["github__list", undefined], ["github__create", true]]
      )
    }))
})

describe("a decision", () => {
  it("is allow, approve or block, and nothing else [R-000-235]", () => {
    const decode = Schema.decodeUnknownOption(Assembly.Decision)
    for (const decision of ["allow", "approve", "block"]) assert.deepStrictEqual(decode(decision), Option.some(decision))
    for (const other of ["", "ALLOW", "deny", "ask", true, null, undefined, 0, ["allow"], {}]) {
      assert.isTrue(Option.isNone(decode(other)), String(other))
    }
  })

  it.effect("that is something else lets no tool through", () =>
    Effect.gen(function*() {
      for (const other of ["deny", undefined, true, "Allow"]) {
        assert.isTrue(isIllegalArgument(yield* Effect.exit(Assembly.toolkit([member("github", "list")], () => other as never))))
      }
    }))
})

describe("the name of a tool", () => {
  it("has _ for every character that model APIs do not take, in the source and in the tool [R-000-236]", () => {
    assert.strictEqual(Assembly.toolName("git.hub", "create issue/é"), "git_hub__create_issue__")
    assert.strictEqual(Assembly.toolName("a-b_C9", "D-e_f"), "a-b_C9__D-e_f")
    for (let code = 0; code < 0x250; code++) {
      const character = String.fromCharCode(code)
      const expected = /^[A-Za-z0-9_-]$/.test(character) ? character : "_"
      assert.strictEqual(Assembly.toolName(`a${character}`, character), `a${expected}__${expected}`)
    }
    assert.strictEqual(Assembly.toolName("😀", "\ud800"), "____")
  })

  it("is kept up to 64 characters, and else cut to 64 with a fingerprint of the whole at its end [R-000-237]", () => {
    for (const length of [1, 58, 59]) assert.strictEqual(Assembly.toolName("abc", "t".repeat(length)), `abc__${"t".repeat(length)}`)
    for (const length of [60, 61, 200]) {
      const tool = "t".repeat(length)
      const name = Assembly.toolName("abc", tool)
      assert.strictEqual(name, `${`abc__${tool}`.slice(0, 55)}_${fingerprint("abc", tool)}`)
      assert.lengthOf(name, 64)
    }
  })

  it.effect("stays apart from another that differs after the cut only [R-000-238]", () =>
    Effect.gen(function*() {
      const begin = "t".repeat(70)
      const tools = [begin, `${begin}1`, `${begin}2`, `${begin}.`, `${begin}_`]
      const names = yield* namesOf([member("abc", ...tools), member("abc_", ...tools), member("abc.", ...tools)])
      assert.lengthOf(new Set(names), 15)
      assert.isTrue(names.every((name) => name.length === 64 && /^[A-Za-z0-9_-]+$/.test(name)))
      assert.notStrictEqual(Assembly.toolName("ab", `c${begin}`), Assembly.toolName("abc", begin))
    }))

  it.effect("is the same for ever, and whatever stands beside it [R-000-239]", () =>
    Effect.gen(function*() {
      const long = "x".repeat(80)
      assert.strictEqual(Assembly.toolName("github", long), "github__xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_emyeiiyt")
      assert.strictEqual(Assembly.toolName("github", "create_issue", { maxNameLength: 16 }), "github__3astbel4")
      assert.strictEqual(Assembly.toolName("git.hub", "create_issue_in_a_repository", { maxNameLength: 24 }), "git_hub__create_uwlrqr6l")
      assert.strictEqual(Assembly.toolName("", ""), "__")
      for (const tool of ["list", long, "ü".repeat(70)]) {
        const name = Assembly.toolName("github", tool)
        assert.deepStrictEqual(yield* namesOf([member("github", tool)]), [name])
        assert.include(yield* namesOf([member("a", tool, "b"), member("github", `${tool}2`, tool), member("z", tool)]), name)
        assert.include(yield* namesOf([member("github", "b", tool, `${tool}3`)]), name)
      }
    }))

  it.effect("is cut to maxNameLength, with its fingerprint and apart from others [R-000-244]", () =>
    Effect.gen(function*() {
      const tools = ["list", "create_issue", "create_issue_comment", `${"t".repeat(80)}1`, `${"t".repeat(80)}2`]
      for (const maxNameLength of [16, 17, 24, 40, 63, 64, 65, 1000]) {
        const names = yield* namesOf([member("github", ...tools)], { maxNameLength })
        const longest = Math.min(maxNameLength, 64)
        assert.lengthOf(new Set(names), tools.length)
        for (const [at, name] of names.entries()) {
          const whole = `github__${tools[at]}`
          assert.strictEqual(
            name,
            whole.length <= longest ? whole : `${whole.slice(0, longest - 9)}_${fingerprint("github", tools[at]!)}`
          )
          assert.strictEqual(Assembly.toolName("github", tools[at]!, { maxNameLength }), name)
        }
      }
    }))

  it.effect("is never cut to fewer than 16 characters [R-000-245]", () =>
    Effect.gen(function*() {
      for (const maxNameLength of [15, 0, -1, 16.5, NaN, Infinity, "20" as never]) {
        assert.isTrue(isIllegalArgument(yield* Effect.exit(Assembly.toolkit([], allow, { maxNameLength }))), String(maxNameLength))
        assert.throws(() => Assembly.toolName("a", "b", { maxNameLength }), /maxNameLength/)
      }
      assert.deepStrictEqual(yield* namesOf([member("github", "list")], { maxNameLength: 16 }), ["github__list"])
    }))
})

describe("tools that share a name", () => {
  it.effect("fail the assembly with every clash, each with all its tools [R-000-241]", () =>
    Effect.gen(function*() {
      const members = [member("a", "x.y", "x_y", "z", "alone"), member("a", "x-y", "x y", "z"), member("b", "z"), member("b", "z")]
      const error = yield* Effect.flip(Assembly.toolkit(members, allow))
      assert.strictEqual(error._tag, "NameClash")
      assert.deepStrictEqual(error.clashes, [
        { name: "a__x_y", tools: [{ source: "a", tool: "x.y" }, { source: "a", tool: "x_y" }, { source: "a", tool: "x y" }] },
        { name: "a__z", tools: [{ source: "a", tool: "z" }, { source: "a", tool: "z" }] },
        { name: "b__z", tools: [{ source: "b", tool: "z" }, { source: "b", tool: "z" }] }
      ])
    }))

  it.effect("are named in an error that can be caught by its tag [R-002-06]", () =>
    Effect.gen(function*() {
      const caught = yield* Assembly.toolkit([member("a", "x.y", "x_y", "z", "z")], allow).pipe(
        Effect.catchTag("NameClash", (error) => Effect.succeed(error))
      )
      assert.instanceOf(caught, Assembly.NameClash)
      assert.instanceOf(caught, Error)
      const { clashes, message } = caught as Assembly.NameClash
      assert.deepStrictEqual(clashes.map(({ name }) => name), ["a__x_y", "a__z"])
      for (const word of ["a__x_y", "x.y of a", "a__z"]) assert.include(message, word)
      const codec = Schema.toCodecJson(Assembly.NameClash)
      const decoded = Schema.decodeUnknownSync(codec)(JSON.parse(JSON.stringify(Schema.encodeSync(codec)(caught as Assembly.NameClash))))
      assert.deepStrictEqual(decoded.clashes, clashes)
    }))

  it.effect("are named by the five first clashes and the number of the others", () =>
    Effect.gen(function*() {
      const tools = Array.from({ length: 8 }, (_, at) => `t${at}`)
      const { clashes, message } = yield* Effect.flip(Assembly.toolkit([member("a", ...tools, ...tools)], allow))
      assert.lengthOf(clashes, 8)
      assert.include(message, "a__t4")
      assert.notInclude(message, "a__t5")
      assert.include(message, "3 more")
    }))

  it.effect("do not clash when they are blocked [R-000-242]", () =>
    Effect.gen(function*() {
      const members = [member("a", "x.y", "x_y", "x y")]
      const { tools } = yield* Assembly.toolkit(members, (_, { name }) => name === "x_y" ? "allow" : "block")
      assert.deepStrictEqual(Object.keys(tools), ["a__x_y"])
    }))

  it.effect("are in no clash where they are blocked, while the others of the name are [R-002-08]", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(
        Assembly.toolkit([member("a", "x.y", "x_y", "x y")], (_, { name }) => name === "x_y" ? "block" : "approve")
      )
      assert.deepStrictEqual(error.clashes, [{ name: "a__x_y", tools: [{ source: "a", tool: "x.y" }, { source: "a", tool: "x y" }] }])
    }))

  it.effect("are those of two members of one source's name where their tools are the same, and not else [R-000-246]", () =>
    Effect.gen(function*() {
      const [first, second] = [recording("a"), recording("a")]
      const toolkit = yield* Assembly.toolkit([{ source: first, definitions: [define("x")] }, { source: second, definitions: [define("y")] }], allow)
      yield* turn(toolkit, calling(call("c1", "a__x"), call("c2", "a__y")))
      assert.deepStrictEqual([first.calls, second.calls], [[{ tool: "x", input: {} }], [{ tool: "y", input: {} }]])
      const error = yield* Effect.flip(Assembly.toolkit([member("a", "x", "y"), member("a", "y", "z")], allow))
      assert.deepStrictEqual(error.clashes, [{ name: "a__y", tools: [{ source: "a", tool: "y" }, { source: "a", tool: "y" }] }])
    }))
})

describe("an assembly of a whole document", () => {
  it.effect("makes no schema that nobody reads, and one for each tool that is read", () =>
    Effect.gen(function*() {
      const paths = Object.fromEntries(Array.from({ length: 1200 }, (_, at) => [`/things/${at}/{id}`, {
        get: {
          operationId: `getThing${at}`,
          parameters: [{ name: "id", in: "path", required: true, schema: { $ref: "#/components/schemas/Id" } }]
        }
      }]))
      const components = { schemas: { Id: { type: "string", minLength: 1 } } }
      const before = schemasMade()
      const { operations, skipped } = OpenApi.readOperations({ openapi: "3.1.0", info: { title: "Things", version: "1" }, components, paths })
      assert.deepStrictEqual(skipped, [])
      const source = Http.make({
        name: "things",
        baseUrl: "https://api.example.com",
        client: HttpClient.make((request) => Effect.succeed(HttpClientResponse.fromWeb(request, Response.json(null)))),
        operations
      })
      const toolkit = yield* Assembly.toolkit([{ source, definitions: operations.map(({ definition }) => definition) }], allow)
      assert.lengthOf(Object.keys(toolkit.tools), 1200)
      const searched = yield* ToolSearch.toolkit(toolkit)
      assert.strictEqual(schemasMade(), before)

      const { inputSchema } = operations[600]!.definition
      assert.deepStrictEqual(inputSchema["$defs"], { Id: { type: "string", minLength: 1 } })
      assert.strictEqual(operations[600]!.definition.inputSchema, inputSchema)
      assert.strictEqual(schemasMade(), before + 1)

      const results = yield* toolkit.handle("things__getThing7", { id: "a" }).pipe(Stream.unwrap, Stream.runCollect)
      assert.deepStrictEqual(results.map(({ isFailure }) => isFailure), [false])
      yield* toolkit.handle("things__getThing7", { id: "b" }).pipe(Stream.unwrap, Stream.runDrain)
      assert.strictEqual(schemasMade(), before + 2)

      // A search makes those of what it shows.
      const [found] = yield* searched.handle("tool_search", { query: "getThing11", limit: 3 }).pipe(Stream.unwrap, Stream.runCollect)
      assert.lengthOf((found!.result as ToolSearch.Found).tools, 3)
      assert.strictEqual(schemasMade(), before + 5)
    }))
})
