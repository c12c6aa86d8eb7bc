/** Schemas and inputs that are meant to do harm: each in a process that is ended when it hangs, and in a worker's small stack. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { ToolSource } from "../ts/index.ts"
// @ts-expect-error -- plain JavaScript, since a process and a worker of its own run it too
import { hostile, odd } from "./hostile-inputs/rows.mjs"
import { define, recording } from "./support/language-model.ts"

interface Row {
  readonly schema: () => Record<string, unknown>
  readonly input: () => unknown
  readonly says: "reaches the source" | "is refused"
  readonly full?: Row["says"]
}

interface Answer {
  readonly name: string
  readonly mode: "compatible" | "full"
  readonly where: string
  readonly said: string | null
  readonly held: number
  readonly took: number
  readonly grown: number
}

const rows: Readonly<Record<string, Row>> = { ...hostile, ...odd }

const program = fileURLToPath(new URL("hostile-inputs/run.mjs", import.meta.url))

/** A process that takes longer for all that it is given is ended, and a check that does is a hang. */
const longest = 120_000
const mostTook = 7_500

/**
 * The longest that a thread may be held up, in milliseconds of processor time. Bun's own JSON.stringify takes half a second
 * to find that there are too many levels.
 */
const mostHeld = "bun" in process.versions ? 1_000 : 250

/** The most that a process may grow, in megabytes: what the largest of the inputs takes when it is read. */
const mostGrown = 96

const answersTo = (names: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Answer>, Error> =>
  Effect.callback((resume) => {
    const child = spawn(process.execPath, [program, ...names], { stdio: ["ignore", "pipe", "pipe"], timeout: longest, killSignal: "SIGKILL" })
    const [out, err]: [Array<Buffer>, Array<Buffer>] = [[], []]
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk))
    child.on("error", (error) => resume(Effect.fail(error)))
    child.on("close", (code, signal) =>
      resume(
        code === 0
          ? Effect.sync(() => JSON.parse(Buffer.concat(out).toString()))
          : Effect.fail(new Error(`${names[0]}: ended with ${code ?? signal}: ${Buffer.concat(err).toString().slice(0, 2000)}`))
      ))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const expected = (name: string, mode: Answer["mode"]): Row["says"] => mode === "full" ? rows[name]!.full ?? rows[name]!.says : rows[name]!.says

const assertAnswers = (names: ReadonlyArray<string>) =>
  Effect.map(answersTo(names), (answers) => {
    const asked = ["the main thread", "a worker"].flatMap((where) => names.flatMap((name) => ["compatible", "full"].map((mode) => [name, mode, where])))
    assert.deepEqual(answers.map(({ mode, name, where }) => [name, mode, where]), asked)
    for (const { grown, held, mode, name, said, took, where } of answers) {
      const label = `${name}, ${mode}, on ${where}: ${said}`
      assert.strictEqual(said === null ? "reaches the source" : "is refused", expected(name, mode), label)
      assert.isAtMost(Buffer.byteLength(said ?? ""), 2048, label)
      assert.isBelow(held, mostHeld, label)
      // Other work may take the processor meanwhile; what only waits would show here.
      assert.isBelow(took, mostTook, label)
      assert.isBelow(grown, mostGrown, label)
    }
  })

describe("whatever a schema or an input holds", () => {
  it.effect("no thread hangs or ends, and the answer is the same on each", () =>
    Effect.forEach(Object.keys(hostile), (name) => assertAnswers([name]), { concurrency: 2, discard: true }), { timeout: 300_000 })

  it.effect("the answer is the same on each thread, be it only odd", () =>
    Effect.forEach(Object.keys(odd), (name) => assertAnswers([name]), { concurrency: 2, discard: true }), { timeout: 300_000 })

  for (const mode of ["compatible", "full"] as const) {
    it.effect(`a call is answered, and a refusal is InvalidInputError, in the mode ${mode} [R-000-038]`, () =>
      Effect.forEach(Object.entries(rows), ([name, { input, schema }]) =>
        Effect.gen(function*() {
          const source = recording("hub", () => Effect.succeed(null))
          const definition = define("run", { inputSchema: schema() as never })
          const toolkit = yield* ToolSource.toolkit(source, [definition]).pipe(Effect.provideService(ToolSource.InputCheck, mode))
          const results = yield* toolkit.handle("run", input()).pipe(Stream.unwrap, Stream.runCollect)
          const { isFailure, result } = results.at(-1)!
          const isRefused = expected(name, mode) === "is refused"
          assert.strictEqual(isFailure ? (result as ToolSource.Failure).code : "", isRefused ? "InvalidInputError" : "", name)
          assert.lengthOf(source.calls, isRefused ? 0 : 1, name)
        }), { discard: true }), { timeout: 120_000 })
  }
})
