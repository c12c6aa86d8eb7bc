/** The search over a toolkit's tools. */
import * as Tool from "effect/ai/Tool"
import type * as Schema from "effect/Schema"
import type { Found, Options } from "../ToolSearch.ts"
import { isRefusal, native } from "./native.ts"

const anyObject: Schema.JsonObject = { type: "object" }

const schemas = new WeakMap<Tool.Any, Schema.JsonObject>()

/** The JSON Schema of a tool's input. One that is no JSON (it holds itself) says nothing, and the tool is called all the same. */
export const schemaOf = (tool: Tool.Any): Schema.JsonObject => {
  const known = schemas.get(tool)
  if (known !== undefined) return known
  let schema = Tool.getJsonSchema(tool) as Schema.JsonObject
  try {
    JSON.stringify(schema)
  } catch {
    schema = anyObject
  }
  schemas.set(tool, schema)
  return schema
}

/** Finds tools by words of their names and descriptions. The index is made at the first search. */
export const searchOf = (tools: ReadonlyArray<Tool.Any>, { fields, ranking = "words" }: Options) => {
  const withParameters = fields === "parameters"
  const make = () => {
    const texts = tools.map((tool) => ({
      name: tool.name,
      description: tool.description ?? "",
      ...(withParameters ? { inputSchema: schemaOf(tool) } : undefined)
    }))
    const made = native.toolIndex(JSON.stringify(texts), ranking, withParameters)
    if (isRefusal(made)) throw new Error(made.error)
    return made
  }
  let index: InstanceType<typeof native.ToolIndex> | undefined
  return (query: string, limit: number): Found => {
    const { indices, matched } = (index ??= make()).search(query, limit)
    return {
      tools: Array.from(indices, (at) => {
        const tool = tools[at]!
        return { name: tool.name, description: tool.description ?? "", inputSchema: schemaOf(tool) }
      }),
      matched,
      available: tools.length
    }
  }
}
