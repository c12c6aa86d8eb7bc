/** A program that serves tools over its standard input and output, for the tests that start it. It loads no more than it needs. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as McpTools from "../../ts/McpTools.ts"

const Text = Schema.Struct({ text: Schema.String })

let waiting = 0

const toolkit = Toolkit.make(
  Tool.make("echo", { parameters: Text, success: Text }),
  Tool.make("wait", { success: Schema.String }),
  Tool.make("waiting", { success: Schema.String }),
  Tool.make("dies", { success: Schema.String }),
  Tool.dynamic("unlisted", { parameters: { type: "array" }, success: Schema.String })
)

const handlers = toolkit.toLayer({
  echo: ({ text }) => Effect.succeed({ text }),
  wait: () => Effect.sync(() => waiting++).pipe(Effect.andThen(Effect.never), Effect.ensuring(Effect.sync(() => waiting--))),
  waiting: () => Effect.sync(() => String(waiting)),
  dies: () => Effect.die(new Error("the password is s3cret")),
  unlisted: () => Effect.succeed("")
})

const server = McpServer.layerStdio({
  name: "served",
  version: "1",
  protocols: [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25, McpProtocol.v2025_06_18, McpProtocol.v2025_03_26, McpProtocol.v2024_11_05],
  registrations: McpTools.layer({ toolkit }).pipe(Layer.provide(handlers))
}).pipe(
  Layer.provide(NodeStdio.layer),
  Layer.provide(Layer.succeed(Logger.LogToStderr, true))
)

NodeRuntime.runMain(Layer.launch(server))
