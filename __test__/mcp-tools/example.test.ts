import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"

it("the example serves an API's tools, and a client lists and calls them", { timeout: 60_000 }, () => {
  const cwd = fileURLToPath(new URL("../..", import.meta.url))
  const preload = process.versions["bun"] === undefined ? ["--import", "tsx"] : []
  const { status, stderr, stdout } = spawnSync(process.execPath, [...preload, "examples/mcp-tools.ts"], { cwd, encoding: "utf8", timeout: 50_000 })
  assert.strictEqual(status, 0, stderr)
  assert.include(stdout, "228 tools in 2026-07-28")
  assert.match(stdout, /api__get_files_id_tasks .*\n +result +\{"entries":/)
  assert.match(stdout, /api__get_folders_id_metadata .*\n +error +folder_id: is required\ninput: unexpected property "folderId"/)
  assert.match(stdout, /api__delete_tasks_id .*\n +a person is asked +May the tool "api__delete_tasks_id" run .*\n +result/)
})
