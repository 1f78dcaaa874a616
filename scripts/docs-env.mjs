import { readFileSync, writeFileSync } from "node:fs";

/**
 * Writes what is derived from the schema in src/config.ts: docs/settings.md and .env.example. With `--check` it changes
 * nothing and fails when one of them is out of date.
 */
/** @type {typeof import("../src/config.js")} */
const { ENVIRONMENT } = await import(new URL("../build/src/config.js", import.meta.url).href);

/**
 * The sections of the page: the variable that each begins with, its heading, and the page that tells more.
 * @type {Record<string, { heading: string, more?: string }>}
 */
const SECTIONS = {
  BOT_TOKEN: { heading: "The bot", more: "operating" },
  CORE: { heading: "Two ways to run", more: "front-end" },
  HTTP_HOST: { heading: "The HTTP port, proxies and metrics", more: "operating" },
  DATA_DIR: { heading: "Data and backups", more: "backups" },
  CATALOGUE_FILE: { heading: "Models and prices", more: "offers" },
  LOG_LEVEL: { heading: "Log and language" },
  WELCOME_CREDIT_RUB: { heading: "Gifts and limits", more: "payments" },
  EVENTS_CHAT_ID: { heading: "The event chat", more: "operating" },
  MODERATION_FILE: { heading: "Moderation", more: "moderation" },
  TOPUP_STARS: { heading: "Payments", more: "payments" },
  RATE_LIMIT_PER_MINUTE: { heading: "Jobs, files and secrets", more: "services" },
  GENERATION_API_KEY: { heading: "Services that make files", more: "services" },
};

/** What compose.yaml reads of the same file. */
const OF_COMPOSE = `# Settings that only docker compose reads.

# The name that leads to this server: with --profile https Caddy gets a certificate for it. Default: localhost
#PUBLIC_HOST=

# The first password of Grafana, with --profile monitoring. Default: admin
#GRAFANA_PASSWORD=
`;

const INTRODUCTION = `# Settings

\`npm run docs:env\` writes this page and \`.env.example\` from the program; a test compares them.

Settings are environment variables. \`npm start\`, \`npm run demo\`, \`npm run ctl\`,
\`npm run upstream:check\` and \`docker compose up -d\` also read them from \`.env\`, but the environment
wins. \`cp .env.example .env\` is a good start: the file lists every variable.

A secret can be read from a file: set \`NAME_FILE\` to its path. An invalid value stops the start with
one line that names the variable. A name that looks like a mistyped setting is reported in the log.
`;

for (const name of Object.keys(SECTIONS)) {
  if (!ENVIRONMENT.some((variable) => variable.name === name)) fail(`no section can begin with ${name}`);
}
update("docs/settings.md", [INTRODUCTION, ...ENVIRONMENT.map(row)].join(""));
update(".env.example", example());

/**
 * @param {string} name of a file below the project's folder
 * @param {string} content
 */
function update(name, content) {
  const file = new URL(`../${name}`, import.meta.url);
  if (!process.argv.includes("--check")) writeFileSync(file, content);
  else if (readFileSync(file, "utf8") !== content) fail(`${name} is out of date: run npm run docs:env`);
}

/**
 * A row of a table, with the section that begins there.
 * @param {(typeof ENVIRONMENT)[number]} variable
 */
function row({ name, shownDefault: shown, meaning, isSecret }) {
  const section = SECTIONS[name];
  const more = section?.more ? `More in [${section.more}](${section.more}.md).\n\n` : "";
  const head = section
    ? `\n## ${section.heading}\n\n${more}| variable | default | meaning |\n|---|---|---|\n`
    : "";
  const names = isSecret ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``;
  return `${head}| ${names} | ${shown} | ${meaning} |\n`;
}

/** Every variable, commented out, with its meaning and default. */
function example() {
  const entries = ENVIRONMENT.map(({ name, shownDefault: shown, meaning, fallback }) => {
    const plain = meaning.replaceAll("`", "").replace(/\[(.+?)\]\(.+?\)/g, "docs/$1");
    return `# ${plain}. Default: ${shown.replaceAll("`", "")}\n#${name}=${fallback ?? ""}\n`;
  });
  return ["# Settings of the service; NAME_FILE reads a secret from a file.\n", ...entries, OF_COMPOSE].join(
    "\n",
  );
}

/** @param {string} reason */
function fail(reason) {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}
