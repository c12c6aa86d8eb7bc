import { readFileSync, statSync } from "node:fs"
import { join, posix } from "node:path"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { makeScratch, pack, root } from "./project.ts"
import { run } from "./run.ts"

const scratch = makeScratch()
let tarball: Buffer
let files: ReadonlyArray<string>
let read: (file: string) => string

beforeAll(async () => {
  const file = await pack(scratch.path)
  tarball = readFileSync(file)
  await run("tar", ["-xzf", file, "-C", scratch.path])
  const { stdout } = await run("tar", ["-tzf", file])
  files = stdout.trim().split("\n").map((path) => path.replace("package/", ""))
  read = (path) => readFileSync(join(scratch.path, "package", path), "utf8")
}, 150_000)

afterAll(scratch.remove, 60_000)

/**
 * What arethetypeswrong finds and is meant to be so:
 * - There are ES modules only, as Effect has: a CommonJS module under `node16` gets at them by `import()`, or by `require` where
 *   Node.js can require an ES module.
 * - TypeScript's `node10` reads no `exports`, so that it finds a subpath only where a file of its name is. TypeScript 7 has no
 *   `node10` any more, and under it Effect's own subpaths, which every declaration here imports, are not found either.
 */
const meant = [
  ". node16-cjs CJSResolvesToESM",
  ...["./approvals-sql", "./conformance", "./isolate", "./mcp-tools", "./native-http", "./router", "./router-effect"].flatMap((subpath) => [
    `${subpath} node10 NoResolution`,
    `${subpath} node16-cjs CJSResolvesToESM`
  ])
]

describe("the tarball", () => {
  it("brings no dependencies: effect is a peer, and @effect/vitest one that may be missing [R-000-004]", () => {
    const manifest = JSON.parse(read("package.json")) as Readonly<Record<string, unknown>>
    for (const key of ["dependencies", "optionalDependencies", "bundleDependencies", "bundledDependencies"]) assert.notProperty(manifest, key)
    assert.sameMembers(Object.keys(manifest["peerDependencies"] as object), ["effect", "@effect/vitest"])
    assert.deepStrictEqual(manifest["peerDependenciesMeta"], { "@effect/vitest": { optional: true } })
    assert.deepStrictEqual(files.filter((file) => file.includes("node_modules/")), [])
  })

  it("runs nothing when it is installed", () => {
    const { scripts } = JSON.parse(read("package.json")) as { readonly scripts?: object }
    for (const name of ["preinstall", "install", "postinstall", "prepare"]) assert.notProperty(scripts ?? {}, name)
    assert.notInclude(files, "binding.gyp")
  })

  it("holds the addons of this platform once, the isolate's executable as one, and what a source map or a declaration points to", () => {
    assert.sameMembers(files.filter((file) => /^native\/(?!.*\.c[jt]s$)/.test(file)), [
      "native/toolkit-native.linux-x64-gnu.node",
      "native/toolkit-http.linux-x64-gnu.node",
      "native/toolkit-isolate.linux-x64-gnu.node",
      "native/toolkit-isolate.linux-x64-gnu"
    ])
    assert.strictEqual(statSync(join(scratch.path, "package/native/toolkit-isolate.linux-x64-gnu")).mode & 0o111, 0o111)
    const maps = files.filter((file) => file.endsWith(".map"))
    assert.isAbove(maps.length, 0)
    for (const map of maps) {
      const { sources } = JSON.parse(read(map)) as { readonly sources: ReadonlyArray<string> }
      for (const source of sources) assert.include(files, posix.join(posix.dirname(map), source), map)
    }
    const modules = files.filter((file) => /\.(?:js|d\.ts|d\.cts)$/.test(file))
    for (const file of modules) {
      for (const [, target] of read(file).matchAll(/\bfrom "(\.{1,2}\/[^"]+)"|\bimport\("(\.{1,2}\/[^"]+)"\)/g)) {
        if (target === undefined) continue
        const path = posix.join(posix.dirname(file), target)
        const declared = path.replace(/\.(c?)[jt]s$/, ".d.$1ts")
        assert.isTrue(files.includes(file.endsWith("ts") ? declared : path), `${file} imports ${target}`)
      }
    }
  })

  it("has every page that one of its pages links to", () => {
    const links = files.filter((file) => file.endsWith(".md")).flatMap((file) => {
      const text = read(file).replaceAll(/^```[^]*?^```/gm, "").replaceAll(/`[^`\n]*`/g, "")
      const targets = [...text.matchAll(/\]\(\s*<?([^\s)>]+)|^\[[^\]]+\]:\s*<?([^\s>]+)|\b(?:href|src)="([^"]+)"/gm)].map(([, ...found]) => found.find(Boolean)!)
      return targets.filter((target) => !/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(target)).map((target) => ({ file, target }))
    })
    assert.includeDeepMembers(links, [{ file: "README.md", target: "docs/code-mode.md" }])
    for (const { file, target } of links) {
      const path = posix.join(posix.dirname(file), decodeURI(target.replace(/[?#].*$/, "")))
      assert.isTrue(files.includes(path), `${file} links to ${target}, which is not in the package`)
    }
  })

  it("names no folder of the checkout that it was packed in", () => {
    const texts = files.filter((file) => /\.(?:js|ts|cts|cjs|json|map|md)$/.test(file))
    assert.isAbove(texts.length, 0)
    for (const file of texts) assert.isFalse(read(file).includes(root), file)
  })

  it("is as publint wants a package [R-000-011]", async () => {
    const bytes = new Uint8Array(tarball).buffer
    const { messages, pkg } = await publint({ pack: { tarball: bytes }, level: "suggestion", strict: true })
    assert.deepStrictEqual(messages.map((message) => formatMessage(message, pkg, { color: false })), [])
  })

  it("gives the types that arethetypeswrong expects, but for what is meant [R-000-011] [R-000-010]", { timeout: 60_000 }, async () => {
    const checked = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)))
    assert.isOk(checked.types)
    if (!checked.types) return
    assert.sameMembers(Object.keys(checked.entrypoints), [".", "./approvals-sql", "./conformance", "./isolate", "./mcp-tools", "./native-http", "./router", "./router-effect", "./package.json"])
    const found = checked.problems.map((problem) =>
      "entrypoint" in problem ? `${problem.entrypoint} ${problem.resolutionKind} ${problem.kind}` : JSON.stringify(problem)
    )
    assert.deepStrictEqual(found, meant)
  })
})
