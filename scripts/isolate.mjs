// Builds the executable of an isolate's process and puts it beside the addons.
import { spawnSync } from "node:child_process"
import { chmodSync, copyFileSync, renameSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const target = "x86_64-unknown-linux-gnu"

const { error, status } = spawnSync(
  "cargo",
  ["build", "--locked", "--release", "--target", target, "--package", "toolkit-isolate", "--bin", "toolkit-isolate"],
  { cwd: root, stdio: ["ignore", 2, 2] }
)
if (status !== 0) {
  console.error(`toolkit-native: the isolate's executable was not built${error === undefined ? "" : `: ${error.message}`}`)
  process.exit(1)
}

// One that runs cannot be written to, and can be replaced.
const into = join(root, "native/toolkit-isolate.linux-x64-gnu")
copyFileSync(join(root, "target", target, "release/toolkit-isolate"), `${into}.new`)
chmodSync(`${into}.new`, 0o755)
renameSync(`${into}.new`, into)
