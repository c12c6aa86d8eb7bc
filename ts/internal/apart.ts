/** Reads a long document on another thread, and puts together what has been read while the rest is, unless it is a very long one. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as OpenApi from "../OpenApi.ts"
import { turns } from "./breath.ts"
import { assembling, type Catalog } from "./catalog.ts"
import { isRefusal, native } from "./native.ts"

type Refusal = Exclude<ReturnType<typeof native.readOpenApiText>, Catalog>

/** How long to wait for more rows, in milliseconds. */
const moment = 1

/**
 * Of longer documents nothing is put together before they are read: the operations would be held beside the copy that is read,
 * and their memory is then as much of a matter as the time.
 */
const maxBeside = 16_000_000

/** The operations of a document, or why it is none. An interruption ends the reading. */
export const readApart = (document: string | Uint8Array, extended: boolean): Effect.Effect<OpenApi.Operations | Refusal> =>
  Effect.suspend(() => {
    const reading = new native.OpenApiReading()
    let read: Catalog | Refusal | undefined
    let defect: { readonly cause: unknown } | undefined
    let look: (() => void) | undefined
    const over = (): void => look?.()
    const begun = typeof document === "string" ? reading.text(document, extended) : reading.bytes(document, extended)
    begun.then((found) => void (read = found), (cause: unknown) => void (defect = { cause })).finally(over)

    const isBeside = document.length <= maxBeside
    const pause = Effect.callback<void>((resume) => {
      // It may be over since the loop looked.
      if (read !== undefined || defect !== undefined) return resume(Effect.void)
      const timer = isBeside ? setTimeout(() => resume(Effect.void), moment) : undefined
      look = () => {
        clearTimeout(timer)
        resume(Effect.void)
      }
      return Effect.sync(() => clearTimeout(timer))
    })

    // Rows are of a document, unless it turns out to be none.
    const { add, operations } = assembling(() => read as Catalog)
    const due = turns()
    return Effect.gen(function*() {
      for (;;) {
        const rows = isBeside || read !== undefined ? reading.nextRows() : null
        if (rows !== null) {
          add(rows)
          const turn = due()
          if (turn !== undefined) yield* turn
        } else if (defect !== undefined) {
          return yield* Effect.die(defect.cause)
        } else if (read !== undefined) {
          return isRefusal(read) ? read : operations()
        } else {
          yield* pause
        }
      }
    }).pipe(Effect.onExit((exit) => Exit.isSuccess(exit) ? Effect.void : Effect.sync(() => reading.stop())))
  })
