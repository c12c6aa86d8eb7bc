/** The work's outcome, or the signal's reason as soon as there is one. The work goes on, and nobody waits for it. */
export const untilAborted = async <Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> => {
  if (signal === undefined) return work
  let onAbort = (): void => undefined
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
    signal.addEventListener("abort", onAbort)
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener("abort", onAbort)
  }
}
