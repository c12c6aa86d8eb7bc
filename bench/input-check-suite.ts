/**
 * What the checks of inputs make of the JSON-Schema-Test-Suite: `npm run bench -- input-check-suite`. Ours in both modes, beside
 * Effect's own and ajv. Writes its part of docs/benchmarks.md.
 */
import { createRequire } from "node:module"
import { type Addon, ourCheck } from "./lib/compare-checks.ts"
import { effectCheck, type Verdict } from "./lib/effect-check.ts"
import { versions } from "./lib/machine.ts"
import { publish } from "./lib/page.ts"
import { drafts, type Engine, judge, outcomes } from "./lib/suite.ts"
import { table } from "./lib/table.ts"

const { native } = await import("../dist/internal/native.js") as { readonly native: Addon }
const require = createRequire(import.meta.url)

/** ajv as one would run it on schemas of strangers: nothing fetched, no format, no strict mode. */
const ajv: Engine = (schema, draft) => {
  const { default: Ajv } = require(draft === "draft-07" ? "ajv" : "ajv/dist/2020.js")
  try {
    const validate = new Ajv({ strict: false, validateFormats: false, logger: false }).compile(schema)
    return (input): Verdict => {
      try {
        return validate(input) ? "accepts" : "refuses"
      } catch {
        return "dies"
      }
    }
  } catch {
    return undefined
  }
}

const version = versions()
const engines: ReadonlyArray<readonly [name: string, engine: Engine]> = [
  ["ours, `\"full\"`", (schema) => ourCheck(native, schema, true)],
  ["ours, `\"compatible\"`", (schema) => ourCheck(native, schema, false)],
  [`Effect ${version.effect}`, effectCheck],
  [`ajv ${require("ajv/package.json").version}`, ajv]
]

const tables = drafts.map((draft) => {
  const rows = engines.map(([name, engine]) => {
    const judged = judge(engine, draft)
    return [name, judged.length, ...outcomes.map((outcome) => judged.filter((test) => test.outcome === outcome).length)]
  })
  return `### ${draft.replace("draft-07", "draft 7").replace("draft-2020-12", "2020-12")}\n\n${table([""], ["tests", ...outcomes], rows)}`
})

const page = `## The check of inputs against the JSON-Schema-Test-Suite

Written by \`npm run bench -- input-check-suite\`. The suite's mandatory tests, as the Python package
\`jsonschema\` 4.26.0 carries them (\`__test__/data/json-schema-test-suite\`), each schema as
that of a tool's one parameter. No engine fetches anything, and none checks formats. *Unsupported* are tests of schemas that an
engine has no check for: ours and the original then only ask for an object, ajv throws. In \`"full"\` those are the references to
documents that the suite has on a server, and to the definitions of the dialects. Effect leaves patterns out, as ours does, and
all our wrong accepts are tests of them; ajv runs them. The one wrong reject is a dialect on the suite's server that asserts
nothing: ours does not fetch it, and takes the schema for 2020-12. *Crash* is a check that throws. \`"compatible"\` is Effect but for
one test, of properties named like the methods of every object (decision 7).

${tables.join("\n\n")}
`

publish("input-check-suite", page, false)
