/** What the scripted model calls: one call that works, one with a mistake, one that writes. */
import type { Http } from "toolkit-native"
import { Assembly } from "toolkit-native"

export interface Call {
  readonly name: string
  readonly input: unknown
}

export const boxCalls: ReadonlyArray<Call> = [
  { name: "api__get_files_id_tasks", input: { file_id: "12345" } },
  { name: "api__get_folders_id_metadata", input: { folderId: "0", view: 7 } },
  { name: "api__delete_tasks_id", input: { task_id: "11446498" } }
]

type Schema = { readonly [key: string]: unknown }

const isObject = (value: unknown): value is Schema => typeof value === "object" && value !== null && !Array.isArray(value)

/** A value that a schema is likely to accept: its examples, else the plainest of its type. */
const sample = (schema: unknown, root: Schema, depth = 0): unknown => {
  if (!isObject(schema) || depth > 8) return "x"
  const reference = /^#\/\$defs\/(.+)$/.exec(String(schema["$ref"] ?? ""))?.[1]
  if (reference !== undefined) {
    const name = decodeURIComponent(reference).replaceAll("~1", "/").replaceAll("~0", "~")
    return sample((root["$defs"] as Schema | undefined)?.[name], root, depth + 1)
  }
  for (const key of ["examples", "enum"]) if (Array.isArray(schema[key])) return (schema[key] as ReadonlyArray<unknown>)[0]
  if ("const" in schema) return schema["const"]
  if ("default" in schema) return schema["default"]
  for (const key of ["allOf", "anyOf", "oneOf"]) if (Array.isArray(schema[key])) return sample((schema[key] as ReadonlyArray<unknown>)[0], root, depth + 1)
  const type = Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"]
  if (type === "object" || isObject(schema["properties"])) {
    const properties = isObject(schema["properties"]) ? schema["properties"] : {}
    const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : []
    return Object.fromEntries(required.map((name) => [name, sample(properties[name], root, depth + 1)]))
  }
  switch (type) {
    case "integer":
    case "number":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 1
    case "boolean":
      return true
    case "array":
      return typeof schema["minItems"] === "number" && schema["minItems"] > 0 ? [sample(schema["items"], root, depth + 1)] : []
    default:
      return "x".padEnd(typeof schema["minLength"] === "number" ? schema["minLength"] : 1, "x")
  }
}

const call = ({ definition: { inputSchema, name } }: Http.Operation): Call => ({
  name: Assembly.toolName("api", name),
  input: sample(inputSchema, inputSchema)
})

/** Calls for any document: a tool that reads, the same with a property it does not have, and one that writes. */
export const callsFor = (operations: ReadonlyArray<Http.Operation>): ReadonlyArray<Call> => {
  const reads = operations.find(({ definition }) => definition.annotations.readOnly === true) ?? operations[0]!
  const writes = operations.find(({ definition }) => definition.annotations.readOnly !== true)
  const read = call(reads)
  return [read, { ...read, input: { ...read.input as object, mistake: true } }, ...writes === undefined ? [] : [call(writes)]]
}
