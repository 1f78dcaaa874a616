import { configDefaults, defineConfig } from "vitest/config";

/** Tests of whole processes, and of clocks that move for days: each file in a process of its own. */
const WHOLE = [
  "test/e2e/**/*.test.ts",
  "test/media/**/*.test.ts",
  "test/*.test.ts",
  "test/scripts/**/*.test.ts",
];

/** Drawings, films and songs of the local renderer: slow, and without I/O. */
const RENDERER = ["test/providers/local/**/*.test.ts"];

export default defineConfig({
  test: {
    globalSetup: "test/support/scratch.ts",
    pool: "forks",
    // Two cores: more workers only make the tests with child processes slower.
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    restoreMocks: true,
    unstubEnvs: true,
    projects: [
      {
        extends: true,
        test: {
          name: "units",
          include: ["test/**/*.test.ts"],
          exclude: [
            ...configDefaults.exclude,
            "test/browser/**",
            "test/faults/**",
            "test/bench/**",
            ...WHOLE,
            ...RENDERER,
          ],
          // Files of one process share its modules: importing them anew takes longer than most tests.
          isolate: false,
        },
      },
      { extends: true, test: { name: "renderer", include: RENDERER, isolate: false } },
      { extends: true, test: { name: "whole", include: WHOLE } },
    ],
  },
});
