// The readers of OpenAPI documents that are measured, each from a document's bytes to its tools. A reader is loaded first, which is
// not measured, and gives two steps: `operations` reads, and `tools` makes of that { tools, skipped }, with every schema where they are
// made later. A tool is { name, description, method, path, inputSchema }; `skipped` is how many the reader says it left out.
const tool = ({ definition, request }) => ({ ...definition, method: request.method, path: request.path })

const ours = (reading) => async () => {
  const [{ OpenApi }, { runPromise }] = await Promise.all([import("../../dist/index.js"), import("effect/Effect")])
  return {
    operations: async ({ bytes }) => {
      const { operations, skipped } = await runPromise(OpenApi.readOperations(bytes, { reading }))
      return { operations: [...operations], skipped: skipped.length }
    },
    tools: ({ operations, skipped }) => ({ tools: operations.map(tool), skipped })
  }
}

const standIn = (name) => async () => {
  const { readOperations } = await import(`../.built/${name}.js`)
  return {
    operations: ({ bytes }) => {
      const { operations, skipped } = readOperations(JSON.parse(bytes.toString()), "shared")
      return { operations: [...operations], skipped: skipped.length }
    },
    tools: ({ operations, skipped }) => ({ tools: operations.map(tool), skipped })
  }
}

const generator = (dereference) => async () => {
  const { getToolsFromOpenApi } = await import("openapi-mcp-generator")
  // It takes a path, and reads the file itself: an object it would not dereference.
  return { operations: ({ path }) => getToolsFromOpenApi(path, { dereference }), tools: (tools) => ({ tools: tools.map((tool) => ({ ...tool, path: tool.pathTemplate })) }) }
}

export const readers = {
  documented: ours("documented"),
  extended: ours("extended"),
  eager: standIn("read-operations"),
  lazy: standIn("read-operations-lazy"),
  generator: generator(false),
  dereferenced: generator(true),
  ivotoby: async () => {
    const { OpenAPISpecLoader } = await import("@ivotoby/openapi-mcp-server")
    return {
      operations: async ({ bytes }) => {
        const loader = new OpenAPISpecLoader()
        return loader.parseOpenAPISpec(await loader.loadOpenAPISpec("", "inline", bytes.toString()))
      },
      tools: (tools) => ({ tools: [...tools.values()].map((tool) => ({ ...tool, method: tool.httpMethod, path: tool.originalPath })) })
    }
  }
}
