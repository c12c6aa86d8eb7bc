/** The check that Effect makes of a JSON Schema: what ours is compatible with. */
import { Cause, JsonSchema, Result, Schema, SchemaRepresentation } from "effect"

export type Json = Schema.Json
export type Verdict = "accepts" | "refuses" | "dies"
export type JsonObject = { readonly [key: string]: Json }

const older = /^https?:\/\/json-schema\.org\/draft-0[467]\/schema#?$/

/** The schema that Effect's importer makes, patterns left out; `undefined` where it throws. */
export const imported = (schema: Json): Schema.Top | undefined => {
  try {
    const read = schema as JsonSchema.JsonSchema
    const isOlder = typeof schema === "object" && schema !== null && older.test(String(read["$schema"] ?? ""))
    const document = isOlder ? JsonSchema.fromSchemaDraft07(read) : JsonSchema.fromSchemaDraft2020_12(read)
    return SchemaRepresentation.fromJsonSchemaDocument(document, { patterns: "ignore" })
  } catch {
    return undefined
  }
}

const decoder = (schema: Json) => {
  const made = imported(schema)
  return made === undefined ? undefined : Schema.decodeUnknownResult(made as Schema.Codec<unknown>, { onExcessProperty: "error" })
}

/** What that schema says of inputs, a property too many being a mistake; `undefined` where there is none. */
export const effectCheck = (schema: Json): ((input: unknown) => Verdict) | undefined => {
  const decode = decoder(schema)
  // Of a schema that is itself, Effect dies for want of stack, but Bun's tail calls take none, and it would never end.
  if (decode && "bun" in process.versions && isObject(schema) && reachesItself(schema)) return () => "dies"
  return decode && ((input) => {
    try {
      return Result.isSuccess(decode(input)) ? "accepts" : "refuses"
    } catch {
      return "dies"
    }
  })
}

/** What it dies of; `undefined` where it does not. */
export const deathOf = (schema: Json, input: unknown): string | undefined => {
  try {
    decoder(schema)?.(input)
    return undefined
  } catch (error) {
    const { cause, message } = error as Error
    return Cause.isCause(cause) ? cause.reasons.map((reason) => Cause.isDieReason(reason) ? String(reason.defect) : "").join("; ") : message
  }
}

export const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value)

/** By which keywords a schema is about the same value, and by which about one within it. */
const [sameValue, within] = [["allOf", "anyOf", "oneOf"], ["properties", "additionalProperties", "propertyNames", "items", "prefixItems", "additionalItems"]]

const schemasAt = (schema: JsonObject, keywords: ReadonlyArray<string>): ReadonlyArray<unknown> =>
  keywords.flatMap((keyword) => {
    const held = schema[keyword]
    return Array.isArray(held) ? held : keyword === "properties" && isObject(held) ? Object.values(held) : held === undefined ? [] : [held]
  })

const referred = (root: JsonObject, schema: JsonObject): ReadonlyArray<unknown> => typeof schema["$ref"] === "string" ? [at(root, schema["$ref"])] : []

/** Whether the root reaches a schema that is itself, by references and alternatives alone. */
export const reachesItself = (root: JsonObject): boolean => {
  const done = new Set<unknown>()
  const isItself = (schema: unknown, path: ReadonlyArray<unknown>): boolean => {
    if (!isObject(schema) || done.has(schema)) return false
    if (path.includes(schema)) return true
    const found = [...referred(root, schema), ...schemasAt(schema, sameValue)].some((next) => isItself(next, [...path, schema]))
    done.add(schema)
    return found
  }
  const reached = new Set<unknown>()
  const open: Array<unknown> = [root]
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    if (!isObject(schema) || reached.has(schema)) continue
    reached.add(schema)
    if (isItself(schema, [])) return true
    open.push(...referred(root, schema), ...schemasAt(schema, sameValue), ...schemasAt(schema, within))
  }
  return false
}

const at = (root: JsonObject, reference: string): unknown =>
  reference.replace(/^[^#]*#/, "").split("/").slice(1).reduce<unknown>((value, name) => {
    const key = decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~")
    return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined
  }, root)
