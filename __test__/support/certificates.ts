/** Certificates made when they are needed (RFC 5280), so that none is kept here and none runs out. */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"

const length = (bytes: number): Buffer => {
  if (bytes < 0x80) return Buffer.from([bytes])
  const digits = Buffer.from(bytes.toString(16).padStart(bytes > 0xff ? 4 : 2, "0"), "hex")
  return Buffer.concat([Buffer.from([0x80 | digits.length]), digits])
}

const der = (tag: number, ...parts: ReadonlyArray<Buffer>): Buffer => {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), length(content.length), content])
}

const sequence = (...parts: ReadonlyArray<Buffer>) => der(0x30, ...parts)
const identifier = (hex: string) => der(0x06, Buffer.from(hex, "hex"))
const isTrue = der(0x01, Buffer.from([0xff]))

const ecdsaWithSha256 = sequence(identifier("2a8648ce3d040302"))
const commonName = identifier("550403")
const basicConstraints = identifier("551d13")
const subjectAltName = identifier("551d11")

const nameOf = (name: string) => sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(name)))))

/** A time as certificates have it, to the second. */
const time = (at: Date) => der(0x17, Buffer.from(`${at.toISOString().replaceAll(/[-:T]|\.\d+/g, "").slice(2, 14)}Z`))

const pem = (bytes: Buffer) => `-----BEGIN CERTIFICATE-----\n${bytes.toString("base64").replaceAll(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`

export interface Certificate {
  /** PEM. */
  readonly certificate: string
  /** PEM. */
  readonly key: string
}

interface Issuer {
  readonly name: string
  readonly key: KeyObject
}

const day = 24 * 3600 * 1000

const inDays = (days: number) => time(new Date(Date.now() + days * day))

const issue = (issuer: Issuer | undefined, options: {
  readonly name: string
  readonly extensions: ReadonlyArray<Buffer>
  /** Days from now. */
  readonly from: number
  readonly to: number
}): Certificate & { readonly privateKey: KeyObject } => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const serial = Buffer.from([0x01, ...crypto.getRandomValues(new Uint8Array(7))])
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    ecdsaWithSha256,
    nameOf(issuer?.name ?? options.name),
    sequence(inDays(options.from), inDays(options.to)),
    nameOf(options.name),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...options.extensions))
  )
  const signature = sign("sha256", content, issuer?.key ?? privateKey)
  return {
    certificate: pem(sequence(content, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature))),
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    privateKey
  }
}

/** A root, and what it vouches for. */
export const makeRoot = (name = "A root of the tests") => {
  const extensions = [sequence(basicConstraints, isTrue, der(0x04, sequence(isTrue)))]
  const { certificate, privateKey } = issue(undefined, { name, extensions, from: -2, to: 365 })
  /** A certificate of a server, of a host's name or of loopback's address. */
  const server = ({ from = -1, host = "localhost", to = 30 }: { readonly host?: string; readonly from?: number; readonly to?: number } = {}): Certificate => {
    const names = [der(0x82, Buffer.from(host)), ...(host === "localhost" ? [der(0x87, Buffer.from([127, 0, 0, 1]))] : [])]
    return issue({ name, key: privateKey }, {
      name: host,
      extensions: [sequence(subjectAltName, der(0x04, sequence(...names)))],
      from,
      to
    })
  }
  return { certificate, server }
}
