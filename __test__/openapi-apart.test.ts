/** Documents over 8 MB are read on another thread. */
import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import { Worker } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber } from "effect"
import { native } from "../ts/internal/native.ts"
import { OpenApi } from "../ts/index.ts"

const small = "{\"openapi\":\"3.1.0\",\"servers\":[{\"url\":\"/é\"}],\"paths\":{\"/a\":{\"get\":{\"operationId\":\"a\",\"parameters\":[{\"name\":\"q\",\"in\":\"query\",\"schema\":{\"$ref\":\"#/components/schemas/Q\"}}]},\"put\":{\"parameters\":7}}},\"components\":{\"schemas\":{\"Q\":{\"type\":\"string\"}}}}"

/** The longest that is read where it is asked for. */
const longest = 8_000_000

const padded = (text: string, length: number): string => text.padEnd(length, " ")

/** The text of a document of so many operations, each with a kilobyte or so that nobody reads. */
const documentOf = (operations: number, filler = 4096): string => {
  const answer = JSON.stringify("x".repeat(filler))
  const paths = Array.from({ length: operations }, (_, at) =>
    `"/things/${at}/{id}":{"post":{"operationId":"thing${at}","description":"Does what ${at} says, and says it at some length, as descriptions do.",` +
    `"parameters":[{"name":"id","in":"path","required":true,"schema":{"$ref":"#/components/schemas/S${at}"}}],"responses":{"200":{"description":${answer}}}}}`)
  const schemas = Array.from({ length: operations }, (_, at) => `"S${at}":{"type":"string","title":"${at}"}`)
  return `{"openapi":"3.1.0","paths":{${paths.join(",")}},"components":{"schemas":{${schemas.join(",")}}}}`
}

const huge = documentOf(4500)
const hugeBytes = new TextEncoder().encode(huge)

const plain = ({ operations, servers, skipped }: OpenApi.Operations) => structuredClone({ operations, skipped, servers })

/** Waits, not for ever, until no reading holds a document that none held before. */
const settled = (running: number): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (let turn = 0; turn < 2000 && native.openApiReadings().running > running; turn++) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.strictEqual(native.openApiReadings().running, running)
  })

const refused = (document: string | Uint8Array) => Effect.map(Effect.flip(OpenApi.readOperations(document)), (error) => {
  assert.instanceOf(error, OpenApi.InvalidDocument)
  return error.description
})

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const json = (schema: object) => ({ content: { "application/json": { schema } } })

const modules = {
  effect: pathToFileURL(createRequire(import.meta.url).resolve("effect")).href,
  toolkit: new URL("../dist/index.js", import.meta.url).href
}

/** A program that reads, and then does this. */
const program = (end: string) => `
  Promise.all([import(${JSON.stringify(modules.effect)}), import(${JSON.stringify(modules.toolkit)})]).then(([{ Effect }, { OpenApi }]) => {
    const bytes = new Uint8Array(24_000_000).fill(0x20)
    bytes.set(new TextEncoder().encode(${JSON.stringify(small)}))
    Effect.runPromise(OpenApi.readOperations(bytes)).then(({ operations }) => console.log(operations.length))
    ${end}
  })
`

const run = (end: string) =>
  Effect.callback<readonly [number | null, NodeJS.Signals | null, string, string]>((resume) => {
    const child = spawn(process.execPath, ["--eval", program(end)], { stdio: ["ignore", "pipe", "pipe"], timeout: 60_000 })
    let [out, err] = ["", ""]
    child.stdout.on("data", (chunk: Buffer) => out += chunk.toString())
    child.stderr.on("data", (chunk: Buffer) => err += chunk.toString())
    child.once("close", (code, signal) => resume(Effect.succeed([code, signal, out.trim(), err.trim()])))
  })

describe("a document over 8 MB", () => {
  it.effect("is read as a shorter one is, of its text and of its bytes", () =>
    Effect.gen(function*() {
      const expected = plain(yield* OpenApi.readOperations(small))
      assert.deepEqual([expected.operations.length, expected.skipped.length], [1, 1])
      const text = padded(small, longest + 1)
      assert.deepEqual(plain(yield* OpenApi.readOperations(text)), expected)
      assert.deepEqual(plain(yield* OpenApi.readOperations(new TextEncoder().encode(text))), expected)
      const shared = new Uint8Array(new SharedArrayBuffer(longest + 100))
      shared.set(new TextEncoder().encode(padded(small, longest + 50)).subarray(0, shared.length))
      shared.fill(0x20, longest + 50)
      assert.deepEqual(plain(yield* OpenApi.readOperations(shared)), expected)
    }))

  it.effect("with so many operations that they come in pieces is read as an object of it is", () =>
    Effect.gen(function*() {
      const expected = OpenApi.readOperations(JSON.parse(huge))
      assert.strictEqual(expected.operations.length, 4500)
      const read = yield* OpenApi.readOperations(huge)
      assert.strictEqual(JSON.stringify(read), JSON.stringify(expected))
    }))

  it.effect("is read as a shorter one is, whatever its operations share and whichever of them are left out", () =>
    Effect.gen(function*() {
      const form = { content: { "multipart/form-data": { schema: { type: "object", properties: { file: { type: "string", format: "binary" }, more: {} } } } } }
      const id = (place: string) => ({ name: "id", in: place, required: true, schema: ref("Id"), description: `In the ${place}.` })
      const paths = Object.fromEntries(Array.from({ length: 1500 }, (_, at) => [`/things/${at}/{id}`, {
        parameters: [id("path")],
        get: { operationId: `get${at % 1400}`, parameters: at % 3 === 0 ? [id("query")] : [], description: at % 5 === 0 ? `${at % 10}`.repeat(2000) : `Gets ${at}.` },
        put: { requestBody: json(ref(at % 7 === 0 ? "ReachesBroken" : at % 2 === 0 ? "Tree" : `S${at % 100}`)) },
        post: { requestBody: form },
        trace: {},
        patch: { parameters: [{ name: `p${at}`, in: at % 11 === 0 ? "nowhere" : "query" }] }
      }]))
      const schemas = {
        ...Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`S${at}`, { type: "object", properties: { next: ref(`S${(at + 1) % 100}`) } }])),
        Id: { type: "string" },
        Tree: { type: "object", properties: { nodes: { type: "array", items: ref("Tree") } } },
        // Found out after another one that reaches it, and in a circle.
        ReachesBroken: { allOf: [ref("Circle"), ref("Tree")] },
        Circle: { properties: { back: ref("ReachesBroken"), broken: ref("Broken") } },
        Broken: { properties: { gone: { $ref: "other.json" } } }
      }
      const text = JSON.stringify({ openapi: "3.1.0", servers: [{ url: "/a" }, { url: "/b" }], paths, components: { schemas } })
      for (const reading of ["documented", "extended"] as const) {
        const expected = plain(yield* OpenApi.readOperations(text, { reading }))
        assert.deepEqual(plain(yield* OpenApi.readOperations(padded(text, longest + 1), { reading })), expected)
        const codes = new Map<string, number>()
        for (const { code } of expected.skipped) codes.set(code, (codes.get(code) ?? 0) + 1)
        assert.deepEqual([...codes].sort(), [
          ...reading === "documented" ? [["body", 1500]] : [],
          ["method", 1500],
          ["name", 100],
          ["parameter", 137],
          ["reference", 215]
        ])
        assert.strictEqual(expected.operations.length + expected.skipped.length, 7500)
      }
    }))

  it.effect("is InvalidDocument for what it is when it is none", () =>
    Effect.gen(function*() {
      assert.include(yield* refused(padded("{\"swagger\":\"2.0\"}", longest + 1)), "Swagger 2.0")
      assert.include(yield* refused(padded("{", longest + 1)), "not JSON")
      const bytes = new Uint8Array(longest + 1).fill(0x20)
      bytes[longest] = 0xff
      assert.include(yield* refused(bytes), `byte ${longest}`)
    }))

  it("is one of more than 8,000,000 bytes or characters: up to there nothing is waited for", () => {
    for (const document of [padded(small, longest), new TextEncoder().encode(padded(small, longest - 1))]) {
      assert.strictEqual(Effect.runSync(OpenApi.readOperations(document)).operations.length, 1)
    }
    for (const document of [padded(small, longest + 1), new TextEncoder().encode(padded(small, longest))]) {
      assert.isTrue(Exit.isFailure(Effect.runSyncExit(OpenApi.readOperations(document))))
    }
  })

  it.live("leaves the event loop to others while it is read", () =>
    Effect.gen(function*() {
      for (const document of [huge, hugeBytes]) {
        let [turns, timers, isOver] = [0, 0, false]
        const turn = () => {
          turns++
          if (!isOver) setImmediate(turn)
        }
        const timer = setInterval(() => timers++, 1)
        setImmediate(turn)
        const read = yield* OpenApi.readOperations(document)
        isOver = true
        clearInterval(timer)
        assert.strictEqual(read.operations.length, 4500)
        // Read where it is asked for it would leave one turn at most.
        assert.isAbove(turns, 10)
        assert.isAbove(timers, 0)
      }
    }))

  it.live("is read as it was when it was given, whatever is written to its bytes meanwhile", () =>
    Effect.gen(function*() {
      const bytes = hugeBytes.slice()
      const reading = yield* Effect.forkChild(OpenApi.readOperations(bytes), { startImmediately: true })
      bytes.fill(0)
      assert.strictEqual((yield* Fiber.join(reading)).operations.length, 4500)
    }))

  it.live("is read no further once it is interrupted, and its copy is let go", () =>
    Effect.gen(function*() {
      for (const document of [huge, hugeBytes, huge, hugeBytes]) {
        const before = native.openApiReadings()
        const reading = yield* Effect.forkChild(OpenApi.readOperations(document), { startImmediately: true })
        // Reading it takes milliseconds, and nothing is between this and the interruption.
        assert.strictEqual(native.openApiReadings().running, before.running + 1)
        yield* Fiber.interrupt(reading)
        const exit = yield* Fiber.await(reading)
        assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
        yield* settled(before.running)
        assert.strictEqual(native.openApiReadings().stopped, before.stopped + 1)
      }
    }))

  it.live("may be interrupted before it begins and after it is over", () =>
    Effect.gen(function*() {
      const before = native.openApiReadings()
      const waiting = yield* Effect.forkChild(Effect.andThen(Effect.never, OpenApi.readOperations(huge)), { startImmediately: true })
      yield* Fiber.interrupt(waiting)
      const read = yield* Effect.forkChild(OpenApi.readOperations(huge), { startImmediately: true })
      yield* Fiber.await(read)
      yield* Fiber.interrupt(read)
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(read)))
      assert.deepEqual(native.openApiReadings(), before)
    }))

  it.live("may be interrupted at any time, also when some of it has been put together", () =>
    Effect.gen(function*() {
      const before = native.openApiReadings().running
      for (let moment = 0; moment < 24; moment++) {
        const reading = yield* Effect.forkChild(OpenApi.readOperations(hugeBytes), { startImmediately: true })
        yield* Effect.sleep(moment * 4)
        yield* Fiber.interrupt(reading)
        const exit = yield* Fiber.await(reading)
        assert.isTrue(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause))
        yield* settled(before)
      }
    }))

  it.live("is let go when the worker that reads it is terminated in the middle", () =>
    Effect.gen(function*() {
      const before = native.openApiReadings().running
      const program = `
        const { parentPort, workerData: { bytes, effect, toolkit } } = require("node:worker_threads")
        const run = async () => {
          const { Effect } = await import(effect)
          const { OpenApi } = await import(toolkit)
          for (let reading = 0; reading < 6; reading++) Effect.runPromise(OpenApi.readOperations(bytes))
          parentPort.postMessage("reading")
        }
        run()
      `
      for (let round = 0; round < 3; round++) {
        const worker = new Worker(program, { eval: true, workerData: { ...modules, bytes: hugeBytes } })
        yield* Effect.callback<void, Error>((resume) => {
          worker.once("message", () => resume(Effect.void))
          worker.once("error", (error) => resume(Effect.fail(error as Error)))
        })
        yield* Effect.promise(() => worker.terminate())
        yield* settled(before)
      }
    }), { timeout: 120_000 })

  it.live("keeps no process from ending in the middle, and none that waits from having it", () =>
    Effect.gen(function*() {
      assert.deepEqual(yield* run("process.exit(0)"), [0, null, "", ""])
      assert.deepEqual(yield* run(""), [0, null, "1", ""])
    }), { timeout: 120_000 })
})
