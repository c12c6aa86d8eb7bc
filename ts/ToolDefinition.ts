/**
 * A tool as data: what a catalog stores and a source reports before anything runs the tool.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { isObjectRooted } from "./internal/objectRooted.ts"

/**
 * What a source claims of a tool, named as Effect AI's tool annotations are. A hint the source did not give is left out,
 * so that Effect AI's default for it applies. They are claims and not guarantees: no decision about what a tool may do
 * rests on them alone.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Annotations: Schema.Struct<{
  readonly title: Schema.optionalKey<Schema.String>
  readonly readOnly: Schema.optionalKey<Schema.Boolean>
  readonly destructive: Schema.optionalKey<Schema.Boolean>
  readonly idempotent: Schema.optionalKey<Schema.Boolean>
  readonly openWorld: Schema.optionalKey<Schema.Boolean>
}> = Schema.Struct({
  title: Schema.optionalKey(Schema.String),
  readOnly: Schema.optionalKey(Schema.Boolean),
  destructive: Schema.optionalKey(Schema.Boolean),
  idempotent: Schema.optionalKey(Schema.Boolean),
  openWorld: Schema.optionalKey(Schema.Boolean)
})

/**
 * The hints of a tool.
 *
 * @category models
 * @since 0.1.0
 */
export interface Annotations extends Schema.Schema.Type<typeof Annotations> {}

/**
 * The parameters of a tool: a JSON Schema with an object root (`type: "object"`), kept as the source wrote it.
 *
 * @category schemas
 * @since 0.1.0
 */
export const InputSchema: Schema.Codec<Schema.JsonObject> = Schema.JsonObject.check(
  Schema.makeFilter((schema: Schema.JsonObject) =>
    isObjectRooted(schema) || "expected a JSON Schema with an object root: \"type\" has to be \"object\""
  )
)

/**
 * A JSON Schema with an object root.
 *
 * @category models
 * @since 0.1.0
 */
export type InputSchema = typeof InputSchema.Type

/**
 * A tool as data. It has no output schema: what a tool answers is JSON that the model reads.
 *
 * @example
 * ```ts
 * import { ToolDefinition } from "toolkit-native"
 * import { Schema } from "effect"
 *
 * const codec = Schema.toCodecJson(Schema.Array(ToolDefinition.ToolDefinition))
 * const stored = JSON.stringify(Schema.encodeSync(codec)([
 *   { name: "echo", description: "Says it again.", inputSchema: { type: "object" }, annotations: { readOnly: true } }
 * ]))
 * console.log(Schema.decodeUnknownSync(codec)(JSON.parse(stored))[0]?.name) // "echo"
 * ```
 *
 * @category schemas
 * @since 0.1.0
 */
export const ToolDefinition: Schema.Struct<{
  readonly name: Schema.String
  readonly description: Schema.String
  readonly inputSchema: typeof InputSchema
  readonly annotations: typeof Annotations
}> = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  inputSchema: InputSchema,
  annotations: Annotations
})

/**
 * A tool as data.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolDefinition extends Schema.Schema.Type<typeof ToolDefinition> {}
