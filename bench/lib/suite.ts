/** The cases of the JSON-Schema-Test-Suite, each as the one parameter of a tool, since an input is an object. */
import { readFileSync } from "node:fs"
import type { Json, JsonObject, Verdict } from "./effect-check.ts"

export const drafts = ["draft-2020-12", "draft-07"] as const
export type Draft = typeof drafts[number]

export interface Group {
  /** The file of the suite that has it. */
  readonly file: string
  readonly description: string
  readonly schema: Json
  readonly tests: ReadonlyArray<{ readonly description: string; readonly data: Json; readonly valid: boolean }>
}

export const readSuite = (draft: Draft): ReadonlyArray<Group> =>
  JSON.parse(readFileSync(new URL(`../../__test__/data/json-schema-test-suite/${draft}.json`, import.meta.url), "utf8"))

const uris: Readonly<Record<Draft, string>> = {
  "draft-2020-12": "https://json-schema.org/draft/2020-12/schema",
  "draft-07": "http://json-schema.org/draft-07/schema#"
}

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value)

/** The references in a value. What only looks like one, as data, does no harm here. */
const references = (value: Json): ReadonlyArray<string> =>
  Array.isArray(value)
    ? value.flatMap(references)
    : isObject(value)
    ? Object.entries(value).flatMap(([key, held]) =>
      ["$ref", "$dynamicRef", "$recursiveRef"].includes(key) && typeof held === "string" ? [held] : references(held)
    )
    : []

/**
 * The input schema of a tool with the case's schema as its parameter `value`. The definitions stay at the root where all
 * references are to those. Elsewhere the case is a schema with an `$id`, from which its references are read as before.
 */
export const asParameter = (schema: Json, draft: Draft): JsonObject => {
  const root = { $schema: uris[draft], type: "object", required: ["value"] }
  if (!isObject(schema)) return { ...root, properties: { value: schema } }
  const definitions = draft === "draft-07" ? "definitions" : "$defs"
  const { $id, $schema, [definitions]: held, ...rest } = schema
  const standsAlone = draft === "draft-07" && typeof schema["$ref"] === "string"
  if (standsAlone || references(schema).every((reference) => reference.startsWith(`#/${definitions}/`))) {
    return {
      ...root,
      ...$schema === undefined ? {} : { $schema },
      ...$id === undefined ? {} : { $id },
      properties: { value: rest },
      ...held === undefined ? {} : { [definitions]: held }
    }
  }
  const id = typeof $id === "string" ? $id : "urn:example:case"
  return { ...root, properties: { value: { ...schema, $id: id } } }
}

/** What an engine makes of a schema: a check, or `undefined` where it has none. */
export type Engine = (schema: JsonObject, draft: Draft) => ((input: JsonObject) => Verdict) | undefined

export const outcomes = ["ok", "wrong accept", "wrong reject", "unsupported", "crash"] as const
export type Outcome = typeof outcomes[number]

export interface Judged {
  readonly group: Group
  readonly test: Group["tests"][number]
  readonly outcome: Outcome
}

/** What an engine says of each test of a draft. */
export const judge = (engine: Engine, draft: Draft): ReadonlyArray<Judged> =>
  readSuite(draft).flatMap((group) => {
    const check = engine(asParameter(group.schema, draft), draft)
    return group.tests.map((test) => ({ group, test, outcome: outcomeOf(check, test) }))
  })

const outcomeOf = (check: ReturnType<Engine>, { data, valid }: Judged["test"]): Outcome => {
  if (check === undefined) return "unsupported"
  const verdict = check({ value: data })
  if (verdict === "dies") return "crash"
  return (verdict === "accepts") === valid ? "ok" : valid ? "wrong reject" : "wrong accept"
}
