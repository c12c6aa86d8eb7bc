/**
 * What a user writes: the tools of an OpenAPI document, called by a model. The API is a server on loopback and the model a
 * script. Prints what there was to see as one line of JSON.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Assembly, Http, OpenApi, type ToolDefinition, type ToolSource, type ToolSourceError } from "@amends-dev/toolkit"
import { Config, ConfigProvider, Effect, Layer, Redacted, type Scope, Stream } from "effect"
import { type AiError, LanguageModel, Prompt, type Response } from "effect/ai"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"

const document = {
  openapi: "3.1.0",
  info: { title: "Tasks", version: "1" },
  servers: [{ url: "https://tasks.invalid/v1" }],
  paths: {
    "/folders/{folder_id}/tasks": {
      parameters: [{ name: "folder_id", in: "path", required: true, schema: { type: "integer" } }],
      get: {
        operationId: "list_tasks",
        summary: "Lists the tasks of a folder",
        parameters: [{ name: "label", in: "query", schema: { type: "array", items: { type: "string" } } }],
        responses: { "200": { description: "The tasks" } }
      },
      post: {
        operationId: "add_task",
        summary: "Adds a task",
        requestBody: { required: true, content: { "application/json": { schema: { $ref: "#/components/schemas/Task" } } } },
        responses: { "201": { description: "The task" } }
      }
    },
    "/tasks/{task_id}": {
      delete: {
        operationId: "remove_task",
        parameters: [{ name: "task_id", in: "path", required: true, schema: { type: "string" } }],
        responses: { "204": { description: "It is gone" } }
      }
    },
    "/import": {
      post: {
        operationId: "import_tasks",
        requestBody: { required: true, content: { "text/csv": { schema: { type: "string" } } } },
        responses: { "204": { description: "They are there" } }
      }
    }
  },
  components: {
    schemas: {
      Task: { type: "object", properties: { title: { type: "string" }, parent: { $ref: "#/components/schemas/Task" } }, required: ["title"] }
    }
  }
}

/** The API: it answers with what it was sent, and has no task to remove. */
const startApi: Effect.Effect<{ readonly url: string; readonly seen: ReadonlyArray<string> }, never, Scope.Scope> = Effect.gen(function*() {
  const seen: Array<string> = []
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((request, response) => {
        let body = ""
        request.setEncoding("utf8").on("data", (chunk: string) => body += chunk)
        request.on("end", () => {
          seen.push(`${request.method} ${request.url} ${request.headers.authorization} ${body}`.trimEnd())
          const status = request.method === "DELETE" ? 404 : 200
          response.writeHead(status, { "content-type": "application/json" })
          response.end(JSON.stringify(status === 200 ? { method: request.method, sent: body === "" ? null : JSON.parse(body) as unknown } : { error: "no such task" }))
        })
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, seen }
})

const calls: ReadonlyArray<Response.ToolCallPartEncoded> = [
  { type: "tool-call", id: "reads", name: "tasks__list_tasks", params: { folder_id: 7, label: ["late", "a&b"] } },
  { type: "tool-call", id: "mistaken", name: "tasks__list_tasks", params: { folder_id: "seven" } },
  { type: "tool-call", id: "asked", name: "tasks__add_task", params: { folder_id: 7, body: { title: "Read it", parent: { title: "All" } } } },
  { type: "tool-call", id: "refused", name: "tasks__remove_task", params: { task_id: "../folders" } }
]

/** A model that calls the tools, and says a word when it has what they answered. */
const model = Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({
    generateText: ({ prompt }) => {
      const answered = prompt.content.some(({ role }) => role === "tool")
      const usage = { inputTokens: { total: 0 }, outputTokens: { total: 0 } } as Response.FinishPartEncoded["usage"]
      return Effect.succeed(
        answered
          ? [{ type: "text", text: "Done." }, { type: "finish", reason: "stop", usage, response: undefined }]
          : [...calls, { type: "finish", reason: "tool-calls", usage, response: undefined }]
      )
    },
    streamText: () => Stream.empty
  })
)

const decide = (source: string, { annotations, name }: ToolDefinition.ToolDefinition): Assembly.Decision =>
  annotations.readOnly === true || name === "remove_task" ? "allow" : source === "tasks" ? "approve" : "block"

const program = Effect.gen(function*() {
  const api = yield* startApi
  const token = yield* Config.Redacted("API_TOKEN")
  const client = (yield* HttpClient.HttpClient).pipe(HttpClient.mapRequest(HttpClientRequest.bearerToken(Redacted.value(token))))

  const { operations, skipped }: OpenApi.Operations = yield* OpenApi.readOperations(JSON.stringify(document))
  const tasks: ToolSource.ToolSource = Http.make({ name: "tasks", baseUrl: api.url, client, operations })
  const definitions = yield* tasks.discover
  const toolkit = yield* Assembly.toolkit([{ source: tasks, definitions }], decide)

  const question = Prompt.make("What is there to do?")
  const first = yield* LanguageModel.generateText({ prompt: question, toolkit })
  const requests = first.content.filter((part) => part.type === "tool-approval-request")
  const approvals = Prompt.makeMessage("tool", {
    content: requests.map(({ approvalId }) => Prompt.toolApprovalResponsePart({ approvalId, approved: true }))
  })
  const prompt = Prompt.fromMessages([...question.content, ...Prompt.fromResponseParts(first.content).content, approvals])
  const second = yield* LanguageModel.generateText({ prompt, toolkit })

  const unknown = yield* tasks.call("no_such_tool", {}).pipe(
    Effect.catchReason("ToolSourceError", "NotFoundError", (reason) => Effect.succeed(`caught ${reason._tag}`))
  )
  const badDocument = yield* OpenApi.readOperations("{ \"swagger\": \"2.0\" }").pipe(
    Effect.catchTag("InvalidDocument", (error) => Effect.succeed(`caught ${error._tag}`))
  )
  return {
    tools: Object.keys(toolkit.tools),
    skipped: skipped.map(({ code, method, path }) => `${method} ${path} ${code}`),
    asked: requests.map(({ toolCallId }) => toolCallId),
    results: Object.fromEntries(
      [...first.content, ...second.content].filter((part) => part.type === "tool-result").map(({ id, isFailure, result }) => [id, { isFailure, result }])
    ),
    text: second.text,
    seen: api.seen.toSorted(),
    caught: [unknown, badDocument]
  }
})

/** Nothing but these is left to go wrong, and nothing but these to provide. */
const typed: Effect.Effect<
  Effect.Success<typeof program>,
  Config.ConfigError | OpenApi.InvalidDocument | Assembly.NameClash | ToolSourceError.ToolSourceError | AiError.AiError,
  Scope.Scope | HttpClient.HttpClient | LanguageModel.LanguageModel
> = program

const config = ConfigProvider.layer(ConfigProvider.fromUnknown({ API_TOKEN: "the-hosts-own-token" }))
const seen = await Effect.runPromise(typed.pipe(Effect.scoped, Effect.provide([model, FetchHttpClient.layer, config])))
console.log(JSON.stringify(seen))
