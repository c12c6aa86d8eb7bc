/** The way from an executor to the approvals that it proposes to, which nothing but `createApprovals` can open. */
import type { Approvals } from "../../router/approvals.ts"
import { DendraError } from "../../router/error.ts"

export interface Proposal {
  readonly tool: string
  readonly input: unknown
  readonly ctx: unknown
}

/** Stores a proposal, and gives its id. */
export type Propose = (proposal: Proposal) => Promise<string>

interface Inside {
  readonly propose: Propose
  /** Whether a proposal of the tool could be decided. */
  readonly knows: (tool: string) => boolean
}

const insides = new WeakMap<object, Inside>()

export const opened = <Ctx>(approvals: Approvals<Ctx>, inside: Inside): Approvals<Ctx> => {
  insides.set(approvals, inside)
  return approvals
}

/** How calls are proposed. One that nobody could decide is refused. */
export const proposerOf = (approvals: Approvals<any>): Propose => {
  const inside = typeof approvals === "object" && approvals !== null ? insides.get(approvals) : undefined
  if (inside === undefined) throw new Error("The approvals were not made by createApprovals()")
  return async (proposal) => {
    if (inside.knows(proposal.tool)) return inside.propose(proposal)
    throw new DendraError("FORBIDDEN", `Nobody could approve a call of '${proposal.tool}': the router that createApprovals() was given has no such tool`)
  }
}
