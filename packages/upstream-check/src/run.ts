import { Command, CommanderError } from "commander";
import type { CatalogueEntry } from "../../../src/catalogue/catalogue.js";
import type { Rates } from "../../../src/catalogue/operation.js";
import { reasonOf } from "../../../src/platform/errors.js";
import { ADAPTERS } from "../../../src/providers/adapters.js";
import type { ServiceIoOptions } from "../../../src/providers/service-io.js";
import { type Checked, checkUpstream } from "./check.js";
import { type Doubt, doubtsOf } from "./doubts.js";
import { falSchemas } from "./fal.js";
import { kiePrices } from "./kie.js";
import { polzaCatalogue } from "./polza.js";
import { checkCatalogue, type Publisher } from "./published.js";
import { RECORDINGS, writeRecording } from "./recording.js";
import { type CheapRequest, cheapestRequest, findModel, modelKeys } from "./request.js";
import { createScrubber } from "./scrub.js";

/** What is known of the machine: its catalogue, its key of the service, and where the service is. */
export interface Setup extends Omit<ServiceIoOptions, "adapter" | "link"> {
  entries: readonly CatalogueEntry[];
  rates: Rates;
  doubts: readonly Doubt[];
}

interface Options {
  catalogue?: boolean;
  out?: string;
  live?: boolean;
}

/** The services that publish their models to everybody. */
const PUBLISHERS: Readonly<Record<string, Publisher>> = {
  fal: falSchemas,
  kie: kiePrices,
  polza: polzaCatalogue,
};
const PUBLISHING = Object.keys(PUBLISHERS).join(", ");

const NAMES = ADAPTERS.map(({ name }) => name).join(", ");
const DESCRIPTION =
  "Makes one real request as cheap as possible, tells what differs from what was expected, and writes a recording without secrets. The key is read from the service's variable, such as FAL_API_KEY. With --catalogue it makes nothing: it compares the mappings with what the service publishes.";

/**
 * Makes one request of a service, or reads its catalogue. Resolves to 0 where everything was as expected.
 * @param setUp throws where the service's variables are wrong, or the key is needed and missing
 */
export async function run(
  args: readonly string[],
  setUp: (provider: string, needsKeys: boolean) => Setup,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<0 | 1> {
  let isGood = true;
  const program = new Command("upstream:check")
    .description(DESCRIPTION)
    .argument("[provider]", `one of ${NAMES}`)
    .argument("[model]", "a model's key, or a part of an endpoint's name")
    .option(
      "--catalogue",
      `in place of a model: compares all mappings with what the service publishes, for ${PUBLISHING}; makes nothing and needs no key`,
    )
    .option("--out <folder>", `where the recording goes, by default ${RECORDINGS}`)
    .option("--live", "where …_API_ROOT is set: it is the service itself, and no stand-in")
    .exitOverride()
    .configureOutput({ writeOut: (text) => say(text.trimEnd()), writeErr: () => {} })
    .action(async (provider: string | undefined, model: string | undefined, options: Options) => {
      if (!provider) throw new Error(`name a service: one of ${NAMES}`);
      if (!ADAPTERS.some(({ name }) => name === provider))
        throw new Error(`no service ${provider}; known are ${NAMES}`);
      if (!options.catalogue && model !== undefined) {
        isGood = await check(provider, model, options, setUp(provider, true), say, signal);
        return;
      }
      const publisher = Object.hasOwn(PUBLISHERS, provider) ? PUBLISHERS[provider] : undefined;
      if (!options.catalogue) {
        const keys = modelKeys(setUp(provider, false).entries, provider).join(", ");
        const other = publisher ? "; or compare all mappings with --catalogue" : "";
        throw new Error(`name a model: ${keys}${other}`);
      }
      if (model !== undefined)
        throw new Error(`--catalogue compares all mappings of ${provider}: name no model`);
      // Before variables are read: they may be missing, and nobody needs them.
      if (!publisher) throw new Error(`${provider} publishes no catalogue without a key; ${PUBLISHING} do`);
      isGood = await checkCatalogue(provider, publisher, setUp(provider, false), say, signal);
    });
  try {
    await program.parseAsync(args, { from: "user" });
    return isGood ? 0 : 1;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    say(reasonOf(error));
    return 1;
  }
}

async function check(
  provider: string,
  model: string,
  { out, live }: Options,
  { entries, rates, doubts, ...service }: Setup,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  // A service may repeat the key in its answer.
  const { withoutSecrets } = createScrubber([service.key]);
  const say = (line: string) => print(withoutSecrets(line));
  const adapter = ADAPTERS.find(({ name }) => name === provider);
  const found = findModel(entries, provider, model);
  const cheap = cheapestRequest(found, rates);
  if (!adapter || !cheap) throw new Error(`no request of ${found.entry.model_key} is made by ${model}`);
  const { tracks = 1, model_key } = found.entry;
  const known = doubtsOf(doubts, provider, model_key).map(({ doubt }) => `Not known yet: ${doubt}`);
  for (const line of [...introduction(provider, cheap, service.root), ...known]) say(line);
  const checked = await checkUpstream({ ...service, adapter, cheap, tracks, say, signal });
  for (const line of verdict(checked)) say(line);
  const isNamed = found.wanted.length < found.mappings.length;
  const name = isNamed ? `${model_key}.${cheap.mapping.endpoint}` : model_key;
  say(
    await writeRecording(checked, { adapter, name, ...service, out, isLive: !service.root || live === true }),
  );
  return checked.failure === undefined && checked.findings.every(({ matters }) => !matters);
}

/** Describes what is about to be sent, and what it costs at most as far as anybody knows. */
function introduction(provider: string, cheap: CheapRequest, root: URL | undefined): string[] {
  const { request, mapping, cost, costRub, priceRub } = cheap;
  const { type: _, model_key, ...fields } = request;
  const rubles = costRub === undefined ? "" : `, about ${costRub} RUB`;
  const price = priceRub === undefined ? "" : `; people pay ${priceRub} RUB for it here`;
  return [
    `${provider}: ${model_key} by ${mapping.endpoint}, one request`,
    ...Object.entries(fields).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`),
    ...(root ? [`Sent to ${root.origin}`] : []),
    cost
      ? `It costs ${cost.amount} ${cost.currency}${rubles}, as the catalogue says`
      : `The catalogue does not know what it costs${price}. See ${mapping.source}`,
    `Fields and endpoint were read at ${mapping.source}`,
  ];
}

function verdict({ failure, findings, reference }: Checked): string[] {
  const differing = findings.filter(({ matters }) => matters).map(({ text }) => `  ${text}`);
  const where = reference ? [`The task at the service: ${JSON.stringify(reference)}`] : [];
  if (failure !== undefined) return [`Not made: ${failure}`, ...where];
  return differing.length === 0 ? ["Made, as expected"] : ["Made. What differs:", ...differing, ...where];
}
