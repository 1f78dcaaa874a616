import type { Mapping } from "../../catalogue/mapping.js";
import type { Doubt } from "./unchecked.js";

export interface LiveCall {
  provider: string;
  model_key: string;
  endpoint: string;
  recorded_at: string;
}

export interface PageParts {
  entries: readonly { model_key: string; mappings: Readonly<Record<string, readonly Mapping[]>> }[];
  doubts: readonly Doubt[];
  assumptions: readonly string[];
  calls: readonly LiveCall[];
}

const HEAD = `# What nobody could check

Nobody had a key of these services: everything here was read in documentation, recorded answers and programs in use.
\`npm run docs:unchecked\` writes this page from the mappings of \`data/catalogue.json\`, the doubts of \`data/unchecked.json\`, the
assumptions of the stand-ins, and the recordings of live requests in \`test/recordings\`; a test fails when it is out of date.

Whoever has a key runs \`npm run upstream:check -- SERVICE MODEL\`. It makes one request as cheap as possible, tells what differed
and writes a recording. With the recording in \`test/recordings\` the mapping counts as called live here, and tests replay it.
`;

/** Lists everything that could not be seen, as Markdown. */
export function uncheckedPage({ entries, doubts, assumptions, calls }: PageParts): string {
  return [
    HEAD,
    "## Doubts\n",
    "| service | model or file | doubt | how to check |",
    "|---|---|---|---|",
    ...doubts.map(doubtRow),
    "\n## Mappings\n",
    "The address is where endpoint and fields were read. A substitute is another version than the model is called after.\n",
    "| model | service | endpoint | substitute | cost | read on | called live |",
    "|---|---|---|---|---|---|---|",
    ...entries.flatMap((entry) => mappingRows(entry, calls)),
    "\n## Stand-ins\n",
    "What the local services of the tests do without proof. A test that leans on one of these points proves less than it seems to.\n",
    ...assumptions.map((assumption) => `- ${assumption}`),
    "",
  ].join("\n");
}

function doubtRow({ service, models = [], used = [], doubt, source, check }: Doubt): string {
  const where = [...models, ...used].map((name) => `\`${name}\``).join(", ");
  const told = source.startsWith("https://") ? `[source](${source})` : source;
  return `| ${service} | ${where} | ${cell(doubt)} (${told}) | ${commandOf(check)} |`;
}

/** Formats a command as code, other advice as text. */
function commandOf(check: string): string {
  return check.startsWith("npm run ") && !check.includes(" with ") ? `\`${check}\`` : cell(check);
}

function mappingRows({ model_key, mappings }: PageParts["entries"][number], calls: readonly LiveCall[]) {
  return Object.entries(mappings).flatMap(([provider, list]) =>
    endpointsOf(list.filter(isForeign)).map((mapping) => {
      const { endpoint, source, substitute = "", cost, checked } = mapping;
      const call = calls.find(
        (live) => live.provider === provider && live.model_key === model_key && live.endpoint === endpoint,
      );
      const live = call ? call.recorded_at.slice(0, "YYYY-MM-DD".length) : "never";
      const told = cost ? "catalogue" : "not known";
      return `| ${model_key} | ${provider} | [${endpoint}](${source}) | ${substitute} | ${told} | ${checked} | ${live} |`;
    }),
  );
}

/** Tells whether a mapping is of a foreign service. Tests call those of our own contract. */
function isForeign({ source }: Mapping): boolean {
  return source.startsWith("https://");
}

/** Leaves one mapping of each endpoint: several may call it. */
function endpointsOf(mappings: readonly Mapping[]): readonly Mapping[] {
  return mappings.filter(
    ({ endpoint }, index) => mappings.findIndex((mapping) => mapping.endpoint === endpoint) === index,
  );
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
