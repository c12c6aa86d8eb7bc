/** The processes of isolates that a process has, as the system knows them. */
import { readdirSync, readFileSync } from "node:fs"

export interface Listed {
  readonly pid: number
  /** `R` runs, `S` sleeps, `Z` has ended and nobody has taken it in. */
  readonly state: string
}

export const isolatesOf = (parent: number): ReadonlyArray<Listed> =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    try {
      // The name of the program stands in brackets and may hold anything, brackets among it.
      const stat = readFileSync(`/proc/${name}/stat`, "utf8")
      const program = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"))
      const [state, ppid] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      return program === "toolkit-isolate" && Number(ppid) === parent ? [{ pid: Number(name), state: state! }] : []
    } catch {
      return []
    }
  })
