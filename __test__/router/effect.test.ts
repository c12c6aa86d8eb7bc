/** Between a router and Effect, in both directions. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Assembly, Presentation, ToolSearch, ToolSource, ToolSourceError } from "../../ts/index.ts"
import * as untyped from "../../ts/router.ts"
import { createApprovals, createToolExecutor, DendraError, isPendingResult, mergeToolsets, type PlainTool, route, toToolSource } from "../../ts/router.ts"
import { fromToolkit, toEffectSource } from "../../ts/router-effect.ts"
import { deferred, logged, refused, rejection } from "./support.ts"

const input = { type: "object", properties: { title: { type: "string" } }, required: ["title"] } as const

const reasons = {
  unavailable: new ToolSourceError.UnavailableError({ description: "at 10.0.0.1" }),
  failed: new ToolSourceError.CallFailedError({ description: "no such folder" }),
  refused: new ToolSourceError.AuthenticationError({ description: "token abc" })
}

const tasks = ToolSource.make({
  name: "tasks",
  discover: Effect.succeed(
    ["list", "add", "remove", "wait", "break", ...Object.keys(reasons)].map((name) => ({
      name,
      description: `Does ${name}.`,
      inputSchema: input,
      annotations: {}
    }))
  ),
  call: (name, input) => {
    const reason = reasons[name as keyof typeof reasons]
    if (reason !== undefined) return Effect.fail(ToolSourceError.make({ source: "tasks", reason }))
    if (name === "wait") return Effect.never
    return name === "break" ? Effect.die(new Error("broken")) : Effect.succeed({ name, input })
  }
})

const assembled = Effect.gen(function*() {
  return yield* Assembly.toolkit([{ source: tasks, definitions: yield* tasks.discover }], (_, { name }) => name === "remove" ? "approve" : "allow")
})

const risky = (needsApproval: Tool.NeedsApprovalFunction<Schema.Struct<{}>>) =>
  Tool.make("risky", { parameters: Schema.Struct({}), success: Schema.String, needsApproval })

describe("fromToolkit", () => {
  it.effect("is the tools of an assembly as a source of a router, and runs them", () =>
    Effect.gen(function*() {
      const source = yield* fromToolkit(yield* assembled)
      assert.deepStrictEqual(source.names.slice(0, 3), ["tasks__list", "tasks__add", "tasks__remove"])
      assert.deepStrictEqual(source.tools[0], { name: "tasks__list", description: "Does list.", inputSchema: input })
      const anthropic = yield* fromToolkit(yield* assembled, { format: "anthropic" })
      assert.deepStrictEqual(anthropic.tools[0], { name: "tasks__list", description: "Does list.", input_schema: input })

      const own = toToolSource({ ping: route.ai().handler(() => "pong") }, {})
      const { execute, tools } = mergeToolsets(source, own)
      assert.strictEqual(tools.length, source.names.length + 1)
      const answers = yield* Effect.promise(() => Promise.all([execute("tasks__list", { title: "a" }), execute("ping", {})]))
      assert.deepStrictEqual(answers, [{ name: "list", input: { title: "a" } }, "pong"])
    }))

  it.effect("rejects with DendraErrors, and with what a model may read of a failure", () =>
    Effect.gen(function*() {
      const { execute } = yield* fromToolkit(yield* assembled)
      const args = { title: "a" }
      yield* Effect.promise(async () => {
        for (const name of ["missing", "constructor", "__proto__", "list"]) await refused(execute(name, args), "NOT_FOUND", `Tool '${name}' not found`)
        await refused(execute("tasks__list", { title: 5 }), "BAD_REQUEST", "title: expected string, got number")
        await refused(execute("tasks__failed", args), "BAD_GATEWAY", "no such folder")
        await refused(execute("tasks__unavailable", args), "BAD_GATEWAY", new ToolSourceError.UnavailableError({}).message)
        await refused(execute("tasks__refused", args), "BAD_GATEWAY", new ToolSourceError.AuthenticationError({}).message)
      })
    }))

  it.effect("does not run a tool that needs approval, and hides a defect", () =>
    Effect.gen(function*() {
      const none = yield* fromToolkit(yield* assembled)
      for (const needsApproval of [() => true, () => Effect.succeed(true), () => Effect.die(new Error("asked")), (): never => assert.fail("asked")]) {
        const kit = Toolkit.make(risky(needsApproval))
        const handlers = kit.toLayer({ risky: () => Effect.sync(() => assert.fail("it ran")) })
        const source = yield* Effect.flatMap(kit, fromToolkit).pipe(Effect.provide(handlers))
        yield* Effect.promise(() => refused(source.execute("risky", {}), "FORBIDDEN", "Tool 'risky' needs a person's approval, which cannot be asked for here"))
      }
      yield* Effect.promise(() => refused(none.execute("tasks__remove", { title: "a" }), "FORBIDDEN"))

      const kit = Toolkit.make(Tool.make("dies", { success: Schema.String }))
      const dies = yield* Effect.flatMap(kit, fromToolkit).pipe(Effect.provide(kit.toLayer({ dies: () => Effect.die(new Error("SELECT secret")) })))
      const errors = yield* Effect.promise(() => logged("error", () => refused(dies.execute("dies", {}), "INTERNAL", "Internal error")))
      assert.strictEqual((errors[0]![2] as Error).message, "SELECT secret")
    }))

  it.live("interrupts a tool whose call is given up, and runs nothing of one that was given up before", () =>
    Effect.gen(function*() {
      const [started, interrupted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const kit = Toolkit.make(Tool.make("wait", { success: Schema.String }))
      const handlers = kit.toLayer({
        wait: () =>
          Deferred.succeed(started, undefined).pipe(Effect.andThen(Effect.never), Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined)))
      })
      const { execute } = yield* Effect.flatMap(kit, fromToolkit).pipe(Effect.provide(handlers))
      const controller = new AbortController()
      const call = rejection(execute("wait", {}, { signal: controller.signal }))
      yield* Deferred.await(started)
      controller.abort("enough")
      assert.strictEqual(yield* Effect.promise(() => call), "enough")
      yield* Deferred.await(interrupted)
      assert.strictEqual(yield* Effect.promise(() => rejection(execute("wait", {}, { signal: AbortSignal.abort("before") }))), "before")
    }))

  it.effect("is a presentation too, and tools that need services", () =>
    Effect.gen(function*() {
      const searched = yield* fromToolkit(yield* ToolSearch.toolkit(yield* assembled))
      assert.deepStrictEqual(searched.names, ["tool_search", "tool_call"])
      const called = yield* Effect.promise(() => searched.execute("tool_call", { name: "tasks__add", input: { title: "a" } }))
      assert.deepStrictEqual(called, { name: "add", input: { title: "a" } })
      yield* Effect.promise(() => refused(searched.execute("tool_call", { name: "tasks__remove", input: { title: "a" } }), "FORBIDDEN"))

      class Clerk extends Context.Service<Clerk, string>()("Clerk") {}
      const kit = Toolkit.make(Tool.make("ask", { description: "Asks.", parameters: Schema.Struct({ loud: Schema.Boolean }), success: Schema.String, dependencies: [Clerk] }))
      const handlers = kit.toLayer({ ask: ({ loud }) => Effect.map(Clerk, (name) => loud ? name.toUpperCase() : name) })
      const source = yield* Effect.flatMap(kit, fromToolkit).pipe(Effect.provide(handlers), Effect.provideService(Clerk, "Ada"))
      assert.strictEqual(yield* Effect.promise(() => source.execute("ask", { loud: true })), "ADA")
      assert.deepStrictEqual((source.tools[0] as PlainTool).inputSchema["required"], ["loud"])
      yield* Effect.promise(() => refused(source.execute("ask", {}), "BAD_REQUEST"))
    }))
})

const router = {
  notes: {
    list: route.get().ai({ annotations: { title: "List", openWorldHint: false } }).handler(({ ctx }) => [{ by: ctx.user, at: new Date(0) }]),
    create: route.post().input(input).ai({ description: "Create a note", annotations: { idempotentHint: true } }).handler(({ input }) => input["title"]),
    nothing: route.ai().handler(() => undefined)
  },
  publish: route.ai({ confirm: true }).handler(() => "published"),
  fails: route.input({ type: "object" }).ai().handler(({ input }) => {
    if (input["code"] === undefined) throw new Error("SELECT secret")
    throw new DendraError(input["code"] as "FORBIDDEN", "as it was said")
  }),
  circle: route.ai().handler(() => {
    const circle: Record<string, unknown> = {}
    return circle["circle"] = circle
  })
}

const reasonOf = (call: Effect.Effect<unknown, ToolSourceError.ToolSourceError>) => Effect.map(Effect.flip(call), ({ reason, source }) => ({ source, reason }))

describe("toEffectSource", () => {
  it.effect("is a router as a source of an assembly, with its hints", () =>
    Effect.gen(function*() {
      const source = toEffectSource("app", router, { user: "Ada" })
      const definitions = yield* source.discover
      assert.deepStrictEqual(definitions.slice(0, 2), [
        { name: "notes.list", description: "notes.list", inputSchema: { type: "object", properties: {} }, annotations: { title: "List", readOnly: true, openWorld: false } },
        { name: "notes.create", description: "Create a note", inputSchema: input, annotations: { idempotent: true } }
      ])
      assert.deepStrictEqual(definitions.find(({ name }) => name === "publish")!.annotations, { destructive: true })
      const toolkit = yield* Assembly.toolkit([{ source, definitions }], (_, { annotations }) => annotations.destructive === true ? "approve" : "allow")
      assert.deepStrictEqual(Object.keys(toolkit.tools), ["app__notes_list", "app__notes_create", "app__notes_nothing", "app__publish", "app__fails", "app__circle"])
      assert.strictEqual(toolkit.tools["app__publish"]!.needsApproval, true)
      assert.deepStrictEqual(yield* Presentation.call(toolkit, "app__notes_create", { title: "Hi" }), "Hi")
      const refusal = yield* Effect.flip(Presentation.call(toolkit, "app__notes_create", {}))
      assert.deepStrictEqual({ ...refusal }, { code: "InvalidInputError", message: "title: is required", retryable: false })
    }))

  it.effect("answers with JSON, as an MCP client would read it", () =>
    Effect.gen(function*() {
      const source = toEffectSource("app", router, { user: "Ada" })
      assert.deepStrictEqual(yield* source.call("notes.list", {}), [{ by: "Ada", at: "1970-01-01T00:00:00.000Z" }])
      assert.isNull(yield* source.call("notes.nothing", {}))
      assert.strictEqual((yield* reasonOf(source.call("circle", {}))).reason._tag, "InvalidResponseError")
    }))

  it.effect("says by its reasons what went wrong", () =>
    Effect.gen(function*() {
      const source = toEffectSource("app", router, {})
      for (const name of ["missing", "notes", "constructor"]) {
        assert.deepInclude(yield* reasonOf(source.call(name, {})), { source: "app" })
        assert.strictEqual((yield* reasonOf(source.call(name, {}))).reason._tag, "NotFoundError")
      }
      const told = (code: string) => Effect.map(reasonOf(source.call("fails", { code })), ({ reason }) => `${reason._tag}: ${reason.modelMessage}`)
      assert.strictEqual(yield* told("BAD_REQUEST"), "InvalidInputError: as it was said")
      for (const code of ["UNAUTHORIZED", "FORBIDDEN", "NOT_FOUND", "CONFLICT", "BAD_GATEWAY"]) assert.strictEqual(yield* told(code), "CallFailedError: as it was said")
      const errors = yield* Effect.promise(() =>
        logged("error", async () => {
          const { reason } = await Effect.runPromise(reasonOf(source.call("fails", {})))
          assert.strictEqual(reason._tag, "UnknownError")
          assert.strictEqual(reason.modelMessage, "The source failed.")
          assert.strictEqual((reason.cause as Error).message, "SELECT secret")
        })
      )
      assert.strictEqual(errors.length, 1)
    }))

  it.effect("holds a tool with confirm back, whatever the assembly decides", () =>
    Effect.gen(function*() {
      const approvals = createApprovals(router)
      const source = toEffectSource("app", router, {}, { approvals })
      const answer = yield* source.call("publish", {})
      assert.isTrue(isPendingResult(answer))
      assert.strictEqual(yield* Effect.promise(async () => approvals.approve((await approvals.list({}))[0]!.id, {})), "published")
      const { reason } = yield* reasonOf(toEffectSource("app", router, {}).call("publish", {}))
      assert.strictEqual(reason._tag, "CallFailedError")
    }))

  it.live("gives up a call that is interrupted", () =>
    Effect.gen(function*() {
      const [started, stopped] = [deferred(), deferred()]
      const waiting = {
        watch: route.ai().stream().handler(async function*({ signal }) {
          signal.addEventListener("abort", () => stopped.resolve())
          started.resolve()
          yield 1
          await new Promise(() => undefined)
        })
      }
      const fiber = yield* Effect.forkChild(toEffectSource("app", waiting, {}).call("watch", {}))
      yield* Effect.promise(() => started.promise)
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => stopped.promise)
    }))

  it.effect("goes around: a router as a toolkit as a source of a router", () =>
    Effect.gen(function*() {
      const source = toEffectSource("app", router, { user: "Ada" })
      const around = yield* fromToolkit(yield* ToolSource.toolkit(source, yield* source.discover))
      const direct = createToolExecutor(router, { user: "Ada" })
      yield* Effect.promise(async () => {
        assert.strictEqual(await around.execute("notes.create", { title: "Hi" }), await direct("notes.create", { title: "Hi" }))
        const [one, other] = await Promise.all([refused(around.execute("notes.create", {}), "BAD_REQUEST"), refused(direct("notes.create", {}), "BAD_REQUEST")])
        assert.strictEqual(one.message, other.message)
      })
    }))
})

describe("the way to Effect and back, without its types", () => {
  it.effect("is the same tools and the same calls, of a toolkit of an assembly", () =>
    Effect.gen(function*() {
      const toolkit = yield* assembled
      const typed = yield* fromToolkit(toolkit)
      const source = untyped.fromToolkit(toolkit)
      assert.deepStrictEqual([source.names, source.tools], [typed.names, typed.tools])
      const anthropic = untyped.fromToolkit(toolkit, { format: "anthropic" })
      assert.deepStrictEqual(anthropic.tools[0], { name: "tasks__list", description: "Does list.", input_schema: input })
      const { execute } = mergeToolsets(source)
      assert.deepStrictEqual(yield* Effect.promise(() => execute("tasks__list", { title: "a" })), { name: "list", input: { title: "a" } })
      for (const [name, args, code] of [["tasks__remove", { title: "a" }, "FORBIDDEN"], ["tasks__list", {}, "BAD_REQUEST"], ["constructor", {}, "NOT_FOUND"]] as const) {
        yield* Effect.promise(() => refused(source.execute(name, args), code))
      }
    }))

  it.effect("runs the effects as it is told", () =>
    Effect.gen(function*() {
      let runs = 0
      const runPromise = (effect: Effect.Effect<unknown>) => {
        runs++
        return Effect.runPromise(effect)
      }
      const source = untyped.fromToolkit(yield* assembled, { runPromise })
      yield* Effect.promise(() => source.execute("tasks__list", { title: "a" }))
      assert.isAbove(runs, 0)
    }))

  it.effect("hides what the runner rejects with, logs it, and asks the runner again at the next call", () =>
    Effect.gen(function*() {
      const secret = new Error("connect ECONNREFUSED postgres://app:s3cret@db/app")
      const failures: Array<() => Promise<never>> = [() => Promise.reject(secret), () => {
        throw secret
      }]
      const source = untyped.fromToolkit(yield* assembled, { runPromise: (effect) => failures.shift()?.() ?? Effect.runPromise(effect) })
      const call = () => source.execute("tasks__list", { title: "a" })
      yield* Effect.promise(async () => {
        for (let left = failures.length; left > 0; left--) {
          const errors = await logged("error", async () => {
            const error = await refused(call(), "INTERNAL", "Internal error")
            assert.strictEqual(error.cause, secret)
          })
          assert.deepStrictEqual(errors, [["The tool %s failed", "\"tasks__list\"", secret]])
        }
        assert.deepStrictEqual(await call(), { name: "list", input: { title: "a" } })
      })
    }))

  it.effect("hides what a runner does that gives no source, and passes a DendraError of it on", () =>
    Effect.gen(function*() {
      const toolkit = yield* assembled
      yield* Effect.promise(async () => {
        const none = untyped.fromToolkit(toolkit, { runPromise: () => Promise.resolve(undefined) })
        const errors = await logged("error", () => refused(none.execute("tasks__list", { title: "a" }), "INTERNAL", "Internal error"))
        assert.instanceOf(errors[0]![2], TypeError)
        const said = new DendraError("UNAUTHORIZED", "Sign in first")
        const refusing = untyped.fromToolkit(toolkit, { runPromise: () => Promise.reject(said) })
        assert.strictEqual(await rejection(refusing.execute("tasks__list", { title: "a" })), said)
      })
    }))

  it.effect("hears that a call is given up while the runner is waited for, and runs nothing of it", () =>
    Effect.gen(function*() {
      const [asked, go] = [deferred(), deferred()]
      const ran: Array<string> = []
      const source = ToolSource.make({
        name: "clock",
        discover: Effect.succeed([{ name: "now", description: "The time.", inputSchema: { type: "object" }, annotations: {} }]),
        call: () => Effect.sync(() => (ran.push("now"), "noon"))
      })
      const { execute } = untyped.fromToolkit(yield* ToolSource.toolkit(source, yield* source.discover), {
        runPromise: async (effect) => {
          asked.resolve()
          await go.promise
          return Effect.runPromise(effect)
        }
      })
      yield* Effect.promise(async () => {
        const controller = new AbortController()
        const given = rejection(execute("now", {}, { signal: controller.signal }))
        const kept = execute("now", {})
        await asked.promise
        controller.abort("enough")
        assert.strictEqual(await given, "enough")
        go.resolve()
        assert.strictEqual(await kept, "noon")
        assert.deepStrictEqual(ran, ["now"])
      })
    }))

  it.effect("refuses a tool whose schema is Effect's, and says what takes it", () =>
    Effect.gen(function*() {
      const searched = yield* ToolSearch.toolkit(yield* assembled)
      assert.throws(() => untyped.fromToolkit(searched), TypeError, "toolkit-native/router-effect")
    }))

  it.effect("makes a router a source of an assembly", () =>
    Effect.gen(function*() {
      const router = { notes: { count: route.get().ai().handler(() => 3) } }
      const source = (yield* Effect.promise(() => untyped.toEffectSource("app", router, {}))) as ToolSource.ToolSource
      const toolkit = yield* Assembly.toolkit([{ source, definitions: yield* source.discover }], () => "allow")
      assert.strictEqual(yield* Presentation.call(toolkit, "app__notes_count", {}), 3)
    }))
})
