/**
 * The tools of documents as TypeScript: `npm run bench -- declarations`. Says how many tools there are, how long their
 * JSON Schemas and their declarations are, how long it takes to write them, and whether the compiler accepts them, with an
 * example call of each, under `strict`. With `--show NAME …` it prints the declarations of the tools of these names.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { box, corpus, examples, examplesFolder, github } from "./lib/documents.ts"
import { settled, versions } from "./lib/machine.ts"
import { publish } from "./lib/page.ts"
import { table } from "./lib/table.ts"

const { OpenApi } = await import("../dist/index.js")
const { native } = await import("../dist/internal/native.js")

/** Times that all tools of a document are declared; the best counts. */
const rounds = 20

const [flag, ...shown] = process.argv.slice(2)
const isInstalled = existsSync(github.path)
if (!isInstalled) console.error("bench/node_modules is not there: run `npm ci` in bench/ to read GitHub's document and @readme/oas-examples too")
const documents = [...isInstalled ? [github] : [], box, ...isInstalled ? examples(examplesFolder) : [], ...corpus()]

const faultsOf = (text: string): Array<string> => {
  const folder = mkdtempSync(join(tmpdir(), "declarations-"))
  try {
    writeFileSync(join(folder, "tools.ts"), text)
    const compiler = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url))
    const flags = ["--strict", "--noEmit", "--target", "es2023", "--moduleDetection", "force", "--pretty", "false", "tools.ts"]
    const { stdout } = spawnSync(process.execPath, [compiler, ...flags], { cwd: folder, encoding: "utf8", timeout: 120_000 })
    return stdout.split("\n").filter((line) => line !== "")
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const host = await settled(false)
let faults = 0
const rows: Array<{ readonly name: string; readonly tools: number; readonly figures: ReadonlyArray<number>; readonly best: number; readonly calls: number; readonly faults: number }> = []
for (const { name, path } of documents) {
  const { operations } = OpenApi.readOperations(JSON.parse(readFileSync(path, "utf8")))
  const tools = operations.map(({ definition }) => ({ name: definition.name, text: JSON.stringify(definition) }))
  const names = JSON.stringify(tools.map(({ name }) => name))
  const declareAll = () => native.declareTools(names, (at) => tools[at]!.text)
  let best = Infinity
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    declareAll()
    best = Math.min(best, performance.now() - start)
  }
  const one = tools.map(({ name, text }) => native.declareTools(JSON.stringify([name]), () => text))
  const { isComplete, text } = declareAll()
  const calls = one.flatMap(({ example }) => example ?? [])
  const found = faultsOf(`${text}export const calls = async () => [${calls.join(",\n")}]\n`)
  // No real document takes more work than all tools may.
  if (!isComplete) found.push("not every tool is declared")
  faults += found.length
  const json = tools.reduce((sum, { text }) => sum + text.length, 0)
  const longest = Math.max(0, ...one.map(({ text }) => text.length))
  rows.push({ name, tools: tools.length, figures: [json, text.length, longest], best, calls: calls.length, faults: found.length })
  for (const fault of found.slice(0, 5)) console.log(`  ${fault}`)
  if (flag === "--show") for (const [at, { name }] of tools.entries()) if (shown.includes(name)) console.log(`${one[at]!.text}// ${one[at]!.example}\n`)
}
const [large, small] = [rows.filter(({ tools }) => tools >= 100), rows.filter(({ tools }) => tools < 100)]
const sum = (pick: (row: typeof rows[number]) => number) => small.reduce((sum, row) => sum + pick(row), 0)

publish("declarations", `## Tools as TypeScript

Written by \`npm run bench -- declarations\`. All tools of a document declared at once, the best time of ${rounds}; what the compiler finds wrong
in the declarations and in an example call of each tool, under \`strict\`. Lengths are in characters.

- ${host.says}
- Node.js ${process.versions.node}; toolkit-native ${versions().package}
${host.busy}
${
  table(
    ["document"],
    ["tools", "JSON of the definitions", "TypeScript", "longest tool", "ms", "examples", "faults"],
    large.map(({ best, calls, faults, figures, name, tools }) =>
      [name, ...[tools, ...figures].map((count) => count.toLocaleString("en")), best.toFixed(1), calls, faults])
  )
}

And ${small.length} documents of fewer than 100 tools: ${sum(({ tools }) => tools)} tools, ${sum(({ calls }) => calls)} examples, ${sum(({ faults }) => faults)} faults.
`, flag === "--show")
process.exitCode = faults === 0 ? 0 : 1
