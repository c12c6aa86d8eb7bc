/**
 * Another process over the same database. Its arguments are the database, what it does, and the ids it does it to. It says
 * `ready`, and begins when a line comes; what came of it is a line of JSON, which who is to `hold` says from within a handler
 * that does not end. It ends with whoever started it.
 */
import { once } from "node:events"
import { createInterface } from "node:readline"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as ApprovalStoreSql from "../../../ts/approvals-sql.ts"
import { createApprovals, createToolExecutor, DendraError, route } from "../../../ts/router.ts"
import { connect, type Database } from "./databases.ts"

const [database, job, ...ids] = process.argv.slice(2)
let runs = 0
const router = {
  publish: route.input({ type: "object", required: ["id"] }).ai({ confirm: true }).handler(({ input }) => {
    runs++
    if (job !== "hold") return input["id"]
    console.log(JSON.stringify({ outcomes: [input["id"]], runs }))
    return new Promise(() => undefined)
  })
}

const program = Effect.gen(function*() {
  const client = yield* connect(JSON.parse(database!) as Database)
  const store = yield* Effect.provideService(ApprovalStoreSql.make(), SqlClient.SqlClient, client)
  const approvals = createApprovals(router, { store })
  const lines = createInterface(process.stdin)
  lines.once("close", () => process.exit())
  yield* Effect.promise(async () => {
    console.log("ready")
    await once(lines, "line")
    const outcomes = await Promise.all(ids.map((id) => {
      if (job === "take") return store.take(id).then((action) => action === null ? null : action.id)
      if (job === "propose") return createToolExecutor(router, {}, { approvals })("publish", { id })
      return approvals.approve(id, {}).catch((error: unknown) => error instanceof DendraError ? error.code : String(error))
    }))
    console.log(JSON.stringify({ outcomes, runs }))
    // Until it is killed, or nobody listens any more.
    await once(lines, "close")
  })
})

await Effect.runPromise(Effect.scoped(program))
