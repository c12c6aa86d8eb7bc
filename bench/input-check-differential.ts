/**
 * Compares our check of inputs with the one that Effect makes of the same schema, operation by operation: `npm run differential`
 * here. The tests do so for the documents that they have; here are GitHub's and those beside the checkout too.
 */
import { existsSync, readFileSync } from "node:fs"
import { type Addon, compareChecks, reasonFor, reasons } from "./lib/compare-checks.ts"
import { box, corpus, examples, examplesFolder, github } from "./lib/documents.ts"
import type { JsonObject } from "./lib/effect-check.ts"
import { samples } from "./lib/samples.ts"

const { OpenApi } = await import("../dist/index.js")
const { native } = await import("../dist/internal/native.js") as { readonly native: Addon }

const documents = [box, ...existsSync(examplesFolder) ? examples(examplesFolder) : [], ...existsSync(github.path) ? [github] : [], ...corpus()]
if (!existsSync(github.path)) console.log("bench/node_modules is not there: run `npm ci` in bench/ to compare on GitHub's document too")

const met = new Map<string, number>(reasons.map(({ id }) => [id, 0]))
const counts = { operations: 0, unchecked: 0, judged: 0, accepted: 0, unexplained: 0 }
for (const { name, path } of documents) {
  const { operations } = OpenApi.readOperations(JSON.parse(readFileSync(path, "utf8")))
  for (const [at, { definition }] of operations.entries()) {
    const schema = definition.inputSchema as JsonObject
    const { accepted, differences, judged, unchecked } = compareChecks(native, schema, samples(schema, 20, at))
    counts.operations++
    counts.unchecked += Number(unchecked)
    counts.judged += judged
    counts.accepted += accepted
    for (const difference of differences) {
      const reason = reasonFor(difference)
      if (reason !== undefined) met.set(reason, met.get(reason)! + 1)
      else {
        counts.unexplained++
        console.error(`${name}, ${definition.name}: ${difference.what}: ${JSON.stringify(difference.input)}`)
      }
    }
  }
}
console.log(
  `${documents.length} documents, ${counts.operations} operations, of which neither checks ${counts.unchecked}; ${counts.judged} inputs judged by both, ` +
    `${counts.accepted} of them accepted by both`
)
for (const { by, id, says } of reasons) console.log(`  ${String(met.get(id)).padStart(5)}  ${id} (${by}): ${says}`)
console.log(counts.unexplained === 0 ? "every difference is explained" : `${counts.unexplained} differences are not explained`)
process.exitCode = counts.unexplained === 0 ? 0 : 1
