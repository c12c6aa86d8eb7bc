/** A program that serves tools over its standard input and output, for the tests that start it. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { Effect, Layer, Logger, Schema } from "effect"
import { McpServer, Tool } from "effect/ai"
import * as McpTools from "../../ts/McpTools.ts"
import { dual } from "../support/mcp-servers.ts"
import { kit } from "../support/presented.ts"

const Text = Schema.Struct({ text: Schema.String })

let waiting = 0

const toolkit = kit(
  [Tool.make("echo", { parameters: Text, success: Text }), ({ text }) => Effect.succeed({ text })],
  [Tool.make("wait", { success: Schema.String }), () =>
    Effect.sync(() => waiting++).pipe(Effect.andThen(Effect.never), Effect.ensuring(Effect.sync(() => waiting--)))],
  [Tool.make("waiting", { success: Schema.String }), () => Effect.sync(() => String(waiting))],
  [Tool.make("dies", { success: Schema.String }), () => Effect.die(new Error("the password is s3cret"))],
  [Tool.dynamic("unlisted", { parameters: { type: "array" }, success: Schema.String }), () => Effect.succeed("")]
)

const server = McpServer.layerStdio({
  name: "served",
  version: "1",
  protocols: dual,
  registrations: Layer.unwrap(Effect.map(toolkit, (toolkit) => McpTools.layer({ toolkit })))
}).pipe(
  Layer.provide(NodeStdio.layer),
  Layer.provide(Layer.succeed(Logger.LogToStderr, true))
)

NodeRuntime.runMain(Layer.launch(server))
