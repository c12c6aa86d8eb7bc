/** A user of native-http in a process of its own: `get <url> <proxy>`, `leave <url>`, `throw <url>`, `forget`, `close` or `many`. */
import { readdirSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Fiber, Layer, Scope, Stream } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { Connections } from "../../ts/internal/httpConnections.ts"
import * as NativeHttp from "../../ts/native-http.ts"

const [task, ...given] = process.argv.slice(2) as [string, ...Array<string>]

const collect = () => {
  if (process.versions["bun"] === undefined) (globalThis as { gc?: () => void }).gc?.()
  else (globalThis as unknown as { readonly Bun: { readonly gc: (isSync: boolean) => void } }).Bun.gc(true)
}

/** Resident memory in megabytes, after what can be let go of is; and what else a process may leave behind. */
const held = Effect.gen(function*() {
  for (let n = 0; n < 4; n++) {
    collect()
    yield* Effect.sleep(50)
  }
  return {
    memory: process.memoryUsage().rss / 2 ** 20,
    threads: readdirSync("/proc/self/task").length,
    descriptors: readdirSync("/proc/self/fd").length
  }
})

const chunk = Buffer.alloc(64 * 1024)

/** A server whose `/endless` never ends, and whose `/stall` never begins. */
const server = createServer((request, response) => {
  request.resume()
  if (request.url === "/stall") return
  if (request.url !== "/endless") return void response.end("a small answer".repeat(Number(request.url?.slice(1)) || 1))
  const write = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on("drain", write)
  write()
})

const listen = () => new Promise<string>((resolve) => {
  server.listen(0, "127.0.0.1", () => {
    server.unref()
    resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  })
})

const direct = NativeHttp.layerWith({ proxy: "none" })

const text = (url: string) => Effect.flatMap(HttpClient.get(url), ({ text }) => text)

/** Requests of every kind, to their end and to none. */
const storm = (url: string, count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, n) => n),
    (n) =>
      Effect.gen(function*() {
        const client = yield* HttpClient.HttpClient
        switch (n % 8) {
          case 0: // interrupted before its head
            return yield* Effect.flatMap(Effect.forkChild(client.get(`${url}/stall`)), (fiber) => Effect.andThen(Effect.sleep(1), Fiber.interrupt(fiber)))
          case 1: // left within its body
            return yield* Effect.flatMap(client.get(`${url}/endless`), ({ stream }) => Stream.runDrain(Stream.take(stream, 1)))
          case 2: // interrupted within its body
            return yield* Effect.flatMap(client.get(`${url}/endless`), ({ arrayBuffer }) =>
              Effect.flatMap(Effect.forkChild(arrayBuffer), (fiber) => Effect.andThen(Effect.sleep(1), Fiber.interrupt(fiber))))
          case 3: // interrupted while it sends
            return yield* Effect.flatMap(
              Effect.forkChild(client.execute(HttpClientRequest.post(`${url}/stall`).pipe(HttpClientRequest.bodyStream(Stream.fromEffectRepeat(Effect.succeed(chunk)))))),
              (fiber) => Effect.andThen(Effect.sleep(1), Fiber.interrupt(fiber))
            )
          case 4: // let go of with its scope
            return yield* Effect.scoped(HttpClient.withScope(client).get(`${url}/endless`))
          default:
            return yield* text(`${url}/${n % 7 === 0 ? 20_000 : 1}`)
        }
      }),
    { concurrency: 16, discard: true }
  )

const many = Effect.gen(function*() {
  const url = yield* Effect.promise(listen)
  const round = Effect.andThen(
    Effect.provide(storm(url, 1000), direct, { local: true }),
    Effect.forEach(Array.from({ length: 5 }), () => Effect.provide(Effect.forEach(Array.from({ length: 200 }), () => text(url), { concurrency: 64, discard: true }), direct, { local: true }), {
      concurrency: 5,
      discard: true
    })
  )
  yield* round
  yield* round
  const before = yield* held
  for (let n = 0; n < 5; n++) yield* round
  process.stdout.write(JSON.stringify({ before, after: yield* held }))
})

const connections = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))

/** Answers that nobody reads, and nobody holds: whether their connections are closed all the same. */
const forget = Effect.gen(function*() {
  const url = yield* Effect.promise(listen)
  yield* Effect.gen(function*() {
    for (let n = 0; n < 20; n++) yield* Effect.asVoid(HttpClient.get(`${url}/endless`))
    const before = yield* Effect.promise(connections)
    let after = before
    for (let n = 0; n < 200 && after > 0; n++) {
      collect()
      yield* Effect.sleep(10)
      after = yield* Effect.promise(connections)
    }
    process.stdout.write(JSON.stringify({ before, after }))
  }).pipe(Effect.provide(direct))
})

/** Connections that are closed, and that nobody holds: how many are still there. */
const close = Effect.gen(function*() {
  const opened = Array.from({ length: 20 }, () => {
    const connections = new Connections({ proxy: "none", roots: [], http2: true, idle: 1, connecting: 1000, silence: 1000, redirect: "follow" })
    connections.close()
    return new WeakRef(connections)
  })
  const left = () => opened.filter((connections) => connections.deref() !== undefined).length
  // The last of them may be held by the stack for as long as this runs.
  for (let n = 0; n < 200 && left() > 1; n++) {
    // Who was asked for is held until the turn is over.
    yield* Effect.sleep(10)
    collect()
  }
  process.stdout.write(String(Math.max(0, left() - 1)))
})

/** Several answers come at once, and of who hears of them every third throws. */
const throwing = Effect.gen(function*() {
  let ended = 0
  let thrown = 0
  process.on("uncaughtException", () => thrown++)
  const context = yield* Effect.provideService(Layer.build(direct), Scope.Scope, yield* Scope.make())
  for (let n = 0; n < 12; n++) {
    Effect.runCallback(Effect.provide(text(given[0]!), context), {
      onExit: () => {
        ended++
        if (n % 3 === 0) throw new Error("of its own")
      }
    })
  }
  // They come while nothing is heard.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
  const isDone = () => ended === 12
  for (let n = 0; n < 500 && !isDone(); n++) yield* Effect.sleep(10)
  process.stdout.write(JSON.stringify({ ended, thrown }))
})

/** An answer is not read to its end, and its client stays open: neither keeps the process. */
const leave = Effect.gen(function*() {
  const url = given[0]!
  // The scope is never closed.
  const context = yield* Effect.provideService(Layer.build(direct), Scope.Scope, yield* Scope.make())
  const response = yield* Effect.provide(HttpClient.get(`${url}/endless`), context)
  process.stdout.write(`${response.status} ${yield* Effect.provide(text(url), context)}`)
})

const getOne = Effect.suspend(() =>
  Effect.match(text(given[0]!), { onSuccess: (text) => text, onFailure: ({ reason }) => reason._tag }).pipe(
    Effect.provide(NativeHttp.layerWith({ proxy: given[1] as "none" })),
    Effect.map((said) => process.stdout.write(said))
  )
)

const tasks: Readonly<Record<string, Effect.Effect<unknown, unknown>>> = { close, get: getOne, many, forget, leave, throw: throwing }
await Effect.runPromise(tasks[task]!)
