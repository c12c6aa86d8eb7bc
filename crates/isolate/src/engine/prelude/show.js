  // What is shown of a value, in a log or in words about an error.
  const most = { __proto__: null, depth: 8, items: 1000, text: limits.log }
  const show = (value, state, depth) => {
    switch (typeof value) {
      case "string": return quoted(value)
      case "bigint": return value + "n"
      case "symbol": return apply(symbolToString, value, [])
      case "function": {
        const name = getOwnPropertyDescriptor(value, "name")?.value
        return typeof name === "string" && name !== "" ? ("[function " + name + "]") : "[function]"
      }
      case "object": break
      default: return String(value)
    }
    if (value === null) return "null"
    if (apply(setHas, state.above, [value])) return "[circular]"
    if (depth > most.depth) return isArray(value) ? "[…]" : "{…}"
    const proto = getPrototypeOf(value)
    const isPlain = proto === objectPrototype || proto === null || isArray(value)
    if (!isPlain) {
      if (isFault(value)) return errorText(value)
      if (isDate(value)) return isNaN(apply(getTime, value, [])) ? "Invalid Date" : apply(toISOString, value, [])
      if (isRegExp(value)) return ("/" + apply(regExpSource, value, []) + "/" + apply(regExpFlags, value, []))
      if (isPromise(value)) return "[promise]"
      if (value === tools) return "[tools]"
      if (isIterator(value)) return "[iterator]"
      if (is(searchParamsPrototype, value)) return quoted(apply(searchParamsText, value, []))
      if (is(urlPrototype, value)) return quoted(part(value, 0))
    }
    apply(setAdd, state.above, [value])
    let text = ""
    let count = 0
    const part = (written) => {
      if (count > 0) text += ","
      text += written
      count++
      state.left -= written.length + 1
      return state.left > 0 && count < most.items
    }
    let left = 0
    if (isArray(value) || apply(typedName, value, []) !== undefined) {
      const length = isArray(value) ? value.length : apply(typedLength, value, [])
      let at = 0
      while (at < length && part(show(value[at], state, depth + 1))) at++
      left = length - count
      text = "[" + text + (left > 0 ? ", … " + left + " more" : "") + "]"
    } else if (!isPlain && isMap(value)) {
      const pairs = []
      apply(mapEach, value, [(item, key) => push(pairs, [key, item])])
      let at = 0
      while (at < pairs.length && part(show(pairs[at][0], state, depth + 1) + " => " + show(pairs[at][1], state, depth + 1))) at++
      left = pairs.length - count
      text = "Map {" + text + (left > 0 ? ", … " + left + " more" : "") + "}"
    } else if (!isPlain && isSet(value)) {
      const items = []
      apply(setEach, value, [(item) => push(items, item)])
      let at = 0
      while (at < items.length && part(show(items[at], state, depth + 1))) at++
      left = items.length - count
      text = "Set {" + text + (left > 0 ? ", … " + left + " more" : "") + "}"
    } else {
      const names = keys(value)
      let at = 0
      while (at < names.length && part(quoted(names[at]) + ":" + show(value[names[at]], state, depth + 1))) at++
      left = names.length - count
      text = "{" + text + (left > 0 ? ", … " + left + " more" : "") + "}"
    }
    apply(setDelete, state.above, [value])
    return text
  }
  const shown = (value) => {
    if (typeof value === "string") return value
    try {
      return show(value, { __proto__: null, above: new Set(), left: most.text }, 0)
    } catch (error) {
      if (isMemory(error)) throw error
      return "[cannot be shown]"
    }
  }
  /** Whether it is the engine's own error of its memory. Where there is none left for one, it is null. */
  const isMemory = (error) => error === null || (isError(error) && getOwnPropertyDescriptor(error, "message")?.value === "out of memory")
  /** A text of an error, as far as code lets it be read. */
  const read = (error, key, otherwise) => {
    try {
      const value = error[key]
      return value === undefined ? otherwise : typeof value === "string" ? value : shown(value)
    } catch (again) {
      if (isMemory(again)) throw again
      const own = getOwnPropertyDescriptor(error, key)?.value
      return typeof own === "string" ? own : otherwise
    }
  }
  const errorText = (error) => {
    const name = read(error, "name", "Error")
    const message = read(error, "message", "")
    const cause = getOwnPropertyDescriptor(error, "cause")?.value
    const because = isFault(cause) && cause !== error ? (" (cause: " + read(cause, "name", "Error") + ": " + read(cause, "message", "") + ")") : ""
    return (message === "" ? name : name === "" ? message : (name + ": " + message)) + because
  }
  /** As much as is told, and one more, so that it is seen to be cut. */
  const told = (text) => apply(toWellFormed, apply(slice, text, [0, limits.failure + 1]), [])
  /** What is wrong, and the stack it was at, as texts. */
  const describe = (error) => {
    try {
      if (!isFault(error)) return [told("The code threw " + shown(error)), ""]
      let inner = ""
      if (is(aggregateErrorPrototype, error) && isArray(error.errors)) {
        for (let at = 0; at < error.errors.length && at < 5; at++) inner += "\n- " + (isFault(error.errors[at]) ? errorText(error.errors[at]) : shown(error.errors[at]))
      }
      return [told(errorText(error) + inner), told(read(error, "stack", ""))]
    } catch (again) {
      if (isMemory(again)) throw again
      return ["The code threw an error that cannot be read", ""]
    }
  }
