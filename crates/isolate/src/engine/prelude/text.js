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
      if (apply(typedName, into, []) !== "Uint8Array") throw new TypeError("encodeInto takes a Uint8Array")
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
  const mostPiece = 2 ** 18
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
      const buffer = apply(typedBuffer, bytes, [])
      const end = apply(typedOffset, bytes, []) + apply(typedLength, bytes, [])
      let at = end - apply(typedLength, bytes, [])
      let text = ""
      // In pieces, since what the host makes of one is not counted as the code's memory.
      for (let isLast = false; !isLast;) {
        isLast = end - at <= mostPiece
        const piece = new Uint8Array(buffer, at, isLast ? end - at : mostPiece)
        const decoded = host.decode(piece, this.#fatal, isMore || !isLast)
        if (decoded === undefined) {
          this.#isStart = true
          throw new TypeError("What is decoded is not UTF-8")
        }
        text += decoded[0]
        at += apply(typedLength, piece, []) - decoded[1]
      }
      if (at < end) this.#rest = new Uint8Array(apply(bufferSlice, buffer, [at, end]))
      if (this.#isStart && text !== "") {
        if (!this.#ignoreBOM && text[0] === "\ufeff") text = apply(slice, text, [1])
        this.#isStart = false
      }
      if (!isMore) this.#isStart = true
      return text
    }
  }
