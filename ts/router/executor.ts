/** Runs a tool call by name, the way a model asked for it. */
import { untilAborted } from "../internal/router/abort.ts"
import { type Tool, toolsOf } from "../internal/router/procedures.ts"
import { proposerOf } from "../internal/router/proposals.ts"
import { publicError } from "../internal/router/publicError.ts"
import { finish, prepare, tell } from "../internal/router/run.ts"
import type { Approvals, PendingResult } from "./approvals.ts"
import { DendraError } from "./error.ts"

/**
 * How a call is made.
 *
 * @category options
 * @since 0.1.0
 */
export interface CallOptions {
  /** Cancels the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs a tool by its dotted name with arguments, which are JSON.
 *
 * @category models
 * @since 0.1.0
 */
export type Execute = (name: string, args: unknown, call?: CallOptions) => Promise<unknown>

const waiting: PendingResult["message"] = "Waiting for a person to approve this action. It has not run yet."

/**
 * A function that runs tool calls with the permissions of `ctx`: the input is checked, every guard runs with `ctx`, and the
 * after-hooks see the call. Make it for each request, of the request's own context.
 *
 * It rejects with a `DendraError` alone, whose message a model may read as it is, or with the reason of `call.signal`:
 * `NOT_FOUND` for a name that is no tool, `BAD_REQUEST` for an input that the tool does not take, `FORBIDDEN` for a tool with
 * `confirm` where no `approvals` are given, `INTERNAL` for an error of a handler, which is logged, and whatever `DendraError` a
 * guard or a handler throws.
 *
 * A stream is collected: one text where all its chunks are texts, else a list. It is ended after `maxItems` chunks or
 * `timeoutMs`, and what has come by then is answered. A call that is given up rejects at once; a stream's handler sees its
 * signal aborted, and any other handler runs on.
 *
 * @example
 * ```ts
 * import { createToolExecutor, route } from "toolkit-native/router"
 *
 * const router = { time: route.ai().handler(() => "noon") }
 * const execute = createToolExecutor(router, {})
 * execute("time", {}).then(console.log) // "noon"
 * ```
 *
 * @category calls
 * @since 0.1.0
 */
export const createToolExecutor = <Ctx>(
  router: object,
  ctx: Ctx,
  options: { readonly approvals?: Approvals<Ctx> | undefined } = {}
): Execute => {
  const tools = toolsOf(router)
  const propose = options.approvals === undefined ? undefined : proposerOf(options.approvals)

  const run = async (path: string, tool: Tool, args: unknown, signal: AbortSignal | undefined): Promise<unknown> => {
    const isHeld = tool.ai.confirm === true
    if (isHeld && propose === undefined) throw new DendraError("FORBIDDEN", `Tool '${path}' needs a person's approval, which cannot be asked for here`)
    const prepared = await prepare({ path, tool, ctx, args, signal })
    if (prepared.refused !== undefined) {
      await tell(prepared, prepared.refused)
      throw prepared.refused.error
    }
    signal?.throwIfAborted()
    if (!isHeld) return finish(prepared)
    let id: string
    try {
      id = await propose!({ tool: path, input: JSON.parse(prepared.text), ctx })
    } catch (error) {
      await tell(prepared, { error })
      throw error
    }
    const result: PendingResult = { status: "pending_approval", actionId: id, message: waiting }
    await tell(prepared, { approval: { id, status: "pending" }, result })
    return result
  }

  return async (name, args, { signal } = {}) => {
    signal?.throwIfAborted()
    const tool = tools.get(name)
    if (tool === undefined) throw new DendraError("NOT_FOUND", `Tool '${name}' not found`)
    const work = run(name, tool, args, signal).catch((error: unknown) => {
      throw signal?.aborted === true && error === signal.reason ? error : publicError(name, error)
    })
    return untilAborted(work, signal)
  }
}
