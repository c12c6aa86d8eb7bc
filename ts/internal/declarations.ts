/** Tools as the TypeScript that code is written against, and what finds and reads those that are only named. */
import * as Tool from "effect/ai/Tool"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as ToolSourceError from "../ToolSourceError.ts"
import { type Failure, failureOf } from "./failure.ts"
import { refusalAtOnce } from "./inputCheck.ts"
import { native } from "./native.ts"
import { schemaOf, searchOf } from "./search.ts"

/** What is said of a tool. */
export interface Declared {
  readonly name: string
  readonly description?: string | undefined
  readonly inputSchema: Schema.JsonObject
}

const maxFound = 20

const finders: ReadonlyArray<Declared & { readonly outputSchema: Schema.JsonObject }> = [
  {
    name: "$search",
    description: "Finds tools by what they do, in a few words. Gives at most `limit` (1 to 20, 10 when not given), best first.",
    inputSchema: {
      type: "object",
      properties: { query: { type: "string" }, limit: { type: "integer", minimum: 1, maximum: maxFound } },
      required: ["query"],
      additionalProperties: false
    },
    outputSchema: {
      type: "array",
      items: {
        type: "object",
        properties: { name: { type: "string" }, description: { type: "string" } },
        required: ["name", "description"]
      }
    }
  },
  {
    name: "$describe",
    description: "The TypeScript declarations of tools, by their names. Read them before you call a tool that is only named here.",
    inputSchema: {
      type: "object",
      properties: { names: { type: "array", items: { type: "string" }, minItems: 1, maxItems: maxFound } },
      required: ["names"],
      additionalProperties: false
    },
    outputSchema: { type: "string" }
  }
]

/** More than any text has, and the most that crosses as a number of 32 bits. */
const noLimit = 2 ** 32 - 1

/** What is said of a tool as it crosses. A schema that is no JSON (it holds itself) says nothing. */
const textOf = ({ description, inputSchema }: Declared): string => {
  try {
    return JSON.stringify({ description, inputSchema })
  } catch {
    return JSON.stringify({ description, inputSchema: { type: "object" } })
  }
}

/** The declarations of tools, beyond a limit of UTF-16 units those of some and the names of the others. */
export const declare = (tools: ReadonlyArray<Declared>, limit?: number) => {
  const most = limit === undefined ? undefined : Math.min(limit, noLimit)
  return native.declareTools(JSON.stringify(tools.map(({ name }) => name)), (at) => textOf(tools[at]!), most, JSON.stringify(finders))
}

/** A name in quotes, on one line. */
const quoted = (name: string): string => JSON.stringify(name).replace(/[\u2028\u2029]/g, (end) => end === "\u2028" ? "\\u2028" : "\\u2029")

type Finder = (input: Schema.Json) => Effect.Effect<Schema.Json, Failure>

const failed = (reason: ToolSourceError.ToolSourceErrorReason): Effect.Effect<never, Failure> =>
  Effect.fail(failureOf(reason))

const checked = (schema: Schema.JsonObject, find: (input: any) => Schema.Json): Finder => (input) =>
  Effect.suspend(() => {
    const refused = refusalAtOnce(schema as never, input)
    return refused === undefined ? Effect.succeed(find(input)) : failed(new ToolSourceError.InvalidInputError({ description: refused }))
  })

/** The declarations of tools, and what code is given to find the rest, where they are not all. */
export const finding = (callable: ReadonlyArray<Tool.Any>, limit?: number) => {
  const tools = callable.map((tool): Declared => ({
    name: tool.name,
    description: tool.description,
    // Made when it is looked at.
    get inputSchema() {
      return schemaOf(tool)
    }
  }))
  const declared = declare(tools, limit)
  if (declared.isComplete) return { declared, finders: {} as Record<string, Finder> }
  const search = searchOf(callable, {})
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const found: Record<string, Finder> = {
    $search: checked(finders[0]!.inputSchema, ({ limit = 10, query }: { readonly query: string; readonly limit?: number }) =>
      search(query, limit).tools.map(({ description, name }) => ({ name, description }))),
    $describe: checked(finders[1]!.inputSchema, ({ names }: { readonly names: ReadonlyArray<string> }) => {
      const known = names.flatMap((name) => byName.get(name) ?? [])
      const unknown = names.filter((name) => !byName.has(name))
      const missing = unknown.length === 0 ? "" : `// There is no tool ${unknown.map(quoted).join(", ")}.\n`
      return known.length === 0 ? missing : declare(known).text + missing
    })
  }
  return { declared, finders: found }
}
