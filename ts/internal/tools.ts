/** Which tools a toolkit has, of those that somebody names. */
import * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"

/** Whether a tool runs here, and not at the provider of the model. */
export const isHandled = (tool: Tool.Any): boolean => !Tool.isProviderDefined(tool) || tool.requiresHandler

/** A toolkit's tool of a name that a model wrote: nothing that an object has by itself is one. */
export const toolOf = <Tools extends Record<string, Tool.Any>>(
  { tools }: Toolkit.WithHandler<Tools>,
  name: string
): Tools[keyof Tools] | undefined => Object.hasOwn(tools, name) ? tools[name] as Tools[keyof Tools] : undefined
