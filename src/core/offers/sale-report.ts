import { type Kopecks, rublesOf } from "../../contract/money.js";
import { priceKopecks } from "../../contract/price.js";
import type { CatalogueEntry } from "../catalogue/catalogue.js";
import { mappingsOf } from "../catalogue/choose-provider.js";
import { useCosts, variantOf } from "../catalogue/use-costs.js";
import type { Offers } from "./offers.js";

/** What a model is sold for where one provider makes it. Amounts in rubles. */
export interface SaleRow {
  model: string;
  title: string;
  type: CatalogueEntry["type"];
  provider: string;
  prices: readonly SalePrice[];
}

export interface SalePrice {
  /** Settings that the price depends on; empty where the model has one price. */
  at: string;
  price: number;
  /** Null where it is not known. */
  cost: number | null;
  margin: number | null;
}

/** Lists what is sold, by model and provider of PROVIDERS, each price once with its dearest cost. */
export function saleReport(offers: Pick<Offers, "current" | "providers">): SaleRow[] {
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

function pricesOf(
  entry: CatalogueEntry,
  provider: string,
  rates: Parameters<typeof useCosts>[2],
): SalePrice[] {
  const { model, mappings } = entry;
  const isService = mappingsOf(mappings, provider).length > 0;
  const dearest = new Map<string, { at: string; price: Kopecks; cost: Kopecks | undefined }>();
  for (const { request, costs } of useCosts(entry, [provider], rates)) {
    const price = priceKopecks(model, request);
    if (price === undefined || (isService && costs.length === 0)) continue;
    const at = variantOf(model, request);
    const cost = costs[0]?.kopecks;
    const key = `${at} ${price}`;
    const known = dearest.get(key);
    if (!known || (cost ?? 0) > (known.cost ?? 0)) dearest.set(key, { at, price, cost });
  }
  return [...dearest.values()].map(({ at, price, cost }) => ({
    at,
    price: rublesOf(price),
    cost: cost === undefined ? null : rublesOf(cost),
    margin: cost === undefined ? null : rublesOf(price - cost),
  }));
}
