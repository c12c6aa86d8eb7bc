/** The system of the conformance suites, as an HTTP API and as an MCP server: a server on loopback for each test. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import type { Subject, System } from "../ts/conformance.ts"
import { Http, Mcp, OpenApi } from "../ts/index.ts"
import { effectServer, type Handler, onLoopback, restartable } from "./support/mcp-servers.ts"

export const token = "a-token-that-no-model-reads"

/** The same three operations as a document says them. */
export const document = {
  openapi: "3.1.0",
  info: { title: "Conformance", version: "1" },
  servers: [{ url: "https://elsewhere.example.com" }],
  paths: {
    "/echo": {
      get: {
        operationId: "echo",
        parameters: [{ name: "text", in: "query", required: true, schema: { type: "string" } }]
      }
    },
    "/failing": { get: { operationId: "failing" } },
    "/blocking": { get: { operationId: "blocking" } }
  }
}

/** The operations by hand. */
export const byHand: ReadonlyArray<Http.Operation> = [
  {
    definition: {
      name: "echo",
      description: "Says it again.",
      inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false },
      annotations: { readOnly: true }
    },
    request: { method: "GET", path: "/echo", parameters: [{ property: "text", in: "query", name: "text" }] }
  },
  {
    definition: { name: "failing", description: "Fails.", inputSchema: { type: "object" }, annotations: {} },
    request: { method: "GET", path: "/failing", parameters: [] }
  },
  {
    definition: { name: "blocking", description: "Does not answer.", inputSchema: { type: "object" }, annotations: {} },
    request: { method: "GET", path: "/blocking", parameters: [] }
  }
]

/** From the document. */
export const fromDocument: ReadonlyArray<Http.Operation> = OpenApi.readOperations(document).operations

const start = (system: System): Server =>
  createServer((request, response) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    if (system === "unavailable") return answer(503, { message: "down for maintenance" })
    if (system === "unauthorized" || request.headers.authorization !== `Bearer ${token}`) return answer(401, { message: "who are you" })
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://loopback")
    switch (pathname) {
      case "/echo":
        return answer(200, { text: searchParams.get("text") })
      case "/failing":
        return answer(422, { message: "it failed" })
      case "/blocking":
        return
      default:
        return answer(404, { message: "no such path" })
    }
  })

const client = Effect.map(HttpClient.HttpClient, HttpClient.mapRequest(HttpClientRequest.bearerToken(token))).pipe(
  Effect.provide(FetchHttpClient.layer)
)

const secretsOf = (port: number): ReadonlyArray<string> => [token, `127.0.0.1:${port}`, String(port)]

/** A source of these operations over the system, for as long as the scope is open. */
export const subject = (system: System, operations: ReadonlyArray<Http.Operation>): Effect.Effect<Subject, never, Scope.Scope> =>
  Effect.gen(function*() {
    const server = start(system)
    const port = yield* Effect.acquireRelease(
      Effect.callback<number>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
      }),
      () =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
    )
    if (system === "unreachable") yield* Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
    const source = Http.make({ name: "api", baseUrl: `http://127.0.0.1:${port}`, client: yield* client, operations })
    return { source, secrets: secretsOf(port) }
  })

/** A source over the system as Effect's own MCP server has it, for as long as the scope is open. */
export const mcpSubject = (
  system: System,
  protocols: Parameters<typeof effectServer>[0]
): Effect.Effect<Subject, never, Scope.Scope> =>
  Effect.gen(function*() {
    const server = yield* effectServer(protocols)
    const handler: Handler = async (request) => {
      if (system === "unavailable") return new Response("down for maintenance", { status: 503 })
      const refused = system === "unauthorized" || request.headers.get("authorization") !== `Bearer ${token}`
      return refused ? new Response("who are you", { status: 401 }) : server.handler(request)
    }
    const { stop, url } = yield* restartable((port) => onLoopback({ handler }, port))
    if (system === "unreachable") yield* stop
    const source = yield* Mcp.http({ name: "mcp", url, client: yield* client })
    return { source, secrets: secretsOf(Number(new URL(url).port)) }
  })
