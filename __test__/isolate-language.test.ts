/** What the isolate's JavaScript can do: a test for each feature of the language, and of what it has beside it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Schema } from "effect"
import { modes, resultIn, withRuntime } from "./support/isolate.ts"

type Feature = readonly [name: string, code: string, result: Schema.Json]

const language: Readonly<Record<string, ReadonlyArray<Feature>>> = {
  "ECMAScript 5 and 2015": [
    ["getters and setters", "const a = { b: 1, get c() { return this.b }, set c(d) { this.b = d } }; a.c = 5; return a.c", 5],
    ["let and const in blocks", "let a = 1; { let a = 2 } const b = []; for (let n = 0; n < 3; n++) b.push(() => n); return [a, b.map((f) => f())]", [1, [0, 1, 2]]],
    ["arrow functions", "return [1, 2].map((a) => ({ a }))", [{ a: 1 }, { a: 2 }]],
    ["classes, super and static", "class A { constructor(a) { this.a = a } b() { return this.a } static c() { return 'c' } } class D extends A { b() { return super.b() + 1 } } return [new D(1).b(), D.c(), new D(1) instanceof A]", [2, "c", true]],
    ["template literals and tags", "const t = (s, ...v) => s.raw.join('|') + v; return [`a${1}b`, t`x${2}\\n`]", ["a1b", "x|\\n2"]],
    ["destructuring with defaults", "const { a, b: [c, d = 4], ...e } = { a: 1, b: [3], f: 6 }; return [a, c, d, e]", [1, 3, 4, { f: 6 }]],
    ["rest, spread and defaults", "const f = (a, b = 2, ...c) => [a, b, c]; return [f(1), f(...[1, 3, 4])]", [[1, 2, []], [1, 3, [4]]]],
    ["iterators and for of", "const a = { *[Symbol.iterator]() { yield 1; yield 2 } }; const b = []; for (const c of a) b.push(c); return b", [1, 2]],
    ["generators that are sent to", "const g = function*() { const a = yield 1; return a * 2 }(); return [g.next(), g.next(4)]", [{ value: 1, done: false }, { value: 8, done: true }]],
    ["Map, Set, WeakMap and WeakSet", "const k = {}; return [[...new Map([[1, 2]])], [...new Set([1, 1])], new WeakMap([[k, 1]]).get(k), new WeakSet([k]).has(k)]", [[[1, 2]], [1], 1, true]],
    ["symbols", "const a = Symbol('b'); return [{ [a]: 1 }[a], a.description, Symbol.for('c') === Symbol.for('c')]", [1, "b", true]],
    ["Proxy and Reflect", "const p = new Proxy({}, { get: (_, k) => k, has: () => true }); return [p.a, 'b' in p, Reflect.ownKeys({ a: 1 })]", ["a", true, ["a"]]],
    ["promises", "return Promise.all([1, Promise.resolve(2), new Promise((r) => r(3))])", [1, 2, 3]],
    ["typed arrays", "return [new Uint8Array([1, 256]).join(), new Float64Array(2).length, new DataView(new ArrayBuffer(2)).getInt16(0)]", ["1,0", 2, 0]],
    ["regular expressions, y and u", "return ['\\u{1F600}'.match(/^.$/u) !== null, /a/y.test('ba')]", [true, false]],
    ["tail of String, Number, Math, Array", "return ['ab'.includes('b'), 'a'.repeat(2), Number.isInteger(1), Math.trunc(1.5), [1, 2].find((a) => a > 1), Array.of(1), Array.from('ab')]", [true, "aa", true, 1, 2, [1], ["a", "b"]]]
  ],
  "ECMAScript 2016 to 2019": [
    ["exponents", "let a = 2; a **= 3; return a ** 2", 64],
    ["Array includes", "return [NaN].includes(NaN)", true],
    ["async functions", "const f = async (a) => (await a) + 1; return f(Promise.resolve(1))", 2],
    ["Object.entries, values, getOwnPropertyDescriptors", "return [Object.entries({ a: 1 }), Object.values({ a: 1 }), Object.keys(Object.getOwnPropertyDescriptors({ a: 1 }))]", [[["a", 1]], [1], ["a"]]],
    ["padStart and padEnd", "return ['1'.padStart(2, '0'), '1'.padEnd(2)]", ["01", "1 "]],
    ["async iteration", "const a = []; for await (const b of async function*() { yield 1; yield Promise.resolve(2) }()) a.push(b); return a", [1, 2]],
    ["rest and spread of objects", "const { a, ...b } = { a: 1, c: 2 }; return { ...b, d: 3 }", { c: 2, d: 3 }],
    ["finally of promises", "let a = 1; await Promise.resolve().finally(() => { a = 2 }); return a", 2],
    ["named groups, lookbehind, s and Unicode properties", "return ['2025-01'.match(/(?<year>\\d+)-/).groups.year, /(?<=a)b/.test('ab'), /a.b/s.test('a\\nb'), /^\\p{L}$/u.test('é')]", ["2025", true, true, true]],
    ["flat and flatMap", "return [[1, [2, [3]]].flat(Infinity), [1, 2].flatMap((a) => [a, a])]", [[1, 2, 3], [1, 1, 2, 2]]],
    ["Object.fromEntries", "return Object.fromEntries(new Map([['a', 1]]))", { a: 1 }],
    ["trimStart, trimEnd and catch without a name", "try { null.a } catch { return [' a '.trimStart(), ' a '.trimEnd()] }", ["a ", " a"]],
    ["a sort that is stable", "return [[1, 'a'], [0, 'b'], [1, 'c'], [0, 'd']].sort((a, b) => a[0] - b[0]).map((a) => a[1]).join('')", "bdac"]
  ],
  "ECMAScript 2020 to 2022": [
    ["BigInt", "return [String(2n ** 64n), typeof 1n, String(BigInt.asUintN(8, 257n))]", ["18446744073709551616", "bigint", "1"]],
    ["?. and ??", "const a = null; return [a?.b.c, a ?? 1, a?.(), ({ b: 0 })?.b ?? 2]", [null, 1, null, 0]],
    ["Promise.allSettled", "return (await Promise.allSettled([1, Promise.reject(2)])).map((a) => a.status)", ["fulfilled", "rejected"]],
    ["matchAll", "return [...'a1b2'.matchAll(/\\d/g)].map((a) => a[0])", ["1", "2"]],
    ["globalThis", "return globalThis.JSON === JSON", true],
    ["replaceAll", "return 'aa'.replaceAll('a', 'b')", "bb"],
    ["Promise.any and AggregateError", "try { await Promise.any([Promise.reject(1)]) } catch (e) { return [e instanceof AggregateError, e.errors] }", [true, [1]]],
    ["logical assignment", "let a = null, b = 1, c = 0; a ??= 2; b &&= 3; c ||= 4; return [a, b, c]", [2, 3, 4]],
    ["separators in numbers", "return 1_000", 1000],
    ["WeakRef and FinalizationRegistry", "const a = {}; return [new WeakRef(a).deref() === a, typeof FinalizationRegistry]", [true, "function"]],
    ["fields, private names and static blocks", "class A { #a = 1; b = 2; static c; static { A.c = 3 } static #d = 4; get a() { return this.#a } static has(o) { return #a in o } static d() { return A.#d } #e() { return 5 } e() { return this.#e() } } return [new A().a, new A().b, A.c, A.has(new A()), A.has({}), A.d(), new A().e()]", [1, 2, 3, true, false, 4, 5]],
    ["at, Object.hasOwn and the cause of an error", "return [[1, 2].at(-1), Object.hasOwn({ a: 1 }, 'a'), new Error('a', { cause: 'b' }).cause]", [2, true, "b"]],
    ["indices of a match", "return /a(?<b>b)/d.exec('ab').indices.groups.b", [1, 2]]
  ],
  "ECMAScript 2023 to 2025": [
    ["findLast, toSorted, toReversed, toSpliced, with", "const a = [3, 1, 2]; return [a.findLast((b) => b > 1), a.toSorted(), a.toReversed(), a.toSpliced(0, 1), a.with(0, 9), a]", [2, [1, 2, 3], [2, 1, 3], [1, 2], [9, 1, 2], [3, 1, 2]]],
    ["symbols as keys of a WeakMap", "const a = Symbol(); return new WeakMap([[a, 1]]).get(a)", 1],
    ["Object.groupBy and Map.groupBy", "return [Object.groupBy([1, 2, 3], (a) => a % 2 ? 'odd' : 'even'), Map.groupBy([1, 2], (a) => a % 2).get(1)]", [{ odd: [1, 3], even: [2] }, [1]]],
    ["Promise.withResolvers", "const { promise, resolve } = Promise.withResolvers(); resolve(1); return promise", 1],
    ["isWellFormed and toWellFormed", "return ['a'.isWellFormed(), '\\ud800'.toWellFormed().length]", [true, 1]],
    ["buffers that grow and move", "const a = new ArrayBuffer(1, { maxByteLength: 8 }); a.resize(4); const b = a.transfer(); return [a.detached, b.byteLength, b.resizable]", [true, 4, true]],
    ["the v of regular expressions", "return /^[\\p{L}--[a-z]]$/v.test('A')", true],
    ["methods of iterators", "return [[1, 2, 3].values().filter((a) => a > 1).map((a) => a * 2).toArray(), Iterator.from([1, 2]).take(1).toArray(), [1, 2, 3].values().drop(1).reduce((a, b) => a + b), [1].values().some((a) => a === 1)]", [[4, 6], [1], 5, true]],
    ["methods of sets", "const a = new Set([1, 2]), b = new Set([2, 3]); return [[...a.union(b)], [...a.intersection(b)], [...a.difference(b)], [...a.symmetricDifference(b)], new Set([1]).isSubsetOf(a), a.isSupersetOf(new Set([1])), a.isDisjointFrom(new Set([4]))]", [[1, 2, 3], [2], [1], [1, 3], true, true, true]],
    ["Promise.try", "return Promise.try(() => 1)", 1],
    ["RegExp.escape", "return new RegExp(RegExp.escape('a.b')).test('a.b')", true],
    ["flags within a regular expression", "return /^(?i:a)b$/.test('Ab')", true],
    ["a name twice in a regular expression", "return '2025'.match(/(?<y>\\d{4})|(?<y>\\d{2})/).groups.y", "2025"],
    ["Float16Array and Math.f16round", "return [new Float16Array([1.5])[0], Math.f16round(1.337)]", [1.5, 1.3369140625]]
  ]
}

const beside: ReadonlyArray<Feature> = [
  ["console has what is commonly called", "return ['log', 'info', 'debug', 'warn', 'error', 'trace', 'dir', 'table', 'assert', 'count', 'group', 'groupEnd', 'time', 'timeEnd'].filter((a) => typeof console[a] !== 'function')", []],
  ["structuredClone of everything it clones", "const a = { d: new Date(5), r: /a/gi, m: new Map([[{ k: 1 }, new Set([1])]]), b: new Uint8Array([1, 2]).subarray(1), e: new TypeError('t', { cause: 1 }), n: Object(1), u: undefined, l: [1, , 3], i: 5n }; a.self = a; const c = structuredClone(a); return [c !== a, c.self === c, c.d.getTime(), String(c.r), [...c.m][0][0].k, [...[...c.m][0][1]], [...c.b], c.e.name, c.e.message, c.e.cause, c.n.valueOf(), 'u' in c, 1 in c.l, String(c.i)]", [true, true, 5, "/a/gi", 1, [1], [2], "TypeError", "t", 1, 1, true, false, "5"]],
  ["structuredClone refuses what it does not", "return [() => {}, Symbol('a'), Promise.resolve(), new WeakMap(), new WeakSet(), new WeakRef({}), new FinalizationRegistry(() => {}), [1].values(), (function*() {})(), (async function*() {})(), Object(Symbol())].map((a) => { try { return structuredClone(a) } catch (e) { return e.name } })", Array.from({ length: 11 }, () => "DataCloneError")],
  ["structuredClone of nothing", "try { structuredClone() } catch (e) { return e.name }", "TypeError"],
  ["structuredClone of errors and of what is boxed", "const a = [new RangeError('r'), new (class A extends Error { name = 'A' })('m')].map((e) => structuredClone(e)); return [a[0] instanceof RangeError, a[0].name, a[1].name, a[1].message, [Object(1), Object('s'), Object(true), Object(2n)].map((b) => { const c = structuredClone(b); return [typeof c, String(c)] })]", [true, "RangeError", "Error", "m", [["object", "1"], ["object", "s"], ["object", "true"], ["object", "2"]]]],
  ["URL", "const a = new URL('../c?d=é#f', 'https://u:p@EXAMPLE.com:8080/a/b'); return [a.href, a.origin, a.protocol, a.username, a.password, a.host, a.hostname, a.port, a.pathname, a.search, a.hash]", ["https://u:p@example.com:8080/c?d=%C3%A9#f", "https://example.com:8080", "https:", "u", "p", "example.com:8080", "example.com", "8080", "/c", "?d=%C3%A9", "#f"]],
  ["URL that is changed", "const a = new URL('https://a.b/c'); a.searchParams.append('q', 'x y'); a.pathname = '/é'; a.hash = 'h'; a.port = '81'; a.search += '&z=1'; return [String(a), a.searchParams.get('z'), JSON.stringify({ a })]", ["https://a.b:81/%C3%A9?q=x+y&z=1#h", "1", "{\"a\":\"https://a.b:81/%C3%A9?q=x+y&z=1#h\"}"]],
  ["URL that is none", "try { new URL('nope') } catch (e) { return [e.name, e.message, URL.canParse('nope'), URL.canParse('/a', 'https://b'), URL.parse('nope')] }", ["TypeError", "\"nope\" is not a URL", false, true, null]],
  ["URLSearchParams", "const a = new URLSearchParams('?b=2&a=1&b=3'); a.set('c', '4&'); a.delete('b', '2'); a.sort(); return [String(a), a.getAll('b'), a.has('a'), a.size, [...a.keys()], Object.fromEntries(a), String(new URLSearchParams({ x: 1 })), String(new URLSearchParams([['y', 'é']]))]", ["a=1&b=3&c=4%26", ["3"], true, 3, ["a", "b", "c"], { a: "1", b: "3", c: "4&" }, "x=1", "y=%C3%A9"]],
  ["TextEncoder", "const a = new TextEncoder(); const b = new Uint8Array(4); return [[...a.encode('é𝒳')], a.encodeInto('a𝒳é', b), [...b], a.encoding]", [[195, 169, 240, 157, 146, 179], { read: 1, written: 1 }, [97, 0, 0, 0], "utf-8"]],
  ["TextDecoder", "const a = new TextDecoder(); return [a.decode(new Uint8Array([0xef, 0xbb, 0xbf, 0xc3, 0xa9])), a.decode(new Uint8Array([0xff])), a.decode(new Uint8Array([0xc3]), { stream: true }), a.decode(new Uint8Array([0xa9]).buffer), a.decode()]", ["é", "\ufffd", "", "é", ""]],
  ["TextDecoder of many bytes", "const a = new TextEncoder().encode('aé€𝒳'.repeat(2e5)), b = new TextDecoder(), c = new TextDecoder('utf-8', { fatal: true }); let d = ''; for (let n = 0; n < a.length; n += 77777) d += b.decode(a.subarray(n, n + 77777), { stream: true }); d += b.decode(); const e = new Uint8Array(6e5).fill(255); return [d === 'aé€𝒳'.repeat(2e5), c.decode(a) === d, b.decode(e) === '\\ufffd'.repeat(6e5), (() => { try { c.decode(a.subarray(0, -1)) } catch (f) { return f.name } })(), c.decode(a.subarray(0, 3))]", [true, true, true, "TypeError", "aé"]],
  ["TextEncoder into what is no list of bytes", "try { new TextEncoder().encodeInto('a', new Uint16Array(2)) } catch (e) { return e.name }", "TypeError"],
  ["TextDecoder that is fatal", "try { new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([0xff])) } catch (e) { return e.name }", "TypeError"],
  ["setTimeout and clearTimeout", "const a = []; const b = setTimeout(() => a.push('never'), 1); clearTimeout(b); await new Promise((r) => setTimeout((c) => { a.push(c); r() }, 2, 'once')); return a", ["once"]],
  ["clearTimeout of a place that was kept as text", "const a = setTimeout(() => {}, 60000); clearTimeout(`${a}`); clearTimeout('no place'); clearTimeout({}); const b = []; const c = setTimeout(() => b.push('never'), 1); clearTimeout(String(c)); await new Promise((r) => setTimeout(r, 3)); return b", []],
  ["crypto.randomUUID", "const a = crypto.randomUUID(); return [/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(a), a === crypto.randomUUID()]", [true, false]],
  ["atob, btoa and queueMicrotask", "let a; queueMicrotask(() => { a = 1 }); await 0; return [btoa('ab'), atob('YWI='), a]", ["YWI=", "ab", 1]],
  ["TypeScript whose types can be left out", "interface A<T> { readonly b: T }\ntype C = A<number> | null\nconst f = async <T,>(a: T, ...b: Array<unknown>): Promise<T> => a as T\nclass D<T> implements A<number> { readonly b: number = 1; private c?: string; static d(this: void): string { return 'd' } }\nconst e: C = new D<string>() satisfies A<number>\nfunction g(a: string): a is 'x'\nfunction g(a: unknown) { return a === 'x' }\nreturn [(await f<number>(1))!, e.b, D.d(), g('x')]", [1, 1, "d", true]]
]

for (const mode of modes) {
  for (const [edition, features] of [...Object.entries(language), ["what is beside the language", beside] as const]) {
    describe(`${edition}, in a ${mode}`, () => {
      it.live("has each feature", () =>
        withRuntime({ mode }, (runtime) =>
          Effect.forEach(features, ([name, code, result]) =>
            Effect.map(resultIn(runtime, code), (given) => assert.deepStrictEqual(given, result, name)), { concurrency: 4, discard: true })))
    })
  }
}

describe("local time in a process", () => {
  it.live("is UTC, whatever the machine's zone is", () =>
    withRuntime({}, (runtime) =>
      Effect.map(resultIn(runtime, "return [new Date(0).getHours(), new Date(0).getTimezoneOffset(), new Date(2025, 6, 1).toISOString()]"), (given) =>
        assert.deepStrictEqual(given, [0, 0, "2025-07-01T00:00:00.000Z"]))))
})
