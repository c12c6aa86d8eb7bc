  // structuredClone
  const boxed = [booleanValue, numberValue, stringValue, bigIntValue]
  const clonable = (what) => new DOMException(what + " cannot be cloned", "DataCloneError")
  /** The errors that a clone is one of as well. */
  const faults = { __proto__: null, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError }
  const structuredClone = function(value, options = undefined) {
    if (arguments.length === 0) throw new TypeError("structuredClone takes a value")
    if (options?.transfer !== undefined && options.transfer.length > 0) throw clonable("What is transferred")
    const seen = new Map()
    const keep = (from, to) => {
      apply(mapSet, seen, [from, to])
      return to
    }
    const members = (from, to) => {
      const names = keys(from)
      for (let at = 0; at < names.length; at++) define(to, names[at], clone(from[names[at]]), true)
      return to
    }
    const buffer = (from) => apply(mapHas, seen, [from]) ? apply(mapGet, seen, [from]) : keep(from, apply(bufferSlice, from, [0]))
    const clone = (from) => {
      if (typeof from === "symbol") throw clonable(apply(symbolToString, from, []))
      if (typeof from === "function") throw clonable("A function")
      if (!isObject(from)) return from
      if (apply(mapHas, seen, [from])) return apply(mapGet, seen, [from])
      if (isArray(from)) {
        const to = keep(from, [])
        to.length = from.length
        return members(from, to)
      }
      const proto = getPrototypeOf(from)
      if (proto === objectPrototype || proto === null) return members(from, keep(from, {}))
      if (isDate(from)) return keep(from, new Date(apply(getTime, from, [])))
      if (isRegExp(from)) return keep(from, new RegExp(apply(regExpSource, from, []), apply(regExpFlags, from, [])))
      if (isMap(from)) {
        const to = keep(from, new Map())
        const pairs = []
        apply(mapEach, from, [(item, key) => push(pairs, [key, item])])
        for (let at = 0; at < pairs.length; at++) apply(mapSet, to, [clone(pairs[at][0]), clone(pairs[at][1])])
        return to
      }
      if (isSet(from)) {
        const to = keep(from, new Set())
        const items = []
        apply(setEach, from, [(item) => push(items, item)])
        for (let at = 0; at < items.length; at++) apply(setAdd, to, [clone(items[at])])
        return to
      }
      if (isBuffer(from)) return buffer(from)
      const name = apply(typedName, from, [])
      if (name !== undefined) {
        return keep(from, construct(typedArrays[name], [buffer(apply(typedBuffer, from, [])), apply(typedOffset, from, []), apply(typedLength, from, [])]))
      }
      if (isView(from)) return keep(from, new DataView(buffer(apply(viewBuffer, from, [])), apply(viewOffset, from, []), apply(viewBytes, from, [])))
      if (isError(from)) {
        const name = String(from.name)
        const to = keep(from, new (faults[name] ?? Error)(String(from.message)))
        define(to, "stack", from.stack)
        if (from.cause !== undefined) define(to, "cause", clone(from.cause))
        return to
      }
      for (let at = 0; at < boxed.length; at++) if (takes(boxed[at], from)) return keep(from, new Object_(apply(boxed[at], from, [])))
      if (takes(symbolValue, from)) throw clonable("A symbol")
      if (isPromise(from)) throw clonable("A promise")
      if (isClosed(from)) throw clonable(isIterator(from) ? "An iterator" : "A weak reference")
      return members(from, keep(from, {}))
    }
    return clone(value)
  }

  const crypto = freeze({ randomUUID: () => host.uuid() })
