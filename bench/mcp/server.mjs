// A server of the Model Context Protocol that costs as little as it can, in a process of its own: prints its port, and ends
// with its standard input. The path says how it answers: /stateless (2026-07-28) or /session (2025-11-25), then /json,
// /stream (an event stream) or /late (one that ends a while after the answer). GET /usage is the CPU time of this process and
// how many connections it took.
import { createServer } from "node:http"

const stateless = "2026-07-28"
const session = "2025-11-25"
const sessionId = "the-only-session"
const version = { name: "bench", version: "1" }
/** What every answer ends with: who called looks for it. */
const mark = "to the very end"

const schema = { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false }
const tools = ["small", "objects", "string", "notified"].map((name) => ({ name, description: `A ${name} answer.`, inputSchema: schema }))

/** As many as make `bytes`, the mark last. */
const rowsOf = (bytes) => {
  const rows = []
  for (let size = 0; size < bytes;) {
    const at = rows.length
    const row = { id: at, name: `item ${at}`, tags: ["new", "sale"], price: at / 4, isOpen: at % 2 === 0, owner: { id: at % 97 } }
    size += JSON.stringify(row).length + 1
    rows.push(row)
  }
  return [...rows, { mark }]
}

const line = 'A line of a file with a "quoted" word in it, and nothing else of interest in its ninety letters.\n'

const textBlock = (text) => [{ type: "text", text }]
const results = {
  small: { content: textBlock(`What a tool answers is seldom longer than this line, which is read ${mark}.`) },
  objects: { content: [], structuredContent: { rows: rowsOf(1e7) } },
  string: { content: textBlock(line.repeat(1e7 / JSON.stringify(line).length) + mark) },
  notified: { content: textBlock(`All notifications were read ${mark}.`) }
}

const notification = (at) =>
  `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", logger: "bench", data: `step ${at} of many` } })}\n\n`
const notifications = Buffer.from(Array.from({ length: 20_000 }, (_, at) => notification(at)).join(""))

/** Results as text, since making it is no part of what is measured. */
const written = (isSession) =>
  new Map(Object.entries(results).map(([name, result]) => {
    const text = JSON.stringify(isSession ? result : { resultType: "complete", ...result })
    return [name, text.length > 1e5 ? Buffer.from(text) : text]
  }))
const texts = { stateless: written(false), session: written(true) }

const listed = { tools, ttlMs: 0, cacheScope: "private" }
const about = { capabilities: { tools: {} } }

/** The result of a request as text or bytes, or `undefined` when there is no such method. */
const resultOf = (era, method, params) => {
  if (method === "tools/call") return texts[era].get(params.name)
  if (era === "session") {
    if (method === "initialize") return JSON.stringify({ ...about, protocolVersion: session, serverInfo: version })
    return method === "tools/list" ? JSON.stringify({ tools }) : undefined
  }
  const complete = { resultType: "complete" }
  if (method === "tools/list") return JSON.stringify({ ...complete, ...listed })
  if (method !== "server/discover") return undefined
  return JSON.stringify({
    ...complete,
    ...about,
    supportedVersions: [stateless],
    ttlMs: 0,
    cacheScope: "private",
    _meta: { "io.modelcontextprotocol/serverInfo": version }
  })
}

const answer = (response, answers, message, result) => {
  const isStream = answers !== "json"
  const [before, after] = isStream ? ["event: message\ndata: ", "}\n\n"] : ["", "}"]
  const head = `${before}{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":`
  const headers = { "content-type": isStream ? "text/event-stream" : "application/json" }
  if (message.method === "initialize") headers["mcp-session-id"] = sessionId
  if (!isStream) headers["content-length"] = head.length + Buffer.byteLength(result) + after.length
  response.writeHead(200, headers)
  if (isStream && message.params?.name === "notified") response.write(notifications)
  if (answers === "late") {
    response.write(head + result + after)
    return setTimeout(() => response.end(), 5)
  }
  if (typeof result === "string") return response.end(head + result + after)
  response.write(head)
  response.write(result)
  response.end(after)
}

const receive = (request, response, body) => {
  const [, era, answers] = request.url.split("/")
  const refuse = (status) => response.writeHead(status).end()
  if (request.method === "GET" && era === "usage") return response.end(JSON.stringify({ ...process.cpuUsage(), connections }))
  if (request.method === "DELETE") return refuse(204)
  if (request.method !== "POST") return refuse(405)
  const message = JSON.parse(body)
  // Whoever does not speak the protocol is not measured.
  if (era === "stateless" && request.headers["mcp-protocol-version"] !== stateless) return refuse(400)
  if (era === "session" && message.method !== "initialize" && request.headers["mcp-session-id"] !== sessionId) return refuse(400)
  if (message.id === undefined) return refuse(202)
  const result = resultOf(era, message.method, message.params)
  return result === undefined ? refuse(404) : answer(response, answers, message, result)
}

const server = createServer((request, response) => {
  let body = ""
  request.setEncoding("utf8")
  request.on("data", (text) => {
    body += text
  })
  request.on("end", () => receive(request, response, body))
})
// A connection that is ended between two calls would be a failure of the one that was next.
server.keepAliveTimeout = 0
let connections = 0
server.on("connection", () => connections++)
server.listen(0, "127.0.0.1", () => console.log(server.address().port))
process.stdin.resume().on("end", () => process.exit())
