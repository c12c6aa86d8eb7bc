/** Toolkits made of others: where a call goes, and what is said of a name that is no tool. */
import * as AiError from "effect/ai/AiError"
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import { asking } from "./approval.ts"

/** What Effect's own toolkit fails with for a name that is none of its tools. */
export const notFound = (name: string, available: Iterable<string>): Effect.Effect<never, AiError.AiError> =>
  Effect.fail(AiError.make({
    module: "Toolkit",
    method: `${name}.handle`,
    reason: new AiError.ToolNotFoundError({ toolName: name, availableTools: [...available] })
  }))

/** A toolkit of these tools, each of which runs in the toolkit it comes from. */
export const routed = (owners: Iterable<readonly [name: string, owner: Toolkit.WithHandler<any>]>): Toolkit.WithHandler<any> => {
  const byName = new Map(owners)
  // Without a prototype: Effect looks tools up by the names that a model gives.
  const tools: Record<string, Tool.Any> = Object.create(null)
  for (const [name, owner] of byName) tools[name] = asking(owner.tools[name])
  const handle: Toolkit.WithHandler<any>["handle"] = (name, ...rest) => {
    const owner = byName.get(name as string)
    return owner === undefined ? notFound(name as string, byName.keys()) : owner.handle(name, ...rest)
  }
  return { tools, handle }
}
