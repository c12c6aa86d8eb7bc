/** A server in Python, in a process of its own that ends with whoever started it. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const python = fileURLToPath(new URL("../../../.services/python/bin/python", import.meta.url))
const here = fileURLToPath(new URL(".", import.meta.url))

export interface Server {
  readonly url: string
  readonly stop: () => Promise<void>
  /** Starts it anew on the port that it had, with nothing left of what it knew. */
  readonly start: () => Promise<void>
}

/** Starts it on a port, or a free one for 0, and gives the port once it listens. */
const launch = (args: ReadonlyArray<string>, port: number): Promise<{ readonly port: number; readonly process: ChildProcess }> =>
  new Promise((resolve, reject) => {
    // Standard input stays open for as long as the tests run, and the server ends with it.
    const process = spawn(python, [...args, "--port", String(port)], { cwd: here, env: { PATH: "", PYTHONDONTWRITEBYTECODE: "1" } })
    let stderr = ""
    process.stderr.on("data", (chunk) => stderr += chunk)
    process.stdout.once("data", (line) => resolve({ port: Number(line), process }))
    process.once("error", reject)
    process.once("exit", (code) => reject(new Error(`${args.join(" ")} ended with ${code}\n${stderr}`)))
  })

export const serve = async (...args: ReadonlyArray<string>): Promise<Server> => {
  if (!existsSync(python)) throw new Error("the servers are not installed: `npm run test:services` does that first")
  let running = await launch(args, 0)
  const { port } = running
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async stop() {
      const { process } = running
      if (process.exitCode !== null || process.signalCode !== null) return
      const ended = once(process, "exit")
      process.kill("SIGKILL")
      await ended
    },
    async start() {
      running = await launch(args, port)
    }
  }
}
