/**
 * The way to Effect and back, for who has it: its modules are loaded when these are used, and no type here is of Effect.
 * `toolkit-native/router-effect` has both with their types.
 */
import { untilAborted } from "../internal/router/abort.ts"
import { publicError } from "../internal/router/publicError.ts"
import { DendraError } from "./error.ts"
import type { Approvals } from "./approvals.ts"
import type { ToolSource } from "./source.ts"
import type { JSONSchema } from "./route.ts"
import { formatTool, type ToolFormat } from "./toolset.ts"

/** A toolkit of Effect AI, of which only this is looked at before a tool is called. */
export interface ToolkitLike {
  readonly tools: Readonly<Record<string, unknown>>
  readonly handle: (...args: any) => unknown
}

/**
 * How a toolkit becomes a source.
 *
 * @category options
 * @since 0.1.0
 */
export interface FromToolkitOptions {
  readonly format?: ToolFormat | undefined
  /** Runs an effect, with the services that the toolkit's handlers need: `runtime.runPromise`, say. `Effect.runPromise` when not given. */
  readonly runPromise?: ((effect: any) => Promise<any>) | undefined
}

const described = (name: string, tool: unknown): readonly [description: string, schema: JSONSchema] => {
  const { description, jsonSchema } = tool as { readonly description?: unknown; readonly jsonSchema?: unknown }
  if (typeof jsonSchema !== "object" || jsonSchema === null) {
    throw new TypeError(`Tool '${name}' has a schema of Effect instead of a JSON Schema: take fromToolkit of toolkit-native/router-effect`)
  }
  return [typeof description === "string" ? description : name, jsonSchema as JSONSchema]
}

/**
 * A toolkit of an assembly as a tool source of a router. Its tools run as when a model calls them; one that needs approval is
 * `FORBIDDEN`, since a person is asked through Effect's language model alone. A tool with a schema of Effect's own, such as those of
 * a presentation, is a TypeError: `fromToolkit` of `toolkit-native/router-effect` takes those too.
 *
 * `execute` rejects with a `DendraError`: `NOT_FOUND`, `BAD_REQUEST` for an input that the tool does not take, `INTERNAL` for a
 * defect and for a `runPromise` that rejects, which are logged, `BAD_GATEWAY` for any other failure; or with the reason of
 * `call.signal`. After a `runPromise` that rejected, the next call asks it again.
 *
 * @category conversions
 * @since 0.1.0
 */
export const fromToolkit = (toolkit: ToolkitLike, options: FromToolkitOptions = {}): ToolSource => {
  const { format = "plain", runPromise } = options
  const names = Object.keys(toolkit.tools)
  let source: Promise<ToolSource> | undefined
  const load = async (): Promise<ToolSource> => {
    try {
      return await (await import("../internal/router/effect.ts")).sourceOf(toolkit, { format, runPromise })
    } catch (error) {
      source = undefined
      throw error
    }
  }
  const run = async (...[name, args, call]: Parameters<ToolSource["execute"]>): Promise<unknown> => {
    try {
      const { execute } = await (source ??= load())
      // Whoever waited for it may have given up meanwhile: nothing of such a call runs.
      call?.signal?.throwIfAborted()
      return await execute(name, args, call)
    } catch (error) {
      throw call?.signal?.aborted === true ? call.signal.reason : publicError(name, error)
    }
  }
  return {
    names,
    tools: names.map((name) => formatTool(name, ...described(name, toolkit.tools[name]), format)),
    async execute(name, args, call) {
      call?.signal?.throwIfAborted()
      if (!Object.hasOwn(toolkit.tools, name)) throw new DendraError("NOT_FOUND", `Tool '${name}' not found`)
      return untilAborted(run(name, args, call), call?.signal)
    }
  }
}

/**
 * A router as a source of tools for `Assembly.toolkit`, as `toEffectSource` of `toolkit-native/router-effect` has it with its types.
 *
 * @category conversions
 * @since 0.1.0
 */
export const toEffectSource = async <Ctx>(
  name: string,
  router: object,
  ctx: Ctx,
  options: { readonly approvals?: Approvals<Ctx> | undefined } = {}
): Promise<unknown> => (await import("../router-effect.ts")).toEffectSource(name, router, ctx, options)
