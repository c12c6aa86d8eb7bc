import { assert, describe, it } from "@effect/vitest"
import { createApprovals, createToolExecutor, isPendingResult, mergeToolsets, route, type ToolSource, toToolset, toToolSource } from "../../ts/router.ts"
import { refused, rejection } from "./support.ts"

const router = {
  notes: { count: route.get().ai().handler(({ ctx }) => ctx.count), list: route.handler(() => []) },
  publish: route.ai({ confirm: true }).handler(() => "published")
}

/** A source that was written by hand, and what it was asked. */
const byHand = (...names: ReadonlyArray<string>) => {
  const asked: Array<unknown> = []
  const source: ToolSource = {
    tools: names.map((name) => ({ name })),
    names: [...names],
    async execute(...args) {
      asked.push(args)
      return `by hand: ${args[0]}`
    }
  }
  return { source, asked }
}

describe("toToolSource", () => {
  it("has the tools of toToolset, their dotted names, and the executor [R-001-30]", async () => {
    for (const format of ["anthropic", "openai", "plain"] as const) {
      assert.deepStrictEqual(toToolSource(router, {}, { format }).tools, toToolset(router, { format }))
    }
    const source = toToolSource(router, { count: 3 }, { approvals: createApprovals(router) })
    assert.deepStrictEqual(source.tools, toToolset(router))
    assert.deepStrictEqual(source.names, ["notes.count", "publish"])
    assert.strictEqual(await source.execute("notes.count", {}), await createToolExecutor(router, { count: 3 })("notes.count", {}))
    assert.isTrue(isPendingResult(await source.execute("publish", {})))
    await refused(source.execute("notes.list", {}), "NOT_FOUND")
    await refused(toToolSource(router, {}).execute("publish", {}), "FORBIDDEN")
    assert.strictEqual(await rejection(source.execute("notes.count", {}, { signal: AbortSignal.abort("before") })), "before")
  })
})

const merge = () => mergeToolsets(byHand("a", "b").source, byHand("c", "b").source)

describe("mergeToolsets", () => {
  it("gives one flat list in order, and sends each call to the source that owns its name [R-001-31]", async () => {
    const [first, second] = [byHand("a", "b"), byHand("c")]
    const own = toToolSource(router, { count: 3 })
    const { execute, tools } = mergeToolsets(first.source, own, second.source)
    assert.deepStrictEqual(tools, [...first.source.tools, ...own.tools, ...second.source.tools])
    assert.deepStrictEqual(await Promise.all([execute("b", 1), execute("notes.count", {}), execute("c", 2)]), ["by hand: b", 3, "by hand: c"])
    assert.deepStrictEqual([first.asked, second.asked], [[["b", 1, undefined]], [["c", 2, undefined]]])
    assert.deepStrictEqual(mergeToolsets().tools, [])
  })

  it("throws a plain Error when two sources share a name [R-001-32]", () => {
    assert.throws(merge, "Two tools are named 'b': give one source a prefix")
    try {
      merge()
    } catch (error) {
      assert.strictEqual(Object.getPrototypeOf(error), Error.prototype)
    }
    assert.throws(() => mergeToolsets(byHand("a", "a").source), /Two tools are named 'a'/)
  })

  it("does not find a name that no source owns, were it one that every object has [R-001-33]", async () => {
    const { asked, source } = byHand("a")
    for (const name of ["x", "", "constructor", "__proto__"]) {
      await refused(mergeToolsets(source).execute(name, {}), "NOT_FOUND", `Tool '${name}' not found`)
    }
    assert.deepStrictEqual(asked, [])
  })

  it("takes a source that was written by hand, with this as it is [R-001-34]", async () => {
    class Counter implements ToolSource {
      tools = []
      names = ["next", "__proto__"]
      count = 0
      async execute() {
        return ++this.count
      }
    }
    const { execute } = mergeToolsets(new Counter())
    assert.deepStrictEqual([await execute("next", {}), await execute("__proto__", {})], [1, 2])
  })

  it("hands the call's signal on [R-001-35]", async () => {
    const { asked, source } = byHand("a")
    const call = { signal: new AbortController().signal }
    await mergeToolsets(source).execute("a", {}, call)
    assert.strictEqual((asked[0] as ReadonlyArray<unknown>)[2], call)
  })
})
