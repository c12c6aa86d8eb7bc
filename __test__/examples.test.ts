import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const root = fileURLToPath(new URL("../", import.meta.url))
const folder = `${root}reports/examples`

/** The programs of the public documentation: the README's, and the examples of the shim's doc comments. */
const examples = () => {
  const readme = [...readFileSync(`${root}README.md`, "utf8").matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code!)
  const comments = readdirSync(`${root}ts`, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts")).flatMap((name) =>
    [...readFileSync(`${root}ts/${name}`, "utf8").matchAll(/^ \* ```ts\n([\s\S]*?)^ \* ```$/gm)]
      .map(([, code]) => ({ name: name.replace(".ts", "").replaceAll("/", "-"), code: code!.replaceAll(/^ \* ?/gm, "") }))
  )
  return [...readme.map((code) => ({ name: "README", code })), ...comments]
}

/** What an example prints. */
const output = (name: string): string => {
  const { status, stderr, stdout } = spawnSync(process.execPath, ["--import", "tsx", `${root}examples/${name}.ts`], { encoding: "utf8", cwd: root })
  assert.strictEqual(status, 0, stderr)
  return stdout
}

describe("examples", () => {
  it("of the documentation type-check as a user's would, and run where they are whole", { timeout: 120_000 }, () => {
    const all = examples()
    assert.isAbove(all.length, 6)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const files = all.map(({ code, name }, at) => {
      const file = `${folder}/${name}-${at}.ts`
      writeFileSync(file, code)
      return { code, file }
    })
    const config = { extends: "../../tsconfig.json", compilerOptions: { noPropertyAccessFromIndexSignature: false }, include: ["*.ts"] }
    writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(config))
    const checked = spawnSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, "-p", `${folder}/tsconfig.json`], { encoding: "utf8" })
    assert.strictEqual(checked.status, 0, checked.stdout + checked.stderr)

    for (const { code, file } of files) {
      const expected = [...code.matchAll(/console\.log\(.*\/\/ "(.*)"$/gm)].map(([, text]) => text!)
      if (expected.length === 0) continue
      const ran = spawnSync(process.execPath, ["--import", "tsx", file], { encoding: "utf8", cwd: root })
      assert.deepEqual(ran.stdout.trim().split("\n"), expected, ran.stderr)
    }
  })

  it("read a document, and call what is in it", { timeout: 60_000 }, () => {
    assert.match(output("quickstart"), /Please read chapter 3 before Friday/)
  })

  it("find the tool that is meant among GitHub's, call three from code at once, and count what a model is shown", { timeout: 60_000 }, () => {
    const shown = output("presentations")
    assert.match(shown, /every tool +1,221 +[\d,]{9,} +[\d,]{7,}\n +a search +2 +[\d,]{5} +\d{3}\n/)
    assert.match(shown, /tool_call \{"name":"github__issues_list-for-repo"/)
    assert.include(shown, `{"result":{"repository":"octocat/hello-world","bugs":["The greeting has a typo"],"waiting":[{"number":8,"title":"Mend the greeting"}]},"logs":[]}`)
  })
})
