// Builds what is named (native, isolate, http) into native/, in release and for the target of target.mjs: the addon with its
// loader and declarations, and the isolate's executable beside its own. Says so where a target does not have one of them.
import { chmodSync, copyFileSync, renameSync } from "node:fs"
import { join } from "node:path"
import { fail, root, run } from "./run.mjs"
import { hasIsolate, platformOf, target } from "./target.mjs"

const addon = (loader, ...of) =>
  run(process.execPath, [
    "node_modules/@napi-rs/cli/dist/cli.js", "build", ...of, "--platform", "--release", "--target", target,
    "--output-dir", "native", "--js", `${loader}.cjs`, "--dts", `${loader}.d.cts`
  ])

const addonOf = (name, crate) => addon(name, "--package", `toolkit-${crate}-addon`, "--config-path", `crates/${crate}/addon/napi.json`)

const executable = () => {
  run("cargo", ["build", "--locked", "--release", "--target", target, "--package", "toolkit-isolate", "--bin", "toolkit-isolate"])
  // One that runs cannot be written to, and can be replaced.
  const into = join(root, `native/toolkit-isolate.${platformOf(target)}`)
  copyFileSync(join(root, "target", target, "release/toolkit-isolate"), `${into}.new`)
  chmodSync(`${into}.new`, 0o755)
  renameSync(`${into}.new`, into)
}

const parts = {
  native: () => addon("binding"),
  isolate: () => {
    if (!hasIsolate(target)) {
      return console.error(`toolkit-native: toolkit-native/isolate is left out for ${target}: it needs Linux with glibc, on x64 or arm64`)
    }
    addonOf("isolate", "isolate")
    executable()
  },
  http: () => addonOf("http", "native-http")
}

const names = process.argv.slice(2)
const unknown = names.filter((name) => !Object.hasOwn(parts, name))
if (names.length === 0 || unknown.length > 0) fail(`give what to build of ${Object.keys(parts).join(", ")}${unknown.map((name) => `; there is no ${name}`).join("")}`)
if (target === undefined) fail("building the addons needs a Rust toolchain (cargo), 1.95 or later: https://rustup.rs")
for (const name of names) parts[name]()
