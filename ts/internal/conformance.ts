/**
 * What every kind of tool source has to do, as effects that fail with what was found instead. `ts/conformance.ts` registers
 * them as tests; here they need no test runner, so that broken sources can be put before them too.
 */
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Assembly from "../Assembly.ts"
import type { Fixture, Subject, System } from "../conformance.ts"
import * as ToolDefinition from "../ToolDefinition.ts"
import * as ToolSource from "../ToolSource.ts"
import * as ToolSourceError from "../ToolSourceError.ts"

/** A requirement that the source does not meet. */
export class Nonconformance extends Data.Error<{ readonly message: string }> {}

/** One requirement. */
export interface Check {
  readonly title: string
  readonly effect: Effect.Effect<void, unknown, Scope.Scope>
}

type Outcome = Exit.Exit<unknown, ToolSourceError.ToolSourceError>

/** How long anything but a blocking call may take before the source is taken to hang: read by the checks as they run. */
export const Patience = Context.Reference<string & Duration.Input>("toolkit-native/conformance/Patience", {
  defaultValue: () => "10 seconds"
})

const tools = ["echo", "failing", "blocking"] as const
const noSuchTool = "there-is-no-such-tool"
const broken: ReadonlyArray<System> = ["unauthorized", "unavailable", "unreachable"]
const codes: Record<Exclude<System, "working">, "AuthenticationError" | "UnavailableError"> = {
  unauthorized: "AuthenticationError",
  unavailable: "UnavailableError",
  unreachable: "UnavailableError"
}

const refuse = (message: string): Effect.Effect<never, Nonconformance> => Effect.fail(new Nonconformance({ message }))

const require = (holds: boolean, message: string): Effect.Effect<void, Nonconformance> => holds ? Effect.void : refuse(message)

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}

const describe = (exit: Outcome): string =>
  Exit.isSuccess(exit) ? `answered ${shown(exit.value)}` : `failed with ${Cause.pretty(exit.cause).split("\n")[0]}`

const within = <A, E, R>(effect: Effect.Effect<A, E, R>, what: string): Effect.Effect<A, E | Nonconformance, R> =>
  Effect.flatMap(Patience, (patience) =>
    Effect.timeoutOrElse(effect, { duration: patience, orElse: () => refuse(`${what} for ${patience}`) }))

const settle = <A>(effect: Effect.Effect<A, ToolSourceError.ToolSourceError>): Effect.Effect<Exit.Exit<A, ToolSourceError.ToolSourceError>, Nonconformance> =>
  within(Effect.exit(effect), "it did not answer")

const make = (fixture: Fixture, system: System): Effect.Effect<Subject, unknown, Scope.Scope> =>
  Effect.map(fixture.make(system), (made) => "source" in made ? made : { source: made, secrets: [] })

/** The error of an exit that is a failure of the source by its own rules. */
const errorOf = (source: ToolSource.ToolSource, exit: Outcome): Effect.Effect<ToolSourceError.ToolSourceError, Nonconformance> => {
  if (Exit.isSuccess(exit)) return refuse(`expected a failure, and it ${describe(exit)}`)
  const error = exit.cause.reasons.find(Cause.isFailReason)?.error
  if (Cause.hasDies(exit.cause) || !ToolSourceError.isToolSourceError(error)) {
    return refuse(`expected a ToolSourceError, and it ${describe(exit)}`)
  }
  return Effect.as(
    require(error.source === source.name, `the error names the source ${shown(error.source)}, which is called ${shown(source.name)}`),
    error
  )
}

const requireReason = (
  source: ToolSource.ToolSource,
  exit: Outcome,
  code: ToolSourceError.ToolSourceErrorReason["code"]
): Effect.Effect<void, Nonconformance> =>
  Effect.flatMap(errorOf(source, exit), ({ isRetryable, reason }) =>
    Effect.andThen(
      require(reason.code === code, `expected ${code}, and it ${describe(exit)}`),
      require(isRetryable === (code === "UnavailableError"), `${code} says of itself that it is ${isRetryable ? "" : "not "}retryable`)
    ))

/** A call that a source is asked for when it is run, and not before. */
const call = (source: ToolSource.ToolSource, name: string, input: Schema.JsonObject) => Effect.suspend(() => source.call(name, input))

const echo = (source: ToolSource.ToolSource, text: string) => call(source, "echo", { text })

const requireEchoed = (fixture: Fixture, text: string, answer: unknown): Effect.Effect<void, Nonconformance> => {
  const holds = fixture.echoed === undefined ? JSON.stringify(answer)?.includes(JSON.stringify(text).slice(1, -1)) : fixture.echoed(answer) === text
  return require(holds === true, `echo was given ${shown(text)} and answered ${shown(answer)}`)
}

const requireEcho = (fixture: Fixture, source: ToolSource.ToolSource, text: string): Effect.Effect<void, Nonconformance> =>
  Effect.flatMap(settle(echo(source, text)), (exit) =>
    Exit.isSuccess(exit) ? requireEchoed(fixture, text, exit.value) : refuse(`echo ${describe(exit)}`))

const discover = (source: ToolSource.ToolSource) =>
  Effect.flatMap(settle(source.discover), (exit) =>
    Exit.isSuccess(exit) ? Effect.succeed(exit.value) : refuse(`discover ${describe(exit)}`))

const Stored = Schema.toCodecJson(Schema.Array(ToolDefinition.ToolDefinition))

const lists = Effect.fnUntraced(function*({ source }: Subject) {
  const definitions = yield* discover(source)
  const names = definitions.map(({ name }) => name)
  yield* require(new Set(names).size === names.length, `two definitions share a name: ${shown(names)}`)
  for (const tool of tools) yield* require(names.includes(tool), `discover does not list ${tool}: ${shown(names)}`)
  const stored = yield* Effect.try({
    try: () => JSON.stringify(Schema.encodeSync(Stored)(definitions)),
    catch: (cause) => new Nonconformance({ message: `the definitions cannot be stored as JSON: ${String(cause)}` })
  })
  const loaded = yield* Effect.try({
    try: () => JSON.stringify(Schema.encodeSync(Stored)(Schema.decodeUnknownSync(Stored)(JSON.parse(stored)))),
    catch: (cause) => new Nonconformance({ message: `the stored definitions cannot be loaded: ${String(cause)}` })
  })
  yield* require(stored === loaded, "the definitions are others once they are stored and loaded")
  const again = JSON.stringify(Schema.encodeSync(Stored)(yield* discover(source)))
  yield* require(stored === again, "discover gives other definitions the second time")
})

const together = (fixture: Fixture) =>
  Effect.fnUntraced(function*({ source }: Subject) {
    const texts = Array.from({ length: 16 }, (_, at) => `text ${at}`)
    yield* Effect.forEach(texts, (text) => requireEcho(fixture, source, text), { concurrency: "unbounded" })
  })

const stops = (fixture: Fixture) =>
  Effect.fnUntraced(function*({ source }: Subject) {
    // At once: a call that has not begun cannot be stopped.
    const fiber = yield* Effect.forkChild(call(source, "blocking", {}), { startImmediately: true })
    yield* Effect.sleep("100 millis")
    const early = fiber.pollUnsafe()
    if (early !== undefined) return yield* refuse(`blocking ${describe(early)}, before it was interrupted`)
    yield* within(Fiber.interrupt(fiber), "a call that was interrupted went on")
    const exit = yield* Fiber.await(fiber)
    yield* require(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause), `a call that was interrupted ${describe(exit)}`)
    yield* requireEcho(fixture, source, "after an interruption")
  })

/** What a model reads of a call, through a toolkit. */
const read = (toolkit: ToolSource.SourceToolkit, name: string, params: unknown) => {
  const finish = { type: "finish", reason: "tool-calls", usage: { inputTokens: { total: 0 }, outputTokens: { total: 0 } } }
  const reply = [{ type: "tool-call", id: "call", name, params }, finish]
  return LanguageModel.generateText({ prompt: "Call it.", toolkit: toolkit as Toolkit.WithHandler<Record<string, ToolSource.SourceTool>> }).pipe(
    Effect.provideServiceEffect(
      LanguageModel.LanguageModel,
      LanguageModel.make({ generateText: () => Effect.succeed(reply as never), streamText: () => Stream.empty })
    ),
    (reply) => within(reply, `a model waited for ${name}`),
    Effect.flatMap(({ toolResults }) => toolResults[0] === undefined ? refuse(`a model read no result of ${name}`) : Effect.succeed(toolResults[0]))
  )
}

const requireFailure = (result: { readonly isFailure: boolean; readonly result: unknown }, code: string): Effect.Effect<void, Nonconformance> => {
  const failure = result.result as { readonly code?: unknown }
  return require(result.isFailure && failure.code === code, `a model had to read a failure with ${code}, and read ${shown(result.result)}`)
}

const isRead = (fixture: Fixture) =>
  Effect.fnUntraced(function*(subject: Subject) {
    const { source } = subject
    const toolkit = yield* ToolSource.toolkit(source, yield* discover(source))
    const answer = yield* read(toolkit, "echo", { text: "a model's" })
    yield* require(!answer.isFailure, `a model read a failure of echo: ${shown(answer.result)}`)
    yield* requireEchoed(fixture, "a model's", answer.result)
    yield* requireFailure(yield* read(toolkit, "failing", {}), "CallFailedError")
    yield* requireFailure(yield* read(toolkit, "echo", ["no object"]), "InvalidInputError")
    const schema = toolkit.tools["echo"] as unknown as { readonly jsonSchema: { readonly required?: ReadonlyArray<string> } }
    if (schema.jsonSchema.required?.includes("text") === true) {
      yield* requireFailure(yield* read(toolkit, "echo", {}), "InvalidInputError")
    }
  })

/** The definitions of the tools, for a toolkit over a system that does not answer. */
const definitionsOf = (fixture: Fixture) =>
  Effect.scoped(Effect.flatMap(make(fixture, "working"), ({ source }) => discover(source)))

/** An address or a credential that no source of this package shows, whatever the system. */
const address = /\bhttps?:\/\/|\b127\.0\.0\.1\b|\blocalhost\b|\bbearer\s+\S/i

const isSilent = (fixture: Fixture, system: System) =>
  Effect.fnUntraced(function*({ secrets, source }: Subject) {
    const toolkit = yield* ToolSource.toolkit(source, yield* definitionsOf(fixture))
    const calls = system === "working" ? [["echo", { text: "x" }], ["failing", {}]] as const : [["echo", { text: "x" }]] as const
    for (const [name, input] of calls) {
      const { isFailure, result } = yield* read(toolkit, name, input)
      const text = JSON.stringify(result)
      // An answer may speak of addresses; a failure has no reason to.
      const leaked = [...secrets.filter((secret) => text.includes(secret)), ...isFailure ? address.exec(text) ?? [] : []]
      yield* require(leaked.length === 0, `a model reads ${shown(leaked[0])} of the system in: ${shown(text)}`)
    }
  })

const isAssembled = (fixture: Fixture) =>
  Effect.fnUntraced(function*({ source }: Subject) {
    const toolkit = yield* Assembly.toolkit([{ source, definitions: yield* discover(source) }], () => "allow").pipe(
      Effect.catchTag("NameClash", ({ message }) => refuse(message))
    )
    for (const tool of tools) {
      const name = Assembly.toolName(source.name, tool)
      yield* require(Object.hasOwn(toolkit.tools, name), `the assembly has no tool ${name}`)
    }
    const answer = yield* read(toolkit, Assembly.toolName(source.name, "echo"), { text: "assembled" })
    yield* require(!answer.isFailure, `a model read a failure of an assembled echo: ${shown(answer.result)}`)
    yield* requireEchoed(fixture, "assembled", answer.result)
  })

/** Whether discover asks the system is the source's affair, but it does so for every system or for none. */
const discovers = Effect.fnUntraced(function*(fixture: Fixture) {
  let asks = fixture.discovers
  for (const system of broken) {
    yield* Effect.scoped(Effect.gen(function*() {
      const { source } = yield* make(fixture, system)
      const exit = yield* settle(source.discover)
      asks ??= Exit.isFailure(exit)
      if (asks) yield* requireReason(source, exit, codes[system as keyof typeof codes])
      else yield* require(Exit.isSuccess(exit), `discover asks no system and ${describe(exit)} when the system is ${system}`)
    }))
  }
})

/** The requirements on a fixture's source. */
export const checks = (fixture: Fixture): ReadonlyArray<Check> => {
  const over = (system: System, title: string, body: (subject: Subject) => Effect.Effect<void, unknown, Scope.Scope>): Check => ({
    title,
    effect: Effect.flatMap(make(fixture, system), body).pipe(
      Effect.catchCause((cause) => Cause.hasDies(cause) ? refuse(`it died: ${Cause.pretty(cause).split("\n")[0]}`) : Effect.failCause(cause))
    )
  })
  const fails = (system: keyof typeof codes, title: string) =>
    over(system, title, ({ source }) => Effect.flatMap(settle(echo(source, "x")), (exit) => requireReason(source, exit, codes[system])))

  return [
    over("working", "lists definitions that a catalog can store, under distinct names, the same each time", lists),
    over("working", "runs a tool by the name it lists and returns JSON", ({ source }) =>
      Effect.forEach(["plain", "quotes \" and \\ and ü and 日本 and 😀", "a/b?c=d&e#f%2e"], (text) => requireEcho(fixture, source, text), { discard: true })),
    over("working", "answers calls that run together each with its own answer", together(fixture)),
    over("working", "fails a tool that reports its failure as CallFailedError", ({ source }) =>
      Effect.flatMap(settle(call(source, "failing", {})), (exit) => requireReason(source, exit, "CallFailedError"))),
    over("working", "fails a tool it does not have as an error of the source and not a defect", ({ source }) =>
      Effect.flatMap(settle(call(source, noSuchTool, {})), (exit) => errorOf(source, exit))),
    over("working", "runs tools again after a failure", ({ source }) =>
      Effect.andThen(settle(call(source, "failing", {})), Effect.andThen(settle(call(source, noSuchTool, {})), requireEcho(fixture, source, "again")))),
    over("working", "stops a call that is interrupted", stops(fixture)),
    fails("unauthorized", "fails with AuthenticationError, not retryable, when its credentials are refused"),
    fails("unavailable", "fails with UnavailableError, retryable, when the system says it is down"),
    fails("unreachable", "fails with UnavailableError, retryable, when the system cannot be reached"),
    { title: "fails to list its tools the same ways, when it asks the system for them", effect: discovers(fixture) },
    ...(["working", ...broken] as const).map((system) =>
      over(system, `tells a model no credential and no address of a system that is ${system}`, isSilent(fixture, system))),
    over("working", "is read by a model as results, and refuses an input that its parameters do not allow", isRead(fixture)),
    ...broken.map((system) =>
      over(system, `is read by a model as a failure when the system is ${system}`, ({ source }) =>
        Effect.gen(function*() {
          const toolkit = yield* ToolSource.toolkit(source, yield* definitionsOf(fixture))
          yield* requireFailure(yield* read(toolkit, "echo", { text: "x" }), codes[system as keyof typeof codes])
        }))),
    over("working", "is assembled", isAssembled(fixture))
  ]
}
