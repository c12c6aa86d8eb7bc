/** What the kernel says of itself that Node.js has no function for. */
import { spawnSync } from "node:child_process"

/** Its version of landlock (landlock_create_ruleset with LANDLOCK_CREATE_RULESET_VERSION); less than 1 where it has none. */
export const landlock = (): number => {
  const perl = spawnSync("perl", ["-e", "print syscall(444, 0, 0, 1)"], { encoding: "utf8" })
  if (perl.status === 0) return Number(perl.stdout)
  const python = spawnSync("python3", ["-c", "import ctypes; print(ctypes.CDLL(None).syscall(444, None, 0, 1))"], { encoding: "utf8" })
  if (python.status === 0) return Number(python.stdout)
  throw new Error("The kernel is asked by perl or python3, and neither is here")
}
