/** The quick start of document 000 as it stands there, but for what the package is imported by. */
import { Assembly, Mcp } from "../../ts/index.ts"
import { Config, Effect, Redacted } from "effect"
import { LanguageModel } from "effect/ai"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"

export const program = Effect.gen(function* () {
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
