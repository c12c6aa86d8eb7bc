/**
 * The input that a document itself describes for an operation, as JSON Schema 2020-12 that stands alone. It is written from
 * the OpenAPI specifications and by the letter; where this package's tools read a document otherwise, a rule says so with
 * the decision (docs/decisions.md), and what the rule brings can be had too.
 */
import { isObject, type Json } from "../lib/compare.ts"
import type { JsonObject } from "../lib/effect-check.ts"
import { bodyOf, essence, identity, minorOf, type Operation, parametersOf } from "../lib/operations.ts"
import { lookup, many, named, one, own } from "../lib/schemas.ts"

export interface Rule {
  readonly id: string
  readonly by: string
  readonly says: string
}

export const rules = [
  {
    id: "nullable",
    by: "decisions 16 and 41",
    says: "`nullable` allows null beside an enumeration, a reference or a combination too; OpenAPI 3.0.4 has it beside a type alone"
  },
  {
    id: "read-only",
    by: "decision 131",
    says: "a property that is required and read-only is required in requests too, which OpenAPI 3.0 has for responses alone"
  },
  {
    id: "text",
    by: "decisions 101 and 108",
    says: "a body of text or bytes that the document has no schema of is a string"
  }
] as const satisfies ReadonlyArray<Rule>

export type RuleId = typeof rules[number]["id"]

/** The tool's template, as far as it says which property is what. */
export interface Template {
  readonly parameters: ReadonlyArray<{ readonly property: string; readonly in: string; readonly name: string }>
  readonly body?: string | undefined
  readonly mediaType?: string | undefined
}

export interface Trusted {
  readonly schema: JsonObject
  /** What the tool has and the document has not, and the other way round. */
  readonly faults: ReadonlyArray<string>
}

/** Keywords of JSON Schema that OpenAPI 3.0.4 takes over (§4.7.24.1) and that hold values. */
const values30 = new Set([
  "multipleOf",
  "maximum",
  "minimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "maxProperties",
  "minProperties",
  "enum",
  "type"
])
/** Those that hold schemas. */
const schemas30 = new Set(["allOf", "oneOf", "anyOf", "not", "items", "properties", "additionalProperties"])

/** Further keywords of 2020-12 that restrict a value. */
const values31 = new Set(["exclusiveMaximum", "exclusiveMinimum", "const", "maxContains", "minContains", "required", "dependentRequired", ...values30])

/** Those that restrict nothing, here for what a document may have in them; the last is 2019-09's, and some of 3.1 have it. */
const annotations = new Set([
  "title",
  "description",
  "deprecated",
  "readOnly",
  "writeOnly",
  "format",
  "examples",
  "contentEncoding",
  "contentMediaType",
  "$comment",
  "$recursiveAnchor"
])

/** A header that is the client's: OpenAPI's (3.0.4 §4.7.12.1), and those of decision 38. */
const clientHeader =
  /^(accept|authorization|connection|content-length|content-type|cookie|expect|host|http2-settings|keep-alive|proxy-.*|sec-.*|te|trailer|transfer-encoding|upgrade|x-http-method|x-http-method-override|x-method-override)$/i

/** Makes the inputs of a document's operations, by the letter but for some rules. */
export const trusting = (document: Json, applied: ReadonlySet<RuleId>) => {
  const is30 = minorOf(document) === 0

  /** The input of an operation whose properties are placed as the template says. */
  return (operation: Operation, template: Template): Trusted => {
    const faults: Array<string> = []
    const numbers = new Map<string, number>()
    const open: Array<string> = []

    const refer = (reference: string): string => {
      if (!numbers.has(reference)) {
        numbers.set(reference, numbers.size)
        open.push(reference)
      }
      return `#/$defs/${numbers.get(reference)}`
    }

    const placed = (keyword: string, value: Json): Json => {
      if (one.has(keyword)) return convert(value)
      if (many.has(keyword)) return Array.isArray(value) ? value.map(convert) : value
      return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, convert(schema)])) : value
    }

    const convert = (schema: Json | undefined): Json => {
      if (typeof schema === "boolean") return schema
      // What is no schema says nothing.
      if (!isObject(schema)) return true
      return is30 ? convert30(schema) : convert31(schema)
    }

    const convert30 = (schema: JsonObject): Json => {
      const isNullable = schema["nullable"] === true
      if (Object.hasOwn(schema, "$ref")) {
        const referring = { $ref: refer(String(schema["$ref"])) }
        return isNullable && applied.has("nullable") ? { anyOf: [referring, { type: "null" }] } : referring
      }
      const out: Record<string, Json> = {}
      for (const [keyword, value] of Object.entries(schema)) {
        if (schemas30.has(keyword)) out[keyword] = placed(keyword, value)
        else if (values30.has(keyword) || annotations.has(keyword)) out[keyword] = value
      }
      for (const [bound, exclusive] of [["minimum", "exclusiveMinimum"], ["maximum", "exclusiveMaximum"]] as const) {
        if (schema[exclusive] !== true || typeof schema[bound] !== "number") continue
        out[exclusive] = schema[bound]
        delete out[bound]
      }
      const required = own(schema, "required")
      if (required !== undefined) out["required"] = Array.isArray(required) && !applied.has("read-only") ? required.filter((name) => !isReadOnly(schema, name)) : required
      if (!isNullable) return out
      if (applied.has("nullable")) return { anyOf: [out, { type: "null" }] }
      return typeof out["type"] === "string" ? { ...out, type: [out["type"], "null"] } : out
    }

    /** Whether a property is declared read-only, in its place or where its reference leads (3.0.4 §4.7.24.2). */
    const isReadOnly = (schema: JsonObject, name: Json): boolean => {
      let property = typeof name === "string" ? own(own(schema, "properties"), name) : undefined
      for (let step = 0; step < 64 && typeof own(property, "$ref") === "string"; step++) property = lookup(document, own(property, "$ref") as string)
      return own(property, "readOnly") === true
    }

    const convert31 = (schema: JsonObject): Json => {
      const out: Record<string, Json> = {}
      for (const [keyword, value] of Object.entries(schema)) {
        if (keyword === "$ref") out["$ref"] = refer(String(value))
        else if (one.has(keyword) || many.has(keyword) || named.has(keyword)) out[keyword] = placed(keyword, value)
        else if (values31.has(keyword) || annotations.has(keyword)) out[keyword] = value
      }
      return out
    }

    const properties: Record<string, Json> = {}
    const required: Array<string> = []
    const declared = parametersOf(document, operation)
    const left = new Set(declared.keys())
    const add = (property: string, schema: Json, isRequired: boolean): void => {
      if (Object.hasOwn(properties, property)) faults.push(`the property ${JSON.stringify(property)} has two meanings`)
      Object.defineProperty(properties, property, { value: schema, enumerable: true, configurable: true, writable: true })
      if (isRequired) required.push(property)
    }
    for (const { in: place, name, property } of template.parameters) {
      const parameter = declared.get(identity(place, name))
      if (parameter === undefined) faults.push(`the document has no parameter ${JSON.stringify(name)} in the ${place}`)
      else add(property, convert(parameter.schema ?? true), parameter.required)
      left.delete(identity(place, name))
    }
    for (const key of left) {
      const { in: place, name, required } = declared.get(key)!
      const isClients = (place === "cookie" && !required) || (place === "header" && clientHeader.test(name))
      if (!isClients) faults.push(`the parameter ${JSON.stringify(name)} in the ${place} is no property`)
    }
    const body = bodyOf(document, operation)
    if (template.body !== undefined) {
      const wanted = essence(template.mediaType ?? "application/json")
      const offered = [...body?.content ?? []]
      const [, media] = offered.find(([mediaType]) => essence(mediaType) === wanted) ?? offered.find(([mediaType]) => mediaType.includes("*")) ?? []
      if (media === undefined) faults.push(`the document has no body of the type ${wanted}`)
      const isText = applied.has("text") && !wanted.endsWith("json") && media?.["schema"] === undefined
      add(template.body, isText ? { type: "string" } : convert(media?.["schema"] ?? true), body?.required === true)
    } else if (body?.required === true) {
      faults.push("the body that the operation requires is no property")
    }

    const $defs: Record<string, Json> = {}
    for (let reference = open.shift(); reference !== undefined; reference = open.shift()) {
      const found = lookup(document, reference)
      if (found === undefined) faults.push(`the reference ${reference} leads to nothing in the document`)
      $defs[String(numbers.get(reference))] = convert(found)
    }
    return { schema: { type: "object", properties, required, additionalProperties: false, $defs }, faults }
  }
}
