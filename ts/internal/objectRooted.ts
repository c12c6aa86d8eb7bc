/** Whether a JSON Schema has an object root, as model APIs require of a tool's parameters. */
export const isObjectRooted = (schema: unknown): boolean => (schema as { readonly type?: unknown } | null | undefined)?.type === "object"
