/** A router's procedures as the tools that a provider's API takes. */
import { noInput } from "../internal/router/input.ts"
import { type Tool, toolsOf } from "../internal/router/procedures.ts"
import type { JSONSchema } from "./route.ts"

/**
 * The shape of a tool: Anthropic's, OpenAI's, or a plain one.
 *
 * @category models
 * @since 0.1.0
 */
export type ToolFormat = "anthropic" | "openai" | "plain"

/**
 * A tool of the format `plain`.
 *
 * @category models
 * @since 0.1.0
 */
export interface PlainTool {
  name: string
  description: string
  inputSchema: JSONSchema
}

const formats: Readonly<Record<ToolFormat, (name: string, description: string, schema: JSONSchema) => unknown>> = {
  anthropic: (name, description, schema) => ({ name, description, input_schema: schema }),
  openai: (name, description, schema) => ({ type: "function", function: { name, description, parameters: schema } }),
  plain: (name, description, inputSchema): PlainTool => ({ name, description, inputSchema })
}

/**
 * Shapes a tool for a provider, whatever it is of.
 *
 * @example
 * ```ts
 * import { formatTool } from "toolkit-native/router"
 *
 * formatTool("now", "The time.", { type: "object" }, "anthropic") // { name, description, input_schema }
 * ```
 *
 * @category formats
 * @since 0.1.0
 */
export const formatTool = (name: string, description: string, schema: JSONSchema, format: ToolFormat): unknown => {
  if (!Object.hasOwn(formats, format)) throw new TypeError(`There is no format ${JSON.stringify(format)}: it is "anthropic", "openai" or "plain"`)
  return formats[format](name, description, schema)
}

const needsApproval = "(Needs a person's approval: calling it returns a pending action, not the result.)"

const firstText = (...texts: ReadonlyArray<string | undefined>): string | undefined =>
  texts.find((text) => text !== undefined && text.trim() !== "")

const describe = (name: string, { ai, text }: Tool): string => {
  const description = firstText(ai.description, text) ?? name
  return ai.confirm === true ? `${description} ${needsApproval}` : description
}

/** The tools of a router, each with what a model is shown of it: copies, which whoever sends them may change. */
export const shownTools = (router: object) =>
  Array.from(toolsOf(router), ([name, tool]) => ({ name, tool, description: describe(name, tool), inputSchema: structuredClone(tool.input?.schema ?? noInput) }))

/**
 * The tools of a router: each procedure with `.ai()`, by its dotted name, `plain` unless another format is given. The names
 * stay as they are; Anthropic and OpenAI take no dots, so that whoever sends them there replaces these and puts them back.
 *
 * @example
 * ```ts
 * import { type PlainTool, route, toToolset } from "toolkit-native/router"
 *
 * const router = { notes: { list: route.describe("List notes").ai().handler(() => []), purge: route.handler(() => null) } }
 * const [tool, ...others] = toToolset(router) as ReadonlyArray<PlainTool>
 * console.log(tool?.name, tool?.description, others.length) // "notes.list List notes 0"
 * ```
 *
 * @category formats
 * @since 0.1.0
 */
export const toToolset = (router: object, options: { readonly format?: ToolFormat | undefined } = {}): Array<unknown> =>
  shownTools(router).map(({ description, inputSchema, name }) => formatTool(name, description, inputSchema, options.format ?? "plain"))
