/** Reads documents one after the other and tells what it found of each. It is a process of its own, which may be ended. */
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { HttpClient } from "effect/http"
import type * as Toolkit from "../../ts/index.ts"
import { isObject, type Json } from "../lib/compare.ts"
import { type Document, isYaml } from "../lib/documents.ts"
import type { JsonObject } from "../lib/effect-check.ts"
import { minorOf, type Operation, operationsOf } from "../lib/operations.ts"
import { own } from "../lib/schemas.ts"
import { parserOf } from "../lib/yaml-parsers.mjs"
import { type Found, type Message, type ReadingName, readingNames } from "./found.ts"
import { hash, judge } from "./judge.ts"

const { Http, OpenApi }: typeof Toolkit = await import("../../dist/index.js")

type Read = Toolkit.OpenApi.Operations

const client = HttpClient.make(() => Effect.die("nothing is sent"))

/** How many tools of each reading are looked at closely besides the first and the last. */
const drawn = 6

const placeOf = ({ request }: Read["operations"][number]) => `${request.method} ${request.path}`

/** The first tool, the last, and some that depend on nothing but their own place. */
const chosen = (operations: Read["operations"]): ReadonlyArray<Read["operations"][number]> => {
  const byChance = operations.map((operation) => [hash(placeOf(operation)), operation] as const).toSorted(([one], [other]) => one - other)
  const kept = new Set([...byChance.slice(0, drawn).map(([, operation]) => operation), ...operations.slice(0, 1), ...operations.slice(-1)])
  return [...kept]
}

const tally = (counts: Record<string, number>, key: string): void => {
  counts[key] = (counts[key] ?? 0) + 1
}

/** Whether the document is one by the specification, whatever ours says. */
const isDocument = (document: Json): boolean => {
  const version = own(document, "openapi")
  if (typeof version !== "string" || !/^3\.[012](\.|-|$)/.test(version.trim())) return false
  const paths = own(document, "paths")
  if (paths !== undefined) return isObject(paths)
  return minorOf(document) >= 1 && (own(document, "components") !== undefined || own(document, "webhooks") !== undefined)
}

/** What is wrong with how the operations of a document are accounted for. */
const account = (operations: ReadonlyArray<Operation>, { operations: tools, skipped }: Read): ReadonlyArray<string> => {
  const left = new Map<string, number>()
  const add = (place: string, count: number) => left.set(place, (left.get(place) ?? 0) + count)
  for (const { method, path } of operations) add(`${method} ${path}`, 1)
  for (const tool of tools) add(placeOf(tool), -1)
  for (const { method, path } of skipped) add(`${method} ${path}`, -1)
  const names = new Set(tools.map(({ definition }) => definition.name))
  return [
    ...[...left].filter(([, count]) => count !== 0).map(([place, count]) => `${place} is ${count > 0 ? "lost" : "there that the document has not"}`),
    ...names.size === tools.length ? [] : [`${tools.length - names.size} names are there twice`],
    ...[...names].filter((name) => !/^[A-Za-z0-9_-]+$/.test(name)).map((name) => `the name ${JSON.stringify(name)} has other characters`)
  ]
}

const find = async ({ name, path }: Document, tell: (phase: "judging") => void): Promise<Found> => {
  const bytes = readFileSync(path)
  const faults: Array<string> = []
  const readings: Partial<Record<ReadingName, { read: Read; ms: number }>> = {}
  let refused: string | undefined
  for (const reading of readingNames) {
    const start = performance.now()
    const outcome = await Effect.runPromise(Effect.result(OpenApi.readOperations(bytes, { reading })))
    const ms = performance.now() - start
    if (outcome._tag === "Success") readings[reading] = { read: outcome.success, ms }
    else refused = outcome.failure.description
  }
  tell("judging")
  const document = await parsed(bytes, isYaml({ name, path }))
  const { documented, extended } = readings
  if (documented === undefined || extended === undefined) {
    if (documented !== undefined || extended !== undefined) faults.push("one reading takes the document and the other does not")
    if (document !== undefined && isDocument(document)) faults.push(`an OpenAPI document is refused: ${refused}`)
    return { document: name, refused: refused ?? "", faults }
  }
  if (document === undefined || !isDocument(document)) {
    return { document: name, refused: "", faults: ["what is no OpenAPI document is read"] }
  }

  const operations = operationsOf(document)
  const at = new Map(operations.map((operation) => [`${operation.method} ${operation.path}`, operation]))
  const counts = { schemas: 0, accepted: 0, refused: 0 }
  const differences: Record<string, number> = {}
  const misused: Record<string, number> = {}
  const unjudged: Record<string, number> = {}
  const judged = new Set<string>()
  for (const reading of readingNames) {
    const { read } = readings[reading]!
    faults.push(...account(operations, read).map((fault) => `${reading}: ${fault}`))
    try {
      Http.make({ name: "sweep", baseUrl: "https://api.example.com", client, operations: read.operations })
    } catch (error) {
      faults.push(`${reading}: no source: ${String(error)}`)
    }
    for (const tool of chosen(read.operations)) {
      const schema = tool.definition.inputSchema as unknown as JsonObject
      const [place, key] = [placeOf(tool), JSON.stringify([tool.request, schema])]
      const operation = at.get(place)
      if (operation === undefined || judged.has(key)) continue
      judged.add(key)
      const { request } = tool
      const found = judge(document, operation, { parameters: request.parameters, body: request.body, mediaType: request.mediaType }, schema, minorOf(document) === 0)
      counts.schemas++
      counts.accepted += found.inputs.accepted
      counts.refused += found.inputs.refused
      faults.push(...found.faults.map((fault) => `${reading}: ${place}: ${fault}`))
      for (const id of found.differences) tally(differences, id)
      for (const said of new Set(found.misused)) tally(misused, said)
      if (found.unjudged !== undefined) tally(unjudged, found.unjudged)
    }
  }
  const of = ({ ms, read }: { read: Read; ms: number }) => {
    const skipped: Record<string, number> = {}
    for (const { code } of read.skipped) tally(skipped, code)
    return { tools: read.operations.length, skipped, ms }
  }
  return {
    document: name,
    operations: operations.length,
    readings: { documented: of(documented), extended: of(extended) },
    counts,
    differences,
    misused,
    unjudged,
    faults
  }
}

/** `undefined` for what is neither. */
const parsed = async (bytes: Buffer, isYaml: boolean): Promise<Json | undefined> => {
  const parse = isYaml ? await parserOf("js-yaml") : JSON.parse
  try {
    return parse(bytes.toString().replace(/^\uFEFF/, "")) as Json
  } catch {
    return undefined
  }
}

const send = (message: Message) => new Promise<void>((sent) => process.send!(message, undefined, undefined, () => sent()))

process.on("message", async (documents: ReadonlyArray<Document>) => {
  for (const document of documents) {
    await send({ phase: "reading", document: document.name })
    // A small message is written at once, also while nothing else has a turn.
    const found = await find(document, (phase) => void process.send!({ phase, document: document.name } satisfies Message))
    await send({ phase: "done", found })
  }
  process.disconnect()
})
