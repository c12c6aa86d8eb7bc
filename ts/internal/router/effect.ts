/** A toolkit as a source of a router, for who has no types of Effect. */
import type * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import { fromToolkit } from "../../router-effect.ts"
import type { FromToolkitOptions, ToolkitLike } from "../../router/effect.ts"
import type { ToolSource } from "../../router/source.ts"

export const sourceOf = (toolkit: ToolkitLike, { format, runPromise = Effect.runPromise }: FromToolkitOptions): Promise<ToolSource> =>
  runPromise(fromToolkit(toolkit as Toolkit.WithHandler<any>, { format }))
