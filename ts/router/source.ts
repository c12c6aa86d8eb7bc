/** Sets of tools with the functions that run them, and one set of several. */
import { toolsOf } from "../internal/router/procedures.ts"
import type { Approvals } from "./approvals.ts"
import { DendraError } from "./error.ts"
import { type CallOptions, createToolExecutor, type Execute } from "./executor.ts"
import { type ToolFormat, toToolset } from "./toolset.ts"

/**
 * Tools, and what runs them. A router is one (`toToolSource`), and so is an MCP server (`createMcpToolSource`); any object of
 * this shape is too.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolSource {
  /** The tools, each in a provider's format. */
  tools: Array<unknown>
  /** The names that it answers to. */
  names: Array<string>
  /** Runs one of its tools. */
  execute(name: string, args: unknown, call?: CallOptions): Promise<unknown>
}

/**
 * A router as a tool source: `toToolset` shows its tools, and `createToolExecutor` runs them with `ctx`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const toToolSource = <Ctx>(
  router: object,
  ctx: Ctx,
  options: { readonly format?: ToolFormat | undefined; readonly approvals?: Approvals<Ctx> | undefined } = {}
): ToolSource => ({
  tools: toToolset(router, options),
  names: [...toolsOf(router).keys()],
  execute: createToolExecutor(router, ctx, options)
})

/**
 * One list of the tools of several sources, in their order, and one function that runs each in the source that it is of. Two
 * tools of one name are an `Error` at once; `execute` rejects with `NOT_FOUND` for a name that is no tool.
 *
 * @example
 * ```ts
 * import { mergeToolsets, route, toToolSource } from "toolkit-native/router"
 *
 * const notes = toToolSource({ notes: { count: route.ai().handler(() => 3) } }, {})
 * const clock = { tools: [], names: ["now"], execute: async () => "noon" }
 * const { execute } = mergeToolsets(notes, clock)
 * execute("now", {}).then(console.log) // "noon"
 * ```
 *
 * @category combining
 * @since 0.1.0
 */
export const mergeToolsets = (...sources: ReadonlyArray<ToolSource>): { readonly tools: Array<unknown>; readonly execute: Execute } => {
  const owners = new Map<string, ToolSource>()
  for (const source of sources) {
    for (const name of source.names) {
      if (owners.has(name)) throw new Error(`Two tools are named '${name}': give one source a prefix`)
      owners.set(name, source)
    }
  }
  return {
    tools: sources.flatMap(({ tools }) => tools),
    execute: async (name, args, call) => {
      const owner = owners.get(name)
      if (owner === undefined) throw new DendraError("NOT_FOUND", `Tool '${name}' not found`)
      return owner.execute(name, args, call)
    }
  }
}
