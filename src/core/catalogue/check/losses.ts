import type { Model } from "../../../contract/model.js";
import { rublesOf } from "../../../contract/money.js";
import { priceKopecks } from "../../../contract/price.js";
import { mappingFor } from "../../../mapping/choose-mapping.js";
import { expectedCost } from "../../../mapping/expected-cost.js";
import type { Mapping } from "../../../mapping/mapping.js";
import type { Rates } from "../../../mapping/service-settings.js";
import { sampleRequests } from "../sample-requests.js";

interface Loss {
  variant: string;
  price: number;
  cost: number;
}

/** Lists requests that are sold below their cost at the given rates. Unknown costs and rates are skipped. */
export function losses(model: Model, mappings: readonly Mapping[], rates: Rates): string[] {
  const found = new Map<string, Loss>();
  for (const request of sampleRequests(model)) {
    const chosen = mappingFor(mappings, request);
    const cost = "mapping" in chosen ? expectedCost(chosen.mapping, request) : undefined;
    const rate = cost && Object.hasOwn(rates, cost.currency) ? rates[cost.currency] : undefined;
    const kopecks = priceKopecks(model, request);
    if (!cost || rate === undefined || kopecks === undefined) continue;
    const [price, rubles] = [rublesOf(kopecks), Number((cost.amount * rate).toFixed(2))];
    if (rubles <= price) continue;
    const variant = PRICED.flatMap((name) =>
      request[name] === undefined ? [] : [`${name} ${request[name]}`],
    );
    found.set(`${price} ${rubles}`, { variant: variant.join(", "), price, cost: rubles });
  }
  const [worst, ...others] = [...found.values()].sort(
    (one, other) => other.cost / other.price - one.cost / one.price,
  );
  if (!worst) return [];
  const more =
    others.length === 1
      ? "; 1 more price is below its cost"
      : `; ${others.length} more prices are below their cost`;
  const where = worst.variant === "" ? "" : ` at ${worst.variant}`;
  return [
    `${worst.price} RUB is below the cost of ${worst.cost} RUB${where}${others.length > 0 ? more : ""}`,
  ];
}

const PRICED = ["generation_mode", "resolution", "duration_sec", "video_speed_mode", "sound"] as const;
