// Workers that alone load the addon and end, some in the midst of requests; the main thread loads it when they are gone.
// Plain JavaScript over the compiled package, since a loader of TypeScript does not reach workers everywhere.
import { createServer } from "node:http"
import { Worker } from "node:worker_threads"
import { Effect } from "effect"
import { HttpClient } from "effect/http"

const chunk = Buffer.alloc(64 * 1024)

const server = createServer((request, response) => {
  if (request.url === "/stall") return
  if (request.url !== "/endless") return void response.end("a small answer")
  const write = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on("drain", write)
  write()
})
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
const url = `http://127.0.0.1:${server.address().port}`

const one = (n) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL("worker.mjs", import.meta.url), { argv: [url, n % 2 === 0 ? "to its end" : "in the midst"], execArgv: [] })
    let said = ""
    worker.on("message", (message) => {
      said = message
      if (n % 2 === 1) void worker.terminate()
    })
    worker.on("error", reject)
    worker.on("exit", () => resolve(said))
  })

const said = new Set()
for (let n = 0; n < 12; n += 3) for (const heard of await Promise.all([one(n), one(n + 1), one(n + 2)])) said.add(heard)

const NativeHttp = await import("toolkit-native/native-http")
said.add(
  await Effect.runPromise(Effect.provide(Effect.flatMap(HttpClient.get(url), ({ text }) => text), NativeHttp.layerWith({ proxy: "none" })))
)
process.stdout.write(JSON.stringify([...said]))
server.close()
server.closeAllConnections()
