/**
 * An app's own functions as tools: with a guard, a hook, a person's approval, and the tools of another MCP server behind the same.
 *
 *     npx tsx examples/router.ts
 *
 * The model is a script, and the other server runs in this process, so nothing leaves the machine.
 */
import { Client, InMemoryTransport } from "@modelcontextprotocol/client"
import { Server } from "@modelcontextprotocol/server"
import {
  type AfterEvent,
  createApprovals,
  createMcpBridge,
  createMcpRouter,
  createToolExecutor,
  DendraError,
  inspectRouter,
  isPendingResult,
  type PlainTool,
  route,
  toToolset
} from "toolkit-native/router"
import { z } from "zod"
import { bold, cut, dim, green, line, red, yellow } from "./support/print.ts"

interface Ctx {
  readonly tenant: string
  readonly user?: string | undefined
}

interface Note {
  readonly id: number
  readonly title: string
  isPublic: boolean
}

const notes = new Map<string, Array<Note>>([["acme", [{ id: 1, title: "Read it", isPublic: false }]], ["other", []]])

const audit = ({ approval, ctx, error, path }: AfterEvent<{ readonly user: string }>): void => {
  const how = error instanceof Error ? red(error.message) : approval?.status ?? "done"
  line(`    ${dim(`audit: ${ctx.user} called ${path}:`)} ${dim(how)}`)
}

/** What every procedure begins with: who is not signed in is refused, and the rest is written down. */
const authed = route
  .use(({ ctx }: { ctx: Ctx }) => {
    if (ctx.user === undefined) throw new DendraError("UNAUTHORIZED", "Sign in first")
    return { user: ctx.user, notes: notes.get(ctx.tenant) ?? [] }
  })
  .after(audit)

/** An MCP server that somebody else runs, as far as this app knows. */
const startIssues = async (): Promise<Client> => {
  const server = new Server({ name: "issues", version: "1" }, { capabilities: { tools: {} } })
  const issues = createMcpBridge({
    issues: {
      search: route.input(z.object({ query: z.string() })).ai({ description: "Search issues" }).handler(({ input }) => [`#7 ${input.query}`]),
      create: route.input(z.object({ title: z.string() })).ai({ description: "Create an issue" }).handler(({ input }) => ({ created: input.title })),
      purge: route.ai({ description: "Delete all issues" }).handler(() => "gone")
    }
  }, {})
  server.setRequestHandler("tools/list", () => ({ tools: issues.listTools() }))
  server.setRequestHandler("tools/call", ({ params }, { mcpReq }) => issues.callTool(params.name, params.arguments, mcpReq))
  const client = new Client({ name: "app", version: "1" })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(theirs), client.connect(ours)])
  return client
}

const issues = await startIssues()

const router = {
  notes: {
    list: authed.get("/notes").ai({ description: "List notes" }).handler(({ ctx }) => ctx.notes),
    create: authed.post("/notes").input(z.object({ title: z.string().min(1) })).ai({ description: "Create a note" }).handler(({ ctx, input }) => {
      const note: Note = { id: ctx.notes.length + 1, title: input.title, isPublic: false }
      ctx.notes.push(note)
      return note
    }),
    publish: authed.input(z.object({ id: z.number().int() })).ai({ description: "Publish a note", confirm: true }).handler(({ ctx, input }) => {
      const note = ctx.notes.find(({ id }) => id === input.id)
      if (note === undefined) throw new DendraError("NOT_FOUND", `There is no note ${input.id}`)
      note.isPublic = true
      return note
    }),
    watch: authed.ai({ description: "Say what happens", maxItems: 3 }).stream().handler(async function*({ signal }) {
      for (let at = 1; !signal.aborted; at++) yield `event ${at}. `
    })
  },
  // The tools that are named, behind the same guard and hook, and what writes only after a person has approved.
  tracker: await createMcpRouter(issues, {
    filter: (name) => ["issues.search", "issues.create"].includes(name),
    confirm: (name) => name === "issues.create",
    route: authed
  })
}

const approvals = createApprovals<Ctx>(router, { scope: ({ tenant }) => tenant, proposer: ({ user }) => user })

line(bold("1. What a model is shown"))
for (const { description, name } of toToolset(router) as ReadonlyArray<PlainTool>) line(`  ${name.padEnd(26)}${dim(cut(description, 70))}`)
line(`  ${dim(`and ${inspectRouter(router).filter(({ confirm }) => confirm).map(({ path }) => path).join(" and ")} wait for a person`)}`)

/** A call of the model's, with the rights of a context. */
const call = async (ctx: Ctx, name: string, args: unknown): Promise<unknown> => {
  line(`  ${bold(name)} ${dim(JSON.stringify(args))}`)
  try {
    const result = await createToolExecutor(router, ctx, { approvals })(name, args)
    line(`    ${isPendingResult(result) ? yellow("pending") : green("result")}  ${cut(JSON.stringify(result), 100)}`)
    return result
  } catch (error) {
    line(`    ${red((error as DendraError).code)}  ${(error as DendraError).message}`)
    return undefined
  }
}

const agent: Ctx = { tenant: "acme", user: "agent" }

line(bold("\n2. A model calls"))
await call(agent, "notes.create", { title: "Write it" })
await call(agent, "notes.create", { title: 5 })
await call({ tenant: "acme" }, "notes.list", {})
await call(agent, "notes.watch", {})
await call(agent, "tracker.issues.search", { query: "flood" })
await call(agent, "tracker.issues.purge", {})

line(bold("\n3. A person decides"))
const pending = await call(agent, "notes.publish", { id: 2 })
const created = await call(agent, "tracker.issues.create", { title: "The cellar is flooded" })
const ada: Ctx = { tenant: "acme", user: "ada" }
const seen = async (ctx: Ctx) => (await approvals.list(ctx)).map(({ proposer, tool }) => `${tool} of ${proposer}`).join(", ")
line(`  ${dim("ada sees")} ${await seen(ada)}`)
line(`  ${dim("another tenant sees")} ${await seen({ tenant: "other", user: "eve" }) || "nothing"}`)
if (isPendingResult(pending) && isPendingResult(created)) {
  line(`  ${bold("ada and bob approve at once")}`)
  const decided = await Promise.allSettled([approvals.approve(pending.actionId, ada), approvals.approve(pending.actionId, { ...ada, user: "bob" })])
  for (const decision of decided) {
    line(decision.status === "fulfilled" ? `    ${green("result")}  ${JSON.stringify(decision.value)}` : `    ${red((decision.reason as DendraError).code)}  ${(decision.reason as DendraError).message}`)
  }
  line(`  ${bold("ada rejects the issue")}`)
  await approvals.reject(created.actionId, ada, "It is dry again")
}
line(`  ${dim("left to decide:")} ${await seen(ada) || "nothing"}`)

await issues.close()
