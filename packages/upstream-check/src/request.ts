import type { CatalogueEntry } from "../../../src/catalogue/catalogue.js";
import type { Mapping } from "../../../src/catalogue/mapping.js";
import { type Cost, expectedCost, mappingFor, type Rates, rateOf } from "../../../src/catalogue/operation.js";
import { sampleRequests } from "../../../src/catalogue/sample-requests.js";
import type { Model } from "../../../src/contract/model.js";
import { priceKopecks, rublesOf } from "../../../src/contract/price.js";
import type { GenerationRequest } from "../../../src/contract/request.js";

export interface FoundModel {
  entry: CatalogueEntry;
  /** All mappings of the service for the model: the first that takes a request makes it. */
  mappings: readonly Mapping[];
  wanted: readonly Mapping[];
}

export interface CheapRequest {
  /** The normalised request. Its links are placeholders. */
  request: GenerationRequest;
  mapping: Mapping;
  /** The cost that the catalogue expects; undefined where it does not say. */
  cost: Cost | undefined;
  costRub: number | undefined;
  priceRub: number | undefined;
}

/** Lists the keys of models that the service has a mapping for. */
export function modelKeys(entries: readonly CatalogueEntry[], provider: string): readonly string[] {
  return servedBy(entries, provider).map(({ entry }) => entry.model_key);
}

function servedBy(entries: readonly CatalogueEntry[], provider: string): readonly FoundModel[] {
  return entries.flatMap((entry) => {
    const mappings = Object.hasOwn(entry.mappings, provider) ? (entry.mappings[provider] ?? []) : [];
    return mappings.length > 0 ? [{ entry, mappings, wanted: mappings }] : [];
  });
}

/**
 * Finds a model. The message of the error says what would fit.
 * @param name a model's key, with or without `music:`, an endpoint, or a part of one endpoint's name
 */
export function findModel(entries: readonly CatalogueEntry[], provider: string, name: string): FoundModel {
  const served = servedBy(entries, provider);
  const byKey = served.find(({ entry: { model_key } }) => [name, `music:${name}`].includes(model_key));
  const matching = (isWanted: (endpoint: string) => boolean) =>
    served
      .map((found) => ({ ...found, wanted: found.mappings.filter(({ endpoint }) => isWanted(endpoint)) }))
      .find(({ wanted }) => wanted.length > 0);
  const found =
    byKey ??
    matching((endpoint) => endpoint === name) ??
    matching((endpoint) => name !== "" && endpoint.includes(name));
  if (found) return found;
  const keys = modelKeys(entries, provider).join(", ");
  throw new Error(
    keys === ""
      ? `the catalogue has no mapping of ${provider}`
      : `${provider} has no mapping for "${name}"; possible are ${keys}, or a part of an endpoint's name`,
  );
}

const TEXTS: Readonly<Record<string, string>> = {
  prompt: "A red apple on a white table, soft light.",
  title: "Morning",
  description: "A calm piano melody with soft strings.",
  lyrics:
    "[Verse]\nMorning light upon the sea\nCalling you and calling me\n[Chorus]\nSing along and wake the day\nAll the clouds have gone away",
  custom_style: "calm piano, soft strings",
};

/** Builds the model's sample requests, with words in place of their placeholders, within the bounds of the model. */
export function spokenRequests(model: Model): readonly GenerationRequest[] {
  return sampleRequests(model).map((sample) => {
    const filled: GenerationRequest = { ...sample };
    for (const [name, text] of Object.entries(TEXTS)) {
      if (filled[name] === undefined) continue;
      const max = model.parameters[name]?.max;
      filled[name] = typeof max === "number" ? [...text].slice(0, max).join("") : text;
    }
    return filled;
  });
}

/** Finds the cheapest request that one of the wanted mappings makes; undefined where the model has none. */
export function cheapestRequest(
  { entry: { model }, mappings, wanted }: FoundModel,
  rates: Rates,
): CheapRequest | undefined {
  const possible = spokenRequests(model).flatMap((request): CheapRequest[] => {
    const chosen = mappingFor(mappings, request);
    if (!("mapping" in chosen) || !wanted.includes(chosen.mapping)) return [];
    const { mapping } = chosen;
    const cost = expectedCost(mapping, request);
    const rate = cost && rateOf(cost.currency, rates);
    const costRub = cost && rate !== undefined ? Number((cost.amount * rate).toFixed(2)) : undefined;
    const kopecks = priceKopecks(model, request);
    return [{ request, mapping, cost, costRub, priceRub: kopecks && rublesOf(kopecks) }];
  });
  const sumOf = ({ costRub, priceRub }: CheapRequest) => costRub ?? priceRub ?? Number.MAX_SAFE_INTEGER;
  // Samples begin with the smallest values of the catalogue, and the sort is stable.
  const [best] = possible.sort(
    (one, other) => sumOf(one) - sumOf(other) || burdenOf(one.request) - burdenOf(other.request),
  );
  return best;
}

const LINKS = ["start_frame_url", "end_frame_url", "reference_urls"] as const;

/** Ranks requests of one price: links need uploads, and the shape of an `auto` file cannot be judged. */
function burdenOf(request: GenerationRequest): number {
  const links = LINKS.filter((name) => request[name] !== undefined).length;
  return links * 10_000 + (request.aspect_ratio === "auto" ? 50 : 0) + Object.keys(request).length;
}
