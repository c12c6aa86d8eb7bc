/** The client of the TypeScript SDK: what others connect with. */
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Effect, type Scope } from "effect"
import { newest, type Version } from "./mcp-tools.ts"

/** What a client connects over. */
export type Transport = Parameters<Client["connect"]>[0]

/** Connects in one revision and no other, for as long as the scope is open. */
export const connectSdk = (
  transport: Transport | number,
  version: Version = newest,
  { prepare, ...options }: ClientOptions & { readonly prepare?: (client: Client) => void } = {}
): Effect.Effect<Client, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const speaking = version === newest ? { versionNegotiation: { mode: { pin: version } } } as const : { supportedProtocolVersions: [version] }
      const client = new Client({ name: "sdk", version: "1" }, { ...speaking, ...options })
      prepare?.(client)
      await client.connect(typeof transport === "number" ? new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${transport}/mcp`)) : transport)
      return client
    }),
    (client) => Effect.promise(() => client.close())
  )
