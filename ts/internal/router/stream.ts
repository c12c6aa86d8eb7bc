/**
 * A stream's chunks, collected until there are no more, there are enough, or it has taken too long.
 *
 * Rule: whoever gives the chunks is told when nobody waits any more, and is not waited for: a handler that does not hear its
 * signal holds up nobody.
 */

export interface Limits {
  readonly maxItems: number
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/** A few turns of promises. */
const moment = async (): Promise<void> => {
  for (let turn = 0; turn < 16; turn++) await undefined
}

const whole = (chunks: ReadonlyArray<unknown>): unknown =>
  chunks.every((chunk) => typeof chunk === "string") ? chunks.join("") : chunks

/** The chunks as one value; rejects with what the stream fails with, or with the reason of the caller's signal. */
export const collect = (run: (signal: AbortSignal) => unknown, { maxItems, signal, timeoutMs }: Limits): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const handlers = new AbortController()
    const chunks: Array<unknown> = []
    const deadline = performance.now() + timeoutMs
    let iterator: AsyncIterator<unknown> | undefined
    let isOver = false

    const over = (): boolean => {
      if (isOver) return false
      isOver = true
      clearTimeout(timer)
      signal?.removeEventListener("abort", onAbort)
      return true
    }
    /** Tells the handler, and gives it a moment to clean up, which no clock measures: it may be a test's. */
    const end = (reason?: unknown): Promise<unknown> => {
      handlers.abort(reason)
      const ended = Promise.resolve().then(() => iterator?.return?.()).catch(() => undefined)
      return Promise.race([ended, moment()])
    }
    const stop = (): void => {
      if (over()) void end().then(() => resolve(whole(chunks)))
    }
    const onAbort = (): void => {
      if (!over()) return
      void end(signal?.reason)
      reject(signal?.reason)
    }
    const timer = setTimeout(stop, timeoutMs)
    signal?.addEventListener("abort", onAbort)
    if (signal?.aborted === true) return onAbort()

    const pull = async (): Promise<void> => {
      const stream = await run(handlers.signal) as AsyncIterable<unknown> | undefined
      if (typeof stream?.[Symbol.asyncIterator] !== "function") throw new TypeError("A handler after .stream() has to give an AsyncIterable")
      iterator = stream[Symbol.asyncIterator]()
      if (isOver) return void end()
      for (;;) {
        const { done, value } = await iterator.next()
        if (isOver) return
        if (done === true) {
          over()
          return resolve(whole(chunks))
        }
        chunks.push(value)
        // Chunks that come without a pause let no timer run.
        if (chunks.length >= maxItems || performance.now() >= deadline) return stop()
      }
    }
    pull().catch((error: unknown) => {
      if (!over()) return
      handlers.abort(error)
      reject(error)
    })
  })
