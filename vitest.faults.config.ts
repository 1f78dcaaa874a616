import { defineConfig } from "vitest/config";

/** Kills, floods and broken mounts: each test works on processes and folders of its own. */
export default defineConfig({
  test: {
    include: ["test/faults/**/*.test.ts"],
    globalSetup: "test/support/scratch.ts",
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
