/** What is in a router, for tests and tools of the host. */
import { proceduresOf } from "../internal/router/procedures.ts"

/**
 * A procedure of a router.
 *
 * @category models
 * @since 0.1.0
 */
export interface InspectedProcedure {
  /** The dotted path. */
  readonly path: string
  /** What it serves, where `.get()` or `.post()` says it. */
  readonly method?: "GET" | "POST"
  /** Whether a model can call it. */
  readonly ai: boolean
  /** Whether a person has to approve each call. */
  readonly confirm: boolean
  /** The text of `.describe()`, or else that of `.ai()`. */
  readonly description?: string
  /** What `.meta()` was given. `mcp.tool` is a server's name of a tool that `createMcpRouter` made. */
  readonly meta: { readonly mcp?: { readonly tool: string } } & Readonly<Record<string, unknown>>
}

/**
 * All procedures of a router, also those that no model can call.
 *
 * @example
 * ```ts
 * import { inspectRouter, route } from "toolkit-native/router"
 *
 * const router = { posts: { publish: route.ai({ confirm: true }).handler(() => null), list: route.get("/posts").handler(() => []) } }
 * console.log(inspectRouter(router).filter(({ ai }) => ai).map(({ confirm, path }) => `${path} ${confirm}`).join()) // "posts.publish true"
 * ```
 *
 * @category inspecting
 * @since 0.1.0
 */
export const inspectRouter = (router: object): Array<InspectedProcedure> =>
  Array.from(proceduresOf(router), ([path, { ai, meta, method, text }]) => ({
    path,
    ...method === undefined ? {} : { method },
    ai: ai !== undefined,
    confirm: ai?.confirm === true,
    ...(text ?? ai?.description) === undefined ? {} : { description: text ?? ai!.description! },
    meta: { ...meta }
  }))
