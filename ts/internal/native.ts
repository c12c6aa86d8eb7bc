/**
 * The one place that loads the addon. What comes out of it is data (see `native/binding.d.cts`); the modules beside the
 * namespaces turn it into Effect's values and errors.
 */
import { createRequire } from "node:module"
import type * as Binding from "../../native/binding.cjs"

const require = createRequire(import.meta.url)

const load = (): typeof Binding => {
  const { version } = require("../../package.json") as { readonly version: string }
  let binding: typeof Binding
  try {
    binding = require("../../native/binding.cjs")
  } catch (cause) {
    throw new Error(
      `toolkit-native ${version} has no addon for this platform (${process.platform} ${process.arch}, ` +
        `Node-API ${process.versions["napi"] ?? "unknown"}). It is built for Linux on x64 with glibc; ` +
        "elsewhere build it from a checkout with `npm ci && npm run build`, which needs a Rust toolchain.",
      { cause }
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
