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

/** Whether JSON writes something in an object or list as `null` that is none. Every null of an input leads here, so it is quick. */
const hidesSomething = (held: object): boolean => {
  if (Array.isArray(held)) {
    for (let at = 0; at < held.length; at++) {
      const value: unknown = held[at]
      if (value === undefined || typeof value === "function" || typeof value === "symbol" || isHidden(value)) return true
    }
    return false
  }
  // What says itself how it is written is not looked into.
  if (typeof (held as { readonly toJSON?: unknown }).toJSON === "function") return false
  for (const name of Object.keys(held)) if (isHidden((held as Record<string, unknown>)[name])) return true
  return false
}

const isHidden = (value: unknown): boolean =>
  typeof value === "number" ? !Number.isFinite(value) : typeof value === "object" && value !== null && hidesSomething(value)

/** An object or list of the input, and how it was come to. */
interface Held {
  readonly value: object
  readonly step: string | number
  readonly within: Held | undefined
}

const placeWithin = (held: Held, step: string | number): string => {
  const steps = [step]
  for (let at = held; at.within !== undefined; at = at.within) steps.push(at.step)
  return placeOf(steps.toReversed())
}

/**
 * What JSON writes as `null` and is none: a number that is not finite (a model's `1e400` is Infinity for `JSON.parse`), and
 * nothing at all in a list. It is refused, since the source would be sent another value than the model gave.
 */
const notWritten = (input: object): string | undefined => {
  const open: Array<Held> = [{ value: input, step: "", within: undefined }]
  for (let held = open.pop(); held !== undefined; held = open.pop()) {
    const isList = Array.isArray(held.value)
    if (isList) {
      const hole = (held.value as ReadonlyArray<unknown>).findIndex((_, at) => !(at in held.value))
      if (hole >= 0) return `${placeWithin(held, hole)}: nothing is there`
    }
    // Backwards, so that the first one is the first to be looked into.
    for (const [name, value] of Object.entries(held.value).toReversed()) {
      const step = isList ? Number(name) : name
      if (typeof value === "number" && !Number.isFinite(value)) return `${placeWithin(held, step)}: not a finite number`
      if (isList && (value === undefined || typeof value === "function" || typeof value === "symbol")) {
        return `${placeWithin(held, step)}: nothing is there`
      }
      // What says itself how it is written is not looked into.
      if (typeof value === "object" && value !== null && typeof (value as { readonly toJSON?: unknown }).toJSON !== "function") {
        open.push({ value, step, within: held })
      }
    }
  }
  return undefined
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
      const refusal = text.includes("null") && hidesSomething(input) ? notWritten(input) : undefined
      return refusal === undefined ? { text } : { refusal }
    }
  } catch {
    // As below.
  }
  return { refusal: "The input cannot be written as JSON: it holds itself, a bigint, or more levels than JSON text can have." }
}
