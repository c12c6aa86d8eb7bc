// The memory of this process as Linux counts it.
import { readFileSync, writeFileSync } from "node:fs"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

export const collect = () => {
  if (typeof Bun !== "undefined") return Bun.gc(true)
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
}

/** A line of /proc/self/status: VmRSS is what the process holds, VmHWM its peak. */
export const kilobytes = (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(readFileSync("/proc/self/status", "utf8"))[1])

/** Sets the peak of this process to what it holds now. */
export const resetPeak = () => writeFileSync("/proc/self/clear_refs", "5")
