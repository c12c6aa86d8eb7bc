/** The official conformance suite as a program: what it has, and what it finds of a client. */
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

/** The names of the client scenarios of a version. */
export const list = async (version: string): Promise<ReadonlyArray<string>> => {
  const { stdout } = await suite(["list", "--client", "--spec-version", version])
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

/** Runs a client through a scenario. `status` is the suite's: not 0 where it finds more than it is told to expect. */
export const judge = async (
  command: string,
  { expected, name, status, version }: { readonly version: string; readonly name: string; readonly status: number; readonly expected?: string }
): Promise<Found> => {
  const results = mkdtempSync(join(tmpdir(), "toolkit-native-official-"))
  try {
    const scenario = ["--scenario", name, "--spec-version", version, "--timeout", "30000", "--output-dir", results]
    await suite(["client", "--command", command, ...scenario, ...expected === undefined ? [] : ["--expected-failures", expected]], status)
    const [folder] = readdirSync(results)
    const read = (file: string) => readFileSync(join(results, folder!, file), "utf8")
    const checks = JSON.parse(read("checks.json")) as ReadonlyArray<Check>
    return {
      passed: checks.filter(({ status }) => status === "SUCCESS"),
      failed: checks.filter(({ status }) => status === "FAILURE" || status === "WARNING"),
      stdout: read("stdout.txt"),
      stderr: read("stderr.txt")
    }
  } finally {
    rmSync(results, { recursive: true, force: true })
  }
}
