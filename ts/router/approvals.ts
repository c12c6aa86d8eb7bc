/** Calls that a person has to approve: they are stored instead of run, and decided once. */
import { toolsOf } from "../internal/router/procedures.ts"
import { opened } from "../internal/router/proposals.ts"
import { finish, prepare, type Prepared, tell } from "../internal/router/run.ts"
import { DendraError } from "./error.ts"

/**
 * A tool call that waits for a decision.
 *
 * @category models
 * @since 0.1.0
 */
export interface PendingAction {
  readonly id: string
  /** The tool's dotted name. */
  readonly tool: string
  /** The arguments as the model gave them: JSON. They are checked again before they run. */
  readonly input: unknown
  /** What `scope` made of the context of the call; absent where that was nothing. */
  readonly scope?: string | undefined
  /** What `proposer` made of it. */
  readonly proposer?: string | undefined
  /** When it was stored: an ISO 8601 time in UTC. */
  readonly createdAt: string
}

/**
 * Keeps pending actions.
 *
 * @category models
 * @since 0.1.0
 */
export interface ApprovalStore {
  add(action: PendingAction): Promise<void>
  get(id: string): Promise<PendingAction | null>
  /** Removes it and gives it, as one step, so that an action is decided once: whoever comes second gets null. */
  take(id: string): Promise<PendingAction | null>
  /** Those of a scope; without one, all or those without a scope. */
  list(scope?: string): Promise<Array<PendingAction>>
}

/**
 * What `createApprovals` takes besides the router.
 *
 * @category options
 * @since 0.1.0
 */
export interface ApprovalsOptions<Ctx> {
  /** Where actions are kept; `createInMemoryApprovalStore()` when not given. */
  readonly store?: ApprovalStore | undefined
  /** Whose an action is, by its context: an action is listed and decided only where this gives the same text, or nothing as well. */
  readonly scope?: ((ctx: Ctx) => string | undefined) | undefined
  /** Who the call was made for, which is stored with the action. */
  readonly proposer?: ((ctx: Ctx) => string | undefined) | undefined
}

/**
 * The actions of a router that wait, and their decisions. Every decision is made with the context of the person who decides.
 *
 * @category models
 * @since 0.1.0
 */
export interface Approvals<Ctx> {
  /** The actions of the context's own scope. */
  list(ctx: Ctx): Promise<Array<PendingAction>>
  /** Runs the action with the person's context, and gives what its handler gives. */
  approve(id: string, ctx: Ctx): Promise<unknown>
  /** Removes the action, which then never runs. */
  reject(id: string, ctx: Ctx, reason?: string): Promise<void>
}

/**
 * What a model gets in place of the result of a call that a person has to approve.
 *
 * @category models
 * @since 0.1.0
 */
export interface PendingResult {
  readonly status: "pending_approval"
  readonly actionId: string
  readonly message: "Waiting for a person to approve this action. It has not run yet."
}

/**
 * Whether a tool's result says that the call waits for a person.
 *
 * @category guards
 * @since 0.1.0
 */
export const isPendingResult = (value: unknown): value is PendingResult =>
  typeof value === "object" && value !== null && "status" in value && value.status === "pending_approval" &&
  "actionId" in value && typeof value.actionId === "string"

/**
 * A store of this process alone, from which all actions are gone when it ends: for development, tests, and apps of one process.
 * Actions are copied on the way in and out.
 *
 * @category constructors
 * @since 0.1.0
 */
export const createInMemoryApprovalStore = (): ApprovalStore => {
  const actions = new Map<string, PendingAction>()
  const copyOf = (id: string): PendingAction | null => structuredClone(actions.get(id) ?? null)
  return {
    async add(action) {
      if (actions.has(action.id)) throw new Error(`An action '${action.id}' is stored already`)
      actions.set(action.id, structuredClone(action))
    },
    async get(id) {
      return copyOf(id)
    },
    async take(id) {
      const action = copyOf(id)
      actions.delete(id)
      return action
    },
    async list(scope) {
      return structuredClone([...actions.values()].filter((action) => scope === undefined || action.scope === scope))
    }
  }
}

/** A store may give null for an action without a scope. */
const isOf = (action: PendingAction, scope: string | undefined): boolean => (action.scope ?? undefined) === scope

/** What the host makes of a context has to be a text or nothing: a promise would be in nobody's scope. */
const textOf = <Ctx>(name: string, make: ((ctx: Ctx) => string | undefined) | undefined, ctx: Ctx): string | undefined => {
  const made: unknown = make?.(ctx) ?? undefined
  if (made === undefined || typeof made === "string") return made
  throw new TypeError(`${name} of createApprovals() has to give a text or undefined, not ${made instanceof Promise ? "a Promise" : typeof made}`)
}

/**
 * Holds the calls of a router's tools with `.ai({ confirm: true })` until a person decides. Make it once, and give it to every
 * executor, tool source and bridge that proposes calls.
 *
 * `approve` and `reject` check the stored input again and ask the guards with the deciding context, then take the action from
 * the store, then act. What is refused before that stays pending. They reject with what the guards or the handler throw, as it
 * is, and with a `DendraError`: `NOT_FOUND` for an id that is not pending in the context's scope, or whose tool is gone;
 * `BAD_REQUEST` for an input that the tool takes no more; `CONFLICT` where another decision came first.
 *
 * @example
 * ```ts
 * import { createApprovals, createToolExecutor, isPendingResult, route } from "toolkit-native/router"
 *
 * const router = { publish: route.ai({ confirm: true }).handler(({ ctx }) => `published by ${ctx.user}`) }
 * const approvals = createApprovals(router, { scope: (ctx) => ctx.tenant })
 *
 * const execute = createToolExecutor(router, { user: "agent", tenant: "a" }, { approvals })
 * execute("publish", {}).then(async (result) => {
 *   if (isPendingResult(result)) console.log(await approvals.approve(result.actionId, { user: "Ada", tenant: "a" })) // "published by Ada"
 * })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const createApprovals = <Ctx = any>(router: object, options: ApprovalsOptions<Ctx> = {}): Approvals<Ctx> => {
  const tools = toolsOf(router)
  const store = options.store ?? createInMemoryApprovalStore()
  const scopeOf = (ctx: Ctx): string | undefined => textOf("scope", options.scope, ctx)

  /** The action as far as it is before it is decided. */
  const found = async (id: string, ctx: Ctx): Promise<Prepared> => {
    const scope = scopeOf(ctx)
    // An id may come from a request's body: no store is asked for anything but a text, or finds another for it.
    const action = typeof id === "string" ? await store.get(id) ?? undefined : undefined
    // An action of another scope is not told from one that is not there.
    if (action === undefined || action.id !== id || !isOf(action, scope)) throw new DendraError("NOT_FOUND", `Action '${String(id)}' not found`)
    const tool = tools.get(action.tool)
    if (tool === undefined) throw new DendraError("NOT_FOUND", `Tool '${action.tool}' not found`)
    const prepared = await prepare({ path: action.tool, tool, ctx, args: action.input })
    if (prepared.refused !== undefined) throw prepared.refused.error
    return prepared
  }
  const take = async (id: string): Promise<void> => {
    const taken = await store.take(id)
    if (taken === null || taken === undefined) throw new DendraError("CONFLICT", `Action '${id}' has been decided already`)
  }

  const approvals: Approvals<Ctx> = {
    async list(ctx) {
      const scope = scopeOf(ctx)
      return (await store.list(scope)).filter((action) => isOf(action, scope))
    },
    async approve(id, ctx) {
      const prepared = await found(id, ctx)
      await take(id)
      return finish(prepared, { id, status: "approved" })
    },
    async reject(id, ctx, reason) {
      const prepared = await found(id, ctx)
      await take(id)
      await tell(prepared, { approval: { id, status: "rejected", ...reason === undefined ? {} : { reason } } })
    }
  }
  return opened(approvals, {
    knows: (name) => tools.has(name),
    propose: async ({ ctx, input, tool }) => {
      const id = crypto.randomUUID()
      const scope = scopeOf(ctx as Ctx)
      const proposer = textOf("proposer", options.proposer, ctx as Ctx)
      await store.add({
        id,
        tool,
        input,
        ...scope === undefined ? {} : { scope },
        ...proposer === undefined ? {} : { proposer },
        createdAt: new Date().toISOString()
      })
      return id
    }
  })
}
