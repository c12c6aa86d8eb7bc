/**
 * Calls of this package's own sources, which send an input as text: what was written to be checked is what is sent.
 *
 * They are found by the function `call` itself. A source that wraps another has a function of its own, which may change the
 * input on its way: what it gives on is written again.
 */
import * as Effect from "effect/Effect"
import type * as ToolSource from "../ToolSource.ts"
import * as ToolSourceError from "../ToolSourceError.ts"
import { textOf } from "./inputText.ts"

/** A call of a tool with its input as JSON text. */
export type WrittenCall = (tool: string, text: string) => ReturnType<ToolSource.ToolSource["call"]>

const written = new WeakMap<ToolSource.ToolSource["call"], WrittenCall>()

/** The `call` of a source that sends text. */
export const callOf = (source: string, send: WrittenCall): ToolSource.ToolSource["call"] => {
  const call: ToolSource.ToolSource["call"] = (tool, input) =>
    Effect.suspend(() => {
      const written = textOf(input)
      return "refusal" in written
        ? Effect.fail(ToolSourceError.make({ source, reason: new ToolSourceError.InvalidInputError({ description: written.refusal }) }))
        : send(tool, written.text)
    })
  written.set(call, send)
  return call
}

/** The same call for who has the text, if the source sends text. */
export const writtenCallOf = (call: ToolSource.ToolSource["call"]): WrittenCall | undefined => written.get(call)
