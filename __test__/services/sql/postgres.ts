/** A PostgreSQL server of our own on loopback, in a folder of its own, which ends with whoever started it. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { createInterface } from "node:readline"

/** Where Debian keeps each version's programs, and the path. */
const folders = (): ReadonlyArray<string> => {
  const debian = "/usr/lib/postgresql"
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  return [...versions.map((version) => join(debian, version, "bin")), ...(process.env["PATH"] ?? "").split(delimiter)]
}

const find = (): string => {
  const found = folders().find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")))
  if (found === undefined) throw new Error("PostgreSQL is not installed: `npm run test:services` says how")
  return found
}

const idOf = (option: string) => Number(execFileSync("id", [option, "postgres"], { encoding: "utf8" }))

/** PostgreSQL refuses to run as root, and Debian's package brings a user for it. */
const user = (): { readonly uid?: number; readonly gid?: number } => {
  if (process.getuid?.() !== 0) return {}
  return { uid: idOf("-u"), gid: idOf("-g") }
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

/** Tells its server's process id, and ends the server when its own standard input ends. */
const keeper = "\"$@\" & echo $!; cat > /dev/null; kill -INT $! 2> /dev/null; wait"

export interface Postgres {
  readonly port: number
  readonly start: () => Promise<void>
  /** As a crash: connections break, and nothing is written any more. */
  readonly crash: () => Promise<void>
  /** Ends the server, and removes its folder. */
  readonly remove: () => Promise<void>
}

/** Makes a cluster, and starts it. Everybody on loopback is trusted as `postgres`. */
export const makePostgres = async (): Promise<Postgres> => {
  const bin = find()
  const { gid, uid } = user()
  const as = { ...uid === undefined ? {} : { uid }, ...gid === undefined ? {} : { gid }, cwd: "/", env: { PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8" } }
  const folder = mkdtempSync(join(tmpdir(), "toolkit-native-postgres-"))
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  const data = join(folder, "data")
  execFileSync(join(bin, "initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8"], { ...as, stdio: ["ignore", "ignore", "pipe"] })
  const port = await freePort()
  let running: { readonly keeper: ChildProcess; readonly pid: number } | undefined

  const start = async (): Promise<void> => {
    const args = [join(bin, "postgres"), "-D", data, "-p", String(port), "-k", folder, "-c", "listen_addresses=127.0.0.1", "-c", "max_connections=60"]
    const child = spawn("sh", ["-c", keeper, "sh", ...args], { ...as, stdio: ["pipe", "pipe", "pipe"] })
    let said = ""
    const ready = new Promise<void>((resolve, reject) => {
      child.stderr.on("data", (chunk: Buffer) => {
        said += chunk.toString()
        if (said.includes("ready to accept connections")) resolve()
      })
      child.once("error", reject)
      child.once("exit", () => reject(new Error(`PostgreSQL ended: ${said}`)))
      // The keeper would wait for its input with a server that did not start.
      child.stderr.once("close", () => reject(new Error(`PostgreSQL ended: ${said}`)))
    })
    const [line] = await once(createInterface(child.stdout), "line") as [string]
    running = { keeper: child, pid: Number(line) }
    await ready
  }
  const stop = async (): Promise<void> => {
    if (running === undefined) return
    const { keeper } = running
    running = undefined
    const ended = once(keeper, "exit")
    keeper.stdin!.end()
    await ended
  }
  await start()
  return {
    port,
    start,
    async crash() {
      process.kill(running!.pid, "SIGQUIT")
      await stop()
    },
    async remove() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
