/**
 * The suites that every kind of tool source runs against itself, so that code written against `ToolSource` works the same
 * on each. They need `@effect/vitest`, and run on the live clock.
 *
 * @since 0.1.0
 */
import { describe, it } from "@effect/vitest"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { checks } from "./internal/conformance.ts"
import type * as ToolSource from "./ToolSource.ts"

/**
 * How the system behind a source is for a test: it answers, it refuses the credentials, it says that it is down, or it
 * cannot be reached at all.
 *
 * @category models
 * @since 0.1.0
 */
export type System = "working" | "unauthorized" | "unavailable" | "unreachable"

/**
 * A source, and what a model must never read of it: the credential, the host and port.
 *
 * @category models
 * @since 0.1.0
 */
export interface Subject {
  readonly source: ToolSource.ToolSource
  readonly secrets: ReadonlyArray<string>
}

/**
 * What a source's tests give: a name, and a function that makes the source over a system.
 *
 * The system serves three tools: `echo`, which answers with the `text` it is given; `failing`, which reports that it failed;
 * and `blocking`, which does not answer.
 *
 * @category models
 * @since 0.1.0
 */
export interface Fixture {
  readonly name: string
  /** Makes the source for one test; its scope ends with the test. */
  readonly make: (system: System) => Effect.Effect<ToolSource.ToolSource | Subject, unknown, Scope.Scope>
  /** Whether `discover` asks the system. Found out by trying when not given. */
  readonly discovers?: boolean
  /** The text in an answer of `echo`. When not given, the text has to occur in the answer's JSON. */
  readonly echoed?: (answer: unknown) => string
}

/**
 * Registers the suites for a source.
 *
 * @example
 * ```ts
 * import { ToolSource } from "toolkit-native"
 * import * as Conformance from "toolkit-native/conformance"
 * import { Effect } from "effect"
 *
 * declare const makeSource: (system: Conformance.System) => Effect.Effect<ToolSource.ToolSource>
 *
 * Conformance.run({ name: "my source", make: makeSource })
 * ```
 *
 * @category suites
 * @since 0.1.0
 */
export const run = (fixture: Fixture): void => {
  describe(fixture.name, () => {
    for (const { effect, title } of checks(fixture)) it.live(title, () => effect, { timeout: 30_000 })
  })
}
