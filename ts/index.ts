/**
 * Tools for agents from wherever they come: the namespaces of the package.
 *
 * @since 0.1.0
 */
export * as Assembly from "./Assembly.ts"
export * as CodeMode from "./CodeMode.ts"
export * as CodeRuntime from "./CodeRuntime.ts"
export * as Http from "./Http.ts"
export * as Mcp from "./Mcp.ts"
export * as OpenApi from "./OpenApi.ts"
export * as Presentation from "./Presentation.ts"
export * as ToolDefinition from "./ToolDefinition.ts"
export * as ToolSearch from "./ToolSearch.ts"
export * as ToolSource from "./ToolSource.ts"
export * as ToolSourceError from "./ToolSourceError.ts"
