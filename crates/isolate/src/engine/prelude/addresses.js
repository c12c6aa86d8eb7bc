  // Addresses
  const wellFormed = (value) => apply(toWellFormed, String(value), [])
  /** What is read and written outside of the engine is not counted as the code's memory, so it is bounded by itself. */
  const mostText = 2 ** 20
  const bounded = (length) => {
    if (length > mostText) throw new RangeError("An address or a form may have " + mostText + " characters here, not " + length)
  }
  const readUrl = (address, base) => {
    bounded(address.length + (base === undefined ? 0 : base.length))
    return host.readUrl(address, base)
  }
  const writeUrl = (href, part, value) => {
    bounded(href.length + value.length)
    return host.writeUrl(href, part, value)
  }
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
      bounded(text.length)
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
      let length = 0
      for (let at = 0; at < this.#pairs.length; at++) {
        bounded(length += this.#pairs[at][0].length + this.#pairs[at][1].length + 2)
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
      this.#parts = readUrl(given, base === undefined ? undefined : wellFormed(base))
      if (this.#parts === undefined) throw new TypeError(quoted(given) + " is not a URL" + (base === undefined ? "" : " on " + quoted(wellFormed(base))))
    }
    static canParse(address, base = undefined) {
      return readUrl(wellFormed(address), base === undefined ? undefined : wellFormed(base)) !== undefined
    }
    static parse(address, base = undefined) {
      return URL.canParse(address, base) ? new URL(address, base) : null
    }
    static part(url, at) {
      return url.#parts[at]
    }
    static change(url, at, value) {
      const changed = writeUrl(url.#parts[0], parts[at], wellFormed(value))
      if (changed === undefined) {
        if (at === 0) throw new TypeError(quoted(wellFormed(value)) + " is not a URL")
        return
      }
      url.#parts = changed
      if (url.#params !== undefined) url.#follow()
    }
    #follow() {
      follow(this.#params, this.#parts[9], (text) => {
        this.#parts = writeUrl(this.#parts[0], "search", text) ?? this.#parts
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
  const searchParamsPrototype = URLSearchParams.prototype
  const searchParamsText = searchParamsPrototype.toString
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
