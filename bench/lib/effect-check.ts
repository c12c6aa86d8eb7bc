/** The check that Effect makes of a JSON Schema: what ours is compatible with. */
import { Cause, JsonSchema, Result, Schema, SchemaRepresentation } from "effect"

export type Json = Schema.Json
export type Verdict = "accepts" | "refuses" | "dies"
export type JsonObject = { readonly [key: string]: Json }

const older = /^https?:\/\/json-schema\.org\/draft-0[467]\/schema#?$/

/** The schema that Effect's importer makes, patterns left out; `undefined` where it throws. */
export const imported = (schema: Json): Schema.Top | undefined => {
  try {
    const read = schema as JsonSchema.JsonSchema
    const isOlder = typeof schema === "object" && schema !== null && older.test(String(read["$schema"] ?? ""))
    const document = isOlder ? JsonSchema.fromSchemaDraft07(read) : JsonSchema.fromSchemaDraft2020_12(read)
    return SchemaRepresentation.fromJsonSchemaDocument(document, { patterns: "ignore" })
  } catch {
    return undefined
  }
}

const decoder = (schema: Json) => {
  const made = imported(schema)
  return made === undefined ? undefined : Schema.decodeUnknownResult(made as Schema.Codec<unknown>, { onExcessProperty: "error" })
}

/** What that schema says of inputs, a property too many being a mistake; `undefined` where there is none. */
export const effectCheck = (schema: Json): ((input: unknown) => Verdict) | undefined => {
  const decode = decoder(schema)
  return decode && ((input) => {
    try {
      return Result.isSuccess(decode(input)) ? "accepts" : "refuses"
    } catch {
      return "dies"
    }
  })
}

/** What it dies of; `undefined` where it does not. */
export const deathOf = (schema: Json, input: unknown): string | undefined => {
  try {
    decoder(schema)?.(input)
    return undefined
  } catch (error) {
    const { cause, message } = error as Error
    return Cause.isCause(cause) ? cause.reasons.map((reason) => Cause.isDieReason(reason) ? String(reason.defect) : "").join("; ") : message
  }
}
