/**
 * Which of the suite's server scenarios are run, and why the others are not. Together they are all that the suite has for these
 * versions of the protocol: one that is in neither list fails the tests.
 */
export const versions = ["2025-06-18", "2025-11-25", "2026-07-28"] as const

export interface ServerScenario {
  readonly name: string
  /** How many of its checks pass in each version that has it, so that none is passed by being left out. */
  readonly passes: Partial<Record<typeof versions[number], number>>
  /** The ids of the checks that fail, each with its reason in expected-failures.yml. */
  readonly fails?: ReadonlyArray<string>
  /** The requirements that it holds, as in a title. */
  readonly holds?: string
}

const all = (passes: number) => ({ "2025-06-18": passes, "2025-11-25": passes, "2026-07-28": passes })

/** What a server of tools can pass that lists them, runs them and does nothing else. */
export const scenarios: ReadonlyArray<ServerScenario> = [
  { name: "server-initialize", passes: { "2025-06-18": 3, "2025-11-25": 3 } },
  { name: "server-session-lifecycle", passes: { "2025-06-18": 3, "2025-11-25": 3 } },
  {
    name: "server-stateless",
    passes: { "2026-07-28": 24 },
    fails: [
      "sep-2575-server-rejects-undeclared-capability",
      "sep-2575-missing-capability-http-400",
      "sep-2575-http-server-no-independent-requests-on-stream",
      "sep-2575-server-no-log-without-loglevel",
      "sep-2575-server-sends-tools-list-changed-on-subscription"
    ]
  },
  { name: "ping", passes: { "2025-06-18": 2, "2025-11-25": 2 } },
  { name: "tools-list", passes: { "2025-06-18": 2, "2025-11-25": 3, "2026-07-28": 4 }, holds: "[R-004-01]" },
  { name: "tools-call-simple-text", passes: all(2), holds: "[R-004-02]" },
  { name: "tools-call-image", passes: all(2) },
  { name: "tools-call-audio", passes: all(2) },
  { name: "tools-call-embedded-resource", passes: all(2) },
  { name: "tools-call-mixed-content", passes: all(2) },
  { name: "tools-call-error", passes: all(2), holds: "[R-004-10]" },
  { name: "json-schema-2020-12", passes: { "2025-11-25": 8, "2026-07-28": 8 }, holds: "[R-004-13]" },
  { name: "server-sse-multiple-streams", passes: { "2025-11-25": 1, "2026-07-28": 1 } },
  { name: "http-header-validation", passes: { "2026-07-28": 14 } },
  { name: "http-custom-header-server-validation", passes: { "2026-07-28": 10 } },
  { name: "caching", passes: { "2026-07-28": 6 }, fails: ["sep-2549-prompts-list-caching-hints"] },
  { name: "dns-rebinding-protection", passes: { "2025-11-25": 1, "2026-07-28": 1 }, fails: ["localhost-host-valid-accepted"] }
]

/** What is not run. */
export const left: ReadonlyArray<{ readonly reason: string; readonly names: ReadonlyArray<string> }> = [
  {
    reason: "They are of resources, prompts and completions, of which a toolkit has none.",
    names: [
      "completion-complete",
      "prompts-get-embedded-resource",
      "prompts-get-simple",
      "prompts-get-with-args",
      "prompts-get-with-image",
      "prompts-list",
      "resources-list",
      "resources-read-binary",
      "resources-read-text",
      "resources-subscribe",
      "resources-templates-read",
      "resources-unsubscribe",
      "sep-2164-resource-not-found"
    ]
  },
  {
    reason: "Their tools speak to the client by themselves, while they run: what a tool of a toolkit says on the way is not sent (R-004-11).",
    names: ["logging-set-level", "tools-call-sampling", "tools-call-with-logging", "tools-call-with-progress"]
  },
  {
    reason:
      "Their tools ask a person or a model for what they need, by names and forms of the suite's. A toolkit's tool is asked about before it runs, which __test__/mcp-tools/approvals.test.ts holds.",
    names: [
      "elicitation-sep1034-defaults",
      "elicitation-sep1330-enums",
      "input-required-result-basic-elicitation",
      "input-required-result-basic-list-roots",
      "input-required-result-basic-sampling",
      "input-required-result-capability-check",
      "input-required-result-ignore-extra-params",
      "input-required-result-missing-input-response",
      "input-required-result-multi-round",
      "input-required-result-multiple-input-requests",
      "input-required-result-non-tool-request",
      "input-required-result-request-state",
      "input-required-result-result-type",
      "input-required-result-tampered-state",
      "input-required-result-unsupported-methods",
      "input-required-result-validate-input",
      "tools-call-elicitation"
    ]
  },
  {
    reason: "It is of streams that a client takes up again, which Effect's server does not have: all its checks are skipped.",
    names: ["server-sse-polling"]
  }
]
