/** The databases of the tests, each said as JSON so that another process can connect to it too. */
import { PgClient } from "@effect/sql-pg"
import { Effect, type Scope, Semaphore, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"
import Libsql from "libsql"

export type Database =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly port: number; readonly isolation?: "serializable" | "repeatable read"; readonly user?: string }

/** SQLite over one connection of libSQL, as a driver would make it. */
const sqlite = (file: string): Effect.Effect<SqlClient.SqlClient, never, Scope.Scope> =>
  Effect.gen(function*() {
    const database = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const database = new Libsql(file, { timeout: 10_000 })
        database.exec("PRAGMA journal_mode = WAL")
        database.exec("PRAGMA busy_timeout = 10000")
        return database
      }),
      (database) => Effect.sync(() => void database.close())
    )
    const run = (sql: string, params: ReadonlyArray<unknown>, isRaw = false) =>
      Effect.try({
        try: (): Array<any> => {
          const statement = database.prepare(sql)
          if (!statement.reader) {
            statement.run(...params)
            return []
          }
          return isRaw ? statement.raw(true).all(...params) : statement.all(...params)
        },
        catch: (cause) => new SqlError.SqlError({ reason: SqlError.classifySqliteError(cause) })
      })
    const connection: SqlConnection.Connection = {
      execute: (sql, params, transform) => Effect.map(run(sql, params), (rows) => transform === undefined ? rows : transform(rows)),
      executeRaw: (sql, params) => run(sql, params),
      executeValues: (sql, params) => run(sql, params, true),
      executeValuesUnprepared: (sql, params) => run(sql, params, true),
      executeUnprepared: (sql, params, transform) => Effect.map(run(sql, params), (rows) => transform === undefined ? rows : transform(rows)),
      executeStream: (sql, params) => Stream.fromEffect(run(sql, params)).pipe(Stream.flatMap(Stream.fromIterable))
    }
    return yield* SqlClient.make({
      ...SqlClient.makeSqliteAcquirers({ connection: Effect.succeed(connection), semaphore: Semaphore.makeUnsafe(1) }),
      compiler: Statement.makeCompilerSqlite(),
      spanAttributes: [],
      driver: "libsql"
    })
  }).pipe(Effect.provide(Reactivity.layer))

/** A client of its own: for SQLite a connection, for PostgreSQL a pool. */
export const connect = (database: Database): Effect.Effect<SqlClient.SqlClient, SqlError.SqlError, Scope.Scope> => {
  if (database.kind === "sqlite") return sqlite(database.file)
  const { isolation, port, user = "postgres" } = database
  return PgClient.make({
    host: "127.0.0.1",
    port,
    username: user,
    database: "postgres",
    maxConnections: 4,
    ...isolation === undefined ? {} : { startupParameters: { default_transaction_isolation: isolation } }
  }).pipe(Effect.provide(Reactivity.layer))
}
