// A worker of workers.mjs.
import { parentPort } from "node:worker_threads"
import { Effect } from "effect"
import { HttpClient } from "effect/http"
import * as NativeHttp from "toolkit-native/native-http"

const [url, how] = process.argv.slice(2)

await Effect.runPromise(
  Effect.gen(function*() {
    const text = Effect.flatMap(HttpClient.get(url), ({ text }) => text)
    const texts = yield* Effect.all(Array.from({ length: 50 }, () => text), { concurrency: 16 })
    if (how === "in the midst") {
      yield* Effect.forkDetach(Effect.flatMap(HttpClient.get(`${url}/endless`), ({ arrayBuffer }) => arrayBuffer))
      yield* Effect.forkDetach(HttpClient.get(`${url}/stall`))
      yield* Effect.sleep(20)
    }
    // oxlint-disable-next-line require-post-message-target-origin -- it is no window
    parentPort.postMessage(texts.every((text) => text === "a small answer") ? "fine" : "wrong")
    if (how === "in the midst") yield* Effect.never
  }).pipe(Effect.provide(NativeHttp.layerWith({ proxy: "none" })))
)
