/** Compares ours with the stand-ins on a document, and the differences with the list that explains them. */
import { readFileSync } from "node:fs"
import { readOperations as eager } from "../baseline/read-operations.ts"
import { readOperations as lazy } from "../baseline/read-operations-lazy.ts"
import { type Explanation, explanations } from "../differences.ts"
import { compare, type Difference, isObject, type Json, type Reading } from "./compare.ts"

export const standIns: ReadonlyArray<{ readonly name: string; readonly read: (document: unknown) => Reading }> = [
  { name: "eager", read: (document) => eager(document, "shared") as Reading },
  { name: "lazy", read: (document) => lazy(document, "shared") as Reading }
]

/** A line of `differences.tsv`. */
export interface Line {
  readonly document: string
  readonly place: string
  readonly what: string
  /** The entry of `differences.ts` that explains it. */
  readonly why: string
}

export const differencesFile = new URL("../differences.tsv", import.meta.url)

const header = "document\tplace\twhat\twhy"

export const readLines = (): ReadonlyArray<Line> => {
  const [first, ...lines] = readFileSync(differencesFile, "utf8").trimEnd().split("\n")
  if (first !== header) throw new Error("differences.tsv does not begin with its header")
  return lines.map((line) => {
    const [document, place, what, why] = line.split("\t") as [string, string, string, string]
    return { document, place, what, why }
  })
}

const lineText = ({ document, place, what, why }: Line): string => [document, place, what, why].join("\t")

export const linesText = (lines: ReadonlyArray<Line>): string => [header, ...lines.map(lineText)].join("\n").concat("\n")

const fieldOf = (value: Json | undefined, key: string): Json | undefined => isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined

const objectOf = (value: Json | undefined) => isObject(value) ? value : undefined

/** The entries that explain a difference: exactly one, when all is well. */
const explain = (difference: Difference, all: ReadonlyArray<Difference>, document: Json): ReadonlyArray<Explanation> => {
  const [method, path] = difference.place.split(" ")
  const item = objectOf(fieldOf(fieldOf(document, "paths"), path ?? ""))
  const context = {
    item,
    operation: objectOf(fieldOf(item, (method ?? "").toLowerCase())),
    version: String(fieldOf(document, "openapi")),
    beside: (what: string) => all.find((other) => other.place === difference.place && other.what === what)
  }
  return explanations.filter(({ explains }) => explains(difference, context))
}

const short = (value: string) => value.length > 200 ? `${value.slice(0, 200)}…` : value

export const shown = ({ ours, place, theirs, what }: Difference): string => `${place}: ${what}: ours ${short(ours)}, theirs ${short(theirs)}`

/** The lines of a document, and what is wrong: differences without exactly one explanation, stand-ins that disagree. */
export const differ = (
  name: string,
  document: Json,
  ours: Reading
): { readonly lines: ReadonlyArray<Line>; readonly faults: ReadonlyArray<string>; readonly differences: ReadonlyArray<Difference> } => {
  const faults: Array<string> = []
  const [one, ...others] = standIns.map(({ name, read }) => ({ name, differences: compare(ours, read(document)) }))
  const key = (differences: ReadonlyArray<Difference>) => JSON.stringify(differences)
  for (const other of others) {
    if (key(other.differences) !== key(one!.differences)) faults.push(`${name}: the stand-ins ${one!.name} and ${other.name} do not agree`)
  }
  const lines = one!.differences.map((difference): Line => {
    const found = explain(difference, one!.differences, document)
    if (found.length !== 1) {
      const what = found.length === 0 ? "no entry explains it" : `more than one entry explains it: ${found.map(({ id }) => id).join(", ")}`
      faults.push(`${name}: ${shown(difference)}: ${what}`)
    }
    return { document: name, place: difference.place, what: difference.what, why: found.map(({ id }) => id).join(",") }
  })
  return { lines, faults, differences: one!.differences }
}

/** What is in the list and was not found in its document, and the other way round. */
export const compareLines = (found: ReadonlyArray<Line>, listed: ReadonlyArray<Line>): ReadonlyArray<string> => {
  const [one, other] = [new Set(found.map(lineText)), new Set(listed.map(lineText))]
  return [
    ...[...one].filter((line) => !other.has(line)).map((line) => `not in differences.tsv: ${line}`),
    ...[...other].filter((line) => !one.has(line)).map((line) => `in differences.tsv and no longer found: ${line}`)
  ]
}

/** Entries that explain no line, and lines whose entry is not there. */
export const unusedEntries = (listed: ReadonlyArray<Line>): ReadonlyArray<string> => {
  const [used, known] = [new Set(listed.map(({ why }) => why)), new Set(explanations.map(({ id }) => id))]
  return [
    ...[...known].filter((id) => !used.has(id)).map((id) => `the entry ${id} of differences.ts explains nothing`),
    ...[...used].filter((id) => !known.has(id)).map((id) => `differences.ts has no entry ${id}`)
  ]
}
