/**
 * Requests over native-http beside other clients: `npm run bench -- http`. Writes its part of docs/benchmarks.md. With `--quick` it
 * only shows that everything runs.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { runtimes, settled, versions } from "./lib/machine.ts"
import { median } from "./lib/median.ts"
import { publish } from "./lib/page.ts"
import { table } from "./lib/table.ts"

const isQuick = process.argv.includes("--quick")
const atOnce = 64
/** A process that takes longer than this is ended, by its own process id. */
const longest = 180_000

const sizes = [
  { size: 100, name: "100 bytes", requests: 4096, warm: 1024 },
  { size: 10_000, name: "10 kB", requests: 2048, warm: 512 },
  { size: 1_000_000, name: "1 MB", requests: 256, warm: 64 },
  { size: 10_000_000, name: "10 MB", requests: 64, warm: 64 }
].map((plan) => isQuick ? { ...plan, requests: atOnce, warm: atOnce } : plan)
const rounds = isQuick ? 1 : 3

const clients = [
  { client: "fetch", isTraced: false, name: "fetch" },
  { client: "undici", isTraced: false, name: "undici's Agent", only: "Node.js" },
  { client: "nodeHttp", isTraced: false, name: "node:http" },
  { client: "reqwest", isTraced: false, name: "reqwest alone, without JavaScript", only: "Node.js" },
  { client: "addon", isTraced: false, name: "native-http's addon alone" },
  { client: "effectFetch", isTraced: true, name: "Effect over fetch" },
  { client: "effectFetch", isTraced: false, name: "Effect over fetch, no tracer" },
  { client: "effectUndici", isTraced: false, name: "Effect over undici, no tracer", only: "Node.js" },
  { client: "effectNodeHttp", isTraced: false, name: "Effect over node:http, no tracer" },
  { client: "ours", isTraced: true, name: "Effect over native-http" },
  { client: "ours", isTraced: false, name: "Effect over native-http, no tracer" }
] as const

interface PerRequest {
  readonly wall: number
  readonly cpu: number
  readonly server: number
}
interface Timed {
  readonly one: PerRequest
  readonly many: PerRequest
}

const pathOf = (file: string) => fileURLToPath(new URL(`http/${file}`, import.meta.url))

/** What a client cannot do at all, such as undici of npm under a Node.js that is older than it wants. */
const missing = new Map<string, string>()

interface Job {
  readonly client: (typeof clients)[number]["client"]
  readonly isTraced: boolean
  readonly port: number
  readonly size: number
  readonly requests: number
  readonly warm: number
  readonly atOnce: number
}

const root = fileURLToPath(new URL("..", import.meta.url))

const cargo = ["run", "--quiet", "--release", "--package", "toolkit-native-http", "--example", "bare", "--"]

const runCase = (node: string, job: Job): Timed | string => {
  const { atOnce, port, requests, size, warm } = job
  const [program, args] = job.client === "reqwest"
    ? ["cargo", [...cargo, ...[port, size, requests, warm, atOnce].map(String)]]
    : [node, [pathOf("case.mjs"), JSON.stringify(job)]]
  const { error, signal, status, stderr, stdout } = spawnSync(program, args, {
    cwd: root,
    encoding: "utf8",
    timeout: longest,
    killSignal: "SIGKILL",
    stdio: ["ignore", "pipe", "pipe"]
  })
  return status === 0 ? JSON.parse(stdout) as Timed : /\w*Error: .*/.exec(stderr)?.[0] ?? `it ended with ${error?.message ?? signal ?? status}`
}

// Compiled before anything is measured. Where there is no Rust its row is left out.
spawnSync("cargo", ["build", ...cargo.slice(1, -1)], { cwd: root, stdio: ["ignore", "inherit", "inherit"], timeout: 600_000 })

const host = await settled(isQuick)
const version = versions()
console.error(host.says)

const programs = runtimes()
const times = new Map<string, Array<Timed>>()
const server = spawn(process.execPath, [pathOf("server.mjs")], { stdio: ["pipe", "pipe", "inherit"] })
try {
  const port = Number((await once(createInterface(server.stdout), "line"))[0])
  for (let round = 0; round < rounds; round++) {
    for (const { name: runtime, program } of programs) {
      for (const { requests, size, warm } of sizes) {
        // Another client begins in each round.
        for (const contender of clients.map((_, at) => clients[(at + round) % clients.length]!)) {
          if (("only" in contender && contender.only !== runtime) || missing.has(`${runtime}, ${contender.name}`)) continue
          const { client, isTraced, name } = contender
          const key = `${runtime} ${size} ${name}`
          const timed = runCase(program, { client, isTraced, port, size, requests, warm, atOnce })
          if (typeof timed === "string") missing.set(`${runtime}, ${name}`, timed)
          else times.set(key, [...times.get(key) ?? [], timed])
        }
      }
    }
    console.error(`round ${round + 1} of ${rounds}`)
  }
} finally {
  server.stdin.end()
}

const shown = (microseconds: number) => microseconds < 10_000 ? microseconds.toFixed(0) : `${(microseconds / 1000).toFixed(1)} ms`

const tableOf = (runtime: string) => {
  const measures = [
    { of: ({ one }: Timed) => one.wall, name: "one after the other" },
    { of: ({ many }: Timed) => many.wall, name: `${atOnce} at once` },
    { of: ({ many }: Timed) => many.cpu, name: `CPU, ${atOnce} at once` }
  ]
  const rows = clients.flatMap(({ name }) => {
    if (sizes.some(({ size }) => !times.has(`${runtime} ${size} ${name}`))) return []
    const cells = sizes.flatMap(({ size }) => measures.map(({ of }) => shown(median(times.get(`${runtime} ${size} ${name}`)!.map(of)))))
    return [[name, ...cells]]
  })
  const columns = sizes.flatMap(({ name }) => measures.map((measure) => `${name}, ${measure.name}`))
  return table(["client"], columns, rows)
}

const serverCost = median([...times.values()].flat().map(({ many }) => many.server))

const page = `## Requests over HTTP

Written by \`npm run bench -- http\`. A POST of ${120} bytes or so to a server on loopback whose answer is read as bytes, by
\`toolkit-native/native-http\` and by others. reqwest is the library under it, here in a program without JavaScript, on one thread.

- ${host.says}
- ${programs.map(({ name, version }) => `${name} ${version}`).join(", ")}; effect ${version.effect}; toolkit-native ${version.package}
- the server's own CPU time is ${serverCost.toFixed(0)} µs a request in the median of all
${host.busy}
How it is measured: each client is a process of its own, the server another under Node.js, and all clients take part in each of ${rounds} rounds,
another first in each. ${sizes.map(({ name, requests, warm }) => `${requests} requests of ${name} after ${warm} that are not counted`).join(", ")}, one after the
other and again ${atOnce} at once. A figure is µs a request, the median of the processes. CPU is that of the client's process, all threads. *No tracer* is with
\`HttpClient.TracerDisabledWhen\`.

${[...missing].map(([where, why]) => `Not measured: ${where} (${why}).\n\n`).join("")}${programs.map(({ name, version }) => `### ${name} ${version}\n\n${tableOf(name)}`).join("\n\n")}
`
publish("http", page, isQuick)
