// The clients that are measured. Each opens a source at a URL and gives `run(tool, calls, atOnce)`: that many calls, so many
// of them at a time, in a loop of its own kind (promises, or Effect's fibers), and what the last of them answered.
// A client's modules are loaded when it is opened, so that no process holds those of another.

const stateless = "2026-07-28"
const clientInfo = { name: "bench", version: "1" }
const input = { text: "a small input" }

/** What a client without any knowledge of the protocol posts. */
const wireOf = async (url, isSession) => {
  const common = { "content-type": "application/json", accept: "application/json, text/event-stream" }
  const meta = {
    "io.modelcontextprotocol/protocolVersion": stateless,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": clientInfo
  }
  if (!isSession) {
    return {
      headersOf: (tool) => ({ ...common, "mcp-protocol-version": stateless, "mcp-method": "tools/call", "mcp-name": tool }),
      bodyOf: (id, tool) => JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: tool, arguments: input, _meta: meta } })
    }
  }
  const protocolVersion = "2025-11-25"
  const initialize = { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion, capabilities: {}, clientInfo } }
  const response = await fetch(url, { method: "POST", headers: common, body: JSON.stringify(initialize) })
  await response.text()
  const headers = { ...common, "mcp-protocol-version": protocolVersion, "mcp-session-id": response.headers.get("mcp-session-id") }
  return {
    headersOf: () => headers,
    bodyOf: (id, tool) => JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: tool, arguments: input } })
  }
}

/** The least that reads an answer: an event stream by its blank lines, every event parsed. */
const resultOf = (text, contentType, id) => {
  if (contentType === "application/json") return JSON.parse(text).result
  for (const event of text.split("\n\n")) {
    const data = event.indexOf("data: ")
    if (data === -1) continue
    const message = JSON.parse(event.slice(data + 6))
    if (message.id === id) return message.result
  }
  throw new Error("the stream ended without the answer")
}

const promised = (call) => async (tool, calls, atOnce) => {
  const loop = async () => {
    let last
    for (let at = 0; at < calls / atOnce; at++) last = await call(tool)
    return last
  }
  return (await Promise.all(Array.from({ length: atOnce }, loop)))[0]
}

const openFetch = async ({ isSession, url }) => {
  const { bodyOf, headersOf } = await wireOf(url, isSession)
  let lastId = 0
  return promised(async (tool) => {
    const id = ++lastId
    const response = await fetch(url, { method: "POST", headers: headersOf(tool), body: bodyOf(id, tool) })
    return resultOf(await response.text(), response.headers.get("content-type"), id)
  })
}

const openSdk = async ({ isSession, url }) => {
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client")
  const client = new Client(clientInfo, { versionNegotiation: { mode: isSession ? "legacy" : "auto" } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  await client.listTools()
  return promised((tool) => client.callTool({ name: tool, arguments: input }))
}

const overFetch = () => import("effect/http/FetchHttpClient")
const overNative = async () => ({ layer: (await import("../../dist/native-http.js")).layerWith({ proxy: "none" }) })

/** A client made of Effects, over Effect's client of the platform's fetch or another. `open` gives the call. */
const effected = (open, over = overFetch) => async (job) => {
  const [Effect, Layer, Scope, HttpClient, { layer }] = await Promise.all([
    import("effect/Effect"),
    import("effect/Layer"),
    import("effect/Scope"),
    import("effect/http/HttpClient"),
    over()
  ])
  const scope = Effect.runSync(Scope.make())
  // Once, so that its connections are there for every call.
  const client = await Effect.runPromise(Effect.provideService(Layer.build(layer), Scope.Scope, scope))
  const run = (effect) =>
    Effect.runPromise(effect.pipe(
      job.isTraced ? (self) => self : Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
      Effect.provideContext(client),
      Effect.provideService(Scope.Scope, scope)
    ))
  const call = await open({ ...job, Effect, HttpClient, run })
  return async (tool, calls, atOnce) => {
    const loop = Effect.gen(function*() {
      let last
      for (let at = 0; at < calls / atOnce; at++) last = yield* call(tool)
      return last
    })
    return (await run(Effect.all(Array.from({ length: atOnce }, () => loop), { concurrency: "unbounded" })))[0]
  }
}

/** As Effect's LanguageModel takes what a handler gives. */
const asModel = async (Effect, toolkit) => {
  const Stream = await import("effect/Stream")
  return (tool) => toolkit.handle(tool, input, "call").pipe(Stream.unwrap, Stream.runCollect, Effect.map((results) => results[0]))
}

const post = async ({ Effect, HttpClient, isSession, url }) => {
  const HttpClientRequest = await import("effect/http/HttpClientRequest")
  const { bodyOf, headersOf } = await wireOf(url, isSession)
  let lastId = 0
  return (tool) =>
    Effect.suspend(() => {
      const id = ++lastId
      const request = HttpClientRequest.post(url).pipe(
        HttpClientRequest.setHeaders(headersOf(tool)),
        HttpClientRequest.bodyText(bodyOf(id, tool), "application/json")
      )
      return HttpClient.execute(request).pipe(
        Effect.flatMap((response) => Effect.map(response.text, (text) => resultOf(text, response.headers["content-type"], id)))
      )
    })
}

const mcpClient = async ({ Effect, isSession, run, url }) => {
  const [McpClient, McpProtocol, Layer] = await Promise.all([
    import("effect/ai/McpClient"),
    import("effect/ai/McpProtocol"),
    import("effect/Layer")
  ])
  const layer = McpClient.layerHttp({ ...clientInfo, url, protocol: isSession ? McpProtocol.v2025_11_25 : McpProtocol.v2026_07_28 })
  const context = await run(Layer.build(layer))
  return { McpClient, client: await run(Effect.provideContext(McpClient.McpClient, context)) }
}

const openEffect = effected(async (job) => {
  const { client } = await mcpClient(job)
  const tools = new Map((await job.run(client.listTools())).map((tool) => [tool.name, tool]))
  return (tool) => client.callTool({ tool: tools.get(tool), arguments: input })
})

const openEffectAsModel = effected(async (job) => {
  const { McpClient, client } = await mcpClient(job)
  return asModel(job.Effect, await job.run(McpClient.toolkit(client)))
})

const ourSource = async ({ HttpClient, run, url }) => {
  const { Mcp, ToolSource } = await import("../../dist/index.js")
  const source = await run(Mcp.http({ name: "bench", url, client: await run(HttpClient.HttpClient) }))
  return { ToolSource, source, definitions: await run(source.discover) }
}

const ours = async (job) => {
  const { source } = await ourSource(job)
  return (tool) => source.call(tool, input)
}

const openOursAsModel = effected(async (job) => {
  const { ToolSource, definitions, source } = await ourSource(job)
  return asModel(job.Effect, await job.run(ToolSource.toolkit(source, definitions)))
})

export const open = {
  fetch: openFetch,
  post: effected(post),
  postNative: effected(post, overNative),
  sdk: openSdk,
  effect: openEffect,
  effectAsModel: openEffectAsModel,
  ours: effected(ours),
  oursNative: effected(ours, overNative),
  oursAsModel: openOursAsModel
}
