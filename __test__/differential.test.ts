import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { explanations } from "../bench/differences.ts"
import { compare, type Json, type Reading } from "../bench/lib/compare.ts"
import { compareLines, differ, readLines, standIns, unusedEntries } from "../bench/lib/differential.ts"
import { box, examples } from "../bench/lib/documents.ts"
import { OpenApi } from "../ts/index.ts"

const folder = fileURLToPath(new URL("../node_modules/@readme/oas-examples", import.meta.url))
const documents = [box, ...existsSync(folder) ? examples(folder) : []]
const listed = readLines()

const read = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Json
const readPage = (name: string) => readFileSync(new URL(`../docs/${name}`, import.meta.url), "utf8")
const readOurs = (document: Json): Reading => OpenApi.readOperations(document) as Reading

// A tool that has a parameter that it requires, and one that has shared schemas.
const isFull = ({ definition, request }: any) => request.parameters.length > 0 && definition.inputSchema.required.length > 0
const full = (operations: Array<any>) => operations.find(isFull)
const sharing = (operations: Array<any>) => operations.find(({ definition }) => "$defs" in definition.inputSchema)

describe("ours and two readers in TypeScript", () => {
  it("are compared on the documents of two versions", () => {
    const compared = new Set(documents.map(({ name }) => name))
    assert.isAbove(documents.length, 60)
    assert.isTrue(compared.has("box"))
    for (const version of ["3.0", "3.1"]) assert.isTrue(compared.has(`@readme/oas-examples/${version}/petstore.json`))
  })

  it("differ on these documents as the list says, and nowhere else", () => {
    const results = documents.map(({ name, path }) => {
      const document = read(path)
      return differ(name, document, readOurs(document))
    })
    const compared = new Set(documents.map(({ name }) => name))
    assert.deepEqual(results.flatMap(({ faults }) => faults), [])
    assert.deepEqual(compareLines(results.flatMap(({ lines }) => lines), listed.filter(({ document }) => compared.has(document))), [])
  })

  it.effect("differ in the same way when ours is given the bytes", () =>
    Effect.gen(function*() {
      const bytes = readFileSync(box.path)
      const ours = (yield* OpenApi.readOperations(bytes)) as Reading
      assert.deepEqual(differ(box.name, read(box.path), ours).lines, listed.filter(({ document }) => document === box.name))
    }))

  it("differ by decisions that the list uses, each of which is written down", () => {
    assert.deepEqual(unusedEntries(listed), [])
    const [decisions, requirements] = [readPage("decisions.md"), readPage("requirements.md")]
    for (const { by, id } of explanations) {
      const found = by.match(/R-000-\d{3}|\d+/g) ?? []
      assert.isNotEmpty(found, id)
      for (const name of found) {
        assert.isTrue(name.startsWith("R-") ? requirements.includes(`- ${name} `) : new RegExp(`^${name}\\. `, "m").test(decisions), `${id}: ${name}`)
      }
    }
    assert.strictEqual(new Set(listed.map((line) => JSON.stringify(line))).size, listed.length)
  })

  it("are found to differ wherever one of them is changed", () => {
    const document = read(box.path)
    const ours = JSON.parse(JSON.stringify(readOurs(document))) as Reading
    const before = differ(box.name, document, ours).lines.length
    const changes: ReadonlyArray<readonly [string, (operations: Array<any>, skipped: Array<any>) => void]> = [
      ["a name", (operations) => { full(operations).definition.name += "_" }],
      ["a description", (operations) => { full(operations).definition.description += "." }],
      ["a hint", (operations) => { full(operations).definition.annotations.readOnly = false }],
      ["where a parameter goes", (operations) => { full(operations).request.parameters[0].in = "header" }],
      ["a property that is lost", (operations) => {
        const { definition, request } = full(operations)
        delete definition.inputSchema.properties[request.parameters[0].property]
      }],
      ["what is required", (operations) => { full(operations).definition.inputSchema.required = [] }],
      ["a shared schema", (operations) => { Object.values<any>(sharing(operations).definition.inputSchema.$defs)[0].type = "null" }],
      ["an operation that is lost", (operations) => { operations.pop() }],
      ["an operation that is no longer skipped", (_operations, skipped) => { skipped.pop() }],
      ["the order of the operations", (operations) => { operations.push(operations.shift()!) }]
    ]
    for (const [what, change] of changes) {
      const changed = structuredClone(ours) as any
      change(changed.operations, changed.skipped)
      const result = differ(box.name, document, changed as Reading)
      assert.isAbove(result.lines.length, before, what)
      assert.isNotEmpty(result.faults, what)
    }
    // The order of a schema's keys is no difference.
    const turned = structuredClone(ours) as any
    for (const { definition } of turned.operations) {
      definition.inputSchema = Object.fromEntries(Object.entries(definition.inputSchema).toReversed())
      definition.inputSchema.required.reverse()
    }
    assert.deepEqual(differ(box.name, document, turned as Reading).faults, [])
  })

  it("agree with each other", () => {
    const [one, other] = standIns.map(({ read }) => read)
    const document = read(box.path)
    assert.deepEqual(compare(one!(document), other!(document)), [])
  })
})
