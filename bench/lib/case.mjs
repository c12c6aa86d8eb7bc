// One case in a process of its own: a reader, a document, a kind of input. Prints what it measured as one line of JSON.
// Plain JavaScript, so that no loader of TypeScript is in the process.
import { readFileSync } from "node:fs"
import { collect, kilobytes, resetPeak } from "./memory.mjs"

const { input, measure, path, reader, warm } = JSON.parse(process.argv[2])

const standIn = async (name) => {
  const { readOperations } = await import(`../.built/${name}.js`)
  return {
    object: (document) => readOperations(document, "shared"),
    text: (text) => readOperations(JSON.parse(text), "shared"),
    bytes: (bytes) => readOperations(JSON.parse(bytes.toString()), "shared")
  }
}

/** A parser of YAML, and ours for the object that it makes. */
const parsedBy = async (name) => {
  const [{ OpenApi }, { parserOf }] = await Promise.all([import("../../dist/index.js"), import("./yaml-parsers.mjs")])
  const parse = await parserOf(name)
  return {
    text: (text) => OpenApi.readOperations(parse(text)),
    bytes: (bytes) => OpenApi.readOperations(parse(bytes.toString()))
  }
}

const readers = {
  ours: async () => {
    const [{ OpenApi }, { runPromise }] = await Promise.all([import("../../dist/index.js"), import("effect/Effect")])
    // A large one is read on another thread.
    const yielded = (document) => runPromise(OpenApi.readOperations(document))
    return { object: (document) => OpenApi.readOperations(document), text: yielded, bytes: yielded }
  },
  eager: () => standIn("read-operations"),
  lazy: () => standIn("read-operations-lazy"),
  "js-yaml": () => parsedBy("js-yaml"),
  yaml: () => parsedBy("yaml")
}

let touched = 0
const touch = (value) => {
  if (typeof value === "string") touched += value.length
  else if (Array.isArray(value)) value.forEach(touch)
  else if (typeof value === "object" && value !== null) Object.values(value).forEach(touch)
  else touched++
}

/** Reading: a plain array, and every name, description, annotation, request and skipped entry touched. No schema is. */
const readAll = async (read, document) => {
  const { operations, skipped } = await read(document)
  const plain = [...operations]
  for (const { definition, request } of plain) {
    touch(definition.name)
    touch(definition.description)
    touch(definition.annotations)
    touch(request)
  }
  skipped.forEach(touch)
  return { plain, skipped }
}

/** A schema as an object: its keys, those of its properties and of its shared schemas. */
const touchSchema = ({ definition: { inputSchema } }) => {
  touched += Object.keys(inputSchema).length + Object.keys(inputSchema.properties).length + Object.keys(inputSchema.$defs ?? {}).length
}

const beforeLoad = performance.now()
const read = (await readers[reader]())[input]
const loaded = performance.now() - beforeLoad

const bytes = readFileSync(path)
const document = input === "bytes" ? bytes : input === "text" ? bytes.toString() : JSON.parse(bytes.toString())

const result = {}
if (measure === "time") {
  const one = async (document) => {
    const start = performance.now()
    const { plain, skipped } = await readAll(read, document)
    const read_ = performance.now()
    if (plain.length > 0) touchSchema(plain[plain.length >> 1])
    const first = performance.now()
    plain.forEach(touchSchema)
    const all = performance.now()
    return { read: read_ - start, first: first - start, all: all - start, operations: plain.length, skipped: skipped.length }
  }
  const fresh = await one(document)
  const best = { read: Infinity, first: Infinity, all: Infinity }
  const keep = (times) => {
    for (const key of Object.keys(best)) best[key] = Math.min(best[key], times[key] ?? Infinity)
  }
  const repeat = async (run) => {
    const until = performance.now() + warm.ms
    for (let at = 0; at < warm.most && (at < warm.least || performance.now() < until); at++) await run()
  }
  await repeat(() => one(document))
  // Reads on their own, since the garbage of schemas is not theirs; then with the schemas.
  await repeat(async () => {
    const start = performance.now()
    await readAll(read, document)
    keep({ read: performance.now() - start })
  })
  await repeat(async () => keep(await one(document)))
  Object.assign(result, { loaded, fresh, best })
} else {
  collect()
  resetPeak()
  const before = kilobytes("VmRSS")
  const { plain, skipped } = await readAll(read, document)
  const peakOfRead = kilobytes("VmHWM")
  plain.forEach(touchSchema)
  const peakOfAll = kilobytes("VmHWM")
  Object.assign(result, { read: peakOfRead - before, all: peakOfAll - before, operations: plain.length, skipped: skipped.length })
}
// The document is still held here, so that no reader gains by its being let go.
console.log(JSON.stringify({ ...result, touched, held: typeof document }))
