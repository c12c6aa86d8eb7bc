/** An input is written once: the text that was checked is what is sent, unless a source in between gives something else on. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Schema, Stream } from "effect"
import { Http, type ToolDefinition, ToolSource } from "../ts/index.ts"
import { scripted } from "./support/http.ts"
import { inProcess, result, said, server, sourceOf, stateless } from "./support/mcp.ts"

/** A value that says another number each time it is written. */
const counting = () => {
  let times = 0
  return { value: { toJSON: () => ++times } as unknown as Schema.Json, times: () => times }
}

const definition: ToolDefinition.ToolDefinition = {
  name: "send",
  description: "Sends.",
  inputSchema: { type: "object", properties: { body: { type: "object", properties: { n: { type: "integer" } } } } },
  annotations: {}
}

const called = (source: ToolSource.ToolSource, input: Schema.JsonObject) =>
  Effect.gen(function*() {
    const toolkit = yield* ToolSource.toolkit(source, [definition])
    const [answer] = yield* Stream.runCollect(yield* toolkit.handle("send" as never, input as never))
    return answer!
  })

const http = () => {
  const { client, sent } = scripted()
  const request: Http.RequestTemplate = { method: "POST", path: "/things", parameters: [], body: "body" }
  const source = Http.make({ name: "api", baseUrl: "https://api.example.com", client, operations: [{ definition, request }] })
  return { source, sent: () => sent.map(({ body }) => JSON.parse(body!)) }
}

const mcp = () =>
  Effect.gen(function*() {
    const peer = inProcess(server({ ...stateless, "tools/call": (asked) => result(asked, { resultType: "complete", content: said("done") }) }))
    const sent = () => peer.asked.filter(({ method }) => method === "tools/call").map(({ params }) => (params["arguments"] as { readonly body: unknown }).body)
    return { source: yield* sourceOf(peer), sent }
  })

const sources = [["an HTTP API", Effect.sync(http)], ["an MCP server", Effect.suspend(mcp)]] as const

describe.each(sources)("the input of a call to %s", (_, make) => {
  it.effect("is written once, and sent as it was checked", () =>
    Effect.gen(function*() {
      const { sent, source } = yield* make
      const { times, value } = counting()
      assert.isFalse((yield* called(source, { body: { n: value } })).isFailure)
      assert.strictEqual(times(), 1)
      assert.deepEqual(sent(), [{ n: 1 }])
    }))

  it.effect("is written again behind a source that changes it in place", () =>
    Effect.gen(function*() {
      const { sent, source } = yield* make
      const changing: ToolSource.ToolSource = {
        ...source,
        call: (tool, input) => {
          Object.assign(input, { body: { n: 2 } })
          return source.call(tool, input)
        }
      }
      assert.isFalse((yield* called(changing, { body: { n: 1 } })).isFailure)
      assert.deepEqual(sent(), [{ n: 2 }])
    }))

  it.effect("is written by a call that no check was before", () =>
    Effect.gen(function*() {
      const { sent, source } = yield* make
      const { value } = counting()
      yield* source.call("send", { body: { n: value } })
      assert.deepEqual(sent(), [{ n: 1 }])
    }))

  it.effect("is not sent when the check refuses it", () =>
    Effect.gen(function*() {
      const { sent, source } = yield* make
      assert.isTrue((yield* called(source, { body: { n: "x" } })).isFailure)
      assert.deepEqual(sent(), [])
    }))
})
