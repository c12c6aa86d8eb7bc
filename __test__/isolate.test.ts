import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { Tool } from "effect/ai"
import { CodeMode, CodeRuntime } from "../ts/index.ts"
import { open } from "../ts/internal/isolates.ts"
import * as Isolate from "../ts/isolate.ts"
import { echoing, errorIn, failure, modes, resultIn, runIn, withRuntime } from "./support/isolate.ts"
import { landlock } from "./support/kernel.ts"
import { modes as modelModes } from "./support/language-model.ts"
import { type Any, kit, resultOf } from "./support/presented.ts"

/** What an isolate says: a frame's kind, its numbers and its text. */
const frame = (kind: number, numbers: ReadonlyArray<number>, text = "") => {
  const bytes = Buffer.alloc(5 + 4 * numbers.length)
  bytes.writeUInt32LE(bytes.length - 4 + Buffer.byteLength(text))
  bytes[4] = kind
  for (const [at, number] of numbers.entries()) bytes.writeUInt32LE(number, 5 + 4 * at)
  return Buffer.concat([bytes, Buffer.from(text)])
}

/** How many files and pipes this process has open. */
const descriptors = () => readdirSync("/proc/self/fd").length

/** A tool that needs the event loop to answer. */
const soon = (input: Schema.Json) => Effect.as(Effect.sleep(1), input)

for (const mode of modes) {
  describe(`code in a ${mode}`, () => {
    it.live("is run under CodeMode, with its tools and what it logs", () =>
      withRuntime({ mode }, (runtime) =>
        Effect.gen(function*() {
          const add = Tool.make("add", { parameters: Schema.Struct({ a: Schema.Finite, b: Schema.Finite }), success: Schema.Finite })
          const presented = yield* kit([add, ({ a, b }: { readonly a: number; readonly b: number }) => Effect.succeed(a + b)])
          const toolkit = yield* CodeMode.toolkit(presented, runtime)
          const code = "const three: number = await tools.add({ a: 1, b: 2 })\nconsole.log('three', three)\nreturn { six: await tools.add({ a: three, b: three }) }"
          const { encodedResult, isFailure } = yield* resultOf(toolkit as Any, "execute", { code }, modelModes[0]!)
          assert.deepStrictEqual({ isFailure, encodedResult }, { isFailure: false, encodedResult: { result: { six: 6 }, logs: ["three 3"] } })
          const mistaken = yield* resultOf(toolkit as Any, "execute", { code: "console.log('first')\nawait tools.add({ a: 1 })" }, modelModes[0]!)
          assert.deepInclude(mistaken.encodedResult, { code: "CodeError", message: "ToolError: Missing key\n  at [\"b\"]\n    at line 2, column 13", logs: ["first"] })
        })))

    it.live("gives what it returns, null where that is nothing", () =>
      withRuntime({ mode }, (runtime) =>
        Effect.gen(function*() {
          for (const [code, expected] of [
            ["return 1", 1],
            ["", null],
            ["return { __proto__: null, ['__proto__']: 1 }", JSON.parse("{\"__proto__\":1}")],
            ["return 'é𝒳\\ud800'", "é𝒳\ud800"],
            ["return tools.echo({ a: ['é𝒳', null] })", { a: ["é𝒳", null] }],
            ["return tools.echo()", null]
          ] as const) assert.deepStrictEqual(yield* resultIn(runtime, code), expected, code)
        })))

    it.live("calls tools at once, and hears of a failure where it called", () =>
      withRuntime({ mode, maxConcurrentToolCalls: 3 }, (runtime) =>
        Effect.gen(function*() {
          let under = 0
          let most = 0
          const seen: Array<unknown> = []
          const slow = (input: Schema.Json) =>
            Effect.gen(function*() {
              seen.push(input)
              most = Math.max(most, ++under)
              yield* Effect.sleep(5)
              under--
              return input
            })
          const result = yield* resultIn(runtime, "return Promise.all(Array.from({ length: 10 }, (_, n) => tools.slow(n)))", { slow })
          assert.deepStrictEqual(result, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
          assert.deepStrictEqual(seen, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
          assert.strictEqual(most, 3)
          assert.deepStrictEqual(
            yield* resultIn(runtime, "try { await tools.fail() } catch (error) { return [error instanceof Error, error.name, error.message, error.code, error.retryable] }"),
            [true, "ToolError", "No such page.", "CallFailedError", false]
          )
          assert.strictEqual(yield* errorIn(runtime, "const a = 1\nconst f = async () => {\n  await tools.fail()\n}\nawait f()"), "ToolError: No such page.\n    at f (line 3, column 15)\n    at line 5, column 7")
        })))

    it.live("is told the line and column of its own text, whatever characters are before", () =>
      withRuntime({ mode }, (runtime) =>
        Effect.gen(function*() {
          for (const code of [
            "const s = '𝒳é€'; foo.bar",
            "const a: 'é' | '𝒳' = 'é'; foo.bar",
            "/* é */ const f = (a: 'é𝒳') => { const b: 'é' = 'é'; return foo.bar }\n'𝒳'; f('é𝒳')",
            "const a = 1\r\nconst b = `é\r\n${a}`; foo.bar",
            "const a = 1\rconst é = 2; foo.bar"
          ]) {
            const before = code.slice(0, code.indexOf("foo")).split(/\r\n|\r|\n/)
            const place = `line ${before.length}, column ${before.at(-1)!.length + 1}`
            const [what, at] = (yield* errorIn(runtime, code)).split("\n")
            assert.strictEqual(what, "ReferenceError: foo is not defined", code)
            assert.include([`    at ${place}`, `    at f (${place})`], at, code)
          }
          assert.strictEqual(yield* errorIn(runtime, "const a = 'é'\rconst b = 'é' +"), "SyntaxError: Unexpected token\n    at line 2, column 16")
        })))

    it.live("calls tools in a row, each once and in order, and leaves its host to others meanwhile", () =>
      withRuntime({ mode, maxToolCalls: 2000 }, (runtime) =>
        Effect.gen(function*() {
          const seen: Array<unknown> = []
          let turns = 0
          const turn = setInterval(() => turns++, 0)
          const echo = (input: Schema.Json) => Effect.sync(() => (seen.push(input), input))
          const result = yield* resultIn(runtime, "let sum = 0; for (let n = 0; n < 2000; n++) sum += await (n % 500 === 3 ? tools.slow : tools.echo)(n); return sum", { echo, slow: soon })
          clearInterval(turn)
          assert.strictEqual(result, 1999 * 1000)
          assert.deepStrictEqual(seen, Array.from({ length: 2000 }, (_, n) => n).filter((n) => n % 500 !== 3))
          assert.isAbove(turns, 10)
        })))

    it.live("stops when it is interrupted, whatever it is at, and its tool calls with it [R-000-310]", () =>
      withRuntime({ mode, pool: { warm: 1 } }, (runtime) =>
        Effect.gen(function*() {
          const waits = ["await tools.wait()", "tools.wait(); await new Promise((resolve) => setTimeout(resolve, 60000))"]
          const loops = ["for (;;) {}", "for (;;) await 0", "for (;;) try { for (;;) {} } finally { continue }"]
          for (const code of [...waits, ...loops]) {
            const isHeard = waits.includes(code)
            const started = yield* Deferred.make<void>()
            const events: Array<string> = []
            const wait = () =>
              Deferred.succeed(started, undefined).pipe(
                Effect.andThen(Effect.never),
                Effect.onInterrupt(() => Effect.sync(() => void events.push("interrupted")))
              )
            const fiber = yield* Effect.forkChild(runIn(runtime, code, { wait }))
            if (isHeard) yield* Deferred.await(started)
            else yield* Effect.sleep(30)
            yield* Fiber.interrupt(fiber)
            assert.deepStrictEqual(events, isHeard ? ["interrupted"] : [], code)
            assert.strictEqual(yield* resultIn(runtime, "return 1"), 1, code)
          }
        })))

    it.live("that ends before its tool calls do stops them, and says so", () =>
      withRuntime({ mode }, (runtime) =>
        Effect.gen(function*() {
          const events: Array<string> = []
          const wait = () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => void events.push("interrupted")))
          const { logs, result } = yield* runIn(runtime, "tools.wait(); await tools.echo(1); return 2", { ...echoing, wait })
          assert.strictEqual(result, 2)
          assert.deepStrictEqual(logs, ["[warn] The code ended while tool calls were under way, which were stopped: \"wait\". Await each call."])
          assert.deepStrictEqual(events, ["interrupted"])
        })))

    it.live("ends with a tool that has a defect, and as an interruption with one that interrupts itself", () =>
      withRuntime({ mode }, (runtime) =>
        Effect.gen(function*() {
          const died = yield* Effect.exit(runIn(runtime, "try { await tools.die() } catch {} return 1", { die: () => Effect.die("broken") }))
          assert.isTrue(Exit.isFailure(died) && Cause.hasDies(died.cause) && Cause.squash(died.cause) === "broken")
          const thrown = yield* Effect.exit(runIn(runtime, "await tools.die()", { die: () => { throw new Error("thrown") } }))
          assert.isTrue(Exit.isFailure(thrown) && Cause.hasDies(thrown.cause))
          const cyclic: Record<string, unknown> = {}
          cyclic["cyclic"] = cyclic
          const unjson = yield* Effect.exit(runIn(runtime, "await tools.odd()", { odd: () => Effect.succeed(cyclic as never) }))
          assert.isTrue(Exit.isFailure(unjson) && Cause.hasDies(unjson.cause))
          const interrupted = yield* Effect.exit(runIn(runtime, "await tools.stop()", { stop: () => Effect.interrupt }))
          assert.isTrue(Exit.isFailure(interrupted) && Cause.hasInterruptsOnly(interrupted.cause))
          assert.strictEqual(yield* resultIn(runtime, "return 1"), 1)
        })))

    it.live("has what is wrong as a CodeError, with what was logged before", () =>
      withRuntime({ mode }, (runtime) =>
        Effect.gen(function*() {
          const error = yield* Effect.flip(runIn(runtime, "console.log('a')\nnull.b"))
          assert.instanceOf(error, CodeRuntime.CodeError)
          assert.deepStrictEqual([error.message, error.logs], ["TypeError: cannot read property 'b' of null\n    at line 2, column 1", ["a"]])
        })))

    it.live("logs what has no form in JSON as what it is", () =>
      withRuntime({ mode }, (runtime) =>
        Effect.gen(function*() {
          const { logs } = yield* runIn(runtime, "URLSearchParams.prototype.toString = () => 'x'; console.log(new Map([[1, 2]]), [1].values(), new Map().keys(), (async function*() {})(), new URLSearchParams('a=1&b=%20'))")
          assert.deepStrictEqual(logs, ["Map {1 => 2} [iterator] [iterator] [iterator] \"a=1&b=+\""])
        })))

    it.live("says that memory ran out where only a promise was told", () =>
      withRuntime({ mode, memory: 16 * 2 ** 20 }, (runtime) =>
        Effect.gen(function*() {
          const { logs, result } = yield* runIn(runtime, "(async () => 'é'.repeat(3e6).normalize('NFD'))(); await tools.echo(1); return 2")
          assert.strictEqual(result, 2)
          assert.lengthOf(logs, 1)
          assert.include(logs[0]!, "nothing handled it. Await each call: The code ran out of memory: it may use 16 MiB.")
        })))

    it.live("finds nothing of another run", () =>
      withRuntime({ mode, pool: { warm: 1, max: 1 } }, (runtime) =>
        Effect.gen(function*() {
          yield* resultIn(runtime, "globalThis.left = 1; Array.prototype.left = 1; Object.prototype.left = 1; Promise.prototype.then = null; return 1")
          assert.deepStrictEqual(yield* resultIn(runtime, "return [typeof left, [].left, {}.left]"), ["undefined", null, null])
        })))

    it.live("has a defect for an option that is none", () =>
      Effect.gen(function*() {
        const wrong: ReadonlyArray<Isolate.Options> = [
          { memory: 1 },
          { memory: NaN },
          { stack: 1 },
          { cpu: 0 },
          { timeout: "soon" as never },
          { maxToolCalls: -1 },
          { maxConcurrentToolCalls: 0 },
          { maxLogLength: 1.5 },
          { maxSourceLength: 0 },
          { pool: { max: 0 } },
          { pool: { warm: 3, max: 2 } },
          { mode: "other" as never },
          { require: "other" as never }
        ]
        for (const options of wrong) {
          const exit = yield* Effect.exit(Effect.scoped(Isolate.make({ mode, ...options })))
          assert.isTrue(Exit.isFailure(exit) && Cause.isIllegalArgumentError(Cause.squash(exit.cause)), JSON.stringify(options))
        }
      }))

    it.live("is told what its own limits leave of what went wrong", () =>
      withRuntime({ mode, maxLogLength: 0, maxResultLength: 1000, maxInputLength: 1000, maxToolCalls: 5000 }, (runtime) =>
        Effect.gen(function*() {
          for (const code of ["throw new Error('x'.repeat(9e6))", "throw new Error('\\u4f60'.repeat(9e5))", `let ${"a".repeat(80_000)}, ${"a".repeat(80_000)}`]) {
            const message = yield* errorIn(runtime, code)
            assert.match(message.slice(0, 40), /^(?:Error: [x\u4f60]|SyntaxError: )/)
            assert.isAtMost(message.length, 16 * 1024 + 1)
          }
          const name = "a".repeat(64)
          const calls = yield* runIn(runtime, `for (let n = 0; n < 5000; n++) tools.${name}(1); return 'fine'`, { [name]: () => Effect.never })
          assert.strictEqual(calls.result, "fine")
          assert.deepStrictEqual(calls.logs, [`[warn] The code ended while tool calls were under way, which were stopped: "${name}" (5000 times). Await each call.`])
        })))

    it.live("gives no tool what JSON loses, and has a tool's failure as JSON", () =>
      withRuntime({ mode }, (runtime) =>
        Effect.gen(function*() {
          assert.match(yield* errorIn(runtime, "return tools.echo({ text: tools.echo('x') })"), /^TypeError: The input of tools\["echo"\] is not JSON: input\.text is a promise: await it/)
          assert.match(yield* errorIn(runtime, "return { a: new Error('x') }"), /result\.a is an error: take its message/)
          for (const iterator of ["new Map().keys()", "[1].values()", "[1].values().map(String)", "(function*() {})()", "(async function*() {})()", "'a'.matchAll(/a/g)"]) {
            assert.match(yield* errorIn(runtime, `return { a: ${iterator} }`), /result\.a is an iterator: make a list of it with \[\.\.\.iterator\]/, iterator)
            assert.match(yield* errorIn(runtime, `await tools.echo([${iterator}])`), /input\[0\] is an iterator/, iterator)
          }
          assert.match(yield* errorIn(runtime, "return new URLSearchParams('a=1')"), /result is URLSearchParams: make an object of it with Object\.fromEntries/)
          assert.match(yield* errorIn(runtime, "await tools.echo({ toJSON() {} })"), /is not JSON: its toJSON gives nothing/)
          assert.deepStrictEqual(yield* resultIn(runtime, "return (await Promise.allSettled([tools.fail()]))[0].reason"), { name: "ToolError", message: "No such page.", code: "CallFailedError" })
        })))

    it.live("that is too long is refused before it is given away", () =>
      withRuntime({ mode }, (runtime) =>
        Effect.gen(function*() {
          // So long that an isolate would have no memory to be told of it.
          assert.strictEqual(yield* errorIn(runtime, " ".repeat(2 ** 28)), "The code is 268,435,456 characters long, more than the 262,144 that can be run.")
          assert.strictEqual(yield* errorIn(runtime, " ".repeat(2 ** 18 + 1)), "The code is 262,145 characters long, more than the 262,144 that can be run.")
        })))

    it.live("refuses an answer that is too long, as a failure", () =>
      withRuntime({ mode, maxAnswerLength: 100 }, (runtime) =>
        Effect.gen(function*() {
          const tools = { long: () => Effect.succeed("x".repeat(99)), fails: () => Effect.fail(failure("y".repeat(200))) }
          for (const name of Object.keys(tools)) {
            assert.match(yield* errorIn(runtime, `await tools.${name}()`, tools), /^ToolError: The answer is \d+ characters of JSON, more than the 100 that code can be given\.\n {4}at line 1, column 13$/)
          }
        })))
  })
}

describe("a runtime", () => {
  it.live("shuts its processes in with all that the system has, and starts with that required where it has all", () =>
    withRuntime({}, (runtime) =>
      Effect.gen(function*() {
        const has = { seccomp: readFileSync("/proc/self/status", "utf8").includes("\nSeccomp:"), landlock: landlock() >= 1, limits: true }
        assert.deepStrictEqual(runtime.sandbox, has)
        const required = yield* Effect.exit(withRuntime({ require: "sandbox" }, (runtime) => Effect.succeed(runtime.sandbox)))
        if (has.seccomp && has.landlock) assert.deepStrictEqual(required, Exit.succeed(has))
        else assert.isTrue(Exit.isFailure(required) && Cause.squash(required.cause) instanceof Isolate.UnavailableSandbox)
      })))

  it.live("leaves nothing of the system's with its host once its scope is over", () =>
    Effect.gen(function*() {
      for (const mode of modes) {
        const once = withRuntime({ mode, pool: { warm: 1 } }, (runtime) => resultIn(runtime, "return tools.echo(1)"))
        yield* once
        const before = descriptors()
        for (let n = 0; n < 10; n++) assert.strictEqual(yield* once, 1)
        // The last of its threads may be about to end.
        for (let n = 0; n < 100 && descriptors() > before; n++) yield* Effect.sleep(10)
        assert.isAtMost(descriptors(), before, mode)
      }
    }))

  it.live("that is closed runs nothing", () =>
    Effect.gen(function*() {
      for (const mode of modes) {
        const runtime = yield* withRuntime({ mode }, Effect.succeed)
        assert.strictEqual((yield* Effect.flip(runIn(runtime, "return 1"))).message, "The isolates are closed.")
      }
    }))

  it.live("that the system does not let open is a failure and no defect", () =>
    Effect.gen(function*() {
      // What the addon refuses is an error of it, as is a thread that the system does not give.
      const why = yield* Effect.flip(Effect.scoped(open({ warm: 0 } as never)))
      assert.match(why, /^Isolates cannot be opened: /)
    }))

  it.live("ends a run whose isolate calls a tool with what is no JSON", () =>
    Effect.acquireUseRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "toolkit-isolate-"))),
      (folder) =>
        Effect.scoped(Effect.gen(function*() {
          // One that is ready, and calls once it is told anything.
          writeFileSync(join(folder, "ready"), frame(11, [0, 0, 0]))
          writeFileSync(join(folder, "call"), frame(13, [0, 0], "{"))
          const program = join(folder, "program")
          writeFileSync(program, `#!/bin/sh\n/bin/cat '${folder}/ready'\nhead -c 1 > /dev/null\nexec /bin/cat '${folder}/call' -\n`, { mode: 0o755 })
          const limits = { memory: 2 ** 25, stack: 2 ** 19, cpu: 1000, wall: 10_000, calls: 9, concurrent: 9, source: 999, log: 999, input: 999, answer: 999, result: 999 }
          const isolates = yield* open({ program, warm: 0, max: 1, ...limits })
          const error = yield* Effect.flip(runIn(isolates, "return 1"))
          assert.strictEqual(error.message, "The isolate of the code called a tool with what is no JSON.")
        })),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    ))

  it.live("in threads has no sandbox, and does not start where one is required", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* withRuntime({ mode: "thread" }, (runtime) => Effect.succeed(runtime.sandbox)), { seccomp: false, landlock: false, limits: false })
      const error = yield* Effect.flip(Effect.scoped(Isolate.make({ mode: "thread", require: "sandbox" })))
      assert.instanceOf(error, Isolate.UnavailableSandbox)
      assert.match(error.message, /A thread is not shut off/)
    }))
})
