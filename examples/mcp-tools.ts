/**
 * An assembly over MCP: its tools served over standard input and output, and a client that lists and calls them.
 *
 *     npx tsx examples/mcp-tools.ts          starts the server as its client, and shows what it has
 *     npx tsx examples/mcp-tools.ts serve    the server alone: the command to give to an MCP client of yours
 *
 * The API behind the tools is a server on loopback, so nothing leaves the machine.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { Effect, Layer, Logger } from "effect"
import { McpProtocol, McpServer } from "effect/ai"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { Assembly, Http, OpenApi } from "toolkit-native"
import * as McpTools from "toolkit-native/mcp-tools"
import { box, startApi } from "./support/api.ts"
import { bold, cut, dim, green, line, number, red, yellow } from "./support/print.ts"

/** The host decides: what reads may run, and the person at the client is asked about what writes. */
const tools = Effect.gen(function*() {
  const { operations } = yield* OpenApi.readOperations(readFileSync(new URL("./data/box/openapi.json", import.meta.url)))
  const { url } = yield* startApi(box)
  const client = (yield* HttpClient.HttpClient).pipe(HttpClient.mapRequest(HttpClientRequest.bearerToken("the-hosts-own-token")))
  const api = Http.make({ name: "api", baseUrl: url, client, operations })
  const definitions = yield* api.discover
  const toolkit = yield* Assembly.toolkit([{ source: api, definitions }], (_, { annotations }) => annotations.readOnly === true ? "allow" : "approve")
  return McpTools.layer({ toolkit, approvals: "ask" })
})

const server = McpServer.layerStdio({
  name: "box",
  version: "1.0.0",
  protocols: [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25, McpProtocol.v2025_06_18, McpProtocol.v2025_03_26, McpProtocol.v2024_11_05],
  registrations: Layer.unwrap(tools).pipe(Layer.provide(FetchHttpClient.layer))
}).pipe(
  Layer.provide(NodeStdio.layer),
  // Standard output is the protocol's, so that what is logged goes to standard error.
  Layer.provide(Layer.succeed(Logger.LogToStderr, true))
)

const show = async (client: Client, name: string, input: Record<string, unknown>) => {
  line(`  ${bold(name)} ${dim(JSON.stringify(input))}`)
  const { content, isError } = await client.callTool({ name, arguments: input })
  const [first] = content
  line(`    ${isError === true ? red("error") : green("result")}  ${cut(first?.type === "text" ? first.text : "nothing", 300)}`)
}

/** A client as others have it: the one of the protocol's TypeScript SDK, with a person who approves. */
const asClient = async () => {
  const client = new Client({ name: "example", version: "1.0.0" }, { capabilities: { elicitation: {} }, versionNegotiation: { mode: "auto" } })
  client.setRequestHandler("elicitation/create", ({ params }) => {
    line(`    ${yellow("a person is asked")}  ${dim(params.message.replaceAll(/\s+/g, " "))}`)
    return { action: "accept", content: { approve: true } }
  })
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [...process.execArgv, fileURLToPath(import.meta.url), "serve"] }))

  const listed = await client.listTools()
  line(bold("1. The server lists"), `${number(listed.tools.length)} tools in ${client.getNegotiatedProtocolVersion()}, such as`)
  for (const { annotations, name } of listed.tools.slice(0, 3)) line(`  ${name} ${dim(JSON.stringify(annotations))}`)

  line(bold("\n2. It runs what a client calls"))
  await show(client, "api__get_files_id_tasks", { file_id: "12345" })
  await show(client, "api__get_folders_id_metadata", { folderId: "0" })
  await show(client, "api__delete_tasks_id", { task_id: "11446498" })
  await client.close()
}

// A reader that closes early, such as `head` or a client that is gone, is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1))

if (process.argv[2] === "serve") NodeRuntime.runMain(Layer.launch(server))
else await asClient()
