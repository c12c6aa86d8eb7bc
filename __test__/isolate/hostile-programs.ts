/**
 * Programs that try to run on, to hold too much, to go too deep, to confuse what runs them or to get out, and what each has to
 * come to: a result, or words that say why there is none.
 */
import type { Schema } from "effect"

export interface Hostile {
  readonly name: string
  readonly code: string
  /** The result, or what the message begins with or has in it. */
  readonly comes: { readonly to: Schema.Json } | RegExp
  /** In a thread it cannot be stopped: one call of the engine's takes too long. There the host answers, and lets it be. */
  readonly isStuck?: boolean
}

const late = /^The code ran longer than (?:200 ms|2 seconds) of its own time, tool calls not counted\./
const full = /^The code ran out of memory: it may use 32 MiB\./
const deep = /^RangeError: Maximum call stack size exceeded/
const dead = /^The code waits for something that cannot happen/
const either = (...words: ReadonlyArray<RegExp>): RegExp => new RegExp(words.map(({ source }) => `(?:${source})`).join("|"))

const of = (name: string, code: string, comes: RegExp | { readonly to: Schema.Json }, isStuck = false): Hostile => ({ name, code, comes, isStuck })

/** Code that goes on and on. */
export const endless: ReadonlyArray<Hostile> = [
  of("a loop", "for (;;) {}", late),
  of("a loop that does something", "let n = 0; while (true) n = (n + 1) % 7", late),
  of("a loop of awaits", "for (;;) await 0", late),
  of("a loop of microtasks", "const f = () => queueMicrotask(f); f(); await new Promise(() => {})", late),
  of("a loop of promises", "const f = () => Promise.resolve().then(f); await f()", either(late, full)),
  of("a loop that catches and goes on", "for (;;) { try { for (;;) {} } catch { continue } finally { continue } }", late),
  of("a loop in finally", "try { return 1 } finally { for (;;) {} }", late),
  of("a loop in a getter", "return { get a() { for (;;) {} } }.a", late),
  of("a loop in a getter of the result", "return { get a() { for (;;) {} } }", late),
  of("a loop in toJSON of the result", "return { toJSON() { for (;;) {} } }", late),
  of("a loop in toJSON of an input", "await tools.echo({ toJSON() { for (;;) {} } })", late),
  of("a loop in then of what is awaited", "await { then() { for (;;) {} } }", late),
  of("a loop in then of the result", "return { then() { for (;;) {} } }", late),
  of("a loop in a comparator", "[2, 1].sort(() => { for (;;) {} })", late),
  of("a sort that never agrees", "const a = Array.from({ length: 1e5 }, (_, n) => n); for (;;) a.sort(() => Math.random() - 0.5)", late),
  of("a loop in valueOf", "return +{ valueOf() { for (;;) {} } }", late),
  of("a loop in a key", "return { [{ toString() { for (;;) {} } }]: 1 }", late),
  of("a loop in Symbol.toPrimitive", "return `${{ [Symbol.toPrimitive]() { for (;;) {} } }}`", late),
  of("a loop in Symbol.hasInstance", "return 1 instanceof { [Symbol.hasInstance]() { for (;;) {} } }", late),
  of("a loop in a trap", "return new Proxy({}, { get() { for (;;) {} } }).a", late),
  of("a loop in ownKeys of the result", "return new Proxy({}, { ownKeys() { for (;;) {} } })", late),
  of("a loop in a reviver", "return JSON.parse('[1]', () => { for (;;) {} })", late),
  of("a loop in a replacer", "return JSON.stringify([1], () => { for (;;) {} })", late),
  of("a loop in a replacement", "return 'a'.replace(/a/, () => { for (;;) {} })", late),
  of("a loop in an iterator", "for (const a of { [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) }) {}", late),
  of("a loop in return of an iterator", "for (const a of { [Symbol.iterator]: () => ({ next: () => ({ done: false }), return() { for (;;) {} } }) }) break", late),
  of("a generator that never ends", "for (const a of function*() { for (;;) yield 1 }()) {}", late),
  of("an async generator that never ends", "for await (const a of async function*() { for (;;) yield 1 }()) {}", late),
  of("a loop in a static block", "class A { static { for (;;) {} } }", late),
  of("a loop in a default", "const { a = (() => { for (;;) {} })() } = {}", late),
  of("a loop in what is logged", "console.log({ get a() { for (;;) {} } })", late),
  of("a loop in the message of an error", "throw Object.defineProperty(new Error(), 'message', { get() { for (;;) {} } })", late),
  of("a loop in the stack of an error", "Error.prepareStackTrace = () => { for (;;) {} }; throw new Error('a')", late),
  of("a loop in a timer", "setTimeout(() => { for (;;) {} }, 0); await new Promise(() => {})", late),
  of("timers that go on", "const f = () => setTimeout(f, 0); f(); await new Promise(() => {})", either(late, /^The code ran longer than 6 seconds/)),
  of("a loop in a class field", "class A { a = (() => { for (;;) {} })() } new A()", late),
  of("a loop in a species", "class A extends Array { static get [Symbol.species]() { for (;;) {} } } new A(1).map((a) => a)", late),
  of("a pattern that backtracks", "return /^(a+)+$/.test('a'.repeat(50) + 'b')", late),
  of("a pattern that backtracks over its own", "return /^(x+x+)+y$/.test('x'.repeat(60))", late),
  of("a pattern that looks behind", "return /(?<=^(?:a|aa)+)c$/.test('b' + 'a'.repeat(60) + 'c')", late),
  of("a pattern of the prelude's text", "return 'a'.repeat(60).concat('!').match(/^(?:a|a?)+$/)", late),
  of("a promise that nobody resolves", "await new Promise(() => {})", dead),
  of("a race without runners", "await Promise.race([])", dead),
  of("a result that never resolves", "return { then() {} }", dead),
  of("a tool that never answers", "await tools.hang()", /^The code ran longer than 6 seconds, its tool calls included\./),
  of("a timer past the end", "await new Promise((resolve) => setTimeout(resolve, 1e6))", /^RangeError: setTimeout of 1000000 ms is more than the 6000 ms/),
  of("tool calls without end", "for (;;) await tools.echo(1)", /^RangeError: A run may make 50 tool calls, and this is one more/),
  of("tool calls without end, at once", "await Promise.all(Array.from({ length: 51 }, (_, n) => tools.echo(n)))", /^RangeError: A run may make 50 tool calls/),
  of("tool calls without end, caught", "for (;;) try { await tools.echo(1) } catch {}", late),
  of("a power of large numbers", "return String(3n ** 4000000n).length", either(late, full, /RangeError/), true),
  of("objects that share themselves", "let a = 1; for (let n = 0; n < 60; n++) a = { a, b: a }; return a", either(late, full), true),
  of("a join of nothing", "return String(new Array(1e9)).length", either(late, full, /string too long/i), true),
  of("a search in much text, again and again", "const a = 'x'.repeat(1e7); for (;;) a.indexOf('y')", late, true),
  of("a fill, again and again", "const a = new Array(1e6).fill(1); for (;;) a.fill(2)", late, true),
  of("a reverse of four billion", "const a = []; a.length = 2 ** 32 - 1; a[0] = 1; a.reverse()", either(late, full), true),
  of("a search in what says it is long", "return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)", late, true)
]

/** Code that holds more and more. */
export const greedy: ReadonlyArray<Hostile> = [
  of("a list", "const a = []; for (;;) a.push([1, 2, 3])", full),
  of("a list of itself", "let a = [1]; for (;;) a = [...a, ...a]", full),
  of("a long list at once", "return new Array(1e8).fill(0).length", full),
  of("text doubled", "let a = 'x'; for (;;) a += a", either(full, /string too long|Invalid string length/i)),
  of("text repeated", "return 'x'.repeat(2 ** 29).length", either(full, /string too long|Invalid string length|Invalid/i)),
  of("text padded", "return ''.padStart(2 ** 29).length", either(full, /string too long|Invalid/i)),
  of("texts kept", "const a = []; for (let n = 0; ; n++) a.push('x'.repeat(1e5) + n)", full),
  of("text of a join", "const a = new Array(1e5).fill('x'.repeat(1000)); return a.join('').length", full),
  of("text of a replacement", "return 'x'.repeat(1e4).replace(/x/g, 'y'.repeat(1e4)).length", full),
  of("bytes", "return new Uint8Array(1e9).length", either(full, /RangeError/)),
  of("bytes kept", "const a = []; for (;;) a.push(new Uint8Array(1e6))", full),
  of("bytes that grow", "const a = new ArrayBuffer(1, { maxByteLength: 1e9 }); a.resize(1e9); return a.byteLength", either(full, /RangeError/)),
  of("a map", "const a = new Map(); for (let n = 0; ; n++) a.set(n, [n])", either(full, late)),
  of("a set", "const a = new Set(); for (let n = 0; ; n++) a.add('k' + n)", either(full, late)),
  of("keys", "const a = {}; for (let n = 0; ; n++) a['k' + n] = n", either(full, late)),
  of("symbols", "const a = []; for (let n = 0; ; n++) a.push(Symbol('s' + n))", either(full, late)),
  of("closures", "const a = []; for (let n = 0; ; n++) a.push(() => n)", either(full, late)),
  of("a chain of closures", "let f = () => 1; for (;;) { const g = f; f = () => g() }", either(full, late)),
  of("promises", "const a = []; for (;;) a.push(new Promise(() => {}))", either(full, late)),
  of("timers", "for (;;) setTimeout(() => {}, 1000)", /^RangeError: A run may have 1000 timers at once/),
  of("a spread that never ends", "return [...function*() { for (;;) yield 1 }()]", full),
  of("Array.from without end", "return Array.from({ [Symbol.iterator]: () => ({ next: () => ({ done: false, value: [] }) }) })", full),
  of("a large number", "let a = 2n; for (;;) a *= a", either(full, late, /BigInt|bigint/), true),
  of("a sparse list that is filled", "const a = []; a[2 ** 32 - 2] = 1; return Array.from(a).length", either(full, late)),
  of("an Object.groupBy of keys", "let n = 0; return Object.groupBy(function*() { for (;;) yield n++ }(), (n) => n)", either(full, late)),
  of("a pattern that captures much", "return 'a'.repeat(1e6).split('').length + 'b'.repeat(2e7).split('').length", full),
  of("flat of lists of lists", "let a = [1]; for (let n = 0; n < 40; n++) a = [a, a]; return a.flat(Infinity).length", either(full, late)),
  of("a text for which there is no room as bytes", "return new TextEncoder().encode('\\xff'.repeat(15e6)).length", full),
  of("bytes that are no text, many times over", "return new TextDecoder().decode(new Uint8Array(2e7).fill(255)).length", full),
  of("a text for which there is no room in another form", "return '\\xe9'.repeat(5e6).normalize('NFD').length", full),
  of("memory caught and asked for again", "const a = []; for (;;) { try { for (;;) a.push(new Uint8Array(1e5)) } catch {} }", either(late, full, /^The code ran longer than 6 seconds/)),
  of("memory gone, and a tool called", "let a = []; try { for (;;) a.push(new Uint8Array(1e6)) } catch (e) { a = null; return [await tools.echo('still'), e instanceof Error] }", { to: ["still", true] }),
  of("the result of what is there", "return new Array(2e6).fill(1)", /^RangeError: The result is \d+ characters of JSON, more than the 1000000|^The code ran out of memory/),
  of("an input of a tool", "await tools.echo('x'.repeat(2e5))", /^RangeError: The input of tools\["echo"\] is 200002 characters of JSON, more than the 100000/),
  of("a form of what is shared", "const p = new URLSearchParams(), a = 'x'.repeat(1e6); for (let n = 0; n < 4000; n++) p.append('a', a); return String(p).length", /^RangeError: An address or a form may have 1048576 characters/),
  of("a form of many", "return new URLSearchParams('a&'.repeat(4e6)).size", /^RangeError: An address or a form may have/),
  of("an address of what is long in bytes", "return new URL('http://a/' + '\\u4f60'.repeat(4e6)).href.length", /^RangeError: An address or a form may have/),
  // In a thread it is read, too, in as much memory as that takes: the parser asks nobody.
  of("code that is read again and again", `return ${"(a=".repeat(4000)}1${")".repeat(4000)}`, /no memory left to read the code|gave it no more memory/, true),
  of("logs", "for (let n = 0; n < 20000; n++) console.log('line', n); return 1", { to: 1 }),
  of("empty logs", "for (let n = 0; n < 20000; n++) console.log(''); return 1", { to: 1 }),
  of("one long log", "console.log('x'.repeat(1e7)); return 1", { to: 1 }),
  of("a log of much", "console.log(Array.from({ length: 1e5 }, (_, n) => ({ n }))); return 1", { to: 1 }),
  of("a clone of itself", "const a = { b: 1 }; a.a = a; const c = structuredClone(a); return [c.a === c, c.b]", { to: [true, 1] })
]

/** Code that goes deeper and deeper. */
export const bottomless: ReadonlyArray<Hostile> = [
  of("a function", "const f = () => f() + 1; f()", deep),
  of("functions of each other", "const f = (n) => g(n + 1), g = (n) => f(n + 1); f(0)", deep),
  of("a depth that is caught", "let n = 0; const f = () => { n++; f() }; try { f() } catch (e) { return [n > 100, e.name] }", { to: [true, "RangeError"] }),
  of("a getter", "return { get a() { return this.a } }.a", deep),
  of("toString", "const a = { toString() { return `${a}` } }; return String(a)", deep),
  of("toJSON", "const a = { toJSON() { return JSON.stringify(a) } }; return a", /Maximum call stack size exceeded/),
  of("a constructor", "class A { constructor() { this.a = new A() } } new A()", deep),
  of("a trap", "const a = new Proxy({}, { get: (_, k) => a[k] }); return a.b", deep),
  of("an async function", "const f = async () => { await f() }; await f()", either(deep, full)),
  of("a generator of itself", "const f = function*() { yield* f() }; return [...f()]", either(deep, full)),
  of("JSON that is read", "return JSON.parse('['.repeat(1e5) + ']'.repeat(1e5))", either(deep, /SyntaxError/)),
  of("JSON that is written", "let a = []; for (let n = 0; n < 1e5; n++) a = [a]; return JSON.stringify(a)", either(deep, /circular|nested/i)),
  of("JSON that is returned", "let a = []; for (let n = 0; n < 1e5; n++) a = [a]; return a", /not JSON: .*stack|RangeError/),
  of("JSON that is given to a tool", "let a = []; for (let n = 0; n < 1e5; n++) a = [a]; return tools.echo(a)", /is not JSON: .*stack|RangeError/),
  of("a list of itself, flat", "const a = []; a[0] = a; return a.flat(Infinity)", either(deep, full)),
  of("a list of lists, as text", "let a = []; for (let n = 0; n < 1e5; n++) a = [a]; return String(a)", deep),
  of("a pattern", "return new RegExp('('.repeat(1e5) + ')'.repeat(1e5)).test('a')", either(deep, /SyntaxError/)),
  of("a clone", "let a = {}; for (let n = 0; n < 1e5; n++) a = { a }; structuredClone(a)", deep),
  of("a log", "let a = {}; for (let n = 0; n < 1e5; n++) a = { a }; console.log(a); return 1", { to: 1 }),
  of("proxies of proxies", "let a = {}; for (let n = 0; n < 1e5; n++) a = new Proxy(a, {}); return a.b", deep),
  of("a chain of prototypes", "let a = {}; for (let n = 0; n < 1e5; n++) a = Object.create(a); return [a.b, 'b' in a]", { to: [null, false] }),
  of("bound functions of bound functions", "let f = () => 1; for (let n = 0; n < 1e5; n++) f = f.bind(); return f()", either(deep, full, { source: "1" } as RegExp)),
  of("causes of causes", "let a = new Error('0'); for (let n = 0; n < 1e4; n++) a = new Error('n', { cause: a }); throw a", /^Error: n \(cause: Error: n\)/),
  of("promises of promises", "let a = Promise.resolve(1); for (let n = 0; n < 1e4; n++) a = a.then((b) => b); return a", { to: 1 }),
  of("an apply of many", "return Math.max.apply(null, new Array(1e6).fill(1))", either(deep, /RangeError/)),
  of("a sort of a sort", "const f = () => [2, 1].sort(f); f()", deep),
  of("a regular expression's replacement", "const f = () => 'a'.replace(/a/, f); f()", deep),
  of("brackets in the code", `return ${"(".repeat(20_000)}1${")".repeat(20_000)}`, either(deep, /SyntaxError|stack/i)),
  of("functions in the code", `return ${"(() => ".repeat(9000)}1${")".repeat(9000)}`, either(deep, /SyntaxError|stack|\[function|function/i)),
  of("too many brackets in the code", "(".repeat(40_000), /^The code has more than 32,768 brackets and operators/),
  of("a template in a template in the code", `return ${"`${".repeat(10_000)}1${"}`".repeat(10_000)}`, either(deep, /SyntaxError|stack/i, { source: "1" } as RegExp)),
  of("an if in an if in the code", `${"if (1) ".repeat(15_000)}return 1`, either(deep, /SyntaxError|stack/i)),
  of("a type in a type in the code", `const a: ${"Array<".repeat(15_000)}string${">".repeat(15_000)} = 1; return a`, { to: 1 }),
  of("comparisons in the code", `const a = 1; return ${"a>".repeat(30_000)}a`, either(deep, /SyntaxError|stack/i, { source: "false" } as RegExp)),
  of("too many comparisons in the code", `${"a>".repeat(100_000)}a`, /^The code has more than 32,768 brackets and operators/),
  of("words apart by what is no ASCII in the code", `${"do\u00a0".repeat(80_000)}1`, /^The code has more than 32,768 brackets and operators/),
  of("other words apart by what is no ASCII", `return ${"void\u3000".repeat(20_000)}1`, either(deep, /SyntaxError|stack/i, { source: "null" } as RegExp)),
  of("a class that TypeScript alone decorates", "return (@aééé class implements B {})", /^SyntaxError/)
]

/** Code that looks for a way out. */
export const curious: ReadonlyArray<Hostile> = [
  of("eval", "return eval('1')", /ReferenceError: (?:'eval'|eval) is not defined/),
  of("eval through the global object", "return (0, globalThis.eval)('1')", /TypeError: not a function/),
  of("Function", "return Function('return this')()", /Code cannot be made from text here/),
  of("the constructor of a function", "return (() => {}).constructor('return this')()", /Code cannot be made from text here/),
  of("the constructor of an async function", "return (async () => {}).constructor('return this')()", /Code cannot be made from text here/),
  of("the constructor of a generator", "return (function*() {}).constructor('return this')()", /Code cannot be made from text here/),
  of("the constructor of an async generator", "return (async function*() {}).constructor('return this')()", /Code cannot be made from text here/),
  of("the constructor of a tool", "return tools.echo.constructor.constructor('return this')()", /Code cannot be made from text here/),
  of("the constructor of what an answer is", "return (await tools.echo({})).constructor.constructor('return process')()", /Code cannot be made from text here/),
  of("the constructor of a failure", "try { await tools.fail() } catch (e) { return e.constructor.constructor('return process')() }", /Code cannot be made from text here/),
  of("a subclass of Function", "return new (class extends Function {})('return 1')()", /Code cannot be made from text here/),
  of("Reflect.construct of the constructor", "return Reflect.construct(Object.getPrototypeOf(async () => {}).constructor, ['return 1'])()", /Code cannot be made from text here/),
  of("code in a timer", "setTimeout('globalThis.a = 1', 0)", /setTimeout takes a function/),
  of("import", "return Object.keys(await import('std'))", /Error/),
  of("import of a file", "return await import('/etc/passwd')", /Error/),
  of("import of data", "return await import('data:text/javascript,export default 1')", /Error/),
  of("an import that is declared", "import fs from 'fs'", /^SyntaxError/),
  of("import.meta", "return import.meta", /^SyntaxError/),
  of("names of other programs", "return ['process', 'require', 'module', 'Deno', 'Bun', 'std', 'os', 'bjson', 'Worker', 'WebAssembly', 'fetch', 'XMLHttpRequest', 'navigator', 'performance', 'SharedArrayBuffer', 'Atomics', 'print', 'load', 'gc', 'scriptArgs', 'Intl', 'eval', 'setInterval', 'setImmediate'].filter((name) => name in globalThis)", { to: [] }),
  of("this", "return [this === globalThis, typeof this.tools, (function() { return this === globalThis })(), (function() { 'use strict'; return this === undefined })()]", { to: [true, "object", true, true] }),
  of("who called", "const f = function() { return [typeof f.caller, typeof arguments.callee.caller] }; try { return f() } catch (e) { return e.name }", either({ source: "" } as RegExp)),
  of("a clock finer than a millisecond", "return [Date.now() % 1, new Date().getTime() % 1, typeof performance]", { to: [0, 0, "undefined"] }),
  of("the tools changed", "'use strict'; const told = []; for (const f of [() => { tools.echo = 1 }, () => { delete tools.echo }, () => Object.setPrototypeOf(tools, {}), () => Object.defineProperty(tools, 'a', { value: 1 }), () => Object.preventExtensions(tools), () => Object.freeze(tools)]) try { f(); told.push('done') } catch (e) { told.push(e.message) } return [new Set(told).size, told[0], await tools.echo(1)]", { to: [1, "tools cannot be changed", 1] }),
  of("the tools looked through", "return [Object.keys(tools), 'echo' in tools, 'toString' in tools, Object.getPrototypeOf(tools), Reflect.ownKeys(tools), JSON.stringify(tools), typeof tools.echo, tools.echo === tools.echo, tools.echo.name, { ...tools }.echo === tools.echo]", { to: [["echo", "fail", "hang"], true, false, null, ["echo", "fail", "hang"], "{}", "function", true, "echo", true] }),
  of("the tools awaited", "return (await tools) === tools", { to: true }),
  of("a tool that is not there", "await tools.nothing()", /^TypeError: There is no tool "nothing"\. The tools: echo, fail, hang/),
  of("a tool as a constructor", "return new tools.echo()", /TypeError: not a constructor/),
  of("a tool's name that is a symbol", "return [tools[Symbol.iterator], tools[Symbol.toStringTag]]", { to: [null, null] }),
  of("prototypes replaced before a tool is called", `
    const { defineProperty, ownKeys } = Reflect
    const all = [Array, Object, Function, String, Promise, Map, Set, RegExp, Error, Number, Symbol, Date]
    for (let n = 0; n < all.length; n++) {
      const proto = all[n].prototype, keys = ownKeys(proto)
      for (let m = 0; m < keys.length; m++) {
        if (keys[m] === 'constructor' || keys[m] === '__proto__') continue
        try { defineProperty(proto, keys[m], { __proto__: null, get() { throw new Error('replaced') }, set() {}, configurable: true }) } catch {}
      }
    }
    return await tools.echo({ a: [1, 'b'] })`, { to: { a: [1, "b"] } }),
  of("globals replaced before a tool is called", "const j = JSON; globalThis.Promise = globalThis.JSON = globalThis.Error = globalThis.Array = globalThis.Object = globalThis.Reflect = globalThis.Proxy = null; j.parse = j.stringify = () => 'x'; try { await tools.fail() } catch (e) { return [e.message, await tools.echo([1])] }", { to: ["No such page.", [1]] }),
  of("setters where results are put", "for (const key of ['0', '1', 'a', 'value', 'resolve', 'input', 'get', 'enumerable']) for (const proto of [Object.prototype, Array.prototype]) Object.defineProperty(proto, key, { __proto__: null, set() { throw new Error('set') }, get() { return 'got' }, configurable: true }); await tools.echo(1); return tools.echo('done')", { to: "done" }),
  of("then replaced", "Promise.prototype.then = function() { throw new Error('then') }; const a = await tools.echo(1); return a", { to: 1 }),
  of("the constructor of promises replaced", "Object.defineProperty(Promise.prototype, 'constructor', { get() { throw new Error('species') } }); return 1", either(/species/, { source: "1" } as RegExp)),
  of("the global object frozen", "Object.freeze(globalThis); Object.freeze(Object.prototype); Object.freeze(Array.prototype); return [await tools.echo(1), structuredClone([2])]", { to: [1, [2]] }),
  of("console replaced", "globalThis.console = null; globalThis.tools = null; return 1", { to: 1 }),
  of("call sites", "Error.prepareStackTrace = (_, sites) => sites; const sites = new Error().stack; const found = []; for (const site of sites) for (const key of ['getThis', 'getFunction', 'getEvalOrigin']) try { found.push(typeof site[key]?.()) } catch (e) { found.push(e.name) } return Array.isArray(sites)", either({ source: "" } as RegExp)),
  of("a walk over everything that can be reached", `
    const seen = new Set(), names = new Set(), left = [globalThis, tools, console, async () => {}, function*() {}, new Error().stack]
    while (left.length > 0) {
      const at = left.pop()
      if ((typeof at !== 'object' && typeof at !== 'function') || at === null || seen.has(at)) continue
      seen.add(at)
      left.push(Object.getPrototypeOf(at))
      for (const key of Reflect.ownKeys(at)) {
        const descriptor = Reflect.getOwnPropertyDescriptor(at, key)
        left.push(descriptor.value, descriptor.get, descriptor.set)
        if (typeof descriptor.value === 'function' || typeof descriptor.get === 'function') names.add(String(key))
      }
    }
    const made = []
    for (const at of seen) if (typeof at === 'function' && /^(?:Async|Generator|AsyncGenerator)?Function$/.test(at.name)) try { at('return 1')(); made.push(at.name) } catch {}
    return [made, ['eval', 'require', 'process', 'exit', 'open', 'read', 'spawn', 'fetch', 'connect', 'loadScript', 'evalScript'].filter((name) => names.has(name))]`, { to: [[], []] }),
  of("what is thrown that is no error", "throw Object.create(null)", /^The code threw \{\}/),
  of("a symbol that is thrown", "throw Symbol('a')", /^The code threw Symbol\(a\)/),
  of("a proxy that is thrown", "throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 }, ownKeys() { throw 3 } })", /^The code threw/),
  of("an error that cannot be read", "throw Object.defineProperties(new Error(), { message: { get() { throw new Error('a') } }, name: { get() { throw new Error('b') } } })", /^Error(?:\n|$)/),
  of("nothing that is thrown", "throw undefined", /^The code threw undefined/),
  of("halves of pairs", "console.log('\\ud800'); throw new Error('\\udfff')", /^Error: \ufffd/),
  of("a function that is returned", "return () => 1", /^TypeError: The code returned a function/),
  of("a promise in the result", "return { a: [tools.echo(1)] }", /result\.a\[0\] is a promise: await it/),
  of("a map in the result", "return { a: new Map() }", /result\.a is a Map/),
  of("a number that is no JSON", "return 1n", /^TypeError: The code returned something that is not JSON/),
  of("a result that is itself", "const a = {}; a.a = a; return a", /^TypeError: The code returned something that is not JSON: circular/),
  of("the end of its function", "} ; globalThis.a = 1; {", /^SyntaxError/),
  of("the end of its function and another", "}); tools.hang(); (async () => {", /^SyntaxError: the code ends its function here: there is one \} too many\n {4}at line 1, column 1/),
  of("the end of its function and a call", "})(tools.hang(), () => {", /^SyntaxError: the code ends its function here/),
  of("half a template", "`${", /^SyntaxError/),
  of("half a comment", "/* ", /^SyntaxError/),
  of("a character that is none", "return '\\0\0'", /^SyntaxError/),
  of("lines of other systems", "const a = 1\r\nconst b = 2\r\n// c\u2028return a + b", { to: 3 }),
  of("a mark at the beginning", "\ufeffreturn 1", { to: 1 }),
  of("String.prototype.concat replaced, of which templates are made", "String.prototype.concat = () => 'x'; return [await tools.echo(1), (() => { try { tools.nothing } catch (e) { return e.message } })()]", { to: [1, "There is no tool \"nothing\". The tools: echo, fail, hang"] }),
  of("the old comments", "<!-- a\nreturn 1\n--> b", { to: 1 }),
  of("a name in escapes", "const \\u0061 = 1; return a", { to: 1 }),
  of("with, and an old number", "with ({ a: 010 }) return a", { to: 8 }),
  of("labels, holes, commas and all", "a: for (const [, b = (1, 2)] of [[,]]) { for (;;) { if (b === 2) continue a; break a } } return [, 1].length", { to: 2 })
]
