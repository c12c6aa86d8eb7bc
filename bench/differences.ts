/**
 * Why ours and the two stand-ins under `baseline/` differ. Each entry says what the difference is, exactly, and the decision
 * (docs/decisions.md) or requirement (docs/requirements.md) that it comes from. `differences.tsv` has every difference that
 * was found, a line each, with the entry that explains it; `npm run differential` and `__test__/differential.test.ts` fail
 * on a difference that no entry or more than one explains, on a line that is no longer found, and on an entry without a line.
 */
import { type Difference, isObject, type Json, text } from "./lib/compare.ts"

/** What an entry may look at besides the difference itself. */
export interface Context {
  /** The operation of the difference, as the document has it. */
  readonly operation: { readonly [key: string]: Json } | undefined
  /** The path item of the difference, as the document has it. */
  readonly item: { readonly [key: string]: Json } | undefined
  /** The document's `openapi`. */
  readonly version: string
  /** Another difference at the same place, by what it is. */
  readonly beside: (what: string) => Difference | undefined
}

export interface Explanation {
  readonly id: string
  /** The decision or requirement. */
  readonly by: string
  readonly says: string
  readonly explains: (difference: Difference, context: Context) => boolean
}

const nothing = "nothing"

const parsed = (value: string): Json | undefined => value === nothing || !/^[[{"\d\-tfn]/.test(value) ? undefined : JSON.parse(value) as Json

/** The difference at a sibling key. */
const sibling = ({ what }: Difference, { beside }: Context, from: string, to: string) =>
  what.endsWith(`/${from}`) ? beside(`${what.slice(0, -from.length)}${to}`) : undefined

/** Both halves of a keyword that was written as another: `from` is only theirs, `to` is ours in its place. */
const isRenamed = (from: string, to: string, of: (theirs: Json) => Json) => (difference: Difference, context: Context): boolean => {
  const [before, after] = difference.what.endsWith(`/${from}`)
    ? [difference, sibling(difference, context, from, to)]
    : [sibling(difference, context, to, from), difference]
  if (before === undefined || after === undefined || !after.what.endsWith(`/${to}`)) return false
  const value = parsed(before.theirs)
  return value !== undefined && before.ours === nothing && after.theirs === nothing && after.ours === text(of(value))
}

/** `{ minimum: n, exclusiveMinimum: true }` of theirs is `{ exclusiveMinimum: n }` of ours. */
const isBound = (limit: "minimum" | "maximum") => (difference: Difference, context: Context): boolean => {
  const exclusive = `exclusive${limit[0]!.toUpperCase()}${limit.slice(1)}`
  const [before, after] = difference.what.endsWith(`/${limit}`)
    ? [difference, sibling(difference, context, limit, exclusive)]
    : [sibling(difference, context, exclusive, limit), difference]
  return before !== undefined && after !== undefined && after.what.endsWith(`/${exclusive}`) && before.ours === nothing &&
    after.theirs === "true" && after.ours === before.theirs && typeof parsed(after.ours) === "number"
}

const isBlank = (value: unknown): boolean => typeof value !== "string" || value.trim() === ""

/** Keywords that restrict nothing and so stay outside when a schema is put beside null. */
const annotations = new Set(["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"])

const beside = (inside: Json, outside: { readonly [key: string]: Json }) => text({ ...outside, anyOf: [inside, { type: "null" }] })

const isBodyless = (place: string) => place.startsWith("GET ") || place.startsWith("HEAD ")

export const explanations: ReadonlyArray<Explanation> = [
  {
    id: "hints",
    by: "decision 20, R-000-207",
    says: "a hint that HTTP does not give is left out, where the stand-ins set it to false",
    explains: ({ ours, theirs, what }) => (what === "annotations/readOnly" || what === "annotations/destructive") && ours === nothing && theirs === "false"
  },
  {
    id: "blank-description",
    by: "decision 40",
    says: "a blank description counts as none: the summary stands in its place, else the method and path",
    explains: ({ ours, place, theirs, what }, { operation }) =>
      what === "description" && isBlank(parsed(theirs)) && ours === text(isBlank(operation?.["summary"]) ? place : operation?.["summary"])
  },
  {
    id: "example",
    by: "decision 16",
    says: "`example` is written as `examples`, in a document of 3.1 too",
    explains: (difference, context) => !context.version.startsWith("3.0") && isRenamed("example", "examples", (value) => [value])(difference, context)
  },
  {
    id: "exclusive-bound",
    by: "decision 16",
    says: "an exclusive bound that is a boolean is written as a number, in a document of 3.1 too",
    explains: (difference, context) =>
      !context.version.startsWith("3.0") && (isBound("minimum")(difference, context) || isBound("maximum")(difference, context))
  },
  {
    id: "openapi-only",
    by: "decision 42",
    says: "`discriminator`, `xml` and `externalDocs` are left out, in a document of 3.1 too",
    explains: ({ ours, theirs, what }, { version }) =>
      !version.startsWith("3.0") && /\/(discriminator|xml|externalDocs)$/.test(what) && ours === nothing && isObject(parsed(theirs))
  },
  {
    id: "origin",
    by: "decision 42",
    says: "`$id` and `$schema` are left out, against which the references to `$defs` would be read",
    explains: ({ ours, theirs, what }) => /\/\$(id|schema)$/.test(what) && ours === nothing && typeof parsed(theirs) === "string"
  },
  {
    id: "recursive",
    by: "decision 132",
    says: "`$recursiveRef` of 2019-09 is a reference to the component that it stands in, whose `$recursiveAnchor` is left out",
    explains: (difference, context) => {
      const { ours, place, theirs, what } = difference
      if (what.endsWith("/$recursiveAnchor")) return ours === nothing && theirs === "true"
      const [before, after] = what.endsWith("/$recursiveRef")
        ? [difference, sibling(difference, context, "$recursiveRef", "$ref")]
        : [sibling(difference, context, "$ref", "$recursiveRef"), difference]
      return before?.theirs === "\"#\"" && before.ours === nothing && after?.theirs === nothing && after.ours === text(`#/${place}`)
    }
  },
  {
    id: "nullable-anything",
    by: "decision 41",
    says: "a schema of 3.0 that restricts nothing accepts null as it stands, so that `nullable` adds nothing",
    explains: ({ ours, theirs, what }, { version }) => {
      const { anyOf, ...rest } = parsed(theirs) as { readonly [key: string]: Json } ?? {}
      return version.startsWith("3.0") && what.startsWith("schema") && text(anyOf) === text([{}, { type: "null" }]) && ours === text(rest)
    }
  },
  {
    id: "nullable-alternatives",
    by: "decision 16",
    says: "null is one more alternative of a nullable `anyOf`, where the stand-ins put the whole beside null",
    explains: ({ ours, theirs, what }, { version }) => {
      const value = parsed(theirs)
      const inner = Array.isArray(value) && value.length === 2 && isObject(value[0]) && Object.keys(value[0]).length === 1 ? value[0]["anyOf"] : undefined
      return version.startsWith("3.0") && what.endsWith("/anyOf") && Array.isArray(inner) && ours === text([...inner, { type: "null" }])
    }
  },
  {
    id: "nullable-all-of-one",
    by: "decision 16",
    says: "a nullable `allOf` of one reference is the reference or null, as Effect's own converter writes it",
    explains: (difference, context) => {
      if (!context.version.startsWith("3.0") || !/\/anyOf\/0\/(allOf|\$ref)$/.test(difference.what)) return false
      const all = difference.what.endsWith("/allOf") ? difference : sibling(difference, context, "$ref", "allOf")
      const one = difference.what.endsWith("/allOf") ? sibling(difference, context, "allOf", "$ref") : difference
      return all !== undefined && one !== undefined && all.ours === nothing && one.theirs === nothing && all.theirs === text([{ $ref: parsed(one.ours) }])
    }
  },
  {
    id: "nullable-combination",
    by: "decision 41",
    says: "a nullable type beside a combination is put beside null as a whole, since the combination may still refuse null",
    explains: ({ ours, theirs, what }, { version }) => {
      const value = parsed(theirs)
      if (!version.startsWith("3.0") || !what.startsWith("schema") || !isObject(value) || !Array.isArray(value["type"])) return false
      const entries = Object.entries(value).map(([key, value]) => [key, key === "type" ? (value as ReadonlyArray<Json>)[0]! : value] as const)
      const isOutside = ([key]: readonly [string, Json]) => annotations.has(key) || key.startsWith("x-")
      const inside = Object.fromEntries(entries.filter((entry) => !isOutside(entry)))
      return ["allOf", "anyOf", "oneOf", "not"].some((keyword) => keyword in inside) && ours === beside(inside, Object.fromEntries(entries.filter(isOutside)))
    }
  },
  {
    id: "media-type",
    by: "decision 39",
    says: "the template names a body's media type where it is not application/json; the stand-ins' has no place for it",
    explains: ({ ours, theirs, what }) => what === "template/mediaType" && /^"application\/[^;]+\+json"$/.test(ours) && theirs === nothing
  },
  {
    id: "get-body",
    by: "decisions 34 and 37",
    says: "an optional body of GET or HEAD is not sent: HTTP gives it no meaning",
    explains: ({ ours, place, theirs, what }) =>
      isBodyless(place) && (
        (what === "template/body" && ours === nothing && theirs === "\"body\"") ||
        (what === "schema/properties/body" && ours === nothing) ||
        (what === "schema/$defs" && ours === nothing) ||
        (what === "read" && ours === "a tool" && theirs.startsWith("skipped: body is "))
      )
  },
  {
    id: "path-item-reference",
    by: "decision 14",
    says: "a path item behind a reference within the document is read; the stand-ins do not see its operations",
    explains: ({ ours, theirs, what }, { item }) => what === "read" && ours === "a tool" && theirs === nothing && String(item?.["$ref"]).startsWith("#/")
  },
  {
    id: "object-by-combination",
    by: "R-000-210",
    says: "a parameter that is an object by `allOf`, `anyOf` or `oneOf` is an object; the stand-ins look at `type` and `properties` alone",
    explains: ({ ours, theirs, what }) => what === "read" && ours.startsWith("skipped: object (") && theirs === "a tool"
  },
  {
    id: "same-property",
    by: "R-000-195",
    says: "two parameters whose property would still be the same are a reason to skip; in the stand-ins the second overwrites the first",
    explains: ({ ours, theirs, what }) => what === "read" && ours.startsWith("skipped: property (") && theirs === "a tool"
  }
]
