import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

/**
 * `node scripts/bundle.mjs DIRECTORY [PROGRAM]` writes the service: each module of `src` as one file in a folder of its
 * name, so that an address relative to a source means the same, and all packages as a few. To find and link the 1300 files
 * that they are takes half of a start. PROGRAM is a further one, of a test, and becomes `test-program.js`.
 */
const [directory = ".", testProgram] = process.argv.slice(2);
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SOURCES = join(ROOT, "src");
const PACKAGES = "packages";

/** What an operator starts, and what is imported by its path. */
const PROGRAMS = ["main", "ctl/main"];
const PARTS = ["app", "config"];
/** What the service starts beside itself: each has a copy of what it needs, and loads nothing else. */
const CHILDREN = ["backup/backup-worker", "http/read-json", "workers/chart-worker", "workers/file-worker"];
/** Native, found by their place when they are needed, or so old that Node warns of them outside of `node_modules`. */
const LEFT_OUT = [/^better-sqlite3/, /^@napi-rs\//, /^@atelier\//, /^node-fetch/];

const programs = inputOf(PROGRAMS);
if (testProgram) programs["test-program"] = resolve(testProgram);
await write({ ...programs, ...inputOf(PARTS) }, "[name].js", [
  // What is imported only when it is needed stays a file of its own. V8 needs room for all of a file while it compiles it,
  // which the C library keeps: all packages in one would cost 13 MB more.
  { name: PACKAGES, test: /\/node_modules\//, tags: ["$initial"], maxSize: 700_000 },
  { name: fileOf, debugName: "modules" },
]);
await write(inputOf(CHILDREN), "children/[name].js");

/**
 * @param {readonly string[]} names
 * @returns {Record<string, string>}
 */
function inputOf(names) {
  return Object.fromEntries(names.map((name) => [name, join(SOURCES, `${name}.ts`)]));
}

/**
 * Names the file that a source becomes a part of; null for a program, and for what is not in `src`.
 * @param {string} source
 */
function fileOf(source) {
  if (!source.startsWith(SOURCES + sep) || Object.values(programs).includes(source)) return null;
  const [name, ...below] = relative(SOURCES, source).split(sep);
  return below.length === 0 ? "atelier" : `${name}/${name}`;
}

/**
 * @param {Record<string, string>} input
 * @param {string} chunkFileNames
 * @param {import("rolldown").CodeSplittingGroup[]} [groups]
 */
async function write(input, chunkFileNames, groups) {
  const bundle = await rolldown({
    input,
    platform: "node",
    external: LEFT_OUT,
    tsconfig: join(ROOT, "tsconfig.json"),
    preserveEntrySignatures: "allow-extension",
    checks: { ineffectiveDynamicImport: false },
  });
  await bundle.write({
    dir: directory,
    entryFileNames: "[name].js",
    chunkFileNames,
    minifyInternalExports: false,
    // V8 keeps a file with one dash in two bytes a character.
    charset: "ascii",
    sourcemap: true,
    sourcemapExcludeSources: true,
    comments: { legal: true, annotation: false, jsdoc: false },
    ...(groups && { codeSplitting: { groups, includeDependenciesRecursively: false } }),
  });
  await bundle.close();
}
