import { configDefaults, defineConfig } from "vitest/config"
import base from "../../vitest.config.ts"

/** What `npm run test:package` runs: the package under other versions of Node.js, which are installed first. */
export default defineConfig({
  test: {
    ...base.test,
    include: ["__test__/package/versions.test.ts"],
    exclude: configDefaults.exclude,
    globalSetup: ["__test__/package/node-versions.ts"]
  }
})
