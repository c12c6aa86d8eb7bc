import { Assembly, Mcp } from "@amends-dev/toolkit"
import { Config, Effect, Redacted } from "effect"
import { LanguageModel } from "effect/ai"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"

const program = Effect.gen(function* () {
  // The client carries the server's credentials; the source never sees them.
  const token = yield* Config.Redacted("MCP_TOKEN")
  const client = (yield* HttpClient.HttpClient).pipe(
    HttpClient.mapRequest(HttpClientRequest.bearerToken(Redacted.value(token)))
  )
  const tasks = yield* Mcp.http({ name: "tasks", url: "https://mcp.example.com/mcp", client })

  // The catalog: what the source has now, which a host stores and refreshes.
  const definitions = yield* tasks.discover

  // The toolkit of a turn: the tools that read, and none that write, as this host decides.
  const toolkit = yield* Assembly.toolkit([{ source: tasks, definitions }], (_source, definition) =>
    definition.annotations.readOnly === true ? "allow" : "block"
  )

  // The model calls `tasks__list_tasks`, and reads a call that failed as a result.
  const response = yield* LanguageModel.generateText({ prompt: "What is due this week?", toolkit })
  return response.text
}).pipe(Effect.provide(FetchHttpClient.layer))

/*
 * So far the documentation's quick start, unchanged. It runs here over Effect's own MCP server, which stands at the quick
 * start's address, with and without sessions, and prints what there was to see as one line of JSON.
 */

import type { ToolSourceError } from "@amends-dev/toolkit"
import { ConfigProvider, Layer, Schema, Stream } from "effect"
import { type AiError, McpProtocol, McpServer, type Response as ModelResponse, Tool, Toolkit } from "effect/ai"
import { HttpRouter } from "effect/http"

/** Nothing but these is left to go wrong, and nothing but a model to provide. */
const typed: Effect.Effect<
  string,
  Config.ConfigError | ToolSourceError.ToolSourceError | Assembly.NameClash | AiError.AiError,
  LanguageModel.LanguageModel
> = program

const parameters = Schema.Struct({ before: Schema.String })
const kit = Toolkit.make(
  Tool.make("list_tasks", { description: "Lists tasks.", parameters, success: Schema.Struct({ due: Schema.String }) }).annotate(Tool.Readonly, true),
  Tool.make("add_task", { description: "Adds a task.", parameters, success: Schema.String })
)
const handlers = kit.toLayer({
  list_tasks: ({ before }) => Effect.succeed({ due: `before ${before}` }),
  add_task: () => Effect.die("it was not shown")
})

/** A model that calls the tool, and says what it was shown. */
const model = Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({
    generateText: ({ tools }) => {
      const usage = { inputTokens: { total: 0 }, outputTokens: { total: 0 } } as ModelResponse.FinishPartEncoded["usage"]
      return Effect.succeed([
        { type: "text", text: `It was shown ${tools.map(({ name }) => name).join()}.` },
        { type: "tool-call", id: "c1", name: "tasks__list_tasks", params: { before: "Sunday" } },
        { type: "finish", reason: "tool-calls", usage, response: undefined }
      ])
    },
    streamText: () => Stream.empty
  })
)

const over = async (protocol: McpProtocol.ProtocolAdapter) => {
  const registrations = McpServer.toolkit(kit).pipe(Layer.provide(handlers))
  const server = HttpRouter.toWebHandler(
    McpServer.layerHttp({ name: "tasks", version: "1", path: "/mcp", protocols: [protocol], registrations }),
    { disableLogger: true }
  )
  const seen: Array<string> = []
  let answered = ""
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const { method } = await request.clone().json() as { readonly method: string }
    seen.push(`${method} ${request.url} ${request.headers.get("authorization")}`)
    const response = await server.handler(request)
    answered = await response.clone().text()
    return response
  }
  const config = ConfigProvider.layer(ConfigProvider.fromUnknown({ MCP_TOKEN: "the-hosts-own-token" }))
  const text = await Effect.runPromise(
    typed.pipe(Effect.provide([model, config]), Effect.provideService(FetchHttpClient.Fetch, fetch))
  )
  await server.dispose()
  return { text, seen, called: answered.includes("\"structuredContent\":{\"due\":\"before Sunday\"}") }
}

console.log(JSON.stringify([await over(McpProtocol.v2026_07_28), await over(McpProtocol.v2025_11_25)]))
