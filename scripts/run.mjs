import { existsSync } from "node:fs";
import { build, canBuild } from "./build.mjs";

/**
 * `node scripts/run.mjs ENTRY [ARGUMENT …]` runs `dist/ENTRY.js` in this process, so that signals, the
 * exit code and standard output are its own. Where the development dependencies are installed, `dist` is
 * brought up to date first.
 */
const [entry = "main", ...rest] = process.argv.slice(2);
const file = new URL(`../dist/${entry}.js`, import.meta.url);

if (canBuild() && !build("dist")) {
  process.exitCode = 1;
} else if (!existsSync(file)) {
  process.stderr.write(`there is no dist/${entry}.js, and no compiler to build it: run npm ci first\n`);
  process.exitCode = 1;
} else {
  process.argv = [process.execPath, file.pathname, ...rest];
  await import(file.href);
}
