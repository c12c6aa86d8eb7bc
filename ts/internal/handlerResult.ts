/** What a call of a tool gives, in the form that Effect's language model takes. */
import type * as Tool from "effect/ai/Tool"
import type * as Schema from "effect/Schema"
import type { SourceTool } from "../ToolSource.ts"
import type { Failure } from "./failure.ts"

export type Result = Tool.HandlerResult<SourceTool>

export const succeeded = (value: Schema.Json): Result => ({ result: value, encodedResult: value, isFailure: false, preliminary: false })

export const failed = (failure: Failure): Result => ({
  result: failure,
  encodedResult: failure,
  isFailure: true,
  failureOrigin: "handler",
  preliminary: false
})
