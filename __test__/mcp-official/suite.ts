/** The official conformance suite as a program: what it has, and what it finds of a client or a server. */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import installNodes, { nodes } from "../package/node-versions.ts"
import { run } from "../package/run.ts"

const here = fileURLToPath(new URL(".", import.meta.url))
const program = join(here, "node_modules/@modelcontextprotocol/conformance/dist/index.js")

/** The suite needs a later Node.js than the package does. The client under test runs on the one that runs the tests. */
const { command: node } = nodes.find(({ major }) => major === "22")!

/** Runs before the tests: installs the suite as its lockfile says, and the Node.js it runs on. */
export default async (): Promise<void> => {
  await installNodes()
  const lock = readFileSync(join(here, "package-lock.json"), "utf8")
  const installed = join(here, "node_modules/.installed")
  if (existsSync(installed) && readFileSync(installed, "utf8") === lock) return
  await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: here, timeout: 600_000 })
  writeFileSync(installed, lock)
}

const suite = (args: ReadonlyArray<string>, expected = 0) => run(node, [program, ...args], { cwd: here, expected, timeout: 60_000 })

/** The names of the scenarios of a version for one side of the protocol. */
export const list = async (side: "client" | "server", version: string): Promise<ReadonlyArray<string>> => {
  const { stdout } = await suite(["list", `--${side}`, "--spec-version", version])
  return [...stdout.matchAll(/^ {2}- (\S+) \[/gm)].map(([, name]) => name!)
}

export interface Check {
  readonly id: string
  readonly description: string
  /** INFO is a message that went by, and SKIPPED what the client did not come to do. */
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "INFO" | "SKIPPED"
  readonly errorMessage?: string
}

export interface Found {
  readonly passed: ReadonlyArray<Check>
  readonly failed: ReadonlyArray<Check>
  /** What the client wrote. */
  readonly stdout: string
  readonly stderr: string
}

/** Our client, as a command of a shell, with its arguments. */
export const client = (...args: ReadonlyArray<string>): string => ["exec", `'${process.execPath}'`, "client.mjs", ...args].join(" ")

interface Judged {
  readonly version: string
  readonly name: string
  /** The suite's: not 0 where it finds more than it is told to expect. */
  readonly status: number
  readonly expected?: string
}

/** Runs a scenario, and gives what the suite has written down of it, by the names of its files. */
const judged = async <A>(subject: ReadonlyArray<string>, { expected, name, status, version }: Judged, read: (file: (name: string) => string) => A): Promise<A> => {
  const results = mkdtempSync(join(tmpdir(), "toolkit-native-official-"))
  try {
    const scenario = ["--scenario", name, "--spec-version", version, "--timeout", "30000", "--output-dir", results]
    await suite([...subject, ...scenario, ...expected === undefined ? [] : ["--expected-failures", expected]], status)
    const [folder] = readdirSync(results)
    return read((file) => readFileSync(join(results, folder!, file), "utf8"))
  } finally {
    rmSync(results, { recursive: true, force: true })
  }
}

const checksOf = (text: string): Pick<Found, "passed" | "failed"> => {
  const checks = JSON.parse(text) as ReadonlyArray<Check>
  return {
    passed: checks.filter(({ status }) => status === "SUCCESS"),
    failed: checks.filter(({ status }) => status === "FAILURE" || status === "WARNING")
  }
}

/** Runs a client through a scenario. */
export const judge = (command: string, scenario: Judged): Promise<Found> =>
  judged(["client", "--command", command], scenario, (file) => ({ ...checksOf(file("checks.json")), stdout: file("stdout.txt"), stderr: file("stderr.txt") }))

/** Runs a server through a scenario. */
export const judgeServer = (url: string, scenario: Judged): Promise<Pick<Found, "passed" | "failed">> =>
  judged(["server", "--url", url], scenario, (file) => checksOf(file("checks.json")))

/** Starts our server, which ends with whoever started it, and gives its address. */
export const startServer = (): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["server.mjs"], { cwd: here, stdio: ["pipe", "pipe", "pipe"] })
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
    let said = ""
    child.stderr.on("data", (chunk: Buffer) => said += chunk.toString())
    child.once("error", reject)
    child.stdout.once("data", (line: Buffer) =>
      resolve({
        url: `http://127.0.0.1:${Number(line.toString())}/mcp`,
        stop: () => {
          child.stdin.end()
          return ended
        }
      }))
    void ended.then(() => reject(new Error(`the server ended: ${said}`)))
  })
