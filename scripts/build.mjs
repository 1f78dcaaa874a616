import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * What can be built. `dist` is the service; `build` is the same sources, the tests, for those that start child processes,
 * and what developers run on both; each package has a `dist` of its own, where the others find it by its name.
 * @typedef {{
 *   directory: string,
 *   commandsFor: (directory: string) => string[][],
 *   inputs: readonly string[],
 *   assetsFrom?: string,
 *   links?: readonly string[],
 * }} Target
 */

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const COMPILER = join(ROOT, "node_modules/typescript/bin/tsc");
const STAMP = ".inputs";
/** Files of a package that the compiler does not make, copied beside what it makes. */
const ASSETS = [/^page\/[^/]+\.(html|css|svg|woff2)$/, /^schema\/[^/]+\.json$/];

/** Makes the service. */
const BUNDLE = "scripts/bundle.mjs";
/** Makes the program of the page `/docs`. */
const REFERENCE = "scripts/reference.mjs";
/** The service as a child process of a test. */
const SERVICE_OF_TESTS = "test/support/service-entry.ts";

const SETTINGS = ["package-lock.json", "scripts/build.mjs", "tsconfig.json"];

/** @type {Record<"dist" | "build", Target>} */
const TARGETS = {
  dist: {
    directory: "dist",
    commandsFor: (directory) => [
      [BUNDLE, directory],
      [REFERENCE, directory],
    ],
    inputs: ["src", BUNDLE, REFERENCE, ...SETTINGS],
  },
  build: {
    directory: "build",
    commandsFor: (directory) => [
      compile("tsconfig.test.json", directory),
      [BUNDLE, join(directory, "bundle"), SERVICE_OF_TESTS],
    ],
    inputs: ["src", "test", "packages/upstream-check/src", "tsconfig.test.json", BUNDLE, ...SETTINGS],
    // The sources find these beside their folder, as they do from src and dist.
    links: ["locales", "data", "dist", "package.json"],
  },
};

/**
 * The packages whose sources are here; the image has only what is built of them.
 * @returns {Target[]}
 */
function packageTargets() {
  const folder = join(ROOT, "packages");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .map((name) => `packages/${name}`)
    .filter((path) => existsSync(join(ROOT, path, "tsconfig.json")))
    .map((path) => {
      const projects = readdirSync(join(ROOT, path))
        .filter((name) => /^tsconfig.*\.json$/.test(name))
        .map((name) => `${path}/${name}`);
      const inputs = [`${path}/src`, ...projects, ...SETTINGS];
      return {
        directory: `${path}/dist`,
        commandsFor: (directory) => projects.map((project) => compile(project, directory)),
        inputs,
        assetsFrom: `${path}/src`,
      };
    });
}

/** True where the development dependencies are installed. */
export function canBuild() {
  return existsSync(COMPILER) && existsSync(join(ROOT, "src"));
}

/**
 * Builds the packages and a target, unless they are already made from the files that stand there now. Safe to call
 * from two processes at once: each builds in a directory of its own, and a complete one takes the place of the old.
 * Everything printed goes to standard error. Types are not checked here: `npm run check` does it.
 * @param {"dist" | "build"} name
 * @returns {boolean} false when the compiler refused; its words were printed
 */
export function build(name) {
  return [...packageTargets(), TARGETS[name]].every(buildTarget);
}

/** @param {Target} target */
function buildTarget(target) {
  const directory = join(ROOT, target.directory);
  const inputs = fingerprint(target.inputs);
  if (stampOf(directory) === inputs) return true;

  process.stderr.write(`building ${target.directory}\n`);
  const fresh = `${directory}.${process.pid}.new`;
  rmSync(fresh, { recursive: true, force: true });
  try {
    if (!target.commandsFor(fresh).every((command) => run(...command))) return false;
    if (target.assetsFrom) copyAssets(join(ROOT, target.assetsFrom), fresh);
    for (const link of target.links ?? []) symlinkSync(join("..", link), join(fresh, link));
    writeFileSync(join(fresh, STAMP), inputs);
    replace(directory, fresh, inputs);
    return true;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/**
 * @param {string} project
 * @param {string} directory
 */
function compile(project, directory) {
  return [COMPILER, "-p", project, "--outDir", directory, "--noCheck"];
}

/** @param {...string} command a script and its arguments */
function run(...command) {
  return spawnSync(process.execPath, command, { cwd: ROOT, stdio: ["ignore", 2, 2] }).status === 0;
}

/**
 * @param {string} from
 * @param {string} to
 */
function copyAssets(from, to) {
  for (const path of filesIn(from).map((file) => relative(from, file))) {
    if (!ASSETS.some((asset) => asset.test(path))) continue;
    mkdirSync(dirname(join(to, path)), { recursive: true });
    cpSync(join(from, path), join(to, path));
  }
}

/**
 * Puts `fresh` in the place of `directory`, unless another process was quicker with the same inputs.
 * @param {string} directory
 * @param {string} fresh
 * @param {string} inputs
 */
function replace(directory, fresh, inputs) {
  const old = `${directory}.${process.pid}.old`;
  for (;;) {
    if (stampOf(directory) === inputs) return;
    try {
      if (existsSync(directory)) renameSync(directory, old);
      renameSync(fresh, directory);
      return;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code !== "ENOENT" && code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
    } finally {
      rmSync(old, { recursive: true, force: true });
    }
  }
}

/**
 * A hash of names and contents, so that a removed file counts and a new checkout does not.
 * @param {readonly string[]} inputs
 */
function fingerprint(inputs) {
  const hash = createHash("sha256");
  for (const input of inputs) {
    const path = join(ROOT, input);
    if (!existsSync(path)) continue;
    for (const file of filesIn(path)) {
      hash.update(`${relative(ROOT, file)}\0`);
      hash.update(createHash("sha256").update(readFileSync(file)).digest());
    }
  }
  return hash.digest("hex");
}

/**
 * The file itself, or all files below a directory in a fixed order.
 * @param {string} path
 * @returns {string[]}
 */
function filesIn(path) {
  let entries;
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return [path];
    throw error;
  }
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const child = join(path, entry.name);
      return entry.isDirectory() ? filesIn(child) : [child];
    });
}

/** @param {string} directory */
function stampOf(directory) {
  try {
    return readFileSync(join(directory, STAMP), "utf8");
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const isMade = build(process.argv.includes("--with-tests") ? "build" : "dist");
  process.exitCode = isMade ? 0 : 1;
}
