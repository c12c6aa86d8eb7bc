/** What the router's types promise, checked where this file is compiled; each test also asserts what can be seen when it runs. */
import { assert, describe, it } from "@effect/vitest"
import type { Client } from "@modelcontextprotocol/client"
import type { CallToolResult, Tool } from "@modelcontextprotocol/server"
import type { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { z } from "zod"
import type * as ApprovalStoreSql from "../../ts/approvals-sql.ts"
import type { ToolSource as EffectSource } from "../../ts/index.ts"
import {
  type Approvals,
  type ApprovalStore,
  createApprovals,
  createMcpBridge,
  createMcpRouter,
  createMcpToolSource,
  createToolExecutor,
  DendraError,
  type Execute,
  inspectRouter,
  isPendingResult,
  type McpClientLike,
  mergeToolsets,
  type PendingResult,
  type Procedure,
  type Route,
  route,
  type RouterRecord,
  toToolSource
} from "../../ts/router.ts"
import type { toEffectSource } from "../../ts/router-effect.ts"

/** Whether two types are the same, in both directions and in every modifier. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false

/** Compiles where `T` is true, and has nothing to do when it runs. */
const holds = <_T extends true>(): void => {}

/** Never called: what stands in it is compiled only. */
const compiled = (_never: () => unknown): void => {}

const githubClient: McpClientLike = {
  listTools: async () => ({ tools: [{ name: "search_code" }, { name: "create_issue" }] }),
  callTool: async ({ name }) => ({ content: [{ type: "text", text: name }] })
}

const audit = (_event: { path: string }) => {}

describe("types of the router", () => {
  it("take the page's program of approvals, whose contexts have no annotation [R-001-99]", async () => {
    const ctx = { tenantId: "t1", user: { id: "ada" } as { id: string } | undefined }
    const appRouter = { posts: { publish: route.input(z.object({ id: z.number() })).ai({ confirm: true }).handler(({ input }) => `published ${input.id}`) } }
    const approvals = createApprovals(appRouter, {
      scope: (ctx) => ctx.tenantId,
      proposer: (ctx) => ctx.user?.id
    })
    const execute = createToolExecutor(appRouter, ctx, { approvals })
    const res = await execute("posts.publish", { id: 42 })
    assert.isTrue(isPendingResult(res))
    if (isPendingResult(res)) {
      holds<Same<typeof res, PendingResult>>()
      holds<Same<typeof res.actionId, string>>()
    }
    const approverCtx = { tenantId: "t1", user: { id: "bob" } }
    const pending = await approvals.list(approverCtx)
    assert.strictEqual(await approvals.approve(pending[0]!.id, approverCtx), "published 42")
    compiled(() => approvals.reject(pending[0]!.id, approverCtx, "Not this week"))
  })

  it("take the page's program over another MCP server", async () => {
    const authed = route.use(({ ctx }) => ctx as { tenantId: string })
    const gh = await createMcpRouter(githubClient, {
      filter: (name) => ["search_code", "create_issue"].includes(name),
      confirm: (name) => name === "create_issue",
      route: authed.after(audit)
    })
    holds<Same<typeof gh, RouterRecord>>()
    const router = { ping: route.ai().handler(() => "pong"), gh }
    const remote = inspectRouter(router).filter((r) => r.meta.mcp)
    assert.deepStrictEqual(remote.filter((r) => !r.confirm).map((r) => r.path), ["gh.search_code"])
    const local = toToolSource(router, { tenantId: "t1" }, { format: "anthropic", approvals: createApprovals(router) })
    const { execute, tools } = mergeToolsets(local, await createMcpToolSource(githubClient, { prefix: "mcp." }))
    holds<Same<typeof execute, Execute>>()
    assert.strictEqual(tools.length, 5)
  })

  it("take the official SDK's client, and give its handlers what they are to give [R-001-52] [R-001-70]", () => {
    holds<Client extends McpClientLike ? true : false>()
    const bridge = createMcpBridge({ ping: route.ai().handler(() => "pong") }, {})
    compiled(() => {
      const tools: Array<Tool> = bridge.listTools()
      const result: Promise<CallToolResult> = bridge.callTool("ping", {})
      return [tools, result]
    })
    // Without exactOptionalPropertyTypes' help too: what is optional may be undefined.
    const loose = { listTools: async () => ({ tools: [{ name: "a", description: undefined, inputSchema: undefined }] }), callTool: async () => ({ content: undefined, isError: undefined }) }
    const client: McpClientLike = loose
    assert.strictEqual(client, loose)
  })

  it("follow the context from guard to guard, and the input from its schema", () => {
    const none = route.use(() => undefined)
    holds<Same<typeof none, Route<any, undefined>>>()
    const known = route.use(({ ctx }: { ctx: { user?: string } }) => ({ ...ctx, user: ctx.user ?? "nobody" }))
    holds<Same<typeof known, Route<{ user: string }, undefined>>>()
    const checked = known.use(({ ctx }) => {
      if (ctx.user === "nobody") throw new DendraError("FORBIDDEN")
    })
    holds<Same<typeof checked, Route<{ user: string }, undefined>>>()
    const later = known.use(async () => ({ id: 1 }))
    holds<Same<typeof later, Route<{ id: number }, undefined>>>()
    const checkedLater = known.use(async () => {})
    holds<Same<typeof checkedLater, Route<{ user: string }, undefined>>>()
    const sometimes = known.use(({ ctx }) => ctx.user === "a" ? { id: 1 } : undefined)
    holds<Same<typeof sometimes, Route<{ id: number } | { user: string }, undefined>>>()

    const create = known.input(z.object({ n: z.string().transform(Number) })).ai().handler(({ ctx, input }) => `${ctx.user} ${input.n.toFixed()}`)
    holds<Same<typeof create, Procedure<{ user: string }, { n: number }, string>>>()
    const plain = route.input({ type: "object" }).use(({ input }) => void input["a"]).handler(({ input }) => input)
    holds<Same<typeof plain, Procedure<any, Record<string, unknown>, Record<string, unknown>>>>()
    const watch = route.stream().handler(async function*({ signal }) {
      yield signal.aborted
    })
    holds<Same<typeof watch, Procedure<any, undefined, boolean>>>()
    compiled(() => {
      // @ts-expect-error the context has no such member
      known.handler(({ ctx }) => ctx.missing)
      // @ts-expect-error the input has no such member
      route.input(z.object({ a: z.string() })).handler(({ input }) => input.b)
      // @ts-expect-error what the procedure takes is not known yet
      route.use(({ input }) => input.a)
      // @ts-expect-error a handler of a stream gives chunks
      route.stream().handler(() => 1)
      // @ts-expect-error there is no such option
      route.ai({ confirmed: true })
    })
    assert.deepStrictEqual(inspectRouter({ create, plain, watch }).map(({ path }) => path), ["create", "plain", "watch"])
  })

  it("keep approvals to their context, and the store of a database to what may go wrong with it", () => {
    const router = { act: route.ai({ confirm: true }).handler(() => 1) }
    const approvals = createApprovals<{ tenant: string }>(router, { scope: ({ tenant }) => tenant })
    holds<Same<typeof approvals, Approvals<{ tenant: string }>>>()
    compiled(() => {
      // @ts-expect-error the executor's context is not what the approvals take
      createToolExecutor(router, { user: "Ada" }, { approvals })
      // @ts-expect-error a scope is a text
      createApprovals(router, { scope: () => 1 })
    })
    holds<Same<ReturnType<typeof ApprovalStoreSql.make>, Effect.Effect<ApprovalStore, SqlError.SqlError, SqlClient.SqlClient>>>()
    holds<Same<ReturnType<typeof toEffectSource>, EffectSource.ToolSource>>()
    assert.doesNotThrow(() => createToolExecutor(router, { tenant: "a" }, { approvals }))
  })
})
