/**
 * The operations of an OpenAPI document and what each of them takes, read from the document by the specification (OpenAPI
 * 3.0.4, 3.1.1 and 3.2.0) and by nothing of the package: what readers are held against.
 */
import { isObject, type Json } from "./compare.ts"
import type { JsonObject } from "./effect-check.ts"
import { lookup, own } from "./schemas.ts"

export interface Operation {
  /** In upper case; `*` for a path item that cannot be read, of which nobody can say what operations it has. */
  readonly method: string
  readonly path: string
  readonly item: JsonObject
  readonly operation: JsonObject
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  /** Its own, or that of its content: JSON where it is offered, else the first. */
  readonly schema: Json | undefined
}

export interface Body {
  readonly required: boolean
  /** By media type, as the document writes it. */
  readonly content: ReadonlyMap<string, JsonObject>
}

/** 0, 1 or 2 of OpenAPI 3. */
export const minorOf = (document: Json): number => Number(String(own(document, "openapi")).split(".")[1])

/** References to references: more than these in a row are a loop. */
const longestChain = 64

/** The value itself, or what the reference in its place leads to. */
export const resolve = (document: Json, value: Json | undefined): Json | undefined => {
  let at = value
  for (let step = 0; step < longestChain; step++) {
    const reference = own(at, "$ref")
    if (reference === undefined) return at
    if (typeof reference !== "string") return undefined
    at = lookup(document, reference)
  }
  return undefined
}

const fixedMethods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

/** The path item with the one that it refers to beneath it. */
const itemOf = (document: Json, item: Json): JsonObject | undefined => {
  if (!isObject(item)) return undefined
  if (!Object.hasOwn(item, "$ref")) return item
  const under = resolve(document, item)
  return isObject(under) ? { ...under, ...item } : undefined
}

/** Every operation of the document, once. */
export const operationsOf = (document: Json): ReadonlyArray<Operation> => {
  const is32 = minorOf(document) >= 2
  const operations: Array<Operation> = []
  for (const [path, value] of Object.entries(isObject(own(document, "paths")) ? own(document, "paths") as JsonObject : {})) {
    // The other keys that the Paths Object may have are extensions.
    if (path.startsWith("x-")) continue
    const item = itemOf(document, value)
    if (item === undefined) {
      operations.push({ method: "*", path, item: {}, operation: {} })
      continue
    }
    const add = (method: string, operation: Json) =>
      operations.push({ method: method.toUpperCase(), path, item, operation: isObject(operation) ? operation : {} })
    for (const method of is32 ? [...fixedMethods, "query"] : fixedMethods) {
      if (Object.hasOwn(item, method)) add(method, item[method]!)
    }
    const additional = is32 ? own(item, "additionalOperations") : undefined
    if (isObject(additional)) for (const [method, operation] of Object.entries(additional)) add(method, operation)
  }
  return operations
}

const isJson = (mediaType: string): boolean => /^application\/([^;]*\+)?json\s*(;|$)/i.test(mediaType.trim())

/** What makes a parameter the same as another. A header's name is the same in any case. */
export const identity = (place: string, name: string): string => `${place} ${place === "header" ? name.toLowerCase() : name}`

/** The parameters of an operation by their identity: its own replace those of its path item. */
export const parametersOf = (document: Json, { item, operation }: Operation): ReadonlyMap<string, Parameter> => {
  const parameters = new Map<string, Parameter>()
  for (const list of [own(item, "parameters"), own(operation, "parameters")]) {
    if (!Array.isArray(list)) continue
    for (const value of list) {
      const parameter = resolve(document, value)
      const [name, place] = [own(parameter, "name"), own(parameter, "in")]
      if (typeof name !== "string" || typeof place !== "string") continue
      const content = own(parameter, "content")
      const types = isObject(content) ? Object.entries(content) : []
      const chosen = types.find(([mediaType]) => isJson(mediaType)) ?? types[0]
      const schema = chosen === undefined ? own(parameter, "schema") : own(resolve(document, chosen[1]), "schema")
      parameters.set(identity(place, name), { name, in: place, required: place === "path" || own(parameter, "required") === true, schema })
    }
  }
  return parameters
}

/** The request body of an operation, if it has one that can be read. */
export const bodyOf = (document: Json, { operation }: Operation): Body | undefined => {
  const body = resolve(document, own(operation, "requestBody"))
  if (!isObject(body)) return undefined
  const content = own(body, "content")
  const types = isObject(content) ? Object.entries(content) : []
  return {
    required: own(body, "required") === true,
    content: new Map(types.flatMap(([mediaType, value]) => {
      const media = resolve(document, value)
      return isObject(media) ? [[mediaType, media] as const] : []
    }))
  }
}

/** A media type without its parameters, in lower case. */
export const essence = (mediaType: string): string => mediaType.split(";")[0]!.trim().toLowerCase()
