/**
 * Runs in isolates, as effects: the addon tells what happens in all of them, here it comes to the run that it is of. Nothing that
 * the addon calls throws, since that would end the process.
 */
import { accessSync, chmodSync, constants } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Binding from "../../native/isolate.cjs"
import * as CodeRuntime from "../CodeRuntime.ts"
import { load } from "./addon.ts"
import { Alive } from "./alive.ts"
import type { Failure } from "./failure.ts"

// The systems that `hasIsolate` of scripts/target.mjs has.
const native: typeof Binding = load("isolate.cjs", { buildable: "on arm64 with glibc", glibc: "2.35" })

/** The executable of an isolate's process. */
export const program = (): string => {
  const path = fileURLToPath(new URL(`../../native/toolkit-isolate.linux-${process.arch}-gnu`, import.meta.url))
  try {
    accessSync(path, constants.X_OK)
  } catch {
    // A package manager may have unpacked it as a plain file. Where it cannot be changed, starting it says so.
    try {
      chmodSync(path, 0o755)
    } catch {}
  }
  return path
}

/** What a run is told. */
interface Listener {
  readonly call: (call: number, tool: number, input: string) => void
  readonly done: (ended: Effect.Effect<CodeRuntime.Result, CodeRuntime.CodeError>) => void
}

/** Isolates that are open. */
export interface Isolates {
  readonly run: CodeRuntime.CodeRuntime["run"]
  /** How the first one is shut in, in bits; or why there is none, in words. */
  readonly first: Effect.Effect<number, string>
}

const codeError = (message: string, logs: ReadonlyArray<string> = []) => new CodeRuntime.CodeError({ message, logs })

/** Opens isolates, until the scope is closed; or says why the system does not let it. */
export const open = (options: Binding.IsolateOptions): Effect.Effect<Isolates, string, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({ try: () => new Opened(options), catch: (error) => `Isolates cannot be opened: ${error instanceof Error ? error.message : String(error)}.` }),
    (opened) => opened.close
  )

class Opened implements Isolates {
  private readonly runs = new Map<number, Listener>()
  private readonly isolates: Binding.Isolates
  private readonly alive: Alive
  private isReady: { readonly bits: number } | { readonly why: string } | undefined
  private isClosed = false
  private waiting: Array<() => void> = []

  constructor(private readonly options: Binding.IsolateOptions) {
    this.isolates = native.openIsolates(options, (kind, run, first, second, text, lines) => {
      switch (kind) {
        case "ready":
          this.isReady = { bits: first }
          break
        case "unavailable":
          this.isReady = { why: text }
          break
        case "closed":
          this.isClosed = true
          this.alive.close()
          break
        default:
          return this.tell([kind, run, first, second, text, lines])
      }
      for (const look of this.waiting.splice(0)) look()
    })
    this.alive = new Alive()
  }

  /** Tells a run what happened in it. */
  private tell([kind, run, first, second, text, lines]: NonNullable<ReturnType<Binding.Isolates["answer"]>>): void {
    const listener = this.runs.get(run)
    if (listener === undefined) return
    if (kind === "call") listener.call(first, second, text)
    else listener.done(kind === "returned" ? resultOf(text, lines) : Effect.fail(codeError(text, lines)))
  }

  /** Answers a call, and tells what the code does next where it is known at once; after whoever answers, which has not ended yet. */
  private answer(run: number, call: number, isOk: boolean, text: string): void {
    const next = this.isolates.answer(run, call, isOk, text)
    if (next !== null) queueMicrotask(() => this.tell(next))
  }

  /** Waits for something that is told once. */
  private until<A>(read: () => A | undefined): Effect.Effect<A> {
    return Effect.callback<A>((resume) => {
      this.alive.hold()
      let isOver = false
      const end = () => {
        if (!isOver) this.alive.release()
        isOver = true
      }
      const look = () => {
        if (isOver) return
        const found = read()
        if (found === undefined) return void this.waiting.push(look)
        end()
        resume(Effect.succeed(found))
      }
      look()
      return Effect.sync(end)
    })
  }

  get first(): Effect.Effect<number, string> {
    return Effect.flatMap(this.until(() => this.isReady), (ready) => "bits" in ready ? Effect.succeed(ready.bits) : Effect.fail(ready.why))
  }

  get close(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.isolates.close()
      return Effect.asVoid(this.until(() => this.isClosed ? true : undefined))
    })
  }

  readonly run: CodeRuntime.CodeRuntime["run"] = ({ call, code, tools }) =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.callback<CodeRuntime.Result, CodeRuntime.CodeError>((resume) => {
        const fork = Effect.runForkWith(context)
        const fibers = new Set<Fiber.Fiber<unknown, unknown>>()
        let isOver = false
        const end = (): boolean => {
          if (isOver) return false
          isOver = true
          this.runs.delete(id)
          this.alive.release()
          return true
        }
        /** Ends the run from this side: the code is told nothing any more. */
        const stop = (cause: Cause.Cause<never>) => {
          if (!end()) return
          this.isolates.interrupt(id)
          resume(Effect.andThen(Fiber.interruptAll(fibers), Effect.failCause(cause)))
        }
        const answer = (callId: number, isOk: boolean, text: string): void => {
          if (isOver) return
          if (text.length <= this.options.answer) return this.answer(id, callId, isOk, text)
          const failure: Failure = { code: "InvalidResponseError", message: this.isolates.refusal(text.length), retryable: false }
          this.answer(id, callId, false, JSON.stringify(failure))
        }
        /** A call has come to its end. */
        const settle = (callId: number, exit: Exit.Exit<string, unknown>): void => {
          if (Exit.isSuccess(exit)) return answer(callId, true, exit.value)
          const { cause } = exit
          const failed = cause.reasons.find(Cause.isFailReason)
          // A defect or an interruption is no business of the code.
          if (failed === undefined || Cause.hasDies(cause) || Cause.hasInterrupts(cause)) return stop(cause as Cause.Cause<never>)
          try {
            answer(callId, false, textOf(failed.error))
          } catch (defect) {
            stop(Cause.die(defect))
          }
        }
        if (code.length > this.options.source) return resume(Effect.fail(codeError(this.isolates.sourceRefusal(code.length))))
        const started = this.isolates.start(JSON.stringify(tools), tools.length, code)
        if (started === null) return resume(Effect.fail(codeError("The isolates are closed.")))
        const id = started
        this.alive.hold()
        this.runs.set(id, {
          call: (callId, tool, text) => {
            const input = read(text)
            if (input === undefined) {
              // An isolate writes its calls itself; this one has been taken over.
              if (!end()) return
              this.isolates.interrupt(id)
              return resume(Effect.andThen(Fiber.interruptAll(fibers), Effect.fail(codeError("The isolate of the code called a tool with what is no JSON."))))
            }
            // It may end the run before this returns, so it is known before it begins.
            const fiber = fork(Effect.withFiber((fiber: Fiber.Fiber<unknown, unknown>) => {
              fibers.add(fiber)
              return Effect.map(call(tools[tool]!, input.json), textOf)
            }))
            fiber.addObserver((exit) => {
              fibers.delete(fiber)
              settle(callId, exit)
            })
          },
          done: (ended) => {
            if (end()) resume(fibers.size === 0 ? ended : Effect.andThen(Fiber.interruptAll(fibers), ended))
          }
        })
        return Effect.suspend(() => {
          if (end()) this.isolates.interrupt(id)
          return Fiber.interruptAll(fibers)
        })
      })
    )
}

/** What an isolate said, as JSON. One that has been taken over may say what is none. */
const read = (text: string): { readonly json: Schema.Json } | undefined => {
  try {
    return { json: JSON.parse(text) as Schema.Json }
  } catch {
    return undefined
  }
}

/** What code returned. */
const resultOf = (text: string, logs: ReadonlyArray<string>): Effect.Effect<CodeRuntime.Result, CodeRuntime.CodeError> => {
  const result = read(text)
  return result === undefined
    ? Effect.fail(codeError("What the code returned is not JSON, or nested too deeply.", logs))
    : Effect.succeed({ result: result.json, logs })
}

/** An answer as JSON: null where it is nothing. A value that is no JSON throws, which is a defect of the tool's. */
const textOf = (value: unknown): string => JSON.stringify(value) ?? "null"
