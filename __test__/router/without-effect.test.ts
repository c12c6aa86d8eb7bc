/** The router where effect is not installed: as it is built, as it runs, and as it type-checks. */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** What a built module imports, in whatever way, types included. */
const importsOf = (file: string): ReadonlyArray<string> => {
  const code = readFileSync(file, "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, "")
  const found = [...code.matchAll(/\bfrom\s+"([^"]+)"|\b(?:import|require)\(\s*"([^"]+)"\s*\)|^\s*import\s+"([^"]+)"/gm)]
  return found.map(([, from, called, bare]) => (from ?? called ?? bare)!)
}

/** All modules that one reaches, and what they import of other packages. */
const graphOf = (entry: string, ending: ".js" | ".d.ts", without: ReadonlyArray<string> = []) => {
  const files = new Set<string>()
  const packages = new Set<string>()
  const walk = (file: string): void => {
    if (files.has(file) || without.some((name) => file.endsWith(name))) return
    files.add(file)
    for (const name of importsOf(file)) {
      if (!name.startsWith(".")) packages.add(name)
      // The addon's loader is CommonJS, and of napi-rs.
      else if (!name.includes("binding.cjs")) walk(join(dirname(file), name.replace(/\.[jt]s$/, ending)))
    }
  }
  walk(join(root, "dist", entry + ending))
  return { files: [...files].map((file) => file.slice(root.length)), packages: [...packages] }
}

describe("the router without effect", () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "toolkit-native-router-"))
    const installed = join(folder, "node_modules/toolkit-native")
    for (const name of ["dist", "native", "package.json"]) cpSync(join(root, name), join(installed, name), { recursive: true })
    // Types that a program for Node.js has.
    mkdirSync(join(folder, "node_modules/@types"))
    for (const name of ["@types/node", "undici-types"]) symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("reaches no module of another package, nor do its types", () => {
    // What is loaded when a toolkit of Effect is made a source, or a source of it is asked for, and not before.
    const late = ["dist/router-effect.js", "dist/internal/router/effect.js"]
    const loader = readFileSync(join(root, "dist/router/effect.js"), "utf8")
    for (const name of late) assert.notMatch(loader, new RegExp(`from "[^"]*${name.slice(name.indexOf("/") + 1)}"`))
    const built = graphOf("router", ".js", late)
    assert.includeMembers(built.files, ["dist/router.js", "dist/router/approvals.js", "dist/internal/native.js", "dist/internal/router/input.js"])
    assert.deepStrictEqual(built.packages, ["node:module"])
    const declared = graphOf("router", ".d.ts")
    assert.includeMembers(declared.files, ["dist/router/route.d.ts"])
    assert.deepStrictEqual(declared.packages, [])
    // What is looked at here does see effect where it is.
    assert.include(graphOf("router-effect", ".js").packages, "effect/Effect")
    assert.include(graphOf("approvals-sql", ".d.ts").packages, "effect/Effect")
  })

  it("runs: tools, streams, MCP and approvals, with the addon's check of inputs", () => {
    writeFileSync(join(folder, "program.mjs"), `
import { createApprovals, createMcpBridge, createMcpRouter, createToolExecutor, route, toToolset } from "toolkit-native/router"

for (const missing of ["effect", "toolkit-native", "toolkit-native/router-effect", "toolkit-native/approvals-sql"]) {
  await import(missing).then(() => { throw new Error(missing + " is there") }, (error) => {
    if (!/effect/.test(error.message)) throw error
  })
}
const remote = { listTools: async () => ({ tools: [{ name: "remote" }] }), callTool: async () => ({ content: [{ type: "text", text: "5" }] }) }
const router = {
  act: route.input({ type: "object", required: ["a"] }).ai({ confirm: true }).handler(({ input }) => input.a),
  watch: route.ai().stream().handler(async function* () { yield "a"; yield "b" }),
  gh: await createMcpRouter(remote)
}
const approvals = createApprovals(router)
const execute = createToolExecutor(router, {}, { approvals })
const { actionId } = await execute("act", { a: 1 })
console.log(JSON.stringify([
  toToolset(router).map(({ name }) => name),
  await execute("act", {}).catch(({ code, message }) => code + " " + message),
  await approvals.approve(actionId, {}),
  await execute("watch", {}),
  await createMcpBridge(router, {}).callTool("gh.remote")
]))
`)
    const { status, stderr, stdout } = spawnSync(process.execPath, ["program.mjs"], { cwd: folder, encoding: "utf8" })
    assert.strictEqual(status, 0, stderr)
    assert.strictEqual(stderr, "")
    assert.deepStrictEqual(JSON.parse(stdout), [
      ["act", "watch", "gh.remote"],
      "BAD_REQUEST a: is required",
      1,
      "ab",
      { content: [{ type: "text", text: "5" }] }
    ])
  })

  it("type-checks, with every declaration checked", { timeout: 60_000 }, () => {
    writeFileSync(join(folder, "program.mts"), `
import { createApprovals, createToolExecutor, type DendraError, route } from "toolkit-native/router"

const router = { act: route.use(({ ctx }: { ctx: { user: string } }) => ctx).ai({ confirm: true }).handler(({ ctx }) => ctx.user) }
export const execute = createToolExecutor(router, { user: "Ada" }, { approvals: createApprovals<{ user: string }>(router, { scope: (ctx) => ctx.user }) })
export const status = (error: DendraError): number => error.status
// @ts-expect-error a context has no such member
route.use(({ ctx }: { ctx: { user: string } }) => ctx).handler(({ ctx }) => ctx.missing)
`)
    const options = { target: "es2022", lib: ["es2022", "dom"], module: "node16", strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true, types: ["node"] }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["program.mts"] }))
    const tsc = join(root, "node_modules/typescript/bin/tsc")
    const { status, stdout } = spawnSync("node", [tsc, "-p", "tsconfig.json"], { cwd: folder, encoding: "utf8" })
    assert.strictEqual(stdout, "")
    assert.strictEqual(status, 0)
  })
})
