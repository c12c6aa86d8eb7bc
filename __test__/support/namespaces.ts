/** The namespaces that the tests of presentations use. */
export { Assembly, ToolSource, ToolSourceError } from "../../ts/index.ts"
export * as CodeMode from "../../ts/CodeMode.ts"
export * as CodeRuntime from "../../ts/CodeRuntime.ts"
export * as Presentation from "../../ts/Presentation.ts"
export * as ToolSearch from "../../ts/ToolSearch.ts"
