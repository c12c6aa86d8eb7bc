/** The headers that mirror a tool's parameters and its name: which are sent, how they are written, and how they are learnt. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import * as fc from "fast-check"
import type { Schema } from "effect"
import { diagnostics } from "../support/language-model.ts"
import { type Asked, endOf, error, inProcess, methodsOf, onLoopback, type Peer, result, type Script, server, sessions, sourceOf, stateless, token } from "../support/mcp.ts"

const probe = "server/discover"

/** A tool whose parameters are marked: the name of each with its schema. */
const tool = (name: string, properties: object, more: object = {}) => ({ name, inputSchema: { type: "object", properties, ...more } })

const marked = (mark: unknown, type: unknown = "string") => ({ type, "x-mcp-header": mark })

/** A stateless server with these tools, which takes every call. */
const having = (...tools: ReadonlyArray<unknown>): Script => ({
  ...stateless,
  "tools/list": (asked) => result(asked, { tools }),
  "tools/call": (asked) => result(asked, { structuredContent: asked.params.arguments ?? null })
})

/** Of a request, the headers that mirror parameters. */
const paramsOf = ({ headers }: Asked) => Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("mcp-param-")))

const callsOf = ({ asked }: Peer) => asked.filter(({ method }) => method === "tools/call")

/** What stands between `=?base64?` and `?=`, read as a server reads it. */
const decoded = (value: string): string => {
  const base64 = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(value)?.[1]
  if (base64 === undefined) return value
  const bytes = Buffer.from(base64, "base64")
  assert.strictEqual(bytes.toString("base64"), base64)
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
}

const encoded = (text: string): string => `=?base64?${Buffer.from(text).toString("base64")}?=`

/** The headers of a call after the tools were listed. */
const mirrored = (properties: object, input: Schema.JsonObject, more: object = {}) =>
  Effect.gen(function*() {
    const peer = yield* onLoopback(server(having(tool("t", properties, more))))
    const source = yield* sourceOf(peer)
    assert.deepEqual((yield* source.discover).map(({ name }) => name), ["t"])
    assert.deepEqual(yield* source.call("t", input), input)
    const [call] = callsOf(peer)
    assert.deepEqual(call!.params.arguments, input)
    return paramsOf(call!)
  })

describe("a marked parameter", () => {
  it.live("that the call gives is sent as Mcp-Param-<name> and stays in the body [R-000-130]", () =>
    Effect.gen(function*() {
      const properties = { city: marked("Region"), other: marked("X-Own_1.2~!#"), plain: { type: "string" } }
      const input = { plain: "p", city: "Köln".normalize("NFC").replace("ö", "oe"), other: "o" }
      assert.deepEqual(yield* mirrored(properties, input), { "mcp-param-region": "Koeln", "mcp-param-x-own_1.2~!#": "o" })
    }))

  it.live("named like another header of the protocol stands beside that header", () =>
    Effect.gen(function*() {
      const peer = yield* onLoopback(server(having(tool("t", { a: marked("Method"), b: marked("Authorization"), c: marked("Mcp-Name") }))))
      const source = yield* sourceOf(peer)
      yield* source.discover
      yield* source.call("t", { a: "a", b: "b", c: "c" })
      const [call] = callsOf(peer)
      assert.deepEqual(paramsOf(call!), { "mcp-param-method": "a", "mcp-param-authorization": "b", "mcp-param-mcp-name": "c" })
      const { headers } = call!
      assert.deepEqual([headers["mcp-method"], headers["authorization"], headers["mcp-name"]], ["tools/call", `Bearer ${token}`, "t"])
    }))

  it.live("that the call does not give sends no header, and neither does null [R-000-131]", () =>
    Effect.gen(function*() {
      const properties = { a: marked("A"), b: marked("B"), toString: marked("C"), nested: { type: "object", properties: { d: marked("D") } } }
      assert.deepEqual(yield* mirrored(properties, {}), {})
      assert.deepEqual(yield* mirrored(properties, { b: null, other: "x" }), {})
      assert.deepEqual(yield* mirrored(properties, { nested: {} }), {})
      assert.deepEqual(yield* mirrored(properties, { nested: null }), {})
      assert.deepEqual(yield* mirrored(properties, { nested: "d" }), {})
    }))

  const plain = ["a", "a b  c", "", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", "=?base64?", "?=", "=?BASE64?eA==?=", "=?base64?eA==?=x", "%20", "a,b"]
  for (const value of plain) {
    it.live(`with the printable value ${JSON.stringify(value)} goes as it is [R-000-132]`, () =>
      Effect.gen(function*() {
        assert.deepEqual(yield* mirrored({ a: marked("A") }, { a: value }), { "mcp-param-a": value })
      }))
  }

  const beyond = ["é", "日本", "😀", "a\u0000b", "a\tb", "a\u007fb", "\u0085", "\u2028", "ünï a", "\u{10fff7}", "half of a pair: \ud83d"]
  for (const value of beyond) {
    it.live(`with the value ${JSON.stringify(value)} goes as =?base64?…?= of its UTF-8 [R-000-133]`, () =>
      Effect.gen(function*() {
        assert.deepEqual(yield* mirrored({ a: marked("A") }, { a: value }), { "mcp-param-a": encoded(value) })
      }))
  }

  for (const value of [" a", "a ", " ", "  ", "\ta", "a\t"]) {
    it.live(`with space at an end, ${JSON.stringify(value)}, is encoded likewise [R-000-134]`, () =>
      Effect.gen(function*() {
        assert.deepEqual(yield* mirrored({ a: marked("A") }, { a: value }), { "mcp-param-a": encoded(value) })
      }))
  }

  for (const value of ["=?base64?eA==?=", "=?base64??=", "=?base64?no base64?="]) {
    it.live(`that looks encoded itself, ${value}, is encoded, so that the server reads it back [R-000-135]`, () =>
      Effect.gen(function*() {
        assert.deepEqual(yield* mirrored({ a: marked("A") }, { a: value }), { "mcp-param-a": encoded(value) })
      }))
  }

  for (const value of ["x\r\nmcp-param-b: y", "x\nAuthorization: Bearer model", "x\rhost: evil.example", "\r\n\r\n{}", "\n"]) {
    it.live(`with the value ${JSON.stringify(value)} adds no header [R-000-136]`, () =>
      Effect.gen(function*() {
        const peer = yield* onLoopback(server(having(tool("t", { a: marked("A") }))))
        const source = yield* sourceOf(peer)
        yield* source.discover
        yield* source.call("t", { a: "plain" })
        yield* source.call("t", { a: value })
        const [first, second] = callsOf(peer)
        assert.deepEqual(Object.keys(second!.headers).sort(), Object.keys(first!.headers).sort())
        assert.deepEqual(paramsOf(second!), { "mcp-param-a": encoded(value) })
        assert.strictEqual(second!.headers["authorization"], `Bearer ${token}`)
      }))
  }

  it.live("that is a boolean or a number is sent as its text [R-000-138]", () =>
    Effect.gen(function*() {
      const properties = { yes: marked("Yes", "boolean"), no: marked("No", "boolean"), whole: marked("Whole", "integer"), big: marked("Big", "integer"), below: marked("Below", "integer"), part: marked("Part", "number"), zero: marked("Zero", "number") }
      const input = { yes: true, no: false, whole: 42, big: Number.MAX_SAFE_INTEGER, below: -7, part: -1.5, zero: 0 }
      assert.deepEqual(yield* mirrored(properties, input), {
        "mcp-param-yes": "true",
        "mcp-param-no": "false",
        "mcp-param-whole": "42",
        "mcp-param-big": "9007199254740991",
        "mcp-param-below": "-7",
        "mcp-param-part": "-1.5",
        "mcp-param-zero": "0"
      })
    }))

  it.live("on a number keeps the tool, though the protocol says otherwise [R-000-146]", () =>
    Effect.gen(function*() {
      const { layer, logs } = diagnostics()
      const peer = yield* onLoopback(server(having(tool("t", { a: marked("A", "number") }))))
      const source = yield* sourceOf(peer)
      assert.deepEqual((yield* Effect.provide(source.discover, layer)).map(({ name }) => name), ["t"])
      assert.deepEqual(logs, [])
      yield* source.call("t", { a: 0.5 })
      assert.deepEqual(callsOf(peer).map(paramsOf), [{ "mcp-param-a": "0.5" }])
    }))

  it.live("counts where nested properties lead to it [R-000-147]", () =>
    Effect.gen(function*() {
      const inner = { type: "object", properties: { c: marked("C"), "a/b ~": marked("D") } }
      const properties = { a: { type: "object", properties: { b: inner, properties: { type: "object", properties: { e: marked("E") } } } }, c: { type: "string" } }
      const input = { a: { b: { c: "deep", "a/b ~": "odd" }, properties: { e: "named" } }, c: "shallow" }
      assert.deepEqual(yield* mirrored(properties, input), { "mcp-param-c": "deep", "mcp-param-d": "odd", "mcp-param-e": "named" })
    }))

  it.live("whose value is neither text, number nor boolean sends no header of that value", () =>
    Effect.gen(function*() {
      for (const value of [{ a: 1 }, ["a"], [], {}]) {
        const peer = yield* onLoopback(server(having(tool("t", { a: marked("A"), b: marked("B") }))))
        const source = yield* sourceOf(peer)
        yield* source.discover
        const exit = yield* Effect.exit(endOf(source.call("t", { a: value, b: "b" })))
        assert.isTrue(Exit.isSuccess(exit))
        for (const call of callsOf(peer)) assert.deepEqual(paramsOf(call), { "mcp-param-b": "b" })
      }
    }))

  it.effect("is read back by a server as it was given, whatever the text, and adds no header but its own [R-000-136]", () =>
    Effect.gen(function*() {
      const peer = inProcess(server(having(tool("t", { a: marked("A") }))))
      const source = yield* sourceOf(peer)
      yield* source.discover
      const texts = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), fc.string(), fc.constantFrom("=?base64?x?=", "\r\n", " ", ""))
      for (const text of fc.sample(texts, { numRuns: 500, seed: 11 })) {
        yield* source.call("t", { a: text, [text]: text })
        const call = callsOf(peer).at(-1)!
        const { "mcp-param-a": value, ...others } = paramsOf(call)
        assert.match(value!, /^(?! )[\x20-\x7e]*(?<! )$/)
        assert.strictEqual(decoded(value!), text)
        assert.deepEqual(others, {})
      }
    }))
})

describe("a tool's name", () => {
  for (const name of ["t", "read file", "tools/read.file", "a-b_c", "?="]) {
    it.live(`goes in Mcp-Name as it is when it can: ${name} [R-000-137]`, () =>
      Effect.gen(function*() {
        const peer = yield* onLoopback(server(having()))
        yield* (yield* sourceOf(peer)).call(name, {})
        const [call] = callsOf(peer)
        assert.deepEqual([call!.headers["mcp-name"], call!.params.name], [name, name])
      }))
  }

  for (const name of ["größe", " t", "t ", "a\nb", "a\r\nmcp-method: tools/list", "=?base64?eA==?=", "😀", "a\u0000"]) {
    it.live(`goes in Mcp-Name encoded when it cannot: ${JSON.stringify(name)} [R-000-137]`, () =>
      Effect.gen(function*() {
        const peer = yield* onLoopback(server(having()))
        yield* (yield* sourceOf(peer)).call(name, {})
        const [call] = callsOf(peer)
        assert.deepEqual([call!.headers["mcp-name"], call!.params.name], [encoded(name), name])
        assert.strictEqual(call!.headers["mcp-method"], "tools/call")
      }))
  }
})

describe("what a model gives", () => {
  it.effect("changes no host, method, credential or header but those of the marks [R-000-008]", () =>
    Effect.gen(function*() {
      const names = ["t", "größe", "a\r\nhost: evil.example", "https://evil.example", "", "__proto__"]
      const peer = inProcess(server(having(tool("t", { a: marked("A"), headers: { type: "object", properties: { host: marked("Host") } } }))))
      const source = yield* sourceOf(peer)
      yield* source.discover
      const keys = ["a", "host", "authorization", "Authorization", "headers", "method", "url", "params", "_meta", "id", "jsonrpc", "name", "arguments", "__proto__", "Mcp-Name", "mcp-session-id"]
      const nasty = fc.oneof(fc.constantFrom<unknown>("x\r\nhost: evil.example", "https://evil.example", { host: "h\r\n", "io.modelcontextprotocol/protocolVersion": "1" }), fc.string({ unit: "binary" }), fc.jsonValue())
      const inputs = fc.array(fc.tuple(fc.constantFrom(...keys), nasty), { maxLength: 6 }).map((entries) =>
        JSON.parse(`{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(",")}}`) as Schema.JsonObject
      )
      for (const [name, input] of fc.sample(fc.tuple(fc.oneof(fc.constantFrom(...names), fc.string({ unit: "binary" })), inputs), { numRuns: 500, seed: 5 })) {
        const before = callsOf(peer).length
        yield* endOf(source.call(name, input))
        for (const { body, headers, http, id, method, params } of callsOf(peer).slice(before)) {
          const message = JSON.parse(body)
          assert.deepEqual(Object.keys(message).sort(), ["id", "jsonrpc", "method", "params"])
          assert.deepEqual(Object.keys(params).sort(), ["_meta", "arguments", "name"])
          assert.strictEqual(JSON.stringify(params.arguments), JSON.stringify(input))
          assert.deepEqual([http, method, message.jsonrpc, typeof id !== "object"], ["POST", "tools/call", "2.0", true])
          assert.strictEqual(params["_meta"]!["io.modelcontextprotocol/protocolVersion"], "2026-07-28")
          assert.strictEqual(headers["authorization"], `Bearer ${token}`)
          assert.strictEqual(decoded(headers["mcp-name"]!), name)
          const allowed = new Set(["host", "authorization", "content-type", "content-length", "accept", "mcp-protocol-version", "mcp-method", "mcp-name", ...name === "t" ? ["mcp-param-a", "mcp-param-host"] : []])
          assert.deepEqual(Object.keys(headers).filter((header) => !allowed.has(header)), [])
          for (const value of Object.values(headers)) assert.match(value!, /^[\x20-\x7e]*$/)
        }
      }
      assert.isAbove(callsOf(peer).length, 300)
      assert.deepEqual(methodsOf(peer).slice(0, 2), [probe, "tools/list"])
    }))
})

/** A server that wants a header for its parameter `a`, and says -32020 of a call that lacks it. */
const wanting = (header: () => string, more: Script = {}): Script => ({
  ...having(),
  "tools/list": (asked) => result(asked, { tools: [tool("t", { a: marked(header()) })] }),
  "tools/call": (asked) =>
    asked.headers[`mcp-param-${header().toLowerCase()}`] === asked.params.arguments?.["a"]
      ? result(asked, { structuredContent: "taken" })
      : error(asked, -32_020, { status: 400 }),
  ...more
})

describe("the marks of a tool", () => {
  it.live("are those of the last listing the source made [R-000-139]", () =>
    Effect.gen(function*() {
      const lists = [
        [tool("t", { a: marked("A"), b: { type: "string" } }), tool("u", { a: marked("U") })],
        [tool("t", { a: { type: "string" }, b: marked("B") })],
        []
      ]
      const peer = yield* onLoopback(server({ ...having(), "tools/list": (asked) => result(asked, { tools: lists[asked.before] }) }))
      const source = yield* sourceOf(peer)
      for (const expected of [{ "mcp-param-a": "a" }, { "mcp-param-b": "b" }, {}]) {
        yield* source.discover
        yield* source.call("t", { a: "a", b: "b" })
        assert.deepEqual(paramsOf(callsOf(peer).at(-1)!), expected)
      }
      yield* source.call("u", { a: "a" })
      assert.deepEqual(paramsOf(callsOf(peer).at(-1)!), {})
    }))

  it.live("are of all pages of a listing [R-000-139]", () =>
    Effect.gen(function*() {
      const pages = [tool("t", { a: marked("A") }), tool("u", { a: marked("U") })]
      const peer = yield* onLoopback(server({ ...having(), "tools/list": (asked) => result(asked, { tools: [pages[asked.before]], ...(asked.before === 0 && { nextCursor: "2" }) }) }))
      const source = yield* sourceOf(peer)
      yield* source.discover
      for (const name of ["t", "u"]) yield* source.call(name, { a: "a" })
      assert.deepEqual(callsOf(peer).map(paramsOf), [{ "mcp-param-a": "a" }, { "mcp-param-u": "a" }])
    }))

  it.live("are not known to a source that has not listed, which sends the call without the headers [R-000-140]", () =>
    Effect.gen(function*() {
      const peer = yield* onLoopback(server(having(tool("t", { a: marked("A") }))))
      const source = yield* sourceOf(peer)
      assert.deepEqual(yield* source.call("t", { a: "a" }), { a: "a" })
      assert.deepEqual(callsOf(peer).map(({ headers }) => headers["mcp-name"]), ["t"])
      assert.deepEqual(callsOf(peer).map(paramsOf), [{}])
      assert.deepEqual(methodsOf(peer), [probe, "tools/call"])
    }))

  for (const status of [400, 200]) {
    it.live(`are asked for after -32020 at ${status}, and the call is repeated once with the headers [R-000-141]`, () =>
      Effect.gen(function*() {
        const script = wanting(() => "A")
        const peer = yield* onLoopback(server({
          ...script,
          "tools/call": (asked) => "mcp-param-a" in asked.headers ? script["tools/call"]!(asked) : error(asked, -32_020, { status })
        }))
        const source = yield* sourceOf(peer)
        assert.strictEqual(yield* source.call("t", { a: "x" }), "taken")
        assert.deepEqual(methodsOf(peer), [probe, "tools/call", "tools/list", "tools/call"])
        assert.deepEqual(callsOf(peer).map(paramsOf), [{}, { "mcp-param-a": "x" }])
        const [first, second] = callsOf(peer)
        assert.deepEqual([second!.params.name, second!.params.arguments], [first!.params.name, first!.params.arguments])
        assert.strictEqual(yield* source.call("t", { a: "y" }), "taken")
        assert.deepEqual(methodsOf(peer).slice(4), ["tools/call"])
      }))
  }

  it.live("are asked for page by page after -32020 [R-000-141]", () =>
    Effect.gen(function*() {
      const peer = yield* onLoopback(server(wanting(() => "A", {
        "tools/list": (asked) => asked.before === 0 ? result(asked, { tools: [tool("u", {})], nextCursor: "2" }) : result(asked, { tools: [tool("t", { a: marked("A") })] })
      })))
      assert.strictEqual(yield* (yield* sourceOf(peer)).call("t", { a: "x" }), "taken")
      assert.deepEqual(methodsOf(peer), [probe, "tools/call", "tools/list", "tools/list", "tools/call"])
    }))

  it.live("that would send the same headers after -32020 fail the call without a repeat [R-000-142]", () =>
    Effect.gen(function*() {
      const refusing: Script = { "tools/call": (asked) => error(asked, -32_020, { status: 400 }) }
      const unlisted = yield* onLoopback(server({ ...having(tool("t", { a: { type: "string" } })), ...refusing }))
      assert.strictEqual(yield* endOf((yield* sourceOf(unlisted)).call("t", { a: "x" })), "InvalidResponseError")
      assert.deepEqual(methodsOf(unlisted), [probe, "tools/call", "tools/list"])

      const listed = yield* onLoopback(server({ ...having(tool("t", { a: marked("A") })), ...refusing }))
      const source = yield* sourceOf(listed)
      yield* source.discover
      assert.strictEqual(yield* endOf(source.call("t", { a: "x" })), "InvalidResponseError")
      assert.deepEqual(methodsOf(listed), [probe, "tools/list", "tools/call", "tools/list"])

      // A mark of a parameter that the call does not give asks for no other headers.
      const ungiven = yield* onLoopback(server({ ...having(tool("t", { a: marked("A") })), ...refusing }))
      assert.strictEqual(yield* endOf((yield* sourceOf(ungiven)).call("t", { b: "x" })), "InvalidResponseError")
      assert.deepEqual(methodsOf(ungiven), [probe, "tools/call", "tools/list"])
    }))

  it.live("that are refused a second time are not asked for again [R-000-141]", () =>
    Effect.gen(function*() {
      const peer = yield* onLoopback(server(wanting(() => "A", { "tools/call": (asked) => error(asked, -32_020, { status: 400 }) })))
      assert.strictEqual(yield* endOf((yield* sourceOf(peer)).call("t", { a: "x" })), "InvalidResponseError")
      assert.deepEqual(methodsOf(peer), [probe, "tools/call", "tools/list", "tools/call"])
    }))

  it.live("that the server has changed are learnt the same way [R-000-143]", () =>
    Effect.gen(function*() {
      let header = "A"
      const peer = yield* onLoopback(server(wanting(() => header)))
      const source = yield* sourceOf(peer)
      yield* source.discover
      assert.strictEqual(yield* source.call("t", { a: "x" }), "taken")
      header = "B"
      assert.strictEqual(yield* source.call("t", { a: "x" }), "taken")
      assert.deepEqual(methodsOf(peer), [probe, "tools/list", "tools/call", "tools/call", "tools/list", "tools/call"])
      assert.deepEqual(callsOf(peer).map(paramsOf), [{ "mcp-param-a": "x" }, { "mcp-param-a": "x" }, { "mcp-param-b": "x" }])
    }))

  it.live("that a listing after -32020 does not give end the call with an error of the source", () =>
    Effect.gen(function*() {
      const peer = yield* onLoopback(server(wanting(() => "A", { "tools/list": () => ({ status: 503 }) })))
      const end = yield* endOf((yield* sourceOf(peer)).call("t", { a: "x" }))
      assert.include(["UnavailableError", "InvalidResponseError"], String(end))
      assert.deepEqual(methodsOf(peer), [probe, "tools/call", "tools/list"])
    }))
})

const isKept = (tool: { readonly name: string; readonly inputSchema: unknown }, input: Schema.JsonObject, headers: object) =>
  Effect.gen(function*() {
    const { layer, logs } = diagnostics()
    const peer = inProcess(server(having(tool)))
    const source = yield* sourceOf(peer)
    const [definition] = yield* Effect.provide(source.discover, layer)
    assert.deepEqual(definition?.inputSchema, tool.inputSchema as never)
    assert.deepEqual(logs, [])
    yield* source.call(tool.name, input)
    assert.deepEqual(callsOf(peer).map(paramsOf), [headers])
  })

describe("a tool whose marks the protocol does not allow", () => {
  const good = tool("good", { a: marked("A") })
  const strings = { type: "string" }

  /** Left out, with one warning that names it, and the others are there. */
  const isLeftOut = (bad: { readonly name: string; readonly inputSchema: unknown }) =>
    Effect.gen(function*() {
      const { layer, logs } = diagnostics()
      const peer = inProcess(server(having(bad, good)))
      const source = yield* sourceOf(peer)
      assert.deepEqual((yield* Effect.provide(source.discover, layer)).map(({ name }) => name), ["good"])
      assert.deepEqual(logs.map(({ level }) => level), ["Warn"])
      assert.include(logs[0]!.message, bad.name)
      yield* source.call("good", { a: "x" })
      assert.deepEqual(callsOf(peer).map(paramsOf), [{ "mcp-param-a": "x" }])
    })

  const twice: ReadonlyArray<readonly [string, object]> = [
    ["the same", { a: marked("Region"), b: marked("Region") }],
    ["the same but for case", { a: marked("Region"), b: marked("rEGION") }],
    ["the same, one nested", { a: marked("Region"), b: { type: "object", properties: { c: marked("Region") } } }]
  ]
  for (const [what, properties] of twice) {
    it.effect(`by two of one name, ${what}, is left out with a warning [R-000-144]`, () => isLeftOut(tool("bad", properties)))
  }

  const types: ReadonlyArray<readonly [string, object]> = [
    ["an object", { a: marked("R", "object") }],
    ["an object with properties", { a: { ...marked("R", "object"), properties: { b: strings } } }],
    ["a list", { a: { ...marked("R", "array"), items: strings } }],
    ["null", { a: marked("R", "null") }],
    ["no type", { a: { "x-mcp-header": "R" } }],
    ["an enum without a type", { a: { "x-mcp-header": "R", enum: ["a"] } }],
    ["a list of types", { a: marked("R", ["string", "null"]) }],
    ["a list of one type", { a: marked("R", ["string"]) }],
    ["a type unheard of", { a: marked("R", "text") }]
  ]
  for (const [what, properties] of types) {
    it.effect(`by one on a parameter that is ${what} is left out with a warning [R-000-145]`, () => isLeftOut(tool("bad", properties)))
  }

  const places: ReadonlyArray<readonly [string, object]> = [
    ["items", { properties: { a: { type: "array", items: marked("R") } } }],
    ["properties of items", { properties: { a: { type: "array", items: { type: "object", properties: { b: marked("R") } } } } }],
    ["prefixItems", { properties: { a: { type: "array", prefixItems: [marked("R")] } } }],
    ["contains", { properties: { a: { type: "array", contains: marked("R") } } }],
    ["anyOf", { properties: { a: { anyOf: [marked("R"), { type: "null" }] } } }],
    ["oneOf", { properties: { a: { oneOf: [marked("R")] } } }],
    ["allOf", { properties: { a: { allOf: [marked("R")] } } }],
    ["anyOf of the root", { anyOf: [{ properties: { a: marked("R") } }] }],
    ["not", { properties: { a: { not: marked("R") } } }],
    ["if", { if: { properties: { a: marked("R") } } }],
    ["then", { if: {}, ["then" as string]: { properties: { a: marked("R") } } }],
    ["else", { if: {}, else: { properties: { a: marked("R") } } }],
    ["$defs", { properties: { a: { $ref: "#/$defs/A" } }, $defs: { A: marked("R") } }],
    ["definitions", { properties: { a: { $ref: "#/definitions/A" } }, definitions: { A: marked("R") } }],
    ["additionalProperties", { additionalProperties: marked("R") }],
    ["patternProperties", { patternProperties: { "^a": marked("R") } }],
    ["propertyNames", { propertyNames: marked("R") }],
    ["unevaluatedProperties", { unevaluatedProperties: marked("R") }],
    ["dependentSchemas", { dependentSchemas: { a: { properties: { b: marked("R") } } } }],
    ["the root", { "x-mcp-header": "R" }]
  ]
  for (const [what, more] of places) {
    it.effect(`by one under ${what} is left out with a warning [R-000-148]`, () => isLeftOut(tool("bad", {}, more)))
  }

  const marks: ReadonlyArray<unknown> = ["", " ", "a b", "a:b", "ü", "a\r\nb", "(a)", "a/b", "a,b", "a\u0000", 5, true, null, ["A"], { name: "A" }]
  for (const mark of marks) {
    it.effect(`by the name ${JSON.stringify(mark)}, which is no header's, is left out with a warning [R-000-149]`, () => isLeftOut(tool("bad", { a: marked(mark) })))
  }

  it.effect("hides none of the others [R-000-151]", () =>
    Effect.gen(function*() {
      const { layer, logs } = diagnostics()
      const bad = [...twice, ...types].map(([, properties], at) => tool(`bad ${at}`, properties))
      const peer = inProcess(server(having(tool("first", {}), ...bad, good, null, 7, { name: "", inputSchema: {} }, tool("last", {}))))
      const definitions = yield* Effect.provide((yield* sourceOf(peer)).discover, layer)
      assert.deepEqual(definitions.map(({ name }) => name), ["first", "good", "last"])
      assert.isAtLeast(logs.length, bad.length)
    }))

  it.effect("is not one with a parameter of the name x-mcp-header", () =>
    isKept(tool("t", { "x-mcp-header": strings, a: marked("A") }), { "x-mcp-header": "x", a: "a" }, { "mcp-param-a": "a" }))

  it.effect("is not one that says x-mcp-header in its data", () =>
    isKept(
      tool("t", { a: { ...strings, default: { "x-mcp-header": 1 } }, b: { const: { "x-mcp-header": 1 } }, c: { enum: [{ "x-mcp-header": 1 }] } }, { examples: [{ "x-mcp-header": 1 }] }),
      { a: "a" },
      {}
    ))

  it.live("of a server with sessions is listed as it is, and a call sends no Mcp-Param and no Mcp-Name [R-000-150]", () =>
    Effect.gen(function*() {
      const { layer, logs } = diagnostics()
      const tools = [good, ...[...twice, ...types].map(([, properties], at) => tool(`t${at}`, properties)), ...places.map(([, more], at) => tool(`p${at}`, {}, more))]
      const peer = yield* onLoopback(server({ ...sessions, "tools/list": (asked) => result(asked, { tools }), "tools/call": (asked) => result(asked, { content: [] }) }))
      const source = yield* sourceOf(peer)
      const definitions = yield* Effect.provide(source.discover, layer)
      assert.deepEqual(definitions.map(({ inputSchema, name }) => ({ name, inputSchema })), tools as never)
      assert.deepEqual(logs, [])
      yield* source.call("good", { a: "x" })
      yield* source.call("größe", { a: "x" })
      for (const { headers } of peer.asked.filter(({ method }) => !method.startsWith("server/"))) {
        assert.deepEqual(Object.keys(headers).filter((name) => /^mcp-(param|name|method)/.test(name)), [])
      }
    }))
})
