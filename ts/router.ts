/**
 * A router of procedures as tools: for models, over MCP, with guards, hooks and approvals by people. Promises throughout, and
 * nothing of Effect but where a toolkit of it is made a source, or a source of it asked for.
 *
 * @since 0.1.0
 */
export {
  type Approvals,
  type ApprovalsOptions,
  type ApprovalStore,
  createApprovals,
  createInMemoryApprovalStore,
  isPendingResult,
  type PendingAction,
  type PendingResult
} from "./router/approvals.ts"
export { DendraError, type ErrorCode } from "./router/error.ts"
export { type CallOptions, createToolExecutor, type Execute } from "./router/executor.ts"
export { fromToolkit, type FromToolkitOptions, toEffectSource, type ToolkitLike } from "./router/effect.ts"
export { type InspectedProcedure, inspectRouter } from "./router/inspect.ts"
export {
  createMcpRouter,
  createMcpToolSource,
  type McpClientLike,
  type McpRouterOptions,
  type McpToolSourceOptions
} from "./router/mcpClient.ts"
export { createMcpBridge, type McpCallResult, mcpToolDefinitions, type McpToolDef } from "./router/mcpServer.ts"
export {
  type AfterEvent,
  type AiOptions,
  type Approval,
  type JSONSchema,
  type NextCtx,
  type OutputOf,
  type Procedure,
  type Route,
  route,
  type RouterRecord,
  type StandardInput,
  type StandardSchema,
  type StandardSchemaWithJSON,
  type StreamRoute,
  type ToolAnnotations
} from "./router/route.ts"
export { mergeToolsets, type ToolSource, toToolSource } from "./router/source.ts"
export { formatTool, type PlainTool, type ToolFormat, toToolset } from "./router/toolset.ts"
