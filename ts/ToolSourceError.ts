/**
 * The error of every source: which source it was, and one of eight reasons.
 *
 * A host recovers from one reason with `Effect.catchReason("ToolSourceError", "AuthenticationError", …)`. A model reads a
 * reason's `modelMessage` only.
 *
 * @since 0.1.0
 */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"

export { Failure } from "./internal/failure.ts"

interface ReasonOptions<Retryable extends boolean> {
  /** What stands where there is no description, and what a model reads when the description is not for it. */
  readonly message: string
  readonly isRetryable: Retryable
  /** Whether the description is written for the model. */
  readonly tellsModel: boolean
}

/**
 * What all reasons share.
 *
 * @category models
 * @since 0.1.0
 */
export interface ReasonMembers<Tag extends string, Retryable extends boolean = boolean> extends Cause.YieldableError {
  /** `Failure.code`: the reason's tag. */
  readonly code: Tag
  /** `Failure.retryable`: whether the same call may work later. True of `UnavailableError` alone. */
  readonly isRetryable: Retryable
  /** What a model reads of the failure. */
  readonly modelMessage: string
}

type ReasonFields<Tag extends string> = Schema.Struct<{
  readonly _tag: Schema.tag<Tag>
  readonly description: Schema.optional<Schema.String>
  readonly cause: Schema.optional<Schema.Defect>
}>

const Reason = <Self>() =>
<const Tag extends string, const Retryable extends boolean>(
  tag: Tag,
  options: ReasonOptions<Retryable>
): Schema.Class<Self, ReasonFields<Tag>, ReasonMembers<Tag, Retryable>> => {
  class Base extends Schema.Error<any>(`toolkit-native/ToolSourceError/${tag}`)({
    _tag: Schema.tag(tag),
    description: Schema.optional(Schema.String),
    cause: Schema.optional(Schema.Defect())
  }) {
    get code(): Tag {
      return tag
    }
    get isRetryable(): Retryable {
      return options.isRetryable
    }
    get modelMessage(): string {
      return options.tellsModel ? this.message : options.message
    }
    override get message(): string {
      return this["description"] ?? options.message
    }
  }
  return Base as never
}

/**
 * The system refused the credentials of the client.
 *
 * @category errors
 * @since 0.1.0
 */
export class AuthenticationError extends Reason<AuthenticationError>()("AuthenticationError", {
  message: "The source refused the credentials it was given.",
  isRetryable: false,
  tellsModel: false
}) {}

/**
 * The source has no tool of that name.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotFoundError extends Reason<NotFoundError>()("NotFoundError", {
  message: "The source has no such tool.",
  isRetryable: false,
  tellsModel: false
}) {}

/**
 * The input cannot be what the tool takes. The description is written for the model.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidInputError extends Reason<InvalidInputError>()("InvalidInputError", {
  message: "The input does not match the tool's parameters.",
  isRetryable: false,
  tellsModel: true
}) {}

/**
 * The tool ran and said that it failed, or answered more than a tool can return. The description is written for the model.
 *
 * @category errors
 * @since 0.1.0
 */
export class CallFailedError extends Reason<CallFailedError>()("CallFailedError", {
  message: "The tool failed.",
  isRetryable: false,
  tellsModel: true
}) {}

/**
 * The system is down, cannot be reached, or took too long: the only reason worth trying again.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnavailableError extends Reason<UnavailableError>()("UnavailableError", {
  message: "The source is not available at the moment.",
  isRetryable: true,
  tellsModel: false
}) {}

/**
 * The system answered with something that is not what its protocol says.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidResponseError extends Reason<InvalidResponseError>()("InvalidResponseError", {
  message: "The source answered with something that cannot be read.",
  isRetryable: false,
  tellsModel: false
}) {}

/**
 * The tool asks for something that sources do not do.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnsupportedError extends Reason<UnsupportedError>()("UnsupportedError", {
  message: "The tool asks for something that is not supported here.",
  isRetryable: false,
  tellsModel: false
}) {}

/**
 * Anything else.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnknownError extends Reason<UnknownError>()("UnknownError", {
  message: "The source failed.",
  isRetryable: false,
  tellsModel: false
}) {}

/**
 * One of the eight reasons.
 *
 * @category models
 * @since 0.1.0
 */
export type ToolSourceErrorReason =
  | AuthenticationError
  | NotFoundError
  | InvalidInputError
  | CallFailedError
  | UnavailableError
  | InvalidResponseError
  | UnsupportedError
  | UnknownError

/**
 * The eight reasons.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ToolSourceErrorReason: Schema.Union<readonly [
  typeof AuthenticationError,
  typeof NotFoundError,
  typeof InvalidInputError,
  typeof CallFailedError,
  typeof UnavailableError,
  typeof InvalidResponseError,
  typeof UnsupportedError,
  typeof UnknownError
]> = Schema.Union([
  AuthenticationError,
  NotFoundError,
  InvalidInputError,
  CallFailedError,
  UnavailableError,
  InvalidResponseError,
  UnsupportedError,
  UnknownError
])

/**
 * What a source fails with.
 *
 * @example
 * ```ts
 * import { ToolSourceError } from "toolkit-native"
 * import { Effect } from "effect"
 *
 * const listed = Effect.fail(ToolSourceError.make({ source: "tasks", reason: new ToolSourceError.AuthenticationError({}) }))
 * const recovered = listed.pipe(
 *   Effect.catchReason("ToolSourceError", "AuthenticationError", (_reason, error) => Effect.succeed(`connect ${error.source} again`))
 * )
 * Effect.runPromise(recovered).then(console.log) // "connect tasks again"
 * ```
 *
 * @category errors
 * @since 0.1.0
 */
export class ToolSourceError extends Schema.Error<ToolSourceError>("toolkit-native/ToolSourceError")({
  _tag: Schema.tag("ToolSourceError"),
  source: Schema.String,
  reason: ToolSourceErrorReason
}) {
  override readonly cause = this.reason

  /** Whether the same call may work later: the reason's. */
  get isRetryable(): boolean {
    return this.reason.isRetryable
  }

  override get message(): string {
    return `${this.source}: ${this.reason.message}`
  }
}

/**
 * Whether a value is what a source fails with.
 *
 * @category guards
 * @since 0.1.0
 */
export const isToolSourceError = (u: unknown): u is ToolSourceError => u instanceof ToolSourceError

/**
 * Whether a value is one of the eight reasons.
 *
 * @category guards
 * @since 0.1.0
 */
export const isToolSourceErrorReason = (u: unknown): u is ToolSourceErrorReason =>
  ToolSourceErrorReason.members.some((member) => u instanceof member)

/**
 * Makes the error of a source from a reason.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: { readonly source: string; readonly reason: ToolSourceErrorReason }): ToolSourceError =>
  new ToolSourceError(options)
