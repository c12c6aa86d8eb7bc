/** Large JSON values, put together piece by piece so that nothing else on the thread waits long. */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Binding from "../../native/binding.cjs"

/** Lets timers and sockets have their turn. */
const breathe = Effect.callback<void>((resume) => {
  const turn = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(turn))
})

type Container = Array<unknown> | Record<string, unknown>

const attach = (container: Container, key: string | undefined, value: unknown): void => {
  if (Array.isArray(container)) container.push(value)
  // Assigning to it would set the prototype.
  else if (key === "__proto__") Object.defineProperty(container, key, { value, configurable: true, enumerable: true, writable: true })
  else container[key!] = value
}

/** The value of pieces that the addon made of one JSON text. */
export const join = (pieces: ReadonlyArray<Binding.JsonPiece>): Effect.Effect<Schema.Json> =>
  Effect.gen(function*() {
    const root: Array<unknown> = []
    const open: Array<Container> = [root]
    for (const { kind, text } of pieces) {
      const container = open[open.length - 1]!
      switch (kind) {
        case "close":
          open.pop()
          break
        case "list":
        case "object": {
          const opened: Container = kind === "list" ? [] : {}
          attach(container, text === undefined ? undefined : JSON.parse(text) as string, opened)
          open.push(opened)
          break
        }
        case "items":
          for (const item of JSON.parse(text!) as ReadonlyArray<unknown>) (container as Array<unknown>).push(item)
          yield* breathe
          break
        case "members":
          for (const [key, value] of Object.entries(JSON.parse(text!) as object)) attach(container, key, value)
          yield* breathe
          break
      }
    }
    return root[0] as Schema.Json
  })
