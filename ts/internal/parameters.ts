/**
 * The parameters of a tool as JSON Schema, for whoever wants an object at the root: MCP, and the APIs of models.
 *
 * The rule: what somebody wrote as JSON Schema stays as it is; what Effect makes of a schema of its own may have a reference at
 * the root, in whose place what it refers to is put.
 */
import * as Tool from "effect/ai/Tool"

type JsonSchema = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null

/** The definition that a reference names: by a pointer (RFC 6901) in the fragment of an address, where it may be percent-encoded. */
const definitionOf = (definitions: JsonSchema, reference: string): JsonSchema | undefined => {
  const pointer = /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1]
  if (pointer === undefined) return undefined
  const name = decodeURIComponent(pointer).replaceAll("~1", "/").replaceAll("~0", "~")
  return Object.hasOwn(definitions, name) && isObject(definitions[name]) ? definitions[name] : undefined
}

/**
 * A schema whose root refers to a definition of its own, as that of a class or of a recursive type does, with the definition at the
 * root, also where that refers to another. Beside a reference Effect writes words alone, of which the outermost count.
 */
const rooted = (schema: JsonSchema): JsonSchema => {
  const { $defs: definitions } = schema
  if (!isObject(definitions)) return schema
  const passed = new Set<unknown>()
  let root = schema
  while (typeof root["$ref"] === "string") {
    const { $ref: reference, ...beside } = root
    if (passed.has(reference)) throw new Error(`the root of its parameters is a circle of references: ${[...passed].join(", ")}`)
    passed.add(reference)
    const definition = definitionOf(definitions, root["$ref"])
    if (definition === undefined) return schema
    root = { ...definition, ...beside }
  }
  return root
}

/** The parameters of a tool; throws for what is no schema of any. */
export const parametersOf = (tool: Tool.Any): JsonSchema =>
  Tool.isDynamic(tool) && tool.jsonSchema !== undefined ? tool.jsonSchema : rooted(Tool.getJsonSchema(tool))
