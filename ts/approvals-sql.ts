/**
 * The approval store of a router in a SQL database: PostgreSQL, or SQLite since 3.35 with what is built on it. Several
 * processes may share it, and what is stored outlives them.
 *
 * An action is a row, and taking it is one statement, so that of any number of deciders one gets it. A process that ends between
 * the taking and the end of its handler has decided the action: it does not run twice.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as SqlClient from "effect/sql/SqlClient"
import type * as SqlError from "effect/sql/SqlError"
import type { ApprovalStore, PendingAction } from "./router/approvals.ts"

/**
 * What `make` takes.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** The table, of which `make` is the owner; `toolkit_native_approvals` when not given. */
  readonly table?: string | undefined
}

interface Row {
  readonly action: string
}

const actionsOf = (rows: ReadonlyArray<Row>): Array<PendingAction> => rows.map(({ action }) => JSON.parse(action) as PendingAction)

/** The database undid the statement, because another took the row or the lock: nothing has happened, and it can be said again. */
const wasUndone = ({ reason }: SqlError.SqlError): boolean =>
  reason._tag === "SerializationError" || reason._tag === "DeadlockError" || reason._tag === "LockTimeoutError"

const again = { while: wasUndone, schedule: Schedule.exponential("5 millis"), times: 10 }

/**
 * The store over the client of the environment, and its table, which is made where it is missing. The client has to live for as
 * long as the store is used: make both in one scope, or in a `ManagedRuntime`. The store's promises reject with the `SqlError`
 * of a statement that fails. A client of another database is a defect.
 *
 * The store is no part of a transaction that it is made in: what becomes of that one changes nothing. Its table is then made when
 * the store is first used, whose promise rejects where that fails. Where the client has one connection, as SQLite's have, the
 * store's promises wait until the transaction is over, so do not await them in it.
 *
 * @example
 * ```ts
 * import { PgClient } from "@effect/sql-pg"
 * import * as ApprovalStoreSql from "toolkit-native/approvals-sql"
 * import { createApprovals, route } from "toolkit-native/router"
 * import { ManagedRuntime, Redacted } from "effect"
 *
 * const router = { publish: route.ai({ confirm: true }).handler(() => "published") }
 *
 * export const start = async (url: string) => {
 *   // Keeps the pool open until `runtime.dispose()`.
 *   const runtime = ManagedRuntime.make(PgClient.layer({ url: Redacted.make(url) }))
 *   const store = await runtime.runPromise(ApprovalStoreSql.make())
 *   return { approvals: createApprovals(router, { store }), stop: () => runtime.dispose() }
 * }
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options?: Options | undefined): Effect.Effect<ApprovalStore, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const sql = (yield* SqlClient.SqlClient).withoutTransforms()
    const speaks = sql.onDialectOrElse({ pg: () => true, sqlite: () => true, orElse: () => false })
    if (!speaks) {
      return yield* Effect.die(new Cause.IllegalArgumentError(`Approvals are kept in PostgreSQL or SQLite, and this client is ${sql.driver}`))
    }
    const table = sql(options?.table ?? "toolkit_native_approvals")

    const create = sql`CREATE TABLE IF NOT EXISTS ${table} (id TEXT PRIMARY KEY, scope TEXT, created_at TEXT NOT NULL, action TEXT NOT NULL)`
    // Two that make it at once may both find it missing, and who may not make tables can use one.
    const isThere = sql`SELECT id FROM ${table} WHERE 1 = 0`
    let isMade = false
    const makeTable = Effect.gen(function*() {
      if (isMade) return
      yield* Effect.catch(create, (error) => Effect.mapError(isThere, () => error))
      isMade = true
    })

    // Nothing is said within a transaction that the store may be made in, since the store outlives it. Its table then waits for the
    // first use: the transaction may have the only connection, and would never be over if another were awaited here.
    const context = yield* Effect.context<never>()
    if (Option.isNone(Context.getOption(context, sql.transactionService))) yield* Effect.retry(makeTable, again)
    const run = Effect.runPromiseWith(Context.omit(sql.transactionService)(context))
    const said = <A>(statement: Effect.Effect<A, SqlError.SqlError>): Promise<A> => {
      const both = Effect.andThen(makeTable, statement)
      return run(Effect.retry(both, again))
    }
    return {
      async add(action) {
        const { createdAt, id, scope = null } = action
        await said(sql`INSERT INTO ${table} (id, scope, created_at, action) VALUES (${id}, ${scope}, ${createdAt}, ${JSON.stringify(action)})`)
      },
      async get(id) {
        return actionsOf(await said(sql<Row>`SELECT action FROM ${table} WHERE id = ${id}`))[0] ?? null
      },
      async take(id) {
        return actionsOf(await said(sql<Row>`DELETE FROM ${table} WHERE id = ${id} RETURNING action`))[0] ?? null
      },
      async list(scope) {
        const where = scope === undefined ? sql`1 = 1` : sql`scope = ${scope}`
        return actionsOf(await said(sql<Row>`SELECT action FROM ${table} WHERE ${where} ORDER BY created_at, id`))
      }
    }
  })
