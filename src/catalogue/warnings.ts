import type { GenerationType, Model } from "../contract/model.js";
import type { GenerationRequest } from "../contract/request.js";
import { DAY_MS } from "../platform/units.js";
import { type Catalogue, type CatalogueEntry, findEntries } from "./catalogue.js";
import { lossAt, lossText } from "./costs.js";
import type { Mapping } from "./mapping.js";
import { mappingFor } from "./operation.js";
import { sampleRequests } from "./sample-requests.js";

/** Days after which rates count as old. */
const RATES_DAYS_MAX = 30;

/** Tells of rates that are too old, or of an unknown day, in one line. @returns undefined where no cost needs a rate */
export function oldRates(
  { entries, ratesAt }: Catalogue,
  now: number,
): { days?: number; text: string } | undefined {
  if (!entries.some(needsRate)) return undefined;
  if (ratesAt === undefined)
    return { text: "rates: rates_at does not tell the day on which they were looked up" };
  const days = Math.floor((now - Date.parse(ratesAt)) / DAY_MS);
  if (days <= RATES_DAYS_MAX) return undefined;
  const text = `rates: they are ${days} days old, of ${ratesAt}: look them up, and correct rates and rates_at`;
  return { days, text };
}

function needsRate({ mappings }: CatalogueEntry): boolean {
  return Object.values(mappings)
    .flat()
    .some(({ cost }) => cost !== undefined && cost.currency !== "RUB");
}

/** Fields that are always the same, or told by `video_input_mode` and `mode`. */
const SAID_OTHERWISE: Readonly<Record<GenerationType, readonly string[]>> = {
  image: ["prompt", "count"],
  video: ["prompt", "start_frame_url", "reference_urls"],
  music: ["description", "lyrics"],
};

/** Limits the combinations that are named; longer ones are counted. */
const SIZE_MAX = 3;

/** Stays out of the combinations: a mapping without a place for it would hide every other gap. */
const ALWAYS_GIVEN = "prompt";

/** Finds the shortest combinations that no mapping takes: `duration_sec 30 with resolution 1080p has no mapping`. */
function gaps(model: Model, mappings: readonly Mapping[]): string[] {
  const samples = sampleRequests(model).map((request) => {
    const found = mappingFor(mappings, request);
    return { facts: factsOf(model, request), isTaken: "mapping" in found, refused: refusedField(found) };
  });
  const taken = samples.filter(({ isTaken }) => isTaken);
  let missing = samples.filter(({ isTaken }) => !isTaken);
  const named: string[] = [];
  if (missing.some(({ refused }) => refused === ALWAYS_GIVEN)) {
    named.push(`${ALWAYS_GIVEN} has no mapping`);
    if (taken.length === 0) missing = missing.filter(({ refused }) => refused !== ALWAYS_GIVEN);
  }
  for (let size = 1; size <= SIZE_MAX && missing.length > 0; size += 1) {
    const covered = new Set(taken.flatMap(({ facts }) => combinations(facts, size)));
    const open = new Set(
      missing.flatMap(({ facts }) => combinations(facts, size)).filter((name) => !covered.has(name)),
    );
    named.push(...[...open].map((name) => `${name} has no mapping`));
    missing = missing.filter(({ facts }) => !combinations(facts, size).some((name) => open.has(name)));
  }
  if (missing.length > 0) named.push(`${missing.length} more combinations have no mapping`);
  return named;
}

/** Returns undefined for a request that is taken, and for a text that is only too short. */
function refusedField(found: ReturnType<typeof mappingFor>): string | undefined {
  return "mapping" in found || found.isTooShort ? undefined : found.refusedField;
}

/** Lists `resolution 4K`, `reference_urls`, `no reference_urls`, in the order of the model's parameters. */
function factsOf({ type, parameters }: Model, request: GenerationRequest): string[] {
  return Object.entries(parameters).flatMap(([name, parameter]) => {
    if (!parameter || SAID_OTHERWISE[type].includes(name)) return [];
    const value = request[name];
    if (value === undefined) return [`no ${name}`];
    const isGiven = parameter.values === undefined && ["string", "array<string>"].includes(parameter.type);
    return [isGiven ? name : `${name} ${value}`];
  });
}

function combinations(facts: readonly string[], size: number): string[] {
  if (size === 0) return [""];
  return facts.flatMap((fact, index) =>
    combinations(facts.slice(index + 1), size - 1).map((rest) =>
      rest === "" ? fact : `${fact} with ${rest}`,
    ),
  );
}

/** Warns of requests that one service, or none, takes, of prices below their cost and of old rates. @param key by default all */
export function catalogueWarnings(catalogue: Catalogue, now: number, key?: string): string[] {
  const old = key === undefined ? oldRates(catalogue, now) : undefined;
  return [
    ...(old ? [old.text] : []),
    ...findEntries(catalogue, key).flatMap((entry) => [
      ...sharedGaps(entry),
      ...serviceWarnings(entry, catalogue),
    ]),
  ];
}

function sharedGaps({ model, mappings }: CatalogueEntry): string[] {
  const lists = Object.values(mappings);
  if (lists.length < 2) return [];
  return gaps(model, lists.flat()).map((gap) => `${model.model_key}: all services: ${gap}`);
}

function serviceWarnings(entry: CatalogueEntry, { rates }: Catalogue): string[] {
  return Object.entries(entry.mappings).flatMap(([service, list]) => {
    const loss = lossAt(entry, service, rates);
    return [
      ...gaps(entry.model, list).map((gap) => `${entry.model_key}: ${service}: ${gap}`),
      ...(loss ? [lossText(loss)] : []),
    ];
  });
}
