/** What JSON is, of JavaScript's values: the one question about an answer that no text can settle. */
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"

/** The deepest nesting of an answer: what Effect's own encoders and `JSON.stringify` take without running out of stack. */
const maxDepth = 512

/** Whether an object is of no class: of this realm or another, its prototype is the last one. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Values that are known to be JSON all through: a source read them from a text that was found to be no more than that. */
const known = new WeakSet<object>()

/** Marks a value as JSON, so that nobody walks through it again. */
export const knownJson = <Value>(value: Value): Value => {
  if (typeof value === "object" && value !== null) known.add(value)
  return value
}

/**
 * Where a value stops being JSON, in words such as `items[3].when: a Date`; `undefined` when it is JSON all through.
 * A loop, since an answer may be nested deeper than the stack allows; each object is looked at once, however often it
 * is shared.
 */
export const notJson = (root: unknown): string | undefined =>
  typeof root === "object" && root !== null && known.has(root) ? undefined : notJsonNow(root)

/** The same of a value that somebody may have changed since it was marked. */
export const notJsonNow = (root: unknown): string | undefined => {
  try {
    return walk(root)
  } catch {
    return "a value that cannot be looked at"
  }
}

/**
 * A value as the JSON that is sent of it: members that are undefined are left out, and what says itself what it is as JSON, as a
 * date does, is that. None where something would be lost without a word: a number that is none, a function, a map.
 */
export const asJson = (value: unknown): Option.Option<Schema.Json> => {
  if (notJson(value) === undefined) return Option.some(value as Schema.Json)
  try {
    const json: unknown = JSON.parse(JSON.stringify(value, refuseLoss))
    return notJson(json) === undefined ? Option.some(json as Schema.Json) : Option.none()
  } catch {
    return Option.none()
  }
}

function refuseLoss(this: unknown, _key: string, value: unknown): unknown {
  const isLost = typeof value === "function" || typeof value === "symbol" || (typeof value === "number" && !Number.isFinite(value)) ||
    (value === undefined && Array.isArray(this)) ||
    (typeof value === "object" && value !== null && !Array.isArray(value) && !isPlain(value))
  if (isLost) throw new TypeError("no JSON")
  return value
}

/** The most values of an answer, each counted as often as it would be written. */
const maxValues = 10_000_000

interface Level {
  readonly value: object
  /** The names of an object's members; `undefined` for a list. */
  readonly keys: ReadonlyArray<string> | undefined
  readonly length: number
  at: number
  values: number
}

const walk = (root: unknown): string | undefined => {
  const open: Array<Level> = []
  /** How many values an object that was looked at holds; 0 while it is looked at. */
  const sizes = new Map<object, number>()
  let found: string | undefined
  const count = (values: number): void => {
    const top = open[open.length - 1]
    if (top === undefined) return
    top.values += values
    if (top.values > maxValues) found = `more than ${maxValues} values`
  }
  const enter = (value: unknown): void => {
    if (value === null || typeof value === "string" || typeof value === "boolean") return count(1)
    if (typeof value === "number") {
      if (!Number.isFinite(value)) found = String(value)
      return count(1)
    }
    if (typeof value !== "object") {
      found = value === undefined ? "undefined" : `a ${typeof value}`
      return
    }
    const size = sizes.get(value)
    if (size === 0) found = "an object that holds itself"
    else if (size !== undefined) count(size)
    else if (open.length >= maxDepth) found = `more than ${maxDepth} levels`
    else if (!Array.isArray(value) && !isPlain(value)) found = `a ${value.constructor?.name || "class instance"}`
    else {
      const keys = Array.isArray(value) ? undefined : Object.keys(value)
      sizes.set(value, 0)
      open.push({ value, keys, length: keys?.length ?? (value as ReadonlyArray<unknown>).length, at: 0, values: 1 })
    }
  }
  const place = (): string =>
    open.map(({ at, keys }) => keys === undefined ? `[${at - 1}]` : `.${keys[at - 1]}`).join("").replace(/^\./, "")

  enter(root)
  while (open.length > 0) {
    if (found !== undefined) break
    const top = open[open.length - 1]!
    if (top.at === top.length) {
      sizes.set(top.value, top.values)
      open.pop()
      count(top.values)
    } else {
      const at = top.at++
      enter(top.keys === undefined ? (top.value as ReadonlyArray<unknown>)[at] : (top.value as Record<string, unknown>)[top.keys[at]!])
    }
  }
  if (found === undefined) return undefined
  const at = place()
  return at === "" ? found : `${at}: ${found}`
}
