import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { nodes } from "./node-versions.ts"
import { httpPrints, httpProgram, install, makeScratch, pack, type Project, quickstart, routerPrints, routerProgram, seen, typeCheck } from "./project.ts"

const scratch = makeScratch()
let project: Project

beforeAll(async () => {
  project = await install("npm", { scratch: scratch.path, tarball: await pack(scratch.path) })
  await typeCheck(project, "node16")
}, 300_000)

afterAll(scratch.remove, 60_000)

describe("installed from a registry as @amends-dev/toolkit", () => {
  for (const { command, major, version } of nodes) {
    it(`runs a program of an OpenAPI source and a scripted model under Node.js ${major} [R-000-005] [R-000-011]`, { timeout: 90_000 }, async () => {
      assert.strictEqual((await project.run(command, ["--version"])).stdout.trim(), `v${version}`)
      const { stderr, stdout } = await project.run(command, ["out/program.js"])
      assert.strictEqual(stderr, "")
      assert.deepStrictEqual(JSON.parse(stdout), seen)
    })

    it(`runs the quick start as it is written under Node.js ${major} [R-000-003] [R-000-005]`, { timeout: 90_000 }, async () => {
      const { stderr, stdout } = await project.run(command, ["out/quickstart.js"])
      assert.strictEqual(stderr, "")
      assert.deepStrictEqual(JSON.parse(stdout), quickstart)
    })

    it(`sends requests over native-http, bodies both ways, under Node.js ${major} [R-000-011]`, { timeout: 60_000 }, async () => {
      const { stdout, stderr } = await project.run(command, ["--input-type=module", "--eval", httpProgram])
      assert.deepStrictEqual([stdout.trim(), stderr], [httpPrints, ""])
    })

    it(`runs a router under Node.js ${major}`, { timeout: 60_000 }, async () => {
      const { stderr, stdout } = await project.run(command, ["--input-type=module", "--eval", routerProgram])
      assert.deepStrictEqual([stdout.trim(), stderr], [routerPrints, ""])
    })

    it(`gives its root to a CommonJS module under Node.js ${major}`, { timeout: 60_000 }, async () => {
      const program = "console.log(require(\"@amends-dev/toolkit\").Assembly.toolName(\"git.hub\", \"list\"))"
      const { stdout } = await project.run(command, ["--input-type=commonjs", "--eval", program])
      assert.strictEqual(stdout.trim(), "git_hub__list")
    })
  }
})
