import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Logger, Stream } from "effect"
import { HttpClientError } from "effect/http"
import { Http, type ToolDefinition, ToolSource, ToolSourceError } from "../ts/index.ts"
import { chunked, scripted } from "./support/http.ts"

const definition: ToolDefinition.ToolDefinition = { name: "t", description: "d", inputSchema: { type: "object" }, annotations: {} }

/** The final result of a call through a toolkit, or how the stream ended. */
const resultOf = (source: ToolSource.ToolSource, input: unknown = {}) =>
  Effect.gen(function*() {
    const toolkit = yield* ToolSource.toolkit(source, [definition])
    const results = yield* Stream.runCollect(yield* toolkit.handle("t", input as never))
    return results[results.length - 1]!
  }).pipe(Effect.provide(Logger.layer([])))

const sourceOf = (call: () => unknown): ToolSource.ToolSource =>
  ToolSource.make({ name: "mem", discover: Effect.succeed([definition]), call: call as ToolSource.ToolSource["call"] })

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

const untouchable = {
  get message(): string {
    throw new Error("message")
  },
  toString(): string {
    throw new Error("toString")
  },
  toJSON(): unknown {
    throw new Error("toJSON")
  }
}

describe("whatever a source does is a result", () => {
  const hostile: ReadonlyArray<readonly [string, () => unknown]> = [
    ["dies of a value that cannot be shown", () => Effect.die(untouchable)],
    ["dies of a proxy that is revoked", () => Effect.die(revoked())],
    ["fails with a proxy that is revoked", () => Effect.fail(revoked())],
    ["fails with the shell of an error", () => Effect.fail(Object.create(ToolSourceError.ToolSourceError.prototype))],
    ["fails with an error whose reason says nothing", () =>
      Effect.fail(Object.assign(Object.create(ToolSourceError.ToolSourceError.prototype), { reason: { code: 1, modelMessage: { at: 1n }, isRetryable: "no" } }))],
    ["gives a Promise that rejects", () => Promise.reject(new Error("unheard"))],
    ["gives nothing", () => undefined]
  ]
  for (const [what, call] of hostile) {
    it.effect(`when it ${what} [R-000-048]`, () =>
      Effect.gen(function*() {
        const result = yield* resultOf(sourceOf(call))
        assert.deepEqual(result.result, { code: "UnknownError", message: "The source failed.", retryable: false })
        assert.isTrue(result.isFailure)
      }))
  }

  it.effect("when it answers with more than JSON can be [R-000-057]", () =>
    Effect.gen(function*() {
      let shared: unknown = []
      for (let level = 0; level < 400; level++) shared = [shared, shared]
      const sparse: Array<number> = []
      sparse.length = 2 ** 32 - 1
      for (const answer of [shared, sparse, revoked(), [undefined], { at: Number.NaN }]) {
        const result = yield* resultOf(sourceOf(() => Effect.succeed(answer)))
        assert.strictEqual((result.result as ToolSource.Failure).code, "InvalidResponseError")
      }
    }))

  it.effect("and an input that cannot be looked at is refused [R-000-037]", () =>
    Effect.gen(function*() {
      const result = yield* resultOf(sourceOf(() => Effect.succeed(null)), revoked())
      assert.strictEqual((result.result as ToolSource.Failure).code, "InvalidInputError")
    }))

  it.effect("and a source that is a class keeps its this", () =>
    Effect.gen(function*() {
      class Counter {
        readonly name = "counter"
        readonly discover = Effect.succeed([definition])
        count = 41
        call() {
          return Effect.sync(() => ++this.count)
        }
      }
      assert.strictEqual(yield* ToolSource.make(new Counter()).call("t", {}), 42)
    }))
})

const operation: Http.Operation = { definition, request: { method: "GET", path: "/", parameters: [] } }

const http = (answer: Parameters<typeof scripted>[0]) =>
  Http.make({ name: "api", baseUrl: "https://api.example.com", client: scripted(answer).client, operations: [operation] })

const failing = (cause: unknown) =>
  http((_, request) => Effect.fail(new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })))

/** A 404 whose body breaks off before its first word. */
const broken = () =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.error(new Error("reset"))
      }
    }),
    { status: 404 }
  )

describe("whatever a client does is an error of the source", () => {
  it.effect("whose cause holds names, and nothing of what a client says of its request [R-000-009]", () =>
    Effect.gen(function*() {
      const refused = Object.assign(new Error("connect to secret.example.com with Bearer s3cret"), { code: "ECONNREFUSED" })
      const cases: ReadonlyArray<readonly [unknown, string | undefined]> = [
        [new TypeError("Headers.append: \"Bearer s3cret\n\" is an invalid header value.", { cause: refused }), "TypeError: ECONNREFUSED"],
        [Object.assign(new Error("s3cret"), { code: "s3cret in words" }), undefined],
        [Object.assign(new Error("x"), { message: 7 }), "Error"],
        [new Error("x".repeat(1_000_000)), "Error"],
        [untouchable, undefined],
        [revoked(), undefined]
      ]
      for (const [cause, said] of cases) {
        const { reason } = yield* Effect.flip(failing(cause).call("t", {}))
        assert.strictEqual(reason._tag, "UnavailableError")
        assert.strictEqual((reason.cause as Error | undefined)?.message, said)
      }
    }))

  it.effect("and a refusal whose words break off is one all the same [R-000-178]", () =>
    Effect.gen(function*() {
      const { reason } = yield* Effect.flip(http(broken).call("t", {}))
      assert.deepEqual([reason._tag, reason.message], ["CallFailedError", "The API answered with status 404."])
    }))

  it.effect("and an answer that nests too deep is one it cannot read", () =>
    Effect.gen(function*() {
      const text = "[".repeat(90_000) + "]".repeat(90_000)
      const { response } = chunked((at) => at === 0 ? new TextEncoder().encode(text) : undefined, { headers: { "content-type": "application/json" } })
      const { reason } = yield* Effect.flip(http(() => response).call("t", {}))
      assert.strictEqual(reason._tag, "InvalidResponseError")
    }))

  it("and a timeout that is no time is refused when the source is made", () => {
    for (const timeout of ["nonsense", Number.NaN, 0, -1]) {
      const made = Effect.runSyncExit(Effect.sync(() => Http.make({ name: "api", baseUrl: "https://a.example", client: scripted().client, operations: [], timeout: timeout as number })))
      assert.isTrue(Exit.isFailure(made) && Cause.isIllegalArgumentError(Cause.squash(made.cause)), String(timeout))
    }
  })
})
