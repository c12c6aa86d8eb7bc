// One client in a process of its own. Prints what it measured as one line of JSON.
// Plain JavaScript, so that no loader of TypeScript is in the process.
import { collect, kilobytes, resetPeak } from "../lib/memory.mjs"
import { open } from "./clients.mjs"
import { sharesOf } from "./profile.mjs"

const { answers, atOnce, calls, client, era, isTraced, measure, port, tool, warm } = JSON.parse(process.argv[2])
const origin = `http://127.0.0.1:${port}`

const run = await open[client]({ url: `${origin}/${era}/${answers}`, isSession: era === "session", isTraced })

const server = async () => {
  const { connections, system, user } = await (await fetch(`${origin}/usage`)).json()
  return { connections, cpu: system + user }
}

/** Whoever answers something else was not measured doing this. */
const check = (value) => {
  if (!JSON.stringify(value).includes("to the very end")) throw new Error(`${client} answered ${JSON.stringify(value)?.slice(0, 500)}`)
}

/** µs a call of so many calls, so many at a time. */
const measured = async (atOnce) => {
  check(await run(tool, warm, atOnce))
  const before = await server()
  const cpuBefore = process.cpuUsage()
  const start = performance.now()
  const last = await run(tool, calls, atOnce)
  const wall = (performance.now() - start) * 1000
  const { system, user } = process.cpuUsage(cpuBefore)
  const after = await server()
  check(last)
  return { wall: wall / calls, cpu: (system + user) / calls, server: (after.cpu - before.cpu) / calls }
}

/** One call, after small ones: how long it took, the longest that nothing else had its turn meanwhile, in ms, and the peak of memory, in kB. */
const held = async () => {
  check(await run("small", warm, 1))
  collect()
  let isOver = false
  let longest = 0
  let last = performance.now()
  const turn = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOver) setImmediate(turn)
  }
  const over = async () => {
    // The turn in which the answer came counts too.
    await new Promise((resolve) => setImmediate(resolve))
    isOver = true
  }
  resetPeak()
  const before = kilobytes("VmRSS")
  turn()
  const start = performance.now()
  const answer = await run(tool, 1, 1)
  const took = performance.now() - start
  await over()
  const peak = kilobytes("VmHWM") - before
  check(answer)
  return { longest, took, peak }
}

/** How many connections so many calls took, one after the other. */
const connected = async () => {
  const before = await server()
  check(await run(tool, calls, 1))
  return (await server()).connections - before.connections
}

/** Whose code so many calls are in, so many at a time. */
const profiled = async () => {
  check(await run(tool, warm, atOnce))
  return sharesOf(() => run(tool, calls, atOnce))
}

const measures = {
  calls: async () => ({ one: await measured(1), many: await measured(atOnce) }),
  held,
  connected,
  profiled
}
console.log(JSON.stringify(await measures[measure]()))
// Connections that are kept would hold the process a while longer.
process.exit()
