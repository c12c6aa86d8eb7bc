/** What the types promise, checked where this file is compiled; each test also asserts what can be seen when it runs. */
import { assert, describe, it } from "@effect/vitest"
import { type Config, ConfigProvider, type Context, type Duration, Effect, Schema, type Stream } from "effect"
import { type AiError, LanguageModel, type Tool, type Toolkit } from "effect/ai"
import { FetchHttpClient, HttpClient, HttpClientResponse } from "effect/http"
import * as toolkitNative from "../../ts/index.ts"
import { Assembly, Http, Mcp, OpenApi, ToolDefinition, ToolSource, ToolSourceError } from "../../ts/index.ts"
import { call, calling, define, modes, recording, resultsOf, scripted } from "../support/language-model.ts"
import { effectServer, recorded, stateless } from "../support/mcp-servers.ts"
import { program } from "../support/quickstart.ts"

/** Whether two types are the same, in both directions and in every modifier. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false

/** Compiles where `T` is true, and has nothing to do when it runs. */
const holds = <_T extends true>(): void => {}

/** Never called: what stands in it is compiled only. */
const compiled = (_never: () => unknown): void => {}

const anyClient = HttpClient.make((request) => Effect.succeed(HttpClientResponse.fromWeb(request, new Response(null, { status: 204 }))))

describe("the package", () => {
  it("exports its namespaces, and nothing beside them [R-000-001]", () => {
    assert.sameMembers(Object.keys(toolkitNative), [
      "Assembly",
      "CodeMode",
      "CodeRuntime",
      "Http",
      "Mcp",
      "OpenApi",
      "Presentation",
      "ToolDefinition",
      "ToolSearch",
      "ToolSource",
      "ToolSourceError"
    ])
    holds<Same<ReturnType<typeof ToolSource.make>, ToolSource.ToolSource>>()
    holds<Same<ReturnType<typeof ToolSourceError.make>, ToolSourceError.ToolSourceError>>()
    holds<Same<typeof ToolDefinition.ToolDefinition["Type"] extends ToolDefinition.ToolDefinition ? true : false, true>>()
    holds<Same<ReturnType<typeof Http.make>, ToolSource.ToolSource & Effect.Effect<ToolSource.ToolSource>>>()
    holds<Same<ReturnType<typeof Mcp.http>, Effect.Effect<ToolSource.ToolSource>>>()
    holds<Same<Effect.Error<ReturnType<typeof OpenApi.readOperations>>, OpenApi.InvalidDocument>>()
    holds<Same<ReturnType<typeof Assembly.toolName>, string>>()
  })

  it.effect("type-checks the quick start, with a model alone left to provide [R-000-002]", () =>
    Effect.gen(function*() {
      holds<Same<Effect.Success<typeof program>, string>>()
      holds<Same<
        Effect.Error<typeof program>,
        Config.ConfigError | ToolSourceError.ToolSourceError | Assembly.NameClash | AiError.AiError
      >>()
      holds<Same<Effect.Services<typeof program>, LanguageModel.LanguageModel>>()
      const { layer, requests } = scripted([{ type: "text", text: "Two tasks." }])
      const { fetch } = yield* recorded((yield* effectServer(stateless)).handler)
      const said = yield* program.pipe(
        Effect.provide([layer, ConfigProvider.layer(ConfigProvider.fromUnknown({ MCP_TOKEN: "token" }))]),
        Effect.provideService(FetchHttpClient.Fetch, fetch)
      )
      assert.strictEqual(said, "Two tasks.")
      assert.deepStrictEqual(requests[0]!.tools.map(({ name }) => name), ["tasks__echo"])
    }))

  it("takes no token, key or header anywhere: the client has them [R-000-006]", () => {
    holds<Same<keyof Http.Options, "name" | "baseUrl" | "client" | "operations" | "timeout" | "maxAnswerLength">>()
    holds<Same<keyof Mcp.HttpOptions, "name" | "url" | "client" | "timeout">>()
    holds<Same<Mcp.HttpOptions["timeout"], Duration.Input | undefined>>()
    holds<Same<keyof OpenApi.Options, "reading">>()
    holds<Same<keyof Assembly.Options, "maxNameLength">>()
    holds<Same<keyof Assembly.Member, "source" | "definitions">>()
    holds<Same<keyof ToolSource.Options, "needsApproval">>()
    holds<Same<typeof ToolSource.InputCheck, Context.Reference<"compatible" | "full">>>()
    holds<Same<keyof Parameters<typeof ToolSource.make>[0], "name" | "discover" | "call">>()
    holds<Same<Parameters<ToolSource.ToolSource["call"]>, [name: string, input: Schema.JsonObject]>>()
    holds<Same<keyof Http.RequestTemplate, "method" | "path" | "parameters" | "body" | "mediaType" | "contentEncoding" | "fields">>()
    holds<Same<keyof Http.Field, "name" | "style" | "explode" | "allowReserved" | "mediaType" | "contentEncoding">>()
    const options: Http.Options = { name: "api", baseUrl: "https://api.example.com", client: anyClient, operations: [] }
    compiled(() => {
      // @ts-expect-error: a token is the client's
      Http.make({ ...options, token: "secret" })
      // @ts-expect-error: an API key is the client's
      Http.make({ ...options, apiKey: "secret" })
      // @ts-expect-error: a header is the client's
      Http.make({ ...options, headers: { authorization: "secret" } })
      // @ts-expect-error: a client is needed
      Http.make({ name: "api", baseUrl: "https://api.example.com", operations: [] })
      // @ts-expect-error: a token is the client's
      Mcp.http({ name: "tasks", url: "https://mcp.example.com/mcp", client: anyClient, token: "secret" })
      // @ts-expect-error: a header is the client's
      Mcp.http({ name: "tasks", url: "https://mcp.example.com/mcp", client: anyClient, headers: { authorization: "secret" } })
      // @ts-expect-error: a client is needed
      Mcp.http({ name: "tasks", url: "https://mcp.example.com/mcp" })
      // @ts-expect-error: a token is the client's
      ToolSource.make({ ...recording("a"), token: "secret" } satisfies Parameters<typeof ToolSource.make>[0])
    })
    // A stored template cannot carry one either.
    const decode = Schema.decodeUnknownSync(Http.RequestTemplate)
    const template: Http.RequestTemplate = { method: "GET", path: "/", parameters: [] }
    assert.deepStrictEqual(decode(template), template)
    for (const key of ["headers", "token", "authorization"]) assert.throws(() => decode({ ...template, [key]: "secret" }))
  })
})

describe("ToolDefinition", () => {
  it("has a name, a description, an input schema and annotations, and no output schema [R-000-020]", () => {
    type Definition = ToolDefinition.ToolDefinition
    holds<Same<keyof Definition, "name" | "description" | "inputSchema" | "annotations">>()
    holds<Same<Definition["name"], string>>()
    holds<Same<Definition["description"], string>>()
    holds<Same<Definition["inputSchema"], Schema.JsonObject>>()
    holds<Same<keyof Definition["annotations"], "title" | "readOnly" | "destructive" | "idempotent" | "openWorld">>()
    const written: Definition = { name: "a", description: "b", inputSchema: { type: "object" }, annotations: {} }
    compiled(() => {
      // @ts-expect-error: what a tool answers has no schema
      const output: Definition = { name: "a", description: "b", inputSchema: {}, annotations: {}, outputSchema: {} }
      // @ts-expect-error: annotations may be empty, not absent
      const bare: Definition = { name: "a", description: "b", inputSchema: {} }
      // @ts-expect-error: a hint is left out, not undefined
      const hint: Definition = { ...written, annotations: { readOnly: undefined } }
      return [output, bare, hint]
    })
    assert.deepStrictEqual(Object.keys(ToolDefinition.ToolDefinition.fields), Object.keys(written))
  })
})

describe("ToolSource", () => {
  it("has a name, discover and call [R-000-030]", () => {
    holds<Same<keyof ToolSource.ToolSource, "name" | "discover" | "call">>()
    holds<Same<ToolSource.ToolSource["name"], string>>()
    holds<Same<
      ToolSource.ToolSource["discover"],
      Effect.Effect<ReadonlyArray<ToolDefinition.ToolDefinition>, ToolSourceError.ToolSourceError>
    >>()
    holds<Same<
      ToolSource.ToolSource["call"],
      (name: string, input: Schema.JsonObject) => Effect.Effect<Schema.Json, ToolSourceError.ToolSourceError>
    >>()
    const source = ToolSource.make(recording("hub"))
    assert.deepStrictEqual(Object.keys(source), ["name", "discover", "call"])
    assert.isTrue(Effect.isEffect(source.discover))
    assert.isTrue(Effect.isEffect(source.call("list", {})))
  })

  it.effect("has a discover that is yielded and mapped as it is [R-000-031]", () =>
    Effect.gen(function*() {
      const source: ToolSource.ToolSource = { ...recording("hub"), discover: Effect.succeed([define("list")]) }
      const yielded = yield* source.discover
      holds<Same<typeof yielded, ReadonlyArray<ToolDefinition.ToolDefinition>>>()
      const members = Effect.forEach([source], (source) => Effect.map(source.discover, (definitions) => ({ source, definitions })))
      const typed: Effect.Effect<ReadonlyArray<Assembly.Member>, ToolSourceError.ToolSourceError> = members
      assert.deepStrictEqual(yield* typed, [{ source, definitions: yielded }])
    }))

  it.effect("has tools that need no service [R-000-058]", () =>
    Effect.gen(function*() {
      const toolkit = yield* ToolSource.toolkit(recording("hub"), [define("list")])
      type Handled = ReturnType<typeof toolkit.handle>
      holds<Same<Tool.HandlerServices<ToolSource.SourceTool>, never>>()
      holds<Same<Effect.Services<Handled>, never>>()
      holds<Same<Effect.Error<Handled>, AiError.AiError>>()
      holds<Same<Effect.Success<Handled> extends Stream.Stream<infer _A, infer _E, infer R> ? R : "no stream", never>>()
      holds<Same<Effect.Services<ReturnType<typeof ToolSource.toolkit>>, never>>()
      holds<Same<Effect.Error<ReturnType<typeof ToolSource.toolkit>>, never>>()
      const generated = LanguageModel.generateText({ prompt: "go", toolkit })
      holds<Same<Effect.Services<typeof generated>, LanguageModel.LanguageModel>>()
      holds<Same<Effect.Error<typeof generated>, AiError.AiError>>()
      const { layer } = scripted(calling(call("c1", "list")))
      const alone: Effect.Effect<unknown, AiError.AiError> = Effect.provide(generated, layer)
      yield* alone
      const parts = yield* Effect.provide(modes[1]!.ask({ toolkit }), scripted(calling(call("c1", "list"))).layer)
      assert.deepStrictEqual(resultsOf(parts).map(({ isFailure }) => isFailure), [false])
    }))
})

describe("ToolSourceError", () => {
  const failing = Effect.fail(ToolSourceError.make({ source: "tasks", reason: new ToolSourceError.AuthenticationError({}) }))

  it.effect("is recovered from by the tag of a reason, which is narrowed [R-000-074]", () =>
    Effect.gen(function*() {
      const recovered = failing.pipe(
        Effect.catchReason("ToolSourceError", "AuthenticationError", (reason, error) => {
          holds<Same<typeof reason, ToolSourceError.AuthenticationError>>()
          holds<typeof error extends ToolSourceError.ToolSourceError ? true : false>()
          return Effect.succeed(`${reason._tag} of ${error.source}` as const)
        })
      )
      holds<Same<Effect.Success<typeof recovered>, `AuthenticationError of ${string}`>>()
      holds<Same<Effect.Error<typeof recovered>, ToolSourceError.ToolSourceError>>()
      assert.strictEqual(yield* recovered, "AuthenticationError of tasks")
    }))

  it.effect("has no reason of a misspelt tag [R-000-075]", () =>
    Effect.gen(function*() {
      const misspelt = failing.pipe(
        // @ts-expect-error: the tag is AuthenticationError
        Effect.catchReason("ToolSourceError", "AuthentificationError", () => Effect.succeed("recovered"))
      )
      compiled(() => {
        // @ts-expect-error: the tag is ToolSourceError
        failing.pipe(Effect.catchReason("ToolSourcesError", "AuthenticationError", () => Effect.succeed("recovered")))
        // @ts-expect-error: a reason is an instance, not its tag
        ToolSourceError.make({ source: "tasks", reason: "AuthenticationError" })
      })
      const error: unknown = yield* Effect.flip(misspelt as Effect.Effect<string, ToolSourceError.ToolSourceError>)
      assert.isTrue(ToolSourceError.isToolSourceError(error))
    }))
})

describe("Assembly", () => {
  type Tools = {
    readonly [x: string]: Tool.Tool<
      string,
      {
        readonly parameters: Schema.Unknown
        readonly success: Schema.Codec<Schema.Json, Schema.Json, never, never>
        readonly failure: Schema.Struct<{
          readonly code: Schema.String
          readonly message: Schema.String
          readonly retryable: Schema.Boolean
        }>
        readonly failureMode: "return"
      },
      never
    >
  }
  type Printed = (
    members: ReadonlyArray<Assembly.Member>,
    decide: (source: string, definition: ToolDefinition.ToolDefinition) => Assembly.Decision,
    options?: Assembly.Options | undefined
  ) => Effect.Effect<Toolkit.WithHandler<Tools>, Assembly.NameClash, never>

  const member: Assembly.Member = { source: recording("hub"), definitions: [define("list")] }

  it("has no decision of its own: a host gives one [R-000-234]", () => {
    holds<Same<Parameters<typeof Assembly.toolkit>["length"], 2 | 3>>()
    holds<Same<undefined extends Parameters<typeof Assembly.toolkit>[1] ? true : false, false>>()
    compiled(() => {
      // @ts-expect-error: a decision is needed
      Assembly.toolkit([member])
      // @ts-expect-error: nothing is no decision
      Assembly.toolkit([member], undefined)
      // @ts-expect-error: a decision has to be made for every tool
      Assembly.toolkit([member], () => undefined)
      // @ts-expect-error: there is no other decision
      Assembly.toolkit([member], () => "ask")
    })
    assert.isAtLeast(Assembly.toolkit.length, 2)
  })

  it.effect("has a toolkit of the printed type, exactly [R-002-01]", () =>
    Effect.gen(function*() {
      holds<Same<typeof Assembly.toolkit, Printed>>()
      const printed: Printed = Assembly.toolkit
      const back: typeof Assembly.toolkit = printed
      const { tools } = yield* back([member], () => "allow")
      const tool = tools["hub__list"]!
      assert.strictEqual(tool.parametersSchema, Schema.Unknown)
      assert.strictEqual(tool.successSchema, Schema.Json)
      assert.deepStrictEqual(Object.keys(tool.failureSchema.fields), ["code", "message", "retryable"])
      assert.strictEqual(tool.failureMode, "return")
    }))

  it("has members of a source and its definitions, which it does not write to [R-002-02]", () => {
    holds<Same<Assembly.Member, Readonly<Assembly.Member>>>()
    interface Printed {
      readonly source: ToolSource.ToolSource
      readonly definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
    }
    holds<Same<{ [K in keyof Assembly.Member]: Assembly.Member[K] }, { [K in keyof Printed]: Printed[K] }>>()
    compiled(() => {
      // @ts-expect-error: read-only
      member.source = recording("other")
      // @ts-expect-error: read-only
      member.definitions.push(define("other"))
    })
    const frozen: Assembly.Member = Object.freeze({ source: Object.freeze(recording("hub")), definitions: Object.freeze([Object.freeze(define("list"))]) })
    assert.isTrue(Effect.runSyncExit(Assembly.toolkit(Object.freeze([frozen]), () => "allow"))._tag === "Success")
  })

  it("has one option, maxNameLength [R-002-03]", () => {
    interface Printed {
      readonly maxNameLength?: number
    }
    holds<Same<{ [K in keyof Assembly.Options]: Assembly.Options[K] }, { [K in keyof Printed]: Printed[K] }>>()
    compiled(() => {
      // @ts-expect-error: left out, not undefined
      const absent: Assembly.Options = { maxNameLength: undefined }
      // @ts-expect-error: a number
      const text: Assembly.Options = { maxNameLength: "16" }
      return [absent, text]
    })
    const options: Assembly.Options = { maxNameLength: 20 }
    assert.lengthOf(Assembly.toolName("source", "a tool with a long name", options), 20)
    assert.strictEqual(Assembly.toolName("source", "tool", {}), "source__tool")
  })

  it("has clashes of a name and its tools, as a schema and an interface [R-002-04]", () => {
    type Printed = Schema.Struct<{
      readonly name: Schema.String
      readonly tools: Schema.$Array<Schema.Struct<{ readonly source: Schema.String; readonly tool: Schema.String }>>
    }>
    holds<Same<typeof Assembly.Clash, Printed>>()
    const clash: Assembly.Clash = { name: "a__x", tools: [{ source: "a", tool: "x" }] }
    const typed: typeof Assembly.Clash.Type = clash
    interface Extended extends Assembly.Clash {
      readonly more: string
    }
    holds<Same<keyof Extended, "name" | "tools" | "more">>()
    assert.deepStrictEqual(Schema.decodeUnknownSync(Assembly.Clash)(typed), clash)
    assert.throws(() => Schema.decodeUnknownSync(Assembly.Clash)({ name: "a__x" }))
  })

  it("has decisions as a schema of literals and a type [R-002-05]", () => {
    holds<Same<typeof Assembly.Decision, Schema.Literals<readonly ["allow", "approve", "block"]>>>()
    holds<Same<Assembly.Decision, "allow" | "approve" | "block">>()
    holds<Same<Assembly.Decision, typeof Assembly.Decision.Type>>()
    assert.deepStrictEqual(Assembly.Decision.literals, ["allow", "approve", "block"])
  })
})
