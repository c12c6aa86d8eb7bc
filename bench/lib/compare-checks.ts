/** Holds our check of inputs to the one that Effect makes of the same schema. */
import { effectCheck, type Json, type JsonObject, type Verdict } from "./effect-check.ts"

/** The addon's check, as far as it is asked here. */
export interface Addon {
  readonly InputCheck: {
    readonly compile: (schema: string, full: boolean) => { readonly check: (input: string) => string | null; readonly objectOnly: boolean }
  }
}

/** Ours; `undefined` where it only asks for an object. */
export const ourCheck = ({ InputCheck }: Addon, schema: Json, full: boolean): ((input: Json) => Verdict) | undefined => {
  const check = InputCheck.compile(JSON.stringify(schema), full)
  return check.objectOnly ? undefined : (input) => check.check(JSON.stringify(input)) === null ? "accepts" : "refuses"
}

export interface Difference {
  readonly what: "only ours checks" | "only Effect checks" | "only ours accepts" | "only ours refuses" | "Effect dies"
  readonly schema: JsonObject
  readonly input?: JsonObject
}

export interface Compared {
  readonly differences: ReadonlyArray<Difference>
  /** Inputs that both judged, and those of them that both accept. */
  readonly judged: number
  readonly accepted: number
  /** Whether neither checks the schema. */
  readonly unchecked: boolean
}

/** What differs between ours and Effect's for a schema and inputs. */
export const compareChecks = (addon: Addon, schema: JsonObject, inputs: ReadonlyArray<JsonObject>): Compared => {
  const [ours, effects] = [ourCheck(addon, schema, false), effectCheck(schema)]
  if (ours === undefined || effects === undefined) {
    const differences: ReadonlyArray<Difference> = ours !== undefined
      ? [{ what: "only ours checks", schema }]
      : effects !== undefined
      ? [{ what: "only Effect checks", schema }]
      : []
    return { differences, judged: 0, accepted: 0, unchecked: differences.length === 0 }
  }
  const differences: Array<Difference> = []
  let [judged, accepted] = [0, 0]
  for (const input of inputs) {
    const [one, other] = [ours(input), effects(input)]
    judged++
    if (other === "dies") differences.push({ what: "Effect dies", schema, input })
    else if (one !== other) differences.push({ what: one === "accepts" ? "only ours accepts" : "only ours refuses", schema, input })
    else if (one === "accepts") accepted++
  }
  return { differences, judged, accepted, unchecked: false }
}

/** Why ours and Effect's differ where they do, with the decision that has it so. Each has a test that shows it. */
export const reasons = [
  { id: "safe integers", by: "decision 7", says: "Effect takes no integer beyond 2^53 - 1 for one; JSON Schema has no such bound" },
  { id: "names of every object", by: "decision 7", says: "Effect finds an absent property named like a method of every object, such as toString" },
  { id: "told apart by what is not run", by: "decision 7", says: "branches of a oneOf that a pattern or a format tells apart both fit for Effect, which refuses" },
  { id: "itself without end", by: "decision 7", says: "a schema that is itself, by references and alternatives alone, makes Effect recurse for ever" },
  { id: "limits", by: "decision 8", says: "ours has limits of its own, and Effect the size of the stack" }
] as const

export type Reason = typeof reasons[number]["id"]

/** The reason for a difference that was found without looking for it; `undefined` for one that may not be. */
export const reasonFor = ({ input, schema, what }: Difference): Reason | undefined => {
  if (what === "Effect dies" || what === "only Effect checks") return refersToItself(schema) ? "itself without end" : undefined
  if (what !== "only ours accepts") return undefined
  if (holdsUnsafeInteger(input)) return "safe integers"
  const text = JSON.stringify(schema)
  return text.includes("\"oneOf\"") && /"(pattern|patternProperties|format)"/.test(text) && effectCheck(inclusive(schema))?.(input!) === "accepts"
    ? "told apart by what is not run"
    : undefined
}

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value)

const holdsUnsafeInteger = (value: unknown): boolean =>
  typeof value === "number"
    ? Number.isInteger(value) && !Number.isSafeInteger(value)
    : typeof value === "object" && value !== null && Object.values(value).some(holdsUnsafeInteger)

/** The schema with "any of" for "one of", so that the same branches may fit together. */
const inclusive = (schema: JsonObject): JsonObject =>
  JSON.parse(JSON.stringify(schema), (_, value: unknown) => {
    if (!isObject(value) || !Array.isArray(value["oneOf"])) return value
    const { oneOf, ...rest } = value
    return "anyOf" in rest ? { ...rest, allOf: [...Array.isArray(rest["allOf"]) ? rest["allOf"] : [], { anyOf: oneOf }] } : { ...rest, anyOf: oneOf }
  }) as JsonObject

/** Whether some schema is reached from itself by references and alternatives alone. */
const refersToItself = (root: JsonObject): boolean => {
  const done = new Set<unknown>()
  const visit = (schema: unknown, path: ReadonlyArray<unknown>): boolean => {
    if (!isObject(schema) || done.has(schema)) return false
    if (path.includes(schema)) return true
    const on = [...path, schema]
    const target = typeof schema["$ref"] === "string" ? [at(root, schema["$ref"])] : []
    const branches = ["allOf", "anyOf", "oneOf"].flatMap((keyword) => Array.isArray(schema[keyword]) ? schema[keyword] as ReadonlyArray<unknown> : [])
    if ([...target, ...branches].some((next) => visit(next, on))) return true
    done.add(schema)
    return false
  }
  const everywhere = (value: unknown): boolean =>
    typeof value === "object" && value !== null && (visit(value, []) || Object.values(value).some(everywhere))
  return everywhere(root)
}

const at = (root: JsonObject, reference: string): unknown =>
  reference.replace(/^[^#]*#/, "").split("/").slice(1).reduce<unknown>((value, name) => {
    const key = decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~")
    return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined
  }, root)
