/** An empty project of a user's, with the packed package in it. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { startRegistry } from "./registry.ts"
import { run, type Ran } from "./run.ts"

export const root = fileURLToPath(new URL("../../", import.meta.url))
const installed = join(root, "node_modules")
const consumer = fileURLToPath(new URL("./consumer", import.meta.url))

/** As the package is named in import lines. */
export const alias = "@amends-dev/toolkit"

/** Of this checkout, and not of the machine. */
export const bun = join(installed, "bun/bin/bun.exe")

/** A folder of its own for a file of tests. */
export const makeScratch = (): { readonly path: string; readonly remove: () => void } => {
  const path = mkdtempSync(join(tmpdir(), "toolkit-native-"))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** The tarball that `npm pack` makes of this checkout. */
export const pack = async (into: string): Promise<string> => {
  const { stdout } = await run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", into], { cwd: root })
  return join(into, stdout.trim())
}

export interface Project {
  readonly folder: string
  /** The packages that were fetched for it. */
  readonly fetched: ReadonlySet<string>
  /** Runs a program in it, without the settings of the machine or of whoever runs the tests. */
  readonly run: (command: string, args: ReadonlyArray<string>, expected?: number) => Promise<Ran>
}

/** Installs the tarball in an empty project, from a registry on loopback that is gone afterwards. */
export const install = async (manager: "npm" | "bun", { scratch, tarball }: { readonly scratch: string; readonly tarball: string }): Promise<Project> => {
  const folder = join(scratch, manager, "project")
  const home = join(scratch, manager, "home")
  const packed = join(scratch, manager, "packed")
  for (const path of [folder, home, packed]) mkdirSync(path, { recursive: true })
  const env = { PATH: process.env["PATH"], HOME: home }
  const registry = await startRegistry({ tarball, installed, scratch: packed })
  const project: Project = {
    folder,
    fetched: registry.delivered,
    run: (command, args, expected = 0) => run(command, args, { cwd: folder, env, expected })
  }
  try {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }))
    writeFileSync(join(folder, ".npmrc"), `registry=${registry.url}\naudit=false\nfund=false\nupdate-notifier=false\n`)
    const packages = [`${alias}@npm:toolkit-native`, "effect", "@types/node"]
    if (manager === "npm") await project.run("npm", ["install", ...packages])
    else await project.run(bun, ["add", ...packages])
  } finally {
    await registry.stop()
  }
  cpSync(consumer, folder, { recursive: true })
  return project
}

/** Type-checks the programs as one of its configurations says, with the compiler of this checkout. */
export const typeCheck = (project: Project, resolution: "node16" | "bundler"): Promise<Ran> =>
  project.run(process.execPath, [join(installed, "typescript/bin/tsc"), "-p", `tsconfig.${resolution}.json`])

/** A router's tool, which a model calls with what it takes and with what it does not. */
export const routerProgram = `
import { createToolExecutor, route } from "${alias}/router"
const router = { greet: route.input({ type: "object", required: ["name"] }).ai().handler(({ input }) => "Hello, " + input.name) }
const execute = createToolExecutor(router, {})
console.log(await execute("greet", { name: "Ada" }) + "; " + await execute("greet", {}).catch(({ code, message }) => code + " " + message))
`
export const routerPrints = "Hello, Ada; BAD_REQUEST name: is required"

/** Requests over native-http to a server that sends back what it gets: a text, a stream, and one that is interrupted. */
export const httpProgram = `
import { createServer } from "node:http"
import { Effect, Stream } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import * as NativeHttp from "${alias}/native-http"
const server = createServer((request, response) => request.url === "/stall" ? undefined : request.pipe(response))
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
const post = (path) => HttpClientRequest.post("http://127.0.0.1:" + server.address().port + path)
const text = (request) => Effect.flatMap(HttpClient.execute(request), (response) => response.text)
const chunk = new TextEncoder().encode("0123456789")
const program = Effect.gen(function*() {
  const sent = yield* text(post("/").pipe(HttpClientRequest.bodyText("there and back")))
  const streamed = yield* text(post("/").pipe(HttpClientRequest.bodyStream(Stream.fromIterable(Array.from({ length: 100000 }, () => chunk)))))
  const stalled = yield* Effect.timeoutOption(text(post("/stall")), "50 millis")
  console.log([sent, streamed.length, stalled._tag].join())
})
await Effect.runPromise(Effect.provide(program, NativeHttp.layerWith({ proxy: "none" })))
server.close()
`
export const httpPrints = "there and back,1000000,None"

/** What the program prints that it saw, on every runtime. */
export const seen = {
  tools: ["tasks__list_tasks", "tasks__add_task", "tasks__remove_task"],
  skipped: ["POST /import body"],
  asked: ["asked"],
  results: {
    reads: { isFailure: false, result: { method: "GET", sent: null } },
    mistaken: { isFailure: true, result: { code: "InvalidInputError", message: "folder_id: expected integer, got string", retryable: false } },
    refused: { isFailure: true, result: { code: "CallFailedError", message: "{\"error\":\"no such task\"}", retryable: false } },
    asked: { isFailure: false, result: { method: "POST", sent: { title: "Read it", parent: { title: "All" } } } }
  },
  text: "Done.",
  seen: [
    "DELETE /v1/tasks/..%2Ffolders Bearer the-hosts-own-token",
    "GET /v1/folders/7/tasks?label=late&label=a%26b Bearer the-hosts-own-token",
    "POST /v1/folders/7/tasks Bearer the-hosts-own-token {\"title\":\"Read it\",\"parent\":{\"title\":\"All\"}}"
  ],
  caught: ["caught NotFoundError", "caught InvalidDocument"]
}

const requests = (...methods: ReadonlyArray<string>) => methods.map((method) => `${method} https://mcp.example.com/mcp Bearer the-hosts-own-token`)

/** What the quick start prints, over a server without sessions and over one with them. */
export const quickstart = [["server/discover"], ["server/discover", "initialize", "notifications/initialized"]].map((opening) => ({
  text: "It was shown tasks__list_tasks.",
  seen: requests(...opening, "tools/list", "tools/call"),
  called: true
}))
