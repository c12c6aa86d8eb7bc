/** The list of what was found of each document, a line each, and how another finding differs from it. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import type { Found } from "./found.ts"

const file = new URL("golden.tsv", import.meta.url)

const columns = ["document", "operations", "documented", "skipped", "extended", "skipped", "otherwise than its letter", "misused keywords"] as const

const counted = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts).toSorted(([one], [other]) => one < other ? -1 : 1).map(([key, count]) => `${key}=${count}`).join(" ") || "-"

export type Row = ReadonlyArray<string>

export const rowOf = (found: Found): Row => {
  if ("refused" in found) return [found.document, "refused", found.refused.replaceAll(/\s+/g, " ").slice(0, 120)]
  const { documented, extended } = found.readings
  return [
    found.document,
    String(found.operations),
    String(documented.tools),
    counted(documented.skipped),
    String(extended.tools),
    counted(extended.skipped),
    counted(found.differences),
    String(Object.values(found.misused).reduce((sum, count) => sum + count, 0))
  ]
}

export const readGolden = (): ReadonlyArray<Row> => {
  if (!existsSync(file)) return []
  const [first, ...lines] = readFileSync(file, "utf8").trimEnd().split("\n")
  if (first !== columns.join("\t")) throw new Error("golden.tsv does not begin with its header")
  return lines.map((line) => line.split("\t"))
}

export const writeGolden = (rows: ReadonlyArray<Row>): void =>
  writeFileSync(file, [columns, ...rows.toSorted(([one], [other]) => one! < other! ? -1 : 1)].map((row) => row.join("\t")).join("\n").concat("\n"))

/** What changed, in words. */
export const compareRows = (found: ReadonlyArray<Row>, golden: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const [one, other] = [found, golden].map((rows) => new Map(rows.map((row) => [row[0]!, row])))
  return [
    ...found.flatMap((row): ReadonlyArray<string> => {
      const before = other!.get(row[0]!)
      if (before === undefined) return [`${row[0]}: is not in golden.tsv`]
      const changed = columns.flatMap((column, at) => row[at] === before[at] ? [] : [`${column} ${before[at] ?? "nothing"} → ${row[at] ?? "nothing"}`])
      return changed.length === 0 ? [] : [`${row[0]}: ${changed.join(", ")}`]
    }),
    ...golden.filter(([name]) => !one!.has(name!)).map(([name]) => `${name}: is in golden.tsv and was not read`)
  ]
}
