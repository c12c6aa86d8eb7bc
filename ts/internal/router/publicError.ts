import { DendraError } from "../../router/error.ts"

/** What a caller may know of an error. Anything else than a DendraError is logged, and hidden. */
export const publicError = (tool: string, error: unknown): DendraError => {
  if (error instanceof DendraError) return error
  // The name may be that of a server: it is no format, and no line of its own.
  console.error("The tool %s failed", JSON.stringify(tool), error)
  return new DendraError("INTERNAL", "Internal error", undefined, { cause: error })
}
