/** What JSON is, of JavaScript's values: the one question about an answer that no text can settle. */

/** The deepest nesting of an answer: what Effect's own encoders and `JSON.stringify` take without running out of stack. */
const maxDepth = 512

/** Whether an object is of no class: of this realm or another, its prototype is the last one. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/**
 * Where a value stops being JSON, in words such as `items[3].when: a Date`; `undefined` when it is JSON all through.
 * A loop, since an answer may be nested deeper than the stack allows; each object is looked at once, however often it
 * is shared.
 */
export const notJson = (root: unknown): string | undefined => {
  try {
    return walk(root)
  } catch {
    return "a value that cannot be looked at"
  }
}

const walk = (root: unknown): string | undefined => {
  const open: Array<{ readonly value: object; readonly keys: ReadonlyArray<string>; at: number }> = []
  const state = new Map<object, "open" | "done">()
  let found: string | undefined
  const enter = (value: unknown): boolean => {
    switch (typeof value) {
      case "string":
      case "boolean":
        return true
      case "number":
        found = Number.isFinite(value) ? undefined : String(value)
        return found === undefined
      case "object":
        break
      default:
        found = value === undefined ? "undefined" : `a ${typeof value}`
        return false
    }
    if (value === null || state.get(value) === "done") return true
    if (state.get(value) === "open") found = "an object that holds itself"
    else if (open.length >= maxDepth) found = `more than ${maxDepth} levels`
    else if (!Array.isArray(value) && !isPlain(value)) found = `a ${value.constructor?.name || "class instance"}`
    else {
      state.set(value, "open")
      open.push({ value, keys: Array.isArray(value) ? Array.from(value.keys(), String) : Object.keys(value), at: 0 })
    }
    return found === undefined
  }
  const place = (): string =>
    open.map(({ at, keys, value }) => Array.isArray(value) ? `[${keys[at - 1]}]` : `.${keys[at - 1]}`).join("").replace(/^\./, "")

  if (!enter(root)) return found
  while (open.length > 0) {
    const top = open[open.length - 1]!
    if (top.at === top.keys.length) {
      state.set(top.value, "done")
      open.pop()
    } else {
      const child = (top.value as Record<string, unknown>)[top.keys[top.at++]!]
      if (!enter(child)) return `${place()}: ${found}`
    }
  }
  return undefined
}
