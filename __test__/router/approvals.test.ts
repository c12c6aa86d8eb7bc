import { assert, describe, it } from "@effect/vitest"
import {
  type AfterEvent,
  type Approval,
  type ApprovalStore,
  createApprovals,
  createInMemoryApprovalStore,
  createMcpBridge,
  createToolExecutor,
  DendraError,
  isPendingResult,
  type PendingAction,
  type PendingResult,
  route
} from "../../ts/router.ts"
import { deferred, logged, refused, rejection } from "./support.ts"

interface Ctx {
  readonly tenantId?: string
  readonly user?: { readonly id: string } | undefined
  readonly isBlocked?: boolean
}

const model: Ctx = { tenantId: "t1", user: { id: "agent" } }
const ada: Ctx = { tenantId: "t1", user: { id: "ada" } }

/** A router with a tool that a person has to approve, and what happened in it. */
const held = (store?: ApprovalStore) => {
  const did: Array<unknown> = []
  const hooked: Array<unknown> = []
  const publish = route
    .use(({ ctx, input }: { ctx: Ctx; input: unknown }) => {
      did.push(["guard", ctx.user?.id, input])
      if (ctx.isBlocked === true) throw new DendraError("FORBIDDEN", "Blocked")
    })
    .after(({ approval, ctx, error, input, result, transport }: AfterEvent<Ctx>) => {
      hooked.push({ approval, user: ctx.user?.id, input, transport, ...error === undefined ? {} : { error }, ...result === undefined ? {} : { result } })
    })
    .input({ type: "object", properties: { id: { type: "integer" } }, required: ["id"] })
    .ai({ confirm: true, description: "Publish a post" })
  const router = {
    posts: {
      publish: publish.handler(({ ctx, input }) => {
        did.push(["handler", ctx.user?.id, input])
        if (input["id"] === 13) throw new Error("of the handler")
        return { published: input["id"] }
      })
    }
  }
  const options = { scope: (ctx: Ctx) => ctx.tenantId, proposer: (ctx: Ctx) => ctx.user?.id }
  const approvals = createApprovals<Ctx>(router, store === undefined ? options : { ...options, store })
  const propose = async (input: unknown, ctx: Ctx = model): Promise<string> => {
    const result = await createToolExecutor(router, ctx, { approvals })("posts.publish", input)
    assert.isTrue(isPendingResult(result))
    did.length = 0
    hooked.length = 0
    return (result as PendingResult).actionId
  }
  return { approvals, did, hooked, propose, router }
}

const approval = (id: string, status: Approval["status"]) => ({ id, status })

const action = (id: string, scope?: string): PendingAction => ({
  id,
  tool: "act",
  input: { deep: [1] },
  ...scope === undefined ? {} : { scope },
  createdAt: "2026-01-01T00:00:00.000Z"
})

describe("a tool with confirm", () => {
  it("has its input checked and its guards asked with the model's context, is stored, and does not run [R-001-80]", async () => {
    const { approvals, did, router } = held()
    await createToolExecutor(router, model, { approvals })("posts.publish", { id: 42 })
    assert.deepStrictEqual(did, [["guard", "agent", { id: 42 }]])
    const [stored] = await approvals.list(ada)
    assert.deepStrictEqual({ ...stored, id: "", createdAt: "" }, { id: "", tool: "posts.publish", input: { id: 42 }, scope: "t1", proposer: "agent", createdAt: "" })
    assert.strictEqual(new Date(stored!.createdAt).toISOString(), stored!.createdAt)
  })

  it("is not stored when its input or a guard is refused [R-001-81]", async () => {
    const { approvals, router } = held()
    const execute = (ctx: Ctx) => createToolExecutor(router, ctx, { approvals })
    await refused(execute(model)("posts.publish", { id: "42" }), "BAD_REQUEST")
    await refused(execute({ ...model, isBlocked: true })("posts.publish", { id: 42 }), "FORBIDDEN", "Blocked")
    assert.deepStrictEqual(await approvals.list(ada), [])
  })

  it("answers the model that it waits [R-001-82]", async () => {
    const { approvals, router } = held()
    const result = await createToolExecutor(router, model, { approvals })("posts.publish", { id: 42 })
    const [action] = await approvals.list(ada)
    assert.deepStrictEqual(result, {
      status: "pending_approval",
      actionId: action!.id,
      message: "Waiting for a person to approve this action. It has not run yet."
    })
  })

  it("is stored as the model gave it, before a schema changes it, and read anew when it is approved", async () => {
    const router = {
      pay: route
        .input({
          "~standard": {
            version: 1,
            vendor: "by hand",
            // Doubles: what were stored after it would be doubled twice.
            validate: (value: unknown) => ({ value: { amount: 2 * (value as { readonly amount: number }).amount } }),
            types: undefined as { readonly input: unknown; readonly output: { readonly amount: number } } | undefined
          }
        }, { type: "object" })
        .ai({ confirm: true })
        .handler(({ input }) => input.amount)
    }
    const approvals = createApprovals(router)
    const args = { amount: 5, note: { deep: [1] } }
    await createToolExecutor(router, {}, { approvals })("pay", args)
    args.note.deep.push(2)
    const [action] = await approvals.list({})
    assert.deepStrictEqual(action!.input, { amount: 5, note: { deep: [1] } })
    assert.strictEqual(await approvals.approve(action!.id, {}), 10)
  })

  it("shows its hooks where the call stands: pending, then approved or rejected [R-001-83]", async () => {
    const { approvals, hooked, propose, router } = held()
    const pending = await createToolExecutor(router, model, { approvals })("posts.publish", { id: 1 }) as PendingResult
    const about = { input: { id: 1 }, transport: "tool" }
    assert.deepStrictEqual(hooked.splice(0), [{ approval: approval(pending.actionId, "pending"), user: "agent", ...about, result: pending }])
    await approvals.approve(pending.actionId, ada)
    assert.deepStrictEqual(hooked.splice(0), [{ approval: approval(pending.actionId, "approved"), user: "ada", ...about, result: { published: 1 } }])

    const rejected = await propose({ id: 1 })
    await approvals.reject(rejected, ada, "Not this week")
    assert.deepStrictEqual(hooked.splice(0), [{ approval: { ...approval(rejected, "rejected"), reason: "Not this week" }, user: "ada", ...about }])
    await approvals.reject(await propose({ id: 1 }), ada)
    assert.notProperty((hooked[0] as { readonly approval: Approval }).approval, "reason")

    const failing = await propose({ id: 13 })
    const error = await rejection(approvals.approve(failing, ada))
    assert.deepStrictEqual(hooked, [{ approval: approval(failing, "approved"), user: "ada", input: { id: 13 }, transport: "tool", error }])
  })

  it("is stored as the model gave it, whatever a guard does to what it got", async () => {
    const router = {
      act: route
        .input({ type: "object" })
        .use(({ ctx, input }) => {
          input["by"] = ctx
        })
        .ai({ confirm: true })
        .handler(({ input }) => input)
    }
    const approvals = createApprovals<string>(router)
    const { actionId } = await createToolExecutor(router, "agent", { approvals })("act", { a: 1 }) as PendingResult
    assert.deepStrictEqual((await approvals.list("ada"))[0]!.input, { a: 1 })
    assert.deepStrictEqual(await approvals.approve(actionId, "ada"), { a: 1, by: "ada" })
  })

  it("may be a stream, or one without an input", async () => {
    const router = {
      watch: route.ai({ confirm: true, maxItems: 2 }).stream().handler(async function*() {
        yield* ["a", "b", "c"]
      }),
      purge: route.ai({ confirm: true }).handler(({ input }) => ({ input }))
    }
    const approvals = createApprovals(router)
    const execute = createToolExecutor(router, {}, { approvals })
    const ids = [await execute("watch", undefined), await execute("purge", { because: "old" })].map((result) => (result as PendingResult).actionId)
    assert.deepStrictEqual((await approvals.list({})).map(({ input }) => input), [{}, { because: "old" }])
    assert.strictEqual(await approvals.approve(ids[0]!, {}), "ab")
    assert.deepStrictEqual(await approvals.approve(ids[1]!, {}), { input: undefined })
  })

  it("is Internal error to the model when it cannot be stored", async () => {
    const { approvals, hooked, router } = held({ ...createInMemoryApprovalStore(), add: () => Promise.reject(new Error("disk full")) })
    const errors = await logged("error", async () => {
      await refused(createToolExecutor(router, model, { approvals })("posts.publish", { id: 1 }), "INTERNAL", "Internal error")
      assert.deepStrictEqual(await createMcpBridge(router, model, { approvals }).callTool("posts.publish", { id: 1 }), {
        content: [{ type: "text", text: "Internal error" }],
        isError: true
      })
    })
    assert.deepStrictEqual(errors.map(([, , error]) => (error as Error).message), ["disk full", "disk full"])
    assert.deepStrictEqual((hooked as ReadonlyArray<{ readonly approval?: unknown; readonly error: Error }>).map(({ approval, error }) => [approval, error.message]), [[undefined, "disk full"], [undefined, "disk full"]])
  })
})

describe("createApprovals", () => {
  it("lists the actions of the context's scope, whatever the store gives [R-001-84] [R-001-94]", async () => {
    const all = ["t1", "t2", undefined, "", "T1", "t1 ", null].map((scope, at) => action(String(at), scope as string))
    const { approvals } = held({ ...createInMemoryApprovalStore(), list: async () => all, get: async (id) => all[Number(id)] ?? null })
    const idsOf = async (ctx: Ctx) => (await approvals.list(ctx)).map(({ id }) => id)
    assert.deepStrictEqual(await idsOf({ tenantId: "t1" }), ["0"])
    assert.deepStrictEqual(await idsOf({ tenantId: "t2" }), ["1"])
    assert.deepStrictEqual(await idsOf({}), ["2", "6"])
    assert.deepStrictEqual(await idsOf({ tenantId: "" }), ["3"])
    assert.deepStrictEqual(await idsOf({ tenantId: "t3" }), [])
  })

  it("asks the store for the context's scope [R-001-98]", async () => {
    const asked: Array<unknown> = []
    const store = createInMemoryApprovalStore()
    const { approvals } = held({ ...store, list: (...args) => (asked.push(args), store.list(...args)) })
    await approvals.list(ada)
    await approvals.list({})
    assert.deepStrictEqual(asked, [["t1"], [undefined]])
  })

  it("checks the stored input, asks the guards with the approver's context, takes the action, runs it as the approver [R-001-85]", async () => {
    const order: Array<string> = []
    const store = createInMemoryApprovalStore()
    const { approvals, did, propose } = held({ ...store, take: (id) => (order.push("take"), did.push(["take"]), store.take(id)) })
    const id = await propose({ id: 42 })
    assert.deepStrictEqual(await approvals.approve(id, ada), { published: 42 })
    assert.deepStrictEqual(did, [["guard", "ada", { id: 42 }], ["take"], ["handler", "ada", { id: 42 }]])
    assert.deepStrictEqual(await approvals.list(ada), [])
  })

  it("leaves an action pending when its input or a guard is refused, and throws that [R-001-86]", async () => {
    const store = createInMemoryApprovalStore()
    const { approvals, did, hooked, propose, router } = held(store)
    const id = await propose({ id: 42 })
    await refused(approvals.approve(id, { ...ada, isBlocked: true }), "FORBIDDEN", "Blocked")
    assert.deepStrictEqual([(await approvals.list(ada)).map((action) => action.id), hooked], [[id], []])

    // The tool takes other inputs by now, over the same store.
    const later = { posts: { publish: route.input({ type: "object", required: ["slug"] }).ai({ confirm: true }).handler(() => assert.fail("it ran")) } }
    const other = createApprovals<Ctx>(later, { store, scope: (ctx) => ctx.tenantId })
    await refused(other.approve(id, ada), "BAD_REQUEST", "slug: is required")
    await refused(other.reject(id, ada), "BAD_REQUEST")
    const thrown = new Error("of the guard, as it is")
    const broken = { posts: { publish: route.use(() => Promise.reject(thrown)).ai({ confirm: true }).handler(() => 1) } }
    assert.strictEqual(await rejection(createApprovals<Ctx>(broken, { store, scope: (ctx) => ctx.tenantId }).approve(id, ada)), thrown)
    assert.strictEqual((await approvals.list(ada)).length, 1)
    did.length = 0
    assert.deepStrictEqual(await createApprovals<Ctx>(router, { store, scope: (ctx) => ctx.tenantId }).approve(id, ada), { published: 42 })
  })

  it("throws the handler's error to the approver as it is, and the action is gone [R-001-87]", async () => {
    const { approvals, propose } = held()
    const id = await propose({ id: 13 })
    const errors = await logged("error", async () => {
      const error = await rejection(approvals.approve(id, ada)) as Error
      assert.strictEqual(error.message, "of the handler")
      assert.notInstanceOf(error, DendraError)
    })
    assert.deepStrictEqual(errors, [])
    assert.deepStrictEqual(await approvals.list(ada), [])
    await refused(approvals.approve(id, ada), "NOT_FOUND")
  })

  it("rejects an action after the same checks, and it never runs [R-001-88]", async () => {
    const { approvals, did, propose } = held()
    const id = await propose({ id: 42 })
    await refused(approvals.reject(id, { ...ada, isBlocked: true }), "FORBIDDEN")
    assert.strictEqual((await approvals.list(ada)).length, 1)
    did.length = 0
    assert.isUndefined(await approvals.reject(id, ada, "No"))
    assert.deepStrictEqual(did, [["guard", "ada", { id: 42 }]])
    assert.deepStrictEqual(await approvals.list(ada), [])
    await refused(approvals.approve(id, ada), "NOT_FOUND", `Action '${id}' not found`)
  })

  it("lets one of many deciders win: the others get CONFLICT, and the handler runs once [R-001-89]", async () => {
    const { approvals, did, propose } = held()
    const ids = await Promise.all(Array.from({ length: 20 }, () => propose({ id: 42 })))
    for (const [round, id] of ids.entries()) {
      did.length = 0
      // In turn: approvers alone, and those who reject before those who approve.
      const rejects = (at: number) => round % 2 === 1 && at < 4
      const decisions = Array.from({ length: 8 }, (_, at) => rejects(at) ? approvals.reject(id, ada) : approvals.approve(id, ada))
      const settled = await Promise.allSettled(decisions)
      const lost = settled.filter((decision) => decision.status === "rejected").map(({ reason }) => reason as DendraError)
      assert.strictEqual(lost.length, 7)
      assert.deepStrictEqual([...new Set(lost.map(({ code, message }) => `${code} ${message}`))], [`CONFLICT Action '${id}' has been decided already`])
      const result = settled.find((decision) => decision.status === "fulfilled")?.value
      assert.deepStrictEqual(result, round % 2 === 1 ? undefined : { published: 42 })
      assert.strictEqual(did.filter((step) => (step as ReadonlyArray<unknown>)[0] === "handler").length, round % 2 === 1 ? 0 : 1)
    }
    assert.deepStrictEqual(await approvals.list(ada), [])
  })

  it("finds no action of another scope, and none that is not there, and says the same of both [R-001-90]", async () => {
    const { approvals, did, propose } = held()
    const id = await propose({ id: 42 })
    for (const ctx of [{ tenantId: "t2" }, {}, { tenantId: "" }, { tenantId: "T1" }]) {
      await refused(approvals.approve(id, ctx), "NOT_FOUND", `Action '${id}' not found`)
      await refused(approvals.reject(id, ctx), "NOT_FOUND", `Action '${id}' not found`)
    }
    assert.deepStrictEqual(did, [])
    await refused(approvals.approve("missing", ada), "NOT_FOUND", "Action 'missing' not found")
    await refused(approvals.approve("__proto__", ada), "NOT_FOUND")
    // As they may come from a request's body: a store might take them for a query.
    const asking = held({ ...createInMemoryApprovalStore(), get: () => assert.fail("the store was asked"), take: () => assert.fail("it was taken") })
    for (const odd of [undefined, null, { $ne: "" }, [id], 1]) await refused(asking.approvals.approve(odd as never, ada), "NOT_FOUND")
    assert.deepStrictEqual((await approvals.list(ada)).map((action) => action.id), [id])
    const unscoped = await propose({ id: 1 }, { user: { id: "agent" } })
    await refused(approvals.approve(unscoped, ada), "NOT_FOUND")
    assert.deepStrictEqual(await approvals.approve(unscoped, {}), { published: 1 })
  })

  it("keeps an action whose tool is gone, and says so", async () => {
    const store = createInMemoryApprovalStore()
    const { propose } = held(store)
    const id = await propose({ id: 42 })
    for (const router of [{}, { posts: { publish: route.handler(() => assert.fail("it ran")) } }]) {
      await refused(createApprovals<Ctx>(router, { store, scope: (ctx) => ctx.tenantId }).approve(id, ada), "NOT_FOUND", "Tool 'posts.publish' not found")
    }
    assert.isNotNull(await store.get(id))
  })

  it("stores the proposer [R-001-97]", async () => {
    const store = createInMemoryApprovalStore()
    const { propose } = held(store)
    assert.strictEqual((await store.get(await propose({ id: 1 })))!.proposer, "agent")
    assert.notProperty(await store.get(await propose({ id: 1 }, { tenantId: "t1" })), "proposer")
  })

  it("refuses a scope that is no text, such as a promise", async () => {
    const router = { act: route.ai({ confirm: true }).handler(() => 1) }
    const scopes = [async () => "t1", () => 1, () => ({})] as unknown as ReadonlyArray<() => string>
    for (const scope of scopes) {
      const approvals = createApprovals(router, { scope })
      assert.match(String(await rejection(approvals.list({}))), /TypeError: scope of createApprovals\(\) has to give a text or undefined/)
      assert.match(String(await rejection(approvals.approve("1", {}))), /TypeError/)
      await logged("error", () => refused(createToolExecutor(router, {}, { approvals })("act", {}), "INTERNAL"))
    }
  })

  it("runs what was checked, whatever the store gives when the action is taken", async () => {
    const store = createInMemoryApprovalStore()
    const { approvals, propose } = held({ ...store, take: async (id) => ({ ...(await store.take(id))!, input: { id: "not checked" }, tool: "other" }) })
    assert.deepStrictEqual(await approvals.approve(await propose({ id: 42 }), ada), { published: 42 })
  })

  it("takes no other action for the one that was asked for", async () => {
    const store = createInMemoryApprovalStore()
    // As a database that does not tell capitals apart.
    const { approvals, propose } = held({ ...store, get: (id) => store.get(id.toLowerCase()) })
    const id = await propose({ id: 42 })
    await refused(approvals.approve(id.toUpperCase(), ada), "NOT_FOUND")
    assert.deepStrictEqual(await approvals.approve(id, ada), { published: 42 })
  })

  it("takes an action only after guards that take their time", async () => {
    const guard = deferred()
    const router = { act: route.use(({ ctx }) => ctx.slow === true ? guard.promise : undefined).ai({ confirm: true }).handler(({ ctx }) => ctx.slow ?? false) }
    const approvals = createApprovals(router)
    const { actionId } = await createToolExecutor(router, {}, { approvals })("act", {}) as PendingResult
    const slow = approvals.approve(actionId, { slow: true })
    assert.strictEqual((await approvals.list({})).length, 1)
    assert.strictEqual(await approvals.approve(actionId, {}), false)
    guard.resolve()
    await refused(slow, "CONFLICT")
  })

  it("keeps actions in memory when no store is given [R-001-95]", async () => {
    const { approvals, propose } = held()
    const id = await propose({ id: 42 })
    assert.deepStrictEqual((await approvals.list(ada)).map((action) => action.id), [id])
    const other = held()
    await refused(other.approvals.approve(id, ada), "NOT_FOUND")
  })
})

describe("isPendingResult", () => {
  it("is true of an object with the status and an id that is a text, and of nothing else [R-001-91]", () => {
    assert.isTrue(isPendingResult({ status: "pending_approval", actionId: "1" }))
    assert.isTrue(isPendingResult({ status: "pending_approval", actionId: "", message: "x", more: 1 }))
    const others = [
      undefined, null, 0, "pending_approval", [], {}, { status: "pending_approval" }, { status: "pending_approval", actionId: 1 },
      { status: "pending", actionId: "1" }, { actionId: "1" }, [{ status: "pending_approval", actionId: "1" }], () => 1
    ]
    for (const other of others) assert.isFalse(isPendingResult(other))
  })
})

const change = (action: PendingAction | null | undefined) => (action!.input as { readonly deep: Array<number> }).deep.push(2)

describe("createInMemoryApprovalStore", () => {
  it("copies an action on the way in and out [R-001-92]", async () => {
    const store = createInMemoryApprovalStore()
    const given = action("1")
    await store.add(given)
    change(given)
    change(await store.get("1"))
    change((await store.list())[0])
    assert.deepStrictEqual(await store.get("1"), action("1"))
    assert.deepStrictEqual(await store.take("1"), action("1"))
  })

  it("gives an action to one taker [R-001-93]", async () => {
    const store = createInMemoryApprovalStore()
    await store.add(action("1"))
    const taken = await Promise.all(Array.from({ length: 8 }, () => store.take("1")))
    assert.deepStrictEqual(taken.filter((one) => one !== null), [action("1")])
    assert.deepStrictEqual([await store.take("1"), await store.get("1"), await store.take("__proto__")], [null, null, null])
  })

  it("lists those of a scope, in the order of their coming, and does not put one in the place of another", async () => {
    const store = createInMemoryApprovalStore()
    for (const one of [action("2", "t1"), action("1"), action("3", "t1")]) await store.add(one)
    assert.deepStrictEqual((await store.list("t1")).map(({ id }) => id), ["2", "3"])
    assert.deepStrictEqual((await store.list()).map(({ id }) => id), ["2", "1", "3"])
    assert.match(String(await rejection(store.add({ ...action("1"), input: { other: 1 } }))), /An action '1' is stored already/)
    assert.deepStrictEqual((await store.get("1"))!.input, { deep: [1] })
  })
})
