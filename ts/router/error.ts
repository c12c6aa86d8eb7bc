/** The one error that a tool call ends in: its code, and a message that a model may read. */

const statuses = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  INTERNAL: 500,
  BAD_GATEWAY: 502
} as const

const messages: Readonly<Record<ErrorCode, string>> = {
  BAD_REQUEST: "Bad request",
  UNAUTHORIZED: "Unauthorized",
  FORBIDDEN: "Forbidden",
  NOT_FOUND: "Not found",
  CONFLICT: "Conflict",
  INTERNAL: "Internal error",
  BAD_GATEWAY: "Bad gateway"
}

/**
 * What went wrong, each with its HTTP status: 400, 401, 403, 404, 409, 500, 502.
 *
 * @category errors
 * @since 0.1.0
 */
export type ErrorCode = keyof typeof statuses

/**
 * An error whose message is public: a model and a user may read it. Throw it from a guard or a handler to say why a call is
 * refused. Any other error is shown to a model as `Internal error`.
 *
 * @example
 * ```ts
 * import { DendraError, route } from "toolkit-native/router"
 *
 * export const authed = route.use(({ ctx }: { ctx: { user?: { id: string } } }) => {
 *   if (ctx.user === undefined) throw new DendraError("UNAUTHORIZED", "Sign in first")
 *   return { user: ctx.user }
 * })
 * console.log(new DendraError("NOT_FOUND").status) // "404"
 * ```
 *
 * @category errors
 * @since 0.1.0
 */
export class DendraError extends Error {
  override readonly name = "DendraError"
  readonly code: ErrorCode
  /** The HTTP status of the code. */
  readonly status: number
  /** For the host alone: an MCP client or a model never sees it. */
  readonly details: unknown

  /** `cause` is for the host's log: it is no part of what is public. */
  constructor(code: ErrorCode, message: string = messages[code], details?: unknown, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
    this.status = statuses[code]
    this.details = details
  }
}
