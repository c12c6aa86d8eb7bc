// Holds docs/requirements.md to the tests that ran: an id counts where a test that names it passed. Fails on an id that
// the document does not have, on one that has lost its test, and on one that docs/requirements-open.txt still lists
// although a test holds it.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const read = (path) => existsSync(`${root}/${path}`) ? readFileSync(`${root}/${path}`, "utf8") : ""

const known = new Map(
  [...read("docs/requirements.md").matchAll(/^- (R-\d{3}-\d+) (.*)$/gm)].map(([, id, text]) => [id, text])
)
const open = new Set([...read("docs/requirements-open.txt").matchAll(/^R-\d{3}-\d+/gm)].map(([id]) => id))

/** Ids in a text: `R-000-043` as written, `r_000_043` as a Rust name has it. */
const idsOf = (text) => [
  ...[...text.matchAll(/\bR-\d{3}-\d+\b/g)].map(([id]) => id),
  ...[...text.matchAll(/(?<![a-z0-9])r_(\d{3})_(\d+)(?!\d)/g)].map(([, document, number]) => `R-${document}-${number}`)
]

const passed = new Map()
const unknown = new Map()
const count = (title) => {
  for (const id of idsOf(title)) {
    const into = known.has(id) ? passed : unknown
    into.set(id, [...(into.get(id) ?? []), title])
  }
}

const reports = { cargo: read("reports/cargo.txt"), vitest: read("reports/vitest.json") }
for (const [runner, report] of Object.entries(reports)) {
  if (report === "") {
    console.error(`There is no report of ${runner}: run npm test first.`)
    process.exit(1)
  }
}
for (const [, title] of reports.cargo.matchAll(/^test (\S+) \.\.\. ok$/gm)) count(title)
// Besides vitest.json, those of the runs that npm test leaves out.
for (const name of readdirSync(`${root}/reports`).filter((name) => /^vitest.*\.json$/.test(name))) {
  for (const file of JSON.parse(read(`reports/${name}`)).testResults) {
    for (const test of file.assertionResults) if (test.status === "passed") count(test.fullName)
  }
}

const missing = [...known.keys()].filter((id) => !passed.has(id))
const lost = missing.filter((id) => !open.has(id))
const held = [...open].filter((id) => passed.has(id))
const strange = [...open].filter((id) => !known.has(id))

console.log(`requirements: ${passed.size} of ${known.size} held by ${new Set([...passed.values()].flat()).size} tests, ${missing.length} open`)
if (process.argv.includes("--list")) for (const id of missing) console.log(`  open  ${id} ${known.get(id)}`)
for (const [id, titles] of unknown) console.error(`unknown id ${id} in: ${titles.join("; ")}`)
for (const id of lost) console.error(`no test holds ${id} ${known.get(id)}`)
for (const id of held) console.error(`${id} is held by a test now: take it out of docs/requirements-open.txt`)
for (const id of strange) console.error(`docs/requirements-open.txt lists ${id}, which docs/requirements.md does not have`)
process.exit(unknown.size + lost.length + held.length + strange.length > 0 ? 1 : 0)
