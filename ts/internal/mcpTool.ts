/** What an MCP server lists of a tool of a toolkit: its parameters as they are, and the hints that were set. */
import * as McpSchema from "effect/ai/McpSchema"
import * as Tool from "effect/ai/Tool"
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import { notJson } from "./json.ts"
import { parametersOf } from "./parameters.ts"

const isToolJson = Schema.is(McpSchema.ToolJson)

/** The hints that a tool was given, which say of the others what MCP says of a tool without them; nothing where it was given none. */
const hintsOf = ({ annotations }: Tool.Any): { readonly annotations?: McpSchema.ToolAnnotations } => {
  const given = (hint: string, { key }: Context.Key<any, any>) =>
    annotations.mapUnsafe.has(key) ? { [hint]: annotations.mapUnsafe.get(key) } : undefined
  const hints = {
    ...given("title", Tool.Title),
    ...given("readOnlyHint", Tool.Readonly),
    ...given("destructiveHint", Tool.Destructive),
    ...given("idempotentHint", Tool.Idempotent),
    ...given("openWorldHint", Tool.OpenWorld)
  }
  return Object.keys(hints).length === 0 ? {} : { annotations: McpSchema.ToolAnnotations.make(hints) }
}

/** A tool as it is listed, or why it cannot be. One that cannot be would take all others off the list. */
export const listed = (name: string, tool: Tool.Any): McpSchema.Tool | string => {
  try {
    if (Tool.isProviderDefined(tool) && !tool.requiresHandler) return "it is run by the provider of a model"
    const schema = parametersOf(tool)
    const mistake = notJson(schema)
    if (mistake !== undefined) return `its parameters are no JSON Schema: ${mistake}`
    if (!isToolJson(schema)) {
      return "its parameters have to have \"type\": \"object\" at the root, an object or a boolean for each of \"properties\", " +
        "and a list of names as \"required\""
    }
    const description = Tool.getDescription(tool)
    const meta = Context.getOrUndefined(tool.annotations, Tool.Meta)
    return new McpSchema.Tool({
      name,
      inputSchema: schema,
      ...hintsOf(tool),
      ...description === undefined ? {} : { description },
      ...meta === undefined ? {} : { _meta: meta }
    })
  } catch (cause) {
    return `it cannot be described: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}
