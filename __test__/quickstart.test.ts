import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { McpSchema } from "effect/ai"
import { FetchHttpClient } from "effect/http"
import { call, finish, scripted, text } from "./support/language-model.ts"
import { dual, effectServer, recorded, registration, sessions, stateless } from "./support/mcp-servers.ts"
import { program } from "./support/quickstart.ts"

const token = "the-hosts-own-token"
const config = ConfigProvider.layer(ConfigProvider.fromUnknown({ MCP_TOKEN: token }))

const due = { tasks: [{ title: "Read it", due: "Friday" }] }
const listTasks = {
  name: "list_tasks",
  description: "Lists tasks.",
  inputSchema: { type: "object", properties: { before: { type: "string" } } },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
}
const tells = new McpSchema.CallToolResult({ content: [], structuredContent: due })

/** What the model says, while it calls the tool that the quick start speaks of. */
const turn = [text("One task is due: Read it."), call("c1", "tasks__list_tasks", { before: "Sunday" }), finish("tool-calls")]

/** Effect's own MCP server, at the address of the quick start, with a tool that reads tasks and one that writes them. */
const tasks = Effect.fnUntraced(function*(protocols: Parameters<typeof effectServer>[0], result = tells) {
  const server = yield* effectServer(protocols)
  const given: Array<unknown> = []
  const handle = (input: unknown) => Effect.sync(() => (given.push(input), result))
  yield* server.addTool(registration(listTasks, handle))
  yield* server.addTool(registration({ name: "add_task", description: "Adds a task." }, handle))
  return { ...yield* recorded(server.handler), given }
})

describe("the quick start", () => {
  const servers = [["without sessions", stateless], ["with sessions", sessions["2025-11-25"]], ["of every version", dual]] as const
  for (const [name, protocols] of servers) {
    it.effect(`gives the model's text, over a server ${name} [R-000-003]`, () =>
      Effect.gen(function*() {
        const { fetch, given, methods, sent } = yield* tasks(protocols)
        const { layer, requests } = scripted(turn)
        const said = yield* program.pipe(Effect.provide([layer, config]), Effect.provideService(FetchHttpClient.Fetch, fetch))
        assert.strictEqual(said, "One task is due: Read it.")
        // The model was shown what reads alone, and called it.
        assert.sameMembers(requests[0]!.tools.map(({ name }) => name), ["tasks__echo", "tasks__list_tasks"])
        assert.deepEqual(given, [{ before: "Sunday" }])
        assert.deepEqual(methods().slice(-2), ["tools/list", "tools/call"])
        for (const { headers, request } of sent) {
          assert.deepEqual([request.url, headers["authorization"]], ["https://mcp.example.com/mcp", `Bearer ${token}`])
        }
      }))
  }

  it.effect("gives it also when the call that the model makes fails [R-000-003]", () =>
    Effect.gen(function*() {
      const failed = new McpSchema.CallToolResult({ content: [{ type: "text", text: "no tasks today" }], isError: true })
      const { fetch, given } = yield* tasks(stateless, failed)
      const said = yield* program.pipe(Effect.provide([scripted(turn).layer, config]), Effect.provideService(FetchHttpClient.Fetch, fetch))
      assert.strictEqual(said, "One task is due: Read it.")
      assert.strictEqual(given.length, 1)
    }))

  it.effect("fails with the error of a source that is refused", () =>
    Effect.gen(function*() {
      const { fetch } = yield* recorded(() => Promise.resolve(new Response(null, { status: 401 })))
      const recovered = program.pipe(Effect.catchReason("ToolSourceError", "AuthenticationError", (_, { source }) => Effect.succeed(`connect ${source} again`)))
      const said = yield* recovered.pipe(Effect.provide([scripted().layer, config]), Effect.provideService(FetchHttpClient.Fetch, fetch))
      assert.strictEqual(said, "connect tasks again")
    }))
})
