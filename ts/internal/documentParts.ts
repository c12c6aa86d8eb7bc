/**
 * A document that JavaScript holds as an object, written as JSON in parts: what reading always looks at, and the components
 * that this refers to. Most of a large document, its responses above all, is never written.
 *
 * The rule: what is read of the parts is what would be read of `JSON.stringify(document)`. What reading looks at is in
 * `crates/core/src/openapi` (`index.rs`, `operation.rs`, `body.rs`). A value that is no plain object is handed over whole, so
 * that `JSON.stringify` makes of it what it makes of it.
 */
import { native } from "./native.ts"

type Members = Record<string, unknown>

/** Whether `JSON.stringify` writes the value's own enumerable members and nothing else. */
const isPlain = (value: unknown): value is Members => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return (prototype === Object.prototype || prototype === null) && typeof (value as Members)["toJSON"] !== "function"
}

/** An object with the members that `member` gives; of a name of its own, whatever that is. */
const mapped = (value: unknown, member: (value: unknown) => unknown, keeps: (key: string) => boolean = () => true): unknown => {
  if (!isPlain(value)) return value
  const members: Members = Object.create(null)
  for (const key in value) if (keeps(key)) members[key] = member(value[key])
  return members
}

const mediaType = (value: unknown): unknown => {
  if (!isPlain(value)) return value
  const kept: Members = {}
  for (const key in value) {
    switch (key) {
      case "$ref":
      case "schema":
      case "encoding":
        kept[key] = value[key]
    }
  }
  return kept
}

const requestBody = (value: unknown): unknown => {
  if (!isPlain(value)) return value
  const kept: Members = {}
  for (const key in value) {
    switch (key) {
      case "$ref":
      case "required":
        kept[key] = value[key]
        break
      case "content":
        kept[key] = mapped(value[key], mediaType)
    }
  }
  return kept
}

const operation = (value: unknown): unknown => {
  if (!isPlain(value)) return value
  const kept: Members = {}
  for (const key in value) {
    switch (key) {
      case "operationId":
      case "summary":
      case "description":
      case "parameters":
      case "deprecated":
        kept[key] = value[key]
        break
      case "requestBody":
        kept[key] = requestBody(value[key])
    }
  }
  return kept
}

const pathItem = (value: unknown): unknown => {
  if (!isPlain(value)) return value
  const kept: Members = {}
  for (const key in value) {
    switch (key) {
      case "$ref":
      case "summary":
      case "description":
      case "parameters":
      case "additionalOperations":
        kept[key] = value[key]
        break
      case "get":
      case "put":
      case "post":
      case "delete":
      case "options":
      case "head":
      case "patch":
      case "trace":
      case "query":
        kept[key] = operation(value[key])
    }
  }
  return kept
}

const isPath = (key: string): boolean => !key.startsWith("x-")

/** The document without its components and without what nobody reads, and its components. */
const parted = (document: unknown): { readonly outer: Members; readonly components: Members } | undefined => {
  // Members that every object has would be enumerated below.
  if (!isPlain(document) || Object.keys(Object.prototype).length > 0) return undefined
  const outer: Members = {}
  let components: unknown = {}
  for (const key in document) {
    switch (key) {
      case "openapi":
      case "servers":
      case "jsonSchemaDialect":
        outer[key] = document[key]
        break
      case "paths": {
        const paths = document[key]
        if (!isPlain(paths)) return undefined
        outer[key] = mapped(paths, pathItem, isPath)
        break
      }
      case "components":
        components = document[key]
        break
      // What a reference leads to may depend on it.
      case "$self":
        return undefined
    }
  }
  // What is not an OpenAPI document is told by what it is.
  if (typeof outer["openapi"] !== "string" || outer["paths"] === undefined || !isPlain(components)) return undefined
  return { outer, components }
}

const hasOwn = (object: Members, key: string): boolean => Object.prototype.propertyIsEnumerable.call(object, key)

/** Those of the components that are there. Undefined when a kind of them is no plain object. */
const found = (components: Members, wanted: Readonly<Record<string, ReadonlyArray<string>>>): Members | undefined => {
  const kinds: Members = Object.create(null)
  for (const kind in wanted) {
    const named = hasOwn(components, kind) ? components[kind] : undefined
    if (!isPlain(named)) {
      // Of a list and of what is no object at all, nothing has a name.
      if (typeof named !== "object" || named === null || (Array.isArray(named) && !("toJSON" in named))) continue
      return undefined
    }
    const members: Members = Object.create(null)
    for (const name of wanted[kind]!) if (hasOwn(named, name)) members[name] = named[name]
    kinds[kind] = members
  }
  return kinds
}

/** The names of all schemas. Undefined when some of them are not what they seem. */
const namesOf = (components: Members): ReadonlyArray<string> | undefined => {
  const schemas = hasOwn(components, "schemas") ? components["schemas"] : undefined
  const names: Array<string> = []
  if (!isPlain(schemas)) return names
  for (const name in schemas) {
    const schema = schemas[name]
    if (typeof (schema as Members | null | undefined)?.["toJSON"] === "function") return undefined
    if (schema !== undefined && typeof schema !== "function" && typeof schema !== "symbol") names.push(name)
  }
  return names
}

/**
 * The parts of a document, ready to be read, and the names of its schemas as JSON. Undefined when only the whole document's
 * text will do. Throws what `JSON.stringify` throws.
 */
export const partsOf = (
  document: unknown
): { readonly parts: InstanceType<typeof native.OpenApiParts>; readonly schemas: string } | undefined => {
  const split = parted(document)
  if (split === undefined) return undefined
  const schemas = namesOf(split.components)
  if (schemas === undefined) return undefined
  const parts = new native.OpenApiParts()
  let missing = parts.begin(JSON.stringify(split.outer))
  while (missing !== null && missing !== "") {
    const components = found(split.components, JSON.parse(missing) as Readonly<Record<string, ReadonlyArray<string>>>)
    if (components === undefined) return undefined
    missing = parts.add(JSON.stringify(components))
  }
  return missing === null ? undefined : { parts, schemas: JSON.stringify(schemas) }
}
