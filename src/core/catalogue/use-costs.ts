import type { Model } from "../../contract/model.js";
import { asKopecks, type Kopecks } from "../../contract/money.js";
import { pricePath } from "../../contract/price.js";
import type { GenerationRequest } from "../../contract/request.js";
import { mappingFor } from "../../mapping/choose-mapping.js";
import { expectedCost } from "../../mapping/expected-cost.js";
import { type Rates, rateOf } from "../../mapping/service-settings.js";
import type { CatalogueEntry } from "./catalogue.js";
import { mappingsOf } from "./choose-provider.js";
import { sampleRequests } from "./sample-requests.js";

/** A combination of a model's settings, and what services ask for it. */
export interface UseCosts {
  request: GenerationRequest;
  /** Services that take it. */
  costs: readonly ServiceCost[];
}

export interface ServiceCost {
  service: string;
  /** Rounded up. Undefined where the service does not tell it, or its currency has no rate. */
  kopecks: Kopecks | undefined;
}

/** Lists what services ask for each combination of a model's settings, at the given rates. */
export function useCosts(
  { model, mappings }: Pick<CatalogueEntry, "model" | "mappings">,
  services: readonly string[],
  rates: Rates,
): UseCosts[] {
  return sampleRequests(model).map((request) => ({
    request,
    costs: services.flatMap((service) => {
      const found = mappingFor(mappingsOf(mappings, service), request);
      if (!("mapping" in found)) return [];
      const cost = expectedCost(found.mapping, request);
      const rate = cost && rateOf(cost.currency, rates);
      return [{ service, kopecks: !cost || rate === undefined ? undefined : kopecksUp(cost.amount * rate) }];
    }),
  }));
}

/** Rounds up to a whole kopeck. The digits that are cut come from the binary form of the factors. */
function kopecksUp(rubles: number): Kopecks {
  return asKopecks(Math.ceil(Number((rubles * 100).toFixed(4))));
}

const PRICED = ["generation_mode", "resolution", "duration_sec", "video_speed_mode", "sound"] as const;

/** Names the settings that a price depends on: `resolution 720p, sound true`. */
export function variantOf(model: Model, request: GenerationRequest): string {
  const hasColumns = pricePath(model, request).length === COLUMN_LEVELS;
  const column = request.reference_urls === undefined ? "without references" : "with references";
  const settings = PRICED.flatMap((name) =>
    request[name] === undefined ? [] : [`${name} ${request[name]}`],
  );
  return [...settings, ...(hasColumns ? [column] : [])].join(", ");
}

/** Levels of a price table that tells references apart. */
const COLUMN_LEVELS = 3;
