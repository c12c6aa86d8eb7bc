/**
 * Servers of the Model Context Protocol that others wrote: Effect's own, that of the TypeScript SDK, and the SDK's reference
 * server, which runs in a process of its own. They are reached in the process, through a client whose fetch records what is
 * sent, or over a socket on loopback. What is started here ends with the scope it was started in.
 */
import { spawn } from "node:child_process"
import { createServer, type RequestListener } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { fileURLToPath } from "node:url"
import { toNodeHandler } from "@modelcontextprotocol/node"
import { createMcpHandler, type CreateMcpHandlerOptions, fromJsonSchema, type JsonSchemaType, McpServer as SdkServer } from "@modelcontextprotocol/server"
import { type Array as Arrays, Context, Deferred, Effect, Exit, Layer, Schema, Scope } from "effect"
import { McpProtocol, McpSchema, McpServer, Tool, Toolkit } from "effect/ai"
import { FetchHttpClient, HttpClient, HttpRouter } from "effect/http"

/** A server as a function, which is what a socket or a recording client is put before. */
export type Handler = (request: Request) => Promise<Response>

/** What Effect's server speaks. */
export const stateless = [McpProtocol.v2026_07_28] as const
export const sessions = {
  "2025-11-25": [McpProtocol.v2025_11_25],
  "2025-06-18": [McpProtocol.v2025_06_18],
  "2025-03-26": [McpProtocol.v2025_03_26],
  "2024-11-05": [McpProtocol.v2024_11_05]
} as const
export const dual = [...stateless, ...Object.values(sessions).flat()] as const

/** The text that `failing` says. */
export const failure = "it failed, and says so"

class ToolFailed extends Schema.TaggedError<ToolFailed>()("ToolFailed", { message: Schema.String }) {}

const toolkit = Toolkit.make(
  Tool.make("echo", {
    description: "Answers with the text it is given.",
    parameters: Schema.Struct({ text: Schema.String }),
    success: Schema.Struct({ text: Schema.String })
  }).annotate(Tool.Title, "Echo").annotate(Tool.Readonly, true).annotate(Tool.Destructive, false).annotate(Tool.Idempotent, true)
    .annotate(Tool.OpenWorld, false),
  Tool.make("failing", { description: "Fails.", parameters: Tool.EmptyParams, success: Schema.String, failure: ToolFailed }),
  Tool.make("blocking", { description: "Does not answer.", parameters: Tool.EmptyParams, success: Schema.String }),
  Tool.make("large", {
    description: "Answers with a text of so many characters.",
    parameters: Schema.Struct({ length: Schema.Number }),
    success: Schema.Struct({ text: Schema.String })
  })
)

/** What `large` answers: characters of two bytes each. */
export const largeText = (length: number): string => "ü".repeat(length)

/** A schema with a mark on a text, on a number further in, and on a yes or no. */
export const markedSchema = (region = "Region") => ({
  type: "object",
  properties: {
    region: { type: "string", "x-mcp-header": region },
    tenant: { type: "object", properties: { id: { type: "integer", "x-mcp-header": "Tenant-Id" } } },
    dry: { type: "boolean", "x-mcp-header": "Dry-Run" },
    note: { type: "string" }
  },
  required: ["region"]
} as const)

/** Content of blocks that are no plain text. */
export const blocks: McpSchema.CallToolResult["content"] = [
  { type: "text", text: "a picture:", annotations: { audience: ["user"], priority: 0.5 }, _meta: { "example.com/at": 1 } },
  { type: "image", data: new Uint8Array([1, 2, 255]), mimeType: "image/png" },
  { type: "resource_link", uri: "file:///a.txt", name: "a" }
]

type Registration = Parameters<McpServer.McpServer["Service"]["addTool"]>[0]

/** A tool as a server's own registry takes it: its schema, its hints and its results are sent as they are written here. */
export const registration = (
  tool: { readonly name: string } & Partial<ConstructorParameters<typeof McpSchema.Tool>[0]>,
  handle: Registration["handle"]
): Registration => ({
  tool: new McpSchema.Tool({ inputSchema: { type: "object" }, ...tool }),
  annotations: Context.empty(),
  handle
})

/** A tool that answers with what it was given. */
export const giving = (tool: Parameters<typeof registration>[0]): Registration =>
  registration(tool, (input) => Effect.succeed(new McpSchema.CallToolResult({ content: [], structuredContent: input })))

export interface EffectServer {
  readonly handler: Handler
  /** Adds a tool to the server as it runs, or puts it in the place of the one of its name. */
  readonly addTool: (registration: Registration) => Effect.Effect<void>
  /** Says something to the client of the call that it is used in, before that is answered. */
  readonly notify: (message: typeof McpSchema.LoggingMessageNotification.payloadSchema.Type) => Effect.Effect<void>
  /** Settles when `blocking` is called for the first time, and when that call is given up. */
  readonly blocked: Effect.Effect<void>
  readonly unblocked: Effect.Effect<void>
}

/**
 * Effect's own server, with the tools `echo`, `failing`, `blocking` and `large` of a toolkit, and some that only a registry
 * can have: `route`, which is marked, and `draw`, which answers with blocks.
 */
export const effectServer = (
  protocols: Arrays.NonEmptyReadonlyArray<McpProtocol.ProtocolAdapter>
): Effect.Effect<EffectServer, never, Scope.Scope> =>
  Effect.gen(function*() {
    const blocked = yield* Deferred.make<void>()
    const unblocked = yield* Deferred.make<void>()
    const registry = yield* Deferred.make<McpServer.McpServer["Service"]>()
    const handlers = toolkit.toLayer({
      echo: ({ text }) => Effect.succeed({ text }),
      failing: () => Effect.fail(new ToolFailed({ message: failure })),
      blocking: () =>
        Deferred.succeed(blocked, undefined).pipe(
          Effect.andThen(Effect.never),
          Effect.onInterrupt(() => Deferred.succeed(unblocked, undefined))
        ),
      large: ({ length }) => Effect.succeed({ text: largeText(length) })
    })
    const others = Layer.effectDiscard(Effect.gen(function*() {
      const server = yield* McpServer.McpServer
      yield* server.addTool(giving({ name: "route", description: "Answers with what it is given.", inputSchema: markedSchema() }))
      yield* server.addTool(registration({ name: "draw", description: "Answers with blocks." }, () => Effect.succeed(new McpSchema.CallToolResult({ content: blocks }))))
      yield* Deferred.succeed(registry, server)
    }))
    const registrations = Layer.merge(McpServer.toolkit(toolkit).pipe(Layer.provide(handlers)), others)
    const server = McpServer.layerHttp({ name: "effect", version: "1", path: "/mcp", protocols, allowSessionTermination: true, registrations })
    const { handler } = yield* Effect.acquireRelease(
      Effect.sync(() => HttpRouter.toWebHandler(server, { disableLogger: true })),
      ({ dispose }) => Effect.promise(dispose)
    )
    return {
      handler: (request) => handler(request),
      addTool: (tool) => Effect.flatMap(Deferred.await(registry), (server) => server.addTool(tool)),
      notify: (message) => Effect.flatMap(Deferred.await(registry), ({ notifications }) => notifications["notifications/message"](message)),
      blocked: Deferred.await(blocked),
      unblocked: Deferred.await(unblocked)
    }
  })

const sdkInput = <T>(schema: object) => fromJsonSchema<T>(schema as JsonSchemaType)

/** Once, since the SDK compiles them. */
const sdkInputs = {
  echo: sdkInput<{ text: string }>({ type: "object", properties: { text: { type: "string" } }, required: ["text"] }),
  large: sdkInput<{ length: number }>({ type: "object", properties: { length: { type: "integer" } }, required: ["length"] }),
  route: sdkInput<Record<string, unknown>>(markedSchema())
}

const structured = (value: Record<string, unknown>) =>
  ({ content: [{ type: "text" as const, text: JSON.stringify(value) }], structuredContent: value })

/** One of the SDK's servers, which it makes for each request. */
const makeSdkServer = (): SdkServer => {
  const server = new SdkServer({ name: "sdk", version: "1" })
  server.registerTool("echo", {
    description: "Answers with the text it is given.",
    inputSchema: sdkInputs.echo,
    annotations: { title: "Echo", readOnlyHint: true }
  }, structured)
  server.registerTool("failing", { description: "Fails." }, () => {
    throw new Error(failure)
  })
  server.registerTool("blocking", { description: "Does not answer." }, ({ mcpReq }) =>
    new Promise((_, reject) => mcpReq.signal.addEventListener("abort", () => reject(new Error("given up")))))
  server.registerTool("large", { description: "Answers with a text of so many characters.", inputSchema: sdkInputs.large }, ({ length }) =>
    structured({ text: largeText(length) }))
  server.registerTool("route", { description: "Answers with what it is given.", inputSchema: sdkInputs.route }, structured)
  server.registerTool("pinging", { description: "Asks whether the client is there, and does not wait for its answer." }, ({ mcpReq }) => {
    mcpReq.send({ method: "ping" }).catch(() => {})
    return structured({ asked: true })
  })
  return server
}

/**
 * The TypeScript SDK's server, with the tools `echo`, `failing`, `blocking`, `large`, `route` and `pinging`. It speaks
 * 2026-07-28 and, unless told otherwise, the versions with sessions, in which it gives no session an id.
 */
export const sdkServer = (options: CreateMcpHandlerOptions = {}): Effect.Effect<{ readonly handler: Handler }, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => createMcpHandler(makeSdkServer, options)),
      (handler) => Effect.promise(() => handler.close())
    ),
    ({ fetch }) => ({ handler: (request) => fetch(request) })
  )

/** A message that a client sent, and what was answered. */
export interface Exchange {
  readonly request: Request
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** The JSON-RPC message of its body. */
  readonly message: { readonly id?: unknown; readonly method?: string; readonly params?: Readonly<Record<string, any>> }
  answer?: Answer
  /** Settles when the head of its answer is there. */
  readonly answered: Effect.Effect<void>
}

/** What was answered, as far as it was read. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: () => string
}

/** Reads along. A clone would not do: one half of it cannot be cancelled before the other. */
const readAlong = (response: Response): readonly [Response, Answer] => {
  const { headers, status } = response
  const chunks: Array<Uint8Array> = []
  const body = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        chunks.push(chunk)
        controller.enqueue(chunk)
      }
    })
  )
  return [new Response(body ?? null, { status, headers }), { status, headers, text: () => Buffer.concat(chunks).toString() }]
}

export interface Recorded {
  readonly client: HttpClient.HttpClient
  readonly fetch: typeof globalThis.fetch
  readonly sent: ReadonlyArray<Exchange>
  /** The JSON-RPC methods of what was sent so far; the HTTP method where there is none. */
  readonly methods: () => ReadonlyArray<string>
  /** The first message of a method, once it is sent. */
  readonly first: (method: string) => Effect.Effect<Exchange>
}

/** A client before a server in the process, or any other way to fetch. `answer` may answer in the server's place. */
export const recorded = (
  handler: Handler,
  answer: (exchange: Exchange, handler: Handler) => Promise<Response> | Response = ({ request }, handler) => handler(request)
): Effect.Effect<Recorded> => {
  const sent: Array<Exchange> = []
  const waiting = new Set<() => void>()
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const text = await request.clone().text()
    const answered = Deferred.makeUnsafe<void>()
    const exchange: Exchange = {
      request,
      method: request.method,
      headers: Object.fromEntries(request.headers),
      message: text === "" ? {} : JSON.parse(text) as Exchange["message"],
      answered: Deferred.await(answered)
    }
    sent.push(exchange)
    for (const look of waiting) look()
    const [response, read] = readAlong(await answer(exchange, handler))
    exchange.answer = read
    Deferred.doneUnsafe(answered, Effect.void)
    return response
  }
  const layer = FetchHttpClient.layer.pipe(Layer.provide(Layer.succeed(FetchHttpClient.Fetch)(fetch)))
  return Effect.map(Effect.provide(HttpClient.HttpClient, layer), (client) => ({
    client,
    fetch,
    sent,
    methods: () => sent.map(({ message, method }) => message.method ?? method),
    first: (method) =>
      Effect.callback((resume) => {
        const look = () => {
          const found = sent.find(({ message }) => message.method === method)
          if (found !== undefined) resume(Effect.succeed(found))
        }
        waiting.add(look)
        look()
        return Effect.sync(() => waiting.delete(look))
      })
  }))
}

/** Puts a server on a socket of loopback, at a free port unless one is given, and gives the port. */
const listen = (listener: RequestListener, port = 0): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer(listener)
      server.once("error", (cause) => resume(Effect.die(cause)))
      server.listen(port, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  ).pipe(Effect.map((server) => (server.address() as AddressInfo).port))

/** A server on a socket, which also ends a request whose connection is closed. */
export const onLoopback = ({ handler }: { readonly handler: Handler }, port?: number): Effect.Effect<number, never, Scope.Scope> =>
  listen((request, response) => {
    const closed = new AbortController()
    response.once("close", () => closed.abort())
    const answer = async () => {
      const chunks: Array<Buffer> = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = chunks.length === 0 ? null : Buffer.concat(chunks)
      const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] satisfies [string, string])
      const method = request.method ?? "GET"
      const answered = await handler(new Request(`http://127.0.0.1${request.url}`, { method, headers, body, signal: closed.signal }))
      response.writeHead(answered.status, Object.fromEntries(answered.headers))
      for await (const chunk of answered.body ?? []) response.write(chunk)
      response.end()
    }
    answer().catch(() => response.destroy())
  }, port)

/** A server of the TypeScript SDK on a socket, by the SDK's own adapter. */
export const sdkOnLoopback = ({ handler }: { readonly handler: Handler }, port?: number): Effect.Effect<number, never, Scope.Scope> => {
  return listen(toNodeHandler({ fetch: handler }) as RequestListener, port)
}

const everything = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"))

/**
 * What the process of the reference server runs. The server would listen on every address, so that it is told loopback; its
 * port is printed; and it ends when whoever started it is gone.
 */
const everythingProgram = `
const { Server } = require("node:net")
const { listen } = Server.prototype
Server.prototype.listen = function (port, ...rest) {
  return listen.call(this, Number(port), "127.0.0.1", ...rest).once("listening", () => console.log("port=" + this.address().port))
}
process.stdin.on("end", () => process.exit()).resume()
process.argv[2] = "streamableHttp"
import(${JSON.stringify(everything)})
`

/** Bun has servers of its own in the place of `node:net`'s. */
const node = process.versions["bun"] === undefined ? process.execPath : "node"

/** The reference server in a process of its own. */
export const everythingServer = (port = 0): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const env = { PATH: process.env["PATH"], PORT: String(port) }
      const child = spawn(node, ["-e", everythingProgram, "everything"], { env, stdio: ["pipe", "pipe", "pipe"] })
      return { child, exited: new Promise<void>((resolve) => child.once("exit", () => resolve())) }
    }),
    ({ child, exited }) =>
      Effect.promise(() => {
        child.kill("SIGKILL")
        return exited
      })
  ).pipe(Effect.flatMap(({ child, exited }) =>
    Effect.callback<number>((resume) => {
      let said = ""
      const listens = (chunk: Buffer) => {
        said += chunk.toString()
        const at = /port=(\d+)/.exec(said)?.[1]
        if (at === undefined) return
        said = ""
        resume(Effect.succeed(Number(at)))
      }
      child.stdout.on("data", listens)
      child.stderr.on("data", (chunk: Buffer) => said += chunk.toString())
      void exited.then(() => resume(Effect.die(new Error(`the reference server ended: ${said}`))))
    })
  ))

/** Starts a server on loopback, at a free port unless one is given, and gives the port. */
export type Start = (port?: number) => Effect.Effect<number, never, Scope.Scope>

/** Connects to a port and leaves again, by which time the ends of all connections that were closed before have arrived. */
const settled = (port: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const socket = connect(port, "127.0.0.1", () => socket.end())
    socket.once("error", (cause) => resume(Effect.die(cause))).once("close", () => resume(Effect.void)).resume()
  })

export interface Restartable {
  readonly url: string
  readonly stop: Effect.Effect<void>
  /** Starts it again at the same port, as a new one; or another server in its place. */
  readonly start: (other?: Start) => Effect.Effect<void>
}

/** A server that can be stopped and started again. */
export const restartable = (start: Start): Effect.Effect<Restartable, never, Scope.Scope> =>
  Effect.gen(function*() {
    let running = yield* Scope.make()
    const stop = Effect.suspend(() => Scope.close(running, Exit.void))
    yield* Effect.addFinalizer(() => stop)
    const port = yield* Scope.provide(start(), running)
    return {
      url: `http://127.0.0.1:${port}/mcp`,
      stop,
      start: Effect.fnUntraced(function*(other: Start = start) {
        running = yield* Scope.make()
        yield* Scope.provide(other(port), running)
        yield* settled(port)
      })
    }
  })
