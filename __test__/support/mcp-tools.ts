/**
 * A toolkit served over MCP by Effect's own server, in the process or on loopback, and a client that speaks each revision of
 * the protocol as it is written, without leniency: it says what is on the wire, and no more.
 */
import { request as openRequest } from "node:http"
import { type Array as Arrays, Effect, Layer, type Scope } from "effect"
import { type McpProtocol, McpServer } from "effect/ai"
import { HttpRouter } from "effect/http"
import * as McpTools from "../../ts/McpTools.ts"
import { dual, type Handler } from "./mcp-servers.ts"

/** Every revision, the oldest first. */
export const versions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const

export type Version = typeof versions[number]

export const newest: Version = "2026-07-28"

/** Serves what a layer registers, for as long as the scope is open. */
export const serve = (
  registrations: Layer.Layer<never>,
  protocols: Arrays.NonEmptyReadonlyArray<McpProtocol.ProtocolAdapter> = dual
): Effect.Effect<{ readonly handler: Handler }, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const server = McpServer.layerHttp({ name: "served", version: "1", path: "/mcp", protocols, allowSessionTermination: true, registrations })
        return HttpRouter.toWebHandler(server, { disableLogger: true })
      }),
      ({ dispose }) => Effect.promise(dispose)
    ),
    ({ handler }) => ({ handler: (request) => handler(request) })
  )

/** Serves a toolkit. */
export const serveTools = (options: McpTools.Options<any>, protocols?: Parameters<typeof serve>[1]) =>
  serve(McpTools.layer(options) as Layer.Layer<never>, protocols)

export interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly result?: any
  readonly error?: { readonly code: number; readonly message: string; readonly data?: any }
}

export interface SendOptions {
  readonly signal?: AbortSignal
  /** Changes the text of the message before it is sent. */
  readonly rewrite?: (body: string) => string
}

export interface Client {
  /** Sends a message as it is, with the headers that belong to it, and gives the answer that came, if any. */
  readonly send: (message: object, options?: SendOptions) => Promise<{ readonly status: number; readonly message: Message | undefined }>
  /** Sends a request with the next id. */
  readonly request: (method: string, params?: object, options?: SendOptions) => Promise<Message>
  readonly list: () => Promise<ReadonlyArray<any>>
  /** The result of a call; an error of the protocol is thrown, as JSON. */
  readonly call: (name: string, input?: object) => Promise<any>
}

const messageOf = (text: string): Message | undefined => {
  if (text === "") return undefined
  if (text.startsWith("{")) return JSON.parse(text) as Message
  const messages = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as Message)
  return messages.find(({ method }) => method === undefined)
}

/** How a client sends: a message with its headers, until it is given up. */
type Post = (sent: { readonly headers: Readonly<Record<string, string>>; readonly body: string; readonly signal: AbortSignal | undefined }) =>
  Promise<{ readonly status: number; readonly session: string | undefined; readonly text: string }>

/** To a server in the process. */
const inProcess = (handler: Handler): Post => async ({ body, headers, signal }) => {
  const response = await handler(new Request("http://127.0.0.1/mcp", { method: "POST", headers, body, signal: signal ?? null }))
  return { status: response.status, session: response.headers.get("mcp-session-id") ?? undefined, text: await response.text() }
}

/** Over a socket of its own, which is closed when the message is given up. Not by fetch, which now and then forgets to be. */
const overSocket = (port: number): Post => ({ body, headers, signal }) =>
  new Promise((resolve, reject) => {
    const open = openRequest({ host: "127.0.0.1", port, path: "/mcp", method: "POST", headers, agent: false }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", reject).on("end", () => {
        const session = response.headers["mcp-session-id"]
        resolve({ status: response.statusCode!, session: typeof session === "string" ? session : undefined, text: Buffer.concat(chunks).toString() })
      })
    })
    signal?.addEventListener("abort", () => open.destroy(new Error("given up")))
    open.on("error", reject).end(body)
  })

/** A client of a server in the process or at a port, which has begun its session where the revision has them. */
export const connect = async (server: { readonly handler: Handler } | number, version: Version, capabilities: object = {}): Promise<Client> => {
  const post = typeof server === "number" ? overSocket(server) : inProcess(server.handler)
  const isModern = version === newest
  let session: string | undefined
  let id = 0
  const meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" }
  }
  const send: Client["send"] = async (message, { rewrite = (body: string) => body, signal } = {}) => {
    const { method, params } = message as { readonly method?: string; readonly params?: { readonly name?: unknown } }
    const headers: Record<string, string> = { "content-type": "application/json", accept: "application/json, text/event-stream" }
    if (session !== undefined) headers["mcp-session-id"] = session
    if (isModern || session !== undefined) headers["mcp-protocol-version"] = version
    if (isModern && method !== undefined) headers["mcp-method"] = method
    if (isModern && typeof params?.name === "string") {
      const plain = /^(?!=\?base64\?)[\x21-\x7e]*$/.test(params.name)
      headers["mcp-name"] = plain ? params.name : `=?base64?${Buffer.from(params.name).toString("base64")}?=`
    }
    const body = rewrite(JSON.stringify({ jsonrpc: "2.0", ...message }))
    const answer = await post({ headers, body, signal })
    session ??= answer.session
    return { status: answer.status, message: messageOf(answer.text) }
  }
  const request: Client["request"] = async (method, params = {}, options) => {
    const { message, status } = await send({ id: ++id, method, params: isModern ? { ...params, _meta: meta } : params }, options)
    if (message === undefined) throw new Error(`${method} was answered with ${status} and nothing else`)
    return message
  }
  const resultOf = async (method: string, params?: object) => {
    const { error, result } = await request(method, params)
    if (error !== undefined) throw new Error(JSON.stringify(error))
    return result
  }
  if (!isModern) {
    await resultOf("initialize", { protocolVersion: version, capabilities, clientInfo: { name: "raw", version: "1" } })
    await send({ method: "notifications/initialized" })
  }
  return {
    send,
    request,
    list: async () => (await resultOf("tools/list")).tools,
    call: (name, input = {}) => resultOf("tools/call", { name, arguments: input })
  }
}

/** The texts of a result's content. */
export const textsOf = ({ content }: { readonly content: ReadonlyArray<{ readonly text?: string }> }): ReadonlyArray<string | undefined> => content.map(({ text }) => text)

/** The same, as an effect. */
export const client = (server: { readonly handler: Handler } | number, version: Version = newest, capabilities?: object): Effect.Effect<Client> =>
  Effect.promise(() => connect(server, version, capabilities))
