/** A bound on how long an effect may take. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/**
 * An effect, or what comes instead of it where it takes longer, and which has to stop it: `Effect.timeoutOrElse` without its race,
 * which costs a small call several percent of its time.
 */
export const within = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  duration: Duration.Duration,
  late: (fiber: Fiber.Fiber<A, E>) => Effect.Effect<A, E>
): Effect.Effect<A, E, R> =>
  Effect.contextWith((context) =>
    Effect.callback<A, E>((resume) => {
      const run = Effect.runForkWith(context)
      const fiber = run(self)
      const timer = run(Effect.andThen(
        Effect.sleep(duration),
        Effect.sync(() => resume(Effect.suspend(() => late(fiber))))
      ))
      fiber.addObserver((exit) => {
        timer.interruptUnsafe()
        resume(exit)
      })
      return Effect.suspend(() => {
        timer.interruptUnsafe()
        return Fiber.interrupt(fiber)
      })
    })
  )
