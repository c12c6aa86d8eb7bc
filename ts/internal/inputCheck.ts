/** The check of a call's input, compiled at the first call of a tool and kept with its schema. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as ToolDefinition from "../ToolDefinition.ts"
import { native } from "./native.ts"

type Check = InstanceType<typeof native.InputCheck>

/** Which schemas become a check: those that Effect's importer can turn into one, or all that can be checked. */
export type Mode = "compatible" | "full"

/** How inputs are checked; `ToolSource.InputCheck`. */
export const InputCheck: Context.Reference<Mode> = Context.Reference<Mode>("toolkit-native/ToolSource/InputCheck", {
  defaultValue: () => "compatible"
})

/**
 * By the schema's identity, so that a toolkit rebuilt each turn from one catalog compiles nothing again. A promise is a
 * check that another thread still compiles.
 */
const checks: Record<Mode, WeakMap<object, Check | Promise<Check>>> = { compatible: new WeakMap(), full: new WeakMap() }

const anyObject = "{\"type\":\"object\"}"

/** The longest schema, in characters, that is compiled where it is asked for: longer ones would hold up other work. */
const maxInline = 32 * 1024

const textOfSchema = (schema: ToolDefinition.InputSchema): string => {
  try {
    return JSON.stringify(schema) ?? anyObject
  } catch {
    // A schema that holds itself or a bigint is no JSON Schema: the input is held to being an object.
    return anyObject
  }
}

const checkOf = (schema: ToolDefinition.InputSchema, mode: Mode): Check | Promise<Check> => {
  const known = checks[mode].get(schema)
  if (known !== undefined) return known
  const text = textOfSchema(schema)
  const keep = (check: Check): Check => {
    checks[mode].set(schema, check)
    return check
  }
  if (text.length <= maxInline) return keep(native.InputCheck.compile(text, mode === "full"))
  const compiling = native.InputCheck.compileApart(text, mode === "full").then(keep)
  checks[mode].set(schema, compiling)
  return compiling
}

/** The longest text that is looked into for the object that was meant. */
const maxHeld = 64 * 1024

const holdsObject = (text: string): boolean => {
  if (text.length > maxHeld || !/^\s*\{/.test(text)) return false
  try {
    return typeof JSON.parse(text) === "object"
  } catch {
    return false
  }
}

const nameOf = (value: unknown): string => {
  if (typeof value === "string" && holdsObject(value)) return "a string holding JSON: send the object itself"
  return value === null ? "null" : Array.isArray(value) ? "a list" : value === undefined ? "nothing" : `a ${typeof value}`
}

/**
 * An input as JSON text, or what is wrong with it. The text is what is checked and what is sent; the source itself gets the
 * input as the model gave it.
 */
export const textOf = (input: unknown): { readonly text: string } | { readonly refusal: string } => {
  let text: string | undefined
  try {
    if (typeof input !== "object" || input === null || Array.isArray(input)) {
      return { refusal: `The input has to be an object, not ${nameOf(input)}.` }
    }
    text = JSON.stringify(input)
  } catch {
    text = undefined
  }
  return text === undefined
    ? { refusal: "The input cannot be written as JSON: it holds itself, a bigint, or more levels than JSON text can have." }
    : { text }
}

/**
 * What is wrong with an input, for the model to read; `undefined` when the source may have it. An effect where the schema is
 * still to be compiled on another thread.
 */
export const refusal = (
  schema: ToolDefinition.InputSchema,
  input: unknown,
  mode: Mode
): string | undefined | Effect.Effect<string | undefined> => {
  const written = textOf(input)
  if ("refusal" in written) return written.refusal
  const check = checkOf(schema, mode)
  return check instanceof Promise
    ? Effect.map(Effect.promise(() => check), (check) => check.check(written.text) ?? undefined)
    : check.check(written.text) ?? undefined
}

/** The same of an input of one of the package's own tools, whose schemas are short. */
export const refusalAtOnce = (schema: ToolDefinition.InputSchema, input: unknown): string | undefined =>
  refusal(schema, input, "compatible") as string | undefined
