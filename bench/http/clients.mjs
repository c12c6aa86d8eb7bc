// The clients that are measured. Each gives `run(size, requests, atOnce)`: that many requests, so many of them at a time, in a loop
// of its own kind (promises, or Effect's fibers), and how long the last answer was. All read the whole body as bytes.
// A client's modules are loaded when it is opened, so that no process holds those of another.

const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "small", arguments: { text: "a small input" } } })
const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }

const promised = (one) => async (size, requests, atOnce) => {
  const loop = async () => {
    let last
    for (let at = 0; at < requests / atOnce; at++) last = await one(size)
    return last
  }
  return (await Promise.all(Array.from({ length: atOnce }, loop)))[0]
}

const openFetch = ({ origin }) =>
  promised(async (size) => {
    const response = await fetch(`${origin}/${size}`, { method: "POST", headers, body })
    return (await response.arrayBuffer()).byteLength
  })

const openUndici = async ({ origin }) => {
  // The last version for Node.js 20.
  const { Agent } = await import("undici7")
  const agent = new Agent()
  return promised(async (size) => {
    const response = await agent.request({ origin, path: `/${size}`, method: "POST", headers, body })
    return (await response.body.arrayBuffer()).byteLength
  })
}

const openNodeHttp = async ({ origin }) => {
  const http = await import("node:http")
  const agent = new http.Agent({ keepAlive: true })
  return promised((size) =>
    new Promise((resolve, reject) => {
      const request = http.request(`${origin}/${size}`, { agent, method: "POST", headers: { ...headers, "content-length": body.length } }, (response) => {
        const chunks = []
        response.on("data", (chunk) => chunks.push(chunk))
        response.on("end", () => resolve(Buffer.concat(chunks).length))
        response.on("error", reject)
      })
      request.on("error", reject)
      request.end(body)
    })
  )
}

/** Effect's client over a layer. */
const effected = (over) => async ({ isTraced, origin }) => {
  const [Effect, Layer, Scope, HttpClient, HttpClientRequest, layer] = await Promise.all([
    import("effect/Effect"),
    import("effect/Layer"),
    import("effect/Scope"),
    import("effect/http/HttpClient"),
    import("effect/http/HttpClientRequest"),
    over()
  ])
  const scope = Effect.runSync(Scope.make())
  const context = await Effect.runPromise(Effect.provideService(Layer.build(layer), Scope.Scope, scope))
  const one = (size) =>
    Effect.suspend(() => {
      const request = HttpClientRequest.post(`${origin}/${size}`).pipe(
        HttpClientRequest.setHeaders(headers),
        HttpClientRequest.bodyText(body, "application/json")
      )
      return Effect.flatMap(HttpClient.execute(request), (response) => Effect.map(response.arrayBuffer, (bytes) => bytes.byteLength))
    })
  return async (size, requests, atOnce) => {
    const loop = Effect.gen(function*() {
      let last
      for (let at = 0; at < requests / atOnce; at++) last = yield* one(size)
      return last
    })
    const all = Effect.all(Array.from({ length: atOnce }, () => loop), { concurrency: "unbounded" })
    const lengths = await Effect.runPromise(all.pipe(
      isTraced ? (self) => self : Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
      Effect.provideContext(context)
    ))
    return lengths[0]
  }
}

/** The addon alone, without Effect: what of the time is Effect's. */
const openAddon = async ({ origin }) => {
  const { Connections } = await import("../../dist/internal/httpConnections.js")
  const connections = new Connections({ proxy: "none", roots: [], http2: true, idle: 64, connecting: 10_000, silence: 300_000, redirect: "follow" })
  const list = Object.entries(headers).flat()
  return promised((size) =>
    new Promise((resolve, reject) => {
      const exchange = connections.send("POST", `${origin}/${size}`, list, body, false)
      exchange.head((head) => {
        if (head instanceof Error) return reject(head)
        if (head.isEnd) return resolve(head.whole?.byteLength ?? 0)
        return exchange.read(true, (piece) => piece instanceof Error ? reject(piece) : resolve(piece.bytes.byteLength))
      })
    })
  )
}

export const open = {
  fetch: openFetch,
  undici: openUndici,
  nodeHttp: openNodeHttp,
  addon: openAddon,
  effectFetch: effected(async () => (await import("effect/http/FetchHttpClient")).layer),
  effectUndici: effected(async () => (await import("@effect/platform-node/NodeHttpClient")).layerUndici),
  effectNodeHttp: effected(async () => (await import("@effect/platform-node/NodeHttpClient")).layerNodeHttp),
  ours: effected(async () => (await import("../../dist/native-http.js")).layerWith({ proxy: "none" }))
}
