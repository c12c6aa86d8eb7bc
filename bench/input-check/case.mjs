// One engine and one measure in a process of its own. Prints what it measured as one line of JSON.
// Plain JavaScript, so that no loader of TypeScript is in the process.
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { collect, kilobytes, resetPeak } from "../lib/memory.mjs"
import { cases } from "./cases.mjs"

const { engine, measure, of, plan } = JSON.parse(process.argv[2])

const none = { patterns: "ignore" }

/** What an engine makes of a schema: a check of a JavaScript object that says whether it is accepted, or will say so. */
const engines = {
  ours: async () => {
    const [{ refusal }, Effect] = await Promise.all([import("../../dist/internal/inputCheck.js"), import("effect/Effect")])
    // As a toolkit does: the first call compiles, and may wait for another thread.
    return (schema) => (input) => {
      const outcome = refusal(schema, input, "compatible")
      if (outcome === undefined) return true
      return Effect.isEffect(outcome) ? Effect.runPromise(outcome).then((refused) => refused === undefined) : false
    }
  },
  oursApart: async () => {
    const build = await engines.ours()
    let at = 0
    return (schema) => build({ ...schema, $comment: String(at++) })
  },
  effect: async () => {
    const { JsonSchema, Result, Schema, SchemaRepresentation } = await import("effect")
    return (schema) => {
      const made = SchemaRepresentation.fromJsonSchemaDocument(JsonSchema.fromSchemaDraft2020_12(schema), none)
      const decode = Schema.decodeUnknownResult(made, { onExcessProperty: "error" })
      return (input) => Result.isSuccess(decode(input))
    }
  },
  effectAndText: async () => {
    const build = await engines.effect()
    return (schema) => {
      const check = build(schema)
      let written = 0
      return (input) => check(input) && (written += JSON.stringify(input).length) > 0
    }
  },
  ajv: async () => {
    const { default: Ajv } = createRequire(import.meta.url)("ajv/dist/2020.js")
    return (schema) => new Ajv({ strict: false, validateFormats: false, logger: false }).compile(schema)
  }
}

const sorted = (values) => values.toSorted((one, other) => one - other)

/** Microseconds of a call, the median and the least of batches. */
const warm = async (build) => {
  const { input, schema } = cases[of]
  const check = build(schema)
  if (!(await check(input))) throw new Error("the input is sound and was refused")
  const batches = []
  let calls = 16
  const until = performance.now() + plan.ms
  while (performance.now() < until || batches.length < 3) {
    const start = performance.now()
    for (let call = 0; call < calls; call++) check(input)
    const took = performance.now() - start
    batches.push((took / calls) * 1000)
    // Batches of some milliseconds, of which those before the compiler was done are left out.
    if (took < 4) {
      calls *= 2
      batches.length = 0
    }
  }
  const ordered = sorted(batches)
  return { median: (ordered[(batches.length - 1) >> 1] + ordered[batches.length >> 1]) / 2, best: Math.min(...batches) }
}

/** Milliseconds to compile and check once each of many operations, of time and of all processors, and the megabytes that are held afterwards. */
const cold = async (build) => {
  const pairs = JSON.parse(readFileSync(of, "utf8"))
  const checks = []
  collect()
  const before = kilobytes("VmRSS")
  resetPeak()
  let [accepted, unmade] = [0, 0]
  const usage = process.cpuUsage()
  const start = performance.now()
  for (const [schema, input] of pairs) {
    try {
      const check = build(schema)
      const verdict = check(input)
      accepted += Number(verdict instanceof Promise ? await verdict : verdict)
      checks.push(check)
    } catch {
      unmade++
    }
  }
  const took = performance.now() - start
  const { system, user } = process.cpuUsage(usage)
  const peak = kilobytes("VmHWM") - before
  collect()
  return { took, cpu: (user + system) / 1000, accepted, unmade, checks: checks.length, held: (kilobytes("VmRSS") - before) / 1024, peak: peak / 1024 }
}

const build = await engines[engine]()
console.log(JSON.stringify(await (measure === "warm" ? warm(build) : cold(build))))
