/**
 * The tools of an MCP server that somebody else runs, over a client that is connected already.
 *
 * Rule: nothing that the server says is trusted. What it names, describes and answers is text for a model, within limits; who
 * may call a tool, and whether a person has to approve it, is the host's to say, and only a plain answer counts.
 */
import { native } from "../internal/native.ts"
import { untilAborted } from "../internal/router/abort.ts"
import { noInput, objectSchema, ofAnyObject } from "../internal/router/input.ts"
import { planOf, procedureOf } from "../internal/router/procedures.ts"
import { DendraError } from "./error.ts"
import { type Procedure, type Route, route, type RouterRecord } from "./route.ts"
import type { ToolSource } from "./source.ts"
import { formatTool, type ToolFormat } from "./toolset.ts"

/**
 * What is needed of an MCP client that is connected. The `Client` of the official SDK fits as it is.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpClientLike {
  listTools(): Promise<{
    tools: Array<{ name: string; description?: string | undefined; inputSchema?: Record<string, unknown> | undefined }>
  }>
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<{
    content?: Array<{ type: string; text?: string | undefined }> | undefined
    isError?: boolean | undefined
    [key: string]: unknown
  }>
}

/**
 * What `createMcpToolSource` takes besides the client.
 *
 * @category options
 * @since 0.1.0
 */
export interface McpToolSourceOptions {
  /** The provider's format; `"plain"` when not given. */
  readonly format?: ToolFormat | undefined
  /** What is put before each name, such as `gh.`. */
  readonly prefix?: string | undefined
  /** Which tools are taken, by the server's names. */
  readonly filter?: ((name: string) => boolean) | undefined
  /** How much of a description a model is shown, in UTF-16 units; 1,024 when not given. */
  readonly maxDescriptionLength?: number | undefined
}

/**
 * What `createMcpRouter` takes besides the client.
 *
 * @category options
 * @since 0.1.0
 */
export interface McpRouterOptions {
  /** Which tools are taken, by the server's names. */
  readonly filter?: ((name: string) => boolean) | undefined
  /** Which of them a person has to approve, by the server's names; none when not given. Anything but a plain `false` is a yes. */
  readonly confirm?: boolean | ((name: string) => boolean) | undefined
  /** What the procedures begin with: its guards and hooks stand before every call. */
  readonly route?: Route<any, undefined> | undefined
  /** How much of a description a model is shown, in UTF-16 units; 1,024 when not given. */
  readonly maxDescriptionLength?: number | undefined
}

interface RemoteTool {
  readonly name: string
  readonly description: string
  readonly schema: Exclude<ReturnType<typeof objectSchema>, undefined>
}

/** A server's name of a tool, in words for a log. */
const shown = (name: string): string => JSON.stringify(native.cutText(name, 100))

/** What a server answered, of which nothing is known. */
type Answered<Shape> = Shape | null | undefined

/** How many tools that are left out are named. */
const maxWarned = 10

/** The tools that the server lists and the host wants, the first of each name. */
const listed = async (
  client: McpClientLike,
  { filter, maxDescriptionLength = 1024 }: Pick<McpRouterOptions, "filter" | "maxDescriptionLength">
): Promise<ReadonlyArray<RemoteTool>> => {
  if (!((Number.isInteger(maxDescriptionLength) || maxDescriptionLength === Infinity) && maxDescriptionLength >= 1)) {
    throw new RangeError(`maxDescriptionLength has to be a whole number of at least 1, not ${String(maxDescriptionLength)}`)
  }
  const tools: unknown = (await client.listTools() as Answered<{ readonly tools?: unknown }>)?.tools
  if (!Array.isArray(tools)) throw new DendraError("BAD_GATEWAY", "The MCP server gave a list of tools that cannot be read")
  const leftOut: Array<string> = []
  const found = new Map<string, RemoteTool>()
  for (const tool of tools as ReadonlyArray<Answered<Readonly<Record<string, unknown>>>>) {
    const { description, inputSchema, name } = tool ?? {}
    if (typeof name !== "string" || (description !== undefined && description !== null && typeof description !== "string")) {
      leftOut.push(`${typeof name === "string" ? shown(name) : "one without a name"} is no tool`)
      continue
    }
    if (filter !== undefined && filter(name) !== true) continue
    const schema = inputSchema === undefined || inputSchema === null ? structuredClone(noInput) : objectSchema(inputSchema)
    if (found.has(name)) leftOut.push(`${shown(name)} is there already`)
    else if (schema === undefined) leftOut.push(`the input of ${shown(name)} is no object`)
    else {
      const text = (description ?? "").trim() === "" ? name : description as string
      found.set(name, { name, description: native.cutText(text, Math.min(maxDescriptionLength, 2 ** 32 - 1)), schema })
    }
  }
  if (leftOut.length > 0) {
    const more = leftOut.length > maxWarned ? `, and ${leftOut.length - maxWarned} more` : ""
    console.warn("Tools of an MCP server are left out: %s%s", leftOut.slice(0, maxWarned).join(", "), more)
  }
  return [...found.values()]
}

/** The texts of an answer's content, and nothing for content that MCP does not have. */
const textsOf = (content: unknown): ReadonlyArray<string> | undefined => {
  if (content === undefined || content === null) return []
  if (!Array.isArray(content)) return undefined
  const texts: Array<string> = []
  for (const item of content as ReadonlyArray<Answered<{ readonly type?: unknown; readonly text?: unknown }>>) {
    if (typeof item !== "object" || item === null) return undefined
    if (item.type !== "text") continue
    const text = item.text ?? ""
    if (typeof text !== "string") return undefined
    texts.push(text)
  }
  return texts
}

/** Calls a tool of the server, and reads what it answers. */
const callRemote = async (client: McpClientLike, name: string, args: Record<string, unknown>): Promise<unknown> => {
  const answer: unknown = await client.callTool({ name, arguments: args })
  const isRead = typeof answer === "object" && answer !== null
  const { content, isError, structuredContent } = (isRead ? answer : {}) as Readonly<Record<string, unknown>>
  const texts = isRead ? textsOf(content) : undefined
  if (texts === undefined) throw new DendraError("BAD_GATEWAY", `MCP tool '${name}' gave an answer that cannot be read`)
  const text = texts.join("")
  // The server wrote it for the model.
  if (isError === true) throw new DendraError("BAD_GATEWAY", text === "" ? `MCP tool '${name}' failed` : text)
  if (texts.length === 0 && structuredContent !== undefined) return structuredContent
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * The tools of an MCP server as a tool source, to be merged with others: no guards, hooks or approvals stand before them, which
 * `createMcpRouter` puts there. The server is asked for its tools once.
 *
 * The text of an answer is given as the JSON that it is, or else as it is. An answer with `isError` is `BAD_GATEWAY` with the
 * server's text, and so is one that MCP does not have, with words of ours; a name that was not listed is `NOT_FOUND`. What the
 * client throws passes as it is. A call that is given up is no longer waited for, and runs on.
 *
 * @example
 * ```ts
 * import { createMcpToolSource, type McpClientLike } from "toolkit-native/router"
 *
 * const client: McpClientLike = {
 *   listTools: async () => ({ tools: [{ name: "search", description: "Search code" }] }),
 *   callTool: async ({ name }) => ({ content: [{ type: "text", text: `${name} found nothing` }] })
 * }
 * createMcpToolSource(client, { prefix: "gh." })
 *   .then((github) => github.execute("gh.search", {}))
 *   .then(console.log) // "search found nothing"
 * ```
 *
 * @category mcp
 * @since 0.1.0
 */
export const createMcpToolSource = async (client: McpClientLike, options: McpToolSourceOptions = {}): Promise<ToolSource> => {
  const { format = "plain", prefix = "" } = options
  const tools = await listed(client, options)
  const byName = new Map(tools.map(({ name }) => [`${prefix}${name}`, name]))
  return {
    tools: tools.map(({ description, name, schema }) => formatTool(`${prefix}${name}`, description, schema, format)),
    names: [...byName.keys()],
    async execute(name, args, { signal } = {}) {
      signal?.throwIfAborted()
      const remote = byName.get(name)
      if (remote === undefined) throw new DendraError("NOT_FOUND", `Tool '${name}' not found`)
      return untilAborted(callRemote(client, remote, (args ?? {}) as Record<string, unknown>), signal)
    }
  }
}

/** A router without a prototype, since the names are a server's. */
const record = (): RouterRecord => Object.create(null)

/** Puts procedures in routers within routers, by dotted names. */
const nested = (procedures: ReadonlyMap<string, Procedure<any, any, any>>): RouterRecord => {
  const root = record()
  for (const [name, procedure] of procedures) {
    const segments = name.split(".")
    if (segments.includes("")) throw new Error(`The tool ${shown(name)} of an MCP server has a name with an empty part: leave it out with filter`)
    let at = root
    for (const [index, segment] of segments.slice(0, -1).entries()) {
      const namespace = segments.slice(0, index + 1).join(".")
      if (procedures.has(namespace)) {
        throw new Error(`${shown(namespace)} of an MCP server is a tool, and ${shown(name)} is within it: leave one out with filter`)
      }
      at = (at[segment] ??= record()) as RouterRecord
    }
    at[segments.at(-1)!] = procedure
  }
  return root
}

/**
 * The tools of an MCP server as procedures, to be mounted in a router: from then on executors, toolsets, bridges, approvals and
 * `inspectRouter` have them as they have any other, and the guards and hooks of `route` stand before each. The server is asked
 * for its tools once; mounted at `gh`, its tool `issues.create` is `gh.issues.create`.
 *
 * Of an input only that it is an object is checked here, the rest by the server. Calls answer and fail as in
 * `createMcpToolSource`, except that what the client throws is `INTERNAL` like any error of a handler. It is an `Error` at once
 * when a name is that of a tool and of a group of tools, or has an empty part.
 *
 * @example
 * ```ts
 * import { createMcpRouter, inspectRouter, type McpClientLike, route } from "toolkit-native/router"
 *
 * const client: McpClientLike = {
 *   listTools: async () => ({ tools: [{ name: "issues.list" }, { name: "issues.create" }, { name: "admin.purge" }] }),
 *   callTool: async ({ name }) => ({ content: [{ type: "text", text: name }] })
 * }
 * createMcpRouter(client, {
 *   filter: (name) => name.startsWith("issues."),
 *   confirm: (name) => name !== "issues.list",
 *   route: route.after(({ path }) => void path)
 * }).then((gh) => {
 *   console.log(inspectRouter({ gh }).map(({ confirm, path }) => `${path} ${confirm}`).join()) // "gh.issues.list false,gh.issues.create true"
 * })
 * ```
 *
 * @category mcp
 * @since 0.1.0
 */
export const createMcpRouter = async (client: McpClientLike, options: McpRouterOptions = {}): Promise<RouterRecord> => {
  const { confirm = false } = options
  const plan = planOf(options.route ?? route)
  if (plan === undefined) throw new TypeError("The route given to createMcpRouter() was not made by route")
  if (plan.input !== undefined) throw new TypeError("The route given to createMcpRouter() has an .input(): what its tools take is the server's to say")
  const needsPerson = (name: string): boolean => plan.ai?.confirm === true || (typeof confirm === "function" ? confirm(name) : confirm) !== false
  const tools = await listed(client, options)
  return nested(
    new Map(tools.map(({ description, name, schema }) => [
      name,
      procedureOf({
        ...plan,
        input: ofAnyObject(schema),
        text: description,
        ai: { ...plan.ai, description, confirm: needsPerson(name) },
        meta: { ...plan.meta, mcp: { tool: name } },
        handler: { kind: "unary", run: ({ input }) => callRemote(client, name, input) }
      })
    ]))
  )
}
