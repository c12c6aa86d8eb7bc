// A server that answers a POST with as many bytes as its path says, in a process of its own: prints its port, and ends with its
// standard input. GET /usage is the CPU time of this process, in µs.
import { createServer } from "node:http"

const answers = new Map()
const answerOf = (size) => {
  if (!answers.has(size)) answers.set(size, Buffer.alloc(size, "All of this was read, and nothing else. "))
  return answers.get(size)
}

const server = createServer((request, response) => {
  request.resume()
  request.on("end", () => {
    if (request.url === "/usage") {
      const { system, user } = process.cpuUsage()
      return response.end(String(system + user))
    }
    const answer = answerOf(Number(request.url.slice(1)))
    response.writeHead(200, { "content-type": "text/plain", "content-length": answer.length })
    return response.end(answer)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => console.log(server.address().port))
process.stdin.on("end", () => process.exit()).resume()
