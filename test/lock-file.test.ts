// `npm ci` refuses a lock file that leaves out an optional package of another platform, and npm writes such a file
// where its registry lacks that package.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";

const LockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      resolved: z.string().optional(),
      dependencies: z.record(z.string(), z.string()).default({}),
      optionalDependencies: z.record(z.string(), z.string()).default({}),
    }),
  ),
});

const { packages } = LockFile.parse(
  JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8")),
);
const locked = new Set(Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, "")));

test("the lock file holds every package that another one names, of every platform", () => {
  const missing = Object.values(packages)
    .flatMap(({ dependencies, optionalDependencies }) => [
      ...Object.keys(dependencies),
      ...Object.keys(optionalDependencies),
    ])
    .filter((name) => !locked.has(name));
  expect(missing).toEqual([]);
});

test("the lock file names no registry", () => {
  expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
});
