// The whole way from a document to tools behind a search, in a process of its own: each step's time, and what the process holds
// and peaks at. Prints one line of JSON. Plain JavaScript, so that no loader of TypeScript is in the process.
import { readFileSync } from "node:fs"
import { Assembly, Http, OpenApi, ToolSearch } from "../../dist/index.js"
import { schemasMade } from "../../dist/internal/catalog.js"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { HttpClient } from "effect/http"
import { collect, kilobytes, resetPeak } from "./memory.mjs"

const { path, reading, way } = JSON.parse(process.argv[2])
const isRead = way !== "stored"

const client = HttpClient.make(() => Effect.die("nothing is sent"))
const steps = []

/** Measures a step: its time, what the process holds behind it, and how far it went up while it ran. */
const step = async (name, run) => {
  collect()
  resetPeak()
  const before = kilobytes("VmRSS")
  const start = performance.now()
  const value = await run()
  const ms = performance.now() - start
  const peak = kilobytes("VmHWM") - before
  collect()
  steps.push({ name, ms, peak, held: kilobytes("VmRSS") - before, schemas: schemasMade() })
  return value
}

const bytes = readFileSync(path)
const facts = { bytes: bytes.length }

const assembled = async (operations) => {
  const source = await step("Http.make", () => Http.make({ name: "api", baseUrl: "https://api.example.com", client, operations }))
  const definitions = await step("discover", () => Effect.runPromise(source.discover))
  const toolkit = await step("Assembly.toolkit", () => Effect.runPromise(Assembly.toolkit([{ source, definitions }], () => "allow")))
  const searched = await step("ToolSearch.toolkit", () => Effect.runPromise(ToolSearch.toolkit(toolkit)))
  const found = await step("the first search", () => find(searched, "list users"))
  facts.found = found.matched
  const again = await step("a second search", () => find(searched, "send a message"))
  facts.again = again.matched
}

const find = async (toolkit, query) => {
  const [result] = await Effect.runPromise(toolkit.handle("tool_search", { query }).pipe(Stream.unwrap, Stream.runCollect))
  return result.result
}

if (isRead) {
  const read = await step("readOperations", () => Effect.runPromise(OpenApi.readOperations(bytes, { reading })))
  Object.assign(facts, { operations: read.operations.length, skipped: read.skipped.length })
  await assembled(read.operations)
} else {
  const read = await Effect.runPromise(OpenApi.readOperations(bytes, { reading }))
  Object.assign(facts, { operations: read.operations.length, skipped: read.skipped.length })
  const text = await step("toCompact and JSON.stringify", () => JSON.stringify(OpenApi.toCompact(read)))
  facts.compact = Buffer.byteLength(text)
  const loaded = await step("JSON.parse and fromCompact", () => Effect.runPromise(OpenApi.fromCompact(JSON.parse(text))))
  facts.loaded = loaded.operations.length
  facts.schemasMade = schemasMade()
  await step("Http.make", () => Http.make({ name: "api", baseUrl: "https://api.example.com", client, operations: loaded.operations }))
  // What Schema.toCodecJson(Operations) would write, counted a tool at a time: the whole may be longer than a string.
  let whole = 0
  for (const operation of read.operations) whole += Buffer.byteLength(JSON.stringify(operation)) + 1
  facts.whole = whole
}
console.log(JSON.stringify({ facts, steps }))
