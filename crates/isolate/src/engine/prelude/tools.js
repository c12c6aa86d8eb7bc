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
  /** Why a value is not what it seems once it is JSON: a promise, a map, a set or an error in it would become {}. */
  const lost = (value, path, state) => {
    if (!isObject(value) || state.left-- < 0 || path.length > 300) return undefined
    if (isArray(value)) {
      for (let at = 0; at < value.length; at++) {
        const found = lost(value[at], path + "[" + at + "]", state)
        if (found !== undefined) return found
      }
      return undefined
    }
    // It says itself what it becomes.
    if (typeof value.toJSON === "function") return undefined
    const proto = getPrototypeOf(value)
    if (proto !== objectPrototype && proto !== null) {
      if (isPromise(value)) return path + " is a promise: await it"
      if (isMap(value)) return path + " is a Map: make an object of it with Object.fromEntries"
      if (isSet(value)) return path + " is a Set: make a list of it with [...set]"
      if (isIterator(value)) return path + " is an iterator: make a list of it with [...iterator]"
      if (is(searchParamsPrototype, value)) return path + " is URLSearchParams: make an object of it with Object.fromEntries"
      // Numbers of a list of bytes are many, and none of them is lost.
      if (apply(typedName, value, []) !== undefined) return undefined
      if (isFault(value)) return path + " is an error: take its message"
    }
    const names = keys(value)
    for (let at = 0; at < names.length; at++) {
      const descriptor = getOwnPropertyDescriptor(value, names[at])
      const found = isObject(descriptor?.value) ? lost(descriptor.value, path + "." + names[at], state) : undefined
      if (found !== undefined) return found
    }
    return undefined
  }
  const callTool = (tool, input) => {
    const found = lost(input, "input", { __proto__: null, left: 10_000 })
    if (found !== undefined) throw new TypeError("The input of " + toolName(tool) + " is not JSON: " + found)
    let text
    try {
      text = input === undefined ? "null" : stringify(input)
    } catch (error) {
      if (isMemory(error)) throw error
      throw new TypeError("The input of " + toolName(tool) + " is not JSON: " + (isError(error) ? error.message : shown(error)))
    }
    if (text === undefined) throw new TypeError("The input of " + toolName(tool) + " is not JSON: " + (isObject(input) ? "its toJSON gives nothing" : "it is a " + (typeof input)))
    if (text.length > limits.input) {
      throw new RangeError("The input of " + toolName(tool) + " is " + text.length + " characters of JSON, more than the " + limits.input + " that a tool call may have")
    }
    // An answer comes from nowhere in the code: where it was asked for is where its failure is. What writes the input or the
    // stack may be the code's own, and call tools, which come first then.
    const stack = apply(stackOf, new Error(), [])
    if (calls >= limits.calls) throw new RangeError("A run may make " + limits.calls + " tool calls, and this is one more")
    const id = calls++
    return new Promise((resolve, reject) => {
      pending[id] = { __proto__: null, resolve, reject, tool, stack, input: text }
      if (flying < limits.concurrent) send(id)
      else queue[next++] = id
    })
  }
  const toolName = (tool) => ("tools[" + quoted(names[tool]) + "]")
  /** A tool's failure is JSON, since code keeps what failed beside what did not, as Promise.allSettled has it. */
  const { failureToJSON } = { failureToJSON() {
    return { name: this.name, message: this.message, code: this.code }
  } }
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
    define(error, "toJSON", failureToJSON)
    reject(error)
  }
  /** The tools whose calls nobody has answered, each with how many they are. */
  const unsettled = () => {
    const counts = create(null)
    const ids = keys(pending)
    for (let at = 0; at < ids.length; at++) {
      const name = names[pending[ids[at]].tool]
      counts[name] = (counts[name] ?? 0) + 1
    }
    const called = keys(counts)
    let text = ""
    for (let at = 0; at < called.length && at < 20; at++) {
      const name = called[at]
      text += (at === 0 ? "" : ", ") + quoted(name.length > 64 ? apply(slice, name, [0, 64]) + "…" : name)
      if (counts[name] > 1) text += " (" + counts[name] + " times)"
    }
    return called.length > 20 ? text + ", … " + (called.length - 20) + " more" : text
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
