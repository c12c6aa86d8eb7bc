/** Tools that need approval, over MCP: none runs unasked, and only a person's yes to the very call lets it run. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { Tool } from "effect/ai"
import { ToolSearch } from "../../ts/index.ts"
import { Answered } from "../../ts/internal/mcpApproval.ts"
import * as McpTools from "../../ts/McpTools.ts"
import { onLoopback } from "../support/mcp-servers.ts"
import { client, newest, serve, serveTools, textsOf, type Version, versions } from "../support/mcp-tools.ts"
import { kit } from "../support/presented.ts"
import { connectSdk } from "../support/sdk-client.ts"

const Lines = Schema.Struct({ lines: Schema.Int })

/** Ways to need approval: of each, what it does and whether a call with one line needs it. */
const ways: Readonly<Record<string, { readonly needsApproval: Tool.NeedsApproval<typeof Lines>; readonly needs: boolean }>> = {
  always: { needsApproval: true, needs: true },
  never: { needsApproval: false, needs: false },
  many: { needsApproval: ({ lines }) => lines > 1, needs: false },
  few: { needsApproval: ({ lines }) => lines < 2, needs: true },
  effect: { needsApproval: () => Effect.succeed(true), needs: true },
  fails: { needsApproval: () => Effect.fail("not known") as never, needs: true },
  dies: { needsApproval: () => Effect.die("not known"), needs: true },
  throws: {
    needsApproval: () => {
      throw new Error("not known")
    },
    needs: true
  },
  odd: { needsApproval: () => "no" as never, needs: true }
}

const erasing = Effect.gen(function*() {
  const ran: Array<unknown> = []
  const toolkit = yield* kit(...Object.entries(ways).map(([name, { needsApproval }]) =>
    [
      Tool.make(name, { parameters: Lines, success: Schema.String, needsApproval }),
      (input: unknown) => Effect.sync(() => `${ran.push(input)} ran`)
    ] as const
  ))
  return { ran, toolkit }
})

/** A tool that always needs approval and says what it was given, served. */
const one = (options?: Partial<McpTools.Options<any>>) =>
  Effect.gen(function*() {
    const ran: Array<unknown> = []
    const toolkit = yield* kit([
      Tool.make("erase", { parameters: Schema.Struct({ text: Schema.String }), success: Schema.String, needsApproval: true }),
      (input) => Effect.as(Effect.sync(() => ran.push(input)), "erased")
    ])
    return { ran, server: yield* serveTools({ toolkit, approvals: "ask", ...options }) }
  })

describe.each(versions)("in %s", (version) => {
  it.live("a call that needs approval is refused, and one that does not runs [R-004-08]", () =>
    Effect.gen(function*() {
      const { ran, toolkit } = yield* erasing
      const { call, list } = yield* client(yield* serveTools({ toolkit }), version, { elicitation: {} })
      assert.deepStrictEqual((yield* Effect.promise(list)).map(({ name }) => name), Object.keys(ways))
      for (const [name, { needs }] of Object.entries(ways)) {
        ran.length = 0
        const answer = yield* Effect.promise(() => call(name, { lines: 1 }))
        assert.deepStrictEqual([ran, answer.isError === true], [needs ? [] : [{ lines: 1 }], needs], name)
        if (needs) assert.match(textsOf(answer)[0]!, /needs a person's approval/)
      }
      // A question that cannot be asked of the input is one that fails.
      ran.length = 0
      assert.strictEqual((yield* Effect.promise(() => call("many", { lines: "7" }))).isError, true)
      assert.deepStrictEqual(ran, [])
    }))

  it.live("tools that always need approval are left out, and a call that turns out to need it is refused", () =>
    Effect.gen(function*() {
      const { ran, toolkit } = yield* erasing
      const { call, list, request } = yield* client(yield* serveTools({ toolkit, approvals: "omit" }), version)
      assert.deepStrictEqual((yield* Effect.promise(list)).map(({ name }) => name), Object.keys(ways).filter((name) => name !== "always"))
      const { error } = yield* Effect.promise(() => request("tools/call", { name: "always", arguments: { lines: 1 } }))
      assert.strictEqual(error?.code, -32_602)
      assert.strictEqual((yield* Effect.promise(() => call("few", { lines: 1 }))).isError, true)
      assert.deepStrictEqual(ran, [])
      assert.deepStrictEqual(textsOf(yield* Effect.promise(() => call("few", { lines: 2 }))), ["1 ran"])
    }))

  it.live("a client that cannot ask a person is refused, whatever it says a person said", () =>
    Effect.gen(function*() {
      const { ran, server } = yield* one()
      for (const capabilities of version < "2025-06-18" ? [{}, { elicitation: {} }] : [{}, { elicitation: { url: {} } }]) {
        const { request } = yield* client(server, version, capabilities)
        const { result } = yield* Effect.promise(() =>
          request("tools/call", { name: "erase", arguments: { text: "all" }, inputResponses: { approval: { action: "accept", content: { approve: true } } }, requestState: "" }))
        assert.strictEqual(result.isError, true)
        assert.match(textsOf(result)[0]!, /needs a person's approval, and this client could not ask for it/)
      }
      assert.deepStrictEqual(ran, [])
    }))
})

/** What a person at a client says. */
type Said = { readonly action: "accept"; readonly content?: Record<string, boolean | string> } | { readonly action: "decline" | "cancel" }

/** A client with a person, who is told what is asked. */
const withPerson = (port: number, version: Version, say: () => Said | Promise<Said>) =>
  Effect.gen(function*() {
    const asked: Array<{ readonly message: string; readonly requestedSchema: unknown }> = []
    const sdk = yield* connectSdk(port, version, {
      capabilities: { elicitation: {} },
      prepare: (client) =>
        client.setRequestHandler("elicitation/create", ({ params }) => {
          asked.push(params as typeof asked[number])
          return say()
        })
    })
    return { asked, call: (text: string) => Effect.promise(() => sdk.callTool({ name: "erase", arguments: { text } })) }
  })

describe.each(["2025-06-18", "2025-11-25", newest] as const)("a person at the SDK's client, in %s,", (version) => {
  it.live("is asked, and a yes lets the call run; the next call is asked about again", () =>
    Effect.gen(function*() {
      const { ran, server } = yield* one()
      const { asked, call } = yield* withPerson(yield* onLoopback(server), version, () => ({ action: "accept", content: { approve: true } }))
      const answer = yield* call("line 7\u202e\u200b")
      assert.deepStrictEqual(answer.content, [{ type: "text", text: "erased" }])
      assert.deepStrictEqual(ran, [{ text: "line 7\u202e\u200b" }])
      assert.strictEqual(asked.length, 1)
      assert.strictEqual(asked[0]!.message, "May the tool \"erase\" run with this input?\n\n{\"text\":\"line 7\\u202e\\u200b\"}")
      assert.deepStrictEqual(asked[0]!.requestedSchema, {
        type: "object",
        properties: { approve: { type: "boolean", title: "Approve", description: "Whether the tool may run." } },
        required: ["approve"]
      })
      yield* call("again")
      assert.strictEqual(asked.length, 2)
    }))

  it.live("is shown so much of a long input, and told that there is more", () =>
    Effect.gen(function*() {
      const { server } = yield* one()
      const { asked, call } = yield* withPerson(yield* onLoopback(server), version, () => ({ action: "decline" }))
      yield* call("😀".repeat(10_000))
      assert.isBelow(asked[0]!.message.length, 4200)
      assert.match(asked[0]!.message, /\n… and 1\d{4} more characters, which are not shown\.$/)
      assert.isTrue(asked[0]!.message.isWellFormed())
    }))

  it.live("who says anything else has said no", () =>
    Effect.gen(function*() {
      const { ran, server } = yield* one()
      const answers: ReadonlyArray<Said> = [{ action: "decline" }, { action: "cancel" }, { action: "accept", content: { approve: false } }]
      let at = 0
      const { call } = yield* withPerson(yield* onLoopback(server), version, () => answers[at++]!)
      for (const _ of answers) {
        const answer = yield* call("all")
        assert.strictEqual(answer.isError, true)
        assert.match(JSON.stringify(answer.content), /did not approve it/)
      }
      assert.strictEqual(at, answers.length)
      assert.deepStrictEqual(ran, [])
    }))
})

it.live("a client that answers with an error has not asked anybody", () =>
  Effect.gen(function*() {
    const { ran, server } = yield* one()
    const { call } = yield* withPerson(yield* onLoopback(server), "2025-11-25", () => Promise.reject(new Error("the window is closed")))
    const answer = yield* call("all")
    assert.strictEqual(answer.isError, true)
    assert.match(JSON.stringify(answer.content), /could not ask for it/)
    assert.deepStrictEqual(ran, [])
  }))

it.live("many calls at once are each asked about, and each answer is of its own call", () =>
  Effect.gen(function*() {
    const { ran, server } = yield* one()
    for (const version of ["2025-11-25", newest] as const) {
      ran.length = 0
      const sdk = yield* connectSdk(yield* onLoopback(server), version, {
        capabilities: { elicitation: {} },
        prepare: (client) =>
          client.setRequestHandler("elicitation/create", ({ params }) => ({ action: "accept", content: { approve: params.message.includes("yes") } }))
      })
      const texts = Array.from({ length: 24 }, (_, at) => `${at % 3 === 0 ? "yes" : "no"} ${at}`)
      const answers = yield* Effect.promise(() => Promise.all(texts.map((text) => sdk.callTool({ name: "erase", arguments: { text } }))))
      assert.deepStrictEqual(answers.map(({ isError }) => isError !== true), texts.map((text) => text.startsWith("yes")))
      assert.sameDeepMembers(ran, texts.filter((text) => text.startsWith("yes")).map((text) => ({ text })))
    }
  }))

describe("an answer of 2026-07-28", () => {
  const capabilities = { elicitation: { form: {} } }
  const yes = { approval: { action: "accept", content: { approve: true } } }

  /** A client that sends answers as it likes, of a server whose clock is set by hand. */
  const asking = Effect.gen(function*() {
    const ran: Array<unknown> = []
    const time = { now: Date.UTC(2026, 0, 1) }
    const clock: Clock.Clock = Object.assign(Object.create(yield* Clock.Clock), {
      currentTimeMillis: Effect.sync(() => time.now),
      currentTimeMillisUnsafe: () => time.now
    })
    const toolkit = yield* kit(...["erase", "other"].map((name) =>
      [
        Tool.make(name, { parameters: Schema.Struct({ text: Schema.String }), success: Schema.String, needsApproval: true }),
        (input: unknown) => Effect.as(Effect.sync(() => ran.push(input)), "erased")
      ] as const
    ))
    const layer = McpTools.layer({ toolkit, approvals: "ask" }).pipe(Layer.provide(Layer.succeed(Clock.Clock, clock)))
    const connected = Effect.flatMap(serve(layer), (server) => client(server, newest, capabilities))
    const { request } = yield* connected
    const call = (text: string, more: object = {}, { name = "erase", over = request } = {}) =>
      Effect.promise(() => over("tools/call", { name, arguments: { text }, ...more }))
    const question = Effect.map(call("all"), ({ result }) => {
      assert.strictEqual(result.resultType, "input_required")
      return { requestState: result.requestState as string, inputRequests: result.inputRequests }
    })
    return { ran, call, time, question, connected, ...yield* question }
  })

  it.live("lets the call run that was asked about", () =>
    Effect.gen(function*() {
      const { call, inputRequests, ran, requestState } = yield* asking
      assert.deepStrictEqual(Object.keys(inputRequests), ["approval"])
      assert.strictEqual(inputRequests.approval.method, "elicitation/create")
      const { result } = yield* call("all", { requestState, inputResponses: yes })
      assert.deepStrictEqual(textsOf(result), ["erased"])
      assert.deepStrictEqual(ran, [{ text: "all" }])
    }))

  it.live("is none for another input, without its state, or under another name, and is asked for anew", () =>
    Effect.gen(function*() {
      const { call, ran, requestState } = yield* asking
      for (const [text, more] of [
        ["everything", { requestState, inputResponses: yes }],
        ["all", { inputResponses: yes }],
        ["all", { requestState: `${requestState}x`, inputResponses: yes }],
        ["all", { requestState, inputResponses: { other: yes.approval } }],
        ["all", { requestState, inputResponses: JSON.parse("{\"__proto__\":{\"approval\":{\"action\":\"accept\",\"content\":{\"approve\":true}}}}") }],
        ["all", { requestState }]
      ] as const) {
        const { error, result } = yield* call(text, more)
        assert.isTrue(error !== undefined || result.resultType === "input_required", JSON.stringify(more))
      }
      assert.deepStrictEqual(ran, [])
    }))

  it.live("that is no yes is a no", () =>
    Effect.gen(function*() {
      const { call, question, ran } = yield* asking
      for (const approval of [
        { action: "decline" },
        { action: "accept" },
        { action: "accept", content: {} },
        { action: "accept", content: { approve: "true" } },
        { action: "accept", content: JSON.parse("{\"__proto__\":{\"approve\":true}}") }
      ]) {
        const { requestState } = yield* question
        const { error, result } = yield* call("all", { requestState, inputResponses: { approval } })
        assert.isTrue(error !== undefined || /did not approve it/.test(textsOf(result)[0]!), JSON.stringify(approval))
      }
      assert.deepStrictEqual(ran, [])
    }))

  it.live("counts for one call: sent again, also at once and by another client, it runs nothing and says so", () =>
    Effect.gen(function*() {
      const { call, connected, question, ran } = yield* asking
      const usedBefore = /was used for a call before, and counts for one/
      for (const ways of ["after each other", "at once"] as const) {
        ran.length = 0
        const { requestState } = yield* question
        const answer = { requestState, inputResponses: yes }
        const sent = yield* Effect.all(Array.from({ length: 3 }, () => call("all", answer)), { concurrency: ways === "at once" ? "unbounded" : 1 })
        assert.deepStrictEqual(ran, [{ text: "all" }], ways)
        const [erased, ...refused] = sent.map(({ result }) => result).toSorted((one, other) => Number(one.isError === true) - Number(other.isError === true))
        assert.deepStrictEqual([textsOf(erased), refused.map(({ isError }) => isError)], [["erased"], [true, true]])
        for (const result of refused) assert.match(textsOf(result)[0]!, usedBefore)
      }
      const { requestState } = yield* question
      assert.match(textsOf((yield* call("all", { requestState, inputResponses: { approval: { action: "decline" } } })).result)[0]!, /did not approve it/)
      const { result } = yield* call("all", { requestState, inputResponses: yes })
      assert.match(textsOf(result)[0]!, usedBefore)
      assert.strictEqual(ran.length, 1)
      // Another registration has a memory of its own, which is what several processes have.
      const { request } = yield* connected
      assert.deepStrictEqual(textsOf((yield* call("all", { requestState, inputResponses: yes }, { over: request })).result), ["erased"])
    }))

  it.live("is of one tool, and of two equal calls each has its own", () =>
    Effect.gen(function*() {
      const { call, question, ran } = yield* asking
      const [one, other] = [yield* question, yield* question]
      assert.notStrictEqual(one.requestState, other.requestState)
      assert.strictEqual((yield* call("all", { requestState: one.requestState, inputResponses: yes }, { name: "other" })).result.resultType, "input_required")
      for (const { requestState } of [one, other]) {
        assert.deepStrictEqual(textsOf((yield* call("all", { requestState, inputResponses: yes })).result), ["erased"])
      }
      assert.strictEqual(ran.length, 2)
    }))

  it.live("comes within an hour, and is asked for anew after it, whether it was used or not", () =>
    Effect.gen(function*() {
      const { call, question, ran, time } = yield* asking
      const hour = 60 * 60 * 1000
      const [used, late] = [yield* question, yield* question]
      time.now += hour - 1
      assert.deepStrictEqual(textsOf((yield* call("all", { requestState: used.requestState, inputResponses: yes })).result), ["erased"])
      time.now += 1
      for (const { requestState } of [used, late]) {
        assert.strictEqual((yield* call("all", { requestState, inputResponses: yes })).result.resultType, "input_required")
      }
      const [first] = late.requestState.split(".")
      for (const end of [Number(first) + 1, Number(first) + hour, Number(first) + 10 * hour, "9".repeat(15), "9".repeat(400), "-1", "1e99", ""]) {
        const requestState = late.requestState.replace(first!, String(end))
        assert.strictEqual((yield* call("all", { requestState, inputResponses: yes })).result.resultType, "input_required")
      }
      // Clocks of processes may be apart, and by less than an hour.
      const ahead = yield* question
      time.now -= 4 * 60 * 1000
      assert.deepStrictEqual(textsOf((yield* call("all", { requestState: ahead.requestState, inputResponses: yes })).result), ["erased"])
      const further = yield* question
      time.now -= 6 * 60 * 1000
      assert.strictEqual((yield* call("all", { requestState: further.requestState, inputResponses: yes })).result.resultType, "input_required")
      assert.strictEqual(ran.length, 2)
    }))
})

describe("the answers that are remembered", () => {
  it("are 10,000 at the most: what is forgotten is over, and what is asked then is not", () => {
    const answered = new Answered()
    const now = Date.UTC(2026, 0, 1)
    const end = answered.endOf(now)
    const questions = Array.from({ length: 10_000 }, (_, at) => ({ id: `question ${at}`, end: end + at }))
    for (const { end, id } of questions) assert.isTrue(answered.take(id, end, now))
    for (const { end, id } of questions) assert.deepStrictEqual([answered.isOpen(end, now), answered.take(id, end, now)], [true, false])

    assert.isTrue(answered.take("one more", end + 10_000, now))
    assert.isFalse(answered.isOpen(questions[0]!.end, now))
    assert.isTrue(answered.isOpen(questions[1]!.end, now))
    assert.isFalse(answered.take(questions[1]!.id, questions[1]!.end, now))
    // Those that end as late as it did are over with it, and no question that is asked from then on is.
    const late = answered.endOf(now)
    assert.isAbove(late, questions[0]!.end)
    assert.isTrue(answered.isOpen(late, now))
    assert.isTrue(answered.take("asked then", late, now))
  })

  it("are forgotten when their questions are over, so that there is room", () => {
    const answered = new Answered()
    const now = Date.UTC(2026, 0, 1)
    for (let at = 0; at < 10_000; at++) assert.isTrue(answered.take(`question ${at}`, now + 1, now))
    const later = now + 2
    for (let at = 0; at < 10_000; at++) assert.isTrue(answered.take(`later ${at}`, answered.endOf(later), later))
    assert.isTrue(answered.isOpen(answered.endOf(later), later))
    assert.isFalse(answered.take("later 0", answered.endOf(later), later))
  })
})

it.live("a search asks about the tool that it calls", () =>
  Effect.gen(function*() {
    const toolkit = yield* kit([Tool.make("erase", { description: "Erases.", success: Schema.String, needsApproval: true }), () => Effect.succeed("erased")])
    const server = yield* serveTools({ toolkit: yield* ToolSearch.toolkit(toolkit), approvals: "ask" })
    const asked: Array<string> = []
    const sdk = yield* connectSdk(yield* onLoopback(server), newest, {
      capabilities: { elicitation: {} },
      prepare: (client) =>
        client.setRequestHandler("elicitation/create", ({ params }) => {
          asked.push(params.message)
          return { action: "accept", content: { approve: true } }
        })
    })
    yield* Effect.promise(() => sdk.callTool({ name: "tool_search", arguments: { query: "erase" } }))
    assert.deepStrictEqual(asked, [])
    const answer = yield* Effect.promise(() => sdk.callTool({ name: "tool_call", arguments: { name: "erase", input: {} } }))
    assert.match(JSON.stringify(answer.content), /erased/)
    assert.strictEqual(asked.length, 1)
    assert.include(asked[0]!, "{\"name\":\"erase\",\"input\":{}}")
  }))

it.live("a call that is given up while a person is asked does not run", () =>
  Effect.gen(function*() {
    const { ran, server } = yield* one()
    const asked = yield* Deferred.make<void>()
    const sdk = yield* connectSdk(yield* onLoopback(server), "2025-11-25", {
      capabilities: { elicitation: {} },
      prepare: (client) =>
        client.setRequestHandler("elicitation/create", (_, { mcpReq }) => {
          Deferred.doneUnsafe(asked, Effect.void)
          return new Promise((resolve) => mcpReq.signal.addEventListener("abort", () => resolve({ action: "accept", content: { approve: true } })))
        })
    })
    const given = new AbortController()
    const call = yield* Effect.forkChild(Effect.exit(Effect.tryPromise(() => sdk.callTool({ name: "erase", arguments: { text: "all" } }, { signal: given.signal }))))
    yield* Deferred.await(asked)
    given.abort()
    assert.isTrue((yield* Fiber.join(call))._tag === "Failure")
    // By the time that another call is answered, the one before has come to its end.
    yield* Effect.promise(() => sdk.listTools())
    assert.deepStrictEqual(ran, [])
  }))
