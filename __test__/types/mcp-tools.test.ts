/** What the types of McpTools promise, checked where this file is compiled; each test also asserts what can be seen when it runs. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Data, Effect, Exit, Layer, Schema, type Scope } from "effect"
import { type McpProtocol, McpSchema, McpServer, Tool, Toolkit } from "effect/ai"
import type { HttpRouter } from "effect/http"
import { Assembly, CodeMode, ToolSearch, type ToolSource } from "../../ts/index.ts"
import * as McpTools from "../../ts/McpTools.ts"
import { inProcess } from "../support/code-runtime.ts"
import { define, recording } from "../support/language-model.ts"
import { Clerk } from "../support/presented.ts"

/** Whether two types are the same, in both directions and in every modifier. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false

/** Compiles where `T` is true, and has nothing to do when it runs. */
const holds = <_T extends true>(): void => {}

class Unreadable extends Data.TaggedError("Unreadable")<{}> {}
class Catalog extends Context.Service<Catalog, { readonly source: ToolSource.ToolSource }>()("test/Catalog") {}

const Greet = Tool.make("greet", { parameters: Schema.Struct({ name: Schema.String }), success: Schema.String })
const AskClerk = Tool.make("ask_clerk", { success: Schema.String, dependencies: [Clerk] })
const WhoAsks = Tool.make("who_asks", { success: Schema.String, dependencies: [McpSchema.McpRequestContext] })

const stored = Effect.gen(function*() {
  const { source } = yield* Catalog
  return yield* Assembly.toolkit([{ source, definitions: [define("list")] }], () => "allow")
})

const registered = <E>(register: Effect.Effect<void, E, McpServer.McpServer>) =>
  Effect.gen(function*() {
    yield* register
    const server = yield* McpServer.McpServer
    return server.tools.map(({ tool }) => tool.name)
  }).pipe(Effect.provide(McpServer.McpServer.layer))

describe("the types of McpTools", () => {
  it.effect("fail as resolving the toolkit fails, and in no other way [R-004-12]", () =>
    Effect.gen(function*() {
      const source = recording("hub")
      const fixed = yield* Assembly.toolkit([{ source, definitions: [define("list")] }], () => "allow")

      const plain = McpTools.register({ toolkit: fixed })
      holds<Same<typeof plain, Effect.Effect<void, never, McpServer.McpServer>>>()
      const plainLayer = McpTools.layer({ toolkit: fixed })
      holds<Same<typeof plainLayer, Layer.Layer<never, never, never>>>()
      assert.deepStrictEqual(yield* registered(plain), ["hub__list"])

      const resolved = McpTools.register({ toolkit: stored })
      holds<Same<typeof resolved, Effect.Effect<void, Assembly.NameClash, McpServer.McpServer | Catalog>>>()
      const resolvedLayer = McpTools.layer({ toolkit: stored })
      holds<Same<typeof resolvedLayer, Layer.Layer<never, Assembly.NameClash, Catalog>>>()
      assert.deepStrictEqual(yield* registered(Effect.provideService(resolved, Catalog, { source })), ["hub__list"])

      const failing = McpTools.layer({ toolkit: Effect.andThen(new Unreadable(), stored) })
      holds<Same<typeof failing, Layer.Layer<never, Unreadable | Assembly.NameClash, Catalog>>>()
      const exit = yield* Effect.exit(Effect.scoped(Layer.build(failing)).pipe(Effect.provideService(Catalog, { source })))
      assert.isTrue(Exit.isFailure(exit) && Cause.squash(exit.cause) instanceof Unreadable)
    }))

  it.effect("ask for what handlers need where the tools are registered, but for the request of a call", () =>
    Effect.gen(function*() {
      const kinds = Toolkit.make(Greet, AskClerk, WhoAsks)
      const handlers = kinds.toLayer({
        greet: ({ name }) => Effect.succeed(`Hello, ${name}.`),
        ask_clerk: () => Clerk,
        who_asks: () => Effect.map(McpSchema.McpRequestContext, ({ clientInfo }) => clientInfo?.name ?? "nobody")
      })
      // A toolkit without handlers is an effect that gives one with them.
      const layer = McpTools.layer({ toolkit: kinds, tools: ["greet", AskClerk] })
      holds<Same<Layer.Error<typeof layer>, never>>()
      holds<Same<Layer.Services<typeof layer>, Tool.HandlersFor<typeof kinds.tools> | Clerk>>()
      const server = McpServer.layerHttp({
        name: "served",
        version: "1",
        path: "/mcp",
        protocols: [] as never as readonly [typeof McpProtocol.v2026_07_28],
        registrations: layer.pipe(Layer.provide(handlers), Layer.provide(Layer.succeed(Clerk, "The clerk")))
      })
      holds<Same<Layer.Services<typeof server>, HttpRouter.HttpRouter>>()
      const register = McpTools.register({ toolkit: kinds }).pipe(Effect.provide(handlers), Effect.provideService(Clerk, "The clerk"))
      assert.deepStrictEqual(yield* registered(register), ["greet", "ask_clerk", "who_asks"])
      holds<Same<Extract<McpTools.Services<typeof kinds.tools, Scope.Scope>, McpSchema.McpRequestContext>, never>>()
    }))

  it.effect("ask for all that the effect that gives the toolkit needs: there is no request where the tools are registered", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const perRequest = Effect.gen(function*() {
        const { protocolVersion } = yield* McpSchema.McpRequestContext
        asked.push(protocolVersion)
        return yield* Assembly.toolkit([{ source: recording("hub"), definitions: [define("list")] }], () => "allow")
      })
      const register = McpTools.register({ toolkit: perRequest })
      holds<Same<Effect.Services<typeof register>, McpServer.McpServer | McpSchema.McpRequestContext>>()
      const layer = McpTools.layer({ toolkit: perRequest })
      holds<Same<Layer.Services<typeof layer>, McpSchema.McpRequestContext>>()
      // A handler's need of it is no need of the effect's.
      const handled = McpTools.register({ toolkit: Effect.as(perRequest, {} as Toolkit.WithHandler<{ readonly who_asks: typeof WhoAsks }>) })
      holds<Same<Effect.Services<typeof handled>, McpServer.McpServer | McpSchema.McpRequestContext>>()

      const without = Effect.exit(registered(register as Effect.Effect<void, Assembly.NameClash, McpServer.McpServer>))
      assert.isTrue(Exit.hasDies(yield* without))
      const atRegistration = { clientId: 0, protocolVersion: "none", clientCapabilities: {} }
      assert.deepStrictEqual(yield* registered(Effect.provideService(register, McpSchema.McpRequestContext, atRegistration)), ["hub__list"])
      assert.deepStrictEqual(asked, ["none"])
    }))

  it.effect("take every presentation as it is", () =>
    Effect.gen(function*() {
      const fixed = yield* Assembly.toolkit([{ source: recording("hub"), definitions: [define("list")] }], () => "allow")
      const searched = McpTools.register({ toolkit: ToolSearch.toolkit(fixed) })
      const coded = McpTools.register({ toolkit: yield* CodeMode.toolkit(fixed, inProcess), approvals: "ask" })
      holds<Same<typeof searched, Effect.Effect<void, never, McpServer.McpServer>>>()
      holds<Same<typeof coded, Effect.Effect<void, never, McpServer.McpServer>>>()
      assert.deepStrictEqual(yield* registered(Effect.andThen(searched, coded)), ["tool_search", "tool_call", "execute"])
      // @ts-expect-error there are three ways, and this is none of them
      assert.isDefined(McpTools.register({ toolkit: fixed, approvals: "allow" }))
    }))
})
