import { execFile } from "node:child_process"

export interface Ran {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end, or ends it when it takes too long; a status other than `expected` is an error with all it said. */
export const run = (
  command: string,
  args: ReadonlyArray<string>,
  { expected = 0, ...options }: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv; readonly expected?: number; readonly timeout?: number } = {}
): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const limits = { timeout: 120_000, killSignal: "SIGKILL", maxBuffer: 16 * 1024 * 1024, encoding: "utf8" } as const
    execFile(command, args, { ...limits, ...options }, (error, stdout, stderr) => {
      const status = error === null ? 0 : error.code
      if (status === expected) return resolve({ status: expected, stdout, stderr })
      reject(new Error(`${[command, ...args].join(" ")} ended with ${error?.signal ?? status}\n${stdout}\n${stderr}`, { cause: error }))
    })
  })
