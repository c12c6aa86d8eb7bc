// The client under test: does over the built package what each scenario asks of a client of tools. The suite gives the
// address of its server as the last argument and the rest in the environment. `--without=NAME` before it leaves a header
// out of every request, as a client with that mistake would. Says "done" when it has come to its end.
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { Mcp } from "../../dist/index.js"

const url = process.argv.at(-1)
const without = process.argv.find((argument) => argument.startsWith("--without="))?.slice("--without=".length)
const scenario = process.env.MCP_CONFORMANCE_SCENARIO

const listOnly = (source) => source.discover

/** Every tool that is listed, which are those that may be called. */
const callAll = (source) =>
  Effect.gen(function*() {
    for (const { name } of yield* source.discover) yield* source.call(name, {})
  })

/** Gives the schema of one tool back to the server, as another's input. */
const echoSchema = (source) =>
  Effect.gen(function*() {
    const { inputSchema } = (yield* source.discover).find(({ name }) => name === "json_schema_2020_12_tool")
    yield* source.call("json_schema_echo", { schema: inputSchema })
  })

/** The calls that the suite dictates. */
const callAsTold = (source) =>
  Effect.gen(function*() {
    yield* source.discover
    for (const { arguments: input, name } of JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT).toolCalls) yield* source.call(name, input)
  })

/** Some of the tools want an answer from a person, which is an error of that call alone. */
const callWhatAsks = (source) =>
  Effect.gen(function*() {
    for (const { name } of yield* source.discover) {
      const failed = yield* Effect.match(source.call(name, {}), { onFailure: ({ reason }) => reason._tag, onSuccess: () => undefined })
      const asks = name === "test_mrtr_echo_state" || name === "test_mrtr_no_state"
      if (failed !== (asks ? "UnsupportedError" : undefined)) throw new Error(`${name} ended with ${failed}`)
    }
  })

const does = {
  initialize: listOnly,
  tools_call: (source) => Effect.andThen(source.discover, source.call("add_numbers", { a: 5, b: 3 })),
  "json-schema-2020-12-preservation": echoSchema,
  "sse-retry": callAll,
  "request-metadata": listOnly,
  "http-standard-headers": callAll,
  "http-custom-headers": callAsTold,
  "http-invalid-tool-headers": callAll,
  "json-schema-ref-no-deref": listOnly,
  "sep-2322-client-request-state": callWhatAsks
}

const program = Effect.gen(function*() {
  const client = HttpClient.mapRequest(
    yield* HttpClient.HttpClient,
    (request) => without === undefined ? request : HttpClientRequest.removeHeader(request, without)
  )
  yield* does[scenario](yield* Mcp.http({ name: "official", url, client }))
})

// A source that keeps the process alive, or waits for ever, is not done.
setTimeout(() => process.exit(1), 20_000).unref()
await Effect.runPromise(Effect.provide(program, FetchHttpClient.layer))
console.log("done")
