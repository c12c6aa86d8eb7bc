import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Schema, Stream } from "effect"
import { Prompt, Tool } from "effect/ai"
import { Assembly, Presentation, ToolSearch, ToolSource, ToolSourceError } from "../ts/index.ts"
import { native } from "../ts/internal/native.ts"
import { call, calling, define, modes, recording, scripted } from "./support/language-model.ts"
import { type Any, Clerk, conversation, type Kit, kit, resultOf, results, typed } from "./support/presented.ts"

/** A toolkit of tools of which only what they are called and do is of interest. */
const named = (...tools: ReadonlyArray<readonly [name: string, description?: string]>): Effect.Effect<Kit> =>
  ToolSource.toolkit(recording("hub"), tools.map(([name, description = ""]) => define(name, { description })))

/** What a model reads of a search. */
const found = (toolkit: Any, input: { readonly query: string; readonly limit?: number }) =>
  Effect.map(resultOf(toolkit, "tool_search", input), ({ encodedResult, isFailure }) => {
    assert.isFalse(isFailure, JSON.stringify(encodedResult))
    return Schema.decodeUnknownSync(ToolSearch.Found)(encodedResult)
  })

const namesOf = ({ tools }: ToolSearch.Found): ReadonlyArray<string> => tools.map(({ name }) => name)

/** The names that a search finds among these tools, in order. */
const ranked = (query: string, ...tools: ReadonlyArray<readonly [name: string, description?: string]>) =>
  Effect.gen(function*() {
    const all = yield* found(yield* ToolSearch.toolkit(yield* named(...tools)), { query, limit: 20 })
    return namesOf(all)
  })

/** What a model reads of a call of a presented tool. */
const called = (toolkit: Any, name: unknown, input: unknown, mode = modes[0]!) =>
  Effect.map(resultOf(toolkit, "tool_call", { name, input }, mode), ({ encodedResult, isFailure }) => ({ encodedResult, isFailure }))

const calledTool = (id: string, name: string, input: unknown = {}) => call(id, "tool_call", { name, input })

/** A tool of a line, which says what became of it. */
const erase = (needsApproval: Tool.NeedsApproval<any> | undefined) => {
  const erased: Array<unknown> = []
  const tool = Tool.make("erase", { parameters: Schema.Struct({ line: Schema.FiniteFromString }), success: Schema.String, needsApproval })
  return { erased, toolkit: kit([tool, ({ line }) => Effect.sync(() => `${erased.push(line)} erased`)]) }
}

const isIllegalArgument = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) && !Cause.hasFails(exit.cause) && Cause.isIllegalArgumentError(Cause.squash(exit.cause))

describe("a toolkit that is searched", () => {
  it.effect("has two tools, however many are presented [R-000-260]", () =>
    Effect.gen(function*() {
      for (const count of [0, 1, 5, 5000]) {
        const presented = yield* named(...Array.from({ length: count }, (_, at) => [`tool_${at}`] as const))
        const toolkit = yield* ToolSearch.toolkit(presented)
        assert.deepStrictEqual(Object.keys(toolkit.tools), ["tool_search", "tool_call"])
        for (const { ask } of modes) {
          const model = scripted([])
          yield* Effect.provide(ask({ toolkit: toolkit as Any }), model.layer)
          assert.deepStrictEqual(model.requests[0]!.tools.map(({ name }) => name), ["tool_search", "tool_call"])
        }
        const error = yield* Effect.flip(toolkit.handle("tool_0" as "tool_call", {} as never))
        assert.strictEqual(error.reason._tag, "ToolNotFoundError")
      }
    }))

  it.effect("tells a model the same whatever is presented [R-000-285]", () =>
    Effect.gen(function*() {
      const presented: ReadonlyArray<Kit> = [yield* named(), yield* named(["a", "secret plan"]), (yield* typed).toolkit, yield* erase(true).toolkit]
      const said = yield* Effect.forEach(presented, (toolkit) =>
        Effect.gen(function*() {
          const { tools } = yield* ToolSearch.toolkit(toolkit, { limit: 7, ranking: "bm25", fields: "parameters" })
          return Object.entries(tools).map(([key, tool]) => ({
            key,
            name: tool.name,
            description: tool.description,
            schema: Tool.getJsonSchema(tool),
            annotations: [...tool.annotations.mapUnsafe.entries()]
          }))
        }))
      for (const one of said) assert.deepStrictEqual(one, said[0])
      for (const { description, name } of said[0]!) assert.isAbove(description!.length, 20, name)
    }))

  it.effect("has the same schemas each time, for which Effect's model makes a decoder once", () =>
    Effect.gen(function*() {
      const [first, second] = yield* Effect.forEach([named(["a"]), erase(true).toolkit], (presented) => Effect.flatMap(presented, (toolkit) => ToolSearch.toolkit(toolkit)))
      for (const name of ["tool_search", "tool_call"] as const) {
        for (const schema of ["parametersSchema", "successSchema", "failureSchema"] as const) {
          assert.strictEqual(first!.tools[name][schema], second!.tools[name][schema])
        }
      }
    }))

  it.effect("is not sent in a strict schema mode [R-000-281]", () =>
    Effect.gen(function*() {
      const model = scripted([])
      yield* Effect.provide(modes[0]!.ask({ toolkit: (yield* ToolSearch.toolkit(yield* named())) as Any }), model.layer)
      assert.deepStrictEqual(model.requests[0]!.tools.map((tool) => Tool.getStrictMode(tool)), [false, false])
    }))

  it.effect("has a defect for an option that is none [R-000-269] [R-000-270]", () =>
    Effect.gen(function*() {
      const presented = yield* named()
      for (const limit of [0, -1, 21, 1.5, NaN, Infinity, "5" as never]) {
        assert.isTrue(isIllegalArgument(yield* Effect.exit(ToolSearch.toolkit(presented, { limit }))), String(limit))
      }
      for (const limit of [1, 20, undefined]) assert.isTrue(Exit.isSuccess(yield* Effect.exit(ToolSearch.toolkit(presented, { limit }))))
    }))
})

describe("tool_search", () => {
  it.effect("takes a query and an optional limit [R-000-261]", () =>
    Effect.gen(function*() {
      const toolkit = yield* ToolSearch.toolkit(yield* named(["list_issues"], ["list_pulls"]))
      const schema = Tool.getJsonSchema(toolkit.tools.tool_search) as { readonly properties: object; readonly required: ReadonlyArray<string> }
      assert.deepStrictEqual(Object.keys(schema.properties), ["query", "limit"])
      assert.deepStrictEqual(schema.required, ["query"])
      for (const mode of modes) {
        const answers = yield* results(
          toolkit,
          calling(call("c1", "tool_search", { query: "list" }), call("c2", "tool_search", { query: "list", limit: 1 })),
          mode
        )
        assert.deepStrictEqual(answers.map(({ encodedResult }) => namesOf(encodedResult as ToolSearch.Found)), [["list_issues", "list_pulls"], ["list_issues"]])
        for (const input of [{}, { limit: 5 }, { query: 5 }, { query: null }, "list", null, []]) {
          const { encodedResult, isFailure } = yield* resultOf(toolkit, "tool_search", input, mode)
          assert.isTrue(isFailure)
          assert.strictEqual((encodedResult as ToolSource.Failure).code, "InvalidInputError", JSON.stringify(input))
        }
      }
    }))

  it.effect("returns the name, description and input schema of each, and how many match and there are [R-000-262]", () =>
    Effect.gen(function*() {
      const inputSchema = { type: "object", properties: { title: { $ref: "#/$defs/title" } }, required: ["title"], $defs: { title: { type: "string" } } }
      const source = recording("hub")
      const assembled = yield* Assembly.toolkit(
        [{ source, definitions: [define("create_issue", { description: "Opens an issue.", inputSchema }), define("list")] }],
        () => "allow"
      )
      const toolkit = yield* ToolSearch.toolkit(assembled)
      for (const mode of modes) {
        const { encodedResult, isFailure, result } = yield* resultOf(toolkit, "tool_search", { query: "issue" }, mode)
        const expected = { tools: [{ name: "hub__create_issue", description: "Opens an issue.", inputSchema }], matched: 1, available: 2 }
        assert.isFalse(isFailure)
        assert.deepStrictEqual(encodedResult, expected)
        assert.deepStrictEqual(result, expected)
        assert.deepEqual(JSON.parse(JSON.stringify(encodedResult)), expected)
      }
      assert.deepStrictEqual(source.calls, [])
      assert.strictEqual(source.discovered(), 0)
      // Of a tool with a schema of Effect, what a model would be shown of it.
      const { toolkit: kinds } = yield* typed
      const { tools } = yield* found(yield* ToolSearch.toolkit(kinds), { query: "postpone" })
      assert.deepStrictEqual(tools[0]!.inputSchema, Tool.getJsonSchema(kinds.tools["postpone"]!) as Schema.JsonObject)
    }))

  it.effect("says how many match also where its limit cuts them [R-000-263]", () =>
    Effect.gen(function*() {
      const tools = Array.from({ length: 60 }, (_, at) => [`tool_${at}`, at % 2 === 0 ? "even" : "odd"] as const)
      const toolkit = yield* ToolSearch.toolkit(yield* named(...tools))
      for (const [limit, shown] of [[undefined, 5], [1, 1], [20, 20]] as const) {
        const { available, matched, tools } = yield* found(toolkit, { query: "even", ...(limit === undefined ? undefined : { limit }) })
        assert.deepStrictEqual([tools.length, matched, available], [shown, 30, 60])
      }
      const none = yield* found(toolkit, { query: "nothing_of_the_kind" })
      assert.deepStrictEqual([none.matched, none.available], [0, 60])
      assert.deepStrictEqual(yield* found(yield* ToolSearch.toolkit(yield* named()), { query: "even" }), { tools: [], matched: 0, available: 0 })
    }))

  it.effect("scores a word for a name's word that is the same, or that it begins [R-000-264]", () =>
    Effect.gen(function*() {
      const tools = [["create_issue"], ["issuer"], ["list_repositories"]] as const
      assert.deepStrictEqual(yield* ranked("issue", ...tools), ["create_issue", "issuer"])
      assert.deepStrictEqual(yield* ranked("ISSUE", ...tools), ["create_issue", "issuer"])
      assert.deepStrictEqual(yield* ranked("iss", ...tools), ["create_issue", "issuer"])
      assert.deepStrictEqual(yield* ranked("repo", ...tools), ["list_repositories"])
      // What stands within a word, goes on beyond it or is spelt otherwise is another word.
      for (const query of ["sue", "issuers", "positories", "isue", "createissuex"]) assert.deepStrictEqual(yield* ranked(query, ...tools), [], query)
      // What is the same scores more than what is begun.
      assert.deepStrictEqual(yield* ranked("list", ["listing"], ["list"]), ["list", "listing"])
    }))

  it.effect("scores a word of the description too, the name counting more [R-000-265]", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* ranked("invoice", ["send", "Sends an invoice."], ["archive", "Of no use."]), ["send"])
      const tools = [["send", "An invoice, invoice, invoice: the invoice."], ["archive_invoice", "Puts it away."]] as const
      assert.deepStrictEqual(yield* ranked("invoice", ...tools), ["archive_invoice", "send"])
      // More words of the query in a name, more score; each of them counts once, however often it is asked or written.
      const more = [["list", "All."], ["list_open_issues", "All."], ["issues", "All."]] as const
      assert.deepStrictEqual((yield* ranked("list open issues", ...more))[0], "list_open_issues")
      assert.deepStrictEqual(yield* ranked("list list list list issues", ...more), yield* ranked("list issues", ...more))
    }))

  it.effect("reads create_issue, create-issue and createIssue as the same words [R-000-266]", () =>
    Effect.gen(function*() {
      const names = ["create_issue", "create-issue", "createIssue", "CreateIssue", "create.issue", "create issue", "CREATE_ISSUE"]
      for (const name of names) {
        for (const query of [...names, "issue", "create"]) {
          assert.deepStrictEqual(yield* ranked(query, ["other"], [name]), [name], `${query} for ${name}`)
        }
      }
      const tools = names.map((name) => [name] as const)
      for (const query of ["create", "issue", "issue create"]) assert.deepStrictEqual(yield* ranked(query, ...tools), names, query)
    }))

  it.effect("does not return a tool that scores nothing [R-000-267]", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* ranked("issue", ["create_issue"], ["weather", "Rain or sun."], ["plain"]), ["create_issue"])
      const toolkit = yield* ToolSearch.toolkit(yield* named(["weather", "Rain or sun."], ["plain"]))
      assert.deepStrictEqual(yield* found(toolkit, { query: "issue", limit: 20 }), { tools: [], matched: 0, available: 2 })
    }))

  it.effect("lists the tools in their order for a query without words [R-000-268]", () =>
    Effect.gen(function*() {
      const names = ["zebra", "ant", "bee", "yak", "cat", "dog", "eel"]
      const toolkit = yield* ToolSearch.toolkit(yield* named(...names.map((name) => [name] as const)))
      for (const query of ["", " ", "\n\t \u00a0\u3000", "?!", "__", "- / .", "\u200b", "\u0000", "…"]) {
        const all = yield* found(toolkit, { query })
        assert.deepStrictEqual(namesOf(all), names.slice(0, 5), JSON.stringify(query))
        assert.deepStrictEqual([all.matched, all.available], [7, 7])
        assert.deepStrictEqual(namesOf(yield* found(toolkit, { query, limit: 20 })), names)
      }
    }))

  it.effect("returns five unless it is asked for more, up to twenty, or an option changes the five [R-000-269]", () =>
    Effect.gen(function*() {
      const presented = yield* named(...Array.from({ length: 30 }, (_, at) => [`tool_${at}`] as const))
      for (const [options, usual] of [[undefined, 5], [{}, 5], [{ limit: 1 }, 1], [{ limit: 12 }, 12], [{ limit: 20 }, 20]] as const) {
        const toolkit = yield* ToolSearch.toolkit(presented, options)
        for (const query of ["tool", ""]) {
          assert.lengthOf((yield* found(toolkit, { query })).tools, usual)
          for (const limit of [1, 3, 20]) assert.lengthOf((yield* found(toolkit, { query, limit })).tools, limit)
        }
      }
    }))

  it.effect("refuses a limit above twenty or below one [R-000-270]", () =>
    Effect.gen(function*() {
      const toolkit = yield* ToolSearch.toolkit(yield* named(["list"]), { limit: 20 })
      for (const limit of [0, -1, 21, 1e9, 1.5, "5", null, true]) {
        for (const mode of modes) {
          const { encodedResult, isFailure } = yield* resultOf(toolkit, "tool_search", { query: "list", limit }, mode)
          assert.isTrue(isFailure)
          const { code, message, retryable } = encodedResult as ToolSource.Failure
          assert.deepStrictEqual([code, retryable], ["InvalidInputError", false], String(limit))
          assert.include(message, "limit")
        }
      }
    }))

  it.effect("keeps the toolkit's order among those that score the same [R-000-271]", () =>
    Effect.gen(function*() {
      const names = ["m", "a", "z", "k", "b"].flatMap((letter) => ["2", "1"].map((digit) => `${letter}${digit}_report`))
      const tools = names.map((name) => [name, "The same words."] as const)
      for (let times = 0; times < 3; times++) assert.deepStrictEqual(yield* ranked("report", ...tools), names)
      assert.deepStrictEqual(yield* ranked("same words", ...tools), names)
      assert.deepStrictEqual(yield* ranked("report", ...tools.toReversed()), names.toReversed())
      // Score goes before order.
      assert.deepStrictEqual((yield* ranked("report k1", ...tools))[0], "k1_report")
    }))

  it.effect("puts first a tool whose name is the query", () =>
    Effect.gen(function*() {
      const longer = Array.from({ length: 19 }, (_, at) => [`create_issue_${at}`, "Create issue: create an issue."] as const)
      for (const query of ["create_issue", "createIssue", "create issue"]) {
        assert.deepStrictEqual((yield* ranked(query, ...longer, ["create_issue"]))[0], "create_issue", query)
      }
    }))

  it.effect("puts first a tool whose name is the query behind the source, and of such names the one that is spelled the same", () =>
    Effect.gen(function*() {
      const names = ["create_issue_comment", "create_issue_label", "create_issue_reaction", "create_issue_lock", "create_issue_event", "create_issue"]
      const definitions = names.map((name) => define(name))
      const toolkit = yield* Assembly.toolkit([{ source: recording("hub"), definitions }], () => "allow")
      for (const ranking of ["words", "rarity", "bm25"] as const) {
        const searched = yield* ToolSearch.toolkit(toolkit, { ranking })
        for (const query of ["create_issue", "createIssue", "create issue", "hub__create_issue"]) {
          assert.strictEqual(namesOf(yield* found(searched, { query }))[0], "hub__create_issue", `${query} by ${ranking}`)
        }
        const both = yield* ToolSearch.toolkit(yield* named(["create_issue"], ["createIssue"]), { ranking })
        for (const query of ["create_issue", "createIssue"]) assert.deepStrictEqual(namesOf(yield* found(both, { query, limit: 1 })), [query])
      }
    }))

  it.effect("puts a name before others of which the query says less", () =>
    Effect.gen(function*() {
      const tools = [["hub__repos_get_branch", "Gets it."], ["hub__repos_get_all_pages", "Gets it."], ["hub__repos_get", "Gets it."]] as const
      for (const query of ["repos get", "get the repos", "get repos of hub"]) assert.strictEqual((yield* ranked(query, ...tools))[0], "hub__repos_get", query)
    }))

  it.effect("does not say that a tool matches in which only words like a and the are found, where another word finds one", () =>
    Effect.gen(function*() {
      const others = Array.from({ length: 40 }, (_, at) => [`tool_${at}`, "Does a thing with an item of the kind."] as const)
      const toolkit = yield* ToolSearch.toolkit(yield* named(...others, ["create_issue", "Opens it."]))
      const { matched, tools } = yield* found(toolkit, { query: "create an issue for the user" })
      assert.deepStrictEqual([matched, tools.map(({ name }) => name)], [1, ["create_issue"]])
      for (const query of ["the", "a zebra of the kind", "an"]) assert.isAtLeast((yield* found(toolkit, { query })).matched, 40, query)
    }))

  it.effect("makes its index at the first search, once, and asks it once a query", () =>
    Effect.gen(function*() {
      const seen = { made: 0, asked: 0 }
      const own = native.toolIndex
      const counting: typeof own = (...given) => {
        seen.made++
        const index = own(...given) as InstanceType<typeof native.ToolIndex>
        return { search: (query: string, limit: number) => (seen.asked++, index.search(query, limit)) } as never
      }
      const mutable = native as { toolIndex: typeof own }
      mutable.toolIndex = counting
      yield* Effect.gen(function*() {
        const toolkit = yield* ToolSearch.toolkit(yield* named(...Array.from({ length: 100 }, (_, at) => [`tool_${at}`] as const)))
        assert.deepStrictEqual(seen, { made: 0, asked: 0 })
        for (const [at, query] of ["tool 7", "tool", "", "nothing of the kind", "a b c d e f g"].entries()) {
          yield* found(toolkit, { query })
          assert.deepStrictEqual(seen, { made: 1, asked: at + 1 }, query)
        }
      }).pipe(Effect.ensuring(Effect.sync(() => void (mutable.toolIndex = own))))
    }))

  it.effect("finds a tool whose schema is no JSON, and shows one that says nothing", () =>
    Effect.gen(function*() {
      const inputSchema: Record<string, unknown> = { type: "object", description: "Unlikely." }
      inputSchema["properties"] = { self: inputSchema }
      const presented = yield* ToolSource.toolkit(recording("hub"), [define("loop", { inputSchema: inputSchema as never, description: "Goes round." }), define("other")])
      for (const fields of ["description", "parameters"] as const) {
        const toolkit = yield* ToolSearch.toolkit(presented, { fields })
        const { tools } = yield* found(toolkit, { query: "goes round" })
        assert.deepStrictEqual(tools, [{ name: "loop", description: "Goes round.", inputSchema: { type: "object" } }])
        assert.isFalse((yield* called(toolkit, "loop", {})).isFailure)
      }
    }))

  it.effect("asks nobody [R-000-280]", () =>
    Effect.gen(function*() {
      const presented = yield* erase(() => Effect.die("asked")).toolkit
      for (const approving of [presented, yield* erase(true).toolkit]) {
        const toolkit = yield* ToolSearch.toolkit(approving)
        assert.isTrue(toolkit.tools.tool_search.needsApproval === undefined || toolkit.tools.tool_search.needsApproval === false)
        for (const mode of modes) {
          const { asked, before } = yield* conversation(toolkit, calling(call("c1", "tool_search", { query: "erase" })), true, mode)
          assert.deepStrictEqual([asked, before.length], [[], 1])
        }
      }
    }))

  it.effect("weighs rare words under rarity and bm25, and knows the forms of a word under bm25", () =>
    Effect.gen(function*() {
      const presented = yield* named(...Array.from({ length: 19 }, (_, at) => [`file_${at}`, "Of a file."] as const), ["keep", "Feeds a zebra."])
      const first = (ranking: "words" | "rarity" | "bm25" | undefined, query: string) =>
        Effect.gen(function*() {
          const toolkit = yield* ToolSearch.toolkit(presented, { ranking })
          return namesOf(yield* found(toolkit, { query }))[0]
        })
      for (const [ranking, expected] of [[undefined, "file_0"], ["words", "file_0"], ["rarity", "keep"], ["bm25", "keep"]] as const) {
        assert.strictEqual(yield* first(ranking, "file zebra"), expected, ranking)
      }
      for (const [ranking, expected] of [["words", undefined], ["rarity", undefined], ["bm25", "keep"]] as const) {
        assert.strictEqual(yield* first(ranking, "feeding zebras"), expected, ranking)
      }
    }))

  it.effect("searches parameters where an option says so", () =>
    Effect.gen(function*() {
      const presented = yield* kit(
        [Tool.make("plain"), () => Effect.void],
        [
          Tool.make("send", {
            parameters: Schema.Struct({
              recipient: Schema.String.annotate({ description: "An address." }),
              urgency: Schema.Literals(["overnight", "leisurely"])
            })
          }),
          () => Effect.void
        ]
      )
      for (const ranking of ["words", "rarity", "bm25"] as const) {
        for (const [fields, expected] of [[undefined, []], ["description", []], ["parameters", ["send"]]] as const) {
          const toolkit = yield* ToolSearch.toolkit(presented, { fields, ranking })
          for (const query of ["recipient", "address", "overnight"]) {
            assert.deepStrictEqual(namesOf(yield* found(toolkit, { query })), expected, `${query} in ${fields} by ${ranking}`)
          }
        }
      }
    }))

  describe("answers a hostile query", () => {
    const million = 1 << 20
    const queries: Readonly<Record<string, string>> = {
      "of a megabyte of one word": "a".repeat(million),
      "of a megabyte of words": "tool ".repeat(million / 5),
      "of a megabyte of other words": Array.from({ length: million / 8 }, (_, at) => at.toString(36).padStart(7, "x")).join(" "),
      "of a megabyte of spaces": " ".repeat(million),
      "of a megabyte of spaces before a word": `${" ".repeat(million)}zebra`,
      "of a megabyte of marks": `tool${"\u0301".repeat(million)}`,
      "of a megabyte of capitals": "aB".repeat(million / 2),
      "of a megabyte that grows when it is normalized": "\ufdfa".repeat(million),
      "of halves of characters": "tool \ud800 \udc00\ud800 tool",
      "of controls": Array.from({ length: 32 }, (_, at) => String.fromCharCode(at)).join("tool"),
      "of what means something to JavaScript": "__proto__ toString constructor hasOwnProperty valueOf",
      "of what means something to others": "tool.* ^(a+)+$ %s ${x} '; DROP TABLE tools; -- <script> \\u0000 {\"query\":1}"
    }
    for (const [kind, query] of Object.entries(queries)) {
      it.effect(kind, () =>
        Effect.gen(function*() {
          const tools = Array.from({ length: 2000 }, (_, at) => [`tool_${at}`, "Gets things of a kind, of all kinds of things."] as const)
          const presented = yield* named(...tools)
          for (const ranking of ["words", "rarity", "bm25"] as const) {
            const toolkit = yield* ToolSearch.toolkit(presented, { ranking })
            const { available, matched, tools } = yield* found(toolkit, { query, limit: 20 })
            assert.strictEqual(available, 2000)
            assert.isAtMost(tools.length, Math.min(20, matched))
            assert.isAtMost(matched, 2000)
            if (query.endsWith(" zebra")) assert.strictEqual(matched, 0)
            // Nothing of it is left for the next.
            assert.deepStrictEqual(namesOf(yield* found(toolkit, { query: "tool_7", limit: 1 })), ["tool_7"])
          }
        }))
    }

    it.effect("of every class of characters, alone and beside a word", () =>
      Effect.gen(function*() {
        const classes = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co Cn".split(" ")
        const toolkit = yield* ToolSearch.toolkit(yield* named(["greet", "Says hello."], ["other"]))
        for (const name of classes) {
          const is = new RegExp(`^\\p{${name}}$`, "u")
          const some: Array<string> = []
          for (let code = 0; code <= 0x10ffff && some.length < 5; code++) {
            const character = String.fromCodePoint(code)
            if (is.test(character)) some.push(character)
          }
          assert.isNotEmpty(some, name)
          for (const character of some) {
            yield* found(toolkit, { query: character })
            assert.include(namesOf(yield* found(toolkit, { query: `greet ${character}` })), "greet", `${name} ${character.codePointAt(0)}`)
          }
        }
      }))

    it.effect("for tools whose names and descriptions are as hostile", () =>
      Effect.gen(function*() {
        const names = ["__proto__", "toString", "constructor", "a\ud800b", "", " ", "\u0000", "名前", "naïve", "x".repeat(100_000), "tool_search", "execute"]
        const presented = yield* kit(...names.map((name) =>
          [Tool.make(name, { description: `*/ \udc00 ${name}`, success: Schema.String }), () => Effect.succeed(name)] as const))
        const toolkit = yield* ToolSearch.toolkit(presented)
        const all = yield* found(toolkit, { query: "", limit: 20 })
        assert.deepStrictEqual(namesOf(all), names)
        assert.strictEqual(all.available, names.length)
        for (const name of ["__proto__", "toString", "constructor", "名前", "naïve", "tool_search", "execute"]) {
          assert.strictEqual(namesOf(yield* found(toolkit, { query: name }))[0], name)
        }
        for (const name of names) assert.deepStrictEqual(yield* called(toolkit, name, {}), { encodedResult: name, isFailure: false }, name.slice(0, 20))
      }))
  })
})

describe("tool_call", () => {
  it.effect("checks the input, runs the handler and gives its result, as a direct call does [R-000-272]", () =>
    Effect.gen(function*() {
      const source = recording("hub")
      const inputSchema = { type: "object", properties: { page: { type: "integer" } }, required: ["page"], additionalProperties: false }
      const assembled = yield* Assembly.toolkit([{ source, definitions: [define("list", { inputSchema })] }], () => "allow")
      const { handled, toolkit: kinds } = yield* typed
      const toolkit = yield* ToolSearch.toolkit(Presentation.merge(assembled, kinds))
      for (const mode of modes) {
        const calls = [["hub__list", { page: 2 }], ["greet", { name: "Ada" }], ["postpone", { at: "2026-01-30T00:00:00.000Z", days: "2" }], ["count", {}]] as const
        for (const [name, input] of calls) {
          const { encodedResult, isFailure } = yield* resultOf(Presentation.merge(assembled, kinds), name, input)
          assert.deepStrictEqual(yield* called(toolkit, name, input, mode), { encodedResult, isFailure }, name)
        }
        for (const [name, input] of [["hub__list", { page: "2" }], ["hub__list", {}], ["hub__list", { page: 1, other: 1 }], ["greet", {}], ["greet", { name: 7 }]] as const) {
          const { encodedResult, isFailure } = yield* called(toolkit, name, input, mode)
          assert.isTrue(isFailure)
          assert.strictEqual((encodedResult as ToolSource.Failure).code, "InvalidInputError")
        }
      }
      assert.deepStrictEqual(source.calls, Array.from({ length: 4 }, () => ({ tool: "list", input: { page: 2 } })))
      assert.lengthOf(handled.filter(({ tool }) => tool === "greet"), 4)
    }))

  it.effect("gives null for a tool that gives nothing", () =>
    Effect.gen(function*() {
      const toolkit = yield* ToolSearch.toolkit((yield* typed).toolkit)
      for (const mode of modes) assert.deepStrictEqual(yield* called(toolkit, "tidy", {}, mode), { encodedResult: null, isFailure: false })
    }))

  it.effect("gives the result alone, and nothing preliminary", () =>
    Effect.gen(function*() {
      const toolkit = yield* ToolSearch.toolkit((yield* typed).toolkit)
      const parts = yield* Effect.provide(modes[1]!.ask({ toolkit: toolkit as Any }), scripted(calling(calledTool("c1", "count"))).layer)
      const seen = parts.flatMap((part) => part.type === "tool-result" ? [[part.encodedResult, part.preliminary]] : [])
      assert.deepStrictEqual(seen, [[3, false]])
    }))

  it.effect("gives a failure as a failed result, as Failure [R-000-273]", () =>
    Effect.gen(function*() {
      const reason = new ToolSourceError.UnavailableError({ description: "https://internal" })
      const source = recording("hub", () => Effect.fail(ToolSourceError.make({ source: "hub", reason })))
      const assembled = yield* Assembly.toolkit([{ source, definitions: [define("list")] }], () => "allow")
      const toolkit = yield* ToolSearch.toolkit(Presentation.merge(assembled, (yield* typed).toolkit))
      const lost: ToolSource.Failure = { code: "CallFailedError", message: "{\"lost\":\"the key\"}", retryable: false }
      const expected = { hub__list: { code: "UnavailableError", message: reason.modelMessage, retryable: true }, seek: lost, search: lost }
      for (const mode of modes) {
        for (const [name, failure] of Object.entries(expected)) {
          assert.deepStrictEqual(yield* called(toolkit, name, {}, mode), { encodedResult: failure, isFailure: true })
        }
      }
    }))

  it.effect("fails with NotFoundError for a name that is no tool [R-000-274]", () =>
    Effect.gen(function*() {
      const { handled, toolkit: kinds } = yield* typed
      const assembled = yield* Assembly.toolkit([{ source: recording("hub"), definitions: [define("list")] }], () => "approve")
      for (const presented of [kinds, assembled, yield* named()] as ReadonlyArray<Kit>) {
        const toolkit = yield* ToolSearch.toolkit(presented)
        for (const name of ["nope", "", "__proto__", "toString", "constructor", "hasOwnProperty", "tool_search", "tool_call", "list", "greet ", "Greet"]) {
          for (const mode of modes) {
            const { asked, before } = yield* conversation(toolkit, calling(calledTool("c1", name)), true, mode)
            assert.deepStrictEqual(asked, [])
            assert.strictEqual(before[0]!.isFailure, true)
            assert.strictEqual((before[0]!.encodedResult as ToolSource.Failure).code, "NotFoundError", name)
          }
        }
      }
      assert.deepStrictEqual(handled, [])
    }))

  it.effect("refuses what is no call of a tool, and runs nothing", () =>
    Effect.gen(function*() {
      const { erased, toolkit: made } = erase(true)
      const toolkit = yield* ToolSearch.toolkit(yield* made)
      const inputs = [{}, { name: "erase" }, { input: {} }, { name: 5, input: {} }, { name: "erase", input: "1" }, { name: "erase", input: [] }, { name: "erase", input: null }, "erase", null]
      for (const input of inputs) {
        for (const mode of modes) {
          const { before } = yield* conversation(toolkit, calling(call("c1", "tool_call", input)), true, mode)
          assert.strictEqual((before[0]!.encodedResult as ToolSource.Failure).code, "InvalidInputError", JSON.stringify(input))
        }
      }
      assert.deepStrictEqual(erased, [])
    }))

  it.effect("neither finds nor calls a tool that was blocked [R-000-275]", () =>
    Effect.gen(function*() {
      const source = recording("hub")
      const definitions = [define("list_secrets"), define("list")]
      const assembled = yield* Assembly.toolkit([{ source, definitions }], (_, { name }) => name === "list" ? "allow" : "block")
      const toolkit = yield* ToolSearch.toolkit(assembled)
      for (const query of ["list_secrets", "secrets", "hub__list_secrets", ""]) {
        const { available, tools } = yield* found(toolkit, { query, limit: 20 })
        assert.notInclude(tools.map(({ name }) => name), "hub__list_secrets")
        assert.strictEqual(available, 1)
      }
      for (const name of ["hub__list_secrets", "list_secrets"]) {
        assert.strictEqual(((yield* called(toolkit, name, {})).encodedResult as ToolSource.Failure).code, "NotFoundError")
      }
      assert.deepStrictEqual(source.calls, [])
    }))

  for (const mode of modes) {
    it.effect(`asks about a tool that needs approval, and runs nothing before it has it, under ${mode.mode} [R-000-276]`, () =>
      Effect.gen(function*() {
        for (const approved of [true, false]) {
          const source = recording("hub")
          const assembled = yield* Assembly.toolkit([{ source, definitions: [define("delete"), define("list")] }], (_, { name }) => name === "list" ? "allow" : "approve")
          const toolkit = yield* ToolSearch.toolkit(assembled)
          const said = calling(calledTool("c1", "hub__delete", { id: 1 }), calledTool("c2", "hub__list"))
          const first = yield* Effect.provide(mode.ask({ toolkit: toolkit as Any }), scripted(said).layer)
          assert.deepStrictEqual(first.flatMap((part) => part.type === "tool-approval-request" ? [part.toolCallId] : []), ["c1"])
          assert.deepStrictEqual(source.calls.map(({ tool }) => tool), ["list"])
          const { after, asked, before } = yield* conversation(toolkit, said, approved, mode)
          assert.deepStrictEqual(asked, ["c1"])
          assert.deepStrictEqual(before.map(({ id }) => id), ["c2"])
          assert.deepStrictEqual(
            after.map(({ encodedResult, id, isFailure }) => [id, isFailure, encodedResult]),
            [approved ? ["c1", false, { from: "hub", tool: "delete", input: { id: 1 } }] : ["c1", true, { type: "execution-denied", reason: "because" }]]
          )
          assert.deepStrictEqual(source.calls.filter(({ tool }) => tool === "delete"), approved ? [{ tool: "delete", input: { id: 1 } }] : [])
        }
      }))

    it.effect(`asks as the tool's own needsApproval says, of the input, the call and the messages, under ${mode.mode} [R-000-277]`, () =>
      Effect.gen(function*() {
        const asked: Array<readonly [unknown, string, ReadonlyArray<string>]> = []
        const answers: ReadonlyArray<(says: boolean) => boolean | Effect.Effect<boolean>> = [(says) => says, (says) => Effect.succeed(says), (says) => Effect.delay(Effect.succeed(says), 0)]
        for (const answer of answers) {
          const { erased, toolkit: made } = erase((input, { messages, toolCallId }) => {
            asked.push([input, toolCallId, messages.map(({ role }) => role)])
            return answer(input.line > 10)
          })
          const toolkit = yield* ToolSearch.toolkit(yield* made)
          const said = calling(calledTool("call-7", "erase", { line: "30" }), calledTool("call-8", "erase", { line: "2" }))
          const asking = conversation(toolkit, said, true, mode)
          const { after, asked: requests, before } = yield* asking
          assert.deepStrictEqual(requests, ["call-7"])
          assert.deepStrictEqual(before.map(({ encodedResult, id }) => [id, encodedResult]), [["call-8", "1 erased"]])
          assert.deepStrictEqual(after.map(({ encodedResult, id }) => [id, encodedResult]), [["call-7", "2 erased"]])
          assert.deepStrictEqual(erased, [2, 30])
        }
        // What the tool's own schema makes of the input is what its own function is asked with.
        assert.sameDeepMembers(asked.slice(0, 2), [[{ line: 30 }, "call-7", ["user"]], [{ line: 2 }, "call-8", ["user"]]])
      }))

    it.effect(`runs at once what its needsApproval says no of, under ${mode.mode} [R-000-278]`, () =>
      Effect.gen(function*() {
        for (const needsApproval of [() => false, () => Effect.succeed(false), false, undefined] as ReadonlyArray<Tool.NeedsApproval<any> | undefined>) {
          const { erased, toolkit: made } = erase(needsApproval)
          const { asked, before } = yield* conversation(yield* ToolSearch.toolkit(yield* made), calling(calledTool("c1", "erase", { line: "1" })), false, mode)
          assert.deepStrictEqual([asked, before.map(({ encodedResult }) => encodedResult), erased], [[], ["1 erased"], [1]])
        }
      }))

    it.effect(`does not run unasked what its needsApproval fails, throws, dies or says nothing of, under ${mode.mode} [R-000-279]`, () =>
      Effect.gen(function*() {
        const questions: Readonly<Record<string, () => unknown>> = {
          fails: () => Effect.fail("no idea"),
          dies: () => Effect.die(new Error("boom")),
          throws: () => {
            throw new Error("boom")
          },
          "fails later": () => Effect.delay(Effect.fail("no idea"), 0),
          "says nothing": () => undefined,
          "says null": () => null,
          "says 0": () => 0,
          "says a text": () => "false",
          "says a Promise": () => Promise.resolve(false),
          "says nothing as an Effect": () => Effect.void
        }
        for (const [what, question] of Object.entries(questions)) {
          const denied = erase(question as never)
          const no = yield* conversation(yield* ToolSearch.toolkit(yield* denied.toolkit), calling(calledTool("c1", "erase", { line: "1" })), false, mode)
          assert.deepStrictEqual([no.asked, no.before, denied.erased], [["c1"], [], []], what)
          const approved = erase(question as never)
          const yes = yield* conversation(yield* ToolSearch.toolkit(yield* approved.toolkit), calling(calledTool("c1", "erase", { line: "1" })), true, mode)
          assert.deepStrictEqual([yes.asked, yes.after.map(({ encodedResult }) => encodedResult), approved.erased], [["c1"], ["1 erased"], [1]], what)
        }
        // An input that the question cannot be asked with.
        const { erased, toolkit: made } = erase(() => false)
        const { after, asked } = yield* conversation(yield* ToolSearch.toolkit(yield* made), calling(calledTool("c1", "erase", { line: {} })), true, mode)
        assert.deepStrictEqual(asked, ["c1"])
        assert.strictEqual((after[0]!.encodedResult as ToolSource.Failure).code, "InvalidInputError")
        assert.deepStrictEqual(erased, [])
      }))

    it.effect(`does not run what nobody could be asked about, since it is not JSON, under ${mode.mode} [R-000-276] [R-000-279]`, () =>
      Effect.gen(function*() {
        for (const odd of [JSON.parse("1e400"), JSON.parse("-1e400"), NaN, undefined, [undefined]]) {
          const source = recording("hub")
          const assembled = yield* Assembly.toolkit([{ source, definitions: [define("erase")] }], () => "approve")
          const { erased, toolkit: made } = erase(true)
          const twice = yield* ToolSearch.toolkit(yield* made)
          for (const [presented, name] of [[assembled, "hub__erase"], [yield* made, "erase"], [twice, "tool_call"]] as const) {
            const toolkit = yield* ToolSearch.toolkit(presented as Kit)
            const inner = { line: "1", odd }
            const input = name === "tool_call" ? { name: "erase", input: inner } : inner
            const { after, before } = yield* conversation(toolkit, calling(calledTool("c1", name, input)), false, mode)
            assert.isEmpty([...before, ...after].filter(({ isFailure }) => !isFailure))
          }
          assert.deepStrictEqual([erased, source.calls], [[], []])
        }
      }))

    it.effect(`asks with the services of whoever calls, before those it was made with, under ${mode.mode} [R-000-277]`, () =>
      Effect.gen(function*() {
        const asked: Array<string> = []
        const needsApproval = () => Effect.map(Clerk, (clerk) => asked.push(clerk) > 0) as never
        const { toolkit: made } = erase(needsApproval)
        const toolkit = yield* Effect.provideService(ToolSearch.toolkit(yield* made), Clerk, "made")
        yield* Effect.provideService(conversation(toolkit, calling(calledTool("c1", "erase", { line: "1" })), false, mode), Clerk, "calls")
        assert.deepStrictEqual(new Set(asked), new Set(["calls"]))
      }))

    it.effect(`stops the tool when it is interrupted, under ${mode.mode} [R-000-284]`, () =>
      Effect.gen(function*() {
        const presentations: ReadonlyArray<(waiting: Effect.Effect<never>) => Effect.Effect<Kit>> = [
          (waiting) => kit([Tool.make("wait"), () => waiting]),
          (waiting) => ToolSource.toolkit(recording("hub", () => waiting), [define("wait")])
        ]
        for (const present of presentations) {
          const started = yield* Deferred.make<void>()
          const events: Array<string> = []
          const waiting = Deferred.succeed(started, undefined).pipe(
            Effect.andThen(Effect.never),
            Effect.onInterrupt(() => Effect.sync(() => void events.push("interrupted")))
          )
          const toolkit = yield* ToolSearch.toolkit(yield* present(waiting))
          const fiber = yield* Effect.forkChild(results(toolkit, calling(calledTool("c1", "wait")), mode))
          yield* Deferred.await(started)
          yield* Fiber.interrupt(fiber)
          const exit = yield* Fiber.await(fiber)
          assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
          assert.deepStrictEqual(events, ["interrupted"])
        }
      }))

    it.effect(`tells the tool the id of the call that the model made, under ${mode.mode} [R-000-286]`, () =>
      Effect.gen(function*() {
        const { handled, toolkit: kinds } = yield* typed
        const toolkit = yield* ToolSearch.toolkit(kinds)
        yield* results(toolkit, calling(calledTool("call-7", "greet", { name: "a" }), calledTool("call-8", "greet", { name: "b" })), mode)
        assert.sameDeepMembers([...handled], [
          { tool: "greet", input: { name: "a" }, id: "call-7" },
          { tool: "greet", input: { name: "b" }, id: "call-8" }
        ])
        yield* results(yield* ToolSearch.toolkit(toolkit), calling(calledTool("call-9", "tool_call", { name: "greet", input: { name: "c" } })), mode)
        assert.strictEqual(handled.at(-1)!.id, "call-9")
      }))
  }

  it.effect("shows a model what the tool says it is shown of its result", () =>
    Effect.gen(function*() {
      const tool = Tool.make("read", { success: Schema.Struct({ secret: Schema.String }), toModelOutput: () => [Prompt.makePart("text", { text: "short" })] })
      const toolkit = yield* ToolSearch.toolkit(yield* kit([tool, () => Effect.succeed({ secret: "all of it" })]))
      const given = Stream.runCollect(Stream.unwrap(toolkit.handle("tool_call", { name: "read", input: {} })))
      assert.deepStrictEqual((yield* given).map(({ modelOutput }) => modelOutput?.map((part) => part.type === "text" ? part.text : part)), [["short"]])
    }))

  it.effect("neither finds nor runs a tool of the model's provider", () =>
    Effect.gen(function*() {
      const webSearch = Tool.providerDefined({ id: "some.web_search", customName: "WebSearch", providerName: "web_search" })(undefined)
      const toolkit = yield* ToolSearch.toolkit(yield* kit([webSearch as unknown as Tool.Any, () => Effect.void], [Tool.make("look"), () => Effect.void]))
      const all = yield* found(toolkit, { query: "" })
      assert.deepStrictEqual([all.tools.map(({ name }) => name), all.available], [["look"], 1])
      const { encodedResult, isFailure } = yield* resultOf(toolkit, "tool_call", { name: "WebSearch", input: {} })
      assert.deepStrictEqual([isFailure, (encodedResult as ToolSource.Failure).code], [true, "NotFoundError"])
    }))

  it.effect("runs the calls of one turn together, each with its own answer", () =>
    Effect.gen(function*() {
      const arrived: Array<string> = []
      const all = yield* Deferred.make<void>()
      const presented = yield* kit([
        Tool.make("meet", { parameters: Schema.Struct({ who: Schema.String }), success: Schema.String }),
        ({ who }) =>
          Effect.suspend(() => arrived.push(who) === 3 ? Deferred.succeed(all, undefined) : Deferred.await(all)).pipe(Effect.as(`${who} was there`))
      ])
      const toolkit = yield* ToolSearch.toolkit(presented)
      const answers = yield* results(toolkit, calling(...["a", "b", "c"].map((who) => calledTool(who, "meet", { who }))))
      assert.deepStrictEqual(answers.map(({ encodedResult }) => encodedResult), ["a was there", "b was there", "c was there"])
    }))
})

describe("a toolkit that is searched may be", () => {
  it.effect("of tools with schemas of their own [R-000-282]", () =>
    Effect.gen(function*() {
      const { toolkit: kinds } = yield* typed
      const toolkit = yield* ToolSearch.toolkit(kinds)
      const { available, tools } = yield* found(toolkit, { query: "greets somebody" })
      assert.deepStrictEqual([available, tools[0]!.name], [7, "greet"])
      assert.deepStrictEqual(yield* called(toolkit, "greet", { name: "Ada" }), { encodedResult: "Hello, Ada.", isFailure: false })
    }))

  it.effect("of tools that need services, which it takes when it is made [R-000-282]", () =>
    Effect.gen(function*() {
      const { toolkit: kinds } = yield* typed
      const asking = (toolkit: Any) => called(toolkit, "ask_clerk", {})
      const toolkit = yield* Effect.provideService(ToolSearch.toolkit(kinds), Clerk, "Bartleby")
      assert.deepStrictEqual(yield* asking(toolkit), { encodedResult: "Bartleby says so.", isFailure: false })
      const twice = yield* ToolSearch.toolkit(toolkit)
      const inner = yield* called(twice, "tool_call", { name: "ask_clerk", input: {} })
      assert.deepStrictEqual(inner, { encodedResult: "Bartleby says so.", isFailure: false })
    }))

  it.effect("one that is searched itself, approvals included [R-000-282]", () =>
    Effect.gen(function*() {
      for (const mode of modes) {
        const { erased, toolkit: made } = erase(({ line }) => line > 10)
        const inner = yield* ToolSearch.toolkit(Presentation.merge(yield* made, (yield* typed).toolkit))
        const toolkit = yield* ToolSearch.toolkit(inner)
        const { available, tools } = yield* found(toolkit, { query: "" })
        assert.deepStrictEqual([available, ...tools.map(({ name }) => name)], [2, "tool_search", "tool_call"])
        const searched = yield* called(toolkit, "tool_search", { query: "erase" }, mode)
        assert.deepStrictEqual(namesOf(searched.encodedResult as ToolSearch.Found), ["erase"])
        const greeting = yield* called(toolkit, "tool_call", { name: "greet", input: { name: "Ada" } }, mode)
        assert.deepStrictEqual(greeting, { encodedResult: "Hello, Ada.", isFailure: false })
        const nested = (id: string, line: string) => calledTool(id, "tool_call", { name: "erase", input: { line } })
        const { after, asked, before } = yield* conversation(toolkit, calling(nested("c1", "30"), nested("c2", "2")), true, mode)
        assert.deepStrictEqual([asked, before.map(({ id }) => id), after.map(({ encodedResult }) => encodedResult)], [["c1"], ["c2"], ["2 erased"]])
        assert.deepStrictEqual(erased, [2, 30])
      }
    }))

  it.effect("one of two, or of some tools of one; and so is what presents it [R-000-282]", () =>
    Effect.gen(function*() {
      const { erased, toolkit: made } = erase(true)
      const all = Presentation.merge(yield* made, (yield* typed).toolkit)
      const some = Presentation.restrict(all, ({ needsApproval }) => needsApproval !== true)
      const searched = yield* ToolSearch.toolkit(some)
      assert.strictEqual((yield* found(searched, { query: "erase" })).matched, 0)
      const both = Presentation.merge(searched, Presentation.restrict(all, ({ needsApproval }) => needsApproval === true)) as Any
      assert.deepStrictEqual(Object.keys(both.tools), ["tool_search", "tool_call", "erase"])
      for (const mode of modes) {
        const said = calling(call("c1", "erase", { line: "1" }), calledTool("c2", "greet", { name: "Ada" }), calledTool("c3", "erase", { line: "1" }))
        const { after, asked, before } = yield* conversation(both, said, true, mode)
        assert.deepStrictEqual(asked, ["c1"])
        assert.deepStrictEqual(before.map(({ id, isFailure }) => [id, isFailure]), [["c2", false], ["c3", true]])
        assert.deepStrictEqual(after.map(({ id, isFailure }) => [id, isFailure]), [["c1", false]])
      }
      assert.deepStrictEqual(erased, [1, 1])
      const search = Presentation.restrict(searched, ["tool_search"]) as Any
      assert.strictEqual((yield* found(search, { query: "greet" })).tools[0]!.name, "greet")
      assert.strictEqual((yield* Effect.flip(Presentation.call(search, "tool_call", { name: "greet", input: { name: "Ada" } }) as Effect.Effect<unknown, ToolSource.Failure>)).code, "NotFoundError")
    }))

  it.effect("of tools whose names are longer than 64 characters [R-000-283]", () =>
    Effect.gen(function*() {
      const name = `archive_${"very_".repeat(60)}old_invoices`
      const source = recording("hub")
      const typedName = `${name}_of_effect`
      const presented = Presentation.merge(
        yield* ToolSource.toolkit(source, [define(name)]),
        yield* kit([Tool.make(typedName, { success: Schema.String }), () => Effect.succeed("done")])
      )
      const toolkit = yield* ToolSearch.toolkit(presented)
      assert.deepStrictEqual(namesOf(yield* found(toolkit, { query: "archive invoices" })), [name, typedName])
      assert.deepStrictEqual(yield* called(toolkit, name, {}), { encodedResult: { from: "hub", tool: name, input: {} }, isFailure: false })
      assert.deepStrictEqual(yield* called(toolkit, typedName, {}), { encodedResult: "done", isFailure: false })
      for (const { name } of Object.values(toolkit.tools)) assert.isAtMost(name.length, 64)
    }))

  it.effect("annotated, and what it is annotated with is not said of the two", () =>
    Effect.gen(function*() {
      const toolkit = yield* ToolSearch.toolkit(yield* kit([Tool.make("look").annotate(Tool.Readonly, true).annotate(Tool.Destructive, false), () => Effect.void]))
      // It may run any tool, so it says nothing that one of them may not do.
      const { annotations } = toolkit.tools.tool_call
      assert.isFalse(Context.get(annotations, Tool.Readonly))
      assert.isTrue(Context.get(annotations, Tool.Destructive))
      assert.isTrue(Context.get(toolkit.tools.tool_search.annotations, Tool.Readonly))
      const stream = yield* toolkit.handle("tool_call", { name: "look", input: {} })
      assert.isTrue(Stream.isStream(stream))
    }))
})
