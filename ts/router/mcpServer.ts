/** A router as the tools of an MCP server: what the server lists, and how it calls. The server itself is the official SDK's. */
import type { Tool } from "../internal/router/procedures.ts"
import { publicError } from "../internal/router/publicError.ts"
import type { Approvals } from "./approvals.ts"
import { type CallOptions, createToolExecutor } from "./executor.ts"
import type { ToolAnnotations } from "./route.ts"
import { shownTools } from "./toolset.ts"

/**
 * A tool as `tools/list` has it.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpToolDef {
  name: string
  description: string
  inputSchema: Record<string, unknown> & { type: "object" }
  /** Left out where there are none. */
  annotations?: { -readonly [Hint in keyof ToolAnnotations]: NonNullable<ToolAnnotations[Hint]> }
}

/**
 * What `tools/call` answers. No interface, which the SDK's open type of an answer does not take.
 *
 * @category models
 * @since 0.1.0
 */
export type McpCallResult = {
  content: Array<{ type: "text"; text: string }>
  isError?: boolean
}

const annotationsOf = ({ ai, method }: Tool): NonNullable<McpToolDef["annotations"]> => ({
  ...method === "GET" ? { readOnlyHint: true } : {},
  ...ai.confirm === true ? { destructiveHint: true } : {},
  ...Object.fromEntries(Object.entries(ai.annotations ?? {}).filter(([, hint]) => hint !== undefined))
})

/**
 * What an MCP server lists for a router: the tools of `toToolset`, with annotations. A `.get()` is `readOnlyHint` and a tool with
 * `confirm` is `destructiveHint`, unless `.ai({ annotations })` says otherwise.
 *
 * @category mcp
 * @since 0.1.0
 */
export const mcpToolDefinitions = (router: object): Array<McpToolDef> =>
  shownTools(router).map(({ description, inputSchema, name, tool }) => {
    const annotations = annotationsOf(tool)
    const listed = { name, description, inputSchema }
    return Object.keys(annotations).length === 0 ? listed : Object.assign(listed, { annotations })
  })

const text = (text: string): McpCallResult["content"] => [{ type: "text", text }]

/**
 * What an MCP server does for a router, with the permissions of `ctx`: make it for each connection or request. A call is
 * answered with its result as JSON text, or with `isError` and the error's message; it rejects only when it is given up, with
 * the signal's reason.
 *
 * @example
 * ```ts
 * import { createMcpBridge, route } from "toolkit-native/router"
 *
 * const bridge = createMcpBridge({ add: route.input({ type: "object" }).ai().handler(({ input }) => input) }, {})
 * // server.setRequestHandler("tools/list", () => ({ tools: bridge.listTools() }))
 * // server.setRequestHandler("tools/call", ({ params }, { mcpReq }) => bridge.callTool(params.name, params.arguments, mcpReq))
 * bridge.callTool("add", { a: 1 }).then(({ content }) => console.log(content[0]?.text)) // "{"a":1}"
 * ```
 *
 * @category mcp
 * @since 0.1.0
 */
export const createMcpBridge = <Ctx>(
  router: object,
  ctx: Ctx,
  options: { readonly approvals?: Approvals<Ctx> | undefined } = {}
): {
  listTools(): Array<McpToolDef>
  callTool(name: string, args: unknown, call?: CallOptions): Promise<McpCallResult>
} => {
  const execute = createToolExecutor(router, ctx, options)
  const tools = mcpToolDefinitions(router)
  return {
    listTools: () => structuredClone(tools),
    async callTool(name, args, call) {
      try {
        return { content: text(JSON.stringify(await execute(name, args ?? {}, call)) ?? "null") }
      } catch (error) {
        if (call?.signal?.aborted === true) throw call.signal.reason
        return { content: text(publicError(name, error).message), isError: true }
      }
    }
  }
}
