/**
 * Documents read in processes of their own. One that ends its process, or holds it for too long, is told by name, and the
 * others are read in another.
 */
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Document } from "../lib/documents.ts"
import type { Found, Message } from "./found.ts"

/** How long a document may be read, and judged, in ms. */
const longest = { reading: 60_000, judging: 600_000 } as const

/** A process reads so many, and then lets go of what it holds. */
const atOnce = 150

const child = fileURLToPath(new URL("child.ts", import.meta.url))

/** Reads documents until all are done, or one of them ends or holds the process. */
const runOne = (documents: ReadonlyArray<Document>, tell: (found: Found) => void): Promise<{ readonly done: number; readonly fault?: string }> =>
  new Promise((finish) => {
    const started: ChildProcess = fork(child, { execArgv: ["--import", "tsx"], stdio: ["ignore", "ignore", "pipe", "ipc"] })
    let done = 0
    let phase: "reading" | "judging" = "reading"
    let held = false
    let last = ""
    let timer: NodeJS.Timeout | undefined
    started.stderr!.on("data", (text: Buffer) => {
      last = `${last}${text}`.slice(-2000)
    })
    const watch = (): void => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        held = true
        started.kill("SIGKILL")
      }, longest[phase])
    }
    started.on("message", (message: Message) => {
      if (message.phase === "done") {
        done++
        tell(message.found)
        phase = "reading"
      } else {
        phase = message.phase
      }
      watch()
    })
    started.on("exit", (code, signal) => {
      clearTimeout(timer)
      if (done === documents.length) return finish({ done })
      const name = documents[done]!.name
      const fault = held
        ? `${name}: ${phase} did not end within ${longest[phase] / 1000} s`
        : `${name}: ${phase} ended the process with ${signal ?? code}: ${last.trim()}`
      finish({ done: done + 1, fault })
    })
    watch()
    started.send(documents)
  })

/** Reads all documents. What is found of each is told, and what ended or held a process is given back. */
export const readAll = async (documents: ReadonlyArray<Document>, tell: (found: Found) => void): Promise<ReadonlyArray<string>> => {
  const faults: Array<string> = []
  for (let at = 0; at < documents.length;) {
    const { done, fault } = await runOne(documents.slice(at, at + atOnce), tell)
    if (fault !== undefined) faults.push(fault)
    at += done
  }
  return faults
}
