// The server under test: the tools that the suite's scenarios ask for, served over the built package by Effect's server on
// loopback. Prints its port, and ends with its standard input.
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as McpTools from "../../dist/McpTools.js"

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="

/** A tool whose result is these parts. */
const showing = (name, ...parts) => Tool.make(name, { description: "Shows something.", success: Schema.Void, toModelOutput: () => parts })

const image = Prompt.filePart({ mediaType: "image/png", data: png })
const resource = Prompt.filePart({ mediaType: "text/plain", fileName: "embedded", data: Buffer.from("This is an embedded resource content.").toString("base64") })

const toolkit = Toolkit.make(
  Tool.make("test_simple_text", { description: "A text.", success: Schema.String }),
  showing("test_image_content", image),
  showing("test_audio_content", Prompt.filePart({ mediaType: "audio/wav", data: wav })),
  showing("test_embedded_resource", resource),
  showing("test_multiple_content_types", Prompt.textPart({ text: "Multiple content types test:" }), image, resource),
  Tool.make("test_error_handling", { description: "Fails.", success: Schema.Void, failure: Schema.String }),
  Tool.dynamic("json_schema_2020_12_tool", {
    description: "Tool with JSON Schema 2020-12 features",
    parameters: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: { address: { $anchor: "addressDef", type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" }
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false
    },
    success: Schema.String
  }),
  Tool.dynamic("marked", {
    description: "Has a parameter that a header repeats.",
    parameters: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } }, required: ["region"] },
    success: Schema.String
  })
)

const nothing = () => Effect.void

const handlers = toolkit.toLayer({
  test_simple_text: () => Effect.succeed("This is a simple text response for testing."),
  test_image_content: nothing,
  test_audio_content: nothing,
  test_embedded_resource: nothing,
  test_multiple_content_types: nothing,
  test_error_handling: () => Effect.fail("This tool intentionally returns an error for testing"),
  json_schema_2020_12_tool: () => Effect.succeed("ok"),
  marked: () => Effect.succeed("ok")
})

const mcp = McpServer.layerHttp({
  name: "official",
  version: "1",
  path: "/mcp",
  protocols: [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25, McpProtocol.v2025_06_18, McpProtocol.v2025_03_26, McpProtocol.v2024_11_05],
  allowSessionTermination: true,
  registrations: McpTools.layer({ toolkit }).pipe(Layer.provide(handlers))
})

const started = Layer.effectDiscard(Effect.gen(function*() {
  const { address } = yield* HttpServer.HttpServer
  yield* Effect.sync(() => console.log(address.port))
}))

const server = Layer.merge(HttpRouter.serve(mcp, { disableLogger: true, disableListenLog: true }), started).pipe(
  Layer.provide(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 })),
  Layer.provide(Layer.succeed(Logger.LogToStderr, true))
)

process.stdin.on("end", () => process.exit()).resume()
NodeRuntime.runMain(Layer.launch(server))
