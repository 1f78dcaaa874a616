import { configDefaults, defineConfig } from "vitest/config";
import { PACKAGE_SOURCES } from "./vitest.packages.js";

/** Floods whose memory is measured: garbage is collected later where another test takes the CPU. */
const MEMORY = ["test/faults/memory/**/*.test.ts"];

/** Kills, floods and broken mounts: each test works on processes and folders of its own. */
export default defineConfig({
  ssr: { resolve: { conditions: PACKAGE_SOURCES } },
  test: {
    globalSetup: "test/support/scratch-on-disk.ts",
    pool: "forks",
    testTimeout: 120_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: "faults",
          include: ["test/faults/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...MEMORY],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: "memory", include: MEMORY, maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
