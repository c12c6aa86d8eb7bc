import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const root = fileURLToPath(new URL("../../", import.meta.url))

describe("examples/router.ts", () => {
  it("runs, and shows what it says", { timeout: 60_000 }, () => {
    const loader = process.versions["bun"] === undefined ? ["--import", "tsx"] : []
    const { status, stderr, stdout } = spawnSync(process.execPath, [...loader, "examples/router.ts"], { cwd: root, encoding: "utf8" })
    assert.deepStrictEqual([status, stderr], [0, ""])
    const lines = [
      "and notes.publish and tracker.issues.create wait for a person",
      "result  {\"id\":2,\"title\":\"Write it\",\"isPublic\":false}",
      "BAD_REQUEST  title: ",
      "UNAUTHORIZED  Sign in first",
      "result  \"event 1. event 2. event 3. \"",
      "result  [\"#7 flood\"]",
      "NOT_FOUND  Tool 'tracker.issues.purge' not found",
      "pending  {\"status\":\"pending_approval\"",
      "ada sees notes.publish of agent, tracker.issues.create of agent",
      "another tenant sees nothing",
      "audit: ada called notes.publish: approved",
      "result  {\"id\":2,\"title\":\"Write it\",\"isPublic\":true}",
      "CONFLICT  Action '",
      "audit: ada called tracker.issues.create: rejected",
      "left to decide: nothing"
    ]
    let from = 0
    for (const text of lines) {
      const at = stdout.indexOf(text, from)
      assert.notStrictEqual(at, -1, `${text}\n${stdout}`)
      from = at
    }
  })
})
