import { once } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import { vi } from "vitest"
import { type AfterEvent, type Approvals, createToolExecutor, DendraError, isPendingResult, createApprovals, route, toToolset } from "../../ts/router.ts"
import { deferred, logged, refused, rejection } from "./support.ts"

interface Ctx {
  readonly user?: string
}

const title = { type: "object", properties: { title: { type: "string" } }, required: ["title"] }

/** A route that writes down what happens, in order. */
const recorded = (did: Array<unknown>) =>
  route
    .use(({ ctx, input, path }: { ctx: Ctx; input: unknown; path: string }) => {
      did.push(["guard", ctx, input, path])
      if (ctx.user === "nobody") throw new DendraError("FORBIDDEN", "Not you")
      return { ...ctx, isKnown: true }
    })
    .use(({ ctx }) => void did.push(["second guard", ctx]))

describe("createToolExecutor", () => {
  it("checks the input, then asks the guards with the context, then runs the handler [R-001-10]", async () => {
    const did: Array<unknown> = []
    const router = {
      notes: { create: recorded(did).input(title).ai().handler((event) => void did.push(["handler", event])) }
    }
    await createToolExecutor(router, { user: "Ada" })("notes.create", { title: "Hi" })
    assert.deepStrictEqual(did.splice(0), [
      ["guard", { user: "Ada" }, { title: "Hi" }, "notes.create"],
      ["second guard", { user: "Ada", isKnown: true }],
      ["handler", { ctx: { user: "Ada", isKnown: true }, input: { title: "Hi" } }]
    ])

    await refused(createToolExecutor(router, { user: "Ada" })("notes.create", { title: 1 }), "BAD_REQUEST")
    assert.deepStrictEqual(did, [])
    await refused(createToolExecutor(router, { user: "nobody" })("notes.create", { title: "Hi" }), "FORBIDDEN", "Not you")
    assert.deepStrictEqual(did.map((step) => (step as ReadonlyArray<unknown>)[0]), ["guard"])
  })

  it("has guards that may be promises, and a context that may be anything", async () => {
    const router = {
      who: route
        .use(async ({ ctx }) => `${ctx}!`)
        .use(async () => undefined)
        .use(({ ctx }) => ctx === "a!" ? undefined : 0)
        .ai().handler(({ ctx }) => ctx),
      never: route.use(() => Promise.reject(new DendraError("UNAUTHORIZED"))).ai().handler(() => assert.fail("it ran"))
    }
    assert.strictEqual(await createToolExecutor(router, "a")("who", {}), "a!")
    assert.strictEqual(await createToolExecutor(router, "b")("who", {}), 0)
    assert.strictEqual((await refused(createToolExecutor(router, "a")("never", {}), "UNAUTHORIZED", "Unauthorized")).status, 401)
  })

  it("runs nothing behind a guard that returned whether, or nobody, instead of throwing", async () => {
    for (const returned of [true, false, null]) {
      const execute = createToolExecutor({ act: route.use(async () => returned).ai().handler(() => assert.fail("it ran")) }, { user: "Ada" })
      const [[, , error]] = (await logged("error", () => refused(execute("act", {}), "INTERNAL", "Internal error"))) as [[unknown, unknown, Error]]
      assert.strictEqual(error.message, `A guard of act returned ${returned}: it returns the context or nothing, and throws to refuse a call`)
    }
  })

  it("tells the after-hooks of a tool call, with its result or its error as it was thrown [R-001-11]", async () => {
    const seen: Array<AfterEvent<unknown>> = []
    const thrown = new Error("of the handler")
    const hooked = route.after((event) => void seen.push(event)).input({ type: "object" })
    const router = {
      works: hooked.ai().handler(({ input }) => ({ got: input })),
      fails: hooked.ai().handler(() => Promise.reject(thrown)),
      streams: hooked.ai().stream().handler(async function*() {
        yield "a"
      })
    }
    const execute = createToolExecutor(router, { user: "Ada" })
    const failed = await logged("error", async () => {
      await execute("works", { a: 1 })
      await rejection(execute("fails", {}))
      await execute("streams", {})
    })
    assert.strictEqual(failed.length, 1)
    const about = { ctx: { user: "Ada" }, transport: "tool" }
    assert.deepStrictEqual(seen, [
      { ...about, transport: "tool", path: "works", input: { a: 1 }, result: { got: { a: 1 } } },
      { ...about, transport: "tool", path: "fails", input: {}, error: thrown },
      { ...about, transport: "tool", path: "streams", input: {}, result: "a" }
    ])
  })

  it("tells a hook of the calls that the guards before it let through, with the context that they made", async () => {
    const seen: Array<unknown> = []
    const hook = (name: string) => ({ ctx, error }: AfterEvent<unknown>) => void seen.push([name, ctx, (error as Error | undefined)?.message])
    const guarded = route
      .after(hook("first"))
      .use(({ ctx }) => ({ ...ctx, isKnown: true }))
      .after(hook("second"))
      .use(({ ctx }) => {
        if (ctx.user !== "Ada") throw new DendraError("FORBIDDEN")
      })
      .after(hook("third"))
    const router = { act: guarded.input(title).ai().handler(() => 1) }
    await refused(createToolExecutor(router, { user: "Bob" })("act", { title: "" }), "FORBIDDEN")
    assert.deepStrictEqual(seen.splice(0), [["first", { user: "Bob" }, "Forbidden"], ["second", { user: "Bob", isKnown: true }, "Forbidden"]])
    await createToolExecutor(router, { user: "Ada" })("act", { title: "" })
    assert.deepStrictEqual(seen.splice(0).map((event) => (event as ReadonlyArray<unknown>)[0]), ["first", "second", "third"])
    await refused(createToolExecutor(router, { user: "Ada" })("act", {}), "BAD_REQUEST")
    assert.deepStrictEqual(seen, [])
  })

  it("logs what a hook throws, and answers all the same", async () => {
    const after: Array<string> = []
    const router = {
      act: route.after(() => Promise.reject(new Error("of the hook"))).after(() => void after.push("second")).ai().handler(() => "done")
    }
    const errors = await logged("error", async () => assert.strictEqual(await createToolExecutor(router, {})("act", {}), "done"))
    assert.deepStrictEqual(errors.map(([message, path, error]) => [message, path, (error as Error).message]), [["An after-hook of the procedure %s failed", "\"act\"", "of the hook"]])
    assert.deepStrictEqual(after, ["second"])
  })

  it("says what is wrong with an input, and where, and shows no value of it [R-001-23]", async () => {
    const did: Array<string> = []
    const router = { create: route.use(() => void did.push("guard")).input({ ...title, additionalProperties: false }).ai().handler(() => void did.push("handler")) }
    const execute = createToolExecutor(router, {})
    const wrong: ReadonlyArray<readonly [unknown, RegExp]> = [
      [{}, /^title: is required$/],
      [{ title: 5 }, /^title: expected string, got number$/],
      [{ title: "a", secret: "hunter2" }, /unexpected property "secret"/],
      [undefined, /^The input has to be an object, not nothing\.$/],
      [null, /^The input has to be an object, not null\.$/],
      [[], /^The input has to be an object, not a list\.$/],
      ["{\"title\":\"a\"}", /^The input has to be an object, not a string/],
      [{ title: 1n }, /cannot be written as JSON/]
    ]
    for (const [args, message] of wrong) {
      const error = await refused(execute("create", args), "BAD_REQUEST")
      assert.match(error.message, message)
      assert.notInclude(error.message, "hunter2")
      assert.strictEqual(error.status, 400)
    }
    assert.deepStrictEqual(did, [])
  })

  it("hands on what was checked, whatever the caller does to its arguments meanwhile", async () => {
    const guard = deferred()
    const router = {
      create: route.use(() => guard.promise).input(title).ai().handler(({ input }) => input)
    }
    const args: Record<string, unknown> = { title: "checked", toJSON: undefined }
    const created = createToolExecutor(router, {})("create", args)
    args["title"] = { $ne: 1 }
    guard.resolve()
    assert.deepStrictEqual(await created, { title: "checked" })

    // What says another thing of itself each time it is read, and what has a prototype of its own.
    let reads = 0
    const shifty = Object.create({ title: "inherited" }, { title: { enumerable: true, get: () => reads++ === 0 ? "first" : 2 } })
    assert.deepStrictEqual(await createToolExecutor(router, {})("create", shifty), { title: "first" })
    await refused(createToolExecutor(router, {})("create", Object.create({ title: "inherited" })), "BAD_REQUEST")
    const own = await createToolExecutor(router, {})("create", JSON.parse("{\"title\":\"a\",\"__proto__\":{\"isAdmin\":true}}"))
    assert.deepStrictEqual([Object.keys(own as object), (own as { readonly isAdmin?: unknown }).isAdmin], [["title", "__proto__"], undefined])
  })

  it("refuses an input that is nested too deep, in a moment", async () => {
    const router = { any: route.input({ type: "object" }).ai().handler(() => assert.fail("it ran")), none: route.ai().handler(({ input }) => input) }
    let deep: unknown = {}
    for (let level = 0; level < 100_000; level++) deep = { deep }
    await refused(createToolExecutor(router, {})("any", deep), "BAD_REQUEST")
    let lists: unknown = []
    for (let level = 0; level < 600; level++) lists = [lists]
    await refused(createToolExecutor(router, {})("any", { lists }), "BAD_REQUEST")
    assert.strictEqual(await createToolExecutor(router, {})("none", { a: 1 }), undefined)
    assert.strictEqual(await createToolExecutor(router, {})("none", undefined), undefined)
    assert.strictEqual(await createToolExecutor(router, {})("none", ""), undefined)
  })

  it("does not find what is no tool: an unknown name, a procedure without .ai(), a router [R-001-22]", async () => {
    const router = { notes: { list: route.handler(() => []), count: route.ai().handler(() => 1) } }
    const execute = createToolExecutor(router, {})
    for (const name of ["notes", "notes.list", "notes.count.x", "count", "", "constructor", "notes.__proto__"]) {
      await refused(execute(name, {}), "NOT_FOUND", `Tool '${name}' not found`)
    }
    assert.strictEqual(await execute("notes.count", {}), 1)
  })

  it("rejects with DendraErrors alone, and hides and logs any other error [R-001-21]", async () => {
    const thrown = [new Error("SELECT secret FROM users"), "a text", undefined, null, { code: "BAD_REQUEST", message: "no DendraError" }]
    const custom = class extends DendraError {}
    const conflict = new custom("CONFLICT", "Taken", { by: "Bob" })
    const router = {
      fails: route.input({ type: "object" }).ai().handler(({ input }) => Promise.reject(thrown[input["at"] as number])),
      guarded: route.use(() => {
        throw new Error("of the guard")
      }).ai().handler(() => 1),
      broken: route.ai().stream().handler(async function*() {
        yield 1
        throw new Error("of the stream")
      }),
      public: route.ai().handler(() => Promise.reject(conflict))
    }
    const execute = createToolExecutor(router, {})
    const calls = [...thrown.map((_, at) => ["fails", { at }] as const), ["guarded", {}] as const, ["broken", {}] as const]
    for (const [name, args] of calls) {
      const errors = await logged("error", async () => {
        const error = await refused(execute(name, args), "INTERNAL", "Internal error")
        assert.strictEqual(error.status, 500)
        assert.notInclude(JSON.stringify(error), "secret")
        if (name === "fails") assert.strictEqual(error.cause, thrown[args.at])
      })
      assert.strictEqual(errors.length, 1)
      assert.deepStrictEqual(errors[0]!.slice(0, 2), ["The tool %s failed", JSON.stringify(name)])
    }
    assert.deepStrictEqual(await logged("error", async () => assert.strictEqual(await rejection(execute("public", {})), conflict)), [])
    assert.deepStrictEqual([conflict.details, conflict.status, String(conflict)], [{ by: "Bob" }, 409, "DendraError: Taken"])
  })

  it("has a status and a message for each code", () => {
    const all = (["BAD_REQUEST", "UNAUTHORIZED", "FORBIDDEN", "NOT_FOUND", "CONFLICT", "INTERNAL", "BAD_GATEWAY"] as const).map((code) => new DendraError(code))
    assert.deepStrictEqual(all.map(({ status }) => status), [400, 401, 403, 404, 409, 500, 502])
    assert.strictEqual(all[5]!.message, "Internal error")
    assert.isTrue(all.every((error) => error instanceof Error && error.message !== "" && error.details === undefined))
  })

  it("holds a tool with confirm back, and does not run it without approvals [R-001-24]", async () => {
    let runs = 0
    const router = { publish: route.input(title).ai({ confirm: true }).handler(() => void runs++) }
    assert.isTrue(isPendingResult(await createToolExecutor(router, {}, { approvals: createApprovals(router) })("publish", { title: "a" })))
    await refused(createToolExecutor(router, {})("publish", { title: "a" }), "FORBIDDEN", "Tool 'publish' needs a person's approval, which cannot be asked for here")
    assert.strictEqual(runs, 0)
  })

  it("takes no approvals but those of createApprovals, for a router with the tools that it holds back [R-001-25]", async () => {
    const router = { publish: route.ai({ confirm: true }).handler(() => 1), ping: route.ai().handler(() => 2) }
    const real = createApprovals(router)
    for (const approvals of [{}, { ...real }, Object.create(real), { list: real.list, approve: real.approve, reject: real.reject }, null]) {
      try {
        createToolExecutor(router, {}, { approvals: approvals as Approvals<object> })
        assert.fail("it was taken")
      } catch (error) {
        assert.strictEqual((error as Error).message, "The approvals were not made by createApprovals()")
        assert.strictEqual(Object.getPrototypeOf(error), Error.prototype)
      }
    }
    const more = createToolExecutor({ ...router, gh: { delete: router.publish } }, {}, { approvals: real })
    await refused(more("gh.delete", {}), "FORBIDDEN", "Nobody could approve a call of 'gh.delete': the router that createApprovals() was given has no such tool")
    assert.strictEqual(await more("ping", {}), 2)
    assert.strictEqual(await createToolExecutor({ ping: router.ping }, {}, { approvals: real })("ping", {}), 2)
  })
})

const numbers = function*() {
  for (let at = 0;; at++) yield at
}

const streaming = (chunks: Iterable<unknown>, options = {}) => ({
  watch: route.ai(options).stream().handler(async function*() {
    yield* chunks
  })
})

const collected = (chunks: Iterable<unknown>, options = {}) => createToolExecutor(streaming(chunks, options), {})("watch", {})

describe("a stream as a tool", () => {
  it("answers one text where all chunks are texts, else a list [R-001-12]", async () => {
    assert.strictEqual(await collected(["a", "", "b"]), "ab")
    assert.deepStrictEqual(await collected(["a", 1, null]), ["a", 1, null])
    assert.deepStrictEqual(await collected([{ at: 1 }]), [{ at: 1 }])
  })

  it("answers the empty text where there are no chunks [R-001-26]", async () => {
    assert.strictEqual(await collected([]), "")
  })

  it("stops after a thousand chunks, or after maxItems [R-001-13] [R-001-15]", async () => {
    assert.deepStrictEqual(await collected(numbers()), Array.from({ length: 1000 }, (_, at) => at))
    assert.deepStrictEqual(await collected(numbers(), { maxItems: 3 }), [0, 1, 2])
    assert.deepStrictEqual(await collected([0, 1], { maxItems: 2 }), [0, 1])
  })

  it("stops after thirty seconds, or after timeoutMs, with what has come [R-001-14] [R-001-15]", async () => {
    vi.useFakeTimers()
    try {
      for (const [options, wait] of [[{}, 30_000], [{ timeoutMs: 50 }, 50]] as const) {
        const waiting = deferred()
        const router = {
          watch: route.ai(options).stream().handler(async function*() {
            yield "so far"
            await waiting.promise
          })
        }
        let answer: unknown
        const answered = createToolExecutor(router, {})("watch", {}).then((value) => answer = value)
        await vi.advanceTimersByTimeAsync(wait - 1)
        assert.isUndefined(answer)
        await vi.advanceTimersByTimeAsync(2)
        await answered
        assert.strictEqual(answer, "so far")
        assert.strictEqual(vi.getTimerCount(), 0)
      }
      assert.strictEqual(await collected(["all"]), "all")
      assert.strictEqual(vi.getTimerCount(), 0)
    } finally {
      vi.useRealTimers()
    }
  })

  it("stops in time although its chunks come without a pause", async () => {
    const answer = await collected(numbers(), { maxItems: Number.MAX_SAFE_INTEGER, timeoutMs: 20 })
    assert.isAbove((answer as ReadonlyArray<number>).length, 0)
  })

  it("aborts the handler's signal and ends the iterator when collection stops [R-001-16]", async () => {
    const did: Array<string> = []
    const router = {
      enough: route.ai({ maxItems: 1 }).stream().handler(async function*({ signal }) {
        signal.addEventListener("abort", () => did.push("aborted"))
        try {
          yield 1
          yield 2
        } finally {
          did.push("ended")
        }
      }),
      late: route.ai({ timeoutMs: 5 }).stream().handler(async function*({ signal }) {
        try {
          yield 1
          await once(signal, "abort")
          did.push("heard")
        } finally {
          did.push("ended")
        }
      }),
      deaf: route.ai({ timeoutMs: 5 }).stream().handler(({ signal }) => ({
        [Symbol.asyncIterator]: () => ({
          next: () => new Promise<never>(() => undefined),
          return: () => {
            did.push(`returned ${signal.aborted}`)
            return new Promise<never>(() => undefined)
          }
        })
      })),
      late2: route.ai({ timeoutMs: 5 }).stream().handler(() => late.promise)
    }
    const late = deferred<AsyncIterable<number>>()
    const execute = createToolExecutor(router, {})
    assert.deepStrictEqual(await execute("enough", {}), [1])
    assert.deepStrictEqual(did.splice(0), ["aborted", "ended"])
    assert.deepStrictEqual(await execute("late", {}), [1])
    assert.deepStrictEqual(did.splice(0), ["heard", "ended"])
    assert.deepStrictEqual(await execute("deaf", {}), "")
    assert.deepStrictEqual(did.splice(0), ["returned true"])
    assert.deepStrictEqual(await execute("late2", {}), "")
    const returned = deferred()
    late.resolve({
      [Symbol.asyncIterator]: () => ({
        next: () => assert.fail("it was asked for more"),
        return: () => {
          returned.resolve()
          return Promise.resolve({ done: true, value: undefined })
        }
      })
    })
    await returned.promise
  })

  it("aborts the handler's signal when the stream fails", async () => {
    let kept: AbortSignal | undefined
    const failure = new DendraError("CONFLICT")
    const router = {
      watch: route.ai().stream().handler(({ signal }) => {
        kept = signal
        return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(failure) }) }
      })
    }
    assert.strictEqual(await rejection(createToolExecutor(router, {})("watch", {})), failure)
    assert.strictEqual(kept!.reason, failure)
  })

  it("leaves the signal of a handler that is done alone", async () => {
    let kept: AbortSignal | undefined
    const router = {
      watch: route.ai().stream().handler(async function*({ signal }) {
        kept = signal
        yield 1
      })
    }
    assert.deepStrictEqual(await createToolExecutor(router, {})("watch", {}), [1])
    assert.isFalse(kept!.aborted)
  })

  it("says when .stream() is missing, or there is no stream", async () => {
    const router = {
      missing: route.ai().handler(async function*() {
        yield 1
      }),
      none: route.ai().stream().handler((() => [1]) as never)
    }
    for (const [name, message] of [["missing", /put \.stream\(\) before \.handler\(\)/], ["none", /has to give an AsyncIterable/]] as const) {
      const errors = await logged("error", () => refused(createToolExecutor(router, {})(name, {}), "INTERNAL"))
      assert.match((errors[0]![2] as Error).message, message)
    }
    assert.throws(() => route.handler(undefined as never), /\.handler\(\) takes a function, not undefined/)
  })

  it("has limits that can be meant", () => {
    for (const maxItems of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "5"]) {
      assert.throws(() => route.ai({ maxItems: maxItems as number }), /maxItems of \.ai\(\) has to be a whole number of at least 1, not/)
    }
    for (const timeoutMs of [0, -1, Number.NaN, Number.NEGATIVE_INFINITY]) {
      assert.throws(() => route.ai({ timeoutMs }), /timeoutMs of \.ai\(\) has to be above 0, not/)
    }
  })
})

describe("a call that is given up", () => {
  it("rejects with the reason of its signal, whatever that is [R-001-17]", async () => {
    const router = { wait: route.ai().handler(() => new Promise(() => undefined)) }
    for (const reason of [new Error("of the caller"), "a text", 0, null, new DendraError("CONFLICT")]) {
      const controller = new AbortController()
      const call = createToolExecutor(router, {})("wait", {}, { signal: controller.signal })
      controller.abort(reason)
      assert.strictEqual(await rejection(call), reason)
    }
    const timeout = await rejection(createToolExecutor(router, {})("wait", {}, { signal: AbortSignal.timeout(1) }))
    assert.strictEqual((timeout as Error).name, "TimeoutError")
  })

  it("runs nothing of the tool when it was given up before [R-001-18]", async () => {
    const did: Array<string> = []
    const noted = route.use(() => void did.push("guard")).after(() => void did.push("hook"))
    const handler = () => void did.push("handler")
    const router = { act: noted.ai().handler(handler), checked: noted.input(title).ai().handler(handler), held: noted.ai({ confirm: true }).handler(handler) }
    const execute = createToolExecutor(router, {}, { approvals: createApprovals(router) })
    for (const name of ["act", "checked", "held", "missing"]) {
      assert.strictEqual(await rejection(execute(name, { title: 1 }, { signal: AbortSignal.abort("before") })), "before")
    }
    await new Promise((resolve) => setTimeout(resolve, 0))
    assert.deepStrictEqual(did, [])
  })

  it("starts no handler, and proposes nothing, once it is given up while a guard runs", async () => {
    for (const name of ["act", "held"]) {
      const [asked, answer] = [deferred(), deferred()]
      const did: Array<string> = []
      const guarded = route
        .use(() => (asked.resolve(), answer.promise))
        .use(() => void did.push("guard"))
        .after(() => void did.push("hook"))
      const handler = () => void did.push("handler")
      const router = { act: guarded.ai().handler(handler), held: guarded.ai({ confirm: true }).handler(handler) }
      const approvals = createApprovals(router)
      const controller = new AbortController()
      const call = createToolExecutor(router, {}, { approvals })(name, {}, { signal: controller.signal })
      await asked.promise
      controller.abort("meanwhile")
      assert.strictEqual(await rejection(call), "meanwhile")
      answer.resolve()
      await new Promise((resolve) => setTimeout(resolve, 0))
      assert.deepStrictEqual([did, await approvals.list({})], [[], []])
    }
  })

  it("aborts the signal of a stream's handler, with the reason [R-001-19]", async () => {
    const started = deferred()
    const heard = deferred<unknown>()
    const router = {
      watch: route.ai().stream().handler(async function*({ signal }) {
        yield "a"
        started.resolve()
        await once(signal, "abort")
        heard.resolve(signal.reason)
      })
    }
    const controller = new AbortController()
    const call = createToolExecutor(router, {})("watch", {}, { signal: controller.signal })
    await started.promise
    controller.abort("enough")
    assert.strictEqual(await rejection(call), "enough")
    assert.strictEqual(await heard.promise, "enough")
  })

  it("is no longer waited for, while its handler runs on and its hooks are told [R-001-20]", async () => {
    const started = deferred()
    const go = deferred()
    const told = deferred<unknown>()
    const router = {
      act: route.after(({ result }) => told.resolve(result)).ai().handler(async () => {
        started.resolve()
        await go.promise
        return "done all the same"
      })
    }
    const controller = new AbortController()
    const call = createToolExecutor(router, {})("act", {}, { signal: controller.signal })
    await started.promise
    controller.abort("enough")
    assert.strictEqual(await rejection(call), "enough")
    go.resolve()
    assert.strictEqual(await told.promise, "done all the same")
  })

  it("logs what a handler throws that nobody waits for, and leaves no rejection behind", async () => {
    const started = deferred()
    const go = deferred()
    const router = {
      act: route.ai().handler(async () => {
        started.resolve()
        await go.promise
        throw new Error("too late")
      })
    }
    const unhandled: Array<unknown> = []
    const onUnhandled = (reason: unknown) => void unhandled.push(reason)
    process.on("unhandledRejection", onUnhandled)
    const errors = await logged("error", async () => {
      const controller = new AbortController()
      const call = createToolExecutor(router, {})("act", {}, { signal: controller.signal })
      await started.promise
      controller.abort("enough")
      await rejection(call)
      go.resolve()
      await new Promise((resolve) => setTimeout(resolve, 5))
    })
    process.off("unhandledRejection", onUnhandled)
    assert.deepStrictEqual(errors.map(([message, tool]) => [message, tool]), [["The tool %s failed", "\"act\""]])
    assert.deepStrictEqual(unhandled, [])
  })
})

describe("what a route was told", () => {
  it("is not untold by an option that is undefined, and confirm is true or false", async () => {
    const held = route.ai({ confirm: true, maxItems: 2, description: "Pays." })
    const again = held.ai({ confirm: undefined, maxItems: undefined, description: undefined, annotations: { title: undefined } })
    await refused(createToolExecutor({ pay: again.handler(() => "PAID") }, {})("pay", {}), "FORBIDDEN")
    assert.strictEqual((toToolset({ pay: again.handler(() => 1) })[0] as { readonly description: string }).description.slice(0, 5), "Pays.")
    const free = again.ai({ confirm: false })
    assert.deepStrictEqual(await createToolExecutor({ watch: free.stream().handler(() => numbersLater()) }, {})("watch", {}), [0, 1])
    assert.throws(() => route.ai({ confirm: "yes" as never }), /confirm of \.ai\(\) has to be true or false, not yes/)
  })

  it("is the guards' to refuse by throwing: a boolean lets nobody in", async () => {
    for (const answer of [false, true]) {
      const execute = createToolExecutor({ erase: route.use(() => answer).ai().handler(() => "erased") }, {})
      await logged("error", () => refused(execute("erase", {}), "INTERNAL"))
    }
  })

  it("is shown in copies, which whoever sends them may change", () => {
    const router = { ping: route.ai().handler(() => 0), say: route.input({ type: "object" }).ai().handler(() => 0) }
    for (const tool of toToolset(router) as ReadonlyArray<{ readonly inputSchema: Record<string, unknown> }>) tool.inputSchema["additionalProperties"] = false
    assert.deepStrictEqual(toToolset(router).map((tool) => (tool as { readonly inputSchema: unknown }).inputSchema), [
      { type: "object", properties: {} },
      { type: "object" }
    ])
  })
})

const numbersLater = async function*() {
  for (let at = 0;; at++) yield at
}

describe("a stream", () => {
  it("ends at its limit by the clock of a test, to the millisecond [R-001-15]", async () => {
    vi.useFakeTimers()
    try {
      const slow = route.ai({ timeoutMs: 1000 }).stream().handler(async function*() {
        for (let at = 0;; at++) {
          yield at
          await new Promise((resolve) => setTimeout(resolve, 300))
        }
      })
      const stuck = route.ai().stream().handler(async function*() {
        yield "a"
        await new Promise(() => {})
      })
      const execute = createToolExecutor({ slow, stuck }, {})
      const answers = Promise.all([execute("slow", {}), execute("stuck", {})])
      await vi.advanceTimersByTimeAsync(30_000)
      assert.deepStrictEqual(await answers, [[0, 1, 2, 3], "a"])
    } finally {
      vi.useRealTimers()
    }
  })

  it("hears of an abort at whatever turn it comes [R-001-19]", async () => {
    for (let turns = 0; turns < 12; turns++) {
      const controller = new AbortController()
      const seen: Array<AbortSignal> = []
      const watch = route.ai().stream().handler(({ signal }) => {
        seen.push(signal)
        return numbersWaiting()
      })
      const answer = createToolExecutor({ watch }, {})("watch", {}, { signal: controller.signal })
      for (let turn = 0; turn < turns; turn++) await undefined
      controller.abort("stop")
      assert.strictEqual(await rejection(answer), "stop")
      assert.isTrue(seen.every(({ aborted }) => aborted), String(turns))
    }
  })
})

const numbersWaiting = async function*() {
  yield 0
  await new Promise(() => {})
}
