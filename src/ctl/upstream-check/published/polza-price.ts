import { z } from "zod";
import { numeric } from "../../../providers/judge-status.js";
import {
  findField,
  type PublishedFields,
  type PublishedModel,
  type PublishedPrice,
  type SentInput,
} from "./published-model.js";

/*
 * Source: https://polza.ai/docs/api-reference/models/list.md, ModelPricingPresenter and ClientTierPresenter. The page
 * says `costRub`, answers that programs read say `cost_rub`.
 */

const price = numeric.nullish().catch(undefined);
const tier = z.looseObject({
  conditions: z.array(z.string()).nullish(),
  costRub: price,
  cost_rub: price,
});
export const polzaPricing = z.looseObject({
  currency: z.string().nullish().catch(undefined),
  per_request: price,
  video_per_second: price,
  tiers: z.unknown().optional(),
  /** The parameter that the price of a tier is multiplied by. */
  unitParam: z.string().nullish().catch(undefined),
});
type Pricing = Partial<z.infer<typeof polzaPricing>>;

interface Tier {
  conditions: readonly (readonly [name: string, value: string])[];
  amount: number;
}

/** Returns what one task costs, by its input. Its price is unknown where the prices have a form that is not known. */
export function polzaPrice(
  pricing: Pricing,
  fields: PublishedFields,
): NonNullable<PublishedModel["priceOf"]> {
  const tiers = readTiers(pricing.tiers ?? []);
  const currency = pricing.currency ?? "RUB";
  return (input) => {
    const valueAt = (name: string) => input[name] ?? findField(fields, name)?.fallback;
    const amount = tiers && amountOf(pricing, tiers, valueAt);
    return amount === undefined ? undefined : ({ amount, currency } satisfies PublishedPrice);
  };
}

function amountOf(
  { per_request: perRequest, video_per_second: perSecond, unitParam }: Pricing,
  tiers: readonly Tier[],
  valueAt: (name: string) => SentInput[string] | undefined,
): number | undefined {
  const units = (name: string) => {
    const count = Number.parseFloat(String(valueAt(name)));
    return Number.isFinite(count) ? count : undefined;
  };
  if (tiers.length > 0) {
    const rate = rateOf(tiers, valueAt);
    const count = unitParam ? units(unitParam) : 1;
    return rate === undefined || count === undefined ? undefined : rate * count;
  }
  if (typeof perRequest === "number") return perRequest;
  const seconds = units("duration");
  return typeof perSecond === "number" && seconds !== undefined ? perSecond * seconds : undefined;
}

/** Returns the rate of the tier whose conditions hold and are the most. Undefined where two differ. */
function rateOf(
  tiers: readonly Tier[],
  valueAt: (name: string) => SentInput[string] | undefined,
): number | undefined {
  const held = tiers.filter(({ conditions }) =>
    conditions.every(([name, value]) => String(valueAt(name)) === value),
  );
  const most = Math.max(...held.map(({ conditions }) => conditions.length));
  const amounts = held.filter(({ conditions }) => conditions.length === most).map(({ amount }) => amount);
  return new Set(amounts).size === 1 ? amounts[0] : undefined;
}

/** Reads tiers. Undefined where they have another form, one has no price, or a condition is not `name=value`. */
function readTiers(given: unknown): readonly Tier[] | undefined {
  const read = z.array(tier).safeParse(given);
  if (!read.success) return undefined;
  const tiers: Tier[] = [];
  for (const { conditions, costRub, cost_rub: snakeCase } of read.data) {
    const amount = costRub ?? snakeCase;
    const parts = (conditions ?? []).map((condition) => /^\s*([\w.]+)\s*=\s*([^=].*?)\s*$/.exec(condition));
    if (amount === undefined || amount === null || parts.includes(null)) return undefined;
    tiers.push({ amount, conditions: parts.map((part) => [part?.[1] ?? "", part?.[2] ?? ""] as const) });
  }
  return tiers;
}
