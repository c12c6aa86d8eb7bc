// One client in a process of its own. Prints what it measured as one line of JSON.
// Plain JavaScript, so that no loader of TypeScript is in the process.
import { open } from "./clients.mjs"

const { atOnce, client, isTraced, port, requests, size, warm } = JSON.parse(process.argv[2])
const origin = `http://127.0.0.1:${port}`
const run = await open[client]({ origin, isTraced })

const server = async () => Number(await (await fetch(`${origin}/usage`)).text())

/** Whoever reads something else was not measured doing this. */
const check = (length) => {
  if (length !== size) throw new Error(`${client} read ${length} bytes instead of ${size}`)
}

/** µs a request of so many, so many at a time. */
const measured = async (atOnce) => {
  check(await run(size, warm, atOnce))
  const before = await server()
  const cpuBefore = process.cpuUsage()
  const start = performance.now()
  const last = await run(size, requests, atOnce)
  const wall = (performance.now() - start) * 1000
  const { system, user } = process.cpuUsage(cpuBefore)
  const after = await server()
  check(last)
  return { wall: wall / requests, cpu: (system + user) / requests, server: (after - before) / requests }
}

console.log(JSON.stringify({ one: await measured(1), many: await measured(atOnce) }))
// Connections that are kept would hold the process a while longer.
process.exit()
