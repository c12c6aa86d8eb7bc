/**
 * Which of the suite's client scenarios are run, and why the others are not. Together they are all that the suite has for these
 * versions of the protocol: one that is in neither list fails the tests.
 */
export const versions = ["2025-06-18", "2025-11-25", "2026-07-28"] as const

export interface Scenario {
  readonly version: typeof versions[number]
  readonly name: string
  /** How many of its checks pass. A client that does nothing fails none of the checks of some scenarios. */
  readonly passes: number
  /** The checks that fail, as the suite describes them: those that are in expected-failures.yml. */
  readonly fails?: ReadonlyArray<string>
  /** The requirements that it holds, as in a title. */
  readonly holds?: string
}

/** What a client can pass that has tools and nothing else, and leaves the credentials to its host. */
export const scenarios: ReadonlyArray<Scenario> = [
  { version: "2025-06-18", name: "initialize", passes: 1 },
  { version: "2025-06-18", name: "tools_call", passes: 2 },
  { version: "2025-11-25", name: "initialize", passes: 1 },
  { version: "2025-11-25", name: "tools_call", passes: 2 },
  { version: "2025-11-25", name: "json-schema-2020-12-preservation", passes: 9 },
  { version: "2025-11-25", name: "sse-retry", passes: 3 },
  { version: "2026-07-28", name: "tools_call", passes: 2 },
  { version: "2026-07-28", name: "request-metadata", passes: 5 },
  { version: "2026-07-28", name: "http-standard-headers", passes: 3 },
  { version: "2026-07-28", name: "http-custom-headers", passes: 18, holds: "[R-000-130] [R-000-133] [R-000-134] [R-000-138]" },
  {
    version: "2026-07-28",
    name: "http-invalid-tool-headers",
    passes: 11,
    fails: ["Client MUST NOT call tool 'invalid_number_header' with invalid x-mcp-header"],
    holds: "[R-000-146] [R-000-149] [R-000-151]"
  },
  { version: "2026-07-28", name: "json-schema-ref-no-deref", passes: 1 },
  { version: "2026-07-28", name: "json-schema-2020-12-preservation", passes: 9 }
]

/** What is run for some of its checks only, since the suite has it in one piece, with the reason for the others. */
export const partial: {
  readonly version: Scenario["version"]
  readonly name: string
  readonly passes: Array<string>
  readonly fails: Array<string>
  readonly reason: string
} = {
  version: "2026-07-28",
  name: "sep-2322-client-request-state",
  passes: ["sep-2322-client-parallel-isolation", "sep-2322-default-result-type-complete"],
  fails: ["sep-2322-client-request-state-echoed", "sep-2322-client-jsonrpc-id-different", "sep-2322-client-no-state-omitted"],
  reason: "These are of a call that is repeated with a person's answer. A tool that asks for one is UnsupportedError (R-000-113)."
}

/** What is not run. */
export const left: ReadonlyArray<{ readonly reason: string; readonly names: ReadonlyArray<string> }> = [
  {
    reason: "A server that asks a person something is not answered (R-000-092).",
    names: ["elicitation-sep1034-client-defaults"]
  },
  {
    reason: "OAuth is the host's: its HttpClient has the credentials, and 401 and 403 are AuthenticationError.",
    names: [
      "auth/authorization-server-migration",
      "auth/basic-cimd",
      "auth/iss-normalized",
      "auth/iss-not-advertised",
      "auth/iss-supported",
      "auth/iss-supported-missing",
      "auth/iss-unexpected",
      "auth/iss-wrong-issuer",
      "auth/metadata-default",
      "auth/metadata-issuer-mismatch",
      "auth/metadata-var1",
      "auth/metadata-var2",
      "auth/metadata-var3",
      "auth/offline-access-not-supported",
      "auth/offline-access-scope",
      "auth/pre-registration",
      "auth/resource-mismatch",
      "auth/scope-from-scopes-supported",
      "auth/scope-from-www-authenticate",
      "auth/scope-omitted-when-undefined",
      "auth/scope-retry-limit",
      "auth/scope-step-up",
      "auth/token-endpoint-auth-basic",
      "auth/token-endpoint-auth-none",
      "auth/token-endpoint-auth-post"
    ]
  }
]
