/** Turns for others on the thread: what is long is done in parts, and between them timers and sockets have theirs. */
import * as Effect from "effect/Effect"

/** How long a part may take, in milliseconds. */
const part = 4

const breathe = Effect.callback<void>((resume) => {
  const turn = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(turn))
})

/** Gives, between two things of a long one, the effect that lets others have their turn when it is due. */
export const turns = (): (() => Effect.Effect<void> | undefined) => {
  let since = performance.now()
  return () => {
    if (performance.now() - since < part) return undefined
    return Effect.andThen(breathe, Effect.sync(() => void (since = performance.now())))
  }
}
