/** An API on loopback that answers some operations of Box as Box does, and any other with what it was sent. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

const task = {
  id: "11446498",
  type: "task",
  action: "review",
  message: "Please read chapter 3 before Friday",
  is_completed: false,
  due_at: "2026-12-04T12:00:00Z"
}

const answer = (method: string, url: URL, body: string): { readonly status: number; readonly json?: unknown } => {
  switch (`${method} ${url.pathname}`) {
    case "GET /2.0/files/12345/tasks":
      return { status: 200, json: { entries: [task], total_count: 1 } }
    case "GET /2.0/files/12345/metadata":
      return { status: 200, json: { entries: [{ $template: "contract", customer: "Acme" }], limit: 100 } }
    case "GET /2.0/files/12345/watermark":
      return { status: 200, json: { watermark: { created_at: "2026-11-02T09:30:00Z", modified_at: "2026-11-02T09:30:00Z" } } }
    case "DELETE /2.0/tasks/11446498":
      return { status: 204 }
    default:
      return { status: 200, json: { method, path: url.pathname, query: Object.fromEntries(url.searchParams), body: body === "" ? null : body } }
  }
}

const serve = (request: IncomingMessage, response: ServerResponse) => {
  if (request.headers.authorization === undefined) return response.writeHead(401).end()
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const { json, status } = answer(request.method ?? "GET", new URL(request.url ?? "/", "http://loopback"), Buffer.concat(chunks).toString())
    response.writeHead(status, { "content-type": "application/json" }).end(json === undefined ? "" : JSON.stringify(json))
  })
}

/** Starts it for as long as the scope is open. */
export const startApi = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly stop: () => void }>((resume) => {
    const server = createServer(serve).listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resume(Effect.succeed({
        url: `http://127.0.0.1:${port}/2.0`,
        stop: () => {
          server.close()
          server.closeAllConnections()
        }
      }))
    })
  }),
  ({ stop }) => Effect.sync(stop)
)
