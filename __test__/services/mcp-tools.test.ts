/** Tools served over MCP to the client of the official Python SDK. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Tool } from "effect/ai"
import { Assembly } from "../../ts/index.ts"
import { define, recording } from "../support/language-model.ts"
import { onLoopback, sessions } from "../support/mcp-servers.ts"
import { serveTools } from "../support/mcp-tools.ts"
import { kit } from "../support/presented.ts"

const python = fileURLToPath(new URL("../../.services/python/bin/python", import.meta.url))
const program = fileURLToPath(new URL("mcp/client.py", import.meta.url))

interface Told {
  readonly server: string | ReadonlyArray<string>
  /** Which beginning it makes: it asks what the server speaks, or begins a session. */
  readonly mode: "auto" | "legacy"
  readonly calls: ReadonlyArray<readonly [name: string, input: object]>
  readonly give_up?: string
  readonly give_up_when?: string
}

interface Found {
  readonly version: string
  readonly tools: ReadonlyArray<{ readonly name: string; readonly description?: string; readonly inputSchema: unknown; readonly annotations?: unknown }>
  readonly results: ReadonlyArray<any>
  readonly asked: ReadonlyArray<string>
  readonly given_up: boolean | null
}

/** Runs the client, which is ended when it takes too long. */
const client = (told: Told): Effect.Effect<Found> =>
  Effect.callback((resume) => {
    const child = execFile(python, [program], { timeout: 50_000, killSignal: "SIGKILL", maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resume(error === null ? Effect.succeed(JSON.parse(stdout)) : Effect.die(new Error(stderr, { cause: error }))))
    child.stdin!.end(JSON.stringify(told))
  })

const schema = {
  type: "object",
  properties: { text: { $ref: "#/$defs/text" }, region: { type: "string", "x-mcp-header": "Region" } },
  $defs: { text: { type: "string" } },
  additionalProperties: false
} as const

const served = Effect.gen(function*() {
  const source = recording("hub", (tool, input) => Effect.succeed(tool === "list" ? [input] : input))
  const definitions = [
    define("echo", { inputSchema: schema, annotations: { title: "Echo", readOnly: true } }),
    define("list"),
    define("erase")
  ]
  return yield* Assembly.toolkit([{ source, definitions }], (_, { name }) => name === "erase" ? "approve" : "allow")
})

const beginnings = [
  { mode: "auto", protocols: undefined, version: "2026-07-28" },
  { mode: "legacy", protocols: undefined, version: "2025-11-25" },
  ...Object.entries(sessions).map(([version, protocols]) => ({ mode: "auto", protocols, version }) as const)
] as const

describe("the Python SDK's client", () => {
  for (const { mode, protocols, version } of beginnings) {
    it.live(`lists and calls over HTTP in ${version}, ${mode} [R-004-01] [R-004-02] [R-004-04]`, () =>
      Effect.gen(function*() {
        const port = yield* onLoopback(yield* serveTools({ toolkit: yield* served, approvals: "ask" }, protocols))
        const texts = Array.from({ length: 32 }, (_, at) => `„Grüße“ \u2028 𝄞\r\n ${at}`)
        const found = yield* client({
          server: `http://127.0.0.1:${port}/mcp`,
          mode,
          calls: [
            ...texts.map((text) => ["hub__echo", { text, region: "ü " }] as const),
            ["hub__echo", { text: 1 }],
            ["hub__list", { at: 1 }],
            ["hub__none", {}],
            ["hub__erase", { what: "yes, all" }],
            ["hub__erase", { what: "all" }]
          ]
        })
        assert.strictEqual(found.version, version)
        assert.deepStrictEqual(found.tools.map(({ name }) => name), ["hub__echo", "hub__list", "hub__erase"])
        const isOld = version < "2025-06-18"
        if (!isOld) assert.deepStrictEqual(found.tools[0]!.inputSchema, schema)
        const [wrong, list, none, approved, denied] = found.results.slice(texts.length)
        for (const [at, text] of texts.entries()) {
          assert.deepStrictEqual(JSON.parse(found.results[at].content[0].text), { text, region: "ü " })
          assert.deepStrictEqual(found.results[at].structuredContent, isOld ? undefined : { text, region: "ü " })
        }
        assert.strictEqual(wrong.isError, true)
        assert.deepStrictEqual([list.content[0].text, list.structuredContent], ["[{\"at\":1}]", undefined])
        assert.include(none.error, "hub__none")
        assert.deepStrictEqual([approved.isError, denied.isError], [isOld, true])
        assert.strictEqual(found.asked.length, isOld ? 0 : 2)
      }))
  }

  it.live("starts a server on standard input and output, lists and calls, and gives a call up [R-004-04]", () =>
    Effect.gen(function*() {
      const server = [process.execPath, "--import", "tsx", fileURLToPath(new URL("../mcp-tools/stdio-server.ts", import.meta.url))]
      for (const mode of ["auto", "legacy"] as const) {
        const text = "ü\u2028".repeat(100_000)
        const found = yield* client({ server, mode, calls: [["echo", { text }], ["dies", {}]], give_up: "wait", give_up_when: "waiting" })
        assert.strictEqual(found.version, mode === "auto" ? "2026-07-28" : "2025-11-25")
        assert.isTrue(found.results[0].structuredContent.text === text)
        assert.strictEqual(found.results[1].isError, true)
        assert.strictEqual(found.given_up, true)
      }
    }))

  it.live("gives a call over HTTP up, which is interrupted", () =>
    Effect.gen(function*() {
      let running = 0
      const toolkit = yield* kit(
        [Tool.make("wait", { success: Schema.String }), () =>
          Effect.sync(() => running++).pipe(Effect.andThen(Effect.never), Effect.ensuring(Effect.sync(() => running--)))],
        [Tool.make("waiting", { success: Schema.String }), () => Effect.sync(() => String(running))]
      )
      const port = yield* onLoopback(yield* serveTools({ toolkit }))
      for (const mode of ["auto", "legacy"] as const) {
        const found = yield* client({ server: `http://127.0.0.1:${port}/mcp`, mode, calls: [], give_up: "wait", give_up_when: "waiting" })
        assert.strictEqual(found.given_up, true)
        assert.strictEqual(running, 0)
      }
    }))
})
