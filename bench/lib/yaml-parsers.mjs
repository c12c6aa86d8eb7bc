// The parsers of YAML that JavaScript has, asked for what ours does: the last of a key's values counts, and `<<` merges.
// Only the one that is asked for is loaded.

const parsers = {
  "js-yaml": async () => {
    const { CORE_SCHEMA, load, mergeTag } = await import("js-yaml")
    const options = { schema: CORE_SCHEMA.withTags(mergeTag), json: true, maxTotalMergeKeys: -1 }
    return (text) => load(text, options)
  },
  yaml: async () => {
    const { parse } = await import("yaml")
    return (text) => parse(text, { merge: true, uniqueKeys: false, logLevel: "error", maxAliasCount: -1 })
  }
}

/** The parser of that name. */
export const parserOf = (name) => parsers[name]()
