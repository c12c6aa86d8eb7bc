/** The approval store in a file of SQLite and in a PostgreSQL server, over several clients and several processes. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, type Scope } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as ApprovalStoreSql from "../../ts/approvals-sql.ts"
import { type ApprovalStore, createApprovals, createToolExecutor, DendraError, type PendingAction, type PendingResult, route } from "../../ts/router.ts"
import { connect, type Database } from "./sql/databases.ts"
import { makePostgres, type Postgres } from "./sql/postgres.ts"

const action = (id: string, more: Partial<PendingAction> = {}): PendingAction => ({
  id,
  tool: "publish",
  input: { id },
  createdAt: "2026-01-01T00:00:00.000Z",
  ...more
})

/** Names that are distinct within a run. */
let made = 0
const fresh = (name: string): string => `${name}-${made++}`

const makeOver = (client: SqlClient.SqlClient, options?: ApprovalStoreSql.Options): Effect.Effect<ApprovalStore, SqlError.SqlError> =>
  Effect.provideService(ApprovalStoreSql.make(options), SqlClient.SqlClient, client)

/** A store over a client of its own. */
const storeOf = (database: Database, options?: ApprovalStoreSql.Options): Effect.Effect<ApprovalStore, SqlError.SqlError, Scope.Scope> =>
  Effect.flatMap(connect(database), (client) => makeOver(client, options))

const worker = fileURLToPath(new URL("./sql/worker.ts", import.meta.url))

interface Outcome {
  readonly outcomes: ReadonlyArray<unknown>
  readonly runs: number
}

/** Another process, which begins when it is told to. */
const processOf = async (database: Database, job: "take" | "propose" | "approve" | "hold", ids: ReadonlyArray<string>) => {
  const loader = process.versions["bun"] === undefined ? ["--import", "tsx"] : []
  const child: ChildProcess = spawn(process.execPath, [...loader, worker, JSON.stringify(database), job, ...ids], { stdio: ["pipe", "pipe", "pipe"] })
  let stderr = ""
  child.stderr!.on("data", (chunk: Buffer) => stderr += chunk.toString())
  const lines = createInterface(child.stdout!)[Symbol.asyncIterator]()
  const line = async (): Promise<string> => {
    const { done, value } = await lines.next()
    return done === true ? assert.fail(`the other process ended: ${stderr}`) : value
  }
  assert.strictEqual(await line(), "ready")
  const kill = async (): Promise<void> => {
    const ended = once(child, "exit")
    child.kill("SIGKILL")
    await ended
  }
  const go = async (): Promise<Outcome> => {
    child.stdin!.write("\n")
    return JSON.parse(await line()) as Outcome
  }
  return { go, kill }
}

const winners = (outcomes: ReadonlyArray<unknown>): ReadonlyArray<unknown> => outcomes.filter((outcome) => outcome !== null)

/** What holds of each database. */
const suite = (name: string, database: () => Database, others: () => void = () => undefined): void => {
  describe(`the approval store in ${name}`, () => {
    it.live("keeps actions as they are: finds, lists and takes them", () =>
      Effect.gen(function*() {
        const store = yield* storeOf(database(), { table: fresh("kept") })
        const odd = action("odd", {
          input: JSON.parse("{\"text\":\"„Grüße“ \\u0000 \\ud800 😀 \\u2028\",\"n\":1e308,\"deep\":[[{}],null,true],\"__proto__\":{\"a\":1}}"),
          scope: "tenant 'ü\"; --",
          proposer: "Ada"
        })
        const all = [action("b", { scope: "t1" }), action("a"), odd, action("c", { scope: "t1", createdAt: "2025-01-01T00:00:00.000Z" })]
        yield* Effect.promise(async () => {
          for (const one of all) await store.add(one)
          for (const one of all) assert.deepStrictEqual(await store.get(one.id), one)
          assert.deepStrictEqual((await store.list("t1")).map(({ id }) => id), ["c", "b"])
          assert.deepStrictEqual(await store.list(odd.scope), [odd])
          assert.deepStrictEqual((await store.list()).map(({ id }) => id), ["c", "a", "b", "odd"])
          assert.deepStrictEqual(await store.list("none"), [])
          assert.deepStrictEqual(await store.take("odd"), odd)
          assert.deepStrictEqual([await store.take("odd"), await store.get("odd"), await store.get("")], [null, null, null])
          assert.strictEqual((await store.list()).length, 3)
        })
      }).pipe(Effect.scoped))

    it.live("takes ids, scopes and the table's name for no SQL, and does not put one action in the place of another", () =>
      Effect.gen(function*() {
        const hostile = "'; DROP TABLE x; -- \" ? $1 :a"
        const store = yield* storeOf(database(), { table: fresh(hostile) })
        yield* Effect.promise(async () => {
          await store.add(action(hostile, { scope: hostile }))
          const again = await store.add(action(hostile, { input: { other: 1 } })).then(() => "added", (error: SqlError.SqlError) => error.reason._tag)
          assert.oneOf(again, ["UniqueViolation", "ConstraintError"])
          assert.deepStrictEqual(await store.list(hostile), [action(hostile, { scope: hostile })])
          assert.isNull(await store.take("' OR '1'='1"))
          assert.deepStrictEqual((await store.take(hostile))!.id, hostile)
        })
      }).pipe(Effect.scoped))

    it.live("is made by many at once where there is nothing yet", () =>
      Effect.gen(function*() {
        const table = fresh("at once")
        const clients = yield* Effect.forEach(Array.from({ length: 6 }), () => connect(database()), { concurrency: "unbounded" })
        const stores = yield* Effect.forEach(clients, (client) => makeOver(client, { table }), { concurrency: "unbounded" })
        yield* Effect.promise(async () => {
          await Promise.all(stores.map((store, at) => store.add(action(String(at)))))
          for (const store of stores) assert.strictEqual((await store.list()).length, 6)
        })
      }).pipe(Effect.scoped))

    it.live("gives an action to one of many takers over several clients [R-001-96]", () =>
      Effect.gen(function*() {
        const table = fresh("takers")
        const stores = yield* Effect.forEach(Array.from({ length: 4 }), () => storeOf(database(), { table }))
        yield* Effect.promise(async () => {
          for (let at = 0; at < 50; at++) {
            const one = action(`action ${at}`)
            await stores[0]!.add(one)
            const taken = await Promise.all(Array.from({ length: 16 }, (_, taker) => stores[taker % stores.length]!.take(one.id)))
            assert.deepStrictEqual(winners(taken), [one])
          }
          assert.deepStrictEqual(await stores[1]!.list(), [])
        })
      }).pipe(Effect.scoped))

    it.live("gives an action to one of two processes, and loses none [R-001-96]", () =>
      Effect.gen(function*() {
        const store = yield* storeOf(database())
        const ids = Array.from({ length: 100 }, () => fresh("action"))
        yield* Effect.promise(async () => {
          for (const id of ids) await store.add(action(id))
          const processes = await Promise.all([processOf(database(), "take", ids), processOf(database(), "take", ids.toReversed())])
          const taken = await Promise.all(processes.map(({ go }) => go()))
          const won = taken.map(({ outcomes }) => winners(outcomes))
          assert.sameMembers(won.flat(), ids)
          assert.strictEqual(won.flat().length, ids.length)
          assert.deepStrictEqual(await Promise.all(ids.map((id) => store.get(id))), ids.map(() => null))
          await Promise.all(processes.map(({ kill }) => kill()))
        })
      }).pipe(Effect.scoped))

    it.live("lets one of the approvers of two processes win: it runs once, and the others are told of it [R-001-96]", () =>
      Effect.gen(function*() {
        const store = yield* storeOf(database())
        const ids = Array.from({ length: 30 }, () => fresh("action"))
        yield* Effect.promise(async () => {
          for (const id of ids) await store.add(action(id))
          const twice = ids.flatMap((id) => [id, id])
          const processes = await Promise.all([processOf(database(), "approve", twice), processOf(database(), "approve", twice.toReversed())])
          const decided = await Promise.all(processes.map(({ go }) => go()))
          assert.strictEqual(decided[0]!.runs + decided[1]!.runs, ids.length)
          const [ran, lost] = [new Array<unknown>(), new Array<unknown>()]
          for (const outcome of decided.flatMap(({ outcomes }) => outcomes)) (ids.includes(outcome as string) ? ran : lost).push(outcome)
          assert.sameMembers(ran, ids)
          assert.strictEqual(lost.length, 3 * ids.length)
          // Whoever was late enough to find nothing was told that; whoever lost the race, that.
          assert.deepStrictEqual(lost.filter((outcome) => outcome !== "CONFLICT" && outcome !== "NOT_FOUND"), [])
          await Promise.all(processes.map(({ kill }) => kill()))
        })
      }).pipe(Effect.scoped))

    it.live("keeps an action whose proposer is killed before anybody approves [R-001-96]", () =>
      Effect.gen(function*() {
        const ids = [fresh("proposed"), fresh("proposed")]
        const pending = yield* Effect.promise(async () => {
          const proposer = await processOf(database(), "propose", ids)
          const { outcomes } = await proposer.go()
          await proposer.kill()
          return outcomes as ReadonlyArray<PendingResult>
        })
        const store = yield* storeOf(database())
        let runs = 0
        const router = { publish: route.input({ type: "object" }).ai({ confirm: true }).handler(({ input }) => (runs++, input["id"])) }
        const approvals = createApprovals(router, { store })
        yield* Effect.promise(async () => {
          const listed = (await approvals.list({})).map(({ id }) => id)
          for (const { actionId } of pending) assert.include(listed, actionId)
          assert.strictEqual(await approvals.approve(pending[0]!.actionId, {}), ids[0])
          const again = await approvals.approve(pending[0]!.actionId, {}).catch((error: unknown) => error)
          assert.strictEqual((again as DendraError).code, "NOT_FOUND")
          await approvals.reject(pending[1]!.actionId, {})
        })
        assert.strictEqual(runs, 1)
      }).pipe(Effect.scoped))

    it.live("outlives the clients that wrote to it [R-001-96]", () =>
      Effect.gen(function*() {
        const one = action(fresh("kept"), { scope: "t1" })
        yield* Effect.scoped(Effect.flatMap(storeOf(database()), (store) => Effect.promise(() => store.add(one))))
        const store = yield* storeOf(database())
        assert.deepStrictEqual(yield* Effect.promise(() => store.take(one.id)), one)
      }).pipe(Effect.scoped))

    it.live("fails, and does not wait, when its client is closed", () =>
      Effect.gen(function*() {
        const table = fresh("closed")
        const store = yield* Effect.scoped(storeOf(database(), { table }))
        const failures = yield* Effect.promise(() =>
          Promise.all([store.add(action("a")), store.get("a"), store.take("a"), store.list()].map((call) => call.then(() => "it worked", () => "it failed"))))
        assert.deepStrictEqual(failures, ["it failed", "it failed", "it failed", "it failed"])
      }))

    it.live("stands outside of a transaction that it is made in, where there is nothing yet, whatever becomes of that one", () =>
      Effect.gen(function*() {
        const client = yield* connect(database())
        for (const end of ["committed", "rolled back"] as const) {
          const table = fresh(`made in one ${end}`)
          let store: ApprovalStore | undefined
          const outcome = yield* Effect.exit(client.withTransaction(Effect.gen(function*() {
            store = yield* makeOver(client, { table })
            return end === "committed" ? end : yield* Effect.fail(end)
          })))
          assert.strictEqual(Exit.isSuccess(outcome), end === "committed")
          yield* Effect.promise(() => store!.add(action("a")))
          const other = yield* storeOf(database(), { table })
          assert.deepStrictEqual(yield* Effect.promise(() => other.take("a")), action("a"))
        }
      }).pipe(Effect.scoped))

    it.live("is first used by many at once after a transaction that it was made in", () =>
      Effect.gen(function*() {
        const client = yield* connect(database())
        const store = yield* client.withTransaction(makeOver(client, { table: fresh("first used by many") }))
        yield* Effect.promise(async () => {
          const ids = Array.from({ length: 8 }, (_, at) => String(at))
          await Promise.all(ids.map((id) => store.add(action(id))))
          assert.deepStrictEqual((await store.list()).map(({ id }) => id), ids)
        })
      }).pipe(Effect.scoped))

    it.live("an approver that is killed in a handler has decided the action: it is gone, and does not run again [R-001-96]", () =>
      Effect.gen(function*() {
        const store = yield* storeOf(database())
        const [one, other] = [action(fresh("held")), action(fresh("held"))]
        yield* Effect.promise(async () => {
          for (const it of [one, other]) await store.add(it)
          const approver = await processOf(database(), "hold", [one.id])
          // It says so from within the handler.
          assert.deepStrictEqual(await approver.go(), { outcomes: [one.id], runs: 1 })
          await approver.kill()
        })
        let runs = 0
        const router = { publish: route.input({ type: "object" }).ai({ confirm: true }).handler(({ input }) => (runs++, input["id"])) }
        const after = createApprovals(router, { store: yield* storeOf(database()) })
        yield* Effect.promise(async () => {
          const listed = new Set((await after.list({})).map(({ id }) => id))
          assert.deepStrictEqual([listed.has(one.id), listed.has(other.id)], [false, true])
          for (const decide of [() => after.approve(one.id, {}), () => after.reject(one.id, {})]) {
            const error = await decide().catch((error: unknown) => error)
            assert.strictEqual((error as DendraError).code, "NOT_FOUND")
          }
          assert.strictEqual(runs, 0)
          // What it did not decide waits as before.
          assert.strictEqual(await after.approve(other.id, {}), other.id)
        })
      }).pipe(Effect.scoped))

    others()
  })
}

const folder = mkdtempSync(join(tmpdir(), "toolkit-native-sqlite-"))
let postgres: Postgres
beforeAll(async () => {
  postgres = await makePostgres()
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await postgres?.remove()
})

suite("a file of SQLite", () => ({ kind: "sqlite", file: join(folder, "approvals.db") }))

suite("PostgreSQL", () => ({ kind: "postgres", port: postgres.port }), () => {
  for (const isolation of ["serializable", "repeatable read"] as const) {
    it.live(`gives an action to one taker and null to the others where transactions are ${isolation} [R-001-96]`, () =>
      Effect.gen(function*() {
        const table = fresh(isolation)
        const stores = yield* Effect.forEach(Array.from({ length: 4 }), () => storeOf({ kind: "postgres", port: postgres.port, isolation }, { table }))
        yield* Effect.promise(async () => {
          for (let at = 0; at < 25; at++) {
            const one = action(`action ${at}`)
            await stores[0]!.add(one)
            const taken = await Promise.all(Array.from({ length: 16 }, (_, taker) => stores[taker % stores.length]!.take(one.id)))
            assert.deepStrictEqual(winners(taken), [one])
          }
        })
      }).pipe(Effect.scoped))
  }

  it.live("serves who may use its table and make none", () =>
    Effect.gen(function*() {
      const owner = yield* connect({ kind: "postgres", port: postgres.port })
      const table = fresh("granted")
      yield* makeOver(owner, { table })
      yield* owner`CREATE ROLE clerk LOGIN`
      yield* owner`REVOKE CREATE ON SCHEMA public FROM PUBLIC`
      yield* owner`GRANT SELECT, INSERT, DELETE ON ${owner(table)} TO clerk`
      const clerk = { kind: "postgres", port: postgres.port, user: "clerk" } as const
      const store = yield* storeOf(clerk, { table })
      yield* Effect.promise(async () => {
        await store.add(action("a"))
        assert.deepStrictEqual(await store.take("a"), action("a"))
      })
      const refused = yield* Effect.flip(storeOf(clerk, { table: fresh("not granted") }))
      assert.strictEqual(refused.reason._tag, "AuthorizationError")
    }).pipe(Effect.scoped))

  it.live("leaves a transaction that it is made in as it is, also where it may make no table", () =>
    Effect.gen(function*() {
      const owner = yield* connect({ kind: "postgres", port: postgres.port })
      yield* owner`CREATE ROLE visitor LOGIN`
      yield* owner`REVOKE CREATE ON SCHEMA public FROM PUBLIC`
      const visitor = yield* connect({ kind: "postgres", port: postgres.port, user: "visitor" })
      const [rows, store] = yield* visitor.withTransaction(Effect.gen(function*() {
        const store = yield* makeOver(visitor, { table: fresh("refused") })
        return [yield* visitor<{ readonly one: number }>`SELECT 1 AS one`, store] as const
      }))
      assert.deepStrictEqual(rows.map(({ one }) => one), [1])
      const refused = yield* Effect.promise(() => store.list().then(() => assert.fail("it listed"), (error: SqlError.SqlError) => error.reason._tag))
      assert.strictEqual(refused, "AuthorizationError")
    }).pipe(Effect.scoped))

  it.live("is used within the transaction that it is made in, over another connection, which sees its table", () =>
    Effect.gen(function*() {
      const client = yield* connect({ kind: "postgres", port: postgres.port })
      const table = fresh("used within")
      const outcome = yield* Effect.exit(client.withTransaction(Effect.gen(function*() {
        const store = yield* makeOver(client, { table })
        yield* Effect.promise(() => store.add(action("a")))
        return yield* Effect.fail("rolled back")
      })))
      assert.isTrue(Exit.isFailure(outcome) && JSON.stringify(outcome).includes("rolled back"))
      assert.deepStrictEqual(yield* Effect.flatMap(makeOver(client, { table }), (store) => Effect.promise(() => store.list())), [action("a")])
    }).pipe(Effect.scoped))

  it.live("says that the server is away, loses nothing in a crash of it, and goes on when it is back [R-001-96]", () =>
    Effect.gen(function*() {
      const store = yield* storeOf({ kind: "postgres", port: postgres.port })
      const router = { publish: route.input({ type: "object" }).ai({ confirm: true }).handler(() => "published") }
      const approvals = createApprovals(router, { store })
      yield* Effect.promise(async () => {
        const execute = createToolExecutor(router, {}, { approvals })
        const before = await execute("publish", { id: 1 }) as PendingResult
        await postgres.crash()
        const away = await approvals.approve(before.actionId, {}).catch((error: unknown) => error) as SqlError.SqlError
        assert.strictEqual(away._tag, "SqlError")
        await postgres.start()
        assert.strictEqual(await approvals.approve(before.actionId, {}), "published")
      })
    }).pipe(Effect.scoped))
})

/** As a client of MySQL has it. */
const onDialectOrElse: SqlClient.SqlClient["onDialectOrElse"] = ({ mysql, orElse }) => (mysql ?? orElse)() as never

describe("the approval store", () => {
  it.live("is of PostgreSQL or SQLite, and says so of any other database", () =>
    Effect.gen(function*() {
      const client = yield* connect({ kind: "sqlite", file: join(folder, "other.db") })
      const mysql = Object.assign(Object.create(client) as SqlClient.SqlClient, { driver: "mysql2", onDialectOrElse, withoutTransforms: () => mysql })
      const exit = yield* Effect.exit(makeOver(mysql))
      assert.isTrue(Exit.hasDies(exit))
      assert.include(JSON.stringify(exit), "this client is mysql2")
    }).pipe(Effect.scoped))
})
