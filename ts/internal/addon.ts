/** Loads an addon, and says in one error what is wrong where it cannot. */
import { createRequire } from "node:module"

const require = createRequire(import.meta.url)

/** What the loader met in each place it looked in. It gives them as a chain of causes, below advice that is of no use here. */
const reasonsOf = (error: unknown): string => {
  const reasons: Array<string> = []
  for (let at = error; at instanceof Error; at = at.cause) reasons.unshift(at.message.split("\n")[0]!)
  const places = reasons.length > 1 ? reasons.slice(0, -1) : reasons
  return [...new Set(places)].filter((reason) => !reason.includes("wasi")).join("; ")
}

/**
 * Loads what a loader of `native/` loads, which has to be of this package's version. `glibc` is the least that it is linked to,
 * `buildable` where else a checkout builds it.
 */
export const load = <Binding extends { readonly version: () => string }>(
  loader: string,
  { buildable = "elsewhere", glibc = "2.34" }: { readonly buildable?: string; readonly glibc?: string } = {}
): Binding => {
  const { version } = require("../../package.json") as { readonly version: string }
  let binding: Binding
  try {
    binding = require(`../../native/${loader}`)
  } catch (cause) {
    // With the loader's error as its cause, a runtime prints pages of nested causes below this.
    // oxlint-disable-next-line preserve-caught-error
    throw new Error(
      `toolkit-native ${version} has no addon for this platform (${process.platform} ${process.arch}, ` +
        `Node-API ${process.versions["napi"] ?? "unknown"}). It is built for Linux on x64 with glibc ${glibc} or later; ` +
        `${buildable} build it from a checkout with \`npm ci && npm run build\`, which needs a Rust toolchain. ` +
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
