/**
 * A server of the Model Context Protocol that answers from a script: a function from a request, its JSON-RPC body already
 * read, to an answer. It runs on loopback behind `fetch`, or inside a client, where time is a test's own.
 */
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { assert } from "@effect/vitest"
import { Effect, type Schema, type Scope } from "effect"
import { FetchHttpClient, HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { Mcp, ToolSource, type ToolSourceError } from "../../ts/index.ts"
import { loopback, type Loopback, scripted } from "./http.ts"
import { call, calling, define, type Result, resultsOf, turn } from "./language-model.ts"

/** What the client of every peer authenticates with. */
export const token = "tok_5up3r53cr3t"

/** A request as it arrived. */
export interface Asked {
  /** Of HTTP. */
  readonly http: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Of JSON-RPC; that of HTTP when there is no body. */
  readonly method: string
  readonly id: unknown
  readonly params: {
    readonly [name: string]: unknown
    readonly name?: string
    readonly arguments?: Readonly<Record<string, unknown>>
    readonly _meta?: Readonly<Record<string, unknown>>
  }
  /** The whole body. */
  readonly body: string
  /** How many requests of this method came before. */
  readonly before: number
}

type Chunk = string | Uint8Array

export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Chunks are sent one by one, each after the one before has left. */
  readonly body?: Chunk | Iterable<Chunk | Promise<Chunk>> | AsyncIterable<Chunk>
  /** What becomes of the connection after the body, when the answer does not end there. */
  readonly end?: "hang" | "reset"
}

/** `hang` never answers, `reset` closes the connection unanswered. */
export type Answered = Answer | "hang" | "reset"

export type Server = (asked: Asked) => Answered | Promise<Answered>

/** A server's part for each method. */
export type Script = Readonly<Record<string, Server>>

export const json = (value: unknown, answer: Answer = {}): Answer => ({
  ...answer,
  headers: { "content-type": "application/json", ...answer.headers },
  body: JSON.stringify(value)
})

/** A message of JSON-RPC that answers a request. */
export const answering = ({ id }: Asked, message: object): object => ({ jsonrpc: "2.0", id, ...message })

export const result = (asked: Asked, result: unknown, answer?: Answer): Answer => json(answering(asked, { result }), answer)

/** The client's credential, bare. */
export const credential = ({ headers }: Asked): string => headers["authorization"]!.slice("Bearer ".length)

/** The client's credential and the server's address, in one word, as hostile servers say them. */
export const echo = (asked: Asked): string => `${credential(asked)}@${asked.headers["host"]}/mcp`

export const error = (asked: Asked, code: number, { data, message = `No: ${echo(asked)}`, ...answer }: Answer & { readonly message?: string; readonly data?: unknown } = {}): Answer =>
  json(answering(asked, { error: { code, message, ...(data === undefined ? {} : { data }) } }), answer)

/** An event of a stream. */
export const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`

export const events = (body: NonNullable<Answer["body"]>, answer: Answer = {}): Answer => ({
  ...answer,
  headers: { "content-type": "text/event-stream", ...answer.headers },
  body
})

/** The tool that servers have unless a script says otherwise. */
export const echoTool = {
  name: "echo",
  description: "Says it again.",
  inputSchema: { type: "object", properties: { text: { type: "string" } } }
}

/** What it answers. */
export const said = (text: unknown): Schema.JsonArray => [{ type: "text", text: text as Schema.Json }]

const tools: Script = {
  "tools/list": (asked) => result(asked, { tools: [echoTool] }),
  "tools/call": (asked) => result(asked, { content: said(asked.params.arguments?.["text"]) })
}

export const stateless: Script = {
  ...tools,
  "server/discover": (asked) => result(asked, { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } })
}

/** The answer to an initialize, with the session's id if there is one. */
export const begun = (asked: Asked, session?: string, protocolVersion = "2025-11-25"): Answer =>
  result(
    asked,
    { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "scripted", version: "1" } },
    session === undefined ? {} : { headers: { "mcp-session-id": session } }
  )

export const accepted: Answer = { status: 202 }

/** A server whose sessions are `session-1`, `session-2` and so on. */
export const sessions: Script = {
  ...tools,
  "server/discover": (asked) => error(asked, -32_000, { status: 400, message: "Bad Request: Server not initialized" }),
  initialize: (asked) => begun(asked, `session-${asked.before + 1}`),
  "notifications/initialized": () => accepted,
  "notifications/cancelled": () => accepted
}

/** The server of a script. A method that it has no part for is unknown. */
export const server = (script: Script): Server => (asked) => {
  const part = Object.hasOwn(script, asked.method) ? script[asked.method] : undefined
  return part === undefined ? error(asked, -32_601, { status: 404 }) : part(asked)
}

export interface Peer {
  readonly url: string
  /** Sends the token with every request. */
  readonly client: HttpClient.HttpClient
  readonly asked: ReadonlyArray<Asked>
}

/** The methods of what was sent, in order. */
export const methodsOf = ({ asked }: Peer): ReadonlyArray<string> => asked.map(({ method }) => method)

export const sourceOf = (
  { client, url }: Peer,
  options?: Partial<Parameters<typeof Mcp.http>[0]>
): Effect.Effect<ToolSource.ToolSource> => Mcp.http({ name: "mcp", url, client, ...options })

const withToken = HttpClient.mapRequest(HttpClientRequest.bearerToken(token))

const read = (asked: ReadonlyArray<Asked>, http: string, headers: Asked["headers"], body: string): Asked => {
  const message = (body === "" ? { method: http } : JSON.parse(body)) as { readonly method: string; readonly id?: unknown; readonly params?: Asked["params"] }
  const { id, method, params = {} } = message
  return { http, headers, method, id, params, body, before: asked.filter((one) => one.method === method).length }
}

async function* chunksOf(body: Answer["body"]): AsyncGenerator<Chunk> {
  if (body === undefined) return
  if (typeof body === "string" || body instanceof Uint8Array) return yield body
  yield* body
}

const write = async (response: ServerResponse, answered: Answered): Promise<void> => {
  if (answered === "hang") return
  if (answered === "reset") return void response.destroy()
  const { body, end, headers, status = 200 } = answered
  response.writeHead(status, headers)
  response.flushHeaders()
  for await (const chunk of chunksOf(body)) {
    if (response.destroyed) return
    // Chunks that are written apart arrive apart.
    await new Promise<void>((resolve) => response.write(chunk, () => setImmediate(resolve)))
  }
  if (end === "reset") response.destroy()
  else if (end === undefined) response.end()
}

export interface LoopbackPeer extends Peer {
  readonly arrived: Loopback["arrived"]
  readonly closed: Loopback["closed"]
  /** How many connections are open. */
  readonly open: () => number
}

const fetching = Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer)

/** The server on loopback, for as long as the scope is open. */
export const onLoopback = (server: Server): Effect.Effect<LoopbackPeer, never, Scope.Scope> =>
  Effect.gen(function*() {
    const asked: Array<Asked> = []
    const sockets = new Set<Socket>()
    const { arrived, closed, url } = yield* loopback(({ body, headers, method }, response) => {
      const { socket } = response
      if (socket !== null && !sockets.has(socket)) {
        sockets.add(socket)
        socket.once("close", () => sockets.delete(socket))
      }
      const one = read(asked, method, headers as Asked["headers"], body)
      asked.push(one)
      void Promise.resolve(server(one)).then((answered) => write(response, answered))
    })
    return { url: `${url}/mcp`, client: withToken(yield* fetching), asked, arrived, closed, open: () => sockets.size }
  })

const responseOf = ({ body, end, headers, status = 200 }: Answer): Response => {
  const chunks = chunksOf(body)
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done !== true) return controller.enqueue(typeof value === "string" ? new TextEncoder().encode(value) : value)
      if (end === "hang") return new Promise(() => undefined)
      if (end === "reset") return controller.error(new TypeError("terminated"))
      controller.close()
    }
  }, { highWaterMark: 0 })
  return new Response(status === 204 || status === 304 ? null : stream, { status, ...(headers && { headers: { ...headers } }) })
}

/** The server inside a client. */
export const inProcess = (server: Server): Peer => {
  const asked: Array<Asked> = []
  const host = "mcp.example.com"
  const { client } = scripted(({ body = "", headers, method }, request) =>
    Effect.gen(function*() {
      const one = read(asked, method, { ...headers, host }, body)
      asked.push(one)
      const answered = yield* Effect.promise(async () => server(one))
      if (answered === "hang") return yield* Effect.never
      if (answered === "reset") return yield* new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request }) })
      return responseOf(answered)
    })
  )
  return { url: `https://${host}/mcp`, client: withToken(client), asked }
}

/** Lets what is under way go on, in real time whatever the clock says, until something holds. */
export const eventually = (holds: () => boolean, what: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (let left = 2_000; !holds(); left--) {
      if (left === 0) throw new Error(`it never came to this: ${what}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })

/** A gate that answers wait at until it is opened. */
export const gate = (): { readonly open: () => void; readonly opened: Promise<void> } => {
  const doors: Array<() => void> = []
  const opened = new Promise<void>((resolve) => doors.push(resolve))
  return { open: () => doors.forEach((open) => open()), opened }
}

/** How an effect ends: with a value, or with a reason, by its tag. A defect is neither. */
export const endOf = <A>(effect: Effect.Effect<A, ToolSourceError.ToolSourceError>): Effect.Effect<{ readonly value: A } | ToolSourceError.ToolSourceErrorReason["_tag"]> =>
  Effect.match(effect, { onSuccess: (value) => ({ value }), onFailure: ({ reason }) => reason._tag })

/** What a model reads of a call. */
export const modelReads = (source: ToolSource.ToolSource, name: string, input: unknown): Effect.Effect<Result> =>
  Effect.gen(function*() {
    const toolkit = yield* ToolSource.toolkit(source, [define(name)])
    const [read] = resultsOf(yield* Effect.orDie(turn(toolkit, calling(call("c", name, input)))))
    return read!
  })

/** Neither the credential nor the address of a peer is in a text. */
export const holdsNoSecret = ({ url }: Peer, text: string): void => {
  for (const secret of [token, new URL(url).host]) assert.notInclude(text, secret)
}
