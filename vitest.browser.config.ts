import { defineConfig } from "vitest/config";
import { PACKAGE_SOURCES } from "./vitest.packages.js";

/** The tests that drive a browser: each file starts a browser and a demo of its own. */
export default defineConfig({
  ssr: { resolve: { conditions: PACKAGE_SOURCES } },
  test: {
    include: ["test/browser/**/*.test.ts"],
    globalSetup: "test/support/scratch.ts",
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
