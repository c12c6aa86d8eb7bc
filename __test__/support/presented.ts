/** Toolkits of every kind to present, and conversations in which a model uses what presents them. */
import { Context, Effect, Schema } from "effect"
import { type AiError, Tool, Toolkit } from "effect/ai"
import type { ToolSource } from "../../ts/index.ts"
import { answered, askedOf, call, calling, modes, resultsOf, saying, scripted, type Turn } from "./language-model.ts"

/** A toolkit to be asked, whatever its tools are. */
export type Any = Toolkit.WithHandler<any>

/** A toolkit whose tools' types nobody looks at. */
export type Kit = ToolSource.SourceToolkit

type Handler = (input: any, context: Toolkit.HandlerContext<any>) => Effect.Effect<any, any, any>

/** Effect's own toolkit of tools, each with its handler. */
export const kit = (...tools: ReadonlyArray<readonly [tool: Tool.Any, handler: Handler]>): Effect.Effect<Kit> => {
  const toolkit: Toolkit.Toolkit<any> = Toolkit.make(...tools.map(([tool]) => tool))
  const handlers = Object.fromEntries(tools.map(([tool, handler]) => [tool.name, handler]))
  return Effect.flatMap(toolkit.toHandlers(handlers), (context) => Effect.provideContext(toolkit, context as Context.Context<any>)) as Effect.Effect<unknown> as Effect.Effect<Kit>
}

/** A call as a handler got it. */
export interface Handled {
  readonly tool: string
  readonly input: unknown
  readonly id: string | undefined
}

/** A service that a handler needs. */
export class Clerk extends Context.Service<Clerk, string>()("test/Clerk") {}

const Lost = Schema.Struct({ lost: Schema.String })

/** Effect's own toolkit of tools with schemas of their own: one of each kind. */
export const typed: Effect.Effect<{ readonly toolkit: Kit; readonly handled: ReadonlyArray<Handled> }> = Effect.gen(function*() {
  const handled: Array<Handled> = []
  const recorded = (name: string, handler: Handler): Handler => (input, context) =>
    Effect.suspend(() => {
      handled.push({ tool: name, input, id: context.toolCallId })
      return handler(input, context)
    })
  const of = (tool: Tool.Any, handler: Handler) => [tool, recorded(tool.name, handler)] as const
  const toolkit = yield* kit(
    of(
      Tool.make("greet", { description: "Greets somebody.", parameters: Schema.Struct({ name: Schema.String }), success: Schema.String }),
      ({ name }) => Effect.succeed(`Hello, ${name}.`)
    ),
    of(
      Tool.make("postpone", {
        description: "Moves a date by days.",
        parameters: Schema.Struct({ at: Schema.DateFromString, days: Schema.FiniteFromString }),
        success: Schema.Struct({ at: Schema.DateFromString })
      }),
      ({ at, days }) => Effect.succeed({ at: new Date(at.getTime() + days * 86_400_000) })
    ),
    of(Tool.make("tidy", { description: "Answers nothing." }), () => Effect.void),
    of(
      Tool.make("seek", { description: "Fails, as a result.", success: Schema.String, failure: Lost, failureMode: "return" }),
      () => Effect.fail({ lost: "the key" })
    ),
    of(Tool.make("search", { description: "Fails, as an error.", success: Schema.String, failure: Lost }), () => Effect.fail({ lost: "the key" })),
    of(
      Tool.make("count", { description: "Tells how far it is.", success: Schema.Number }),
      (_, { preliminary }) => Effect.as(Effect.andThen(preliminary(1), preliminary(2)), 3)
    ),
    of(Tool.make("ask_clerk", { description: "Needs a service.", success: Schema.String, dependencies: [Clerk] }), () =>
      Effect.map(Clerk, (clerk) => `${clerk} says so.`))
  )
  return { toolkit, handled }
})

/** Asks a model that says one turn, and gives the results of the tools that it calls. */
export const results = (toolkit: Any, said: Turn, { ask } = modes[0]!) =>
  Effect.map(Effect.provide(ask({ toolkit }), scripted(said).layer), resultsOf)

/** The one result of one call that a model makes. */
export const resultOf = (toolkit: Any, name: string, params: unknown, mode = modes[0]!) =>
  Effect.map(results(toolkit, calling(call("call-1", name, params)), mode), (results) => {
    if (results.length !== 1) throw new Error(`the call of ${name} has ${results.length} results`)
    return results[0]!
  })

/** What comes of calls that a person is asked about and approves, or denies. */
export const conversation = (toolkit: Any, said: Turn, approved: boolean, { ask } = modes[0]!) => {
  const { layer } = scripted(said, saying("Done."))
  const conversed = Effect.gen(function*() {
    const first = yield* ask({ toolkit, prompt: "Please." })
    const then = yield* ask({ toolkit, prompt: answered("Please.", first, approved) })
    return { asked: askedOf(first), before: resultsOf(first), after: resultsOf(then) }
  })
  return Effect.provide(conversed, layer) as Effect.Effect<Effect.Success<typeof conversed>, AiError.AiError>
}
