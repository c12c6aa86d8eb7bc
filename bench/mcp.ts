/**
 * Calls of tools over the Model Context Protocol, ours beside other clients: `npm run bench -- mcp`. Writes its part of
 * docs/benchmarks.md. With `--quick` it only shows that everything runs.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { settled, versions } from "./lib/machine.ts"
import { median } from "./lib/median.ts"
import { publish } from "./lib/page.ts"
import { table } from "./lib/table.ts"
import { owners } from "./mcp/profile.mjs"

const isQuick = process.argv.includes("--quick")
const plan = isQuick ? { rounds: 1, warm: 64, calls: 128, lateCalls: 20 } : { rounds: 3, warm: 512, calls: 2048, lateCalls: 200 }
const atOnce = 64
/** A process that takes longer than this is ended, by its own process id. */
const longest = 120_000
/** What ours is held to. */
const aims = { effect: 1.4, post: 1.15, held: 20 }
/** And ours over native-http, whose calls are to be so many times as fast without a tracer. */
const nativeAims = { effect: { one: 2.5, many: 5 }, sdk: { one: 1.6, many: 3 } }

interface Client {
  readonly key: string
  readonly client: string
  readonly isTraced: boolean
  readonly name: string
}

const traced = (client: string, name: string): ReadonlyArray<Client> =>
  [true, false].map((isTraced) => ({ key: `${client} ${isTraced}`, client, isTraced, name: `${name}${isTraced ? "" : ", no tracer"}` }))

const clients: ReadonlyArray<Client> = [
  { key: "fetch", client: "fetch", isTraced: false, name: "fetch, JSON.parse" },
  ...traced("post", "Effect HttpClient, JSON.parse"),
  { key: "sdk", client: "sdk", isTraced: false, name: "@modelcontextprotocol/client" },
  ...traced("effect", "Effect McpClient"),
  ...traced("effectAsModel", "Effect McpClient's toolkit"),
  ...traced("ours", "ours"),
  ...traced("oursAsModel", "ours, through its toolkit"),
  ...traced("postNative", "Effect HttpClient over native-http, JSON.parse"),
  ...traced("oursNative", "ours over native-http")
]

const ways = [
  { era: "stateless", answers: "json", name: "2026-07-28, JSON answers" },
  { era: "stateless", answers: "stream", name: "2026-07-28, event streams" },
  { era: "session", answers: "json", name: "2025-11-25, a session, JSON answers" }
] as const
type Way = typeof ways[number]

const large = [
  { tool: "objects", answers: "json", name: "10 MB of small objects, JSON" },
  { tool: "objects", answers: "stream", name: "10 MB of small objects, one event" },
  { tool: "string", answers: "json", name: "a string of 10 MB, JSON" },
  { tool: "string", answers: "stream", name: "a string of 10 MB, one event" },
  { tool: "notified", answers: "stream", name: "20,000 notifications first" }
] as const
type Large = typeof large[number]

interface PerCall {
  readonly wall: number
  readonly cpu: number
  readonly server: number
}
interface Timed {
  readonly one: PerCall
  readonly many: PerCall
}
interface Held {
  readonly longest: number
  readonly took: number
  readonly peak: number
}

const pathOf = (file: string) => fileURLToPath(new URL(`mcp/${file}`, import.meta.url))

const runCase = <A>(port: number, { client, isTraced }: Client, job: object): A => {
  const { error, signal, status, stderr, stdout } = spawnSync(
    process.execPath,
    [pathOf("case.mjs"), JSON.stringify({ ...job, client, isTraced, port, warm: plan.warm })],
    { encoding: "utf8", timeout: longest, killSignal: "SIGKILL", stdio: ["ignore", "pipe", "pipe"] }
  )
  if (status !== 0) throw new Error(`${client} with ${JSON.stringify(job)} ended with ${error?.message ?? signal ?? status}: ${stderr}`)
  return JSON.parse(stdout) as A
}

const host = await settled(isQuick)
const version = versions()

const times = new Map<string, Array<Timed>>()
const holds = new Map<string, Array<Held>>()
const connections = new Map<string, Array<number>>()
const add = <A>(to: Map<string, Array<A>>, key: string, value: A) => to.set(key, [...to.get(key) ?? [], value])
const timesOf = (way: Way, client: Client | string) => times.get(`${way.name} ${typeof client === "string" ? client : client.key}`)!
const holdsOf = (answer: Large, client: Client) => holds.get(`${answer.name} ${client.key}`)!

/** Whether it is traced is nothing to a large answer, nor to connections. */
const holders = clients.filter(({ client, isTraced }) => client !== "postNative" && (isTraced || client === "fetch" || client === "sdk"))

/** Whose code their calls are in is told of these. */
const profiled = ["sdk", "effect false", "ours false", "postNative false", "oursNative false"].map((key) => clients.find((client) => client.key === key)!)
type Shares = Readonly<Record<string, number>>
const shares: Array<{ readonly client: Client; readonly atOnce: number; readonly shares: Shares }> = []

const server = spawn(process.execPath, [pathOf("server.mjs")], { stdio: ["pipe", "pipe", "inherit"] })
try {
  const port = Number((await once(createInterface(server.stdout), "line"))[0])
  // So that the first client does not meet a server that the others do not.
  for (const { answers, era } of ways) runCase(port, clients[0]!, { measure: "calls", era, answers, tool: "small", calls: plan.calls, atOnce })
  for (let round = 0; round < plan.rounds; round++) {
    // Another client begins in each round.
    const turned = <A>(list: ReadonlyArray<A>) => list.map((_, at) => list[(at + round) % list.length]!)
    for (const way of ways) {
      for (const client of turned(clients)) {
        const { answers, era } = way
        add(times, `${way.name} ${client.key}`, runCase<Timed>(port, client, { measure: "calls", era, answers, tool: "small", calls: plan.calls, atOnce }))
      }
    }
    for (const answer of large) {
      for (const client of turned(holders)) {
        const { answers, tool } = answer
        add(holds, `${answer.name} ${client.key}`, runCase<Held>(port, client, { measure: "held", era: "stateless", answers, tool }))
      }
    }
    for (const client of holders) {
      add(connections, client.key, runCase<number>(port, client, { measure: "connected", era: "stateless", answers: "late", tool: "small", calls: plan.lateCalls }))
    }
    console.error(`round ${round + 1} of ${plan.rounds}`)
  }
  for (const client of profiled) {
    for (const many of [1, atOnce]) {
      const job = { measure: "profiled", era: "stateless", answers: "json", tool: "small", calls: plan.calls, atOnce: many }
      shares.push({ client, atOnce: many, shares: runCase<Shares>(port, client, job) })
    }
  }
} finally {
  server.stdin.end()
}

const measures = [
  { of: ({ one }: Timed) => one.wall, name: "one after the other", time: "wall" },
  { of: ({ many }: Timed) => many.wall, name: `${atOnce} at once`, time: "wall" },
  { of: ({ one }: Timed) => one.cpu, name: "one after the other", time: "CPU" },
  { of: ({ many }: Timed) => many.cpu, name: `${atOnce} at once`, time: "CPU" }
] as const

const calls = ways.map((way) => `### ${way.name}, µs a call

${
  table(
    ["client"],
    measures.map(({ name, time }) => `${time}, ${name}`),
    clients.map((client) => [
      client.name,
      ...measures.map(({ of }) => {
        const values = timesOf(way, client).map(of)
        return `${median(values).toFixed(0)} (${Math.min(...values).toFixed(0)})`
      })
    ])
  )
}
`)

const missed: Array<string> = []

/** A ratio, marked where it misses its aim. */
const held = (ratio: number, isMet: boolean, where: string): string => {
  if (!isMet) missed.push(`${where}: ${ratio.toFixed(2)}`)
  return isMet ? ratio.toFixed(2) : `**${ratio.toFixed(2)}**`
}

const ratios = ways.flatMap((way) =>
  [true, false].flatMap((isTraced) =>
    measures.map(({ name, of, time }) => {
      const all = (client: string) => timesOf(way, `${client} ${isTraced}`).map(of)
      const [ours, effect, post, asModel, effectAsModel] = ["ours", "effect", "post", "oursAsModel", "effectAsModel"].map((client) => median(all(client))) as
        [number, number, number, number, number]
      const best = (client: string) => Math.min(...all(client))
      const where = `${way.name}, ${isTraced ? "traced" : "no tracer"}, ${time}, ${name}`
      return [
        way.name,
        isTraced ? "yes" : "no",
        `${time}, ${name}`,
        held(effect / ours, effect / ours >= aims.effect, `${where}, Effect's McpClient to ours`),
        (best("effect") / best("ours")).toFixed(2),
        held(ours / post, ours / post <= aims.post, `${where}, ours to the parsing request`),
        (best("ours") / best("post")).toFixed(2),
        (effectAsModel / asModel).toFixed(2)
      ]
    })
  )
)

const nativeRatios = ways.flatMap((way) =>
  ([["one", "one after the other"], ["many", `${atOnce} at once`]] as const).map(([key, name]) => {
    const wall = (client: string) => median(timesOf(way, client).map((timed) => timed[key].wall))
    const ours = wall("oursNative false")
    const ratioTo = (client: "effect" | "sdk", other: string) => {
      const ratio = wall(other) / ours
      const aim = nativeAims[client][key]
      return `${held(ratio, ratio >= aim, `${way.name}, ours over native-http, ${name}, ${client}`)} (${aim})`
    }
    return [way.name, name, ratioTo("effect", "effect false"), ratioTo("sdk", "sdk"), (wall("ours false") / ours).toFixed(2)]
  })
)

const answers = table(
  ["answer", "client"],
  ["longest hold, ms", "worst", "whole call, ms", "peak memory, MB"],
  large.flatMap((answer) =>
    holders.map((client) => {
      const all = holdsOf(answer, client)
      const longest = median(all.map(({ longest }) => longest))
      if (client.client === "ours" && longest > aims.held) missed.push(`${answer.name}, the event loop held: ${longest.toFixed(1)} ms`)
      return [
        answer.name,
        client.name,
        longest.toFixed(1),
        Math.max(...all.map(({ longest }) => longest)).toFixed(1),
        median(all.map(({ took }) => took)).toFixed(1),
        (median(all.map(({ peak }) => peak)) / 1024).toFixed(1)
      ]
    })
  )
)

const serverCost = ways.map((way) => {
  const of = (pick: (timed: Timed) => PerCall) => median(clients.flatMap((client) => timesOf(way, client).map((timed) => pick(timed).server))).toFixed(0)
  return `${of(({ one }) => one)} and ${of(({ many }) => many)} (${way.name})`
})

const page = `## Calls over MCP

Written by \`npm run bench -- mcp\`. A call of a tool at a server on loopback, by ours and by others, all but
\`@modelcontextprotocol/client\` and fetch over Effect's \`FetchHttpClient\` unless it says otherwise. *JSON.parse* is the least that a client does: it posts
the same request and parses the answer, and knows nothing of the protocol.

- ${host.says}
- Node.js ${process.versions.node}; effect ${version.effect}; @modelcontextprotocol/client ${version.mcpClient}; toolkit-native ${version.package}
- the server's own CPU time, µs a call one after the other and ${atOnce} at once: ${serverCost.join(", ")}
${host.busy}
How it is measured: each client is a process of its own, the server another, and all clients take part in each of ${plan.rounds} rounds,
another first in each. ${plan.warm} calls that are not counted come before ${plan.calls} that are, one after the other, and again ${atOnce} at
once. A figure is the median of the processes, and the best of them in brackets. CPU is that of the client's process, all threads.
*No tracer* is with \`HttpClient.TracerDisabledWhen\`; without it Effect's client makes a span for each request and sends its headers.

${calls.join("\n")}
### Ratios

Effect's McpClient to ours is to be ${aims.effect} or more (ours is so many times faster), ours to the parsing request ${aims.post} or less; in bold where
it is not. The columns of best are of the best processes instead of the median ones.

${
  table(
    ["server", "traced", "time"],
    ["Effect McpClient / ours", "of best", "ours / parsing request", "of best", "Effect's toolkit / ours"],
    ratios
  )
}

### Over native-http

Ours over \`toolkit-native/native-http\`, without a tracer: how many times as fast its calls are, and in brackets how many they are to be.

${table(["server", "calls"], ["Effect McpClient over fetch / ours", "@modelcontextprotocol/client / ours", "ours over fetch / ours"], nativeRatios)}

### Whose code a call is in

By V8's sampling profiler, which slows what it watches: shares of the time of the client's JavaScript thread, in per cent, at the stateless
server that answers with JSON. What Node.js and built-ins take for fetch is not told apart from the rest of it; *built-ins and addons* has the calls
into ours.

${
  table(
    ["client", "calls"],
    owners,
    shares.map(({ atOnce, client, shares }) => [
      client.name,
      atOnce === 1 ? "one after the other" : `${atOnce} at once`,
      ...owners.map((owner) => (shares[owner]! * 100).toFixed(0))
    ])
  )
}

### Large answers

One call in a fresh process, after ${plan.warm} small ones. *Longest hold* is the longest that nothing else had a turn of the event loop
during it (the gap between two turns of setImmediate), the median of ${plan.rounds} processes and the worst of them; ours is to hold it ${aims.held} ms at
most. *Peak memory* is the highest resident size during the call, less the one just before it, after a garbage collection.

${answers}

### Connections

Opened for ${plan.lateCalls} calls, one after the other, at a server that ends each event stream 5 ms after the answer in it: who leaves a
stream before its end loses the connection.

${table(["client"], ["connections"], holders.map((client) => [client.name, String(median(connections.get(client.key)!))]))}

### Where ours misses what it is held to

${missed.length === 0 ? "Nowhere in this run." : missed.map((where) => `- ${where}`).join("\n")}
`
publish("mcp", page, isQuick)
