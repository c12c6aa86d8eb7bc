// What code finds beside the language: tools, console, and a few functions of the web. It runs before the code, and keeps what
// it needs of the language for itself, so that code which replaces Array.prototype.map or Promise.prototype.then harms
// nobody but itself. Hence no spread, no destructuring of lists, no method that code could have replaced, and no template,
// which the engine makes of String.prototype.concat.
(host, limits) => {
  "use strict"

  // What is kept.
  const { apply, construct, defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect
  const { create, freeze, keys } = Object
  const { isArray } = Array
  const { parse, stringify } = JSON
  const { isNaN } = Number
  const AggregateError = globalThis.AggregateError
  const ArrayBuffer = globalThis.ArrayBuffer
  const DOMException = globalThis.DOMException
  const DataView = globalThis.DataView
  const Date = globalThis.Date
  const Error = globalThis.Error
  const Map = globalThis.Map
  const Object_ = globalThis.Object
  const Promise = globalThis.Promise
  const Proxy = globalThis.Proxy
  const RangeError = globalThis.RangeError
  const RegExp = globalThis.RegExp
  const Set = globalThis.Set
  const String = globalThis.String
  const TypeError = globalThis.TypeError
  const Uint8Array = globalThis.Uint8Array
  const iterator = Symbol.iterator
  const objectPrototype = Object.prototype
  const then = Promise.prototype.then
  const getter = (object, key) => getOwnPropertyDescriptor(object, key).get
  const stackOf = getter(Error.prototype, "stack")
  const slice = String.prototype.slice
  const trim = String.prototype.trim
  const toLowerCase = String.prototype.toLowerCase
  const toWellFormed = String.prototype.toWellFormed
  const toISOString = Date.prototype.toISOString
  const getTime = Date.prototype.getTime
  const mapEach = Map.prototype.forEach
  const mapGet = Map.prototype.get
  const mapHas = Map.prototype.has
  const mapSet = Map.prototype.set
  const mapSize = getter(Map.prototype, "size")
  const setAdd = Set.prototype.add
  const setEach = Set.prototype.forEach
  const setHas = Set.prototype.has
  const setDelete = Set.prototype.delete
  const setSize = getter(Set.prototype, "size")
  const regExpSource = getter(RegExp.prototype, "source")
  const regExpFlags = getter(RegExp.prototype, "flags")
  const symbolToString = Symbol.prototype.toString
  const booleanValue = Boolean.prototype.valueOf
  const numberValue = Number.prototype.valueOf
  const stringValue = String.prototype.valueOf
  const bufferLength = getter(ArrayBuffer.prototype, "byteLength")
  const bufferSlice = ArrayBuffer.prototype.slice
  const typedArray = getPrototypeOf(Uint8Array)
  const typedName = getter(typedArray.prototype, Symbol.toStringTag)
  const typedBuffer = getter(typedArray.prototype, "buffer")
  const typedOffset = getter(typedArray.prototype, "byteOffset")
  const typedBytes = getter(typedArray.prototype, "byteLength")
  const typedLength = getter(typedArray.prototype, "length")
  const typedSet = typedArray.prototype.set
  const viewBuffer = getter(DataView.prototype, "buffer")
  const viewOffset = getter(DataView.prototype, "byteOffset")
  const viewBytes = getter(DataView.prototype, "byteLength")
  const isPrototypeOf = objectPrototype.isPrototypeOf
  /** What instanceof says, without asking the class, which code may have changed. */
  const is = (kind, value) => apply(isPrototypeOf, kind, [value])
  const promisePrototype = Promise.prototype
  const regExpPrototype = RegExp.prototype
  const aggregateErrorPrototype = AggregateError.prototype
  const { isError } = Error
  const typedArrays = create(null)
  for (const name of ownKeys(globalThis)) if (typeof name === "string" && /^(?:Big)?(?:Ui|I|Fl).*Array$/.test(name)) typedArrays[name] = globalThis[name]

  /** Adds to a list, whatever its prototype has become. */
  const push = (list, value) => {
    defineProperty(list, list.length, { __proto__: null, value, writable: true, enumerable: true, configurable: true })
  }
  const define = (object, key, value, enumerable = false) => {
    defineProperty(object, key, { __proto__: null, value, writable: true, enumerable, configurable: true })
  }
  const quoted = (text) => stringify(text)
  const isObject = (value) => typeof value === "object" && value !== null
  /** Whether a method of a class takes the value, which none does that is not of it. */
  const takes = (method, value) => {
    try {
      apply(method, value, [])
      return true
    } catch {
      return false
    }
  }
  const isMap = (value) => takes(mapSize, value)
  const isSet = (value) => takes(setSize, value)
  const isDate = (value) => takes(getTime, value)
  const isBuffer = (value) => takes(bufferLength, value)
  const isView = (value) => takes(viewBytes, value)
  const isPromise = (value) => is(promisePrototype, value)
  const isRegExp = (value) => is(regExpPrototype, value) && takes(regExpSource, value)

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
      if (isError(value)) return errorText(value)
      if (isDate(value)) return isNaN(apply(getTime, value, [])) ? "Invalid Date" : apply(toISOString, value, [])
      if (isRegExp(value)) return ("/" + apply(regExpSource, value, []) + "/" + apply(regExpFlags, value, []))
      if (isPromise(value)) return "[promise]"
      if (value === tools) return "[tools]"
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
    const because = isError(cause) && cause !== error ? (" (cause: " + read(cause, "name", "Error") + ": " + read(cause, "message", "") + ")") : ""
    return (message === "" ? name : name === "" ? message : (name + ": " + message)) + because
  }
  /** What is wrong, and the stack it was at, as texts. */
  const describe = (error) => {
    try {
      if (!isError(error)) return [apply(toWellFormed, "The code threw " + shown(error), []), ""]
      let inner = ""
      if (is(aggregateErrorPrototype, error) && isArray(error.errors)) {
        for (let at = 0; at < error.errors.length && at < 5; at++) inner += "\n- " + (isError(error.errors[at]) ? errorText(error.errors[at]) : shown(error.errors[at]))
      }
      return [apply(toWellFormed, errorText(error) + inner, []), apply(toWellFormed, read(error, "stack", ""), [])]
    } catch (again) {
      if (isMemory(again)) throw again
      return ["The code threw an error that cannot be read", ""]
    }
  }

  // Tools. Calls beyond what may be under way wait here, where their inputs count as the code's memory.
  const pending = create(null)
  const queue = create(null)
  let first = 0
  let next = 0
  let calls = 0
  let flying = 0
  let names = []
  const places = create(null)
  const send = (id) => {
    flying++
    const { input, tool } = pending[id]
    pending[id].input = undefined
    host.call(id, tool, input)
  }
  const callTool = (tool, input) => {
    if (calls >= limits.calls) throw new RangeError("A run may make " + limits.calls + " tool calls, and this is one more")
    let text
    try {
      text = input === undefined ? "null" : stringify(input)
    } catch (error) {
      if (isMemory(error)) throw error
      throw new TypeError("The input of " + toolName(tool) + " is not JSON: " + (isError(error) ? error.message : shown(error)))
    }
    if (text === undefined) throw new TypeError("The input of " + toolName(tool) + " is not JSON: it is a " + (typeof input))
    if (text.length > limits.input) {
      throw new RangeError("The input of " + toolName(tool) + " is " + text.length + " characters of JSON, more than the " + limits.input + " that a tool call may have")
    }
    const id = calls++
    // An answer comes from nowhere in the code: where it was asked for is where its failure is.
    const stack = apply(stackOf, new Error(), [])
    return new Promise((resolve, reject) => {
      pending[id] = { __proto__: null, resolve, reject, tool, stack, input: text }
      if (flying < limits.concurrent) send(id)
      else queue[next++] = id
    })
  }
  const toolName = (tool) => ("tools[" + quoted(names[tool]) + "]")
  const settle = (id, isOk, text) => {
    const { reject, resolve, stack, tool } = pending[id]
    delete pending[id]
    flying--
    if (first < next) {
      const id = queue[first]
      delete queue[first++]
      send(id)
    }
    let value
    try {
      value = parse(text)
    } catch (error) {
      return reject(error)
    }
    if (isOk) return resolve(value)
    const error = new Error(String(value.message))
    define(error, "name", "ToolError")
    define(error, "stack", stack)
    define(error, "tool", names[tool])
    define(error, "code", value.code)
    define(error, "retryable", value.retryable)
    reject(error)
  }
  /** The tools whose calls nobody has answered. */
  const unsettled = () => {
    const left = []
    const ids = keys(pending)
    for (let at = 0; at < ids.length; at++) push(left, names[pending[ids[at]].tool])
    return stringify(left)
  }
  const functions = create(null)
  const functionOf = (name) => {
    if (functions[name] !== undefined) return functions[name]
    const { tool } = {
      tool(input) {
        try {
          return callTool(places[name], input)
        } catch (error) {
          return new Promise((_, reject) => reject(error))
        }
      }
    }
    define(tool, "name", name)
    return functions[name] = tool
  }
  const some = () => {
    let text = ""
    for (let at = 0; at < names.length && at < 20; at++) text += (at === 0 ? "" : ", ") + names[at]
    return names.length > 20 ? text + ", … " + (names.length - 20) + " more" : text === "" ? "none" : text
  }
  const readOnly = () => {
    throw new TypeError("tools cannot be changed")
  }
  const tools = new Proxy(create(null), freeze({
    __proto__: null,
    get: (_, name) => {
      if (typeof name !== "string") return undefined
      if (places[name] !== undefined) return functionOf(name)
      // Asked of every value that is awaited, or written as JSON or text.
      if (name === "then" || name === "toJSON" || name === "toString" || name === "valueOf" || name === "constructor") return undefined
      throw new TypeError("There is no tool " + quoted(name) + ". The tools: " + some())
    },
    has: (_, name) => typeof name === "string" && places[name] !== undefined,
    ownKeys: () => keys(places),
    getOwnPropertyDescriptor: (_, name) =>
      typeof name === "string" && places[name] !== undefined
        ? { __proto__: null, value: functionOf(name), writable: true, enumerable: true, configurable: true }
        : undefined,
    getPrototypeOf: () => null,
    setPrototypeOf: readOnly,
    set: readOnly,
    defineProperty: readOnly,
    deleteProperty: readOnly,
    preventExtensions: readOnly
  }))

  // console
  let indent = ""
  const line = (start, values) => {
    let text = indent + start
    for (let at = 0; at < values.length; at++) text += (at === 0 ? "" : " ") + shown(values[at])
    host.log(apply(toWellFormed, text.length > limits.log ? apply(slice, text, [0, limits.log + 1]) : text, []))
  }
  const counts = create(null)
  const starts = create(null)
  const label = (given) => given === undefined ? "default" : String(given)
  const console = {
    log: (...values) => line("", values),
    info: (...values) => line("", values),
    debug: (...values) => line("", values),
    warn: (...values) => line("[warn] ", values),
    error: (...values) => line("[error] ", values),
    trace: (...values) => line("[trace] ", values),
    dir: (value) => line("", [value]),
    table: (value) => line("", [value]),
    assert: (condition, ...values) => condition ? undefined : line("[assertion failed] ", values),
    count: (given) => line("", [(label(given) + ": " + (counts[label(given)] = (counts[label(given)] ?? 0) + 1))]),
    group: (...values) => {
      if (values.length > 0) line("", values)
      if (indent.length < 40) indent += "  "
    },
    groupEnd: () => {
      indent = apply(slice, indent, [2])
    },
    time: (given) => {
      starts[label(given)] = Date.now()
    },
    timeEnd: (given) => {
      if (starts[label(given)] !== undefined) line("", [(label(given) + ": " + (Date.now() - starts[label(given)]) + " ms")])
    }
  }

  // Timers
  const timers = create(null)
  let timer = 0
  let waiting = 0
  const setTimeout = (callback, delay, ...args) => {
    if (typeof callback !== "function") throw new TypeError("setTimeout takes a function: code cannot be made from text here")
    if (waiting >= 1000) throw new RangeError("A run may have 1000 timers at once, and this is one more")
    let after = +delay
    if (!(after > 0)) after = 0
    if (after > limits.wall) throw new RangeError("setTimeout of " + after + " ms is more than the " + limits.wall + " ms that a run may take")
    const id = ++timer
    timers[id] = { __proto__: null, callback, args }
    waiting++
    host.timer(id, after)
    return id
  }
  const clearTimeout = (id) => {
    if (typeof id !== "number" || timers[id] === undefined) return
    delete timers[id]
    waiting--
    host.clear(id)
  }
  const fire = (id) => {
    const timer = timers[id]
    if (timer === undefined) return
    delete timers[id]
    waiting--
    apply(timer.callback, undefined, timer.args)
  }

  // Text
  const bytesOf = (value) => {
    if (value === undefined) return new Uint8Array(0)
    if (isObject(value)) {
      if (apply(typedName, value, []) !== undefined) {
        return new Uint8Array(apply(typedBuffer, value, []), apply(typedOffset, value, []), apply(typedBytes, value, []))
      }
      if (isBuffer(value)) return new Uint8Array(value)
      if (isView(value)) return new Uint8Array(apply(viewBuffer, value, []), apply(viewOffset, value, []), apply(viewBytes, value, []))
    }
    throw new TypeError("What is decoded has to be an ArrayBuffer or a view of one")
  }
  class TextEncoder {
    get encoding() {
      return "utf-8"
    }
    encode(text = "") {
      return host.encode(apply(toWellFormed, String(text), []))
    }
    encodeInto(text, into) {
      const bytes = bytesOf(into)
      const source = apply(toWellFormed, String(text), [])
      const encoded = host.encode(source)
      const fits = apply(typedLength, encoded, []) <= apply(typedLength, bytes, [])
      const whole = fits ? encoded : host.encodeUpTo(source, apply(typedLength, bytes, []))
      apply(typedSet, bytes, [whole])
      const written = apply(typedLength, whole, [])
      return { read: fits ? source.length : host.decode(whole, false, false)[0].length, written }
    }
  }
  class TextDecoder {
    #fatal
    #ignoreBOM
    #rest = new Uint8Array(0)
    #isStart = true
    constructor(label = "utf-8", options = undefined) {
      const name = apply(toLowerCase, apply(trim, String(label), []), [])
      if (name !== "utf-8" && name !== "utf8" && name !== "unicode-1-1-utf-8") {
        throw new RangeError("TextDecoder knows utf-8 alone here, not " + quoted(String(label)))
      }
      this.#fatal = !!options?.fatal
      this.#ignoreBOM = !!options?.ignoreBOM
    }
    get encoding() {
      return "utf-8"
    }
    get fatal() {
      return this.#fatal
    }
    get ignoreBOM() {
      return this.#ignoreBOM
    }
    decode(input = undefined, options = undefined) {
      const isMore = !!options?.stream
      let bytes = bytesOf(input)
      const kept = apply(typedLength, this.#rest, [])
      if (kept > 0) {
        const joined = new Uint8Array(kept + apply(typedLength, bytes, []))
        apply(typedSet, joined, [this.#rest])
        apply(typedSet, joined, [bytes, kept])
        bytes = joined
      }
      this.#rest = new Uint8Array(0)
      const decoded = host.decode(bytes, this.#fatal, isMore)
      if (decoded === undefined) {
        this.#isStart = true
        throw new TypeError("What is decoded is not UTF-8")
      }
      let text = decoded[0]
      if (isMore && decoded[1] > 0) {
        const length = apply(typedLength, bytes, [])
        this.#rest = new Uint8Array(apply(bufferSlice, apply(typedBuffer, bytes, []), [
          apply(typedOffset, bytes, []) + length - decoded[1],
          apply(typedOffset, bytes, []) + length
        ]))
      }
      if (this.#isStart && text !== "") {
        if (!this.#ignoreBOM && text[0] === "\ufeff") text = apply(slice, text, [1])
        this.#isStart = false
      }
      if (!isMore) this.#isStart = true
      return text
    }
  }

  // Addresses
  const wellFormed = (value) => apply(toWellFormed, String(value), [])
  class URLSearchParams {
    #pairs = []
    #changed = undefined
    constructor(init = "") {
      if (typeof init === "function" && init === follow) return
      if (isObject(init)) {
        const method = init[iterator]
        if (typeof method === "function") {
          for (const pair of init) {
            if (!isObject(pair) || typeof pair[iterator] !== "function") throw new TypeError("URLSearchParams takes pairs of a name and a value")
            const entry = []
            for (const item of pair) push(entry, wellFormed(item))
            if (entry.length !== 2) throw new TypeError("URLSearchParams takes pairs of a name and a value")
            push(this.#pairs, entry)
          }
        } else {
          const names = ownKeys(init)
          for (let at = 0; at < names.length; at++) {
            if (getOwnPropertyDescriptor(init, names[at])?.enumerable) push(this.#pairs, [wellFormed(names[at]), wellFormed(init[names[at]])])
          }
        }
      } else {
        this.#read(wellFormed(init))
      }
    }
    #read(text) {
      const flat = host.readForm(text[0] === "?" ? apply(slice, text, [1]) : text)
      this.#pairs = []
      for (let at = 0; at < flat.length; at += 2) push(this.#pairs, [flat[at], flat[at + 1]])
    }
    #keep(pairs) {
      this.#pairs = pairs
      if (this.#changed !== undefined) this.#changed(this.toString())
    }
    static follow(params, text, changed) {
      params.#read(text)
      params.#changed = changed
    }
    get size() {
      return this.#pairs.length
    }
    append(name, value) {
      push(this.#pairs, [wellFormed(name), wellFormed(value)])
      this.#keep(this.#pairs)
    }
    #filter(keeps) {
      const kept = []
      for (let at = 0; at < this.#pairs.length; at++) if (keeps(this.#pairs[at])) push(kept, this.#pairs[at])
      return kept
    }
    delete(name, value = undefined) {
      const key = wellFormed(name)
      const item = value === undefined ? undefined : wellFormed(value)
      this.#keep(this.#filter((pair) => pair[0] !== key || (item !== undefined && pair[1] !== item)))
    }
    get(name) {
      const key = wellFormed(name)
      for (let at = 0; at < this.#pairs.length; at++) if (this.#pairs[at][0] === key) return this.#pairs[at][1]
      return null
    }
    getAll(name) {
      const key = wellFormed(name)
      const values = []
      for (let at = 0; at < this.#pairs.length; at++) if (this.#pairs[at][0] === key) push(values, this.#pairs[at][1])
      return values
    }
    has(name, value = undefined) {
      const key = wellFormed(name)
      return this.#filter((pair) => pair[0] === key && (value === undefined || pair[1] === wellFormed(value))).length > 0
    }
    set(name, value) {
      const key = wellFormed(name)
      const text = wellFormed(value)
      let isSet = false
      const kept = this.#filter((pair) => {
        if (pair[0] !== key) return true
        if (isSet) return false
        pair[1] = text
        return isSet = true
      })
      if (!isSet) push(kept, [key, text])
      this.#keep(kept)
    }
    sort() {
      // Stable, and by UTF-16 units.
      const sorted = this.#filter(() => true)
      for (let at = 1; at < sorted.length; at++) {
        const pair = sorted[at]
        let to = at
        while (to > 0 && sorted[to - 1][0] > pair[0]) sorted[to] = sorted[--to]
        sorted[to] = pair
      }
      this.#keep(sorted)
    }
    forEach(callback, self = undefined) {
      for (let at = 0; at < this.#pairs.length; at++) apply(callback, self, [this.#pairs[at][1], this.#pairs[at][0], this])
    }
    *entries() {
      for (let at = 0; at < this.#pairs.length; at++) yield [this.#pairs[at][0], this.#pairs[at][1]]
    }
    *keys() {
      for (let at = 0; at < this.#pairs.length; at++) yield this.#pairs[at][0]
    }
    *values() {
      for (let at = 0; at < this.#pairs.length; at++) yield this.#pairs[at][1]
    }
    [iterator]() {
      return this.entries()
    }
    toString() {
      const flat = []
      for (let at = 0; at < this.#pairs.length; at++) {
        push(flat, this.#pairs[at][0])
        push(flat, this.#pairs[at][1])
      }
      return host.writeForm(flat)
    }
    get [Symbol.toStringTag]() {
      return "URLSearchParams"
    }
  }
  const follow = URLSearchParams.follow
  delete URLSearchParams.follow
  const parts = ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"]
  class URL {
    #parts
    #params = undefined
    constructor(address, base = undefined) {
      const given = wellFormed(address)
      this.#parts = host.readUrl(given, base === undefined ? undefined : wellFormed(base))
      if (this.#parts === undefined) throw new TypeError(quoted(given) + " is not a URL" + (base === undefined ? "" : " on " + quoted(wellFormed(base))))
    }
    static canParse(address, base = undefined) {
      return host.readUrl(wellFormed(address), base === undefined ? undefined : wellFormed(base)) !== undefined
    }
    static parse(address, base = undefined) {
      return URL.canParse(address, base) ? new URL(address, base) : null
    }
    static part(url, at) {
      return url.#parts[at]
    }
    static change(url, at, value) {
      const changed = host.writeUrl(url.#parts[0], parts[at], wellFormed(value))
      if (changed === undefined) {
        if (at === 0) throw new TypeError(quoted(wellFormed(value)) + " is not a URL")
        return
      }
      url.#parts = changed
      if (url.#params !== undefined) url.#follow()
    }
    #follow() {
      follow(this.#params, this.#parts[9], (text) => {
        this.#parts = host.writeUrl(this.#parts[0], "search", text) ?? this.#parts
      })
    }
    get searchParams() {
      if (this.#params === undefined) {
        this.#params = new URLSearchParams(follow)
        this.#follow()
      }
      return this.#params
    }
    toString() {
      return this.#parts[0]
    }
    toJSON() {
      return this.#parts[0]
    }
    get [Symbol.toStringTag]() {
      return "URL"
    }
  }
  const { change, part } = URL
  const urlPrototype = URL.prototype
  delete URL.change
  delete URL.part
  for (let at = 0; at < parts.length; at++) {
    defineProperty(URL.prototype, parts[at], {
      __proto__: null,
      enumerable: true,
      configurable: true,
      get() {
        return part(this, at)
      },
      set: parts[at] === "origin" ? undefined : function(value) {
        change(this, at, value)
      }
    })
  }

  // structuredClone
  const clonable = (what) => new DOMException(what + " cannot be cloned", "DataCloneError")
  const structuredClone = (value, options = undefined) => {
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
        const to = keep(from, new Error(String(from.message)))
        define(to, "name", String(from.name))
        define(to, "stack", from.stack)
        if (from.cause !== undefined) define(to, "cause", clone(from.cause))
        return to
      }
      if (takes(booleanValue, from) || takes(numberValue, from) || takes(stringValue, from)) return keep(from, new Object_(from.valueOf()))
      if (isPromise(from)) throw clonable("A promise")
      return members(from, keep(from, {}))
    }
    return clone(value)
  }

  const crypto = freeze({ randomUUID: () => host.uuid() })

  // What is left of the global object: the language, and what is made above.
  const language = new Set([
    "AggregateError", "Array", "ArrayBuffer", "AsyncIterator", "BigInt", "BigInt64Array", "BigUint64Array", "Boolean", "DOMException", "DataView", "Date", "Error",
    "EvalError", "FinalizationRegistry", "Float16Array", "Float32Array", "Float64Array", "Infinity", "Int16Array", "Int32Array", "Int8Array",
    "InternalError", "Iterator", "JSON", "Map", "Math", "NaN", "Number", "Object", "Promise", "Proxy", "RangeError", "ReferenceError",
    "Reflect", "RegExp", "Set", "String", "Symbol", "SyntaxError", "TypeError", "URIError", "Uint16Array", "Uint32Array", "Uint8Array",
    "Uint8ClampedArray", "WeakMap", "WeakRef", "WeakSet", "atob", "btoa", "decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent", "escape",
    "globalThis", "isFinite", "isNaN", "parseFloat", "parseInt", "queueMicrotask", "undefined", "unescape"
  ])
  for (const name of ownKeys(globalThis)) if (typeof name === "string" && !language.has(name)) deleteProperty(globalThis, name)

  // No code is made from text: each kind of function finds in the place of its constructor one that refuses.
  const kinds = [function() {}, async function() {}, function*() {}, async function*() {}]
  for (const kind of kinds) {
    const proto = getPrototypeOf(kind)
    const refusing = { Function: function() {
      throw new TypeError("Code cannot be made from text here")
    } }.Function
    defineProperty(refusing, "prototype", { __proto__: null, value: proto, writable: false, enumerable: false, configurable: false })
    define(proto, "constructor", refusing)
    if (kind === kinds[0]) define(globalThis, "Function", refusing)
  }

  for (const [name, value] of Object.entries({ URL, URLSearchParams, TextEncoder, TextDecoder, setTimeout, clearTimeout, structuredClone, crypto })) {
    define(globalThis, name, value)
  }
  define(globalThis, "tools", tools)
  define(globalThis, "console", console)

  // The run.
  /** Why a value is not what it seems once it is JSON: a promise, a map or a set in it would become {}. */
  const lost = (value, path, state) => {
    if (!isObject(value) || state.left-- < 0 || path.length > 300) return undefined
    if (isArray(value)) {
      for (let at = 0; at < value.length; at++) {
        const found = lost(value[at], path + "[" + at + "]", state)
        if (found !== undefined) return found
      }
      return undefined
    }
    const proto = getPrototypeOf(value)
    if (proto !== objectPrototype && proto !== null) {
      if (isPromise(value)) return path + " is a promise: await it"
      if (isMap(value)) return path + " is a Map: make an object of it with Object.fromEntries"
      if (isSet(value)) return path + " is a Set: make a list of it with [...set]"
      return undefined
    }
    const names = keys(value)
    for (let at = 0; at < names.length; at++) {
      const descriptor = getOwnPropertyDescriptor(value, names[at])
      const found = isObject(descriptor?.value) ? lost(descriptor.value, path + "." + names[at], state) : undefined
      if (found !== undefined) return found
    }
    return undefined
  }
  const textOf = (value) => {
    if (value === undefined) return "null"
    if (typeof value === "function" || typeof value === "symbol") throw new TypeError("The code returned a " + (typeof value) + ", which is not JSON")
    const found = lost(value, "result", { __proto__: null, left: 10_000 })
    if (found !== undefined) throw new TypeError("The code returned something that is not JSON: " + found)
    let text
    try {
      text = stringify(value)
    } catch (error) {
      if (isMemory(error)) throw error
      throw new TypeError("The code returned something that is not JSON: " + (isError(error) ? error.message : shown(error)))
    }
    if (text === undefined) return "null"
    if (text.length > limits.result) {
      throw new RangeError("The result is " + text.length + " characters of JSON, more than the " + limits.result + " that can be returned. Return less.")
    }
    return text
  }
  const start = (run, list) => {
    names = parse(list)
    for (let at = 0; at < names.length; at++) places[names[at]] = at
    const failed = (error) => {
      const described = describe(error)
      host.failed(described[0], described[1])
    }
    apply(then, apply(run, undefined, []), [(value) => {
      let text
      try {
        text = textOf(value)
      } catch (error) {
        return failed(error)
      }
      host.returned(text)
    }, failed])
  }
  return { start, settle, fire, describe, unsettled }
}
