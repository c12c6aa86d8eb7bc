import { assert, beforeAll, describe, it } from "@effect/vitest"
import { left, partial, scenarios, versions } from "./scenarios.ts"
import { type Check, client, judge, list } from "./suite.ts"

/** More than the suite gives a client, which it stops after 30 seconds. */
const timeout = 60_000

const expected = "expected-failures.yml"

const listed = new Map<string, ReadonlyArray<string>>()

beforeAll(async () => {
  for (const version of versions) listed.set(version, await list("client", version))
}, 3 * timeout)

/** Its last line, below the warnings that Effect logs. */
const done = /(?:^|\n)done\n$/

const described = (checks: ReadonlyArray<Check>) => checks.map(({ description }) => description)

/** All that the suite says of them, for whoever reads a failure. */
const told = (checks: ReadonlyArray<Check>) => JSON.stringify(checks, undefined, 2)

const run = [...scenarios, partial]
const leftNames = left.flatMap(({ names }) => names)

describe("the official conformance suite", () => {
  for (const version of versions) {
    it(`has no client scenario for ${version} that is neither run nor left with a reason`, () => {
      const known = new Set([...run.filter((scenario) => scenario.version === version).map(({ name }) => name), ...leftNames])
      assert.deepEqual(listed.get(version)!.filter((name) => !known.has(name)), [])
    })
  }

  it("has each scenario that is said to be run or left, and none is both", () => {
    for (const { name, version } of run) assert.include(listed.get(version)!, name)
    const names = new Set([...listed.values()].flat())
    for (const name of leftNames) assert.isTrue(names.has(name) && run.every((scenario) => scenario.name !== name), name)
  })

  for (const { fails = [], holds = "", name, passes, version } of scenarios) {
    // This one measures how long a client waits, and a machine may be busy for once.
    const retry = name === "sse-retry" ? 2 : 0
    it(`is passed by the source: ${name} of ${version} ${holds}`.trim(), { timeout, retry }, async () => {
      const found = await judge(client(), { version, name, expected, status: 0 })
      assert.deepEqual(described(found.failed), fails, told(found.failed))
      assert.strictEqual(found.passed.length, passes, told(found.passed))
      assert.match(found.stdout, done, found.stderr)
    })
  }

  it(`is passed by the source, but for asking a person: ${partial.name} of ${partial.version} [R-000-113]`, { timeout }, async () => {
    const found = await judge(client(), { ...partial, status: 1 })
    assert.match(found.stdout, done, found.stderr)
    assert.deepEqual(found.failed.map(({ id }) => id), partial.fails, told(found.failed))
    assert.includeMembers(found.passed.map(({ id }) => id), partial.passes)
  })
})

describe("what the official conformance suite tells apart", () => {
  it("is a client that does nothing, in every scenario", { timeout: scenarios.length * timeout }, async () => {
    for (const { fails = [], name, passes, version } of scenarios) {
      // In these two the suite is content with a client that it has not seen: hence the number of checks that have to pass.
      const status = name === "initialize" || name === "http-standard-headers" ? 0 : 1
      const found = await judge("true", { version, name, status })
      assert.notDeepEqual([found.passed.length, described(found.failed)], [passes, fails], `${name} of ${version}`)
    }
  })

  it("is a client that leaves a header out", { timeout: 2 * timeout }, async () => {
    const mistakes = [
      { version: "2026-07-28", name: "http-standard-headers", header: "mcp-method", id: "sep-2243-client-includes-standard-headers" },
      { version: "2025-11-25", name: "sse-retry", header: "last-event-id", id: "client-sse-last-event-id" }
    ]
    for (const { header, id, name, version } of mistakes) {
      const found = await judge(client(`--without=${header}`), { version, name, expected, status: 1 })
      assert.include(found.failed.map(({ id }) => id), id)
    }
  })
})
