// Whose code a client's thread is in, by the sampling profiler of V8.
import { Session } from "node:inspector/promises"

/** The owners of code, in the order in which they are told. */
export const owners = ["effect", "toolkit-native", "other packages", "Node.js", "built-ins and addons", "garbage collection", "engine and system", "idle"]

const named = { "(idle)": "idle", "(garbage collector)": "garbage collection", "(program)": "engine and system", "(root)": "engine and system" }

const ownerOf = ({ functionName, url }) => {
  if (Object.hasOwn(named, functionName)) return named[functionName]
  if (url === "") return "built-ins and addons"
  if (url.startsWith("node:")) return "Node.js"
  if (/\/node_modules\/(@effect|effect)\//.test(url)) return "effect"
  if (url.includes("/node_modules/")) return "other packages"
  return url.includes("/dist/") ? "toolkit-native" : "other packages"
}

/** The share of each owner in the time that something takes. */
export const sharesOf = async (run) => {
  const session = new Session()
  session.connect()
  await session.post("Profiler.enable")
  await session.post("Profiler.setSamplingInterval", { interval: 200 })
  await session.post("Profiler.start")
  await run()
  const { profile } = await session.post("Profiler.stop")
  session.disconnect()
  const owner = new Map(profile.nodes.map(({ callFrame, id }) => [id, ownerOf(callFrame)]))
  const times = Object.fromEntries(owners.map((name) => [name, 0]))
  profile.samples.forEach((id, at) => times[owner.get(id)] += profile.timeDeltas[at])
  const all = Object.values(times).reduce((sum, time) => sum + time, 0)
  return Object.fromEntries(owners.map((name) => [name, times[name] / all]))
}
