// One reader and one document in a process of its own. Prints a line of JSON with what it measured, and then, no longer measured, one
// with what the tools are like (checks.ts). The reader `lines` takes tools that another program has read, as lines of JSON.
import { readFileSync } from "node:fs"
import { collect, kilobytes, resetPeak } from "../lib/memory.mjs"
import { readers } from "./readers.mjs"

const { lines, path, reader } = JSON.parse(process.argv[2])
const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)

// Some readers write a line for each thing that they leave out.
for (const method of ["log", "info", "warn", "error", "debug"]) console[method] = () => {}

const bytes = readFileSync(path)
let found
if (reader === "lines") {
  found = { tools: readFileSync(lines, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line)) }
} else {
  const { operations, tools } = await readers[reader]()
  collect()
  resetPeak()
  const before = kilobytes("VmRSS")
  const start = performance.now()
  const read = await operations({ bytes, path })
  const listed = performance.now()
  found = tools(read)
  for (const { inputSchema } of found.tools) Object.keys(inputSchema)
  const made = performance.now()
  tell({ listed: listed - start, made: made - start, peak: kilobytes("VmHWM") - before, tools: found.tools.length, skipped: found.skipped ?? null })
}

const { register } = await import("tsx/esm/api")
register()
const { check } = await import("./checks.ts")
tell(check(JSON.parse(bytes.toString()), found))
// A reader may have left something open.
process.exit(0)
