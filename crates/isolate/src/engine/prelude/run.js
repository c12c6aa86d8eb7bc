  // What the engine has beside the language. A test has the names of all that is left.
  const beside = ["AsyncDisposableStack", "Atomics", "DisposableStack", "SharedArrayBuffer", "SuppressedError", "eval", "performance"]
  for (let at = 0; at < beside.length; at++) deleteProperty(globalThis, beside[at])

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
  // Whoever writes a stack is given the places of it, and with them the functions, the prelude's among them. Those stay here.
  let sites
  Error.prepareStackTrace = (_, given) => sites = given
  new Error().stack
  Error.prepareStackTrace = undefined
  for (const name of ["getFunction", "getThis"]) deleteProperty(getPrototypeOf(sites[0]), name)

  return { start, settle, fire, describe, unsettled }
}
