import { configDefaults, defineConfig } from "vitest/config";
import { PACKAGE_SOURCES } from "./vitest.packages.js";

/** The service with its bot as people meet it. */
const WHOLE_WAY = ["test/e2e/**/*.test.ts"];

/** Tests of whole processes, and of clocks that move for days: each file in a process of its own. */
const WHOLE = [
  "test/{main,process}.test.ts",
  "test/media/{held-files,hourly-cleanup,storage,tidy}.test.ts",
  "test/scripts/**/*.test.ts",
  "packages/demo/test/**/*.test.ts",
];

/** Worlds from seeds: one long file, which should not be the last one. */
const SIMULATION = ["test/simulation/**/*.test.ts"];

/** Drawings, films and songs of the local renderer: slow, and without I/O. */
const RENDERER = ["test/providers/local.test.ts", "packages/preview-renderer/test/**/*.test.ts"];

/** Downloads from hosts that end the connection in every way there is: nothing else holds where these do not. */
const CONNECTIONS = ["test/platform/guarded-fetch.test.ts", "test/bot/telegram/download.test.ts"];

export default defineConfig({
  ssr: { resolve: { conditions: PACKAGE_SOURCES } },
  test: {
    globalSetup: "test/support/scratch.ts",
    pool: "forks",
    // Two cores: more workers only make the tests with child processes slower.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    restoreMocks: true,
    unstubEnvs: true,
    // They begin in the order of their names.
    projects: [
      { extends: true, test: { name: "connections", include: CONNECTIONS, isolate: false } },
      {
        extends: true,
        test: {
          name: "units",
          include: ["test/**/*.test.ts", "packages/*/test/**/*.test.ts"],
          exclude: [
            ...configDefaults.exclude,
            "test/browser/**",
            "test/faults/**",
            "test/bench/**",
            ...CONNECTIONS,
            ...WHOLE_WAY,
            ...WHOLE,
            ...RENDERER,
            ...SIMULATION,
          ],
          // Files of one process share its modules: importing them anew takes longer than most tests.
          isolate: false,
        },
      },
      { extends: true, test: { name: "renderer", include: RENDERER, isolate: false } },
      { extends: true, test: { name: "simulation", include: SIMULATION } },
      { extends: true, test: { name: "e2e", include: WHOLE_WAY, isolate: false } },
      { extends: true, test: { name: "whole", include: WHOLE } },
    ],
  },
});
