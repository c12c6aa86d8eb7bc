/** The check of a call's input, compiled at the first call of a tool and kept with its schema. */
import type * as ToolDefinition from "../ToolDefinition.ts"
import { textOf } from "./inputText.ts"
import { native } from "./native.ts"

type Check = InstanceType<typeof native.InputCheck>

/** By the schema's identity, so that a toolkit rebuilt each turn from one catalog compiles nothing again. */
const checks = new WeakMap<object, Check>()

const anyObject = "{\"type\":\"object\"}"

const checkOf = (schema: ToolDefinition.InputSchema): Check => {
  const known = checks.get(schema)
  if (known !== undefined) return known
  let text: string
  try {
    text = JSON.stringify(schema) ?? anyObject
  } catch {
    // A schema that holds itself or a bigint is no JSON Schema: the input is held to being an object.
    text = anyObject
  }
  const check = native.InputCheck.compile(text)
  checks.set(schema, check)
  return check
}

/** What is wrong with an input, for the model to read; `undefined` when the source may have it. */
export const refusal = (schema: ToolDefinition.InputSchema, input: unknown): string | undefined => {
  const written = textOf(input)
  return "refusal" in written ? written.refusal : checkOf(schema).check(written.text) ?? undefined
}
