/**
 * The input of a procedure: the JSON Schema that a model is shown, and the check of what it gives.
 *
 * Rule: arguments are JSON. They are written as text once, and what is checked, stored and handed on is read from that text, so
 * that nothing can change between a check and what it let through.
 */
import { DendraError } from "../../router/error.ts"
import type { JSONSchema } from "../../router/route.ts"
import { textOf } from "../inputText.ts"
import { native } from "../native.ts"
import { isObjectRooted } from "../objectRooted.ts"

const compile = (schema: string) => native.InputCheck.compile(schema, true)

export interface Input {
  readonly schema: JSONSchema & { readonly type: "object" }
  /** What a handler gets of arguments; throws BAD_REQUEST. */
  readonly read: (args: Arguments) => unknown
}

/** Arguments as JSON text, and read from it. */
export interface Arguments {
  readonly text: string
  readonly value: unknown
}

const anyObject = compile("{\"type\":\"object\"}")

/** The most of what is wrong that is told: mistakes, and UTF-16 units. */
const maxIssues = 10
const maxMessage = 2000

const refuse = (message: string, details?: unknown): never => {
  throw new DendraError("BAD_REQUEST", message, details)
}

/** Takes down what was given as arguments; throws BAD_REQUEST for what is no JSON object. */
export const argumentsOf = (given: unknown): Arguments => {
  const written = textOf(given)
  if ("refusal" in written) return refuse(written.refusal)
  const wrong = anyObject.check(written.text)
  return wrong === null ? { text: written.text, value: JSON.parse(written.text) } : refuse(wrong)
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A JSON Schema with an object root, which a schema without a type is given; `undefined` for one of another type, and for what is none. */
export const objectSchema = (schema: unknown): Input["schema"] | undefined => {
  if (!isRecord(schema)) return undefined
  const rooted = "type" in schema && schema["type"] !== undefined ? schema : { ...schema, type: "object" }
  return isObjectRooted(rooted) ? rooted as Input["schema"] : undefined
}

const rootedSchema = (schema: unknown): Input["schema"] =>
  objectSchema(schema) ??
    refuseSchema(isRecord(schema) ? `has the type ${JSON.stringify(schema["type"])}: a tool's input is an object` : "has a JSON Schema that is no object")

const refuseSchema = (why: string, cause?: unknown): never => {
  throw new TypeError(`The schema given to .input() ${why}`, cause === undefined ? {} : { cause })
}

/** What a procedure takes that has no `.input()`. */
export const noInput: Input["schema"] = { type: "object", properties: {} }

/** An input of a JSON Schema, checked by the package's own engine. */
const ofJsonSchema = (given: JSONSchema): Input => {
  let text: string
  try {
    text = JSON.stringify(given)
  } catch (cause) {
    return refuseSchema("cannot be written as JSON", cause)
  }
  // A copy, so that what is shown stays what is checked.
  const schema = rootedSchema(JSON.parse(text) as JSONSchema)
  const check = compile(JSON.stringify(schema))
  if (check.objectOnly) return refuseSchema("cannot be checked: it is no JSON Schema, or larger than what is checked (1 MiB, 512 levels)")
  return {
    schema,
    read: ({ text, value }) => {
      const wrong = check.check(text)
      return wrong === null ? value : refuse(wrong)
    }
  }
}

/** An input of which only being an object is checked. */
export const ofAnyObject = (schema: Input["schema"]): Input => ({ schema, read: ({ value }) => value })

interface Issue {
  readonly message: string
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
}

interface Standard {
  readonly vendor?: unknown
  readonly validate: (value: unknown) => unknown
  readonly jsonSchema?: { readonly input: (options: { readonly target: string }) => unknown } | undefined
}

const placeOf = ({ path = [] }: Issue): string =>
  path.map((segment) => {
    const key = typeof segment === "object" ? segment.key : segment
    return typeof key === "number" ? `[${key}]` : `.${String(key)}`
  }).join("").replace(/^\./, "")

const told = (issues: ReadonlyArray<Issue>): string => {
  const lines = issues.slice(0, maxIssues).map((issue) => {
    const place = placeOf(issue)
    return place === "" ? issue.message : `${place}: ${issue.message}`
  })
  if (issues.length > maxIssues) lines.push(`… and ${issues.length - maxIssues} more`)
  // A library may refuse an input and say nothing: an error without a word would help nobody.
  return native.cutText(lines.join("\n").trim() === "" ? "The input is not what the tool takes." : lines.join("\n"), maxMessage)
}

const standardOf = (schema: object): Standard | undefined => {
  const standard = (schema as { readonly "~standard"?: unknown })["~standard"]
  return typeof standard === "object" && standard !== null && typeof (standard as Standard).validate === "function"
    ? standard as Standard
    : undefined
}

/** What a Standard Schema says of its input as JSON Schema, in the newest draft that it can; an object where it says nothing. */
const jsonSchemaOf = ({ jsonSchema, vendor }: Standard): JSONSchema => {
  const library = typeof vendor === "string" ? `of ${vendor} ` : ""
  if (typeof jsonSchema?.input !== "function") return { type: "object" }
  let last: unknown
  for (const target of ["draft-2020-12", "draft-07"]) {
    try {
      return jsonSchema.input({ target }) as JSONSchema
    } catch (cause) {
      last = cause
    }
  }
  return refuseSchema(`${library}cannot be said as JSON Schema: give one as the second argument`, last)
}

/** An input of a Standard Schema, checked by the library that it is of. */
const ofStandard = (standard: Standard, given: JSONSchema | undefined): Input => ({
  schema: rootedSchema(given ?? jsonSchemaOf(standard)),
  read: async ({ value }) => {
    const result = await standard.validate(value) as { readonly value: unknown; readonly issues?: ReadonlyArray<Issue> | undefined }
    const { issues } = result
    if (!issues) return result.value
    return refuse(told(issues), { issues: issues.map((issue) => ({ path: placeOf(issue), message: issue.message })) })
  }
})

/** The input of what `.input()` was given. */
export const inputOf = (schema: unknown, jsonSchema: JSONSchema | undefined): Input => {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) {
    return refuseSchema(`has to be a JSON Schema or a Standard Schema, not ${schema === null ? "null" : typeof schema}`)
  }
  const standard = standardOf(schema)
  if (standard !== undefined) return ofStandard(standard, jsonSchema)
  const prototype: unknown = Object.getPrototypeOf(schema)
  if (typeof schema === "function" || (prototype !== null && Object.getPrototypeOf(prototype) !== null)) {
    return refuseSchema(
      "is neither a JSON Schema nor a Standard Schema. One of Effect is made both by " +
        "Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(schema))"
    )
  }
  return ofJsonSchema(schema as JSONSchema)
}
