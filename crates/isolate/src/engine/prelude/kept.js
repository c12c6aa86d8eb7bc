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
  const bigIntValue = BigInt.prototype.valueOf
  const symbolValue = Symbol.prototype.valueOf
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
  const domExceptionPrototype = DOMException.prototype
  const { isError } = Error
  /** What has a state that nothing else can be given, and shows none of it. */
  const iteratorPrototype = globalThis.Iterator.prototype
  const asyncIteratorPrototype = getPrototypeOf(getPrototypeOf(getPrototypeOf((async function*() {})())))
  const isIterator = (value) => is(iteratorPrototype, value) || is(asyncIteratorPrototype, value)
  const closed = [WeakMap.prototype, WeakSet.prototype, WeakRef.prototype, FinalizationRegistry.prototype]
  const isClosed = (value) => {
    for (let at = 0; at < closed.length; at++) if (is(closed[at], value)) return true
    return isIterator(value)
  }
  /** What is thrown for what went wrong: an error of the language's, or one of the web's, which is none to it. */
  const isFault = (value) => isError(value) || (isObject(value) && is(domExceptionPrototype, value))
  const typedArrays = {
    __proto__: null, BigInt64Array, BigUint64Array, Float16Array, Float32Array, Float64Array, Int16Array, Int32Array, Int8Array, Uint16Array, Uint32Array, Uint8Array,
    Uint8ClampedArray
  }

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
