import type { Route } from "../../routes/route.js";
import type { Doubt } from "./unchecked.js";

/** A recording of a live request. */
export interface LiveCall {
  provider: string;
  model_key: string;
  endpoint: string;
  /** ISO date and time */
  recorded_at: string;
}

export interface PageParts {
  entries: readonly { model_key: string; routes: Readonly<Record<string, readonly Route[]>> }[];
  doubts: readonly Doubt[];
  /** What the stand-ins of the tests do without proof. */
  assumptions: readonly string[];
  calls: readonly LiveCall[];
}

const HEAD = `# What nobody could check

Nobody had a key of these services: everything here was read in documentation, recorded answers and programs in use.
\`npm run docs:unchecked\` writes this page from the routes of \`data/catalogue.json\`, the doubts of \`data/unchecked.json\`, the
assumptions of the stand-ins, and the recordings of live requests in \`test/recordings\`; a test fails when it is out of date.

Whoever has a key runs \`npm run upstream:check -- SERVICE MODEL\`. It makes one request as cheap as possible, tells what differed
and writes a recording. With the recording in \`test/recordings\` the route counts as called live here, and tests replay it.
`;

/** The list of everything that could not be seen, as Markdown. */
export function uncheckedPage({ entries, doubts, assumptions, calls }: PageParts): string {
  return [
    HEAD,
    "## Doubts\n",
    "| service | model or file | doubt | how to check |",
    "|---|---|---|---|",
    ...doubts.map(doubtRow),
    "\n## Routes\n",
    "The address is where endpoint and fields were read. A substitute is another version than the model is called after.\n",
    "| model | service | endpoint | substitute | cost | read on | called live |",
    "|---|---|---|---|---|---|---|",
    ...entries.flatMap((entry) => routeRows(entry, calls)),
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

/** Commands stand as code, other advice as text. */
function commandOf(check: string): string {
  return check.startsWith("npm run ") && !check.includes(" with ") ? `\`${check}\`` : cell(check);
}

function routeRows({ model_key, routes }: PageParts["entries"][number], calls: readonly LiveCall[]) {
  return Object.entries(routes).flatMap(([provider, list]) =>
    endpointsOf(list.filter(isForeign)).map((route) => {
      const { endpoint, source, substitute = "", cost, checked } = route;
      const call = calls.find(
        (live) => live.provider === provider && live.model_key === model_key && live.endpoint === endpoint,
      );
      const live = call ? call.recorded_at.slice(0, "YYYY-MM-DD".length) : "never";
      const told = cost ? "catalogue" : "not known";
      return `| ${model_key} | ${provider} | [${endpoint}](${source}) | ${substitute} | ${told} | ${checked} | ${live} |`;
    }),
  );
}

/** Routes of our own contract are called by tests, at a service of this project. */
function isForeign({ source }: Route): boolean {
  return source.startsWith("https://");
}

/** Several routes may call one endpoint. */
function endpointsOf(routes: readonly Route[]): readonly Route[] {
  return routes.filter(
    ({ endpoint }, index) => routes.findIndex((route) => route.endpoint === endpoint) === index,
  );
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
