/** JSON pointers, where schemas stand inside a schema of JSON Schema 2020-12 (§8.2.4, §10, §11), and a walk over them. */
import { isObject, type Json } from "./compare.ts"
import type { JsonObject } from "./effect-check.ts"

export const own = (value: Json | undefined, key: string): Json | undefined => isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined

/** What stands at a reference within a document or a schema (RFC 6901 §6). */
export const lookup = (root: Json, reference: string): Json | undefined => {
  if (reference === "#") return root
  if (!reference.startsWith("#/")) return undefined
  let at: Json | undefined = root
  for (const segment of reference.slice(2).split("/")) {
    let key: string
    try {
      key = decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~")
    } catch {
      return undefined
    }
    if (Array.isArray(at)) at = /^(0|[1-9]\d*)$/.test(key) ? at[Number(key)] : undefined
    else at = own(at, key)
    if (at === undefined) return undefined
  }
  return at
}

/** Keywords that hold one schema, a list of schemas, and schemas by name. */
export const one: ReadonlySet<string> = new Set([
  "additionalProperties",
  "items",
  "not",
  "if",
  "then",
  "else",
  "contains",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
  "contentSchema"
])
export const many: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"])
export const named: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas", "$defs"])

/** The schemas that stand directly in a schema. */
const inside = (schema: JsonObject): ReadonlyArray<Json> =>
  Object.entries(schema).flatMap(([keyword, value]): ReadonlyArray<Json> => {
    if (one.has(keyword)) return [value]
    if (many.has(keyword) && Array.isArray(value)) return value
    if (named.has(keyword) && isObject(value)) return Object.values(value)
    return []
  })

/**
 * Every schema that a schema is made of, each once, itself first: those that stand in it, and those that its references
 * lead to by `lead`. A schema that holds itself ends too.
 */
export const reached = (root: Json, lead: (reference: string) => Json | undefined): ReadonlyArray<JsonObject> => {
  const seen = new Set<JsonObject>()
  const open: Array<Json> = [root]
  while (open.length > 0) {
    const schema = open.pop()!
    if (!isObject(schema) || seen.has(schema)) continue
    seen.add(schema)
    const reference = own(schema, "$ref")
    const found = typeof reference === "string" ? lead(reference) : undefined
    if (found !== undefined) open.push(found)
    for (const value of inside(schema)) open.push(value)
  }
  return [...seen]
}

/** The references of a schema that lead to no schema within it: it does not stand alone with any. */
export const danglingOf = (root: Json): ReadonlyArray<string> => {
  const references = reached(root, (reference) => lookup(root, reference)).flatMap((schema) =>
    ["$ref", "$dynamicRef"].flatMap((keyword) => Object.hasOwn(schema, keyword) ? [schema[keyword]] : [])
  )
  return [...new Set(references)].flatMap((reference) => {
    const found = typeof reference === "string" ? lookup(root, reference) : undefined
    return isObject(found) || typeof found === "boolean" ? [] : [JSON.stringify(reference)]
  })
}
