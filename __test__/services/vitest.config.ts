import { configDefaults, defineConfig } from "vitest/config"
import base from "../../vitest.config.ts"

/** What `npm run test:services` runs: the package with services of others, which scripts/services.mjs prepares. */
export default defineConfig({
  test: {
    ...base.test,
    include: ["__test__/services/*.test.ts"],
    exclude: configDefaults.exclude,
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
