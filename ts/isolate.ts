/**
 * A `CodeRuntime` of our own: QuickJS in a process that reaches nothing, or in a thread. It needs an addon and an executable of
 * its own, which this subpath alone loads.
 *
 * What it protects from, and what not, is in docs/code-mode.md.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as CodeRuntime from "./CodeRuntime.ts"
import { open, program } from "./internal/isolates.ts"

/**
 * How code is run. A number that is none, or too small, is a defect: `Cause.IllegalArgumentError`.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /**
   * Where code runs: in a `"process"` of its own, the default, which is ended at its limits whatever it does and is shut off
   * from files, network and other programs by the system; or in a `"thread"` of this process, for hosts that may not start any.
   * A thread can be asked to stop and not be made to, and an error in the engine is one in your process.
   */
  readonly mode?: "process" | "thread" | undefined
  /** `"sandbox"` has `make` fail where the system cannot shut the process off; `mode` has to be `"process"` then. */
  readonly require?: "sandbox" | undefined
  /** What the code may hold, in bytes: 64 MiB when not given, at least 4 MiB. */
  readonly memory?: number | undefined
  /** What calls within calls may take, in bytes: 512 KiB when not given, from 64 KiB to 16 MiB. */
  readonly stack?: number | undefined
  /** The code's own time, while tools are awaited not counted: 10 seconds when not given. */
  readonly cpu?: Duration.Input | undefined
  /** How long a run may take, its tool calls included: 5 minutes when not given. `CodeMode` has a timeout of its own, a minute. */
  readonly timeout?: Duration.Input | undefined
  /** The tool calls of a run: 256 when not given. */
  readonly maxToolCalls?: number | undefined
  /** The tool calls under way at once: 32 when not given. Others wait, in their order. */
  readonly maxConcurrentToolCalls?: number | undefined
  /** The input of a tool call as JSON, in UTF-16 units: 1 Mi when not given. */
  readonly maxInputLength?: number | undefined
  /** The answer of a tool as JSON, in UTF-16 units: 8 Mi when not given. A longer one is a failure that the code can catch. */
  readonly maxAnswerLength?: number | undefined
  /** What the code returns as JSON, in UTF-16 units: 8 Mi when not given. */
  readonly maxResultLength?: number | undefined
  /** What is logged, in UTF-16 units: 64 Ki when not given. The rest is left out. */
  readonly maxLogLength?: number | undefined
  /** The code, in UTF-16 units: 256 Ki when not given. */
  readonly maxSourceLength?: number | undefined
  /** How many isolates are kept ready, 2 when not given, and how many runs there may be at once, 32; further runs wait. */
  readonly pool?: { readonly warm?: number | undefined; readonly max?: number | undefined } | undefined
}

/**
 * What the isolates are shut in with, for a host's log: by seccomp (of the system's calls only a few are left), by landlock (no
 * file and no port can be reached) and by limits on resources. All are false in a thread.
 *
 * @category models
 * @since 0.1.0
 */
export interface Sandbox {
  readonly seccomp: boolean
  readonly landlock: boolean
  readonly limits: boolean
}

/**
 * A runtime, and what its isolates are shut in with.
 *
 * @category models
 * @since 0.1.0
 */
export interface IsolateRuntime extends CodeRuntime.CodeRuntime {
  readonly sandbox: Sandbox
}

/**
 * There are no isolates as they were asked for: they cannot be started, or not shut in. The message says what is missing.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnavailableSandbox extends Schema.Error<UnavailableSandbox>("toolkit-native/isolate/UnavailableSandbox")({
  _tag: Schema.tag("UnavailableSandbox"),
  description: Schema.String
}) {
  override get message(): string {
    return this.description
  }
}

const wrong = (why: string): never => {
  throw new Cause.IllegalArgumentError(why)
}

/** A whole number within bounds. */
const whole = (name: string, value: number | undefined, otherwise: number, least = 1, most = 2 ** 30): number => {
  const given = value ?? otherwise
  if (!Number.isInteger(given) || given < least || given > most) {
    return wrong(`${name} has to be a whole number from ${least} to ${most}, not ${given}`)
  }
  return given
}

/** A duration in milliseconds. */
const milliseconds = (name: string, value: Duration.Input | undefined, otherwise: Duration.Input): number => {
  const duration = Duration.fromInput(value ?? otherwise)
  const given = Option.isSome(duration) ? Math.ceil(Duration.toMillis(duration.value)) : 0
  // Longer than a year is as good as for ever.
  return given > 0 ? Math.min(given, 366 * 24 * 3600 * 1000) : wrong(`${name} has to be a duration of more than nothing, such as "10 seconds"`)
}

const settings = (options: Options) => {
  const { mode = "process", pool = {} } = options
  if (mode !== "process" && mode !== "thread") return wrong(`mode has to be "process" or "thread", not ${JSON.stringify(mode)}`)
  if (options.require !== undefined && options.require !== "sandbox") return wrong(`require has to be "sandbox" where it is given`)
  const max = whole("pool.max", pool.max, 32, 1, 4096)
  return {
    mode,
    native: {
      max,
      warm: whole("pool.warm", pool.warm, Math.min(2, max), 0, max),
      memory: whole("memory", options.memory, 64 * 2 ** 20, 4 * 2 ** 20, 2 ** 36),
      stack: whole("stack", options.stack, 512 * 2 ** 10, 64 * 2 ** 10, 16 * 2 ** 20),
      cpu: milliseconds("cpu", options.cpu, "10 seconds"),
      wall: milliseconds("timeout", options.timeout, "5 minutes"),
      calls: whole("maxToolCalls", options.maxToolCalls, 256, 0, 1_000_000),
      concurrent: whole("maxConcurrentToolCalls", options.maxConcurrentToolCalls, 32, 1, 10_000),
      source: whole("maxSourceLength", options.maxSourceLength, 2 ** 18, 1, 2 ** 24),
      log: whole("maxLogLength", options.maxLogLength, 2 ** 16, 0, 2 ** 24),
      input: whole("maxInputLength", options.maxInputLength, 2 ** 20, 2, 2 ** 27),
      answer: whole("maxAnswerLength", options.maxAnswerLength, 2 ** 23, 2, 2 ** 27),
      result: whole("maxResultLength", options.maxResultLength, 2 ** 23, 2, 2 ** 27)
    }
  }
}

const unavailable = (description: string) => Effect.fail(new UnavailableSandbox({ description }))

/**
 * Makes a runtime, whose isolates end with the scope. Each run has an isolate of its own, which is thrown away after it: nothing
 * of one run is there in another.
 *
 * Code finds the language up to ES2025 (no `eval`, no `import`, no `Intl`), `tools`, `console`, `structuredClone`, `URL`,
 * `URLSearchParams`, `TextEncoder`, `TextDecoder`, `setTimeout` and `crypto.randomUUID`. It may be TypeScript whose types can be
 * left out. What goes wrong in it, a limit among that, is a `CodeRuntime.CodeError` whose message tells the line and column.
 *
 * It fails where no isolate can be started, and with `require: "sandbox"` where the system does not shut it in.
 *
 * @example
 * ```ts
 * import { CodeMode, type ToolSource } from "toolkit-native"
 * import * as Isolate from "toolkit-native/isolate"
 * import { Effect } from "effect"
 *
 * declare const assembled: ToolSource.SourceToolkit
 *
 * const program = Effect.gen(function*() {
 *   const runtime = yield* Isolate.make({ require: "sandbox" })
 *   return yield* CodeMode.toolkit(assembled, runtime)
 * })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: Options = {}): Effect.Effect<IsolateRuntime, UnavailableSandbox, Scope.Scope> =>
  Effect.gen(function*() {
    const { mode, native } = settings(options)
    const mustBeShut = options.require === "sandbox"
    if (mustBeShut && mode === "thread") {
      return yield* unavailable("A thread is not shut off from what its process reaches: leave out mode: \"thread\", or require: \"sandbox\".")
    }
    const isolates = yield* Effect.catch(open(mode === "process" ? { ...native, program: program() } : native), unavailable)
    const bits = yield* Effect.catch(isolates.first, unavailable)
    const sandbox: Sandbox = { seccomp: (bits & 1) !== 0, landlock: (bits & 2) !== 0, limits: (bits & 4) !== 0 }
    const missing = Object.entries(sandbox).filter(([, has]) => !has).map(([name]) => name)
    if (mustBeShut && missing.length > 0) {
      return yield* unavailable(`The system does not shut an isolate in as required: it has no ${missing.join(", ")}.`)
    }
    return { sandbox, run: isolates.run }
  })
