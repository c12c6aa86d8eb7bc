import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { parseTriple } from "@napi-rs/cli"
import { hasIsolate, platformOf } from "../scripts/target.mjs"

const root = fileURLToPath(new URL("../", import.meta.url))

/** The targets that a workflow builds, and some that it does not. */
const targets = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-unknown-linux-musl",
  "aarch64-unknown-linux-musl",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
  "aarch64-pc-windows-msvc",
  "i686-pc-windows-msvc",
  "armv7-unknown-linux-gnueabihf",
  "loongarch64-unknown-linux-gnu",
  "powerpc64le-unknown-linux-gnu",
  "riscv64gc-unknown-linux-gnu",
  "s390x-unknown-linux-gnu",
  "x86_64-unknown-freebsd"
]

/** Runs a script of scripts/ for a target. Where it has something to build it fails, since no program is to be found. */
const run = (script: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv) =>
  spawnSync(process.execPath, [`${root}scripts/${script}`, ...args], { cwd: root, encoding: "utf8", env: { PATH: "", ...env } })

describe("the build", () => {
  it("names the files of a target as the loaders of the addons look for them", () => {
    for (const target of targets) assert.strictEqual(platformOf(target), parseTriple(target).platformArchABI)
  })

  it("leaves the isolate out where crates/isolate does not go, and says so", () => {
    assert.deepStrictEqual(targets.filter(hasIsolate), ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"])
    for (const target of targets.filter((target) => !hasIsolate(target))) {
      const { status, stderr } = run("build.mjs", ["isolate"], { CARGO_BUILD_TARGET: target })
      assert.deepStrictEqual([status, stderr], [
        0,
        `toolkit-native: toolkit-native/isolate is left out for ${target}: it needs Linux with glibc, on x64 or arm64\n`
      ])
    }
  })

  it("says what it lacks where there is no Rust, and what it can build", () => {
    const without = run("build.mjs", ["native"], {})
    assert.strictEqual(without.status, 1)
    assert.include(without.stderr, "needs a Rust toolchain")
    for (const args of [[], ["native", "toString"]]) {
      const { status, stderr } = run("build.mjs", args, {})
      assert.strictEqual(status, 1)
      assert.include(stderr, "native, isolate, http")
    }
  })
})
