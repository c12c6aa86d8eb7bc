// The schemas and inputs that checks are measured on: a few bytes, a kilobyte, and a large tool with many forms.

const text = (more = {}) => ({ type: "string", ...more })
const object = (properties, required = [], more = {}) => ({ type: "object", properties, required, ...more })
const list = (length, item) => Array.from({ length }, (_, at) => item(at))
/** What a real document has most of: words that no check reads. */
const words = (count) => "A sentence of a description, as documents have them. ".repeat(count).trim()

const small = {
  schema: object({ query: text({ description: "What to look for." }), limit: { type: "integer", minimum: 1, maximum: 100 }, exact: { type: "boolean" } }, ["query"], { additionalProperties: false }),
  input: { query: "open issues of effect", limit: 20, exact: true }
}

const issue = {
  schema: object({
    owner: text({ description: words(1) }),
    repo: text({ description: words(1) }),
    title: { anyOf: [text(), { type: "integer" }], description: words(1) },
    body: text({ description: words(1) }),
    assignee: { anyOf: [text(), { type: "null" }], description: words(3) },
    milestone: { anyOf: [text(), { type: "integer", description: words(4) }, { type: "null" }] },
    labels: {
      type: "array",
      description: words(3),
      items: { oneOf: [text(), object({ id: { type: "integer" }, name: text(), description: { type: ["string", "null"] }, color: { type: ["string", "null"] } })] }
    },
    assignees: { type: "array", description: words(3), items: text() },
    state: text({ enum: ["open", "closed"] }),
    type: { type: ["string", "null"], description: words(4) }
  }, ["owner", "repo", "title"]),
  input: {
    owner: "effect-ts",
    repo: "effect",
    title: "A tool's input is not checked",
    body: "What happened, and what should have. ".repeat(22),
    assignee: null,
    milestone: 3,
    labels: ["bug", { name: "tools", color: "ff0000", description: null }, "help wanted"],
    assignees: ["one", "another"],
    state: "open",
    type: null
  }
}

const kinds = ["paragraph", "heading", "quote", "code", "image", "video", "file", "table", "list", "todo", "toggle", "callout", "divider", "bookmark", "embed", "equation", "columns"]

const page = {
  schema: {
    ...object({ parent: text(), position: { type: "integer", minimum: 0 }, blocks: { type: "array", items: { $ref: "#/$defs/Block" }, minItems: 1, maxItems: 1000 } }, ["parent", "blocks"]),
    $defs: {
      Block: { anyOf: kinds.map((kind) => ({ $ref: `#/$defs/${kind}` })) },
      Text: object({
        content: text({ maxLength: 2000, description: words(6) }),
        link: { anyOf: [object({ url: text({ format: "uri" }) }, ["url"]), { type: "null" }] },
        marks: { type: "array", items: { enum: ["bold", "italic", "underline", "strike", "code"] } },
        color: { enum: list(40, (at) => `color-${at}`), default: "color-0" }
      }, ["content"], { additionalProperties: false }),
      ...Object.fromEntries(kinds.map((kind, at) => [
        kind,
        object({
          kind: { const: kind, description: words(10) },
          id: text({ description: words(10) }),
          text: { type: "array", items: { $ref: "#/$defs/Text" }, description: words(20) },
          ...Object.fromEntries(list(14, (field) => [`${kind}_${field}`, { type: field % 3 === 0 ? "integer" : field % 3 === 1 ? "string" : "boolean", description: words(9) }])),
          children: { type: "array", items: { $ref: "#/$defs/Block" }, maxItems: 100 + at }
        }, ["kind", "text"], { additionalProperties: false })
      ]))
    }
  },
  input: {
    parent: "a-page",
    position: 3,
    blocks: list(26, (at) => ({
      kind: kinds[at % 17],
      id: `block-${at}`,
      text: [
        { content: "Some words of the block, as a model writes them.", marks: ["bold"], color: `color-${at}`, link: at % 2 === 0 ? null : { url: "https://a.test/page" } },
        { content: "And some more." }
      ],
      [`${kinds[at % 17]}_0`]: at,
      [`${kinds[at % 17]}_1`]: "x",
      children: at % 4 === 0 ? [{ kind: "todo", text: [{ content: "Within." }], todo_2: true }] : []
    }))
  }
}

export const cases = { small, issue, page }
