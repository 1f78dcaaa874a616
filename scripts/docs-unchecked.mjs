import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ASSUMPTIONS } from "@atelier/upstream-stand-ins";

/**
 * Writes docs/unchecked.md: everything of the services that nobody could check. With `--check` it changes nothing and
 * fails when the page is out of date.
 */
/** @type {typeof import("../packages/upstream-check/src/unchecked.js")} */
const { readDoubts, uncheckedPage } = await load("packages/upstream-check/src/unchecked");
/** @type {typeof import("../packages/upstream-check/src/recording.js")} */
const { readRecordings } = await load("packages/upstream-check/src/recording");
/** @type {typeof import("../src/catalogue/catalogue.js")} */
const { loadCatalogue } = await load("src/catalogue/catalogue");

const PAGE = pathOf("docs/unchecked.md");
const { entries } = loadCatalogue(pathOf("data/catalogue.json"));
const calls = readRecordings(pathOf("test/recordings")).map(({ recording }) => recording);
const page = uncheckedPage(entries, readDoubts(pathOf("data/unchecked.json")), ASSUMPTIONS, calls);
if (!process.argv.includes("--check")) writeFileSync(PAGE, page);
else if (readFileSync(PAGE, "utf8") !== page) {
  process.stderr.write("docs/unchecked.md is out of date: run npm run docs:unchecked\n");
  process.exitCode = 1;
}

/** @param {string} path of a module, without its ending */
function load(path) {
  return import(new URL(`../build/${path}.js`, import.meta.url).href);
}

/** @param {string} name */
function pathOf(name) {
  return fileURLToPath(new URL(`../${name}`, import.meta.url));
}
