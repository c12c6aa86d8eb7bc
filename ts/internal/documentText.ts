/** A document as text or bytes, as reading takes it. */

/** Text of more UTF-16 units, and more bytes, are read on another thread. */
export const maxInline = 8_000_000

/** Bytes that no other thread can write to while they are read. */
export const unshared = (bytes: Uint8Array): Uint8Array =>
  Object.prototype.toString.call(bytes.buffer) === "[object SharedArrayBuffer]" ? new Uint8Array(bytes) : bytes
