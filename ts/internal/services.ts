/** The services that a presentation was made with. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Gives an effect these services, beneath those of whoever runs it. */
export const beneath = <S>(services: Context.Context<S>) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, S>> =>
  Effect.updateContext(effect, (mine: Context.Context<Exclude<R, S>>) => Context.merge(services, mine) as Context.Context<any>)
