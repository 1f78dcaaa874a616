import { type Kopecks, rublesOf } from "../../../contract/money.js";
import { priceKopecks } from "../../../contract/price.js";
import type { Rates } from "../../../mapping/service-settings.js";
import type { CatalogueEntry } from "../catalogue.js";
import { useCosts, variantOf } from "../use-costs.js";

/** A price of a model that is below what a service asks. */
export interface Loss {
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
export function lossAt(
  entry: Pick<CatalogueEntry, "model" | "mappings">,
  service: string,
  rates: Rates,
): Loss | undefined {
  const { model } = entry;
  const found = new Map<string, Omit<Loss, "others">>();
  for (const { request, costs } of useCosts(entry, [service], rates)) {
    const cost = costs[0]?.kopecks;
    const price = priceKopecks(model, request);
    if (cost === undefined || price === undefined || cost <= price) continue;
    const variant = variantOf(model, request);
    found.set(`${price} ${cost}`, { model: model.model_key, service, variant, price, cost });
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
