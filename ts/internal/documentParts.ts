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

/** An object for members of whatever names. */
const none = (): Members => Object.create(null) as Members

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

const content = (value: unknown): unknown => {
  if (!isPlain(value)) return value
  const kept = none()
  for (const key in value) kept[key] = mediaType(value[key])
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
        kept[key] = content(value[key])
    }
  }
  return kept
}

const operation = (value: unknown): unknown => {
  if (!isPlain(value)) return value
  const kept: Members = {}
  for (const key in value) {
    switch (key) {
      case "$ref":
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

/** The document without its paths and components and without what nobody reads, and these two. */
const parted = (document: unknown): { readonly outer: Members; readonly paths: Members; readonly components: Members } | undefined => {
  // Members that every object has would be enumerated below.
  if (!isPlain(document) || Object.keys(Object.prototype).length > 0) return undefined
  const outer: Members = {}
  let [paths, components]: [unknown, unknown] = [undefined, {}]
  for (const key in document) {
    switch (key) {
      case "openapi":
      case "servers":
      case "jsonSchemaDialect":
        outer[key] = document[key]
        break
      case "paths":
        paths = document[key]
        break
      case "components":
        components = document[key]
        break
      // What a reference leads to may depend on it.
      case "$self":
        return undefined
    }
  }
  // What is not an OpenAPI document is told by what it is.
  if (typeof outer["openapi"] !== "string" || !isPlain(paths) || !isPlain(components)) return undefined
  return { outer, paths, components }
}

const hasOwn = (object: Members, key: string): boolean => Object.prototype.propertyIsEnumerable.call(object, key)

/**
 * Writes members a few at a time: a text with a character beyond Latin-1 takes several times as long to hand over, and most
 * have none.
 */
const inTexts = (keys: Iterable<string>, member: (key: string) => unknown, write: (members: Members) => void): void => {
  const most = 8
  let [members, count] = [none(), 0]
  for (const key of keys) {
    members[key] = member(key)
    if (++count === most) {
      write(members)
      ;[members, count] = [none(), 0]
    }
  }
  if (count > 0) write(members)
}

/** The components of a kind. Undefined when they may be other than they look. */
const componentsOf = (components: Members, kind: string): Members | undefined => {
  const named = hasOwn(components, kind) ? components[kind] : undefined
  if (isPlain(named)) return named
  // Of a list and of what is no object at all, nothing has a name.
  return typeof named !== "object" || named === null || (Array.isArray(named) && !("toJSON" in named)) ? none() : undefined
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
  parts.begin(JSON.stringify(split.outer))
  const paths = Object.keys(split.paths).filter((path) => !path.startsWith("x-"))
  inTexts(paths, (path) => pathItem(split.paths[path]), (items) => parts.addPathItems(JSON.stringify(items)))
  for (;;) {
    const missing = parts.missing()
    if (missing === null) return undefined
    if (missing === "") return { parts, schemas: JSON.stringify(schemas) }
    const wanted = JSON.parse(missing) as Readonly<Record<string, ReadonlyArray<string>>>
    for (const kind of Object.keys(wanted)) {
      const named = componentsOf(split.components, kind)
      if (named === undefined) return undefined
      const there = wanted[kind]!.filter((name) => hasOwn(named, name))
      inTexts(there, (name) => named[name], (members) => parts.addComponents(kind, JSON.stringify(members)))
    }
  }
}
