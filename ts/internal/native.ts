/**
 * The addon that everything but the subpaths of their own needs. What comes out of it is data (see `native/binding.d.cts`); the
 * modules beside the namespaces turn it into Effect's values and errors.
 */
import type * as Binding from "../../native/binding.cjs"
import { load } from "./addon.ts"

/** The addon. */
export const native: typeof Binding = load("binding.cjs")

/** What the addon answers in place of a value that it could not make: what is wrong, in words. */
export const isRefusal = (outcome: object): outcome is Binding.Refusal => "error" in outcome
