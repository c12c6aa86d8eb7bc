/**
 * What a reader's tools are like beside the document that they were read from. Everything is counted in tools, and by what can
 * be seen of any tool, since each reader lays out its input in its own way; so each count is the least that is wrong.
 */
import { isObject, type Json } from "../lib/compare.ts"
import type { JsonObject } from "../lib/effect-check.ts"
import { bodyOf, essence, type Operation, operationsOf, parametersOf } from "../lib/operations.ts"
import { danglingOf, lookup, own, reached } from "../lib/schemas.ts"

export interface Tool {
  readonly name: string
  readonly description?: string | undefined
  readonly method: string
  readonly path: string
  readonly inputSchema: JsonObject
}

export interface Found {
  readonly tools: ReadonlyArray<Tool>
  /** Operations that the reader says it left out, where it says so. */
  readonly skipped?: number | undefined
}

export interface Checked {
  readonly operations: number
  /** Name, description and input of all tools as JSON, those that can be written, and the longest. */
  readonly bytes: number
  readonly longest: number
  readonly unwritable: number
  /** Operations that are no tool, and of which nobody is told. */
  readonly lost: number
  /** Names that a provider refuses: over 64 characters, of other characters than `A-Z a-z 0-9 _ -`, or another tool's. */
  readonly names: number
  readonly references: number
  readonly parameters: number
  readonly properties: number
  readonly nulls: number
  readonly types: number
}

type Lead = (reference: string) => Json | undefined

const deepest = 8

/** Whether null keeps a schema, by what can restrict it. */
const takesNull = (schema: Json | undefined, lead: Lead, depth = 0): boolean => {
  if (schema === undefined || schema === false) return false
  if (!isObject(schema) || depth > deepest) return true
  const inner = (value: Json | undefined) => takesNull(value, lead, depth + 1)
  const { $ref, allOf, anyOf, const: constant, enum: values, not, oneOf, type } = schema
  if (typeof $ref === "string" && !inner(lead($ref))) return false
  if (typeof type === "string" ? type !== "null" : Array.isArray(type) && !type.includes("null")) return false
  if (Array.isArray(values) && !values.includes(null)) return false
  if (constant !== undefined && constant !== null) return false
  if (Array.isArray(allOf) && !allOf.every(inner)) return false
  if (Array.isArray(anyOf) && !anyOf.some(inner)) return false
  if (Array.isArray(oneOf) && oneOf.filter(inner).length !== 1) return false
  return !isObject(not) || !inner(not)
}

/** The types that a schema names, null aside; `undefined` when any would do. */
const typesOf = (schema: Json | undefined, lead: Lead, depth = 0): ReadonlySet<string> | undefined => {
  if (!isObject(schema) || depth > deepest) return undefined
  const inner = (value: Json | undefined) => typesOf(value, lead, depth + 1)
  const { $ref, allOf, anyOf, oneOf, type } = schema
  if (typeof $ref === "string") return inner(lead($ref))
  const named = [type ?? []].flat().filter((name) => typeof name === "string")
  if (named.length > 0) return new Set(named.filter((name) => name !== "null"))
  for (const parts of [anyOf, oneOf]) {
    if (!Array.isArray(parts)) continue
    const all = parts.map(inner)
    return all.includes(undefined) ? undefined : new Set(all.flatMap((types) => [...types!]))
  }
  return Array.isArray(allOf) ? allOf.map(inner).find((types) => types !== undefined) : undefined
}

type Named = ReadonlyMap<string, ReadonlyArray<Json>>

/** Every property that schemas have, by name. */
const propertiesIn = (schemas: ReadonlyArray<JsonObject>, also: ReadonlyArray<readonly [string, Json]> = []): Named => {
  const found = new Map<string, Array<Json>>()
  const add = (name: string, schema: Json) => found.get(name)?.push(schema) ?? found.set(name, [schema])
  for (const [name, schema] of also) add(name, schema)
  for (const { properties } of schemas) if (isObject(properties)) for (const [name, schema] of Object.entries(properties)) add(name, schema)
  return found
}

/** The names of a tool's own properties, through what it is put together of. */
const topNames = (schema: Json | undefined, lead: Lead, depth = 0): ReadonlyArray<string> => {
  if (!isObject(schema) || depth > 4) return []
  const { $ref, allOf, anyOf, oneOf, properties } = schema
  return [
    ...isObject(properties) ? Object.keys(properties) : [],
    ...typeof $ref === "string" ? topNames(lead($ref), lead, depth + 1) : [],
    ...[allOf, anyOf, oneOf].flatMap((parts) => Array.isArray(parts) ? parts.flatMap((part) => topNames(part, lead, depth + 1)) : [])
  ]
}

/** Nobody makes properties of these: OpenAPI has the client set them, and cookies are a client's. */
const isClients = (place: string, name: string) => place === "cookie" || (place === "header" && /^(accept|authorization|content-type)$/i.test(name))

const plain = (name: string) => name.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase()

/** Whether a property may be the parameter's: of its name, or of its name and its place. */
const isOf = (property: string, name: string): boolean =>
  property === name || ["path", "query", "header"].some((place) => property === `${place}${name}` || property === `${name}${place}`)

/** Whether parameters of one name, in one place or several, have fewer properties than they are. */
const losesParameters = (parameters: ReadonlyArray<{ readonly name: string }>, properties: ReadonlyArray<string>): boolean => {
  const counts = new Map<string, number>()
  for (const { name } of parameters) counts.set(plain(name), (counts.get(plain(name)) ?? 0) + 1)
  const given = [...new Set(properties)].map(plain)
  return [...counts].some(([name, count]) => given.filter((property) => isOf(property, name)).length < count)
}

/** What of an operation's input a tool has not, or has otherwise. */
const compareTool = (document: Json, operation: Operation, root: JsonObject, tool: ReadonlyArray<JsonObject>) => {
  const [inDocument, inTool]: [Lead, Lead] = [(reference) => lookup(document, reference), (reference) => lookup(root, reference)]
  const parameters = [...parametersOf(document, operation).values()].filter((parameter) => !isClients(parameter.in, parameter.name))
  const content = [...bodyOf(document, operation)?.content ?? []]
  const [, media] = content.find(([mediaType]) => essence(mediaType).endsWith("json")) ?? content[0] ?? []
  const schemas = [...parameters.map(({ schema }) => schema), own(media, "schema")].filter((schema) => schema !== undefined)
  const wanted = propertiesIn(
    [...new Set(schemas.flatMap((schema) => reached(schema, inDocument)))],
    parameters.flatMap(({ name, schema }) => schema === undefined ? [] : [[name, schema] as const])
  )
  const given = propertiesIn(tool)
  const wholes = ["body", "requestBody"].map((name) => own(own(root, "properties"), name))
  let [properties, nulls, types] = [false, false, false]
  for (const [name, theirs] of wanted) {
    const isParameter = parameters.some((parameter) => parameter.name === name)
    if (!given.has(name)) {
      properties ||= !isParameter
      continue
    }
    // What holds the whole body is named by the reader, and may have the name of something in it.
    const ours = given.get(name)!.filter((schema) => isParameter || !wholes.includes(schema))
    if (ours.length === 0) continue
    const isNullable = theirs.some((schema) => {
      const type = own(schema, "type")
      return own(schema, "nullable") === true ? typeof type === "string" && own(schema, "enum") === undefined : Array.isArray(type) && type.includes("null")
    })
    nulls ||= isNullable && !ours.some((schema) => takesNull(schema, inTool))
    const allowed = theirs.map((schema) => typesOf(schema, inDocument))
    if (allowed.includes(undefined)) {
      // Where anything would do, null alone does not.
      types ||= ours.every((schema) => own(schema, "type") === "null") && !theirs.every((schema) => own(schema, "type") === "null")
      continue
    }
    types ||= ours.some((schema) => [...typesOf(schema, inTool) ?? []].some((type) => !allowed.some((types) => types!.has(type))))
  }
  return { parameters: losesParameters(parameters, topNames(root, inTool)), properties, nulls, types }
}

/** Looks at a reader's tools. */
export const check = (document: Json, { skipped, tools }: Found): Checked => {
  const operations = new Map(operationsOf(document).map((operation) => [`${operation.method} ${operation.path}`, operation]))
  const counts = { bytes: 0, longest: 0, unwritable: 0, names: 0, references: 0, parameters: 0, properties: 0, nulls: 0, types: 0 }
  const [names, places] = [new Set<string>(), new Set<string>()]
  for (const { description, inputSchema, method, name, path } of tools) {
    try {
      const bytes = Buffer.byteLength(JSON.stringify({ name, description, inputSchema }))
      counts.bytes += bytes
      counts.longest = Math.max(counts.longest, bytes)
    } catch {
      counts.unwritable++
    }
    if (names.has(name) || !/^[A-Za-z0-9_-]{1,64}$/.test(name)) counts.names++
    names.add(name)
    const schemas = reached(inputSchema, (reference) => lookup(inputSchema, reference))
    if (danglingOf(inputSchema).length > 0) counts.references++
    const place = `${method.toUpperCase()} ${path}`
    places.add(place)
    const operation = operations.get(place)
    if (operation === undefined) continue
    for (const [what, is] of Object.entries(compareTool(document, operation, inputSchema, schemas))) if (is) counts[what as keyof typeof counts]++
  }
  const untold = [...operations.keys()].filter((place) => !places.has(place)).length - (skipped ?? 0)
  return { operations: operations.size, lost: Math.max(0, untold), ...counts }
}
