/** The work's outcome, or the signal's reason as soon as there is one. The work goes on, and nobody waits for it. */
export const untilAborted = <Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> => {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener("abort", onAbort)
    // The work may have aborted it itself.
    if (signal.aborted) onAbort()
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort))
  })
}
