/** A read document as plain data, its tools' schemas made when somebody reads them. */
import type * as Http from "../Http.ts"
import type * as OpenApi from "../OpenApi.ts"
import type * as ToolDefinition from "../ToolDefinition.ts"
import type { native } from "./native.ts"

type Catalog = Exclude<ReturnType<typeof native.readOpenApiText>, { readonly error: string }>

type Unmade = {
  readonly operations: ReadonlyArray<{
    readonly definition: Omit<ToolDefinition.ToolDefinition, "inputSchema">
    readonly request: Http.RequestTemplate
  }>
} & Pick<OpenApi.Operations, "skipped" | "servers">

const made = { schemas: 0 }

/** How many schemas have been made in this process: what a test counts. */
export const schemasMade = (): number => made.schemas

/** The definitions whose schema is made on reading, and is object-rooted by the way it is made. */
const madeOnReading = new WeakSet<ToolDefinition.ToolDefinition>()

/** Whether looking at a definition's schema would make it, for nothing. */
export const isMadeOnReading = (definition: ToolDefinition.ToolDefinition): boolean => madeOnReading.has(definition)

/** Sets a property whatever its name is: an assignment to `__proto__` would set the prototype. */
const set = (target: Record<string, unknown>, key: string, value: unknown): void => {
  if (key === "__proto__") Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  else target[key] = value
}

/** Makes the schemas of a catalog, each shared part once. */
const schemasOf = (catalog: Catalog) => {
  const shared: Array<{ readonly name: string; readonly schema: unknown } | undefined> = []
  const sharedAt = (at: number) =>
    shared[at] ??= { name: catalog.sharedName(at)!, schema: JSON.parse(catalog.shared(at)!) }
  return (operation: number): ToolDefinition.InputSchema => {
    made.schemas++
    const parts = catalog.schema(operation)!
    const schema = JSON.parse(parts.own) as Record<string, unknown>
    if (parts.shared.length > 0) {
      const defs: Record<string, unknown> = {}
      for (const at of parts.shared) {
        const { name, schema } = sharedAt(at)
        set(defs, name, schema)
      }
      schema["$defs"] = defs
    }
    return schema as ToolDefinition.InputSchema
  }
}

/** The operations of a catalog as the plain data that document 000 describes. */
export const makeCatalog = (catalog: Catalog): OpenApi.Operations => {
  const { operations, servers, skipped } = JSON.parse(catalog.takeText()) as Unmade
  const schemaOf = schemasOf(catalog)
  return {
    operations: operations.map(({ definition: { annotations, description, name }, request }, at) => {
      let schema: ToolDefinition.InputSchema | undefined
      const definition: ToolDefinition.ToolDefinition = {
        name,
        description,
        get inputSchema() {
          return schema ??= schemaOf(at)
        },
        set inputSchema(value) {
          schema = value
          madeOnReading.delete(this)
        },
        annotations
      }
      madeOnReading.add(definition)
      return { definition, request }
    }),
    skipped,
    servers
  }
}
