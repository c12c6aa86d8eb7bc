/**
 * Reads documents with ours and with both stand-ins and holds what differs to the list: `npm run differential`. With
 * `--write` it writes the list anew (all documents have to be there), with `--show` it prints the values that differ.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { explanations } from "./differences.ts"
import type { Json, Reading } from "./lib/compare.ts"
import { compareLines, differ, differencesFile, type Line, linesText, readLines, shown, unusedEntries } from "./lib/differential.ts"
import { box, corpus, corpusFolder, examples, examplesFolder, github } from "./lib/documents.ts"

const { OpenApi } = await import("../dist/index.js")

const [isWriting, isShowing] = [process.argv.includes("--write"), process.argv.includes("--show")]
const isInstalled = existsSync(github.path) && existsSync(examplesFolder)
if (!isInstalled) console.log("bench/node_modules is not there: run `npm ci` in bench/ to compare on GitHub's document and @readme/oas-examples too")
if (!existsSync(corpusFolder)) console.log("the folder shared/corpus/openapi beside the checkout is not there: its documents are not compared")
const documents = [box, ...isInstalled ? [...examples(examplesFolder), github] : [], ...corpus()]

const lines: Array<Line> = []
const faults: Array<string> = []
const counts = { tools: 0, skipped: 0 }
for (const { name, path } of documents) {
  const document = JSON.parse(readFileSync(path, "utf8")) as Json
  const ours = OpenApi.readOperations(document)
  const result = differ(name, document, ours as Reading)
  counts.tools += ours.operations.length
  counts.skipped += ours.skipped.length
  lines.push(...result.lines)
  faults.push(...result.faults)
  if (isShowing) for (const difference of result.differences) console.log(`${name}: ${shown(difference)}`)
}
console.log(`${documents.length} documents, ${counts.tools} tools, ${counts.skipped} skipped operations, ${lines.length} differences`)
for (const { by, id, says } of explanations) {
  const of = lines.filter(({ why }) => why === id)
  console.log(`  ${String(of.length).padStart(5)}  ${id} (${by}): ${says}; in ${new Set(of.map(({ document }) => document)).size} documents`)
}

if (isWriting) {
  if (!isInstalled || !existsSync(corpusFolder)) throw new Error("the list is not written: not all documents are there")
  writeFileSync(differencesFile, linesText(lines))
}
const listed = readLines()
const compared = new Set(documents.map(({ name }) => name))
const unseen = new Set(listed.map(({ document }) => document).filter((name) => !compared.has(name)))
if (unseen.size > 0) console.log(`not compared: ${unseen.size} documents of the list, which are not here`)
faults.push(...compareLines(lines, listed.filter(({ document }) => compared.has(document))), ...unusedEntries(listed))
for (const fault of faults) console.error(fault)
console.log(faults.length === 0 ? "every difference is explained" : `${faults.length} faults`)
process.exitCode = faults.length === 0 ? 0 : 1
