import { Command, CommanderError } from "commander";
import type { Rates } from "../../catalogue/operation.js";
import { reasonOf } from "../../platform/errors.js";
import { ADAPTERS } from "../../providers/adapters.js";
import { cheapestRequest } from "./cheapest.js";
import { type CheckOptions, checkUpstream } from "./check.js";
import { type CatalogueModel, findModel, modelKeys } from "./find-model.js";
import { checkCatalogue } from "./published/check-catalogue.js";
import { PUBLISHERS, publisherOf } from "./published/publishers.js";
import { introduction, isAsExpected, verdict } from "./report.js";
import { createScrubber } from "./scrub.js";
import { type Doubt, doubtsOf } from "./unchecked.js";
import { RECORDINGS, writeRecording } from "./write-recording.js";

export interface CheckSettings
  extends Pick<CheckOptions, "key" | "root" | "agent" | "inspector" | "clock" | "ids"> {
  entries: readonly CatalogueModel[];
  rates: Rates;
  doubts: readonly Doubt[];
}

export interface RunOptions {
  args: readonly string[];
  /** Reads the settings. Throws where the service's variables are wrong, or the key is needed and missing. */
  settings: (provider: string, need: { needsKeys: boolean }) => CheckSettings;
  say: (line: string) => void;
  signal: AbortSignal;
}

const NAMES = ADAPTERS.map(({ name }) => name).join(", ");

/** Makes one request of a service, or reads its catalogue. Resolves to 0 where everything was as expected. */
export async function run({ args, settings, say, signal }: RunOptions): Promise<0 | 1> {
  let exitCode: 0 | 1 = 0;
  const program = new Command("upstream:check")
    .description(
      "Makes one real request as cheap as possible, tells what differs from what was expected, and writes a recording without secrets. The key is read from the service's variable, such as FAL_API_KEY. With --catalogue it makes nothing: it compares the mappings with what the service publishes.",
    )
    .argument("[provider]", `one of ${NAMES}`)
    .argument("[model]", "a model's key, or a part of an endpoint's name")
    .option(
      "--catalogue",
      `in place of a model: compares all mappings with what the service publishes, for ${Object.keys(PUBLISHERS).join(", ")}; makes nothing and needs no key`,
    )
    .option("--out <folder>", `where the recording goes, by default ${RECORDINGS}`)
    .option("--live", "where …_API_ROOT is set: it is the service itself, and no stand-in")
    .exitOverride()
    .configureOutput({ writeOut: (text) => say(text.trimEnd()), writeErr: () => {} })
    .action(async (provider: string | undefined, model: string | undefined, options: Options) => {
      if (!provider) throw new Error(`name a service: one of ${NAMES}`);
      const request = { provider, options, settings, say, signal };
      if (options.catalogue) exitCode = await compare(request, model);
      else exitCode = await check(request, model);
    });
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    say(reasonOf(error));
    return 1;
  }
}

interface Options {
  catalogue?: boolean;
  out?: string;
  live?: boolean;
}

interface Request extends Omit<RunOptions, "args"> {
  provider: string;
  options: Options;
}

async function compare({ provider, settings, say, signal }: Request, model?: string): Promise<0 | 1> {
  if (model !== undefined) throw new Error(`--catalogue compares all mappings of ${provider}: name no model`);
  adapterOf(provider);
  // Before variables are read: they may be missing, and nobody needs them.
  publisherOf(provider);
  const isGood = await checkCatalogue({ ...settings(provider, { needsKeys: false }), provider, say, signal });
  return isGood ? 0 : 1;
}

function adapterOf(provider: string) {
  const adapter = ADAPTERS.find(({ name }) => name === provider);
  if (adapter) return adapter;
  throw new Error(`no service ${provider}; known are ${NAMES}`);
}

async function check(
  { provider, options, settings, signal, ...io }: Request,
  model: string | undefined,
): Promise<0 | 1> {
  const adapter = adapterOf(provider);
  if (model === undefined) {
    const other = Object.hasOwn(PUBLISHERS, provider) ? "; or compare all mappings with --catalogue" : "";
    const { entries } = settings(provider, { needsKeys: false });
    throw new Error(`name a model: ${modelKeys(entries, provider).join(", ")}${other}`);
  }
  const { entries, rates, doubts, ...service } = settings(provider, { needsKeys: true });
  // A service may repeat the key in its answer.
  const { withoutSecrets } = createScrubber([service.key]);
  const say = (line: string) => io.say(withoutSecrets(line));
  const found = findModel(entries, provider, model);
  const cheap = cheapestRequest(found, rates);
  if (!cheap) throw new Error(`no request of ${found.entry.model_key} is made by ${model}`);
  const { tracks = 1 } = found.entry;
  const beside = { doubts: doubtsOf(doubts, provider, found.entry.model_key), root: service.root };
  for (const line of introduction(provider, cheap, beside)) say(line);
  const checked = await checkUpstream({ ...service, adapter, cheap, tracks, say, signal });
  for (const line of verdict(checked)) say(line);
  const isNamed = found.wanted.length < found.mappings.length;
  const name = isNamed ? `${cheap.request.model_key}.${cheap.mapping.endpoint}` : cheap.request.model_key;
  const { key, root } = service;
  const written = { adapter, checked, name, tracks, mapping: cheap.mapping, key, root, ...options };
  say(await writeRecording(written));
  return isAsExpected(checked) ? 0 : 1;
}
