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
import { toolOf } from "./presented.ts"

/** Asks a tool, in the context of whoever runs it. */
export const ask = (tool: Tool.Any, input: unknown, about: Tool.NeedsApprovalContext, context: Context.Context<never>): Effect.Effect<boolean> =>
  Effect.gen(function*() {
    const { needsApproval, parametersSchema } = tool
    if (typeof needsApproval !== "function") return needsApproval !== false
    const params = Schema.isSchema(parametersSchema)
      ? yield* Schema.decodeUnknownEffect(parametersSchema as Schema.Codec<unknown>)(input)
      : input
    const answer = needsApproval(params, about)
    return (Effect.isEffect(answer) ? yield* answer : answer) !== false
  }).pipe(
    Effect.provideContext(context),
    Effect.catchCause((cause) => Cause.hasInterrupts(cause) ? Effect.failCause(cause as Cause.Cause<never>) : Effect.succeed(true))
  )

/** The `needsApproval` of a tool that runs the tools of a toolkit by name. A name that is no tool runs nothing. */
export const needsApprovalOf = <Tools extends Record<string, Tool.Any>, R>(
  presented: Toolkit.WithHandler<Tools>,
  context: Context.Context<R>
): Tool.NeedsApprovalFunction<Schema.Codec<{ readonly name: string; readonly input: unknown }>> =>
({ input, name }, about) => {
  const tool = toolOf(presented, name)
  return tool?.needsApproval === undefined ? false : ask(tool, input, about, context as Context.Context<never>)
}
