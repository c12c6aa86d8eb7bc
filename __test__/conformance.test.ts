import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Logger } from "effect"
import * as Conformance from "../ts/conformance.ts"
import { type ToolDefinition, ToolSource, ToolSourceError } from "../ts/index.ts"
import { checks, Nonconformance, Patience } from "../ts/internal/conformance.ts"
import { byHand, fromDocument, mcpSubject, subject } from "./conformance-servers.ts"
import { sessions, stateless } from "./support/mcp-servers.ts"

/** The text in an answer of `{ text }`. */
const echoed = (answer: unknown): string => (answer as { readonly text: string }).text

describe("conformance of the four subjects [R-000-340] [R-000-341] [R-000-356]", () => {
  Conformance.run({ name: "MCP without sessions", make: (system) => mcpSubject(system, stateless), discovers: true, echoed })
  Conformance.run({ name: "MCP with sessions", make: (system) => mcpSubject(system, sessions["2025-11-25"]) })
  Conformance.run({ name: "operations by hand", make: (system) => subject(system, byHand) })
  Conformance.run({ name: "operations of an OpenAPI document", make: (system) => subject(system, fromDocument), discovers: false, echoed })
})

const definitions: ReadonlyArray<ToolDefinition.ToolDefinition> = [
  { name: "echo", description: "e", inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] }, annotations: {} },
  { name: "failing", description: "f", inputSchema: { type: "object" }, annotations: {} },
  { name: "blocking", description: "b", inputSchema: { type: "object" }, annotations: {} }
]

const reasons = {
  unauthorized: () => new ToolSourceError.AuthenticationError({}),
  unavailable: () => new ToolSourceError.UnavailableError({}),
  unreachable: () => new ToolSourceError.UnavailableError({})
}

const fail = (reason: ToolSourceError.ToolSourceErrorReason, source = "mem") => Effect.fail(ToolSourceError.make({ source, reason }))

type Call = ToolSource.ToolSource["call"]

/** A source in memory that meets every requirement, over a system in some state. */
const good = (system: Conformance.System, name = "mem"): ToolSource.ToolSource => {
  const state = system === "working" ? undefined : reasons[system]
  return ToolSource.make({
    name,
    discover: Effect.suspend(() => state === undefined ? Effect.succeed(definitions) : fail(state(), name)),
    call: (tool, input) =>
      Effect.suspend((): ReturnType<Call> => {
        if (state !== undefined) return fail(state(), name)
        switch (tool) {
          case "echo":
            return Effect.delay(Effect.succeed({ text: input["text"] ?? null }), "1 millis")
          case "failing":
            return fail(new ToolSourceError.CallFailedError({ description: "it failed" }), name)
          case "blocking":
            return Effect.never
          default:
            return fail(new ToolSourceError.NotFoundError({}), name)
        }
      })
  })
}

type Mutate = (source: ToolSource.ToolSource, system: Conformance.System) => ToolSource.ToolSource

const fixtureOf = (mutate: Mutate): Conformance.Fixture => ({ name: "mem", make: (system) => Effect.succeed(mutate(good(system), system)) })

const withCall = (change: (call: Call, system: Conformance.System) => Call): Mutate => (source, system) => ({ ...source, call: change(source.call, system) })

const withDiscover = (change: (discover: ToolSource.ToolSource["discover"], system: Conformance.System) => ToolSource.ToolSource["discover"]): Mutate =>
(source, system) => ({ ...source, discover: change(source.discover, system) })

const listing = (list: ReadonlyArray<unknown>) => withDiscover((discover) => Effect.as(discover, list as typeof definitions))

/** The titles of the requirements that a fixture does not meet, each with what was said of it. */
const unmet = Effect.fnUntraced(function*(fixture: Conformance.Fixture) {
  const results = yield* Effect.forEach(checks(fixture), ({ effect, title }) =>
    Effect.map(Effect.exit(Effect.scoped(effect)), (exit) => ({ title, exit })), { concurrency: "unbounded" }).pipe(
      // What broken sources do is logged, as it should be, and is of no interest here.
      Effect.provide(Logger.layer([]))
    )
  for (const { exit, title } of results) {
    if (Exit.isFailure(exit)) assert.instanceOf(Cause.squash(exit.cause), Nonconformance, `${title}: ${Cause.pretty(exit.cause)}`)
  }
  return results.filter(({ exit }) => Exit.isFailure(exit)).map(({ title }) => title)
})

const storable = "lists definitions that a catalog can store, under distinct names, the same each time"
const runs = "runs a tool by the name it lists and returns JSON"
const together = "answers calls that run together each with its own answer"
const failing = "fails a tool that reports its failure as CallFailedError"
const absent = "fails a tool it does not have as an error of the source and not a defect"
const again = "runs tools again after a failure"
const stops = "stops a call that is interrupted"
const unauthorized = "fails with AuthenticationError, not retryable, when its credentials are refused"
const unavailable = "fails with UnavailableError, retryable, when the system says it is down"
const unreachable = "fails with UnavailableError, retryable, when the system cannot be reached"
const discovers = "fails to list its tools the same ways, when it asks the system for them"
const silent = (system: Conformance.System) => `tells a model no credential and no address of a system that is ${system}`
const read = "is read by a model as results, and refuses an input that its parameters do not allow"
const assembled = "is assembled"

const readAs = (system: Conformance.System) => `is read by a model as a failure when the system is ${system}`

/** A reason that says the opposite of itself. */
const contrary = <Reason extends ToolSourceError.ToolSourceErrorReason>(reason: Reason): Reason =>
  Object.defineProperty(reason, "isRetryable", { value: !reason.isRetryable })

const inState = (state: Conformance.System, answer: () => ReturnType<Call>) =>
  withCall((call, system) => (name, input) => system === state ? answer() : call(name, input))

const callFailed = (description: string) => new ToolSourceError.CallFailedError({ description })

/** A source that is broken in one way, and the requirement that has to catch it. */
const mutants: ReadonlyArray<{ readonly title: string; readonly catches: string; readonly mutate: Mutate }> = [
  { title: "lists a name twice [R-000-342]", catches: storable, mutate: listing([...definitions, definitions[0]]) },
  { title: "lists a definition that is no JSON [R-000-342]", catches: storable, mutate: listing([...definitions, { ...definitions[0], name: "x", inputSchema: { type: "object", at: new Date(0) } }]) },
  {
    title: "lists its tools otherwise the second time [R-000-342]",
    catches: storable,
    mutate: (source) => {
      let count = 0
      return { ...source, discover: Effect.sync(() => definitions.map((definition) => ({ ...definition, description: String(count++) }))) }
    }
  },
  { title: "knows its tools by other names than it lists [R-000-343]", catches: runs, mutate: withCall((call) => (name, input) => call(name === "echo" ? "no_echo" : name, input)) },
  { title: "answers with what is not JSON [R-000-343]", catches: runs, mutate: withCall((call) => (name, input) => Effect.map(call(name, input), () => new Map() as never)) },
  {
    title: "gives calls that run together the last one's answer [R-000-344]",
    catches: together,
    mutate: withCall((call) => {
      let last: Parameters<Call>[1] = {}
      return (name, input) => Effect.suspend(() => {
        last = input
        return Effect.delay(Effect.suspend(() => call(name, last)), "5 millis")
      })
    })
  },
  { title: "reports a tool's failure as its own [R-000-345]", catches: failing, mutate: withCall((call) => (name, input) => name === "failing" ? fail(new ToolSourceError.UnknownError({})) : call(name, input)) },
  { title: "gives a tool's failure as an answer [R-000-345]", catches: failing, mutate: withCall((call) => (name, input) => name === "failing" ? Effect.succeed({ isError: true }) : call(name, input)) },
  { title: "dies of a tool it does not have [R-000-346]", catches: absent, mutate: withCall((call) => (name, input) => name.startsWith("there-is") ? Effect.die(new Error("no such tool")) : call(name, input)) },
  { title: "answers for a tool it does not have [R-000-346]", catches: absent, mutate: withCall((call) => (name, input) => name.startsWith("there-is") ? Effect.succeed(null) : call(name, input)) },
  { title: "names another source in its errors [R-000-347]", catches: failing, mutate: withCall((call) => (name, input) => name === "failing" ? fail(callFailed("it failed"), "other") : call(name, input)) },
  { title: "fails with an error of its own [R-000-347]", catches: failing, mutate: withCall((call) => (name, input) => name === "failing" ? Effect.fail(new Error("it failed") as never) : call(name, input)) },
  {
    title: "runs nothing after a failure [R-000-348]",
    catches: again,
    mutate: withCall((call) => {
      let failed = false
      return (name, input) => failed
        ? fail(new ToolSourceError.UnavailableError({}))
        : Effect.tapError(call(name, input), () => Effect.sync(() => void (failed = true)))
    })
  },
  {
    title: "goes on with a call that was interrupted [R-000-349]",
    catches: stops,
    mutate: withCall((call) => (name, input) => name === "blocking" ? Effect.uninterruptible(Effect.as(Effect.sleep("1500 millis"), null)) : call(name, input))
  },
  { title: "does not wait for a tool that does not answer [R-000-349]", catches: stops, mutate: withCall((call) => (name, input) => name === "blocking" ? Effect.succeed(null) : call(name, input)) },
  { title: "takes refused credentials for a failed call [R-000-350]", catches: unauthorized, mutate: withCall((call, system) => (name, input) => system === "unauthorized" ? fail(callFailed("401")) : call(name, input)) },
  { title: "takes a system that is down for a failed call [R-000-351]", catches: unavailable, mutate: withCall((call, system) => (name, input) => system === "unavailable" ? fail(callFailed("503")) : call(name, input)) },
  { title: "dies of a system that cannot be reached [R-000-351]", catches: unreachable, mutate: withCall((call, system) => (name, input) => system === "unreachable" ? Effect.die(new Error("ECONNREFUSED")) : call(name, input)) },
  { title: "lists its tools from a system that is down and not from one that refuses it [R-000-352]", catches: discovers, mutate: withDiscover((discover, system) => system === "unavailable" ? Effect.succeed(definitions) : discover) },
  { title: "lists its tools with another error [R-000-352]", catches: discovers, mutate: withDiscover((discover, system) => system === "unauthorized" ? fail(new ToolSourceError.UnknownError({})) : discover) },
  { title: "tells a model an address [R-000-353]", catches: silent("working"), mutate: withCall((call) => (name, input) => name === "failing" ? fail(callFailed("POST https://internal.example.com failed")) : call(name, input)) },
  ...(["unauthorized", "unavailable", "unreachable"] as const).flatMap((system) => [
    { title: `tells a model an address when the system is ${system} [R-000-353]`, catches: silent(system), mutate: inState(system, () => fail(callFailed("http://127.0.0.1:8080 answered 503"))) },
    { title: `gives a model an answer when the system is ${system} [R-000-354]`, catches: readAs(system), mutate: inState(system, () => Effect.succeed({ text: "x" })) }
  ]),
  { title: "says that refused credentials are worth trying again [R-000-350]", catches: unauthorized, mutate: inState("unauthorized", () => fail(contrary(reasons.unauthorized()))) },
  { title: "says that a system that is down is not worth trying again [R-000-351]", catches: unavailable, mutate: inState("unavailable", () => fail(contrary(reasons.unavailable()))) },
  { title: "says that a system out of reach is not worth trying again [R-000-351]", catches: unreachable, mutate: inState("unreachable", () => fail(contrary(reasons.unreachable()))) },
  { title: "answers a model with less than it was given [R-000-354]", catches: read, mutate: withCall((call) => (name, input) => Effect.map(call(name, input), () => ({ text: "x" }))) },
  {
    title: "takes any input for its parameters [R-000-354]",
    catches: read,
    mutate: withDiscover((discover) => Effect.map(discover, (list) => list.map((definition) => ({ ...definition, inputSchema: { ...definition.inputSchema, properties: {}, required: ["text"], if: {}, not: { required: ["text"] } } }))))
  },
  { title: "has a tool that no assembly has [R-000-355]", catches: assembled, mutate: listing(definitions.filter(({ name }) => name !== "blocking")) }
]

describe("the conformance suites", () => {
  it.live("pass a source in memory that meets every requirement", () =>
    Effect.gen(function*() {
      assert.deepEqual(yield* unmet(fixtureOf((source) => source)), [])
    }))

  it.live("find a secret that the fixture names, in any answer [R-000-353]", () =>
    Effect.gen(function*() {
      const leaks = withCall((call) => (name, input) => Effect.map(call(name, input), (answer) => ({ answer, at: "s3cret" })))
      const found = yield* unmet({ name: "mem", make: (system) => Effect.succeed({ source: leaks(good(system), system), secrets: ["s3cret"] }) })
      assert.deepEqual(found, [silent("working")])
    }))

  it.live("hold a fixture to what it says of discover [R-000-352]", () =>
    Effect.gen(function*() {
      assert.deepEqual(yield* unmet({ ...fixtureOf((source) => source), discovers: false }), [discovers])
      assert.deepEqual(yield* unmet({ ...fixtureOf((source) => ({ ...source, discover: Effect.succeed(definitions) })), discovers: true }), [discovers])
    }))

  for (const { catches, mutate, title } of mutants) {
    it.live(`catch a source that ${title} [R-000-357]`, () =>
      Effect.gen(function*() {
        assert.include(yield* Effect.provideService(unmet(fixtureOf(mutate)), Patience, "500 millis"), catches)
      }), { timeout: 30_000 })
  }
})
