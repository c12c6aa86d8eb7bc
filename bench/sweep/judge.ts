/**
 * Whether a tool's schema is one: valid against its meta-schema, standing alone, holding nothing that it does not need, and
 * accepting and refusing what the document's own does ({@link trusting}), both judged by ajv.
 */
import { createRequire } from "node:module"
import type { Ajv2020 as Ajv, ValidateFunction } from "ajv/dist/2020.js"
import { isObject, type Json } from "../lib/compare.ts"
import type { JsonObject } from "../lib/effect-check.ts"
import type { Operation } from "../lib/operations.ts"
import { samples } from "../lib/samples.ts"
import { danglingOf, lookup, many, named, one, reached } from "../lib/schemas.ts"
import { type RuleId, rules, type Template, trusting } from "./trusted.ts"

const { Ajv2020 } = createRequire(import.meta.url)("ajv/dist/2020.js") as { readonly Ajv2020: typeof Ajv }

/** A number that a text always gives. */
export const hash = (text: string): number => {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return (value ^ (value >>> 15)) >>> 0
}

/**
 * Patterns are those of many languages, and no input that is made here would match one. So each lets three of four texts
 * through, the same ones on both sides: a pattern that is lost or changed is found, and none runs for ever.
 */
const standIn = Object.assign(
  (pattern: string) => ({ test: (text: string) => hash(`${pattern}\n${text}`) % 4 !== 0, toString: () => pattern }),
  { code: "standIn" }
)

const options = { strict: false, validateSchema: false, validateFormats: false, logger: false } as const

const meta = new Ajv2020({ ...options, allErrors: true }).getSchema("https://json-schema.org/draft/2020-12/schema")!

export interface Misuse {
  /** The tokens of the way to it. */
  readonly path: ReadonlyArray<string>
  readonly keyword: string
  /** As JSON text. */
  readonly value: string
}

/** Keywords whose values the meta-schema refuses. */
export const misused = (schema: JsonObject): ReadonlyArray<Misuse> => {
  if (meta(schema)) return []
  const found = new Map<string, Misuse>()
  for (const { instancePath } of meta.errors ?? []) {
    const tokens = instancePath.split("/").slice(1).map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))
    // What is wrong in a list (a name that is no text) is wrong of the keyword.
    const values = tokens.reduce<Array<Json | undefined>>((values, token) => [...values, (values.at(-1) as Record<string, Json> | undefined)?.[token]], [schema])
    while (tokens.length > 1 && Array.isArray(values[tokens.length - 1])) tokens.pop()
    const [keyword, value] = [tokens.at(-1) ?? "", values[tokens.length]]
    found.set(tokens.join("\n"), { path: tokens, keyword, value: JSON.stringify(value) })
  }
  return [...found.values()]
}

/** Keywords that ajv gives a meaning which 2020-12 does not, or refuses to see. */
const foreign = new Set(["nullable", "id", "dependencies"])

/** A copy that ajv compiles: without what {@link misused} finds and without keywords that mean nothing in 2020-12. */
const sound = (schema: JsonObject): JsonObject => {
  const copied = copy(schema) as JsonObject
  for (const { keyword, path } of misused(copied)) {
    const owner = path.slice(0, -1).reduce<any>((at, token) => at?.[token], copied)
    if (owner !== undefined) delete owner[keyword]
  }
  return copied
}

const copy = (schema: Json): Json => {
  if (!isObject(schema)) return schema
  return Object.fromEntries(Object.entries(schema).flatMap(([keyword, value]): ReadonlyArray<[string, Json]> => {
    if (foreign.has(keyword) || (keyword === "enum" && Array.isArray(value) && value.length === 0)) return []
    if (one.has(keyword)) return [[keyword, copy(value)]]
    if (many.has(keyword) && Array.isArray(value)) return [[keyword, value.map(copy)]]
    if (named.has(keyword) && isObject(value)) return [[keyword, Object.fromEntries(Object.entries(value).map(([name, item]) => [name, copy(item)]))]]
    return [[keyword, value]]
  }))
}

type Verdict = "accepts" | "refuses" | "does not end"
type Judge = (input: Json) => Verdict

const judging = (schema: JsonObject): Judge => {
  const validate: ValidateFunction = new Ajv2020({ ...options, code: { regExp: standIn } }).compile(schema)
  return (input) => {
    try {
      return validate(input) ? "accepts" : "refuses"
    } catch (error) {
      // A schema that leads to itself without a step into the value.
      if (error instanceof RangeError) return "does not end"
      throw error
    }
  }
}

/** The definitions that nothing refers to. */
const unneeded = (schema: JsonObject): ReadonlyArray<string> => {
  const { $defs, ...root } = schema
  if (!isObject($defs)) return []
  const needed = new Set<Json>(reached(root, (reference) => lookup(schema, reference)))
  return Object.entries($defs).flatMap(([name, definition]) => isObject(definition) && !needed.has(definition) ? [name] : [])
}

export interface Judged {
  readonly faults: ReadonlyArray<string>
  /** Keywords that neither the document nor the tool uses as JSON Schema has them. */
  readonly misused: ReadonlyArray<string>
  /** The rules without which the document would say something else of an input. */
  readonly differences: ReadonlySet<RuleId>
  readonly inputs: { readonly accepted: number; readonly refused: number }
  /** Why inputs were not judged, where they were not. */
  readonly unjudged?: string | undefined
}

const all: ReadonlySet<RuleId> = new Set(rules.map(({ id }) => id))
const inputsOfEach = 60
/** ajv takes seconds for a larger schema. */
const longestSchema = 400_000

const short = (value: Json) => {
  const text = JSON.stringify(value)
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}

/** Judges the schema of an operation's tool. */
export const judge = (document: Json, operation: Operation, template: Template, tool: JsonObject, is30: boolean): Judged => {
  const of = (applied: ReadonlySet<RuleId>) => trusting(document, applied)(operation, template)
  const decided = of(all)
  const faults = [...decided.faults]
  const differences = new Set<RuleId>()
  const inputs = { accepted: 0, refused: 0 }

  const theirs = new Set(misused(decided.schema).map(({ keyword, value }) => `${keyword}: ${value}`))
  const ours = misused(tool).map(({ keyword, path, value }) => ({ said: `${keyword}: ${value}`, path }))
  for (const { path, said } of ours) if (!theirs.has(said)) faults.push(`the schema is not valid at /${path.join("/")}: ${said}`)
  for (const reference of danglingOf(tool)) faults.push(`the schema does not stand alone: ${reference}`)
  for (const name of unneeded(tool)) faults.push(`the schema has a definition that it does not need: ${name}`)
  if (is30 && reached(tool, (reference) => lookup(tool, reference)).some((schema) => Object.hasOwn(schema, "nullable"))) faults.push("the schema has a \"nullable\"")

  const result = { faults, misused: ours.map(({ said }) => said), differences, inputs }
  if (JSON.stringify(tool).length > longestSchema) return { ...result, unjudged: "large" }
  const compiled = (schema: JsonObject): Judge | string => {
    try {
      return judging(sound(schema))
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }
  const own = compiled(tool)
  const wanted = compiled(decided.schema)
  if (typeof own === "string" || typeof wanted === "string") {
    // What is wrong with both is the document's.
    if (typeof own === "string" && typeof wanted === "string") return { ...result, unjudged: "ajv" }
    faults.push(`ajv compiles only ${typeof own === "string" ? "the document's schema" : "the tool's"}: ${String(typeof own === "string" ? own : wanted)}`)
    return result
  }

  const byRules = new Map<string, Judge | string>()
  const under = (applied: ReadonlySet<RuleId>, input: Json): Verdict | undefined => {
    const key = [...applied].join(" ")
    if (!byRules.has(key)) byRules.set(key, compiled(of(applied).schema))
    const judge = byRules.get(key)!
    return typeof judge === "string" ? undefined : judge(input)
  }
  const letter = of(new Set())
  const seed = hash(`${operation.method} ${operation.path}`)
  for (const input of [...samples(sound(tool), inputsOfEach, seed), ...samples(letter.schema, inputsOfEach, seed + 1)]) {
    const verdict = own(input)
    if (verdict !== wanted(input)) {
      faults.push(`the tool ${verdict} what the document ${wanted(input)}: ${short(input)}`)
      break
    }
    inputs[verdict === "accepts" ? "accepted" : "refused"]++
    if (under(new Set(), input) === verdict) continue
    // The fewest rules that explain it, of those that do.
    const needed = new Set(all)
    for (const { id } of rules) {
      needed.delete(id)
      if (under(needed, input) !== verdict) needed.add(id)
    }
    for (const id of needed) differences.add(id)
  }
  return result
}
