/** A registry on loopback, so that a package is installed as a user installs it and nothing is asked elsewhere. */
import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { run } from "./run.ts"

interface Manifest {
  readonly name: string
  readonly version: string
  readonly [key: string]: unknown
}

interface Published {
  readonly manifest: Manifest
  /** Reads or makes it. */
  readonly tarball: () => Promise<Buffer>
  readonly integrity?: string
}

export interface Registry {
  readonly url: string
  /** The packages whose tarballs were fetched. */
  readonly delivered: ReadonlySet<string>
  readonly stop: () => Promise<void>
}

const packageName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/

/** A tarball that a package manager wrote. */
const fromTarball = async (file: string): Promise<Published> => {
  const { stdout } = await run("tar", ["-xzOf", file, "package/package.json"])
  const tarball = readFileSync(file)
  return {
    manifest: JSON.parse(stdout) as Manifest,
    tarball: () => Promise.resolve(tarball),
    integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`
  }
}

/** A package as it is installed, which is as its publisher packed it. */
const fromFolder = (folder: string, scratch: string): Published => {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest
  const file = join(scratch, `${manifest.name.replace("/", "+")}-${manifest.version}.tgz`)
  let made: Promise<Buffer> | undefined
  const make = async () => {
    const names = ["--exclude=./node_modules", "--transform=s,^\\.,package,"]
    await run("tar", ["--create", "--use-compress-program=gzip -1", "--file", file, ...names, "--directory", folder, "."])
    return readFileSync(file)
  }
  return { manifest, tarball: () => made ??= make() }
}

/**
 * Serves one tarball, and as the only version of any other package what `installed`, a `node_modules`, has of it, packed in
 * `scratch` when it is fetched.
 */
export const startRegistry = async (options: {
  readonly tarball: string
  readonly installed: string
  readonly scratch: string
}): Promise<Registry> => {
  const ours = await fromTarball(options.tarball)
  const packages = new Map([[ours.manifest.name, ours]])
  const delivered = new Set<string>()

  const find = (name: string): Published | undefined => {
    const folder = join(options.installed, name)
    if (!packages.has(name) && packageName.test(name) && existsSync(join(folder, "package.json"))) {
      packages.set(name, fromFolder(folder, options.scratch))
    }
    return packages.get(name)
  }

  const answer = async (request: IncomingMessage): Promise<{ readonly status: number; readonly body: string | Buffer }> => {
    const [path = "", tarball] = (request.url ?? "").slice(1).split("/-/")
    const name = decodeURIComponent(path)
    const published = find(name)
    if (published === undefined) return { status: 404, body: "{}" }
    if (tarball !== undefined) {
      delivered.add(name)
      return { status: 200, body: await published.tarball() }
    }
    const { integrity, manifest } = published
    const dist = { tarball: `http://${request.headers.host}/${name}/-/${manifest.version}.tgz`, integrity }
    const versions = { [manifest.version]: { ...manifest, dist } }
    return { status: 200, body: JSON.stringify({ name, "dist-tags": { latest: manifest.version }, versions }) }
  }

  const server = createServer((request, response) => {
    answer(request).then(
      ({ body, status }) => {
        const type = typeof body === "string" ? "application/json" : "application/octet-stream"
        return response.writeHead(status, { "content-type": type }).end(body)
      },
      (error: unknown) => response.writeHead(500).end(String(error))
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    delivered,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
