/** The check of a call's input, compiled at the first call of a tool and kept with its schema. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as ToolDefinition from "../ToolDefinition.ts"
import { textOf } from "./inputText.ts"
import { native } from "./native.ts"

type Check = InstanceType<typeof native.InputCheck>

/** Which schemas become a check: those that Effect's importer can turn into one, or all that can be checked. */
export type Mode = "compatible" | "full"

/** How inputs are checked; `ToolSource.InputCheck`. */
export const InputCheck: Context.Reference<Mode> = Context.Reference<Mode>("toolkit-native/ToolSource/InputCheck", {
  defaultValue: () => "compatible"
})

/**
 * By the schema's identity, so that a toolkit rebuilt each turn from one catalog compiles nothing again, and writes no
 * schema as text to find its check: for a large one that takes many times what the check does. So a schema is what it was
 * at the first call, as a tool of Effect's own is what it was made of. A promise is a check that another thread still
 * compiles.
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

/** Holds an input to being an object, where the addon could not compile a schema. */
const objectCheck = (): Check => native.InputCheck.compile(anyObject, false)

const checkOf = (schema: ToolDefinition.InputSchema, mode: Mode): Check | Promise<Check> => {
  const known = checks[mode].get(schema)
  if (known !== undefined) return known
  const text = textOfSchema(schema)
  const keep = (check: Check): Check => {
    checks[mode].set(schema, check)
    return check
  }
  if (text.length <= maxInline) {
    try {
      return keep(native.InputCheck.compile(text, mode === "full"))
    } catch {
      return objectCheck()
    }
  }
  // Never rejects: the call that waits for it may have been interrupted, and nobody would handle it. What went wrong once
  // is tried again at the next call.
  const compiling = native.InputCheck.compileApart(text, mode === "full").then(keep, () => {
    checks[mode].delete(schema)
    return objectCheck()
  })
  checks[mode].set(schema, compiling)
  return compiling
}

/** An input as the JSON text that was checked, or what is wrong with it, for the model to read. */
export type Checked = { readonly text: string } | { readonly refusal: string }

const checkedBy = (check: Check, text: string): Checked => {
  const refusal = check.check(text)
  return refusal === null ? { text } : { refusal }
}

/** Checks an input. An effect where the schema is still to be compiled on another thread. */
export const checked = (schema: ToolDefinition.InputSchema, input: unknown, mode: Mode): Checked | Effect.Effect<Checked> => {
  const written = textOf(input)
  if ("refusal" in written) return written
  const check = checkOf(schema, mode)
  return check instanceof Promise
    ? Effect.map(Effect.promise(() => check), (check) => checkedBy(check, written.text))
    : checkedBy(check, written.text)
}

const refusalOf = (outcome: Checked): string | undefined => "refusal" in outcome ? outcome.refusal : undefined

/** What is wrong with an input, or `undefined`; an effect as above. */
export const refusal = (
  schema: ToolDefinition.InputSchema,
  input: unknown,
  mode: Mode
): string | undefined | Effect.Effect<string | undefined> => {
  const outcome = checked(schema, input, mode)
  return Effect.isEffect(outcome) ? Effect.map(outcome, refusalOf) : refusalOf(outcome)
}

/** The same of an input of one of the package's own tools, whose schemas are short. */
export const refusalAtOnce = (schema: ToolDefinition.InputSchema, input: unknown): string | undefined =>
  refusal(schema, input, "compatible") as string | undefined
