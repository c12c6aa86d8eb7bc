import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { native } from "../ts/internal/native.ts"

const root = new URL("../", import.meta.url)
const text = (path: string) => readFileSync(new URL(path, root), "utf8")

describe("the binding", () => {
  it("has catch_unwind on every function, so that no panic ends the process", () => {
    const files = readdirSync(new URL("src/", root)).filter((name) => name.endsWith(".rs"))
    assert.isAbove(files.length, 3)
    for (const file of files) {
      const source = text(`src/${file}`)
      // An attribute, other attributes and comments behind it, and what it stands on.
      for (const [, options = "", item] of source.matchAll(/#\[napi(?:\(([^\]]*)\))?\]\s*(?:(?:#\[[^\]]*\]|\/\/[^\n]*)\s*)*(?:pub\s+)?(\w+)/g)) {
        if (item === "fn" || item === "async") assert.include(options, "catch_unwind", `${file}: ${options}`)
      }
    }
  })

  it("keeps panics unwinding in the release profile", () => {
    assert.match(text("Cargo.toml"), /panic = "unwind"/)
  })

  it("is of the shim's version", () => {
    assert.strictEqual(native.version(), JSON.parse(text("package.json")).version)
  })

  it("takes half of a surrogate pair for a character like any other", () => {
    assert.strictEqual(native.toolName("a\ud800", "b", 64), "a___b")
    assert.strictEqual(native.cutText("ab\ud83d\ude00", 3), "ab")
  })

  it("answers what a user did wrong as data", () => {
    assert.deepEqual(Object.keys(native.readOpenApiText("nonsense", false)), ["error"])
    assert.deepEqual(Object.keys(native.readOpenApiBytes(new Uint8Array([0x7b, 0xff]), false)), ["error"])
    assert.deepEqual(Object.keys(native.httpRequests("nonsense", "[]")), ["error"])
  })
})
