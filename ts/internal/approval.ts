/**
 * Whether a call of a presented tool needs approval, asked of the tool itself.
 *
 * The rule: only a plain no lets a tool run unasked. Effect's own language model takes a question that fails for a no.
 */
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { beneath } from "./services.ts"
import { toolOf } from "./tools.ts"

/** Whether the answer is anything but a plain no; a question that fails is answered yes. */
const isYes = <R>(answer: Effect.Effect<unknown, unknown, R>): Effect.Effect<boolean, never, R> =>
  answer.pipe(
    Effect.map((answer) => answer !== false),
    Effect.catchCause((cause) => Cause.hasInterrupts(cause) ? Effect.failCause(cause as Cause.Cause<never>) : Effect.succeed(true))
  )

const answerOf = (tool: Tool.Any, params: unknown, about: Tool.NeedsApprovalContext): Effect.Effect<unknown, unknown> =>
  Effect.suspend(() => {
    const { needsApproval = false } = tool
    const answer = typeof needsApproval === "function" ? needsApproval(params, about) : needsApproval
    return Effect.isEffect(answer) ? answer as Effect.Effect<unknown> : Effect.succeed(answer)
  })

/** Asks of an input that is not decoded yet, with the services of whoever runs it. */
export const ask = (tool: Tool.Any, input: unknown, about: Tool.NeedsApprovalContext): Effect.Effect<boolean> => {
  const { needsApproval, parametersSchema } = tool
  const params = typeof needsApproval === "function" && Schema.isSchema(parametersSchema)
    ? Schema.decodeUnknownEffect(parametersSchema as Schema.Codec<unknown>)(input)
    : Effect.succeed(input)
  return isYes(Effect.flatMap(params, (params) => answerOf(tool, params, about)))
}

/** The tool, whose question about approval counts as yes where it fails. */
export const asking = <T extends Tool.Any>(tool: T): T =>
  typeof tool.needsApproval === "function"
    ? (tool as unknown as Tool.Tool<string, any>).setNeedsApproval((params, about) => isYes(answerOf(tool, params, about))) as unknown as T
    : tool

/** The `needsApproval` of a tool that runs the tools of a toolkit by name. A name that is no tool runs nothing. */
export const needsApprovalOf = <Tools extends Record<string, Tool.Any>, R>(
  presented: Toolkit.WithHandler<Tools>,
  context: Context.Context<R>
): Tool.NeedsApprovalFunction<Schema.Codec<{ readonly name: string; readonly input: unknown }>> =>
({ input, name }, about) => {
  const tool = toolOf(presented, name)
  if (tool?.needsApproval === undefined) return false
  // As the call itself: what the caller has goes before what was there when the toolkit was presented.
  return beneath(context)(ask(tool, input, about))
}
