/** Holds our check of inputs to the one that Effect makes of the same schema. */
import { deathOf, effectCheck, isObject, type Json, type JsonObject, reachesItself, type Verdict } from "./effect-check.ts"

/** The addon's check, as far as it is asked here. */
export interface Addon {
  readonly InputCheck: {
    readonly compile: (schema: string, full: boolean) => { readonly check: (input: string) => string | null; readonly objectOnly: boolean }
  }
}

/** Ours; `undefined` where it only asks for an object. What is no JSON is judged as JSON writes it. */
export const ourCheck = ({ InputCheck }: Addon, schema: Json, full: boolean): ((input: unknown) => Verdict) | undefined => {
  const check = InputCheck.compile(JSON.stringify(schema), full)
  return check.objectOnly ? undefined : (input) => check.check(JSON.stringify(input)) === null ? "accepts" : "refuses"
}

export interface Difference {
  readonly what: "only ours checks" | "only Effect checks" | "only ours accepts" | "only ours refuses" | "Effect dies"
  readonly schema: Json
  readonly input?: unknown
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
export const compareChecks = (addon: Addon, schema: Json, inputs: ReadonlyArray<unknown>): Compared => {
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
  { id: "root false", by: "decision 7", says: "the schema false accepts nothing; Effect's importer takes it for any object" },
  { id: "dialects", by: "decision 7", says: "drafts 4, 6 and 2019-09 are checked as what they are; Effect has no importer for them" },
  { id: "safe integers", by: "decision 7", says: "Effect takes no integer beyond 2^53 - 1 for one; JSON Schema has no such bound" },
  { id: "undefined", by: "decision 7", says: "undefined is not sent, and Effect takes it for a value" },
  { id: "no JSON", by: "decision 7", says: "a date, a map or a function is judged as JSON writes it, which is what is sent" },
  { id: "names of every object", by: "decision 7", says: "Effect finds an absent property named like a method of every object, such as toString" },
  { id: "told apart by what is not run", by: "decision 7", says: "branches of a oneOf that a pattern or a format tells apart both fit for Effect, which refuses" },
  { id: "itself without end", by: "decision 7", says: "a schema that is itself, by references and alternatives alone, makes Effect recurse for ever" },
  { id: "optional elements first", by: "decision 7", says: "Effect dies of a list in a definition where an element that is required follows one that is not" },
  { id: "limits", by: "decision 8", says: "ours has limits of its own, and Effect the size of the stack" }
] as const

export type Reason = typeof reasons[number]["id"]

/** The reason for a difference; `undefined` for one that may not be. */
export const reasonFor = ({ input, schema, what }: Difference): Reason | undefined => {
  if (schema === false) return "root false"
  if (isObject(schema) && otherDialect.test(String(schema["$schema"] ?? ""))) return "dialects"
  switch (what) {
    case "only ours checks":
      return undefined
    case "only Effect checks":
      return isObject(schema) && reachesItself(schema) ? "itself without end" : isBeyondLimits(schema) ? "limits" : undefined
    case "Effect dies":
      return isObject(schema) && reachesItself(schema)
        ? "itself without end"
        : deathOf(schema, input)?.includes("required element cannot follow an optional")
        ? "optional elements first"
        : levelsOf(input) > mostLevels
        ? "limits"
        : undefined
    case "only ours refuses":
      return levelsOf(input) > mostLevels ? "limits" : undefined
    case "only ours accepts":
      return changes.find(({ accepts }) => accepts(schema, input))?.id
  }
}

const otherDialect = /^https?:\/\/json-schema\.org\/(?:draft-0[46]|draft\/2019-09)\/schema#?$/

const accepts = (schema: Json, input: unknown): boolean => effectCheck(schema)?.(input) === "accepts"

/** What has to be changed for Effect to accept too: where it does then, the change is the reason. */
const changes: ReadonlyArray<{ readonly id: Reason; readonly accepts: (schema: Json, input: unknown) => boolean }> = [
  { id: "undefined", accepts: (schema, input) => accepts(schema, without(input, (value) => value === undefined)) },
  { id: "no JSON", accepts: (schema, input) => accepts(schema, JSON.parse(JSON.stringify(input))) },
  { id: "names of every object", accepts: (schema, input) => accepts(schema, withoutPrototypes(input)) },
  { id: "safe integers", accepts: (schema, input) => holdsUnsafeInteger(input) && accepts(anyNumber(schema), input) },
  {
    id: "told apart by what is not run",
    accepts: (schema, input) => /"(pattern|patternProperties|format)"/.test(JSON.stringify(schema)) && accepts(inclusive(schema), input)
  }
]

const isPlain = (value: unknown): value is Record<string, unknown> => isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value))

/** A value without the members of plain objects that are to go. */
const without = (value: unknown, goes: (value: unknown) => boolean): unknown =>
  Array.isArray(value)
    ? value.map((item) => without(item, goes))
    : isPlain(value)
    ? Object.fromEntries(Object.entries(value).filter(([, held]) => !goes(held)).map(([name, held]) => [name, without(held, goes)]))
    : value

const withoutPrototypes = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(withoutPrototypes)
    : isPlain(value)
    ? Object.assign(Object.create(null), Object.fromEntries(Object.entries(value).map(([name, held]) => [name, withoutPrototypes(held)])))
    : value

const holdsUnsafeInteger = (value: unknown): boolean =>
  typeof value === "number"
    ? Number.isInteger(value) && !Number.isSafeInteger(value)
    : typeof value === "object" && value !== null && Object.values(value).some(holdsUnsafeInteger)

/** The schema with any number where it has an integer, and "any of" for "one of", since a number may be both. */
const anyNumber = (schema: Json): Json =>
  inclusive(JSON.parse(JSON.stringify(schema), (name, value: unknown) => {
    const integerAsNumber = (type: unknown) => type === "integer" ? "number" : type
    return name === "type" ? Array.isArray(value) ? value.map(integerAsNumber) : integerAsNumber(value) : value
  }))

/** The schema with "any of" for "one of", so that the same branches may fit together. */
const inclusive = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema), (_, value: unknown) => {
    if (!isObject(value) || !Array.isArray(value["oneOf"])) return value
    const { oneOf, ...rest } = value
    return "anyOf" in rest ? { ...rest, allOf: [...Array.isArray(rest["allOf"]) ? rest["allOf"] : [], { anyOf: oneOf }] } : { ...rest, anyOf: oneOf }
  }) as Json

const mostLevels = 512

/** How deep a value is nested, counted in a loop. */
const levelsOf = (value: unknown): number => {
  let levels = 0
  for (let open: ReadonlyArray<unknown> = [value]; open.length > 0; levels++) {
    open = open.flatMap((value) => typeof value === "object" && value !== null ? Object.values(value) : [])
  }
  return levels - 1
}

const isBeyondLimits = (schema: Json): boolean => JSON.stringify(schema).length > 2 ** 20 || levelsOf(schema) > mostLevels
