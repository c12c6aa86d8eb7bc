/** What the processes of the sweep tell each other. */

export const readingNames = ["documented", "extended"] as const
export type ReadingName = typeof readingNames[number]

export interface ReadingFound {
  readonly tools: number
  readonly skipped: Readonly<Record<string, number>>
  readonly ms: number
}

/** What was found of a document that is one. */
export interface Read {
  readonly document: string
  readonly operations: number
  readonly readings: Readonly<Record<ReadingName, ReadingFound>>
  /** The schemas that were looked at closely, and the inputs that both sides accepted and refused. */
  readonly counts: { readonly schemas: number; readonly accepted: number; readonly refused: number }
  /** How many of these schemas differ from the document's letter, by rule. */
  readonly differences: Readonly<Record<string, number>>
  /** How many use a keyword as JSON Schema does not, since the document does. */
  readonly misused: Readonly<Record<string, number>>
  /** How many were judged by no input, and why. */
  readonly unjudged: Readonly<Record<string, number>>
  readonly faults: ReadonlyArray<string>
}

/** A document that was refused: the reason, and what is wrong with that. */
export interface Refused {
  readonly document: string
  readonly refused: string
  readonly faults: ReadonlyArray<string>
}

export type Found = Read | Refused

export type Message =
  | { readonly phase: "reading" | "judging"; readonly document: string }
  | { readonly phase: "done"; readonly found: Found }
