import type { Mapping } from "../../catalogue/mapping.js";
import { type Cost, expectedCost, mappingFor, type Rates } from "../../catalogue/operation.js";
import { sampleRequests } from "../../catalogue/sample-requests.js";
import type { Model } from "../../contract/model.js";
import { priceKopecks, rublesOf } from "../../contract/price.js";
import type { GenerationRequest } from "../../contract/request.js";
import type { FoundModel } from "./find-model.js";
import { withTexts } from "./sample-texts.js";

export interface CheapRequest {
  /** The normalised request. Its links are placeholders. */
  request: GenerationRequest;
  mapping: Mapping;
  /** The cost that the catalogue expects; undefined where it does not say. */
  cost?: Cost;
  costRub?: number;
  priceRub?: number;
}

/** Fields that make a request dearer where the prices are equal, or simpler. */
const ORDERED = ["resolution", "duration_sec", "generation_mode"] as const;
const LINKS = ["start_frame_url", "end_frame_url", "reference_urls"] as const;

/** Finds the cheapest request that one of the wanted mappings makes; undefined where the model has none. */
export function cheapestRequest(
  { entry: { model }, mappings, wanted }: FoundModel,
  rates: Rates,
): CheapRequest | undefined {
  const possible = sampleRequests(model).flatMap((sample) => {
    const request = withTexts(model, sample);
    const chosen = mappingFor(mappings, request);
    if (!("mapping" in chosen) || !wanted.includes(chosen.mapping)) return [];
    return [{ found: told(model, chosen.mapping, request, rates), burden: burdenOf(model, request) }];
  });
  const [best] = possible.sort(
    (one, other) => sumOf(one.found) - sumOf(other.found) || one.burden - other.burden,
  );
  return best?.found;
}

function told(model: Model, mapping: Mapping, request: GenerationRequest, rates: Rates): CheapRequest {
  const cost = expectedCost(mapping, request);
  const rate = cost && Object.hasOwn(rates, cost.currency) ? rates[cost.currency] : undefined;
  const kopecks = priceKopecks(model, request);
  return {
    request,
    mapping,
    ...(cost && { cost }),
    ...(cost && rate !== undefined && { costRub: Number((cost.amount * rate).toFixed(2)) }),
    ...(kopecks !== undefined && { priceRub: rublesOf(kopecks) }),
  };
}

/** Returns the cost in rubles, or the price where no cost is known. */
function sumOf({ costRub, priceRub }: CheapRequest): number {
  return costRub ?? priceRub ?? Number.MAX_SAFE_INTEGER;
}

/** Ranks a request: values stand in the catalogue from the smallest up, and links need uploads. */
function burdenOf({ parameters }: Model, request: GenerationRequest): number {
  const links = LINKS.filter((name) => request[name] !== undefined).length;
  const steps = ORDERED.map((name) => {
    const values: readonly unknown[] = parameters[name]?.values ?? [];
    return Math.max(0, values.indexOf(request[name]));
  });
  const sound = request.sound === true ? 1 : 0;
  // The shape of the file cannot be judged then.
  const auto = request.aspect_ratio === "auto" ? 50 : 0;
  const fields = Object.keys(request).length;
  return links * 10_000 + (steps.reduce((sum, step) => sum + step, 0) + sound) * 100 + auto + fields;
}
