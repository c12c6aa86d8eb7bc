/** Many requests, and what is left of them: in processes of their own, which are counted and have to end by themselves. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { isBun, ours, run, served, until } from "./support/native-http.ts"

interface Held {
  readonly memory: number
  readonly threads: number
  readonly descriptors: number
}

describe("native-http", () => {
  it.live("leaves no memory, thread or handle behind after ten thousand requests, of which many were interrupted", () =>
    Effect.map(run(["host.ts", "many"]), (said) => {
      const { after, before } = JSON.parse(said) as { readonly before: Held; readonly after: Held }
      // In megabytes, between the first four thousand requests and ten thousand more. Two kilobytes kept of each would be twenty.
      assert.isBelow(after.memory - before.memory, isBun ? 64 : 16, said)
      assert.isAtMost(after.threads, before.threads, said)
      assert.isAtMost(after.descriptors, before.descriptors + 2, said)
    }), 180_000)

  it.live("closes the connection of an answer that nobody holds", () =>
    Effect.map(run(["host.ts", "forget"]), (said) => {
      const { after, before } = JSON.parse(said) as { readonly before: number; readonly after: number }
      // Some may have been collected while others were still asked for.
      assert.isAbove(before, 0)
      assert.strictEqual(after, 0)
    }), 60_000)

  it.live("lets go of connections that are closed", () =>
    Effect.map(run(["host.ts", "close"]), (said) => assert.strictEqual(said, "0")), 60_000)

  it.live("answers the others where one who hears of an end throws", () =>
    Effect.gen(function*() {
      const url = yield* served((_, response) => void response.end("fine"))
      assert.deepStrictEqual(JSON.parse(yield* run(["host.ts", "throw", url])), { ended: 12, thrown: 4 })
    }), 60_000)

  it.live("keeps no process alive with an answer that is not read, nor with connections", () =>
    Effect.gen(function*() {
      const url = yield* served((request, response) => void (request.url === "/endless" ? response.write("a beginning") : response.end("a small answer")))
      assert.strictEqual(yield* run(["host.ts", "leave", url]), "200 a small answer")
    }), 60_000)

  it.live("works in threads that come and go, and outlives those that end in the midst of requests", () =>
    Effect.map(run(["workers.mjs"]), (said) => assert.deepStrictEqual(JSON.parse(said), ["fine", "a small answer"])), 120_000)

  it.live("has connections of its own in each layer, and closes them with it", () =>
    Effect.gen(function*() {
      const ports = new Set<number>()
      let open = 0
      const url = yield* served((request, response) => {
        if (!ports.has(request.socket.remotePort!)) {
          ports.add(request.socket.remotePort!)
          open++
          request.socket.on("close", () => open--)
        }
        response.end("fine")
      })
      const layers = Array.from({ length: 4 }, () => Layer.fresh(ours))
      yield* Effect.forEach(layers, (layer) =>
        Effect.provide(
          Effect.forEach(Array.from({ length: 100 }), () => Effect.flatMap(HttpClient.get(url), ({ text }) => text), { discard: true }),
          layer,
          { local: true }
        ), { concurrency: "unbounded", discard: true })
      assert.strictEqual(ports.size, 4)
      yield* until(() => open === 0)
    }))
})
