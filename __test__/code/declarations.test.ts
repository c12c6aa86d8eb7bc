/** What a model reads of each kind of schema. The whole table is in Rust, beside the code. */
import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"
import { CodeMode } from "../../ts/index.ts"

type Json = Schema.JsonObject

/** The declarations of one tool of that input. */
const declared = (inputSchema: Json, more: { readonly name?: string; readonly description?: string } = {}): string =>
  CodeMode.declarations([{ name: "tool", inputSchema, ...more }])

/** The type of the property `x` of a tool's input, on one line. */
const typeOf = (x: unknown, more: Json = {}): string => {
  const text = declared({ type: "object", properties: { x: x as Json }, required: ["x"], additionalProperties: false, ...more }).replaceAll(/\s+/g, " ")
  const start = text.indexOf(" x: ") + " x: ".length
  const end = text.lastIndexOf("}): Promise")
  assert.isTrue(start > 3 && end > start, text)
  return text.slice(start, end).trim().replace(/;$/, "")
}

/** The declarations of one tool on one line. */
const shown = (inputSchema: Json): string => declared(inputSchema).replaceAll(/\s+/g, " ")

/** So many objects, each within the one before. */
const levels = (count: number): Json => count === 0 ? { type: "string" } : { type: "object", properties: { a: levels(count - 1) }, required: ["a"] }

const kinds: Readonly<Record<string, readonly [schema: unknown, type: string]>> = {
  "a string": [{ type: "string" }, "string"],
  "a number": [{ type: "number", minimum: 0 }, "number"],
  "an integer": [{ type: "integer" }, "number"],
  "a boolean": [{ type: "boolean" }, "boolean"],
  null: [{ type: "null" }, "null"],
  "several types": [{ type: ["string", "null"] }, "string | null"],
  "what may be null": [{ type: "string", nullable: true }, "string | null"],
  "an enum": [{ enum: ["open", "closed", 3, null] }, "\"open\" | \"closed\" | 3 | null"],
  "an enum of one type": [{ type: "string", enum: ["a\"b", "c"] }, "\"a\\\"b\" | \"c\""],
  "an enum of nothing": [{ enum: [] }, "never"],
  "a const": [{ const: "open" }, "\"open\""],
  "a list": [{ type: "array", items: { type: "string" } }, "Array<string>"],
  "a list of alternatives": [{ type: "array", items: { enum: ["a", "b"] } }, "Array<\"a\" | \"b\">"],
  "a list of anything": [{ type: "array" }, "Array<unknown>"],
  "a tuple": [{ type: "array", prefixItems: [{ type: "string" }], items: { type: "number" } }, "[string, ...Array<number>]"],
  "an object": [
    { type: "object", properties: { a: { type: "string" }, b: { type: "number" } }, required: ["a"], additionalProperties: false },
    "{ a: string; b?: number }"
  ],
  "an object or null": [{ type: ["object", "null"], properties: { a: { type: "string" } }, additionalProperties: false }, "{ a?: string } | null"],
  "an object of any keys": [{ type: "object", additionalProperties: { type: "number" } }, "Record<string, number>"],
  "an object of no keys": [{ type: "object", additionalProperties: false }, "{}"],
  alternatives: [{ anyOf: [{ type: "string" }, { type: "array", items: { type: "number" } }, { type: "null" }] }, "string | Array<number> | null"],
  "alternatives of which one holds": [{ oneOf: [{ type: "string" }, { type: "string" }, { type: "number" }] }, "string | number"],
  "all of several": [
    { allOf: [{ type: "object", properties: { a: { type: "string" } } }, { type: "object", properties: { b: { type: "number" } }, required: ["b"] }] },
    "{ a?: string } & { b: number }"
  ],
  "anything, by true": [true, "unknown"],
  "anything, by an empty schema": [{}, "unknown"],
  nothing: [false, "never"],
  "what is not looked at": [{ not: { type: "string" } }, "unknown"]
}

describe("the declarations", () => {
  for (const [kind, [schema, type]] of Object.entries(kinds)) {
    it(`say of ${kind}: ${type} [R-000-298]`, () => {
      assert.strictEqual(typeOf(schema), type)
    })
  }

  it("are of each tool, in order, with what is required and the descriptions as comments [R-000-298]", () => {
    assert.strictEqual(
      CodeMode.declarations([
        {
          name: "hub__create_issue",
          description: "Opens an issue.",
          inputSchema: {
            type: "object",
            properties: { title: { type: "string", description: "One line." }, state: { enum: ["open", "closed"] } },
            required: ["title"],
            additionalProperties: false
          }
        },
        { name: "hub__list", inputSchema: { type: "object", properties: { page: { type: "integer" } }, additionalProperties: false } },
        { name: "hub__now", inputSchema: { type: "object", additionalProperties: false } }
      ]),
      "declare const tools: {\n" +
        "  /** Opens an issue. */\n" +
        "  hub__create_issue(input: {\n" +
        "    /** One line. */\n" +
        "    title: string;\n" +
        "    state?: \"open\" | \"closed\";\n" +
        "  }): Promise<unknown>;\n" +
        "  hub__list(input: { page?: number }): Promise<unknown>;\n" +
        "  hub__now(input: {}): Promise<unknown>;\n" +
        "};\n"
    )
    assert.strictEqual(CodeMode.declarations([]), "declare const tools: {\n};\n")
  })

  it("follow references, as often as they stand, and say unknown where one leads nowhere [R-000-298]", () => {
    const $defs = { user: { type: "object", properties: { id: { type: "string" } }, required: ["id"], additionalProperties: false }, "a/b": { type: "number" } }
    assert.strictEqual(typeOf({ type: "array", items: { $ref: "#/$defs/user" } }, { $defs }), "Array<{ id: string }>")
    assert.strictEqual(
      shown({ type: "object", properties: { from: { $ref: "#/$defs/user" }, to: { $ref: "#/$defs/user" } }, additionalProperties: false, $defs }),
      "declare const tools: { tool(input: { from?: { id: string }; to?: { id: string } }): Promise<unknown>; }; "
    )
    assert.strictEqual(typeOf({ $ref: "#/$defs/a~1b" }, { $defs }), "number")
    for (const $ref of ["#/$defs/none", "https://example.com/schema.json", "other.json#/a"]) assert.strictEqual(typeOf({ $ref }, { $defs }), "unknown", $ref)
  })

  it("say unknown where a schema comes round to itself [R-000-299]", () => {
    const $defs = {
      node: { type: "object", properties: { value: { type: "string" }, next: { $ref: "#/$defs/node" } }, required: ["value"], additionalProperties: false },
      loop: { $ref: "#/$defs/loop" },
      ping: { type: "array", items: { $ref: "#/$defs/pong" } },
      pong: { type: "array", items: { $ref: "#/$defs/ping" } }
    }
    assert.strictEqual(typeOf({ $ref: "#/$defs/node" }, { $defs }), "{ value: string; next?: unknown }")
    assert.strictEqual(typeOf({ $ref: "#/$defs/loop" }, { $defs }), "unknown")
    assert.strictEqual(typeOf({ $ref: "#/$defs/ping" }, { $defs }), "Array<Array<unknown>>")
    assert.strictEqual(typeOf({ $ref: "#" }), "unknown")
  })

  it("say unknown below six levels, of objects and of lists [R-000-299]", () => {
    assert.include(shown(levels(6)), "(input: { a: { a: { a: { a: { a: { a: string } } } } } })")
    assert.include(shown(levels(7)), "(input: { a: { a: { a: { a: { a: { a: unknown } } } } } })")
    assert.strictEqual(shown(levels(500)), shown(levels(7)))
    const lists = (count: number): Json => count === 0 ? { type: "string" } : { type: "array", items: lists(count - 1) }
    assert.strictEqual(typeOf(lists(5)), "Array<Array<Array<Array<Array<string>>>>>")
    assert.strictEqual(typeOf(lists(6)), "Array<Array<Array<Array<Array<unknown>>>>>")
  })

  it("are no longer than they may be, whatever references lead to", () => {
    const $defs = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`d${at}`, {
      type: "object",
      properties: Object.fromEntries("abcdefghij".split("").map((key) => [key, { $ref: `#/$defs/d${at + 1}` }]))
    }]))
    const text = declared({ type: "object", properties: { x: { $ref: "#/$defs/d0" } }, $defs })
    assert.isBelow(text.length, 200_000)
    assert.include(text, "unknown")
  })

  it("end no comment with what a description says [R-000-300]", () => {
    const hostile = ["*/ evil(): void; /*", "a\n*/\nb", "*\\/ */", "/** */", "*".repeat(100) + "/", "a\r*/\u2028*/\u2029*/", "\u0000*/"]
    for (const description of hostile) {
      const text = declared({ type: "object", properties: { x: { type: "string", description } }, additionalProperties: false }, { description })
      // Without its comments, all that is left is the tool.
      assert.strictEqual(text.replaceAll(/\/\*[^]*?\*\//g, "").replaceAll(/\s+/g, ""), "declareconsttools:{tool(input:{x?:string;}):Promise<unknown>;};", JSON.stringify(description))
      assert.lengthOf(text.match(/\*\//g)!, 2)
    }
  })

  it("have no comment for a description without a word", () => {
    for (const description of ["", " ", "\n\t"]) {
      const text = declared({ type: "object", properties: { x: { type: "string", description } }, additionalProperties: false }, { description })
      assert.strictEqual(text, "declare const tools: {\n  tool(input: { x?: string }): Promise<unknown>;\n};\n")
    }
  })

  it("have a name that is no identifier in quotes, of a tool and of a property, and say how it is called [R-000-301]", () => {
    for (const name of ["create-issue", "1a", "a b", "a.b", "", "a\"b", "a\nb", "`${x}`", "*/", "\u2028", "é"]) {
      const text = declared({ type: "object", properties: { [name]: { type: "string" } }, required: [name], additionalProperties: false }, { name })
      assert.match(text, /in brackets/)
      const [tool, property] = [/^ {2}("(?:[^"\\]|\\.)*")\(input: \{ ("(?:[^"\\]|\\.)*"): string \}\)/m.exec(text)].flatMap((found) => found === null ? [] : found.slice(1))
      assert.deepStrictEqual([JSON.parse(tool!), JSON.parse(property!)], [name, name])
      assert.isAtMost(text.split("\n").length, 5, "a name breaks no line")
    }
    for (const name of ["list", "$list", "_list", "class", "await", "constructor", "__proto__", "a1"]) {
      const text = declared({ type: "object", additionalProperties: false }, { name })
      assert.include(text, `  ${name}(input: {}): Promise<unknown>;`)
      assert.notInclude(text, "in brackets")
    }
  })
})
