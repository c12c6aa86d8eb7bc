/** The servers that the tests of `toolkit-native/native-http` send to, and the clients that they hold side by side. */
import { spawn } from "node:child_process"
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net"
import { fileURLToPath } from "node:url"
import { Effect, type Layer, type Scope } from "effect"
import { FetchHttpClient, HttpClient, type HttpClientError, type HttpClientRequest, type HttpClientResponse } from "effect/http"
import * as NativeHttp from "../../ts/native-http.ts"

export const isBun = process.versions["bun"] !== undefined

/** Ours, where no proxy of the machine is in between. */
export const ours = NativeHttp.layerWith({ proxy: "none" })

export interface Contender {
  readonly name: string
  readonly layer: Layer.Layer<HttpClient.HttpClient>
  readonly isFetch: boolean
}

/** Whose contract it is, and who keeps it. */
export const contenders: ReadonlyArray<Contender> = [
  { name: "FetchHttpClient", layer: FetchHttpClient.layer, isFetch: true },
  { name: "native-http", layer: ours, isFetch: false }
]

const listening = (server: Server): Effect.Effect<number> =>
  Effect.callback((resume) => {
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
  })

/** Serves HTTP on loopback for as long as the scope is open. */
export const served = (listener: RequestListener): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function*() {
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => createServer({ keepAliveTimeout: 60_000 }, listener)),
      (server) =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
    )
    return `http://127.0.0.1:${yield* listening(server)}`
  })

export interface Wire {
  readonly url: string
  readonly port: number
  /** The connections that were made, in turn. */
  readonly sockets: ReadonlyArray<Socket>
  /** How many of them are open. */
  readonly open: () => number
}

/** A server that says what it likes: each connection is handed over, with what has come of the request once its head is there. */
export const wire = (handle: (socket: Socket, head: string, at: number) => void): Effect.Effect<Wire, never, Scope.Scope> =>
  Effect.gen(function*() {
    const sockets: Array<Socket> = []
    let open = 0
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        createTcpServer((socket) => {
          sockets.push(socket)
          open++
          socket.on("error", () => undefined)
          socket.on("close", () => open--)
          let come = ""
          socket.on("data", (chunk) => {
            come += chunk.toString("latin1")
            const end = come.indexOf("\r\n\r\n")
            if (end < 0) return
            const head = come.slice(0, end)
            come = come.slice(end + 4)
            handle(socket, head, sockets.indexOf(socket))
          })
        })
      ),
      (server) =>
        Effect.sync(() => {
          server.close()
          for (const socket of sockets) socket.destroy()
        })
    )
    const port = yield* listening(server)
    return { url: `http://127.0.0.1:${port}`, port, sockets, open: () => open }
  })

/** The whole body of a request. */
export const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** A request as a server saw it. */
export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** As Latin-1, so that no byte is lost. */
  readonly body: string
}

/** A server that answers with what it was sent. */
export const echo = served((request, response) => {
  void bodyOf(request).then((body) => {
    const { headers, method, url } = request
    response.writeHead(200, { "content-type": "application/json" })
    return response.end(JSON.stringify({ method, url, headers, body: body.toString("latin1") }))
  }, () => undefined)
})

export const execute = (request: HttpClientRequest.HttpClientRequest): Effect.Effect<
  HttpClientResponse.HttpClientResponse,
  HttpClientError.HttpClientError,
  HttpClient.HttpClient
> => Effect.flatMap(HttpClient.HttpClient, (client) => client.execute(request))

export const seenBy = (request: HttpClientRequest.HttpClientRequest) =>
  Effect.map(Effect.flatMap(execute(request), ({ json }) => json), (json) => json as unknown as Seen)

/** The tag of the reason for which something fails. */
export const tagOf = <A, R>(effect: Effect.Effect<A, HttpClientError.HttpClientError, R>): Effect.Effect<string, never, R> =>
  Effect.match(effect, { onSuccess: () => "success", onFailure: ({ reason }) => reason._tag })

/** The reason for which something fails, and what our client says of it. */
export const reasonOf = <A, R>(effect: Effect.Effect<A, HttpClientError.HttpClientError, R>) =>
  Effect.match(effect, {
    onSuccess: () => ({ tag: "success", code: "", text: "" }),
    onFailure: ({ reason }) => ({
      tag: reason._tag as string,
      code: "cause" in reason && reason.cause instanceof Error && "code" in reason.cause ? String(reason.cause.code) : "",
      text: "description" in reason ? reason.description ?? "" : ""
    })
  })

/** Node.js reads TypeScript by a loader, and Bun by itself. */
const args = isBun ? [] : ["--expose-gc", "--import", "tsx"]

/** What a program of native-http/ says, in a process of its own, which has to end by itself. */
export const run = ([program, ...task]: readonly [string, ...ReadonlyArray<string>], environment: Readonly<Record<string, string>> = {}): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const script = fileURLToPath(new URL(`../native-http/${program}`, import.meta.url))
    const child = spawn(process.execPath, [...args, script, ...task], { env: { ...process.env, ...environment }, stdio: ["ignore", "pipe", "pipe"] })
    const said = { out: "", error: "" }
    child.stdout.on("data", (chunk: Buffer) => said.out += chunk.toString())
    child.stderr.on("data", (chunk: Buffer) => said.error += chunk.toString())
    child.on("close", (status, signal) =>
      resume(status === 0 ? Effect.succeed(said.out) : Effect.die(new Error(`${program} ${task.join(" ")} ended with ${signal ?? status}: ${said.error}${said.out}`))))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** Waits until something holds, for as long as a test may take. */
export const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => holds() ? Effect.void : Effect.flatMap(Effect.sleep(2), () => until(holds)))
