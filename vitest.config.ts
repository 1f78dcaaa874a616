import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, "test/browser/**", "test/faults/**", "test/bench/**"],
    globalSetup: "test/support/scratch.ts",
    pool: "forks",
    // Two cores: more workers only make the tests with child processes slower.
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    restoreMocks: true,
    unstubEnvs: true,
  },
});
