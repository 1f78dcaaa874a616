import { defineConfig } from "vitest/config";

/** The tests that drive a browser: each file starts a browser and a demo of its own. */
export default defineConfig({
  test: {
    include: ["test/browser/**/*.test.ts"],
    globalSetup: "test/support/scratch.ts",
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
