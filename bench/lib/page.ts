/** docs/benchmarks.md, of which each command writes a part. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"

const file = new URL("../../docs/benchmarks.md", import.meta.url)
const mark = (name: string) => `<!-- written by npm run bench -- ${name} -->`

/** Writes a command's part anew and leaves the others as they are. */
const writePart = (name: string, text: string): void => {
  const page = existsSync(file) ? readFileSync(file, "utf8") : ""
  const parts = new Map<string, string>()
  for (const part of page.split(/(?=^<!-- written by )/m)) {
    const [first = "", ...rest] = part.split("\n")
    const written = /^<!-- written by npm run bench -- (\S+) -->$/.exec(first)
    if (written !== null) parts.set(written[1]!, rest.join("\n").trim())
    else if (part.trim() !== "") parts.set("", part.trim())
  }
  parts.set(name, text.trim())
  writeFileSync(file, `${[...parts].map(([name, text]) => name === "" ? text : `${mark(name)}\n${text}`).join("\n\n")}\n`)
}

/** Prints a command's part and writes it, unless it only showed that everything runs. */
export const publish = (name: string, text: string, isQuick: boolean): void => {
  console.log(text)
  if (isQuick) console.error("quick: nothing is written, and these figures are not to be quoted")
  else writePart(name, text)
}
