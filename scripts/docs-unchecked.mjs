import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ASSUMPTIONS } from "@atelier/upstream-stand-ins";

/**
 * Writes docs/unchecked.md: everything of the services that nobody could check. With `--check` it changes nothing and
 * fails when the page is out of date.
 */
/** @type {typeof import("../src/ctl/upstream-check/unchecked-page.js")} */
const { uncheckedPage } = await load("ctl/upstream-check/unchecked-page");
/** @type {typeof import("../src/ctl/upstream-check/unchecked.js")} */
const { readDoubts } = await load("ctl/upstream-check/unchecked");
/** @type {typeof import("../src/ctl/upstream-check/recording.js")} */
const { readRecordings } = await load("ctl/upstream-check/recording");
/** @type {typeof import("../src/catalogue/catalogue.js")} */
const { loadCatalogue } = await load("catalogue/catalogue");

const PAGE = pathOf("docs/unchecked.md");
const page = uncheckedPage({
  entries: loadCatalogue(pathOf("data/catalogue.json")).entries,
  doubts: readDoubts(pathOf("data/unchecked.json")),
  assumptions: ASSUMPTIONS,
  calls: readRecordings(pathOf("test/recordings")).map(({ recording }) => recording),
});
if (!process.argv.includes("--check")) writeFileSync(PAGE, page);
else if (readFileSync(PAGE, "utf8") !== page) {
  process.stderr.write("docs/unchecked.md is out of date: run npm run docs:unchecked\n");
  process.exitCode = 1;
}

/** @param {string} path of a module below src, without its ending */
function load(path) {
  return import(new URL(`../dist/${path}.js`, import.meta.url).href);
}

/** @param {string} name */
function pathOf(name) {
  return fileURLToPath(new URL(`../${name}`, import.meta.url));
}
