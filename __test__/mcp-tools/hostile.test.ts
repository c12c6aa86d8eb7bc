/** Clients that mean no good, or have a mistake: each call has an answer or an end, and the server goes on. */
import { request as openRequest } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Tool } from "effect/ai"
import { Assembly } from "../../ts/index.ts"
import { define, recording } from "../support/language-model.ts"
import { eventually } from "../support/mcp.ts"
import { onLoopback } from "../support/mcp-servers.ts"
import { client, newest, serveTools, textsOf, versions } from "../support/mcp-tools.ts"
import { kit } from "../support/presented.ts"

const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`

const Profile = Schema.Struct({ name: Schema.optional(Schema.String), admin: Schema.optional(Schema.Boolean) })

const kinds = Effect.gen(function*() {
  const source = recording("hub", (_, input) => Effect.succeed(input))
  const assembled = yield* Assembly.toolkit([{ source, definitions: [define("echo")] }], () => "allow")
  const handled: Array<object> = []
  const typed = yield* kit([
    Tool.make("profile", { parameters: Profile, success: Schema.String }),
    (input) => Effect.sync(() => String(handled.push(input)))
  ], [
    Tool.make("any", { parameters: Schema.Struct({ value: Schema.Unknown }), success: Schema.Unknown }),
    (input) => Effect.succeed(input)
  ])
  return { assembled, handled, source, typed }
})

describe.each(["2025-11-25", newest] as const)("in %s", (version) => {
  it.live("an input of any depth has an answer, and one as deep as JSON may be comes back", () =>
    Effect.gen(function*() {
      const { assembled, typed } = yield* kinds
      for (const [toolkit, name] of [[assembled, "hub__echo"], [typed, "any"]] as const) {
        const { request } = yield* client(yield* serveTools({ toolkit }), version)
        for (const levels of [500, 513, 5000, 100_000]) {
          // Written by hand, since JSON.stringify runs out of stack.
          const rewrite = (body: string) => body.replace("\"here\"", nested(levels))
          const { result } = yield* Effect.promise(() => request("tools/call", { name, arguments: { value: "here" } }, { rewrite }))
          if (levels === 500) assert.strictEqual(JSON.stringify(result.structuredContent), `{"value":${nested(levels)}}`)
          else assert.strictEqual(result.isError, true, `${name} ${levels}`)
        }
      }
    }))

  it.live("a name that every object has is a name like any other, in an input and in a result", () =>
    Effect.gen(function*() {
      const { assembled, handled, typed } = yield* kinds
      const hostile = JSON.parse("{\"__proto__\":{\"admin\":true,\"name\":\"root\"},\"constructor\":{\"prototype\":1},\"toString\":null}") as object
      const { call } = yield* client(yield* serveTools({ toolkit: typed }), version)
      yield* Effect.promise(() => call("profile", hostile))
      const [input] = handled
      assert.deepStrictEqual([Reflect.get(input!, "admin"), Reflect.get(input!, "name")], [undefined, undefined])
      const echo = yield* client(yield* serveTools({ toolkit: assembled }), version)
      const { content, structuredContent } = yield* Effect.promise(() => echo.call("hub__echo", hostile))
      assert.strictEqual(content[0].text, JSON.stringify(hostile))
      assert.strictEqual(JSON.stringify(structuredContent), JSON.stringify(hostile))
      assert.notProperty({}, "admin")
    }))

  it.live("2,000 calls at once each have their own answer", () =>
    Effect.gen(function*() {
      const { assembled } = yield* kinds
      const { call } = yield* client(yield* serveTools({ toolkit: assembled }), version)
      const numbers = Array.from({ length: 2000 }, (_, at) => at)
      const answers = yield* Effect.promise(() => Promise.all(numbers.map((at) => call("hub__echo", { at }))))
      assert.deepStrictEqual(answers.map((answer) => textsOf(answer)[0]), numbers.map((at) => `{"at":${at}}`))
    }), 60_000)

  it.live("clients that leave in the middle of their calls leave nothing running behind them", () =>
    Effect.gen(function*() {
      let begun = 0
      let running = 0
      const toolkit = yield* kit(
        [Tool.make("wait", { success: Schema.String }), () =>
          Effect.sync(() => {
            begun++
            running++
          }).pipe(Effect.andThen(Effect.never), Effect.ensuring(Effect.sync(() => running--)))],
        [Tool.make("echo", { success: Schema.String }), () => Effect.succeed("here")]
      )
      const { call, request } = yield* client(yield* onLoopback(yield* serveTools({ toolkit })), version)
      const leaving = Array.from({ length: 200 }, () => new AbortController())
      const calls = leaving.map(({ signal }) => request("tools/call", { name: "wait", arguments: {} }, { signal }).catch(() => "left"))
      yield* eventually(() => begun === 200, "every call runs")
      for (const one of leaving) one.abort()
      yield* Effect.promise(() => Promise.all(calls))
      yield* eventually(() => running === 0, "no call runs")
      assert.deepStrictEqual(textsOf(yield* Effect.promise(() => call("echo"))), ["here"])
    }), 30_000)

  it.live("a request that ends in the middle, or says less than it announced, is no call", () =>
    Effect.gen(function*() {
      const { assembled, source } = yield* kinds
      const port = yield* onLoopback(yield* serveTools({ toolkit: assembled }))
      const { call } = yield* client(port, version)
      for (let at = 0; at < 20; at++) {
        yield* Effect.callback<void>((resume) => {
          const headers = { "content-type": "application/json", accept: "application/json, text/event-stream", "content-length": "1000" }
          const open = openRequest(`http://127.0.0.1:${port}/mcp`, { method: "POST", headers })
          open.on("error", () => {}).on("close", () => resume(Effect.void))
          open.write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"hub__echo\",\"argu", () => open.destroy())
        })
      }
      assert.deepStrictEqual(source.calls, [])
      assert.deepStrictEqual((yield* Effect.promise(() => call("hub__echo", { at: 1 }))).structuredContent, { at: 1 })
    }))
})

it.live("arguments that are no object are an error of the protocol, and none at all are an empty one", () =>
  Effect.gen(function*() {
    const { assembled, source } = yield* kinds
    const server = yield* serveTools({ toolkit: assembled })
    for (const version of versions) {
      const { request } = yield* client(server, version)
      for (const input of [null, [], 1, "x"]) {
        const { error } = yield* Effect.promise(() => request("tools/call", { name: "hub__echo", arguments: input }))
        assert.strictEqual(error?.code, -32_602, `${version} ${JSON.stringify(input)}`)
      }
      assert.deepStrictEqual(source.calls, [])
      assert.isNotOk((yield* Effect.promise(() => request("tools/call", { name: "hub__echo" }))).result.isError)
      assert.deepStrictEqual(source.calls.map(({ input }) => input), [{}])
      ;(source.calls as Array<unknown>).length = 0
    }
  }))

it.live("tools of any name are listed and called by it", () =>
  Effect.gen(function*() {
    const names = ["__proto__", "constructor", "hasOwnProperty", "größe", "a b", "x\u0000y", "=?base64?eA==?=", "e".repeat(1000)]
    const toolkit = yield* kit(...names.map((name) => [Tool.make(name, { success: Schema.String }), () => Effect.succeed(`I am ${name}`)] as const))
    for (const version of versions) {
      const { call, list } = yield* client(yield* serveTools({ toolkit }), version)
      assert.deepStrictEqual((yield* Effect.promise(list)).map(({ name }) => name), names)
      for (const name of names) assert.deepStrictEqual(textsOf(yield* Effect.promise(() => call(name))), [`I am ${name}`])
    }
  }))

it.live("an input of some megabytes is taken, and comes back", () =>
  Effect.gen(function*() {
    const { assembled } = yield* kinds
    const { call } = yield* client(yield* serveTools({ toolkit: assembled }))
    const text = "ü\u2028😀".repeat(1_000_000)
    const { structuredContent } = yield* Effect.promise(() => call("hub__echo", { text }))
    assert.isTrue(structuredContent.text === text)
  }), 60_000)
