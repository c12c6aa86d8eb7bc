/** What a host is told of what should not have happened. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as ErrorReporter from "effect/ErrorReporter"

/** Logs and reports a cause. One that cannot even be shown is not worth the turn that it happened in. */
export const report = (what: string, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Effect.suspend(() => Effect.andThen(Effect.logError(what, cause), ErrorReporter.report(cause))).pipe(
    Effect.catchCause((cause) => Cause.hasInterrupts(cause) ? Effect.failCause(cause) : Effect.void)
  )
