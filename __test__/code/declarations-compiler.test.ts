import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { box, examples } from "../../bench/lib/documents.ts"
import { OpenApi, type ToolDefinition } from "../../ts/index.ts"
import { native } from "../../ts/internal/native.ts"

interface Tool {
  readonly name: string
  readonly description?: string
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
}

const declare = (tools: ReadonlyArray<Tool>, limit?: number, finders?: ReadonlyArray<Tool>) => {
  const read: Array<number> = []
  const declared = native.declareTools(
    JSON.stringify(tools.map(({ name }) => name)),
    (at) => {
      read.push(at)
      return JSON.stringify(tools[at])
    },
    limit,
    finders === undefined ? undefined : JSON.stringify(finders)
  )
  return { ...declared, read }
}

const property = (schema: unknown): Tool => ({
  name: "tool",
  inputSchema: { type: "object", properties: { x: schema }, required: ["x"] }
})

/** As many alternatives as would be too many if they were multiplied by as many others. */
const wide = (key: string) => ({ oneOf: Array.from({ length: 400 }, (_, at) => ({ properties: { [key]: { const: at } }, required: [key] })) })

/** Perhaps one of them. */
const some = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined })

/** The type of a tool's input. */
const typeOf = (inputSchema: unknown) => / {2}tool\(input: ([^]*)\): Promise<unknown>;\n/.exec(declare([{ name: "tool", inputSchema }]).text)![1]

const compiler = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url))

/** What the compiler says of these files under `strict`, a file a line. */
const faultsOf = (files: ReadonlyArray<string>): ReadonlyArray<string> => {
  const folder = mkdtempSync(join(tmpdir(), "declarations-"))
  try {
    const names = files.map((text, at) => {
      writeFileSync(join(folder, `${at}.ts`), text)
      return `${at}.ts`
    })
    const flags = ["--strict", "--noEmit", "--target", "es2023", "--moduleDetection", "force", "--pretty", "false"]
    const { error, status, stdout } = spawnSync(process.execPath, [compiler, ...flags, ...names], { cwd: folder, encoding: "utf8", timeout: 120_000 })
    if (error !== undefined) throw error
    const faults = stdout.split("\n").filter((line) => line !== "")
    assert.strictEqual(status === 0, faults.length === 0, stdout)
    return faults
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The tools of a document, under names that agents take. */
const toolsOf = (path: string): ReadonlyArray<Tool> => {
  const { operations } = OpenApi.readOperations(JSON.parse(readFileSync(path, "utf8")))
  return operations.map(({ definition }: { readonly definition: ToolDefinition.ToolDefinition }) => definition)
}

/** A name as a type has it. */
const written = (name: string): string => /^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name)

const documents = [box, ...examples(fileURLToPath(new URL("../../node_modules/@readme/oas-examples", import.meta.url)))]

describe("the declarations of the tools of real documents", () => {
  it("are TypeScript that the compiler accepts, and so is an example call of each", () => {
    const counts = { tools: 0, examples: 0 }
    const files = documents.map(({ path }) => {
      const tools = toolsOf(path)
      const calls = tools.flatMap((tool) => declare([tool]).example ?? [])
      counts.tools += tools.length
      counts.examples += calls.length
      return `${declare(tools).text}export const calls = async () => [${calls.join(",\n")}]\n`
    })
    assert.isAbove(counts.tools, 700)
    // Some ask for a string that is a number, or for exactly one of two alternatives that are alike.
    assert.isAtLeast(counts.examples, counts.tools - 10)
    assert.deepEqual(faultsOf(files), [])
  }, 120_000)

  it("declare each tool once, with the properties that it has and those that it requires", () => {
    const tools = toolsOf(box.path)
    const { isComplete, read, text } = declare(tools)
    assert.isTrue(isComplete)
    assert.lengthOf(read, tools.length)
    for (const { inputSchema, name } of tools as ReadonlyArray<ToolDefinition.ToolDefinition>) {
      const head = `\n  ${written(name)}(input: `
      const start = text.indexOf(head)
      assert.isAbove(start, 0, name)
      assert.strictEqual(text.indexOf(head, start + 1), -1, name)
      const declaration = text.slice(start, text.indexOf("Promise<unknown>;", start))
      const required = inputSchema["required"] as ReadonlyArray<string>
      for (const key of Object.keys(inputSchema["properties"] as object)) {
        assert.include(declaration, `${written(key)}${required.includes(key) ? "" : "?"}: `, name)
      }
    }
  })
})

describe("what the compiler makes of the declarations", () => {
  it("is what the schemas say: what is required, what is allowed, and how a tool is called", () => {
    const { text } = declare([
      {
        name: "create-issue",
        inputSchema: {
          type: "object",
          properties: {
            title: { type: "string" },
            state: { enum: ["open", "closed", null, 3] },
            labels: { type: "array", items: { anyOf: [{ type: "string" }, { type: "object", properties: { id: { type: "integer" } }, required: ["id"] }] } },
            at: { type: "array", prefixItems: [{ type: "number" }], items: { type: "string" } },
            meta: { type: "object", additionalProperties: { type: "boolean" } }
          },
          required: ["title"],
          additionalProperties: false
        },
        outputSchema: { type: "object", properties: { number: { type: "integer" } }, required: ["number"] }
      },
      { name: "new", inputSchema: { type: "object" } },
      {
        name: "either",
        inputSchema: {
          type: "object",
          properties: { id: { type: "string" } },
          required: ["id"],
          oneOf: [{ properties: { a: { type: "string" } }, required: ["a"] }, { properties: { b: { type: "number" } }, required: ["b"] }]
        }
      }
    ])
    const accepted = [
      "tools[\"create-issue\"]({ title: \"a\" })",
      "tools[\"create-issue\"]({ title: \"a\", state: \"closed\", labels: [\"a\", { id: 1 }], at: [1, \"a\", \"b\"], meta: { a: true } })",
      "tools[\"create-issue\"]({ title: \"a\", state: null })",
      "tools[\"create-issue\"]({ title: \"a\", state: 3 }).then((answer) => answer.number + 1)",
      "tools.new({ anything: [1] })",
      "tools.either({ id: \"a\", b: 1 })"
    ]
    const refused = [
      "tools[\"create-issue\"]({})",
      "tools[\"create-issue\"]({ title: 1 })",
      "tools[\"create-issue\"]({ title: \"a\", state: \"shut\" })",
      "tools[\"create-issue\"]({ title: \"a\", labels: [{}] })",
      "tools[\"create-issue\"]({ title: \"a\", at: [\"a\"] })",
      "tools[\"create-issue\"]({ title: \"a\", meta: { a: 1 } })",
      "tools[\"create-issue\"]({ title: \"a\", other: 1 })",
      "tools.either({ id: \"a\" })",
      "tools.either({ b: 1 })",
      "tools.other({})",
      "tools.new({}).then((answer) => answer.number)"
    ]
    const code = [...accepted.map((call) => `await ${call}`), ...refused.map((call) => `// @ts-expect-error\nawait ${call}`)]
    assert.deepEqual(faultsOf([`${text}${code.join("\n")}\nexport {}\n`]), [])
  })

  const word = fc.constantFrom("a", "b-c", "new", "__proto__", "constructor", "é", "1", "", "*/", "/*", "// ", "`${", "a\u2028b", "\r\n", "\ud800", "\"'", "\\", "long ".repeat(20))
  const text = fc.oneof(word, fc.string({ unit: "binary" }), fc.array(word).map((words) => words.join("")))
  const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
    const inner = tie("schema")
    const named = fc.dictionary(text, inner, { maxKeys: 4 })
    const list = fc.array(inner, { maxLength: 3 })
    const type = fc.constantFrom("string", "integer", "number", "boolean", "null", "object", "array", "file")
    return {
      schema: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.boolean(),
        fc.jsonValue(),
        fc.record({ type, description: some(text), nullable: some(fc.boolean()) }),
        fc.record({ const: fc.jsonValue() }),
        fc.record({ enum: fc.array(fc.jsonValue(), { maxLength: 4 }), description: some(text) }),
        fc.constantFrom("#", "#/$defs/a", "#/$defs/b", "#/properties/x", "#/$defs/none", "other.json").map((reference) => ({ $ref: reference })),
        fc.record({ type: fc.constantFrom("object", ["object", "null"], undefined), properties: named, required: some(fc.array(text, { maxLength: 3 })), additionalProperties: some(inner), description: some(text) }),
        fc.record({ patternProperties: named, additionalProperties: some(inner), type: some(type) }),
        fc.record({ type: some(fc.constantFrom("array", ["array", "string"])), items: fc.oneof(inner, list), prefixItems: some(list), additionalItems: some(inner), description: some(text) }),
        fc.record({ allOf: some(list), anyOf: some(list), oneOf: some(list), type: some(type), properties: some(named), nullable: some(fc.boolean()), description: some(text) }),
        fc.dictionary(fc.constantFrom("not", "if", "then", "else"), inner)
      )
    }
  })
  const tool = fc.record({
    name: text,
    description: some(text),
    inputSchema: fc.tuple(schema, schema, schema).map(([x, a, b]) => ({ type: "object", properties: { x }, required: ["x"], $defs: { a, b } })),
    outputSchema: some(schema)
  })

  /** Many tools of one seed: the compiler is started once for all of them. */
  const many = (seed: number): ReadonlyArray<Tool> => fc.sample(tool, { seed, numRuns: 150 }) as ReadonlyArray<Tool>

  it("is no fault, whatever the names, the descriptions and the schemas are", () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const tools = many(seed)
        // Each on its own, so that one fault hides no other, and all at once.
        const files = [...tools.map((tool) => [tool]), tools].map((tools) => `${declare(tools).text}export {}\n`)
        const faults = faultsOf(files)
        assert.deepEqual(faults, [], files[Number.parseInt(faults[0] ?? "", 10)])
      }),
      { numRuns: 2, endOnFailure: true }
    )
  }, 120_000)

  it("is no fault of an example, whatever the schema is", () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const examples = many(seed).flatMap((tool) => declare([tool]).example ?? [])
        assert.isAbove(examples.length, 15)
        assert.deepEqual(faultsOf([`declare const tools: any\nexport const calls = async () => [${examples.join(",\n")}]\n`]), [], examples.join("\n"))
      }),
      { numRuns: 2, endOnFailure: true }
    )
  }, 120_000)

  it("is no fault of many alternatives, of many values and of long lists", () => {
    const pairs = Array.from({ length: 40 }, (_, at) => ({ anyOf: [{ required: [`a${at}`] }, { required: [`b${at}`] }] }))
    const schemas = [
      { allOf: pairs },
      { allOf: [wide("a"), wide("b"), wide("c")] },
      { anyOf: [{ allOf: [wide("a"), wide("b")] }, { allOf: [wide("c"), wide("d")] }], allOf: pairs },
      { enum: Array.from({ length: 9000 }, (_, at) => at) },
      { const: Array.from({ length: 9000 }, () => null) },
      { enum: Array.from({ length: 9000 }, (_, at) => `*/ ${at} "`) },
      { oneOf: Array.from({ length: 3000 }, (_, at) => ({ const: at, description: "*/ It is what it says, and nothing else." })) },
      { anyOf: [{ allOf: [wide("a"), { properties: { b: { type: "string" } } }] }, { type: "null" }] },
      { type: "string", enum: ["a", 1, null] },
      { description: "a", anyOf: [{ description: "b", anyOf: [{ description: "c ".repeat(60), type: "string" }, { type: "number" }] }, { description: "d", type: ["boolean", "null"] }] },
      { type: "object", properties: Object.fromEntries(Array.from({ length: 9000 }, (_, at) => [`p-${at}`, { type: ["array", "null"] }])), required: ["p-7", "*/"] }
    ]
    assert.deepEqual(faultsOf(schemas.map((schema) => `${declare([property(schema)]).text}export {}\n`)), [])
  })
})

describe("declarations", () => {
  it("end no comment with what a description says [R-000-300]", () => {
    const { text } = declare([{ ...property({ type: "string", description: "*/ evil: 1; /*" }), description: "a */ b\r\n*/ c" }])
    assert.strictEqual(
      text,
      "declare const tools: {\n  /**\n   * a *\\/ b\n   * *\\/ c\n   */\n  tool(input: {\n    /** *\\/ evil: 1; /* */\n    x: string;\n  }): Promise<unknown>;\n};\n"
    )
  })

  it("say unknown for a cycle and below six levels [R-000-299]", () => {
    const levels = (count: number): unknown => count === 0 ? { type: "string" } : { type: "object", properties: { a: levels(count - 1) }, required: ["a"] }
    assert.strictEqual(typeOf(levels(6)), "{ a: { a: { a: { a: { a: { a: string } } } } } }")
    assert.strictEqual(typeOf(levels(7)), "{ a: { a: { a: { a: { a: { a: unknown } } } } } }")
    assert.strictEqual(typeOf({ type: "object", properties: { self: { $ref: "#" } } }), "{ self?: unknown }")
  })

  it("read no schema of a tool that they do not show", () => {
    const tools = Array.from({ length: 5000 }, (_, at) => ({ ...property({ type: "string" }), name: `big__tool_${at}` }))
    const finders = [{ name: "$search", inputSchema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] } }]
    const { example, isComplete, read, text } = declare(tools, 4000, finders)
    assert.isFalse(isComplete)
    assert.isBelow(read.length, 100)
    assert.include(text, "$search(input: { query: string }): Promise<unknown>;")
    const declared = text.match(/ {2}big__tool_\d+\(input: \{ x: string \}\)/g)!.length
    assert.isAbove(declared, 20)
    assert.include(text, `// ${5000 - declared} more tools, by name:\n// big__tool… (${5000 - declared}): big__tool_${declared}, `)
    assert.isAtMost(text.length, 4000 + 100)
    assert.strictEqual(example, "await tools.big__tool_0({ x: \"x\" })")
    assert.deepEqual(faultsOf([`${text}export {}\n`]), [])
    const all = declare(tools.slice(0, 10), 4000, finders)
    assert.isTrue(all.isComplete)
    assert.notInclude(all.text, "$search")
  })

  it("let through what reading a tool throws, and refuse names that are none", () => {
    const thrown = new Error("not now")
    const throwing = () => {
      throw thrown
    }
    assert.throws(() => native.declareTools("[\"a\"]", throwing), "not now")
    assert.throws(() => native.declareTools("nonsense", () => "{}"), "the names are not of the shape")
    assert.throws(() => native.declareTools("[\"a\"]", () => "{}", 0, "{}"), "the finders are not of the shape")
  })
})
