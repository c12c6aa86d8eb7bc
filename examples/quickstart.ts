/**
 * The whole way: from an OpenAPI document to a model's tool call.
 *
 *     npm start                    the document of Box's API, which comes along
 *     npm start -- api.json        your own document
 *     cat api.json | npm start -- -
 *
 * The API is a server on loopback and the model is a script, so nothing leaves the machine.
 */
import { readFileSync } from "node:fs"
import { Effect, Exit, Layer, Stream } from "effect"
import { LanguageModel, Prompt } from "effect/ai"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { Assembly, Http, OpenApi, type ToolDefinition } from "toolkit-native"
import { box, startApi } from "./support/api.ts"
import { boxCalls, callsFor, type Call } from "./support/calls.ts"
import { bold, cut, dim, green, line, number, red, yellow } from "./support/print.ts"

const boxFile = new URL("./data/box/openapi.json", import.meta.url)

/** A host decides what each tool may do. This one: what reads may run, what destroys or writes is asked about. */
const decide = (_source: string, { annotations }: ToolDefinition.ToolDefinition): Assembly.Decision =>
  annotations.readOnly === true ? "allow" : "approve"

/** A model that says what it was told to say: first the calls, then a closing word. */
const scriptedModel = (calls: ReadonlyArray<Call>) => {
  const usage = { inputTokens: { total: 0 }, outputTokens: { total: 0 } }
  const turns = [
    [
      ...calls.map(({ input, name }, at) => ({ type: "tool-call", id: `call-${at + 1}`, name, params: input })),
      { type: "finish", reason: "tool-calls", usage }
    ],
    [{ type: "text", text: "Done." }, { type: "finish", reason: "stop", usage }]
  ]
  return Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: () => Effect.sync(() => turns.shift() as never),
      streamText: () => Stream.empty
    })
  )
}

const readDocument = (argument: string | undefined) => {
  const file = argument === "-" ? 0 : argument ?? boxFile
  return { bytes: readFileSync(file), label: argument === "-" ? "standard input" : argument ?? "examples/data/box/openapi.json" }
}

const printRead = ({ operations, servers, skipped }: OpenApi.Operations, millis: number) => {
  line(`  ${green(`${number(operations.length)} tools`)} of ${number(operations.length + skipped.length)} operations, read in ${millis.toFixed(0)} ms`)
  line(`  servers it names, used for nothing: ${servers.join(", ") || "none"}`)
  line(skipped.length === 0 ? "  nothing was skipped" : `  ${yellow(`${number(skipped.length)} skipped`)}, each with its reason:`)
  for (const code of new Set(skipped.map(({ code }) => code))) {
    const [example, ...others] = skipped.filter((skip) => skip.code === code)
    line(`    ${code.padEnd(10)} ${String(others.length + 1).padStart(5)}   ${dim(`such as ${cut(example!.reason, 110)}`)}`)
  }
}

const printResult = (call: Call, result: { readonly isFailure: boolean; readonly result: unknown } | undefined, approved: boolean) => {
  line(`  ${bold(call.name)} ${dim(cut(JSON.stringify(call.input), 90))}`)
  if (approved) line(`    ${yellow("a person was asked, and approved it")}`)
  if (result === undefined) return line(`    ${red("no result")}`)
  line(`    ${result.isFailure ? red("failure") : green("result")}  ${cut(JSON.stringify(result.result), 300)}`)
}

const program = Effect.gen(function*() {
  const argument = process.argv[2]
  const { bytes, label } = yield* Effect.sync(() => readDocument(argument))
  line(bold(`1. Read ${label}`), `(${number(bytes.byteLength)} bytes)`)
  const start = performance.now()
  const document = yield* OpenApi.readOperations(bytes)
  printRead(document, performance.now() - start)
  if (document.operations.length === 0) return line("\nNo operation of this document is a tool, so there is nothing to call.")

  const calls = argument === undefined ? boxCalls : callsFor(document.operations)

  line(bold("\n2. A source of these operations"), "over a client that carries the credentials")
  const { url } = yield* startApi(box)
  const client = (yield* HttpClient.HttpClient).pipe(HttpClient.mapRequest(HttpClientRequest.bearerToken("the-hosts-own-token")))
  const api = Http.make({ name: "api", baseUrl: url, client, operations: document.operations })
  line(`  every request goes to ${url}`)

  line(bold("\n3. The toolkit of a turn"), "under this host's policy")
  const definitions = yield* api.discover
  const toolkit = yield* Assembly.toolkit([{ source: api, definitions }], decide)
  const tools = Object.values(toolkit.tools)
  const asked = tools.filter(({ needsApproval }) => needsApproval === true).length
  line(`  ${number(tools.length - asked)} tools may run, ${number(asked)} need a person's approval`)

  line(bold("\n4. A model calls"), calls.map(({ name }) => name).join(", "))
  const question = Prompt.make("Please see to it.")
  const reply = yield* Effect.gen(function*() {
    const first = yield* LanguageModel.generateText({ prompt: question, toolkit })
    const approvals = first.content.filter((part) => part.type === "tool-approval-request")
    const answers = Prompt.makeMessage("tool", {
      content: approvals.map(({ approvalId }) => Prompt.toolApprovalResponsePart({ approvalId, approved: true }))
    })
    const then = Prompt.fromMessages([...question.content, ...Prompt.fromResponseParts(first.content).content, answers])
    const second = yield* LanguageModel.generateText({ prompt: approvals.length === 0 ? question : then, toolkit })
    const results = [...first.content, ...second.content].filter((part) => part.type === "tool-result")
    return { approvals, results, text: second.text }
  }).pipe(Effect.provide(scriptedModel(calls)))

  line(bold("\n5. What the model reads"))
  for (const [at, call] of calls.entries()) {
    const id = `call-${at + 1}`
    printResult(call, reply.results.find((part) => part.id === id), reply.approvals.some(({ toolCallId }) => toolCallId === id))
  }
  line(`\n  and it says: ${reply.text}`)
})

// A reader that closes early, such as `head`, is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1))

const exit = await Effect.runPromiseExit(program.pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)))
if (Exit.isFailure(exit)) {
  const error = exit.cause.reasons.map((reason) => reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : reason)[0]
  console.error(red(error instanceof Error ? error.message : String(error)))
  process.exitCode = 1
}
