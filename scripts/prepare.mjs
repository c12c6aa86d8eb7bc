// Sets up everything that the commands of package.json need, and nothing that is there already: the packages of the
// lockfile, the addon, the compiled shim. Says what takes long before it starts.
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fail, root, run } from "./run.mjs"
import { hasIsolate, platformOf, target } from "./target.mjs"

const stampFile = join(root, ".prepared.json")

const filesOf = (path) => {
  if (!existsSync(path)) return []
  return statSync(path).isDirectory() ? readdirSync(path).sort().flatMap((name) => filesOf(join(path, name))) : [path]
}

const hashOf = (paths) => {
  const hash = createHash("sha256")
  for (const file of paths.flatMap((path) => filesOf(join(root, path)))) {
    hash.update(relative(root, file)).update("\0").update(readFileSync(file)).update("\0")
  }
  return hash.digest("hex")
}

const buildInputs = [".cargo", "Cargo.toml", "Cargo.lock", "package-lock.json", "scripts/build.mjs", "scripts/target.mjs"]

/** A file that is built for a target. Without Rust none can be built, and what is there is taken as it is. */
const built = (name, ending = "") => target === undefined ? [] : [`native/${name}.${platformOf(target)}${ending}`]

const steps = [
  {
    name: "packages",
    inputs: ["package-lock.json"],
    outputs: ["node_modules/.package-lock.json"],
    says: "installing packages with npm ci",
    run: () => run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"])
  },
  {
    name: "addon",
    inputs: [...buildInputs, "build.rs", "src", "crates/core"],
    outputs: ["native/binding.cjs", "native/binding.d.cts", ...built("toolkit-native", ".node")],
    says: "building the addon with cargo (a few minutes the first time)",
    run: () => run("npm", ["run", "--silent", "build:native"])
  },
  {
    name: "isolate",
    inputs: [...buildInputs, "crates/isolate"],
    outputs: [
      "native/isolate.cjs",
      "native/isolate.d.cts",
      ...target !== undefined && hasIsolate(target) ? [...built("toolkit-isolate"), ...built("toolkit-isolate", ".node")] : []
    ],
    says: "building the isolate with cargo (a few minutes the first time)",
    run: () => run("npm", ["run", "--silent", "build:isolate"])
  },
  {
    name: "http",
    inputs: [...buildInputs, "crates/native-http"],
    outputs: ["native/http.cjs", "native/http.d.cts", ...built("toolkit-http", ".node")],
    says: "building the HTTP client with cargo (a few minutes the first time)",
    run: () => run("npm", ["run", "--silent", "build:http"])
  },
  {
    name: "shim",
    inputs: ["ts", "tsconfig.json", "tsconfig.build.json", "native/binding.d.cts", "native/http.d.cts", "native/isolate.d.cts", "package-lock.json"],
    outputs: ["dist/index.js", "dist/index.d.ts"],
    says: "compiling the TypeScript shim",
    run: () => run("npm", ["run", "--silent", "build:ts"])
  }
]

if (Number(process.versions.node.split(".")[0]) < 20) fail(`Node.js 20 or later is needed, this is ${process.version}`)

const stamps = existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, "utf8")) : {}
for (const step of steps) {
  const hash = hashOf(step.inputs)
  if (stamps[step.name] === hash && step.outputs.every((output) => existsSync(join(root, output)))) continue
  console.error(`toolkit-native: ${step.says} …`)
  const start = performance.now()
  step.run()
  console.error(`toolkit-native: … done in ${Math.round((performance.now() - start) / 1000)} s`)
  // The inputs of a later step may be an earlier one's outputs, so the stamp is of what was there when it ran.
  stamps[step.name] = hash
  writeFileSync(stampFile, JSON.stringify(stamps))
}
