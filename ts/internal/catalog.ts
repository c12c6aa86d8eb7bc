/** A read document as plain data, its tools' schemas made when somebody reads them. */
import type * as Schema from "effect/Schema"
import type * as Http from "../Http.ts"
import type * as OpenApi from "../OpenApi.ts"
import type * as ToolDefinition from "../ToolDefinition.ts"
import type { native } from "./native.ts"

/** What was read of a document, as the addon holds it. */
export type Catalog = Exclude<ReturnType<typeof native.readOpenApiText>, { readonly error: string }>

type Rows = NonNullable<ReturnType<Catalog["nextRows"]>>

/** A schema that several tools have under their `$defs`, and the key that it has there. */
export interface Shared {
  readonly name: string
  readonly schema: Schema.Json
}

/** A tool's schema but for its `$defs`, and the numbers of what stands there; without any where it has none to be put together. */
export interface Parts {
  readonly own: ToolDefinition.InputSchema
  readonly shared?: ReadonlyArray<number> | undefined
}

/** Where the schemas of several tools are put together from. */
export interface Source {
  readonly parts: (tool: number) => Parts
  /** Of these numbers, which are of this source. */
  readonly shared: (numbers: ReadonlyArray<number>) => ReadonlyArray<Shared>
}

const made = { schemas: 0 }

/** How many schemas have been made in this process: what a test counts. */
export const schemasMade = (): number => made.schemas

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Lets a class give its private fields to an object that is there already. */
const Given = function(object: object): object {
  return object
} as unknown as new(object: object) => object

/**
 * What a definition's schema is made of, and what it is once somebody has read or set it: private fields of the definition
 * itself, and one pair of accessors for all. Closures of its own would give each definition a shape of its own, which takes
 * V8 twice the time and four times the memory.
 */
class Lazy extends Given {
  readonly #source: Source
  readonly #tool: number
  #schema: ToolDefinition.InputSchema | undefined = undefined
  #isSet = false

  constructor(definition: object, source: Source, tool: number) {
    super(definition)
    this.#source = source
    this.#tool = tool
  }

  /** The definition with the fields: the object, or what it inherits the accessors from. */
  static #behind(object: object): Lazy {
    for (let at: object | null = object; at !== null; at = Object.getPrototypeOf(at) as object | null) {
      if (#source in at) return at
      if (hasAccessors(at)) break
    }
    throw new TypeError(
      "inputSchema was read through an object that has a definition's accessor and is none, such as a Proxy or what property descriptors were copied to: read it of the definition, or of a copy of its values ({ ...definition })"
    )
  }

  static read(object: object): ToolDefinition.InputSchema {
    const lazy = Lazy.#behind(object)
    return lazy.#schema ??= schemaOf(lazy.#source, lazy.#tool)
  }

  /** As a plain property is set: of what is not the definition itself it becomes one of its own. */
  static set(object: object, schema: ToolDefinition.InputSchema): void {
    if (Object.isFrozen(object)) throw new TypeError("Cannot assign to read only property 'inputSchema' of object")
    if (#source in object) {
      object.#schema = schema
      object.#isSet = true
    } else {
      Object.defineProperty(object, "inputSchema", { value: schema, writable: true, enumerable: true, configurable: true })
    }
  }

  static isMadeOnReading(definition: unknown): boolean {
    return isObject(definition) && #source in definition && !definition.#isSet && hasAccessors(definition)
  }

  static unmadeOf(definition: unknown): { readonly source: Source; readonly tool: number } | undefined {
    return isObject(definition) && #source in definition && definition.#schema === undefined && hasAccessors(definition)
      ? { source: definition.#source, tool: definition.#tool }
      : undefined
  }
}

/** Whether its schema is what the accessors say, and no property that took their place. */
const hasAccessors = (object: object): boolean => Object.getOwnPropertyDescriptor(object, "inputSchema")?.get === inputSchema.get

/** Whether looking at a definition's schema would make it, for nothing: it is object-rooted by the way it is made. */
export const isMadeOnReading: (definition: ToolDefinition.ToolDefinition) => boolean = Lazy.isMadeOnReading

/** What a definition's schema would be made of, as long as nobody has read it: from then on it may have been changed. */
export const unmadeOf: (definition: ToolDefinition.ToolDefinition) => { readonly source: Source; readonly tool: number } | undefined = Lazy.unmadeOf

/** Sets a property whatever its name is: an assignment to `__proto__` would set the prototype. */
const set = (target: Record<string, unknown>, key: string, value: unknown): void => {
  if (key === "__proto__") Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  else target[key] = value
}

const schemaOf = (source: Source, tool: number): ToolDefinition.InputSchema => {
  made.schemas++
  const { own, shared } = source.parts(tool)
  if (shared === undefined) return own
  const $defs: Record<string, unknown> = {}
  for (const { name, schema } of source.shared(shared)) set($defs, name, schema)
  return { ...own, $defs } as ToolDefinition.InputSchema
}

const inputSchema: PropertyDescriptor & ThisType<object> = {
  get() {
    return Lazy.read(this)
  },
  set(schema: ToolDefinition.InputSchema) {
    Lazy.set(this, schema)
  },
  enumerable: true,
  configurable: true
}

/** A definition whose schema is made when somebody reads it: a property as any other, which is set like one too. */
export const definitionOf = (
  { annotations, description, name }: Omit<ToolDefinition.ToolDefinition, "inputSchema">,
  source: Source,
  tool: number
): ToolDefinition.ToolDefinition => {
  const definition: Partial<{ -readonly [Key in keyof ToolDefinition.ToolDefinition]: ToolDefinition.ToolDefinition[Key] }> = { name, description }
  Object.defineProperty(definition, "inputSchema", inputSchema)
  definition.annotations = annotations
  return new Lazy(definition, source, tool) as object as ToolDefinition.ToolDefinition
}

/** The schemas of a catalog, each shared one read once. The catalog may yet be read while others ask for this. */
const sourceOf = (catalog: () => Catalog): Source => {
  const known: Array<Shared | undefined> = []
  return {
    parts: (tool) => {
      const own = JSON.parse(catalog().schema(tool)!) as Record<string, Schema.Json>
      return { own, shared: own["$defs"] as ReadonlyArray<number> | undefined }
    },
    shared: (numbers) => {
      const missing = numbers.filter((at) => known[at] === undefined)
      if (missing.length > 0) {
        const read = JSON.parse(catalog().shared(missing)!) as ReadonlyArray<readonly [name: string, schema: Schema.Json]>
        for (const [at, [name, schema]] of read.entries()) known[missing[at]!] = { name, schema }
      }
      return numbers.map((at) => known[at]!)
    }
  }
}

/** An operation as it crosses: what comes before it has its number in its list. */
type Row = readonly [
  name: string,
  description: string | number,
  method: number,
  path: string,
  parameters: ReadonlyArray<number>,
  body?: number
]

/** What was left out, as it crosses. */
type SkippedRow = readonly [method: string, path: string, key: string | null, reason: number]

/** A body's members, of which nothing is another operation's. */
const copyOf = <Body extends Pick<Http.RequestTemplate, "fields">>(body: Body): Body =>
  body.fields === undefined ? body : { ...body, fields: body.fields.map((field) => ({ ...field })) }

const push = <Row>(list: Array<Row>) => (row: Row): void => void list.push(row)

/**
 * The operations of a catalog as the plain data that document 000 describes, put together as rows are added. Nothing that two
 * operations have is the same object.
 */
export const assembling = (catalog: () => Catalog) => {
  const source = sourceOf(catalog)
  const methods: Array<{ readonly method: Http.RequestTemplate["method"]; readonly annotations: ToolDefinition.Annotations }> = []
  const parameters: Array<Http.RequestTemplate["parameters"][number]> = []
  const bodies: Array<Pick<Http.RequestTemplate, "body" | "fields">> = []
  const descriptions: Array<string> = []
  const operations: Array<Http.Operation> = []
  const reasons: Array<{ readonly code: string; readonly text: string }> = []
  const skipped: Array<OpenApi.Skipped> = []
  const servers: Array<string> = []
  // The parts of a long description follow each other.
  const described = ([number, part]: readonly [number, string]): void => {
    descriptions[number] = (descriptions[number] ?? "") + part
  }
  const operation = ([name, said, method, path, numbers, body]: Row): void => {
    const description = typeof said === "number" ? descriptions[said]! : said
    const { annotations, method: sent } = methods[method]!
    const request = { method: sent, path, parameters: numbers.map((number) => ({ ...parameters[number]! })) }
    operations.push({
      definition: definitionOf({ name, description, annotations: { ...annotations } }, source, operations.length),
      request: body === undefined ? request : { ...request, ...copyOf(bodies[body]!) }
    })
  }
  const left = ([method, path, key, reason]: SkippedRow): void => {
    const { code, text } = reasons[reason]!
    skipped.push({ method, path, code, reason: `paths.${path}${key === null ? "" : `.${key}`}: ${text}` })
  }
  const add = {
    methods: push(methods),
    parameters: push(parameters),
    bodies: push(bodies),
    descriptions: described,
    operations: operation,
    reasons: push(reasons),
    skipped: left,
    servers: push(servers)
  }
  return {
    add: ({ list, text }: Rows): void => (JSON.parse(text) as ReadonlyArray<never>).forEach(add[list]),
    operations: (): OpenApi.Operations => ({ operations, skipped, servers })
  }
}

/** The operations of a catalog. */
export const makeCatalog = (catalog: Catalog): OpenApi.Operations => {
  const { add, operations } = assembling(() => catalog)
  for (let rows = catalog.nextRows(); rows !== null; rows = catalog.nextRows()) add(rows)
  return operations()
}
