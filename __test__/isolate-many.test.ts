/** Many runs: one after the other, at once, and when their host is gone. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isolatesOf } from "./support/processes.ts"
import { modes, resultIn, withRuntime } from "./support/isolate.ts"

const script = fileURLToPath(new URL("isolate/host.ts", import.meta.url))
/** Node.js reads TypeScript by a loader, and Bun by itself. */
const args = process.versions["bun"] === undefined ? ["--expose-gc", "--import", "tsx"] : []

for (const mode of modes) {
  describe(`runs in a ${mode}`, () => {
    it.live("leave the host's memory as it was after two thousand of them", () =>
      Effect.sync(() => {
        const ran = spawnSync(process.execPath, [...args, script, "many", mode], { encoding: "utf8", timeout: 170_000, killSignal: "SIGKILL" })
        assert.strictEqual(ran.status, 0, ran.stderr)
        const { after, before } = JSON.parse(ran.stdout) as { readonly before: number; readonly after: number }
        // In megabytes, between the first five hundred runs and two thousand more. A kilobyte kept of each would be two.
        assert.isBelow(after - before, process.versions["bun"] === undefined ? 24 : 64, ran.stdout)
      }), 180_000)

    it.live("end with the worker thread that they were begun in", () =>
      Effect.sync(() => {
        const ran = spawnSync(process.execPath, [...args, script, "workers", mode], { encoding: "utf8", timeout: 60_000, killSignal: "SIGKILL" })
        assert.strictEqual(ran.status, 0, ran.stderr)
        const { left, most } = JSON.parse(ran.stdout) as { readonly most: number; readonly left: ReadonlyArray<unknown> }
        assert.isAtLeast(most, 2)
        assert.deepStrictEqual(left, [])
      }), 70_000)

    it.live("of two hundred at once all end, and are never more than the pool's", () =>
      withRuntime({ mode, pool: { warm: 2, max: 6 } }, (runtime) =>
        Effect.gen(function*() {
          let at = 0
          let most = 0
          let processes = 0
          const enter = (input: unknown) =>
            Effect.gen(function*() {
              most = Math.max(most, ++at)
              processes = Math.max(processes, isolatesOf(process.pid).filter(({ state }) => state !== "Z").length)
              yield* Effect.sleep(1)
              at--
              return input as number
            })
          const results = yield* Effect.all(
            Array.from({ length: 200 }, (_, n) => resultIn(runtime, `return [await tools.enter(${n}), await tools.enter(${n})]`, { enter })),
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(results, Array.from({ length: 200 }, (_, n) => [n, n]))
          assert.isAtMost(most, 6)
          assert.isAtMost(processes, 6 + 2 + 6)
        })), 60_000)
  })
}

describe("a host that is killed", () => {
  it.live("leaves no process of an isolate behind", () =>
    Effect.promise(async () => {
      const host = spawn(process.execPath, [...args, script, "hold"], { stdio: ["ignore", "pipe", "inherit"] })
      try {
        await once(createInterface(host.stdout), "line")
        const left = isolatesOf(host.pid!).map(({ pid }) => pid)
        assert.isAtLeast(left.length, 2)
        host.kill("SIGKILL")
        await once(host, "exit")
        // They end by themselves, as soon as the system lets them; whose they were then does not matter.
        for (let n = 0; n < 200 && left.some(isThere); n++) await new Promise((resolve) => setTimeout(resolve, 25))
        assert.deepStrictEqual(left.filter(isThere), [])
      } finally {
        host.kill("SIGKILL")
      }
    }), 60_000)

  it.live("that only ends does so although isolates are ready", () =>
    Effect.sync(() => {
      const ran = spawnSync(process.execPath, [...args, script, "leave"], { encoding: "utf8", timeout: 30_000, killSignal: "SIGKILL" })
      assert.deepStrictEqual([ran.status, ran.stdout.trim()], [0, "1"], ran.stderr)
    }), 40_000)
})

const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
