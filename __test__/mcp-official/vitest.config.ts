import { configDefaults, defineConfig } from "vitest/config"
import base from "../../vitest.config.ts"

/** What `npm run test:official` runs: the official conformance suite, which is installed first, against our client and our server. */
export default defineConfig({
  test: {
    ...base.test,
    include: ["__test__/mcp-official/*.test.ts"],
    exclude: configDefaults.exclude,
    globalSetup: ["__test__/mcp-official/suite.ts"]
  }
})
