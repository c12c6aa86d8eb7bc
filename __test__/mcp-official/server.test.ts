import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { left, scenarios, versions } from "./server-scenarios.ts"
import { judgeServer, list, startServer } from "./suite.ts"

/** More than the suite gives a scenario, which it stops after 30 seconds. */
const timeout = 60_000

const expected = "expected-failures.yml"

const listed = new Map<string, ReadonlyArray<string>>()
let server: Awaited<ReturnType<typeof startServer>>

beforeAll(async () => {
  for (const version of versions) listed.set(version, await list("server", version))
  server = await startServer()
}, 4 * timeout)
afterAll(() => server.stop())

describe("the official conformance suite", () => {
  const leftNames = left.flatMap(({ names }) => names)

  for (const version of versions) {
    it(`has no server scenario for ${version} that is neither run nor left with a reason`, () => {
      const run = scenarios.filter(({ passes }) => version in passes).map(({ name }) => name)
      assert.sameMembers([...run, ...leftNames.filter((name) => listed.get(version)!.includes(name))], [...listed.get(version)!])
    })
  }

  it("has each scenario that is said to be left", () => {
    const names = new Set([...listed.values()].flat())
    assert.deepEqual(leftNames.filter((name) => !names.has(name)), [])
  })

  for (const { fails = [], holds = "", name, passes } of scenarios) {
    for (const [version, count] of Object.entries(passes)) {
      it(`is passed by a server of ours: ${name} of ${version} ${holds}`.trim(), { timeout }, async () => {
        const { failed, passed } = await judgeServer(server.url, { version, name, expected, status: 0 })
        assert.deepEqual(failed.map(({ id }) => id), fails, JSON.stringify(failed, undefined, 2))
        assert.strictEqual(passed.length, count, JSON.stringify(passed, undefined, 2))
      })
    }
  }

  it("tells a server that is not there apart", { timeout }, async () => {
    const { failed } = await judgeServer(server.url.replace("/mcp", "/none"), { version: "2025-11-25", name: "tools-list", status: 1 })
    assert.isNotEmpty(failed)
  })
})
