import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { native } from "../ts/internal/native.ts"

const root = fileURLToPath(new URL("../", import.meta.url))
const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
  readonly name: string
  readonly version: string
  readonly type: string
  readonly types: string
  readonly engines: { readonly node: string }
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/** The files under a folder of the package with an ending. */
const filesOf = (folder: string, ending: string): ReadonlyArray<string> =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(ending)).map((name) => `${folder}/${name}`)

/** What a module imports, in whatever way. */
const importsOf = (file: string): ReadonlyArray<string> => {
  const code = readFileSync(`${root}${file}`, "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, "")
  const found = [...code.matchAll(/\bfrom\s+"([^"]+)"|\b(?:import|require)\(\s*"([^"]+)"\s*\)|^import\s+"([^"]+)"/gm)]
  return found.map(([, from, called, bare]) => (from ?? called ?? bare)!)
}

/** A module of the shim with all those that it imports, in turn. */
const reached = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const name of importsOf(file)) if (name.startsWith(".") && name.endsWith(".ts")) reached(join(dirname(file), name), seen)
  return seen
}

/** Runs a line of JavaScript in the root of the package, as a user's own module would be. */
const evaluate = (code: string) => spawnSync(process.execPath, ["-e", code], { cwd: root, encoding: "utf8" })

describe("the package", () => {
  it("depends on effect alone, as a peer, and imports nothing else [R-000-004]", () => {
    assert.deepStrictEqual(Object.keys(manifest.dependencies ?? {}), [])
    const peers = Object.keys(manifest.peerDependencies)
    const optional = new Set(peers.filter((name) => manifest.peerDependenciesMeta?.[name]?.optional === true))
    assert.deepStrictEqual(peers.filter((name) => !optional.has(name)), ["effect"])

    const root = reached("ts/index.ts")
    assert.isTrue(root.has("ts/internal/toolkit.ts"))
    assert.include(importsOf("ts/ToolSource.ts"), "effect/Effect")
    for (const file of filesOf("ts", ".ts")) {
      const others = importsOf(file).filter((name) => !/^(?:\.{1,2}\/|effect\/|node:(?:fs|module|url)$)/.test(name))
      // A subpath of its own may need a peer that is optional, which the root must not.
      assert.deepStrictEqual(others.filter((name) => root.has(file) || !optional.has(name)), [], file)
    }
  })

  it("loads its addon in the runtime of this test, which is one that it names [R-000-005]", () => {
    const runtime = process.versions["bun"] === undefined ? "node" : "bun"
    const least = /^>=(\d+)$/.exec(manifest.engines.node)?.[1]
    assert.isDefined(least)
    assert.isAtLeast(Number(process.versions.node.split(".")[0]), Number(least), runtime)
    assert.strictEqual(native.version(), manifest.version)
    const { status, stderr, stdout } = evaluate(
      `import(${JSON.stringify(manifest.name)}).then(({ Assembly }) => console.log(Assembly.toolName("git.hub", "list")))`
    )
    assert.deepStrictEqual([stdout.trim(), status], ["git_hub__list", 0], stderr)
  })

  it("resolves for a user: its exports, its types and its addon [R-000-011]", async () => {
    assert.strictEqual(manifest.type, "module")
    const targets = Object.values(manifest.exports).flatMap((target) => typeof target === "string" ? [target] : Object.values(target))
    for (const target of [...targets, manifest.types]) assert.isTrue(existsSync(`${root}${target}`), target)
    const require = createRequire(import.meta.url)
    for (const subpath of Object.keys(manifest.exports)) {
      assert.isTrue(existsSync(require.resolve(subpath.replace(".", manifest.name))), subpath)
    }
    assert.throws(() => require.resolve(`${manifest.name}/ts/internal/native.ts`))

    const itself = await import("toolkit-native")
    assert.sameMembers(Object.keys(itself), Object.keys(await import("../ts/index.ts")))
    assert.strictEqual(itself.Assembly.toolName("github", "list"), "github__list")

    const { status, stderr, stdout } = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: root, encoding: "utf8" })
    assert.strictEqual(status, 0, stderr)
    const [packed] = Object.values(JSON.parse(stdout)) as ReadonlyArray<{ readonly files: ReadonlyArray<{ readonly path: string }> }>
    const paths = new Set(packed!.files.map(({ path }) => path))
    for (const target of [...targets, manifest.types]) assert.isTrue(paths.has(target.replace("./", "")), target)
    for (const path of [...filesOf("dist", ".js"), ...filesOf("dist", ".d.ts"), "native/binding.cjs", "native/binding.d.cts", "README.md", "LICENSE"]) {
      assert.isTrue(paths.has(path), path)
    }
    assert.isTrue([...paths].some((path) => path.endsWith(".node")))
    assert.deepStrictEqual([...paths].filter((path) => /^(?:__test__|target|node_modules|crates|reports)\//.test(path)), [])
  })
})
