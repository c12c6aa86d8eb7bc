/**
 * The one place that loads the addon. What comes out of it is data (see `native/binding.d.cts`); the modules beside the
 * namespaces turn it into Effect's values and errors.
 */
import { createRequire } from "node:module"
import type * as Binding from "../../native/binding.cjs"

const require = createRequire(import.meta.url)

/** What the loader met in each place it looked in. It gives them as a chain of causes, below advice that is of no use here. */
const reasonsOf = (error: unknown): string => {
  const reasons: Array<string> = []
  for (let at = error; at instanceof Error; at = at.cause) reasons.unshift(at.message.split("\n")[0]!)
  const places = reasons.length > 1 ? reasons.slice(0, -1) : reasons
  return [...new Set(places)].filter((reason) => !reason.includes("wasi")).join("; ")
}

const load = (): typeof Binding => {
  const { version } = require("../../package.json") as { readonly version: string }
  let binding: typeof Binding
  try {
    binding = require("../../native/binding.cjs")
  } catch (cause) {
    // With the loader's error as its cause, a runtime prints pages of nested causes below this.
    // oxlint-disable-next-line preserve-caught-error
    throw new Error(
      `toolkit-native ${version} has no addon for this platform (${process.platform} ${process.arch}, ` +
        `Node-API ${process.versions["napi"] ?? "unknown"}). It is built for Linux on x64 with glibc 2.34 or later; ` +
        "elsewhere build it from a checkout with `npm ci && npm run build`, which needs a Rust toolchain. " +
        `What was tried: ${reasonsOf(cause)}`
    )
  }
  if (binding.version() !== version) {
    throw new Error(
      `toolkit-native ${version} found an addon of version ${binding.version()}: reinstall the package, so that both are of one version.`
    )
  }
  return binding
}

/** The addon. */
export const native: typeof Binding = load()

/** What the addon answers in place of a value that it could not make: what is wrong, in words. */
export const isRefusal = (outcome: object): outcome is Binding.Refusal => "error" in outcome
