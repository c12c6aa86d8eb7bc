/** A read document as plain data, its tools' schemas made when somebody reads them. */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Http from "../Http.ts"
import type * as OpenApi from "../OpenApi.ts"
import type * as ToolDefinition from "../ToolDefinition.ts"
import { join } from "./jsonPieces.ts"
import type { native } from "./native.ts"

type Catalog = Exclude<ReturnType<typeof native.readOpenApiText>, { readonly error: string }>

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

/** A definition's schema: what it is made of, and what it is once somebody has read or set it. */
interface Lazy {
  readonly source: Source
  readonly tool: number
  schema: ToolDefinition.InputSchema | undefined
  isSet: boolean
}

const lazies = new WeakMap<ToolDefinition.ToolDefinition, Lazy>()

/** Whether looking at a definition's schema would make it, for nothing: it is object-rooted by the way it is made. */
export const isMadeOnReading = (definition: ToolDefinition.ToolDefinition): boolean => lazies.get(definition)?.isSet === false

/** What a definition's schema would be made of, as long as nobody has read it: from then on it may have been changed. */
export const unmadeOf = (definition: ToolDefinition.ToolDefinition): Pick<Lazy, "source" | "tool"> | undefined => {
  const lazy = lazies.get(definition)
  return lazy?.schema === undefined ? lazy : undefined
}

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

/** A definition whose schema is made when somebody reads it: a property as any other, which is set like one too. */
export const definitionOf = (
  { annotations, description, name }: Omit<ToolDefinition.ToolDefinition, "inputSchema">,
  source: Source,
  tool: number
): ToolDefinition.ToolDefinition => {
  const lazy: Lazy = { source, tool, schema: undefined, isSet: false }
  const definition: ToolDefinition.ToolDefinition = {
    name,
    description,
    get inputSchema() {
      return lazy.schema ??= schemaOf(source, tool)
    },
    set inputSchema(value) {
      lazy.schema = value
      lazy.isSet = true
    },
    annotations
  }
  lazies.set(definition, lazy)
  return definition
}

/** The schemas of a catalog, each shared one read once. */
const sourceOf = (catalog: Catalog): Source => {
  const known: Array<Shared | undefined> = []
  return {
    parts: (tool) => {
      const own = JSON.parse(catalog.schema(tool)!) as Record<string, Schema.Json>
      return { own, shared: own["$defs"] as ReadonlyArray<number> | undefined }
    },
    shared: (numbers) => {
      const missing = numbers.filter((at) => known[at] === undefined)
      if (missing.length > 0) {
        const read = JSON.parse(catalog.shared(missing)!) as ReadonlyArray<readonly [name: string, schema: Schema.Json]>
        for (const [at, [name, schema]] of read.entries()) known[missing[at]!] = { name, schema }
      }
      return numbers.map((at) => known[at]!)
    }
  }
}

type Unmade = {
  readonly operations: ReadonlyArray<{
    readonly definition: Omit<ToolDefinition.ToolDefinition, "inputSchema">
    readonly request: Http.RequestTemplate
  }>
} & Pick<OpenApi.Operations, "skipped" | "servers">

const operationsOf = (catalog: Catalog, { operations, servers, skipped }: Unmade): OpenApi.Operations => {
  const source = sourceOf(catalog)
  return {
    operations: operations.map(({ definition, request }, at) => ({ definition: definitionOf(definition, source, at), request })),
    skipped,
    servers
  }
}

/** The operations of a catalog as the plain data that document 000 describes. */
export const makeCatalog = (catalog: Catalog): OpenApi.Operations => operationsOf(catalog, JSON.parse(catalog.takeText()) as Unmade)

/** The same of a catalog that was read on another thread: what is long is put together in turns with whatever else there is. */
export const makeCatalogInTurns = (catalog: Catalog): Effect.Effect<OpenApi.Operations> =>
  Effect.suspend(() => {
    const text = catalog.takeText()
    if (text !== "") return Effect.succeed(operationsOf(catalog, JSON.parse(text) as Unmade))
    return Effect.map(join(() => catalog.nextPiece()), (unmade) => operationsOf(catalog, unmade as unknown as Unmade))
  })
