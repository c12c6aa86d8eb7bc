/** What the tests of a router share. */
import { assert } from "@effect/vitest"
import { vi } from "vitest"
import { DendraError, type ErrorCode, type McpClientLike } from "../../ts/router.ts"

/** What a promise rejects with. */
export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then((value) => assert.fail(`it gave ${JSON.stringify(value)}`), (error: unknown) => error)

/** Asserts that a promise rejects with a DendraError, and gives it. */
export const refused = async (promise: Promise<unknown>, code: ErrorCode, message?: string): Promise<DendraError> => {
  const error = await rejection(promise)
  assert.instanceOf(error, DendraError)
  const dendra = error as DendraError
  assert.strictEqual(dendra.code, code, dendra.message)
  if (message !== undefined) assert.strictEqual(dendra.message, message)
  return dendra
}

/** Runs with what goes to `console[method]` kept from it, and gives what went there. */
export const logged = async (method: "error" | "warn", run: () => unknown): Promise<ReadonlyArray<ReadonlyArray<unknown>>> => {
  const spy = vi.spyOn(console, method).mockImplementation(() => undefined)
  try {
    await run()
    return [...spy.mock.calls]
  } finally {
    spy.mockRestore()
  }
}

/** A promise, and what settles it. */
export const deferred = <Value = void>() => {
  let resolve!: (value: Value) => void
  const promise = new Promise<Value>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

type Listed = Awaited<ReturnType<McpClientLike["listTools"]>>["tools"]
type Answer = Awaited<ReturnType<McpClientLike["callTool"]>>

/** A client of an MCP server that is a list and a function, and what it was asked. */
export const scriptedClient = (tools: Listed, answer: (name: string, args: unknown) => Answer | Promise<Answer> = () => ({ content: [] })) => {
  const asked: Array<unknown> = []
  const client: McpClientLike = {
    async listTools(...args: ReadonlyArray<unknown>) {
      asked.push(["listTools", ...args])
      return { tools }
    },
    async callTool(...args: ReadonlyArray<unknown>) {
      asked.push(["callTool", ...args])
      const [params] = args as [{ readonly name: string; readonly arguments?: unknown }]
      return answer(params.name, params.arguments)
    }
  }
  return { client, asked }
}

export const text = (...texts: ReadonlyArray<string>): Answer => ({ content: texts.map((text) => ({ type: "text", text })) })
