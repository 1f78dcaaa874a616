import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ASSUMPTIONS } from "@atelier/upstream-stand-ins";

/**
 * Writes docs/unchecked.md: everything of the services that nobody could check. With `--check` it changes nothing and
 * fails when the page is out of date.
 */
/** @type {typeof import("../packages/upstream-check/src/doubts.js")} */
const { readDoubts } = await load("packages/upstream-check/src/doubts");
/** @type {typeof import("../packages/upstream-check/src/recording.js")} */
const { readRecordings } = await load("packages/upstream-check/src/recording");
/** @type {typeof import("../src/catalogue/catalogue.js")} */
const { loadCatalogue } = await load("src/catalogue/catalogue");

const HEAD = `# What nobody could check

Nobody had a key of these services: everything here was read in documentation, recorded answers and programs in use.
\`npm run docs:unchecked\` writes this page from the mappings of \`data/catalogue.json\`, the doubts of \`data/unchecked.json\`, the
assumptions of the stand-ins, and the recordings of live requests in \`test/recordings\`; a test fails when it is out of date.

Whoever has a key runs \`npm run upstream:check -- SERVICE MODEL\`. It makes one request as cheap as possible, tells what differed
and writes a recording. With the recording in \`test/recordings\` the mapping counts as called live here, and tests replay it.
`;
const PAGE = pathOf("docs/unchecked.md");
const recordings = readRecordings(pathOf("test/recordings")).map(({ recording }) => recording);
const page = [
  HEAD,
  "## Doubts\n",
  "| service | model or file | doubt | how to check |",
  "|---|---|---|---|",
  ...readDoubts(pathOf("data/unchecked.json")).map(doubtRow),
  "\n## Mappings\n",
  "The address is where endpoint and fields were read. A substitute is another version than the model is called after.\n",
  "| model | service | endpoint | substitute | cost | read on | called live |",
  "|---|---|---|---|---|---|---|",
  ...loadCatalogue(pathOf("data/catalogue.json")).entries.flatMap(mappingRows),
  "\n## Stand-ins\n",
  "What the local services of the tests do without proof. A test that leans on one of these points proves less than it seems to.\n",
  ...ASSUMPTIONS.map((assumption) => `- ${assumption}`),
  "",
].join("\n");
if (!process.argv.includes("--check")) writeFileSync(PAGE, page);
else if (readFileSync(PAGE, "utf8") !== page) {
  process.stderr.write("docs/unchecked.md is out of date: run npm run docs:unchecked\n");
  process.exitCode = 1;
}

/** @param {import("../packages/upstream-check/src/doubts.js").Doubt} doubt */
function doubtRow({ service, models = [], used = [], doubt, source, check }) {
  const cell = (/** @type {string} */ text) => text.replaceAll("|", "\\|");
  const where = [...models, ...used].map((name) => `\`${name}\``).join(", ");
  const told = source.startsWith("https://") ? `[source](${source})` : source;
  const isCommand = check.startsWith("npm run ") && !check.includes(" with ");
  return `| ${service} | ${where} | ${cell(doubt)} (${told}) | ${isCommand ? `\`${check}\`` : cell(check)} |`;
}

/** @param {import("../src/catalogue/catalogue.js").CatalogueEntry} entry */
function mappingRows({ model_key, mappings }) {
  return Object.entries(mappings).flatMap(([provider, all]) => {
    // Tests call the mappings of our own contract. Several mappings may call one endpoint.
    const foreign = all.filter(({ source }) => source.startsWith("https://"));
    const endpoints = [...new Set(foreign.map(({ endpoint }) => endpoint))];
    return endpoints.map((endpoint) => {
      const mapping = foreign.find((one) => one.endpoint === endpoint);
      const call = recordings.find(
        (one) => one.provider === provider && one.model_key === model_key && one.endpoint === endpoint,
      );
      const cells = [
        model_key,
        provider,
        `[${endpoint}](${mapping?.source})`,
        mapping?.substitute ?? "",
        mapping?.cost ? "catalogue" : "not known",
        mapping?.checked,
        call?.recorded_at.slice(0, "YYYY-MM-DD".length) ?? "never",
      ];
      return `| ${cells.join(" | ")} |`;
    });
  });
}

/** @param {string} path of a module, without its ending */
function load(path) {
  return import(new URL(`../build/${path}.js`, import.meta.url).href);
}

/** @param {string} name */
function pathOf(name) {
  return fileURLToPath(new URL(`../${name}`, import.meta.url));
}
