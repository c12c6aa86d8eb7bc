/** A call's input as JSON text: the text is what is checked and what is sent. */

/** The longest text that is looked into for the object that was meant. */
const maxHeld = 64 * 1024

const holdsObject = (text: string): boolean => {
  if (text.length > maxHeld || !/^\s*\{/.test(text)) return false
  try {
    return typeof JSON.parse(text) === "object"
  } catch {
    return false
  }
}

const nameOf = (value: unknown): string => {
  if (typeof value === "string" && holdsObject(value)) return "a string holding JSON: send the object itself"
  return value === null ? "null" : Array.isArray(value) ? "a list" : value === undefined ? "nothing" : `a ${typeof value}`
}

/** Longest name and place that are told, in characters. */
const maxName = 64
const maxPlace = 240

const placeOf = (steps: ReadonlyArray<string | number>): string => {
  const place = steps.reduce<string>((place, step) => {
    if (typeof step === "number") return `${place}[${step}]`
    if (step.length <= maxName && /^[A-Za-z_$][\w$-]*$/.test(step)) return place === "" ? step : `${place}.${step}`
    return `${place}[${JSON.stringify(step.length > maxName ? `${step.slice(0, maxName).toWellFormed()}…` : step.toWellFormed())}]`
  }, "")
  return place.length > maxPlace ? `…${place.slice(-maxPlace).toWellFormed()}` : place
}

/** What JSON writes as `null` and is none, and the steps to it, the last one first. */
interface Hidden {
  readonly steps: Array<string | number>
  readonly what: string
}

/**
 * The first that JSON writes as `null` in an object or list and that is none: a number that is not finite (a model's `1e400` is
 * Infinity for `JSON.parse`), and nothing at all in a list. It is refused, since the source would be sent another value than the
 * model gave. Every null of an input leads here, so nothing is kept before something is found.
 */
const hiddenIn = (held: object): Hidden | undefined => {
  // What says itself how it is written is not looked into.
  if (typeof (held as { readonly toJSON?: unknown }).toJSON === "function") return undefined
  if (Array.isArray(held)) {
    for (let at = 0; at < held.length; at++) {
      const value: unknown = held[at]
      const isNothing = value === undefined || typeof value === "function" || typeof value === "symbol"
      const hidden = isNothing ? { steps: [], what: "nothing is there" } : hiddenAs(value)
      if (hidden !== undefined) return within(at, hidden)
    }
    return undefined
  }
  for (const name of Object.keys(held)) {
    const hidden = hiddenAs((held as Record<string, unknown>)[name])
    if (hidden !== undefined) return within(name, hidden)
  }
  return undefined
}

const hiddenAs = (value: unknown): Hidden | undefined =>
  typeof value === "number"
    ? Number.isFinite(value) ? undefined : { steps: [], what: "not a finite number" }
    : typeof value === "object" && value !== null ? hiddenIn(value) : undefined

const within = (step: string | number, hidden: Hidden): Hidden => {
  hidden.steps.push(step)
  return hidden
}

/**
 * An input as JSON text, or what is wrong with it. The text is what is checked and what is sent; the source itself gets the
 * input as the model gave it.
 */
export const textOf = (input: unknown): { readonly text: string } | { readonly refusal: string } => {
  try {
    if (typeof input !== "object" || input === null || Array.isArray(input)) {
      return { refusal: `The input has to be an object, not ${nameOf(input)}.` }
    }
    const text: string | undefined = JSON.stringify(input)
    if (text !== undefined) {
      const hidden = text.includes("null") ? hiddenIn(input) : undefined
      return hidden === undefined ? { text } : { refusal: `${placeOf(hidden.steps.toReversed())}: ${hidden.what}` }
    }
  } catch {
    // As below.
  }
  return { refusal: "The input cannot be written as JSON: it holds itself, a bigint, or more levels than JSON text can have." }
}
