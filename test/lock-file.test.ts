// `npm ci` refuses a lock file that leaves out an optional package of another platform. Where its registry lacks such
// a package, npm writes an entry without integrity, which a registry with all of them fills in:
// remove those entries, then run `npm install --package-lock-only`.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";

const Entry = z.object({
  resolved: z.string().optional(),
  link: z.boolean().default(false),
  integrity: z.string().optional(),
  optional: z.boolean().default(false),
  gypfile: z.boolean().optional(),
  os: z.array(z.string()).optional(),
  cpu: z.array(z.string()).optional(),
  libc: z.array(z.string()).optional(),
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});
const LockFile = z.object({ packages: z.record(z.string(), Entry) });

/** Entries of other platforms that the registry lacked when they were locked. It may only fall. */
const WITHOUT_INTEGRITY_MAX = 39;

const { packages } = LockFile.parse(
  JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8")),
);
const locked = new Set(Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, "")));
const withoutIntegrity = Object.entries(packages).filter(
  ([path, { integrity, link }]) =>
    isForeign(path) && !link && !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ""),
);

/** Whether an entry is of a registry: the others are this project and its packages. */
function isForeign(path: string): boolean {
  return path.includes("node_modules/");
}

/** Whether npm installs an entry on the platform of the image and of the tests. */
function isInstalledInImage({ os, cpu, libc }: z.infer<typeof Entry>): boolean {
  return (
    (os?.includes("linux") ?? true) && (cpu?.includes("x64") ?? true) && (libc?.includes("glibc") ?? true)
  );
}

test("the lock file contains every package that another one needs, for every platform", () => {
  const missing = Object.values(packages)
    .flatMap(({ dependencies, optionalDependencies }) => [
      ...Object.keys(dependencies),
      ...Object.keys(optionalDependencies),
    ])
    .filter((name) => !locked.has(name));
  expect(missing).toEqual([]);
});

test("the lock file contains no registry address", () => {
  expect(Object.values(packages).filter(({ resolved, link }) => resolved !== undefined && !link)).toEqual([]);
});

test("every package that Linux on x64 installs is pinned by its integrity", () => {
  const unpinned = withoutIntegrity.filter(([, entry]) => !entry.optional || isInstalledInImage(entry));
  expect(unpinned.map(([path]) => path)).toEqual([]);
});

test("no further packages of other platforms lack their integrity", () => {
  expect(withoutIntegrity.length).toBeLessThanOrEqual(WITHOUT_INTEGRITY_MAX);
});

// better-sqlite3 brings its binaries and says `"gypfile": false`, which npm does not take over into the lock file: with
// the entry of the lock file alone, `npm ci` compiles it, and fails where there is no compiler. Put the line back after
// `npm install`.
test("npm ci does not compile what brings its binaries", () => {
  expect(packages["node_modules/better-sqlite3"]?.gypfile).toBe(false);
});
