/**
 * Operations with what their schemas share stored once.
 *
 * The rule: what is loaded is equal to what was stored, whatever names and values it has, and nothing that was stored is
 * believed: each number and each part is looked at before it is used.
 */
import type * as Schema from "effect/Schema"
import type * as Http from "../Http.ts"
import type * as OpenApi from "../OpenApi.ts"
import type * as ToolDefinition from "../ToolDefinition.ts"
import { definitionOf, type Parts, type Shared, type Source, unmadeOf } from "./catalog.ts"
import { isObjectRooted } from "./objectRooted.ts"

/** The form that is written, and the only one that is read. */
const version = 1

type Stored = OpenApi.CompactOperations["operations"][number]

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Shared schemas by what they are: the same name and the same schema is one, wherever it is from. */
const sharing = () => {
  const schemas: Array<Shared> = []
  const byText = new Map<string, number>()
  // Schemas of one document are the same objects in all its tools.
  const byObject = new Map<object, Map<string, number>>()
  const bySource = new Map<Source, Array<number | undefined>>()
  const numberOf = (shared: Shared): number => {
    const text = JSON.stringify([shared.name, shared.schema])
    const known = byText.get(text)
    if (known !== undefined) return known
    byText.set(text, schemas.length)
    return schemas.push(shared) - 1
  }
  return {
    schemas,
    ofDefs: (defs: Readonly<Record<string, unknown>>): ReadonlyArray<number> =>
      Object.keys(defs).map((name) => {
        const schema = defs[name] as Schema.Json
        if (typeof schema !== "object" || schema === null) return numberOf({ name, schema })
        let byName = byObject.get(schema)
        if (byName === undefined) byObject.set(schema, byName = new Map())
        let at = byName.get(name)
        if (at === undefined) byName.set(name, at = numberOf({ name, schema }))
        return at
      }),
    ofSource: (source: Source, numbers: ReadonlyArray<number>): ReadonlyArray<number> => {
      let known = bySource.get(source)
      if (known === undefined) bySource.set(source, known = [])
      const missing = numbers.filter((at) => known[at] === undefined)
      for (const [at, shared] of source.shared(missing).entries()) known[missing[at]!] = numberOf(shared)
      return numbers.map((at) => known[at]!)
    }
  }
}

/** A tool's schema without what is shared, which is `{}` in its place. */
const parted = (definition: ToolDefinition.ToolDefinition, shares: ReturnType<typeof sharing>): Parts => {
  const unmade = unmadeOf(definition)
  if (unmade !== undefined) {
    const { own, shared } = unmade.source.parts(unmade.tool)
    return shared === undefined ? { own } : { own: { ...own, $defs: {} }, shared: shares.ofSource(unmade.source, shared) }
  }
  const { inputSchema } = definition
  const $defs = inputSchema["$defs"]
  return isObject($defs) ? { own: { ...inputSchema, $defs: {} }, shared: shares.ofDefs($defs) } : { own: inputSchema }
}

/** See `OpenApi.toCompact`. */
export const toCompact = ({ operations, servers, skipped }: OpenApi.Operations): OpenApi.CompactOperations => {
  const shares = sharing()
  const stored = operations.map(({ definition, request }): Stored => {
    const { annotations, description, name } = definition
    const { own, shared } = parted(definition, shares)
    return {
      definition: { name, description, inputSchema: own, annotations },
      request,
      ...(shared === undefined ? undefined : { shared })
    }
  })
  return { version, schemas: shares.schemas, operations: stored, skipped, servers }
}

/** What is wrong with a stored form, with its place. */
export class Wrong extends Error {}

const wrong = (place: string, wanted: string, found: unknown): Wrong => {
  let shown: string
  switch (typeof found) {
    case "string":
      shown = JSON.stringify(found.slice(0, 40))
      break
    case "number":
    case "boolean":
      shown = String(found)
      break
    case "undefined":
      shown = "missing"
      break
    default:
      shown = found === null ? "null" : Array.isArray(found) ? "a list" : `a value of the type ${typeof found}`
  }
  return new Wrong(`${place} has to be ${wanted}, and is ${shown}`)
}

const list = (value: unknown, place: string): ReadonlyArray<unknown> => {
  if (!Array.isArray(value)) throw wrong(place, "a list", value)
  return value
}

const object = (value: unknown, place: string): Readonly<Record<string, unknown>> => {
  if (!isObject(value)) throw wrong(place, "an object", value)
  return value
}

const string = (value: unknown, place: string): string => {
  if (typeof value !== "string") throw wrong(place, "a string", value)
  return value
}

/** The shared schemas, and for each the number of its name. */
const sharedOf = (value: unknown) => {
  const numbers = new Map<string, number>()
  const schemas: Array<Shared> = []
  const names: Array<number> = []
  for (const [at, entry] of list(value, "schemas").entries()) {
    const { name, schema } = object(entry, `schemas[${at}]`)
    const key = string(name, `schemas[${at}].name`)
    if (schema === undefined) throw wrong(`schemas[${at}].schema`, "a schema", schema)
    if (!numbers.has(key)) numbers.set(key, numbers.size)
    schemas.push({ name: key, schema: schema as Schema.Json })
    names.push(numbers.get(key)!)
  }
  // For each name, the operation that had it last: whether it has one twice needs no set of its own.
  const lastAt = new Int32Array(numbers.size).fill(-1)
  const checked = (value: unknown, operation: number): ReadonlyArray<number> => {
    const place = `operations[${operation}].shared`
    const shared = list(value, place)
    for (const [at, number] of shared.entries()) {
      const name = names[number as number]
      if (!Number.isInteger(number) || name === undefined) {
        throw wrong(`${place}[${at}]`, `the number of one of the ${schemas.length} schemas, which count from 0`, number)
      }
      if (lastAt[name] === operation) throw new Wrong(`${place}[${at}] is a second schema of the name ${JSON.stringify(schemas[number as number]!.name)}`)
      lastAt[name] = operation
    }
    return shared as ReadonlyArray<number>
  }
  return { schemas, checked }
}

/** See `OpenApi.fromCompact`. Throws `Wrong`. */
export const fromCompact = (stored: unknown): OpenApi.Operations => {
  const compact = object(stored, "the stored form")
  if (compact["version"] !== version) throw wrong("version", String(version), compact["version"])
  const { checked, schemas } = sharedOf(compact["schemas"])
  const parts: Array<Parts> = []
  const source: Source = { parts: (tool) => parts[tool]!, shared: (numbers) => numbers.map((at) => schemas[at]!) }
  const operations = list(compact["operations"], "operations").map((value, at): Http.Operation => {
    const place = `operations[${at}]`
    const operation = object(value, place)
    const definition = object(operation["definition"], `${place}.definition`)
    const own = definition["inputSchema"]
    if (!isObject(own) || !isObjectRooted(own)) throw wrong(`${place}.definition.inputSchema`, "a JSON Schema with an object root", own)
    const shared = operation["shared"] === undefined ? undefined : checked(operation["shared"], at)
    parts.push({ own: own as ToolDefinition.InputSchema, shared })
    const told = {
      name: string(definition["name"], `${place}.definition.name`),
      description: string(definition["description"], `${place}.definition.description`),
      annotations: object(definition["annotations"], `${place}.definition.annotations`) as ToolDefinition.Annotations
    }
    return { definition: definitionOf(told, source, at), request: object(operation["request"], `${place}.request`) as never }
  })
  const skipped = list(compact["skipped"], "skipped").map((value, at): OpenApi.Skipped => {
    const entry = object(value, `skipped[${at}]`)
    const text = (key: keyof OpenApi.Skipped) => string(entry[key], `skipped[${at}].${key}`)
    return { method: text("method"), path: text("path"), code: text("code"), reason: text("reason") }
  })
  const servers = list(compact["servers"], "servers").map((value, at) => string(value, `servers[${at}]`))
  return { operations, skipped, servers }
}
