/** Two readings of one document, compared operation by operation, and each schema down to the place that differs. */

export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** What ours and the stand-ins both have, as far as it is compared. */
export interface Reading {
  readonly operations: ReadonlyArray<{
    readonly definition: {
      readonly name: string
      readonly description?: string | undefined
      readonly inputSchema: unknown
      readonly annotations?: object | undefined
    }
    readonly request: {
      readonly method: string
      readonly path: string
      /** Ours, as document 000 names them. */
      readonly parameters?: ReadonlyArray<object> | undefined
      /** The stand-ins'. */
      readonly places?: ReadonlyArray<object> | undefined
      readonly body?: string | undefined
      readonly mediaType?: string | undefined
    }
  }>
  readonly skipped: ReadonlyArray<{ readonly method: string; readonly path: string; readonly code?: string | undefined; readonly reason: string }>
}

/** One thing on which two readings differ. */
export interface Difference {
  /**
   * `METHOD /path`. What is the same for many operations is there once: `METHOD *` for annotations, `$defs/…` for a shared
   * schema.
   */
  readonly place: string
  /** `read`, `order`, `name`, `description`, or where in the `annotations`, the `template` or the `schema`. */
  readonly what: string
  /** As JSON text with sorted keys, or `nothing`. */
  readonly ours: string
  readonly theirs: string
}

export const isObject = (value: unknown): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const text = (value: unknown): string => value === undefined ? "nothing" : JSON.stringify(sorted(value as Json))

/** The same value with its keys in one order. */
const sorted = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.keys(value).toSorted().map((key) => [key, sorted(value[key]!)]))
}

const pointer = (at: string, key: string) => `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`

/** How a schema says that null is fine too. */
const nullForm = (schema: { readonly [key: string]: Json }): string => {
  if (Array.isArray(schema["type"]) && schema["type"].includes("null")) return "type"
  const last = Array.isArray(schema["anyOf"]) ? schema["anyOf"].at(-1) : undefined
  return isObject(last) && last["type"] === "null" && Object.keys(last).length === 1 ? "anyOf" : "none"
}

/**
 * The places at which two values differ, the deepest of each; a schema that says another way that null is fine is one
 * place. The order of keys and of `required` does not count.
 */
const places = (ours: Json | undefined, theirs: Json | undefined, at: string): ReadonlyArray<readonly [string, string, string]> => {
  if (isObject(ours) && isObject(theirs) && nullForm(ours) === nullForm(theirs)) {
    const keys = new Set([...Object.keys(ours), ...Object.keys(theirs)])
    return [...keys].flatMap((key) => {
      const own = (value: { readonly [key: string]: Json }) => Object.hasOwn(value, key) ? value[key] : undefined
      return places(own(ours), own(theirs), pointer(at, key))
    })
  }
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    if (at.endsWith("/required")) {
      const [one, other] = [text(ours.toSorted()), text(theirs.toSorted())]
      return one === other ? [] : [[at, one, other]]
    }
    if (ours.length === theirs.length) return ours.flatMap((value, index) => places(value, theirs[index], `${at}/${index}`))
  }
  const [one, other] = [text(ours), text(theirs)]
  return one === other ? [] : [[at, one, other]]
}

type Entry = { readonly tool: Reading["operations"][number] } | { readonly skipped: Reading["skipped"][number] }

const entriesOf = ({ operations, skipped }: Reading): ReadonlyMap<string, Entry> => {
  const entries = new Map<string, Entry>()
  const add = (method: string, path: string, entry: Entry) => {
    const place = `${method.toUpperCase()} ${path}`
    if (entries.has(place)) throw new Error(`${place} is there twice`)
    entries.set(place, entry)
  }
  for (const tool of operations) add(tool.request.method, tool.request.path, { tool })
  for (const entry of skipped) add(entry.method, entry.path, { skipped: entry })
  return entries
}

const shown = (entry: Entry | undefined): string => {
  if (entry === undefined) return "nothing"
  if ("tool" in entry) return "a tool"
  const { code, reason } = entry.skipped
  return `skipped: ${code === undefined ? reason : `${code} (${reason.slice(reason.indexOf(": ") + 2)})`}`
}

const template = ({ request: { body, mediaType, parameters, places } }: Reading["operations"][number]) =>
  JSON.parse(JSON.stringify({ places: parameters ?? places ?? [], body, mediaType })) as Json

/** Every difference between two readings of one document. What is the same for several operations is there once. */
export const compare = (ours: Reading, theirs: Reading): ReadonlyArray<Difference> => {
  const found = new Map<string, Difference>()
  const add = (place: string, what: string, ours: string, theirs: string) => {
    found.set(JSON.stringify([place, what, ours, theirs]), { place, what, ours, theirs })
  }
  const [own, other] = [entriesOf(ours), entriesOf(theirs)]
  for (const place of new Set([...own.keys(), ...other.keys()])) {
    const [one, two] = [own.get(place), other.get(place)]
    if (one === undefined || two === undefined || !("tool" in one) || !("tool" in two)) {
      const isSame = one !== undefined && two !== undefined && "skipped" in one && "skipped" in two
      if (!isSame) add(place, "read", shown(one), shown(two))
      continue
    }
    const [a, b] = [one.tool, two.tool]
    for (const key of ["name", "description", "annotations"] as const) {
      const where = key === "annotations" ? `${a.request.method} *` : place
      for (const [at, ours, theirs] of places(a.definition[key] as Json, b.definition[key] as Json, key)) add(where, at, ours, theirs)
    }
    for (const [at, ours, theirs] of places(template(a), template(b), "template")) add(place, at, ours, theirs)
    for (const [at, ours, theirs] of places(a.definition.inputSchema as Json, b.definition.inputSchema as Json, "schema")) {
      const shared = /^schema\/(\$defs\/[^/]*)(.*)$/.exec(at)
      if (shared === null) add(place, at, ours, theirs)
      else add(shared[1]!, `schema${shared[2]!}`, ours, theirs)
    }
  }
  const order = (entries: ReadonlyMap<string, Entry>, kind: "tool" | "skipped") =>
    [...entries].filter(([place, entry]) => kind in entry && kind in (own.get(place) ?? {}) && kind in (other.get(place) ?? {})).map(([place]) => place)
  for (const kind of ["tool", "skipped"] as const) {
    const [one, two] = [text(order(own, kind)), text(order(other, kind))]
    if (one !== two) add(`every ${kind}`, "order", one, two)
  }
  return [...found.values()]
}
