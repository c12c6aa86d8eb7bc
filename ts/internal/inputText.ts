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

/** An input as JSON text, or what is wrong with it, in words for the model. */
export const textOf = (input: unknown): { readonly text: string } | { readonly refusal: string } => {
  let text: string | undefined
  try {
    if (typeof input !== "object" || input === null || Array.isArray(input)) {
      return { refusal: `The input has to be an object, not ${nameOf(input)}.` }
    }
    text = JSON.stringify(input)
  } catch {
    text = undefined
  }
  return text === undefined
    ? { refusal: "The input cannot be written as JSON: it holds itself, a bigint, or more levels than JSON text can have." }
    : { text }
}
