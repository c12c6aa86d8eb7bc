/**
 * A toolkit served over MCP by Effect's own server, in the process or on loopback, and a client that speaks each revision of
 * the protocol as it is written, without leniency: it says what is on the wire, and no more.
 */
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

export interface Client {
  readonly version: Version
  /** Sends a message as it is, with the headers that belong to it, and gives the answer that came, if any. */
  readonly send: (message: object, options?: { readonly signal?: AbortSignal; readonly headers?: Readonly<Record<string, string>> }) => Promise<{ readonly status: number; readonly message: Message | undefined }>
  /** Sends a request with the next id. */
  readonly request: (method: string, params?: object, options?: { readonly signal?: AbortSignal }) => Promise<Message>
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

/** A client of a server, which has begun its session where the revision has them. */
export const connect = async (fetch: Handler, version: Version, capabilities: object = {}, url = "http://127.0.0.1/mcp"): Promise<Client> => {
  const isModern = version === newest
  let session: string | undefined
  let id = 0
  const meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" }
  }
  const send: Client["send"] = async (message, { headers: more, signal } = {}) => {
    const { method, params } = message as { readonly method?: string; readonly params?: { readonly name?: unknown } }
    const headers: Record<string, string> = { "content-type": "application/json", accept: "application/json, text/event-stream" }
    if (session !== undefined) headers["mcp-session-id"] = session
    if (isModern || session !== undefined) headers["mcp-protocol-version"] = version
    if (isModern && method !== undefined) headers["mcp-method"] = method
    if (isModern && typeof params?.name === "string") {
      const plain = /^[\x21-\x7e]*$/.test(params.name)
      headers["mcp-name"] = plain ? params.name : `=?base64?${Buffer.from(params.name).toString("base64")}?=`
    }
    const body = JSON.stringify({ jsonrpc: "2.0", ...message })
    const response = await fetch(new Request(url, { method: "POST", headers: { ...headers, ...more }, body, signal: signal ?? null }))
    session ??= response.headers.get("mcp-session-id") ?? undefined
    return { status: response.status, message: messageOf(await response.text()) }
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
    version,
    send,
    request,
    list: async () => (await resultOf("tools/list")).tools,
    call: (name, input = {}) => resultOf("tools/call", { name, arguments: input })
  }
}

/** The texts of a result's content. */
export const textsOf = ({ content }: { readonly content: ReadonlyArray<{ readonly text?: string }> }): ReadonlyArray<string | undefined> => content.map(({ text }) => text)

/** A client of a server in the process. */
export const client = (server: { readonly handler: Handler }, version: Version = newest, capabilities?: object): Effect.Effect<Client> =>
  Effect.promise(() => connect(server.handler, version, capabilities))
