/**
 * The source of an MCP server over Streamable HTTP, in every revision of the protocol from 2024-11-05 to 2026-07-28.
 *
 * It lists tools and calls them, and does nothing else of MCP. The credentials are the client's.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import { knownJson } from "./internal/json.ts"
import { connect } from "./internal/mcpExchange.ts"
import { timeoutOf } from "./internal/options.ts"
import { callOf } from "./internal/writtenCall.ts"
import type * as ToolDefinition from "./ToolDefinition.ts"
import type * as ToolSource from "./ToolSource.ts"
import * as ToolSourceError from "./ToolSourceError.ts"

/**
 * What a source of an MCP server is made of.
 *
 * @category options
 * @since 0.1.0
 */
export interface HttpOptions {
  /** What the source is called. */
  readonly name: string
  /** The endpoint of the server: an absolute `http` or `https` URL. */
  readonly url: string | URL
  /** Carries the credentials: every request goes over it. */
  readonly client: HttpClient.HttpClient
  /** How long the server may take to answer a request, to its end; a minute when not given. */
  readonly timeout?: Duration.Input | undefined
}

const urlOf = (url: string | URL): string => {
  const parsed = URL.canParse(String(url)) ? new URL(String(url)) : undefined
  if (parsed === undefined || !["http:", "https:"].includes(parsed.protocol)) {
    throw new Cause.IllegalArgumentError("url has to be an absolute http or https URL, such as \"https://mcp.example.com/mcp\"")
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw new Cause.IllegalArgumentError("url may not hold a user name or a password: credentials belong to the client, as HttpClientRequest.basicAuth sets them")
  }
  parsed.hash = ""
  return parsed.href
}

/**
 * Makes the source of an MCP server. It contacts nobody: how the server is spoken to is found out when it is first needed.
 *
 * A tool's result is its structured content when it has some, and else its content blocks. A tool that the protocol does not
 * allow is left out of `discover`, with a warning logged. A URL that is none and a timeout of nothing are defects:
 * `Cause.IllegalArgumentError`.
 *
 * @example
 * ```ts
 * import { Mcp } from "toolkit-native"
 * import { Effect } from "effect"
 * import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
 *
 * const program = Effect.gen(function*() {
 *   const client = (yield* HttpClient.HttpClient).pipe(HttpClient.mapRequest(HttpClientRequest.bearerToken("…")))
 *   const tasks = yield* Mcp.http({ name: "tasks", url: "https://mcp.example.com/mcp", client })
 *   const definitions = yield* tasks.discover
 *   return yield* tasks.call(definitions[0]!.name, {})
 * }).pipe(Effect.provide(FetchHttpClient.layer))
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const http = ({ client, name, timeout = "1 minute", url }: HttpOptions): Effect.Effect<ToolSource.ToolSource> =>
  Effect.sync(() => {
    const connection = connect(client, urlOf(url), timeoutOf(timeout, "1 minute"))
    const fail = (reason: ToolSourceError.ToolSourceErrorReason) => Effect.fail(ToolSourceError.make({ source: name, reason }))
    return {
      name,
      discover: Effect.gen(function*() {
        const { value, warnings } = yield* Effect.catch(connection.list, fail)
        for (const warning of warnings) yield* Effect.logWarning(`The MCP source ${JSON.stringify(name)}: ${warning}`)
        return value as unknown as ReadonlyArray<ToolDefinition.ToolDefinition>
      }),
      call: callOf(name, (tool, text) =>
        connection.call(tool, text).pipe(
          Effect.map(({ value }) => knownJson(value)),
          Effect.catch(fail)
        ))
    }
  })
