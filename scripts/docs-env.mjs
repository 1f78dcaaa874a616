import { readFileSync, writeFileSync } from "node:fs";

/**
 * Writes what is derived from the schema in src/config.ts: the table of environment variables in README.md, between its
 * two marks, and .env.example. With `--check` it changes nothing and fails when one of them is out of date.
 */
const BEGIN = "<!-- environment -->";
const END = "<!-- /environment -->";

/** @type {typeof import("../src/config.js")} */
const { ENVIRONMENT } = await import(new URL("../dist/config.js", import.meta.url).href);

update("README.md", (readme) => {
  const [before, rest] = readme.split(BEGIN, 2);
  const after = rest?.split(END, 2)[1];
  return after === undefined ? undefined : [before, BEGIN, "\n", table(), END, after].join("");
});
update(".env.example", () => example());

/**
 * @param {string} name of a file below the project's folder
 * @param {(content: string) => string | undefined} change
 */
function update(name, change) {
  const file = new URL(`../${name}`, import.meta.url);
  const content = readFileSync(file, "utf8");
  const updated = change(content);
  if (updated === undefined) fail(`${name} lacks the marks ${BEGIN} and ${END}`);
  else if (!process.argv.includes("--check")) writeFileSync(file, updated);
  else if (updated !== content) fail(`${name} is out of date: run npm run docs:env`);
}

function table() {
  const rows = ENVIRONMENT.map(({ name, default: shown, meaning, isSecret }) => {
    const names = isSecret ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``;
    return `| ${names} | ${shown} | ${meaning} |`;
  });
  return ["| variable | default | meaning |", "|---|---|---|", ...rows, ""].join("\n");
}

/** Every variable, commented out, with its meaning and default. */
function example() {
  const entries = ENVIRONMENT.map(({ name, default: shown, meaning, fallback }) => {
    const plain = meaning.replaceAll("`", "").replace(/\[(.+?)\]\(.+?\)/g, "$1 in README.md");
    return `# ${plain}. Default: ${shown.replaceAll("`", "")}\n#${name}=${fallback ?? ""}\n`;
  });
  return ["# Settings of the service; NAME_FILE reads a secret from a file.\n", ...entries].join("\n");
}

/** @param {string} reason */
function fail(reason) {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}
