import { readFileSync } from "node:fs";
import { z } from "zod";
import type { CatalogueEntry } from "../../../src/catalogue/catalogue.js";
import type { Recording } from "./recording.js";

/** A doubt: what is taken for true of a service, and could not be seen without its key. */
const doubtSchema = z.strictObject({
  service: z.string().min(1),
  /** The models whose mappings lean on it; absent where all of the service do. */
  models: z.array(z.string().min(1)).min(1).exactOptional(),
  doubt: z.string().min(1),
  /** The nearest page or code that was seen. */
  source: z.url(),
  /** Files that lean on it, besides the mappings of `models`. */
  used: z.array(z.string().min(1)).min(1).exactOptional(),
  check: z.string().min(1),
});
export type Doubt = z.infer<typeof doubtSchema>;

/** Reads the doubts. Throws where the file is missing or broken. */
export function readDoubts(file: string): readonly Doubt[] {
  return z.array(doubtSchema).parse(JSON.parse(readFileSync(file, "utf8")));
}

/** Lists what a request of this model may settle. */
export function doubtsOf(doubts: readonly Doubt[], service: string, modelKey: string): readonly Doubt[] {
  return doubts
    .filter((doubt) => doubt.service === service && (doubt.models?.includes(modelKey) ?? true))
    .filter(({ check }) => check.startsWith("npm run upstream:check "));
}

const HEAD = `# What nobody could check

Nobody had a key of these services: everything here was read in documentation, recorded answers and programs in use.
\`npm run docs:unchecked\` writes this page from the mappings of \`data/catalogue.json\`, the doubts of \`data/unchecked.json\`, the
assumptions of the stand-ins, and the recordings of live requests in \`test/recordings\`; a test fails when it is out of date.

Whoever has a key runs \`npm run upstream:check -- SERVICE MODEL\`. It makes one request as cheap as possible, tells what differed
and writes a recording. With the recording in \`test/recordings\` the mapping counts as called live here, and tests replay it.
`;

/** Lists everything that could not be seen, as Markdown. */
export function uncheckedPage(
  entries: readonly Pick<CatalogueEntry, "model_key" | "mappings">[],
  doubts: readonly Doubt[],
  assumptions: readonly string[],
  calls: readonly Pick<Recording, "provider" | "model_key" | "endpoint" | "recorded_at">[],
): string {
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
  const cell = (text: string) => text.replaceAll("|", "\\|");
  const where = [...models, ...used].map((name) => `\`${name}\``).join(", ");
  const told = source.startsWith("https://") ? `[source](${source})` : source;
  const isCommand = check.startsWith("npm run ") && !check.includes(" with ");
  return `| ${service} | ${where} | ${cell(doubt)} (${told}) | ${isCommand ? `\`${check}\`` : cell(check)} |`;
}

function mappingRows(
  { model_key, mappings }: Pick<CatalogueEntry, "model_key" | "mappings">,
  calls: Parameters<typeof uncheckedPage>[3],
): string[] {
  return Object.entries(mappings).flatMap(([provider, all]) => {
    // Tests call the mappings of our own contract.
    const foreign = all.filter(({ source }) => source.startsWith("https://"));
    const first = foreign.filter(
      ({ endpoint }, index) => foreign.findIndex((mapping) => mapping.endpoint === endpoint) === index,
    );
    return first.map(({ endpoint, source, substitute = "", cost, checked }) => {
      const call = calls.find(
        (live) => live.provider === provider && live.model_key === model_key && live.endpoint === endpoint,
      );
      const live = call ? call.recorded_at.slice(0, "YYYY-MM-DD".length) : "never";
      const told = cost ? "catalogue" : "not known";
      return `| ${model_key} | ${provider} | [${endpoint}](${source}) | ${substitute} | ${told} | ${checked} | ${live} |`;
    });
  });
}
