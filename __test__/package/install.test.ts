import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { alias, bun, install, makeScratch, pack, type Project, quickstart, routerPrints, routerProgram, seen, typeCheck } from "./project.ts"
import { run } from "./run.ts"

const scratch = makeScratch()
const projects = {} as Record<"npm" | "bun", Project>

/** Each runtime in the project that its own package manager made. */
const runtimes = [
  { name: "Node.js", manager: "npm", command: process.execPath, preload: "--import" },
  { name: "Bun", manager: "bun", command: bun, preload: "--preload" }
] as const

beforeAll(async () => {
  const tarball = await pack(scratch.path)
  for (const manager of ["npm", "bun"] as const) projects[manager] = await install(manager, { scratch: scratch.path, tarball })
}, 300_000)

afterAll(scratch.remove, 60_000)

/** The files of a folder, and their sizes. */
const sizes = (folder: string): ReadonlyMap<string, number> =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()
      .map((name) => [name, statSync(join(folder, name))] as const)
      .filter(([, stats]) => stats.isFile())
      .map(([name, stats]) => [name, stats.size])
  )

/** Bun reads a TypeScript program; Node.js gets what the compiler made of it. */
const compiled = async (manager: "npm" | "bun", name: string): Promise<string> => {
  if (manager === "bun") return `${name}.ts`
  const project = projects[manager]
  if (!existsSync(join(project.folder, "out", `${name}.js`))) await typeCheck(project, "node16")
  return `out/${name}.js`
}

/** Why a module was not imported, in the words of its error. */
const refusal = (specifier: string) =>
  `import(${JSON.stringify(specifier)}).then(() => { throw new Error("it was imported") }, (error) => console.log(error.message))`

describe("installed from a registry as @amends-dev/toolkit", () => {
  it("comes with nothing but its peer, by npm and by Bun [R-000-004] [R-000-005]", () => {
    for (const { fetched, folder } of Object.values(projects)) {
      assert.sameMembers([...fetched], ["toolkit-native", "effect", "@types/node", "undici-types"])
      assert.isFalse(existsSync(join(folder, "node_modules/@effect")))
    }
    const [npm, byBun] = [projects.npm, projects.bun].map(({ folder }) => sizes(join(folder, "node_modules", alias)))
    assert.isTrue(npm!.has("native/toolkit-native.linux-x64-gnu.node"))
    assert.deepStrictEqual(byBun, npm)
  })

  for (const resolution of ["node16", "bundler"] as const) {
    it(
      `type-checks under ${resolution}, with every declaration checked and no @effect/vitest there, the quick start too [R-000-002] [R-000-010] [R-000-011]`,
      { timeout: 90_000 },
      async () => {
        const { stdout } = await typeCheck(projects.npm, resolution)
        assert.strictEqual(stdout.trim(), "")
      }
    )
  }

  for (const { command, manager, name, preload } of runtimes) {
    it(`runs a program of an OpenAPI source and a scripted model under ${name} [R-000-005] [R-000-011]`, { timeout: 90_000 }, async () => {
      const { stderr, stdout } = await projects[manager].run(command, [await compiled(manager, "program")])
      assert.strictEqual(stderr, "")
      assert.deepStrictEqual(JSON.parse(stdout), seen)
    })

    it(`runs the quick start as it is written, with the client's token in every request, under ${name} [R-000-003] [R-000-005] [R-000-007]`, { timeout: 90_000 }, async () => {
      const { stderr, stdout } = await projects[manager].run(command, [await compiled(manager, "quickstart")])
      assert.strictEqual(stderr, "")
      assert.deepStrictEqual(JSON.parse(stdout), quickstart)
    })

    it(`gives the conformance suites as a subpath that alone asks for @effect/vitest, under ${name} [R-000-010]`, async () => {
      const { folder, run } = projects[manager]
      writeFileSync(
        join(folder, "subpaths.mjs"),
        `console.log(import.meta.resolve("${alias}"))
console.log(import.meta.resolve("${alias}/conformance"))
await import("${alias}")
const { layer, register, toCallToolResult } = await import("${alias}/mcp-tools")
console.log([layer, register].map((made) => typeof made).join(), JSON.stringify(toCallToolResult({ encodedResult: { a: 1 }, isFailure: false })))
await ${refusal(`${alias}/conformance`)}
await ${refusal(`${alias}/dist/internal/native.js`)}`
      )
      const { stdout } = await run(command, ["subpaths.mjs"])
      const [main = "", conformance = "", tools = "", missing = "", hidden = ""] = stdout.split("\n")
      assert.match(main, /\/dist\/index\.js$/)
      assert.match(conformance, /\/dist\/conformance\.js$/)
      assert.strictEqual(tools, "function,function {\"content\":[{\"type\":\"text\",\"text\":\"{\\\"a\\\":1}\"}],\"structuredContent\":{\"a\":1}}")
      assert.match(missing, /'@effect\/vitest'/)
      // Node.js names the path, and Bun the package.
      assert.match(hidden, /dist\/internal\/native|'@amends-dev\/toolkit/)
    })

    it(`gives the router where effect is not installed, under ${name}`, async () => {
      const without = join(scratch.path, manager, "without-effect")
      const modules = join(without, "node_modules")
      mkdirSync(modules, { recursive: true })
      cpSync(join(projects[manager].folder, "node_modules", alias), join(modules, alias), { recursive: true })
      writeFileSync(join(without, "router.mjs"), `await ${refusal(alias)}\n${routerProgram}`)
      const { stderr, stdout } = await run(command, ["router.mjs"], { cwd: without })
      assert.strictEqual(stderr, "")
      const [missing = "", printed] = stdout.split("\n")
      assert.match(missing, /'effect/)
      assert.strictEqual(printed, routerPrints)
    })

    it(`runs code in isolates as a subpath that alone loads them, under ${name} [R-000-011]`, { timeout: 60_000 }, async () => {
      const { folder, run } = projects[manager]
      writeFileSync(
        join(folder, "isolate.mjs"),
        `import { readFileSync } from "node:fs"
import { Effect } from "effect"
const loaded = () => /toolkit-isolate/.test(readFileSync("/proc/self/maps", "utf8"))
await import("${alias}")
const before = loaded()
const Isolate = await import("${alias}/isolate")
const run = (mode) =>
  Effect.scoped(Effect.flatMap(Isolate.make({ mode }), (runtime) =>
    runtime.run({ code: "return (await tools.add([1, 2])) as number", tools: ["add"], call: (_, [one, other]) => Effect.succeed(one + other) })))
const results = [await Effect.runPromise(run("process")), await Effect.runPromise(run("thread"))]
console.log(JSON.stringify({ before, after: loaded(), results }))`
      )
      const { stderr, stdout } = await run(command, ["isolate.mjs"])
      assert.strictEqual(stderr, "")
      const result = { result: 3, logs: [] }
      assert.deepStrictEqual(JSON.parse(stdout), { before: false, after: true, results: [result, result] })
    })

    it(`sends requests over a client of its own as a subpath that alone loads it, under ${name} [R-000-011]`, { timeout: 60_000 }, async () => {
      const { folder, run } = projects[manager]
      writeFileSync(
        join(folder, "native-http.mjs"),
        `import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
const loaded = () => /toolkit-http/.test(readFileSync("/proc/self/maps", "utf8"))
await import("${alias}")
const before = loaded()
const NativeHttp = await import("${alias}/native-http")
const server = createServer((request, response) => request.pipe(response))
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
const request = HttpClientRequest.post("http://127.0.0.1:" + server.address().port).pipe(HttpClientRequest.bodyText("there and back"))
const program = Effect.flatMap(HttpClient.execute(request), (response) => response.text)
const text = await Effect.runPromise(Effect.provide(program, NativeHttp.layerWith({ proxy: "none" })))
console.log(JSON.stringify({ before, after: loaded(), text }))
server.close()`
      )
      const { stderr, stdout } = await run(command, ["native-http.mjs"])
      assert.strictEqual(stderr, "")
      assert.deepStrictEqual(JSON.parse(stdout), { before: false, after: true, text: "there and back" })
    })

    it(`says in one error that a platform has no binary, under ${name}`, async () => {
      const project = projects[manager]
      writeFileSync(
        join(project.folder, "elsewhere.mjs"),
        "for (const [name, value] of [[\"platform\", \"darwin\"], [\"arch\", \"arm64\"]]) Object.defineProperty(process, name, { value })\n"
      )
      writeFileSync(join(project.folder, "imports.mjs"), `import "${alias}"\nconsole.log("it was imported")\n`)
      const elsewhere = await project.run(command, [preload, "./elsewhere.mjs", "imports.mjs"], 1)
      writeFileSync(join(project.folder, "imports-isolate.mjs"), `import "${alias}/isolate"\nconsole.log("it was imported")\n`)
      const isolateElsewhere = await project.run(command, [preload, "./elsewhere.mjs", "imports-isolate.mjs"], 1)

      // The same where the platform is right and the file is gone.
      const without = join(scratch.path, manager, "without")
      const modules = join(without, "node_modules")
      mkdirSync(modules, { recursive: true })
      cpSync(join(project.folder, "node_modules", alias), join(modules, alias), { recursive: true })
      rmSync(join(modules, alias, "native/toolkit-native.linux-x64-gnu.node"))
      symlinkSync(join(project.folder, "node_modules/effect"), join(modules, "effect"))
      writeFileSync(join(without, "imports.mjs"), `import "${alias}"\n`)
      const gone = await run(command, ["imports.mjs"], { cwd: without, expected: 1 })

      for (const [{ stderr, stdout }, platform, tried, built] of [
        [elsewhere, "darwin arm64", "toolkit-native.darwin-arm64.node", "2.34 or later; elsewhere"],
        [isolateElsewhere, "darwin arm64", "toolkit-isolate.darwin-arm64.node", "2.35 or later; on arm64 with glibc"],
        [gone, "linux x64", "toolkit-native.linux-x64-gnu.node", "2.34 or later; elsewhere"]
      ] as const) {
        assert.strictEqual(stdout, "")
        const errors = stderr.split("\n").filter((line) => /^\s*(?:\[?cause\]?: )?error: /i.test(line))
        assert.strictEqual(errors.length, 1, stderr)
        assert.include(errors[0], `has no addon for this platform (${platform}`)
        assert.include(errors[0], `It is built for Linux on x64 with glibc ${built} build it from a checkout`)
        assert.include(errors[0], tried)
        assert.notInclude(stderr, "npm has a bug")
      }
    })
  }
})
