import { DendraError } from "../../router/error.ts"

/** What a caller may know of an error. Anything else than a DendraError is logged, and hidden. */
export const publicError = (tool: string, error: unknown): DendraError => {
  if (error instanceof DendraError) return error
  console.error(`The tool ${tool} failed`, error)
  return new DendraError("INTERNAL", "Internal error", undefined, { cause: error })
}
