import * as Schema from "effect/Schema"
import type * as ToolSourceError from "../ToolSourceError.ts"

/**
 * What a model reads of a call that failed. One constant for all toolkits: Effect's language model keeps its decoder of
 * answers by the identity of the schemas, so a second one would be compiled anew each turn.
 */
export const Failure: Schema.Struct<{
  readonly code: Schema.String
  readonly message: Schema.String
  readonly retryable: Schema.Boolean
}> = Schema.Struct({
  code: Schema.String,
  message: Schema.String,
  retryable: Schema.Boolean
})

export interface Failure extends Schema.Schema.Type<typeof Failure> {}

/** What a model reads of a reason. */
export const failureOf = (reason: ToolSourceError.ToolSourceErrorReason): Failure => ({
  code: reason.code,
  message: reason.modelMessage,
  retryable: reason.isRetryable
})
