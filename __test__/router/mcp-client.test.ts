import { format } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import {
  type AfterEvent,
  createApprovals,
  createMcpBridge,
  createMcpRouter,
  createMcpToolSource,
  createToolExecutor,
  DendraError,
  inspectRouter,
  isPendingResult,
  type McpClientLike,
  type PendingResult,
  type PlainTool,
  route,
  toToolset
} from "../../ts/router.ts"
import { deferred, logged, refused, rejection, scriptedClient, text } from "./support.ts"

const search = { type: "object", properties: { query: { type: "string" } }, required: ["query"] }
const listed = [
  { name: "search", description: "Search code", inputSchema: search },
  { name: "issues.create", description: "Create an issue" },
  { name: "delete_repo", description: "Delete a repository" }
]
const github = (answer?: Parameters<typeof scriptedClient>[1]) => scriptedClient(listed, answer)
const plain = (tools: ReadonlyArray<unknown>) => tools as ReadonlyArray<PlainTool>

/** A source of a server whose tools fail with an answer. */
const failing = async (answer: Awaited<ReturnType<McpClientLike["callTool"]>>) => createMcpToolSource(github(() => ({ ...answer, isError: true })).client, { prefix: "gh." })

describe("createMcpToolSource", () => {
  it("asks for the tools once, when it is made [R-001-60]", async () => {
    const { asked, client } = github(() => text("ok"))
    const source = await createMcpToolSource(client)
    assert.deepStrictEqual(asked.splice(0), [["listTools"]])
    await source.execute("search", { query: "a" })
    await source.execute("search", { query: "b" })
    assert.deepStrictEqual(asked.map((call) => (call as ReadonlyArray<unknown>)[0]), ["callTool", "callTool"])
  })

  it("keeps what the filter keeps, by the server's names, and puts the prefix before them [R-001-61]", async () => {
    const asked: Array<string> = []
    const source = await createMcpToolSource(github().client, { prefix: "gh.", filter: (name) => (asked.push(name), !name.startsWith("delete_")) })
    assert.deepStrictEqual(source.names, ["gh.search", "gh.issues.create"])
    assert.deepStrictEqual(plain(source.tools).map(({ name }) => name), source.names)
    assert.deepStrictEqual(asked, ["search", "issues.create", "delete_repo"])
    // Only a plain yes lets a tool in: a promise is none.
    const async = await createMcpToolSource(github().client, { filter: (async () => false) as never })
    assert.deepStrictEqual(async.names, [])
  })

  it("describes a tool by its name where it has no description, and cuts what is long [R-001-62]", async () => {
    const { client } = scriptedClient([
      { name: "none" },
      { name: "blank", description: " " },
      { name: "long", description: "a".repeat(5000) },
      { name: "pairs", description: `${"a".repeat(1023)}😀` },
      { name: "n".repeat(2000) }
    ])
    const described = async (options = {}) => plain((await createMcpToolSource(client, options)).tools).map(({ description }) => description)
    assert.deepStrictEqual(await described(), ["none", "blank", "a".repeat(1024), "a".repeat(1023), "n".repeat(1024)])
    assert.deepStrictEqual(await described({ maxDescriptionLength: 2 }), ["no", "bl", "aa", "aa", "nn"])
    for (const maxDescriptionLength of [0, -1, 1.5, Number.NaN, Number.NEGATIVE_INFINITY]) {
      assert.match(String(await rejection(described({ maxDescriptionLength }))), /RangeError: maxDescriptionLength has to be a whole number of at least 1/)
    }
  })

  it("takes a missing schema for that of an empty object [R-001-63]", async () => {
    const source = await createMcpToolSource(github().client, { format: "anthropic" })
    assert.deepStrictEqual(source.tools.map((tool) => (tool as { readonly input_schema: unknown }).input_schema), [
      search,
      { type: "object", properties: {} },
      { type: "object", properties: {} }
    ])
  })

  it("calls by the server's name, with an empty object for no arguments [R-001-64]", async () => {
    const { asked, client } = github(() => text("ok"))
    const source = await createMcpToolSource(client, { prefix: "gh." })
    asked.length = 0
    await source.execute("gh.search", { query: "a" })
    await source.execute("gh.issues.create", undefined)
    await source.execute("gh.issues.create", null)
    assert.deepStrictEqual(asked, [
      ["callTool", { name: "search", arguments: { query: "a" } }],
      ["callTool", { name: "issues.create", arguments: {} }],
      ["callTool", { name: "issues.create", arguments: {} }]
    ])
  })

  it("joins the texts of an answer, and gives the JSON that they are, or else the text [R-001-65]", async () => {
    const answers: ReadonlyArray<readonly [Awaited<ReturnType<McpClientLike["callTool"]>>, unknown]> = [
      [text("plain"), "plain"],
      [text("one ", "two"), "one two"],
      [text("{\"a\":", "[1,null]}"), { a: [1, null] }],
      [text("42"), 42],
      [text("\"quoted\""), "quoted"],
      [text("007"), "007"],
      [text(""), ""],
      [{ content: [] }, ""],
      [{}, ""],
      [{ content: [{ type: "image" }, { type: "text", text: "seen" }, { type: "resource", text: "not a text item" }, { type: "text" }] }, "seen"],
      [{ content: [{ type: "text", text: "told" }], structuredContent: { told: true } }, "told"],
      [{ content: [], structuredContent: { told: true } }, { told: true }],
      [{ ...text("fine"), isError: false }, "fine"]
    ]
    for (const [answer, expected] of answers) {
      const source = await createMcpToolSource(github(() => answer).client)
      assert.deepStrictEqual(await source.execute("search", {}), expected)
    }
    const hostile = await createMcpToolSource(github(() => text("{\"__proto__\":{\"isAdmin\":true}}")).client)
    assert.isUndefined((await hostile.execute("search", {}) as { readonly isAdmin?: unknown }).isAdmin)
  })

  it("is BAD_GATEWAY for an answer that MCP does not have, in words of ours", async () => {
    const answers: ReadonlyArray<unknown> = [null, undefined, "text", 5, { content: "text" }, { content: {} }, { content: [null] }, { content: ["text"] }]
    const texts = [{ a: 1 }, 5, true, ["a"]].map((text) => ({ content: [{ type: "text", text }] }))
    for (const answer of [...answers, ...texts, { content: [null], isError: true }]) {
      const { client } = github(() => answer as never)
      const source = await createMcpToolSource(client)
      await refused(source.execute("search", {}), "BAD_GATEWAY", "MCP tool 'search' gave an answer that cannot be read")
      const execute = createToolExecutor(await createMcpRouter(client), {})
      await refused(execute("search", {}), "BAD_GATEWAY", "MCP tool 'search' gave an answer that cannot be read")
    }
    for (const content of [null, [{ type: "text", text: null }]]) {
      assert.strictEqual(await (await createMcpToolSource(github(() => ({ content }) as never).client)).execute("search", {}), "")
    }
  })

  it("is BAD_GATEWAY where a server's list of tools is none", async () => {
    for (const list of [null, undefined, {}, { tools: null }, { tools: {} }, { tools: "search" }]) {
      const client = { ...github().client, listTools: () => Promise.resolve(list as never) }
      for (const made of [createMcpToolSource(client), createMcpRouter(client)]) {
        await refused(made, "BAD_GATEWAY", "The MCP server gave a list of tools that cannot be read")
      }
    }
  })

  it("leaves out a tool whose input is no object, and says so", async () => {
    const schemas: ReadonlyArray<unknown> = [["x"], [], "object", 5, true, { type: ["object"] }, { type: "array" }]
    const { client } = scriptedClient([...schemas.map((inputSchema, at) => ({ name: `no ${at}`, inputSchema: inputSchema as never })), { name: "yes", inputSchema: {} }])
    const warned = await logged("warn", async () => {
      const { tools } = await createMcpToolSource(client)
      assert.deepStrictEqual(tools, [{ name: "yes", description: "yes", inputSchema: { type: "object" } }])
    })
    assert.deepStrictEqual(warned.map((words) => format(...words)), [
      `Tools of an MCP server are left out: ${schemas.map((_, at) => `the input of "no ${at}" is no object`).join(", ")}`
    ])
  })

  it("is BAD_GATEWAY with the server's text where the tool failed [R-001-66]", async () => {
    const error = await refused((await failing(text("no such ", "repository"))).execute("gh.search", {}), "BAD_GATEWAY", "no such repository")
    assert.strictEqual(error.status, 502)
    for (const answer of [{}, { content: [] }, text(""), { content: [{ type: "image" }] }]) {
      await refused((await failing(answer)).execute("gh.search", {}), "BAD_GATEWAY", "MCP tool 'search' failed")
    }
  })

  it("does not find a name that was not listed, and does not ask the server [R-001-67]", async () => {
    const { asked, client } = github()
    const source = await createMcpToolSource(client, { prefix: "gh.", filter: (name) => name !== "delete_repo" })
    asked.length = 0
    for (const name of ["search", "gh.delete_repo", "gh.", "gh.constructor", "__proto__"]) {
      await refused(source.execute(name, {}), "NOT_FOUND", `Tool '${name}' not found`)
    }
    assert.deepStrictEqual(asked, [])
  })

  it("stops waiting when it is given up, with the reason, while the server's tool runs on [R-001-68]", async () => {
    const go = deferred()
    let isDone = false
    const { asked, client } = github(async () => {
      await go.promise
      isDone = true
      return text("late")
    })
    const source = await createMcpToolSource(client)
    const controller = new AbortController()
    const call = source.execute("search", {}, { signal: controller.signal })
    controller.abort("enough")
    assert.strictEqual(await rejection(call), "enough")
    // It is asked with its parameters alone: there is no place for a signal.
    assert.deepStrictEqual(asked.at(-1), ["callTool", { name: "search", arguments: {} }])
    go.resolve()
    await new Promise((resolve) => setTimeout(resolve, 0))
    assert.isTrue(isDone)
    asked.length = 0
    assert.strictEqual(await rejection(source.execute("search", {}, { signal: AbortSignal.abort("before") })), "before")
    assert.deepStrictEqual(asked, [])
  })

  it("lets what the client throws pass as it is [R-001-69]", async () => {
    const dropped = new Error("connection closed")
    const source = await createMcpToolSource(github(() => Promise.reject(dropped)).client)
    assert.strictEqual(await rejection(source.execute("search", {})), dropped)
    const away: McpClientLike = { listTools: () => Promise.reject(dropped), callTool: () => assert.fail("it was called") }
    assert.strictEqual(await rejection(createMcpToolSource(away)), dropped)
    assert.strictEqual(await rejection(createMcpRouter(away)), dropped)
  })

  it("takes the first of two tools of one name, and leaves out one whose input is no object, with a warning", async () => {
    const { client } = scriptedClient([
      { name: "twice", description: "first" },
      { name: "twice", description: "second" },
      { name: "odd", inputSchema: { type: "string" } },
      { name: "untyped", inputSchema: { properties: { a: {} } } }
    ])
    let source!: Awaited<ReturnType<typeof createMcpToolSource>>
    const warnings = await logged("warn", async () => {
      source = await createMcpToolSource(client)
    })
    assert.deepStrictEqual(warnings.map((warning) => format(...warning)), [
      "Tools of an MCP server are left out: \"twice\" is there already, the input of \"odd\" is no object"
    ])
    assert.deepStrictEqual(plain(source.tools), [
      { name: "twice", description: "first", inputSchema: { type: "object", properties: {} } },
      { name: "untyped", description: "untyped", inputSchema: { properties: { a: {} }, type: "object" } }
    ])
  })
})

const routerOf = (...names: ReadonlyArray<string>) => createMcpRouter(scriptedClient(names.map((name) => ({ name }))).client)

const confirmed = async (options: Parameters<typeof createMcpRouter>[1]) =>
  inspectRouter(await createMcpRouter(github().client, options)).map(({ confirm }) => confirm)

describe("a log of a server's tools", () => {
  it("is of few lines, however many tools are wrong, and their names are no lines or formats of their own", async () => {
    const odd = "%c%s\n\u001b[31mforged"
    const { client } = scriptedClient(Array.from({ length: 5000 }, (_, at) => ({ name: `${odd}${at}${"x".repeat(1000)}`, inputSchema: { type: "string" } })))
    const [warning, ...others] = await logged("warn", () => createMcpToolSource(client))
    assert.deepStrictEqual(others, [])
    const line = format(...warning!)
    assert.isBelow(line.length, 3000)
    for (const control of ["\n", "\u001b"]) assert.notInclude(line, control)
    assert.match(line, /^Tools of an MCP server are left out: the input of "%c%s\\n\\u001b\[31mforged0x+" is no object, .*, and 4990 more$/)

    const remote = scriptedClient([{ name: odd }], () => Promise.reject(new Error("the cause")))
    const execute = createToolExecutor({ gh: await createMcpRouter(remote.client) }, {})
    const [error] = await logged("error", () => refused(execute(`gh.${odd}`, {}), "INTERNAL"))
    assert.match(format(...error!), /^The tool "gh\.%c%s\\n\\u001b\[31mforged" failed Error: the cause/)
  })
})

describe("createMcpRouter", () => {
  it("gives procedures that executors, toolsets, bridges, approvals and inspectRouter have as any other [R-001-71]", async () => {
    const { client } = github((name, args) => text(JSON.stringify({ name, args })))
    const router = { own: route.ai().handler(() => "own"), gh: await createMcpRouter(client, { confirm: (name) => name === "delete_repo" }) }
    const names = ["own", "gh.search", "gh.issues.create", "gh.delete_repo"]
    const approvals = createApprovals(router)
    const execute = createToolExecutor(router, {}, { approvals })
    assert.deepStrictEqual(plain(toToolset(router)).map(({ name }) => name), names)
    assert.deepStrictEqual(inspectRouter(router).map(({ path }) => path), names)
    assert.deepStrictEqual(await execute("gh.search", { query: "a" }), { name: "search", args: { query: "a" } })
    const bridge = createMcpBridge(router, {}, { approvals })
    assert.deepStrictEqual(bridge.listTools().map(({ name }) => name), names)
    assert.deepStrictEqual(await bridge.callTool("gh.search", {}), { content: [{ type: "text", text: "{\"name\":\"search\",\"args\":{}}" }] })
    const pending = await execute("gh.delete_repo", { repo: "a" }) as PendingResult
    assert.deepStrictEqual(await approvals.approve(pending.actionId, {}), { name: "delete_repo", args: { repo: "a" } })
  })

  it("nests dotted names [R-001-72]", async () => {
    const { asked, client } = scriptedClient([{ name: "issues.create" }, { name: "issues.labels.add" }, { name: "me" }], () => text("ok"))
    const gh = await createMcpRouter(client)
    assert.deepStrictEqual([Object.keys(gh), Object.keys(gh["issues"]!)], [["issues", "me"], ["create", "labels"]])
    assert.strictEqual(await createToolExecutor({ gh }, {})("gh.issues.labels.add", {}), "ok")
    assert.deepStrictEqual(asked.at(-1), ["callTool", { name: "issues.labels.add", arguments: {} }])
    assert.deepStrictEqual(inspectRouter({ ...gh }).map(({ path }) => path), ["issues.create", "issues.labels.add", "me"])
  })

  it("throws for a name that is a tool and a namespace, and for an empty part of a name [R-001-73]", async () => {
    for (const names of [["issues", "issues.create"], ["issues.create", "issues"], ["a.b.c", "a.b"]]) {
      assert.match(String(await rejection(routerOf(...names))), /^Error: "(?:issues|a\.b)" of an MCP server is a tool, and "(?:issues\.create|a\.b\.c)" is within it/)
    }
    for (const name of ["", ".", "a.", ".a", "a..b"]) {
      assert.match(String(await rejection(routerOf(name))), /^Error: The tool ".*" of an MCP server has a name with an empty part/)
    }
    const { client } = scriptedClient([{ name: "issues" }, { name: "issues.create" }, { name: "a..b" }])
    assert.deepStrictEqual(Object.keys(await createMcpRouter(client, { filter: (name) => name === "issues" })), ["issues"])
  })

  it("may have names that every object has", async () => {
    const names = ["__proto__", "constructor", "a.__proto__.isAdmin", "prototype.x"]
    const { client } = scriptedClient(names.map((name) => ({ name })), (name) => text(`called ${name}`))
    const gh = await createMcpRouter(client)
    assert.sameMembers(inspectRouter({ gh }).map(({ path }) => path), names.map((name) => `gh.${name}`))
    for (const name of names) assert.strictEqual(await createToolExecutor({ gh }, {})(`gh.${name}`, {}), `called ${name}`)
    assert.isUndefined(({} as { readonly isAdmin?: unknown }).isAdmin)
  })

  it("publishes the server's schema as it is, and checks only that an input is an object [R-001-74]", async () => {
    const schema = { type: "object", properties: { at: { type: "string", pattern: "^a", "x-own": 1 } }, required: ["at"], $schema: "urn:x" }
    const { asked, client } = scriptedClient([{ name: "act", inputSchema: schema }], () => text("ok"))
    const router = { gh: await createMcpRouter(client) }
    assert.deepStrictEqual(plain(toToolset(router))[0]!.inputSchema, schema)
    const execute = createToolExecutor(router, {})
    assert.strictEqual(await execute("gh.act", { at: 5 }), "ok")
    assert.strictEqual(await execute("gh.act", {}), "ok")
    asked.length = 0
    for (const args of [undefined, null, [], "a", 5]) await refused(execute("gh.act", args), "BAD_REQUEST")
    assert.deepStrictEqual(asked, [])
  })

  it("says of each tool the server's name, its path and whether a person has to approve it [R-001-75]", async () => {
    const gh = await createMcpRouter(github().client, { confirm: (name) => name !== "search", route: route.meta({ team: "ops" }) })
    const remote = inspectRouter({ own: route.ai().handler(() => 1), gh }).filter(({ meta }) => meta.mcp)
    assert.deepStrictEqual(remote.map(({ confirm, meta, path }) => [path, confirm, meta]), [
      ["gh.search", false, { team: "ops", mcp: { tool: "search" } }],
      ["gh.issues.create", true, { team: "ops", mcp: { tool: "issues.create" } }],
      ["gh.delete_repo", true, { team: "ops", mcp: { tool: "delete_repo" } }]
    ])
    assert.deepStrictEqual(remote.filter(({ confirm }) => !confirm).map(({ path }) => path), ["gh.search"])
  })

  it("calls by the server's name, and answers and fails as a tool source does [R-001-76]", async () => {
    const { asked, client } = github((name) => name === "search" ? text("{\"a\":", "1}") : { ...text("no rights"), isError: true })
    const execute = createToolExecutor({ gh: await createMcpRouter(client) }, {})
    assert.deepStrictEqual(await execute("gh.search", { query: "a" }), { a: 1 })
    assert.deepStrictEqual(asked.at(-1), ["callTool", { name: "search", arguments: { query: "a" } }])
    assert.strictEqual((await refused(execute("gh.delete_repo", {}), "BAD_GATEWAY", "no rights")).status, 502)
    const dropped = github(() => Promise.reject(new Error("connect ECONNREFUSED 10.0.0.1")))
    const away = createToolExecutor({ gh: await createMcpRouter(dropped.client) }, {})
    await logged("error", () => refused(away("gh.search", {}), "INTERNAL", "Internal error"))
    const controller = new AbortController()
    const waiting = createToolExecutor({ gh: await createMcpRouter(github(() => new Promise(() => undefined)).client) }, {})
    const call = waiting("gh.search", {}, { signal: controller.signal })
    controller.abort("enough")
    assert.strictEqual(await rejection(call), "enough")
  })

  it("holds back the tools that confirm names, and has the guards and hooks of its route before every call [R-001-77]", async () => {
    const seen: Array<unknown> = []
    const authed = route
      .use(({ ctx, path }: { ctx: { user?: string }; path: string }) => {
        if (ctx.user === undefined) throw new DendraError("UNAUTHORIZED", `Sign in to call ${path}`)
      })
      .after(({ approval, path, result }: AfterEvent<unknown>) => void seen.push([path, approval?.status, isPendingResult(result) ? "pending" : result]))
    const { asked, client } = github(() => text("ok"))
    const router = { gh: await createMcpRouter(client, { confirm: (name) => name === "issues.create", route: authed }) }
    const approvals = createApprovals<{ user?: string }>(router)
    asked.length = 0
    for (const name of ["gh.search", "gh.issues.create"]) {
      await refused(createToolExecutor(router, {}, { approvals })(name, {}), "UNAUTHORIZED", `Sign in to call ${name}`)
    }
    assert.deepStrictEqual([asked, seen], [[], []])
    const execute = createToolExecutor(router, { user: "Ada" }, { approvals })
    await execute("gh.search", {})
    const { actionId } = await execute("gh.issues.create", {}) as PendingResult
    assert.strictEqual(asked.length, 1)
    await refused(approvals.approve(actionId, {}), "UNAUTHORIZED")
    assert.strictEqual(asked.length, 1)
    await approvals.approve(actionId, { user: "Ada" })
    assert.deepStrictEqual(seen, [
      ["gh.search", undefined, "ok"],
      ["gh.issues.create", "pending", "pending"],
      ["gh.issues.create", "approved", "ok"]
    ])
  })

  it("takes anything but a plain no for a yes, where a person has to approve", async () => {
    assert.deepStrictEqual(await confirmed({}), [false, false, false])
    assert.deepStrictEqual(await confirmed({ confirm: true }), [true, true, true])
    assert.deepStrictEqual(await confirmed({ confirm: (() => undefined) as never }), [true, true, true])
    assert.deepStrictEqual(await confirmed({ confirm: (async () => false) as never }), [true, true, true])
    assert.deepStrictEqual(await confirmed({ confirm: false, route: route.ai({ confirm: true }) }), [true, true, true])
    assert.match(String(await rejection(confirmed({ confirm: () => assert.fail("it failed") }))), /it failed/)
  })

  it("takes a route that has no input of its own, and nothing else for one", async () => {
    const { client } = github()
    assert.match(String(await rejection(createMcpRouter(client, { route: route.input({ type: "object" }) as never }))), /has an \.input\(\)/)
    assert.match(String(await rejection(createMcpRouter(client, { route: {} as never }))), /was not made by route/)
  })

  it("lists the tools once, and has new ones when it is called again [R-001-78]", async () => {
    const tools = [{ name: "a" }]
    const { asked, client } = scriptedClient(tools, () => text("ok"))
    const first = await createMcpRouter(client)
    await createToolExecutor(first, {})("a", {})
    tools.push({ name: "b" })
    assert.deepStrictEqual(Object.keys(first), ["a"])
    assert.deepStrictEqual(Object.keys(await createMcpRouter(client)), ["a", "b"])
    assert.deepStrictEqual(asked, [["listTools"], ["callTool", { name: "a", arguments: {} }], ["listTools"]])
  })

  it("keeps what the filter keeps, and cuts descriptions [R-001-79]", async () => {
    const { client } = scriptedClient([{ name: "a", description: "x".repeat(2000) }, { name: "b", description: "y" }])
    const router = await createMcpRouter(client, { filter: (name) => name === "a" })
    assert.deepStrictEqual(plain(toToolset(router)).map(({ description }) => description), ["x".repeat(1024)])
    const short = await createMcpRouter(client, { maxDescriptionLength: 3, confirm: true })
    assert.match(plain(toToolset(short))[0]!.description, /^xxx \(Needs a person's approval/)
    assert.strictEqual(inspectRouter(short)[0]!.description, "xxx")
  })
})
