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
