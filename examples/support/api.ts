/** APIs on loopback that answer some operations of Box and GitHub as those do, and any other with what it was sent. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

/** An API: the path that its operations are under, and what it answers to some of them. Nothing stands for an empty 204. */
export interface Api {
  readonly base: string
  readonly answers: Readonly<Record<string, unknown>>
}

export const box: Api = {
  base: "/2.0",
  answers: {
    "GET /2.0/files/12345/tasks": {
      entries: [{
        id: "11446498",
        type: "task",
        action: "review",
        message: "Please read chapter 3 before Friday",
        is_completed: false,
        due_at: "2026-12-04T12:00:00Z"
      }],
      total_count: 1
    },
    "DELETE /2.0/tasks/11446498": undefined
  }
}

export const github: Api = {
  base: "",
  answers: {
    "GET /repos/octocat/hello-world": { full_name: "octocat/hello-world", default_branch: "main", stargazers_count: 1420, archived: false },
    "GET /repos/octocat/hello-world/issues": [
      { number: 7, title: "The greeting has a typo", labels: [{ name: "bug" }], comments: 3 },
      { number: 9, title: "Greet in Welsh, too", labels: [], comments: 0 }
    ],
    "GET /repos/octocat/hello-world/pulls": [{ number: 8, title: "Mend the greeting", draft: false, user: { login: "hubot" } }]
  }
}

const serve = ({ answers }: Api) => (request: IncomingMessage, response: ServerResponse) => {
  if (request.headers.authorization === undefined) return response.writeHead(401).end()
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://loopback")
    const operation = `${request.method} ${pathname}`
    const body = Buffer.concat(chunks).toString()
    const json = Object.hasOwn(answers, operation)
      ? answers[operation]
      : { method: request.method, path: pathname, query: Object.fromEntries(searchParams), body: body === "" ? null : body }
    response.writeHead(json === undefined ? 204 : 200, { "content-type": "application/json" }).end(json === undefined ? "" : JSON.stringify(json))
  })
}

/** Starts one for as long as the scope is open. */
export const startApi = (api: Api) => Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly stop: () => void }>((resume) => {
    const server = createServer(serve(api)).listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resume(Effect.succeed({
        url: `http://127.0.0.1:${port}${api.base}`,
        stop: () => {
          server.close()
          server.closeAllConnections()
        }
      }))
    })
  }),
  ({ stop }) => Effect.sync(stop)
)
