/** What options have to be. One that is not is a defect: a mistake in the program, which says so at once. */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

export const positiveInteger = (name: string, value: number): number => {
  if (!Number.isInteger(value) || value < 1) throw new Cause.IllegalArgumentError(`${name} has to be a positive integer, not ${value}`)
  return value
}

/** A duration that some time has to fit into. */
export const durationOf = (name: string, input: Duration.Input, example: string): Duration.Duration => {
  const duration = Duration.fromInput(input)
  if (Option.isNone(duration) || !Duration.isGreaterThan(duration.value, Duration.zero)) {
    throw new Cause.IllegalArgumentError(`${name} has to be a duration of more than nothing, such as ${JSON.stringify(example)}`)
  }
  return duration.value
}

export const timeoutOf = (timeout: Duration.Input, example: string): Duration.Duration => durationOf("timeout", timeout, example)

/** One of a few words. */
export const wordOf = <const Word extends string>(name: string, words: ReadonlyArray<Word>, value: Word): Word => {
  if (!words.includes(value)) {
    throw new Cause.IllegalArgumentError(`${name} has to be ${words.map((word) => JSON.stringify(word)).join(" or ")}, not ${JSON.stringify(value)}`)
  }
  return value
}
