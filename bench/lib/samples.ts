/** Inputs for a schema: some that are meant to keep it and, of those, some with one thing changed. The same for the same seed. */
import type { Json, JsonObject } from "./effect-check.ts"

/** Numbers from 0 to 1, the same row for the same seed. */
export const randomOf = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
}

type Random = ReturnType<typeof randomOf>

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value)
const pick = <A>(random: Random, values: ReadonlyArray<A>): A => values[Math.floor(random() * values.length)]!

const maxDepth = 6

/** What the values of one input have in common. `left` is how many more are made before only what is required is. */
interface Draw {
  readonly root: JsonObject
  readonly random: Random
  left: number
}

const mostValues = 5000

/** A value that is likely to keep a schema. */
const sample = (schema: Json, draw: Draw, depth: number): Json => {
  const { random, root } = draw
  if (draw.left-- < -mostValues) return null
  if (!isObject(schema)) return pick<Json>(random, [null, "text", 1, true, [], {}])
  if (schema["const"] !== undefined) return schema["const"]
  if (Array.isArray(schema["enum"]) && schema["enum"].length > 0) return pick(random, schema["enum"] as ReadonlyArray<Json>)
  if (typeof schema["$ref"] === "string") return depth > maxDepth ? null : sample(target(schema["$ref"], root), draw, depth + 1)
  for (const keyword of ["anyOf", "oneOf"]) {
    const branches = schema[keyword]
    if (Array.isArray(branches) && branches.length > 0) {
      const { [keyword]: _, ...rest } = schema
      return merged([sample(pick(random, branches), draw, depth + 1), ...Object.keys(rest).length > 0 ? [sample(rest, draw, depth)] : []])
    }
  }
  if (Array.isArray(schema["allOf"])) {
    const { allOf, ...rest } = schema
    return merged([...allOf as ReadonlyArray<Json>, rest].map((part) => sample(part, draw, depth + 1)))
  }
  const types = [schema["type"] ?? (schema["properties"] === undefined ? "string" : "object")].flat()
  switch (pick(random, types)) {
    case "object":
      return sampleObject(schema, draw, depth)
    case "array": {
      const count = depth > maxDepth ? 0 : Math.max(Number(schema["minItems"] ?? 0), Math.floor(random() * 3))
      const items = Array.isArray(schema["items"]) ? schema["items"] : undefined
      return Array.from({ length: Math.min(count, 4) }, (_, at) => sample(items?.[at] ?? schema["items"] ?? {}, draw, depth + 1))
    }
    case "integer":
      return Math.round(bounded(schema, random))
    case "number":
      return bounded(schema, random)
    case "boolean":
      return random() < 0.5
    case "null":
      return null
    default: {
      const start = Math.floor(random() * 12)
      const length = Math.max(Number(schema["minLength"] ?? 0), Math.min(Number(schema["maxLength"] ?? 12), 12))
      return "sample text ".repeat(40).slice(start, start + length)
    }
  }
}

const sampleObject = (schema: JsonObject, draw: Draw, depth: number): Json => {
  const required = Array.isArray(schema["required"]) ? schema["required"] as ReadonlyArray<Json> : []
  const named = isObject(schema["properties"]) ? schema["properties"] : {}
  const out: Record<string, Json> = Object.create(null)
  for (const [name, property] of Object.entries(named)) {
    if (required.includes(name) || (draw.left > 0 && depth < maxDepth && draw.random() < 0.6)) out[name] = sample(property, draw, depth + 1)
  }
  for (const name of required) if (typeof name === "string" && !(name in out)) out[name] = sample(schema["additionalProperties"] ?? {}, draw, depth + 1)
  const more = schema["additionalProperties"]
  const hasMore = isObject(more) || (more !== false && draw.random() < 0.2)
  if (hasMore && draw.left > 0 && depth < maxDepth) out["sampled"] = sample(isObject(more) ? more : {}, draw, depth + 1)
  return { ...out }
}

const bounded = (schema: JsonObject, random: Random): number => {
  const least = Number(schema["minimum"] ?? schema["exclusiveMinimum"] ?? 0)
  const most = Number(schema["maximum"] ?? schema["exclusiveMaximum"] ?? least + 10)
  return Number.isFinite(least) && Number.isFinite(most) ? pick(random, [least, most, (least + most) / 2]) : 1
}

const target = (reference: string, root: JsonObject): Json =>
  reference.split("/").slice(1).reduce<Json>((at, name) => {
    const key = decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~")
    return isObject(at) && Object.hasOwn(at, key) ? at[key]! : {}
  }, root)

const merged = (parts: ReadonlyArray<Json>): Json => parts.every(isObject) ? Object.assign({}, ...parts) as Json : parts[0]!

/** The value with one thing in it changed. */
const changed = (value: Json, random: Random): Json => {
  const other = (): Json => pick<Json>(random, [null, "", "text", "3", 0, -1, 1.5, 7, true, [], [1], {}, { more: 1 }])
  if (Array.isArray(value)) {
    if (value.length === 0 || random() < 0.3) return random() < 0.5 ? other() : [...value, other()]
    const at = Math.floor(random() * value.length)
    return value.map((item, index) => index === at ? changed(item, random) : item)
  }
  if (!isObject(value) || random() < 0.15) return other()
  const names = Object.keys(value)
  if (names.length === 0 || random() < 0.2) return { ...value, unexpected: other() }
  const name = pick(random, names)
  if (random() < 0.25) {
    const { [name]: _, ...rest } = value
    return rest
  }
  return { ...value, [name]: changed(value[name]!, random) }
}

/** So many inputs for a schema with an object root. */
export const samples = (schema: JsonObject, count: number, seed: number): ReadonlyArray<JsonObject> => {
  const random = randomOf(seed)
  const inputs: Array<JsonObject> = [{}]
  while (inputs.length < count) {
    const input = sample(schema, { root: schema, random, left: mostValues }, 0)
    if (!isObject(input)) continue
    inputs.push(input)
    for (const times of [1, 3]) {
      let other: Json = input
      for (let time = 0; time < times; time++) other = changed(other, random)
      if (isObject(other)) inputs.push(other)
    }
  }
  return inputs.slice(0, count)
}
