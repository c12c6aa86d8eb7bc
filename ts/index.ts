/**
 * Tools for agents from wherever they come: the namespaces of the package.
 *
 * @since 0.1.0
 */
export * as Assembly from "./Assembly.ts"
export * as Http from "./Http.ts"
export * as Mcp from "./Mcp.ts"
export * as OpenApi from "./OpenApi.ts"
export * as ToolDefinition from "./ToolDefinition.ts"
export * as ToolSource from "./ToolSource.ts"
export * as ToolSourceError from "./ToolSourceError.ts"
