/** Large JSON values, put together piece by piece so that nothing else on the thread waits long. */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Binding from "../../native/binding.cjs"
import { turns } from "./breath.ts"

/** What is open: where its value goes, and the value, of a string what there is of it. */
interface Open {
  readonly key: string | undefined
  value: Array<unknown> | Record<string, unknown> | string
}

const attach = ({ value: container }: Open, key: string | undefined, value: unknown): void => {
  if (Array.isArray(container)) container.push(value)
  // Assigning to it would set the prototype.
  else if (key === "__proto__") Object.defineProperty(container, key, { value, configurable: true, enumerable: true, writable: true })
  else (container as Record<string, unknown>)[key!] = value
}

const empty = { list: () => [], object: () => ({}), string: () => "" }

/** The value of the pieces that the addon made of one JSON text. */
export const join = (nextPiece: () => Binding.JsonPiece | null): Effect.Effect<Schema.Json> =>
  Effect.gen(function*() {
    const root: Array<unknown> = []
    const open: Array<Open> = [{ key: undefined, value: root }]
    const due = turns()
    for (let piece = nextPiece(); piece !== null; piece = nextPiece()) {
      const { kind, text } = piece
      const top = open[open.length - 1]!
      switch (kind) {
        case "list":
        case "object":
        case "string":
          open.push({ key: text === undefined ? undefined : JSON.parse(text) as string, value: empty[kind]() })
          break
        case "close":
          open.pop()
          attach(open[open.length - 1]!, top.key, top.value)
          break
        case "part":
          top.value += JSON.parse(text!) as string
          break
        case "items":
          for (const item of JSON.parse(text!) as ReadonlyArray<unknown>) attach(top, undefined, item)
          break
        case "members":
          for (const [key, value] of Object.entries(JSON.parse(text!) as object)) attach(top, key, value)
          break
      }
      const turn = due()
      if (turn !== undefined) yield* turn
    }
    return root[0] as Schema.Json
  })
