import { readFileSync, writeFileSync } from "node:fs";

/**
 * Writes the table of environment variables into README.md, between its two marks. With `--check` it
 * changes nothing and fails when the table is not the one of src/config.ts.
 */
const BEGIN = "<!-- environment -->";
const END = "<!-- /environment -->";

/** @type {typeof import("../src/config.js")} */
const { ENVIRONMENT } = await import(new URL("../dist/config.js", import.meta.url).href);
const README = new URL("../README.md", import.meta.url);

const readme = readFileSync(README, "utf8");
const [before, rest] = readme.split(BEGIN, 2);
const after = rest?.split(END, 2)[1];
const updated = after === undefined ? undefined : [before, BEGIN, "\n", table(), END, after].join("");

if (updated === undefined) fail(`README.md lacks the marks ${BEGIN} and ${END}`);
else if (!process.argv.includes("--check")) writeFileSync(README, updated);
else if (updated !== readme) fail("README.md is behind src/config.ts: run npm run docs:env");

function table() {
  const rows = ENVIRONMENT.map(({ name, default: shown, meaning, isSecret }) => {
    const names = isSecret ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``;
    return `| ${names} | ${shown} | ${meaning} |`;
  });
  return ["| variable | default | meaning |", "|---|---|---|", ...rows, ""].join("\n");
}

/** @param {string} reason */
function fail(reason) {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}
