import { existsSync, readFileSync } from "node:fs";
// Whole: a name that an old Node lacks would end it with a trace, before it is told which Node is needed.
import * as modules from "node:module";
import { fileURLToPath } from "node:url";
import * as util from "node:util";
import { build, canBuild } from "./build.mjs";

/**
 * `node scripts/run.mjs ENTRY [ARGUMENT …]` runs `dist/ENTRY.js`, or `ENTRY.js` of `build` or a package, in this process, so
 * that signals, the exit code and standard output are its own. Settings of `.env` beside package.json count where the
 * environment lacks them; tests, which have `NODE_ENV=test`, run without: nobody's bot or money is theirs. Where the
 * development dependencies are installed, `dist` or `build` is brought up to date first. A Node older than `engines` says is named
 * in one line, before a native module of it is loaded: those crash it without a word.
 */
const [entry = "main", ...rest] = process.argv.slice(2);
const path = /^(?:build|packages)\//.test(entry) ? `${entry}.js` : `dist/${entry}.js`;
const file = new URL(`../${path}`, import.meta.url);
const settings = fileURLToPath(new URL("../.env", import.meta.url));
const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const floor = engines.node.replace(">=", "");

if (Number.parseInt(process.versions.node, 10) < Number.parseInt(floor, 10)) {
  process.stderr.write(
    `Node ${floor} or newer is needed, which npm ci brings; this is ${process.versions.node}. Run npm ci first\n`,
  );
  process.exitCode = 1;
} else if (canBuild() && !build(entry.startsWith("build/") ? "build" : "dist")) {
  process.exitCode = 1;
} else if (!existsSync(file)) {
  process.stderr.write(
    `there is no ${path}, and no compiler to build it: run npm ci (without --omit=dev) and npm run build first\n`,
  );
  process.exitCode = 1;
} else {
  process.argv = [process.execPath, file.pathname, ...rest];
  // Compiled once for all starts. Beside the packages, and not in a folder that other users may write to.
  modules.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/node", import.meta.url)));
  if (loadSettings()) await import(file.href);
}

/**
 * Reads `.env`, where there is one, without the byte order mark of some editors. A file that cannot be read is one
 * line, and nothing starts.
 */
function loadSettings() {
  if (process.env.NODE_ENV === "test" || !existsSync(settings)) return true;
  try {
    const text = readFileSync(settings, "utf8").replace(/^\uFEFF/, "");
    for (const [name, value] of Object.entries(util.parseEnv(text))) process.env[name] ??= value;
    return true;
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? error.code : "unreadable";
    process.stderr.write(`cannot read .env (${reason})\n`);
    process.exitCode = 1;
    return false;
  }
}
