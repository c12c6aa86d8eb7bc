// What is compared: each reads tools once and then answers queries with the places of the tools it found, the best first.
import { createRequire } from "node:module"

/** @typedef {{ name: string, description: string, inputSchema?: object }} Tool */

/** The words of a name or a text, for those that have no such notion themselves. */
const words = (text) =>
  text.replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2").replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

const ours = (ranking, parameters) => async () => {
  const { toolIndex } = createRequire(import.meta.url)("../../native/binding.cjs")
  return (tools) => {
    const index = toolIndex(JSON.stringify(parameters ? tools : tools.map(({ description, name }) => ({ name, description }))), ranking, parameters)
    return (query, limit) => index.search(query, limit).indices
  }
}

/** The documented rule as it reads: two points for a word of the name, one for a word of the description. */
const naive = async () => (tools) => {
  const read = tools.map(({ description, name }) => [words(name), words(description)])
  return (query, limit) => {
    const asked = [...new Set(words(query))]
    const scores = read.map(([name, description], tool) => {
      let score = 0
      for (const word of asked) {
        if (name.some((other) => other.startsWith(word))) score += 2
        else if (description.some((other) => other.startsWith(word))) score += 1
      }
      return { tool, score }
    })
    return scores.filter(({ score }) => score > 0).sort((one, other) => other.score - one.score).slice(0, limit).map(({ tool }) => tool)
  }
}

const minisearch = async () => {
  const { default: MiniSearch } = await import("minisearch")
  return (tools) => {
    const index = new MiniSearch({
      fields: ["name", "description"],
      tokenize: words,
      processTerm: (word) => word,
      searchOptions: { boost: { name: 3 }, prefix: true }
    })
    index.addAll(tools.map(({ description, name }, id) => ({ id, name, description })))
    return (query, limit) => index.search(query).slice(0, limit).map(({ id }) => id)
  }
}

const flexsearch = async () => {
  const { Index } = await import("flexsearch")
  return (tools) => {
    const index = new Index({ tokenize: "forward", encode: words })
    tools.forEach(({ description, name }, id) => index.add(id, `${name} ${description}`))
    return (query, limit) => index.search(query, { limit, suggest: true })
  }
}

export const contenders = {
  words: ours("words", false),
  wordsParameters: ours("words", true),
  rarity: ours("rarity", false),
  rarityParameters: ours("rarity", true),
  bm25: ours("bm25", false),
  bm25Parameters: ours("bm25", true),
  naive,
  minisearch,
  flexsearch
}
