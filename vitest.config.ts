import { configDefaults, defineConfig } from "vitest/config"
import { hasIsolate, target } from "./scripts/target.mjs"

// Vitest prints failures with Map.groupBy, which Node.js 20 does not have.
Map.groupBy ??= (items, keyOf) => {
  const groups = new Map()
  let at = 0
  for (const item of items) {
    const key = keyOf(item, at++)
    groups.set(key, [...groups.get(key) ?? [], item])
  }
  return groups
}

export default defineConfig({
  test: {
    include: ["__test__/**/*.test.ts"],
    exclude: [
      ...configDefaults.exclude,
      // It needs other versions of Node.js, which `npm run test:package` installs.
      "__test__/package/versions.test.ts",
      // They need what `npm run test:official` and `npm run test:services` install.
      "__test__/mcp-official/**",
      "__test__/services/**",
      // They need the isolate, which the build leaves out of some targets.
      ...target === undefined || hasIsolate(target) ? [] : ["__test__/isolate*.test.ts"],
      // Whoever installs the package under Node.js installs it with Bun and runs it there too: once is enough.
      ...process.versions["bun"] === undefined ? [] : ["__test__/package/**"]
    ],
    // A hang is a failure: nothing here waits for anything but loopback.
    testTimeout: 20_000,
    reporters: process.env["VITEST_REPORT"] === undefined
      ? ["default"]
      : ["default", ["json", { outputFile: process.env["VITEST_REPORT"] }]]
  }
})
