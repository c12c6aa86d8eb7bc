import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["__test__/**/*.test.ts"],
    // A hang is a failure: nothing here waits for anything but loopback.
    testTimeout: 20_000,
    reporters: process.env["VITEST_REPORT"] === undefined
      ? ["default"]
      : ["default", ["json", { outputFile: process.env["VITEST_REPORT"] }]]
  }
})
