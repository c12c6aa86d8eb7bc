/**
 * GitHub's 1,200 tools, shown to a model in different ways: all of them, as a search, as code, and as both.
 *
 *     npx tsx examples/presentations.ts
 *
 * The API is a server on loopback and the model is a script, so nothing leaves the machine.
 */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { Effect, Layer, Stream } from "effect"
import { LanguageModel, Tool, type Toolkit } from "effect/ai"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { Assembly, CodeMode, Http, OpenApi, Presentation, ToolSearch } from "toolkit-native"
import * as Isolate from "toolkit-native/isolate"
import { github, startApi } from "./support/api.ts"
import { bold, cut, dim, green, line, number, red } from "./support/print.ts"

/** How what a model is shown is measured: by what it is called in a column. Tokens are those of o200k_base. */
const measures: Readonly<Record<string, (text: string) => number>> = {
  characters: (text) => text.length,
  tokens: (text) => countTokens(text, { disallowedSpecial: new Set() })
}

/** What a provider sends of tools to its model. */
const shownOf = ({ tools }: Toolkit.WithHandler<any>): string =>
  JSON.stringify(Object.values(tools as Record<string, Tool.Any>).map((tool) => ({
    name: tool.name,
    description: Tool.getDescription(tool),
    parameters: Tool.getJsonSchema(tool)
  })))

/** A model that says what it was told to say: one call of a tool. */
const calling = (name: string, params: unknown) => {
  const usage = { inputTokens: { total: 0 }, outputTokens: { total: 0 } }
  const turn = [{ type: "tool-call", id: "call-1", name, params }, { type: "finish", reason: "tool-calls", usage }]
  return Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({ generateText: () => Effect.succeed(turn as never), streamText: () => Stream.empty })
  )
}

/** A turn in which a model calls one tool, and what it reads of that. */
const turn = (toolkit: Toolkit.WithHandler<any>, name: string, params: unknown) =>
  Effect.gen(function*() {
    const { content } = yield* Effect.provide(LanguageModel.generateText({ prompt: "Please see to it.", toolkit }), calling(name, params))
    const result = content.find((part) => part.type === "tool-result")
    line(`  ${bold(name)} ${dim(cut(JSON.stringify(params), 110))}`)
    line(`    ${result?.isFailure === false ? green("result") : red("failure")}  ${cut(JSON.stringify(result?.encodedResult), 300)}`)
    return result?.encodedResult
  }) as Effect.Effect<unknown>

const code = `const repo = { owner: "octocat", repo: "hello-world" }
const [about, issues, pulls] = await Promise.all([
  tools.github__repos_get(repo),
  tools["github__issues_list-for-repo"]({ ...repo, state: "open" }),
  tools.github__pulls_list(repo)
])
return {
  repository: about.full_name,
  bugs: issues.filter(({ labels }) => labels.some(({ name }) => name === "bug")).map(({ title }) => title),
  waiting: pulls.filter(({ draft }) => !draft).map(({ number, title }) => ({ number, title }))
}`

const document = new URL("./data/github/openapi.json.gz", import.meta.url)

const program = Effect.gen(function*() {
  const { operations } = yield* OpenApi.readOperations(gunzipSync(readFileSync(document)))
  const { url } = yield* startApi(github)
  const client = (yield* HttpClient.HttpClient).pipe(HttpClient.mapRequest(HttpClientRequest.bearerToken("the-hosts-own-token")))
  const api = Http.make({ name: "github", baseUrl: url, client, operations })
  const definitions = yield* api.discover

  // The host decides: what reads may run, what writes is asked about.
  const all = yield* Assembly.toolkit([{ source: api, definitions }], (_, { annotations }) => annotations.readOnly === true ? "allow" : "approve")
  const reading = Presentation.restrict(all, ({ needsApproval }) => needsApproval !== true)
  const writing = Presentation.restrict(all, ({ needsApproval }) => needsApproval === true)

  const search = yield* ToolSearch.toolkit(all)
  // Each run of code has a process of its own, which reaches nothing but these tools.
  const runtime = yield* Isolate.make()
  const coded = yield* CodeMode.toolkit(reading, runtime)
  const limited = yield* CodeMode.toolkit(reading, runtime, { declarationsLimit: 8000 })
  const both = Presentation.merge(limited, yield* ToolSearch.toolkit(writing))

  line(bold("1. What a model is shown, on every turn"), `of ${number(definitions.length)} tools, ${number(Object.keys(writing.tools).length)} of which need approval`)
  const presentations: ReadonlyArray<readonly [string, Toolkit.WithHandler<any>]> = [
    ["every tool", all],
    ["a search", search],
    ["what reads, as code", coded],
    ["the same, with a limit", limited],
    ["that, and a search of what writes", both]
  ]
  line(`  ${dim(`${"".padEnd(36)}${"tools".padStart(8)}${Object.keys(measures).map((unit) => unit.padStart(14)).join("")}`)}`)
  for (const [name, toolkit] of presentations) {
    const shown = shownOf(toolkit)
    const sizes = Object.values(measures).map((measure) => number(measure(shown)).padStart(14))
    line(`  ${name.padEnd(36)}${number(Object.keys(toolkit.tools).length).padStart(8)}${sizes.join("")}`)
  }

  line(bold("\n2. A model searches, and calls what it found"))
  const found = (yield* turn(search, "tool_search", { query: "list issues for a repo", limit: 3 })) as ToolSearch.Found
  line(`    ${found.tools.map(({ name }) => name).join(", ")} ${dim(`of ${number(found.matched)} that match`)}`)
  yield* turn(search, "tool_call", { name: found.tools[0]!.name, input: { owner: "octocat", repo: "hello-world" } })

  line(bold("\n3. A model writes code"), "which calls three tools at once and returns one answer")
  for (const written of code.split("\n")) line(`    ${dim(written)}`)
  yield* turn(both, "execute", { code })
})

// A reader that closes early, such as `head`, is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1))

await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer)))
