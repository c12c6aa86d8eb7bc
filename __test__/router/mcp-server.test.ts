/** A router as the tools of an MCP server; and the official SDK on both sides of it. */
import { assert, describe, it } from "@effect/vitest"
import { Client, InMemoryTransport, type JSONRPCMessage, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { createMcpHandler, Server } from "@modelcontextprotocol/server"
import { Effect } from "effect"
import {
  createApprovals,
  createMcpBridge,
  createMcpRouter,
  createMcpToolSource,
  createToolExecutor,
  DendraError,
  inspectRouter,
  mcpToolDefinitions,
  type PendingResult,
  type PlainTool,
  route,
  toToolset
} from "../../ts/router.ts"
import { sdkOnLoopback } from "../support/mcp-servers.ts"
import { newest } from "../support/mcp-tools.ts"
import { connectSdk } from "../support/sdk-client.ts"
import { deferred, logged, refused, rejection } from "./support.ts"

const input = { type: "object", properties: { query: { type: "string" } }, required: ["query"] }
const conflict = new DendraError("CONFLICT", "Taken already", { by: "Bob" })
const circle: Record<string, unknown> = {}
circle["circle"] = circle

const router = {
  notes: {
    list: route.get("/notes").ai().handler(() => [{ id: 1 }]),
    search: route.post("/search").input(input).ai({ description: "Search", annotations: { readOnlyHint: true } }).handler(({ input }) => input["query"]),
    nothing: route.ai().handler(() => undefined),
    echo: route.input({ type: "object" }).ai().handler(({ input }) => input)
  },
  fails: {
    publicly: route.ai().handler(() => Promise.reject(conflict)),
    privately: route.ai().handler(() => Promise.reject(new Error("SELECT secret"))),
    circle: route.ai().handler(() => circle),
    bigint: route.ai().handler(() => 1n)
  },
  publish: route.get().ai({ confirm: true }).handler(() => "published"),
  hidden: route.handler(() => 0)
}
const approvals = createApprovals(router)
const bridge = createMcpBridge(router, { user: "Ada" }, { approvals })
const text = (text: string) => ({ content: [{ type: "text" as const, text }] })

const annotationsOf = (tools: object) => Object.fromEntries(mcpToolDefinitions(tools).map((tool) => [tool.name, tool.annotations]))

describe("mcpToolDefinitions", () => {
  it("has the names, descriptions and schemas of the plain toolset [R-001-40]", () => {
    const listed = mcpToolDefinitions(router).map(({ description, inputSchema, name }): PlainTool => ({ name, description, inputSchema }))
    assert.deepStrictEqual(listed, toToolset(router, { format: "plain" }))
  })

  it("has hints of a .get() and of a tool with confirm, over which .ai() sets its own, and none where there are none [R-001-41] [R-001-42] [R-001-43] [R-001-44]", () => {
    const held = route.ai({ confirm: true })
    assert.deepStrictEqual(annotationsOf(router), {
      "notes.list": { readOnlyHint: true },
      "notes.search": { readOnlyHint: true },
      "notes.nothing": undefined,
      "notes.echo": undefined,
      "fails.publicly": undefined,
      "fails.privately": undefined,
      "fails.circle": undefined,
      "fails.bigint": undefined,
      publish: { readOnlyHint: true, destructiveHint: true }
    })
    const over = {
      get: route.get().ai({ annotations: { readOnlyHint: false, title: "Get" } }).handler(() => 0),
      held: held.ai({ annotations: { idempotentHint: true, destructiveHint: false, openWorldHint: true } }).handler(() => 0),
      twice: held.ai({ annotations: { title: "One", openWorldHint: false } }).ai({ annotations: { title: "Two" } }).handler(() => 0),
      blank: route.post().ai({ annotations: { readOnlyHint: undefined } }).handler(() => 0)
    }
    assert.deepStrictEqual(annotationsOf(over), {
      get: { readOnlyHint: false, title: "Get" },
      held: { idempotentHint: true, destructiveHint: false, openWorldHint: true },
      twice: { destructiveHint: true, title: "Two", openWorldHint: false },
      blank: undefined
    })
    for (const tool of mcpToolDefinitions(router)) assert.strictEqual("annotations" in tool, tool.annotations !== undefined)
  })
})

describe("createMcpBridge", () => {
  it("lists what mcpToolDefinitions gives [R-001-45]", () => {
    assert.deepStrictEqual(bridge.listTools(), mcpToolDefinitions(router))
  })

  it("takes missing arguments for an empty object [R-001-46]", async () => {
    for (const args of [undefined, null]) assert.deepStrictEqual(await bridge.callTool("notes.echo", args), text("{}"))
    assert.deepStrictEqual(await bridge.callTool("notes.echo", { a: 1 }), text("{\"a\":1}"))
  })

  it("answers with the result as one text of JSON, null for nothing [R-001-47] [R-001-53]", async () => {
    assert.deepStrictEqual(await bridge.callTool("notes.list", {}), text("[{\"id\":1}]"))
    assert.deepStrictEqual(await bridge.callTool("notes.search", { query: "a \"b\"" }), text(JSON.stringify("a \"b\"")))
    assert.deepStrictEqual(await bridge.callTool("notes.nothing", {}), text("null"))
  })

  it("tells of a DendraError its message alone [R-001-48]", async () => {
    assert.deepStrictEqual(await bridge.callTool("fails.publicly", {}), { ...text("Taken already"), isError: true })
    assert.deepStrictEqual(await bridge.callTool("missing", {}), { ...text("Tool 'missing' not found"), isError: true })
    assert.deepStrictEqual(await bridge.callTool("notes.search", {}), { ...text("query: is required"), isError: true })
    assert.deepStrictEqual(await createMcpBridge(router, {}).callTool("publish", {}), {
      ...text("Tool 'publish' needs a person's approval, which cannot be asked for here"),
      isError: true
    })
  })

  it("hides any other error, a result that is no JSON too, and logs it [R-001-49]", async () => {
    for (const [name, logs] of [["privately", "SELECT secret"], ["circle", "circular|cyclic"], ["bigint", "BigInt"]] as const) {
      const errors = await logged("error", async () => {
        assert.deepStrictEqual(await bridge.callTool(`fails.${name}`, {}), { ...text("Internal error"), isError: true })
      })
      assert.strictEqual(errors.length, 1)
      assert.deepStrictEqual(errors[0]!.slice(0, 2), ["The tool %s failed", `"fails.${name}"`])
      assert.match((errors[0]![2] as Error).message, new RegExp(logs, "i"))
    }
  })

  it("rejects only when it is given up, with the reason [R-001-50]", async () => {
    const started = deferred()
    const waiting = createMcpBridge({ wait: route.ai().handler(() => (started.resolve(), new Promise(() => undefined))) }, {})
    const controller = new AbortController()
    const call = waiting.callTool("wait", {}, { signal: controller.signal })
    await started.promise
    controller.abort("enough")
    assert.strictEqual(await rejection(call), "enough")
    assert.strictEqual(await rejection(bridge.callTool("missing", {}, { signal: AbortSignal.abort("before") })), "before")
    for (const args of ["a", 5, [], 1n]) assert.isTrue((await bridge.callTool("notes.echo", args)).isError)
  })

  it("answers with the pending result of a tool with confirm, which is no error [R-001-51]", async () => {
    const { content, isError } = await bridge.callTool("publish", {})
    assert.isUndefined(isError)
    const pending = JSON.parse(content[0]!.text) as PendingResult
    assert.deepStrictEqual(await approvals.list({}).then((actions) => actions.map(({ id }) => id)), [pending.actionId])
    assert.strictEqual(await approvals.approve(pending.actionId, {}), "published")
  })
})

type Bridge = ReturnType<typeof createMcpBridge>

/** A server of the SDK over a bridge. */
const serverOf = (tools: Bridge): Server => {
  const server = new Server({ name: "notes", version: "1" }, { capabilities: { tools: {} } })
  // What the bridge gives is what the handlers are to give, by type too.
  server.setRequestHandler("tools/list", () => ({ tools: tools.listTools() }))
  server.setRequestHandler("tools/call", ({ params }, { mcpReq }) => tools.callTool(params.name, params.arguments, mcpReq))
  return server
}

/** A client of the SDK that is connected to one in the process, and what the server sent. */
const connected = async (tools: Bridge) => {
  const client = new Client({ name: "test", version: "1" })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  const sent: Array<JSONRPCMessage> = []
  const send = theirs.send.bind(theirs)
  theirs.send = (message, ...options) => {
    sent.push(message)
    return send(message, ...options)
  }
  await Promise.all([serverOf(tools).connect(theirs), client.connect(ours)])
  return { client, sent, close: () => client.close() }
}

/** A client of the SDK in 2026-07-28 over HTTP on loopback, what it asked, and what came back. */
const overHttp = (tools: Bridge) =>
  Effect.gen(function*() {
    const handler = yield* Effect.acquireRelease(Effect.sync(() => createMcpHandler(() => serverOf(tools))), (handler) => Effect.promise(() => handler.close()))
    const port = yield* sdkOnLoopback({ handler: (request) => handler.fetch(request) })
    const exchanges: Array<{ readonly method: unknown; readonly version: string | null; text: Promise<string> | undefined }> = []
    const fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
      const { method } = JSON.parse(String(init?.body)) as { readonly method: unknown }
      const exchange: typeof exchanges[number] = { method, version: new Headers(init?.headers).get("mcp-protocol-version"), text: undefined }
      exchanges.push(exchange)
      const response = await globalThis.fetch(url, init)
      exchange.text = response.clone().text().catch(String)
      return response
    }
    const client = yield* connectSdk(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), { fetch }), newest)
    return { client, exchanges }
  })

/** A bridge with a stream that does not end by itself, what was heard of it, and a tool that is quick. */
const watching = () => {
  const [started, stopped] = [deferred(), deferred<unknown>()]
  const bridge = createMcpBridge({
    ping: route.ai().handler(() => "pong"),
    watch: route.ai().stream().handler(async function*({ signal }) {
      signal.addEventListener("abort", () => stopped.resolve(signal.reason))
      started.resolve()
      yield 1
      await new Promise(() => undefined)
    })
  }, {})
  return { bridge, started, stopped }
}

/** What a client reads of the bridge is what that says itself. */
const listsAndCalls = async (client: Client): Promise<void> => {
  const { tools } = await client.listTools()
  assert.deepStrictEqual(JSON.parse(JSON.stringify(tools)), JSON.parse(JSON.stringify(bridge.listTools())))
  assert.deepStrictEqual((await client.callTool({ name: "notes.search", arguments: { query: "a" } })).content, text("\"a\"").content)
  const failed = await client.callTool({ name: "fails.publicly" })
  assert.deepStrictEqual([failed.content, failed.isError], [text("Taken already").content, true])
}

/** Cancels a call once it runs, and waits until its handler has heard of it. */
const cancels = async (client: Client, { started, stopped }: ReturnType<typeof watching>): Promise<void> => {
  const controller = new AbortController()
  const call = client.callTool({ name: "watch" }, { signal: controller.signal })
  await started.promise
  controller.abort("enough")
  await rejection(call)
  await stopped.promise
}

describe("with the official SDK on both sides", () => {
  it("lists and calls a router's tools, and says what went wrong [R-001-52]", async () => {
    const { client, close } = await connected(bridge)
    await listsAndCalls(client)
    await close()
  })

  it.live("does so over HTTP in 2026-07-28 [R-001-52]", () =>
    Effect.gen(function*() {
      const { client, exchanges } = yield* overHttp(bridge)
      yield* Effect.promise(() => listsAndCalls(client))
      const asked = exchanges.filter(({ method }) => method === "tools/list" || method === "tools/call")
      assert.deepStrictEqual(asked.map(({ method, version }) => [method, version]), [["tools/list", newest], ["tools/call", newest], ["tools/call", newest]])
    }))

  it("cancels a call: the handler's signal is aborted, and no answer comes [R-001-52]", async () => {
    const watched = watching()
    const { client, close, sent } = await connected(watched.bridge)
    sent.length = 0
    await cancels(client, watched)
    // By the time that a later call is answered, an answer to the one before would have been sent.
    assert.deepStrictEqual((await client.callTool({ name: "ping" })).content, text("\"pong\"").content)
    assert.deepStrictEqual(sent.map((message) => "result" in message ? message.result["content"] : message), [text("\"pong\"").content])
    await close()
  })

  it.live("cancels a call over HTTP in 2026-07-28: the handler's signal is aborted, and no answer comes [R-001-52]", () =>
    Effect.gen(function*() {
      const watched = watching()
      const { client, exchanges } = yield* overHttp(watched.bridge)
      yield* Effect.promise(async () => {
        await cancels(client, watched)
        assert.deepStrictEqual((await client.callTool({ name: "ping" })).content, text("\"pong\"").content)
        const [cancelled, pinged] = exchanges.filter(({ method }) => method === "tools/call")
        assert.notInclude(await cancelled!.text ?? "", "\"result\"")
        assert.include(await pinged!.text, "\"result\"")
        assert.isTrue(exchanges.every(({ version }) => version === newest))
      })
    }))

  it("takes the SDK's client as it is, for a tool source and for a router [R-001-70]", async () => {
    const { client, close } = await connected(bridge)
    const source = await createMcpToolSource(client, { prefix: "app.", filter: (name) => name.startsWith("notes.") })
    assert.deepStrictEqual(source.names, ["app.notes.list", "app.notes.search", "app.notes.nothing", "app.notes.echo"])
    assert.deepStrictEqual(await source.execute("app.notes.list", undefined), [{ id: 1 }])
    assert.strictEqual(await source.execute("app.notes.nothing", {}), null)

    const remote = { app: await createMcpRouter(client, { confirm: (name) => name === "publish" }) }
    assert.deepStrictEqual(inspectRouter(remote).filter(({ confirm }) => confirm).map(({ meta }) => meta.mcp?.tool), ["publish"])
    const execute = createToolExecutor(remote, {})
    assert.strictEqual(await execute("app.notes.search", { query: "b" }), "b")
    await refused(execute("app.notes.search", {}), "BAD_GATEWAY", "query: is required")
    await refused(execute("app.fails.publicly", {}), "BAD_GATEWAY", "Taken already")
    await refused(execute("app.publish", {}), "FORBIDDEN")
    await close()
  })
})
