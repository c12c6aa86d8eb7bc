/**
 * What runs the code of `CodeMode`. This package's root has no runtime: an adapter that has an isolate implements the interface.
 *
 * @since 0.1.0
 */
import type * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Failure } from "./internal/failure.ts"

const CodeErrorBase: Schema.Class<
  CodeError,
  Schema.Struct<{
    readonly _tag: Schema.tag<"CodeError">
    readonly message: Schema.String
    readonly logs: Schema.$Array<Schema.String>
  }>,
  Cause.YieldableError
> = Schema.Error<CodeError>("toolkit-native/CodeRuntime/CodeError")({
  _tag: Schema.tag("CodeError"),
  message: Schema.String,
  logs: Schema.Array(Schema.String)
})

/**
 * The code threw, cannot be read, or went beyond what a run may take: what it says, and what was logged before.
 *
 * @category errors
 * @since 0.1.0
 */
export class CodeError extends CodeErrorBase {}

/**
 * What a run gives.
 *
 * @category models
 * @since 0.1.0
 */
export interface Result {
  /** What the code returned; null when it returned nothing. */
  readonly result: Schema.Json
  /** The lines that it logged, in order. */
  readonly logs: ReadonlyArray<string>
}

/**
 * What a run takes.
 *
 * @category models
 * @since 0.1.0
 */
export interface RunOptions {
  /** The body of an async function. */
  readonly code: string
  /** The names of the tools that it may call, as `await tools.<name>(input)`, or in brackets. */
  readonly tools: ReadonlyArray<string>
  /**
   * Calls one of them. The code reads a failure as an error that it can catch, whose message is the failure's. What is under way
   * when the run is over is interrupted.
   */
  readonly call: (name: string, input: Schema.Json) => Effect.Effect<Schema.Json, Failure>
}

/**
 * Runs code in an isolate that can reach nothing but the tools it is given, gives it `tools` and `console`, and stops when it
 * is interrupted.
 *
 * @category models
 * @since 0.1.0
 */
export interface CodeRuntime {
  readonly run: (options: RunOptions) => Effect.Effect<Result, CodeError>
}
