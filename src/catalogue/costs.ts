import type { Model } from "../contract/model.js";
import { asKopecks, type Kopecks, priceKopecks, pricePath, rublesOf } from "../contract/price.js";
import type { GenerationRequest } from "../contract/request.js";
import type { Catalogue, CatalogueEntry } from "./catalogue.js";
import { mappingsOf } from "./choose-provider.js";
import { expectedCost, mappingFor, type Rates, rateOf } from "./operation.js";
import { sampleRequests } from "./sample-requests.js";

type Priced = Pick<CatalogueEntry, "model" | "mappings">;

/** A combination of a model's settings, and what services ask for it. */
interface UseCosts {
  request: GenerationRequest;
  /** Services that take it. */
  costs: readonly ServiceCost[];
}

interface ServiceCost {
  service: string;
  /** Rounded up. Undefined where the service does not tell it, or its currency has no rate. */
  kopecks: Kopecks | undefined;
}

/** Lists what services ask for each combination of a model's settings, at the given rates. */
export function useCosts({ model, mappings }: Priced, services: readonly string[], rates: Rates): UseCosts[] {
  return sampleRequests(model).map((request) => ({
    request,
    costs: services.flatMap((service) => {
      const found = mappingFor(mappingsOf(mappings, service), request);
      if (!("mapping" in found)) return [];
      const cost = expectedCost(found.mapping, request);
      const rate = cost && rateOf(cost.currency, rates);
      const kopecks = cost && rate !== undefined ? wholeKopecks(cost.amount * rate * 100) : undefined;
      return [{ service, kopecks }];
    }),
  }));
}

/** Rounds up to a whole kopeck. The digits that are cut come from the binary form of the factors. */
export function wholeKopecks(kopecks: number): Kopecks {
  return asKopecks(Math.ceil(Number(kopecks.toFixed(4))));
}

const PRICED = ["generation_mode", "resolution", "duration_sec", "video_speed_mode", "sound"] as const;

/** Names the settings that a price depends on: `resolution 720p, sound true`. */
function variantOf(model: Model, request: GenerationRequest): string {
  const hasColumns = pricePath(model, request).length === COLUMN_LEVELS;
  const column = request.reference_urls === undefined ? "without references" : "with references";
  const settings = PRICED.flatMap((name) =>
    request[name] === undefined ? [] : [`${name} ${request[name]}`],
  );
  return [...settings, ...(hasColumns ? [column] : [])].join(", ");
}

/** Levels of a price table that tells references apart. */
const COLUMN_LEVELS = 3;

interface ComparedPrice {
  /** Settings that the price depends on; empty where the model has one price. */
  at: string;
  price: Kopecks;
  cost: Kopecks | undefined;
  /** False for settings that the provider does not take. */
  isTaken: boolean;
}

/** Lists the price of each combination of settings, with what one provider asks for it. */
function comparedPrices(entry: Priced, provider: string, rates: Rates): ComparedPrice[] {
  const { model } = entry;
  return useCosts(entry, [provider], rates).flatMap(({ request, costs: [cost] }) => {
    const price = priceKopecks(model, request);
    if (price === undefined) return [];
    return [{ at: variantOf(model, request), price, cost: cost?.kopecks, isTaken: cost !== undefined }];
  });
}

/** A price of a model that is below what a service asks. */
interface Loss {
  model: string;
  service: string;
  /** Settings of the price that is farthest below its cost; empty where the model has one price. */
  variant: string;
  price: Kopecks;
  cost: Kopecks;
  /** Number of other prices below their cost at this service. */
  others: number;
}

/** Finds the price farthest below its cost at a service. Unknown costs and rates are skipped. */
export function lossAt(entry: Priced, service: string, rates: Rates): Loss | undefined {
  const model = entry.model.model_key;
  const found = new Map<string, Omit<Loss, "others">>();
  for (const { at, price, cost } of comparedPrices(entry, service, rates)) {
    if (cost !== undefined && cost > price)
      found.set(`${price} ${cost}`, { model, service, variant: at, price, cost });
  }
  const [worst, ...others] = [...found.values()].sort(
    (one, other) => other.cost / other.price - one.cost / one.price,
  );
  return worst && { ...worst, others: others.length };
}

/** Tells the loss in one line, with the sum that would cover it. */
export function lossText({ model, service, variant, price, cost, others }: Loss): string {
  const where = variant === "" ? "" : ` at ${variant}`;
  const more =
    others === 1 ? "; 1 more price is below its cost" : `; ${others} more prices are below their cost`;
  const told = `${rublesOf(price)} RUB${where} is below its cost: ${rublesOf(cost)} RUB would cover it`;
  return `${model}: ${service}: ${told}${others > 0 ? more : ""}`;
}

/** What a model is sold for where one provider makes it. Amounts in rubles. */
export interface SaleRow {
  model: string;
  title: string;
  type: CatalogueEntry["type"];
  provider: string;
  prices: readonly SalePrice[];
}

interface SalePrice {
  /** Settings that the price depends on; empty where the model has one price. */
  at: string;
  price: number;
  /** Null where it is not known. */
  cost: number | null;
  margin: number | null;
}

/** Lists what is sold, by model and provider of PROVIDERS, each price once with its dearest cost. */
export function saleReport(offers: {
  current(): Catalogue;
  readonly providers: readonly string[];
}): SaleRow[] {
  const { entries, rates } = offers.current();
  return entries
    .filter(({ status }) => status === "active")
    .flatMap((entry) =>
      makersOf(entry, offers.providers).map((provider) => ({
        model: entry.model_key,
        title: entry.title,
        type: entry.type,
        provider,
        prices: pricesOf(entry, provider, rates),
      })),
    );
}

/** A renderer makes what no listed service does, and tells no costs. */
function makersOf({ mappings, provider }: CatalogueEntry, providers: readonly string[]): readonly string[] {
  const services = providers.filter((name) => mappingsOf(mappings, name).length > 0);
  return services.length > 0 ? services : providers.filter((name) => name === provider.name);
}

function pricesOf(entry: CatalogueEntry, provider: string, rates: Rates): SalePrice[] {
  const isService = mappingsOf(entry.mappings, provider).length > 0;
  const dearest = new Map<string, ComparedPrice>();
  for (const compared of comparedPrices(entry, provider, rates)) {
    const { at, price, cost, isTaken } = compared;
    if (isService && !isTaken) continue;
    const key = `${at} ${price}`;
    const known = dearest.get(key);
    if (!known || (cost ?? 0) > (known.cost ?? 0)) dearest.set(key, compared);
  }
  return [...dearest.values()].map(({ at, price, cost }) => ({
    at,
    price: rublesOf(price),
    cost: cost === undefined ? null : rublesOf(cost),
    margin: cost === undefined ? null : rublesOf(price - cost),
  }));
}
