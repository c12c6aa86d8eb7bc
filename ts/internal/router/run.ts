/** The steps of a call: its input is checked, the guards run, then the handler, and the hooks are told how it went. */
import type { Approval } from "../../router/route.ts"
import { argumentsOf } from "./input.ts"
import type { Step, Tool } from "./procedures.ts"
import { collect } from "./stream.ts"

export interface Call {
  readonly path: string
  readonly tool: Tool
  readonly ctx: unknown
  readonly args: unknown
  readonly signal?: AbortSignal | undefined
}

/** A call as far as it is before its handler. */
export interface Prepared {
  readonly call: Call
  /** The arguments as they were given, as JSON text: a guard may have changed what it got of them. */
  readonly text: string
  readonly input: unknown
  readonly ctx: unknown
  /** The hooks that are to be told, each with the context that it sees. */
  readonly hooks: ReadonlyArray<{ readonly run: (Step & { readonly kind: "hook" })["run"]; readonly ctx: unknown }>
  /** What a guard refused the call with. */
  readonly refused?: { readonly error: unknown } | undefined
}

export interface Outcome {
  readonly approval?: Approval | undefined
  readonly result?: unknown
  readonly error?: unknown
}

const given = (value: unknown): unknown => typeof value === "object" && value !== null && !Array.isArray(value) ? value : {}

/** Checks the input, then asks the guards. Throws for an input that is refused, and for a call that is given up. */
export const prepare = async (call: Call): Promise<Prepared> => {
  const { args, path, signal, tool } = call
  const written = argumentsOf(tool.input === undefined ? given(args) : args)
  const input = await tool.input?.read(written)
  signal?.throwIfAborted()
  const hooks: Array<Prepared["hooks"][number]> = []
  let ctx = call.ctx
  for (const step of tool.steps) {
    if (step.kind === "hook") {
      hooks.push({ run: step.run, ctx })
      continue
    }
    try {
      const next = await step.run({ ctx, input, path })
      // A condition that somebody returned instead of throwing would let everybody in.
      if (typeof next === "boolean" || next === null) throw new TypeError(`A guard of ${path} returned ${next}: it returns the context or nothing, and throws to refuse a call`)
      if (next !== undefined) ctx = next
    } catch (error) {
      return { call, text: written.text, input, ctx, hooks, refused: { error } }
    }
    signal?.throwIfAborted()
  }
  return { call, text: written.text, input, ctx, hooks }
}

/** Tells the hooks what came of a call. */
export const tell = async ({ call, hooks, input }: Prepared, outcome: Outcome): Promise<void> => {
  for (const { ctx, run } of hooks) {
    try {
      await run({ ctx, path: call.path, input, transport: "tool", ...outcome })
    } catch (error) {
      console.error("An after-hook of the procedure %s failed", JSON.stringify(call.path), error)
    }
  }
}

const defaults = { maxItems: 1000, timeoutMs: 30_000 }

const handle = async ({ call: { path, signal, tool: { ai, handler } }, ctx, input }: Prepared): Promise<unknown> => {
  if (handler.kind === "stream") {
    const { maxItems = defaults.maxItems, timeoutMs = defaults.timeoutMs } = ai
    return collect((signal) => handler.run({ ctx, input, signal }), { maxItems, timeoutMs, signal })
  }
  const result = await handler.run({ ctx, input })
  if (typeof result === "object" && result !== null && Symbol.asyncIterator in result) {
    throw new TypeError(`The handler of ${path} gave a stream: put .stream() before .handler()`)
  }
  return result
}

/** Runs the handler, and tells the hooks. */
export const finish = async (prepared: Prepared, approval?: Approval): Promise<unknown> => {
  const about = approval === undefined ? {} : { approval }
  let result: unknown
  try {
    result = await handle(prepared)
  } catch (error) {
    await tell(prepared, { ...about, error })
    throw error
  }
  await tell(prepared, { ...about, result })
  return result
}
