import { z } from "zod";
import type { Json } from "../../../src/catalogue/json.js";
import { detailOf, isSuccess, numeric, readJson } from "../../../src/providers/judge-status.js";
import type { Finding } from "./findings.js";
import {
  type Ask,
  missing,
  type PublishedField,
  type PublishedFields,
  type PublishedModel,
  type Publisher,
  unreadable,
} from "./published.js";

/*
 * Sources: https://polza.ai/docs/api-reference/models/list.md (the schemas PublicModelPresenter,
 * ModelParameterConstraintPresenter, ModelPricingPresenter, ClientTierPresenter; needs no key) and …/models/catalog,
 * which has the same by pages. Programs that read it: parameters stand beside `top_provider`, in it, or in `providers`;
 * `meta.total`. The page says `costRub`, answers that programs read say `cost_rub`.
 */

const PAGE = "https://polza.ai/api/v1/models/catalog";
const PAGE_SIZE = 100;
const PAGES_MAX = 40;

const optional = <T extends z.ZodType>(type: T) =>
  type
    .nullish()
    .catch(undefined)
    .transform((value) => value ?? undefined);
const number = optional(numeric);
const scalar = z.union([z.string(), z.number(), z.boolean()]);
const constraint = z.looseObject({
  required: optional(z.boolean()),
  max_length: number,
  min: number,
  max: number,
  default: optional(scalar),
  values: z.array(scalar).nullish(),
});
const parameters = z.record(z.string(), constraint.nullish()).nullish();
const tier = z.looseObject({ conditions: z.array(z.string()).nullish(), costRub: number, cost_rub: number });
export const pricing = z.looseObject({
  currency: optional(z.string()),
  per_request: number,
  video_per_second: number,
  tiers: z.unknown().optional(),
  /** The parameter that the price of a tier is multiplied by. */
  unitParam: optional(z.string()),
});
const provider = z.looseObject({ parameters, pricing: optional(pricing) });
const entry = z.looseObject({
  parameters,
  top_provider: provider.nullish(),
  providers: optional(z.array(provider)),
});
const listed = z.looseObject({ id: z.string().min(1).max(300) });
const page = z.looseObject({
  data: z.array(z.unknown()),
  meta: optional(z.looseObject({ total: number })),
});

/** All models of polza.ai, with their parameters and prices in rubles. */
export const polzaCatalogue: Publisher = {
  hosts: ["polza.ai"],
  page: PAGE,
  async read(ask, endpoints) {
    const models = await allModels(ask);
    return new Map(endpoints.map((id) => [id, models.has(id) ? readModel(models.get(id)) : missing()]));
  },
};

async function allModels(ask: Ask): Promise<ReadonlyMap<string, unknown>> {
  const models = new Map<string, unknown>();
  let read = 0;
  for (let no = 1; no <= PAGES_MAX; no += 1) {
    const answer = await ask(`${PAGE}?include_providers=true&limit=${PAGE_SIZE}&page=${no}`);
    const { success, data } = page.safeParse(isSuccess(answer) ? readJson(answer) : undefined);
    if (!success) throw new Error(`page ${no} is no catalogue: ${detailOf(answer)}`);
    if (no === 1 && data.data.length === 0) throw new Error("the catalogue is empty");
    const before = models.size;
    for (const item of data.data) {
      const { success: isModel, data: model } = listed.safeParse(item);
      if (isModel && !models.has(model.id)) models.set(model.id, item);
    }
    read += data.data.length;
    // A page that repeats another one is the last as well.
    if (models.size === before || read >= (data.meta?.total ?? Number.POSITIVE_INFINITY)) return models;
  }
  throw new Error(`the catalogue has more than ${PAGES_MAX} pages`);
}

function readModel(given: unknown): PublishedModel | Finding {
  const { success, data, error } = entry.safeParse(given);
  if (!success) return unreadable(`${error.issues[0]?.path.join(".")}: ${error.issues[0]?.message}`);
  const { top_provider: top, providers: [first] = [] } = data;
  const found = [data.parameters, top?.parameters, first?.parameters].find(
    (one) => one && Object.keys(one).length > 0,
  );
  const fields = Object.fromEntries(
    Object.entries(found ?? {}).flatMap(([name, one]) => (one ? [[name, fieldOf(one)]] : [])),
  );
  return {
    fields,
    pricesOf: polzaPrices(top?.pricing ?? first?.pricing ?? {}, fields),
  };
}

/** Reads a field. `min` and `max` are of a number or of a list. Values are told as texts, whatever they are sent as. */
function fieldOf(given: z.infer<typeof constraint>): PublishedField {
  const { required, values, default: fallback, min, max, max_length: maxLength } = given;
  const schema = values?.length
    ? z.literal(values.flatMap(formsOf))
    : z.union([
        z
          .number()
          .min(min ?? Number.NEGATIVE_INFINITY)
          .max(max ?? Number.POSITIVE_INFINITY),
        z
          .array(z.unknown())
          .min(min ?? 0)
          .max(max ?? Number.POSITIVE_INFINITY),
        z.string().max(maxLength ?? Number.POSITIVE_INFINITY),
        z.union([z.boolean(), z.null(), z.looseObject({})]),
      ]);
  return { isRequired: required === true, fallback, schema };
}

function formsOf(value: string | number | boolean): (string | number | boolean)[] {
  const text = String(value);
  if (text === "true" || text === "false") return [text, text === "true"];
  return text.trim() !== "" && Number.isFinite(Number(text)) ? [text, Number(text)] : [text];
}

/** Returns what one task costs, by its input. Nothing is told where the prices have a form that is not known. */
export function polzaPrices(
  { currency = "RUB", per_request, video_per_second, unitParam, ...given }: Partial<z.infer<typeof pricing>>,
  fields: PublishedFields,
): NonNullable<PublishedModel["pricesOf"]> {
  const tiers = readTiers(given.tiers ?? []);
  return (input) => {
    const valueAt = (name: string): Json | undefined =>
      input[name] ?? (Object.hasOwn(fields, name) ? fields[name]?.fallback : undefined);
    const units = (name: string) => Number.parseFloat(String(valueAt(name)));
    const amount =
      tiers?.length === 0
        ? (per_request ?? (video_per_second ?? Number.NaN) * units("duration"))
        : rateOf(tiers ?? [], valueAt) * (unitParam ? units(unitParam) : 1);
    return Number.isFinite(amount) ? [{ amount, currency, per: "task" }] : [];
  };
}

type Tier = NonNullable<ReturnType<typeof readTiers>>[number];

/** Returns the rate of the tier whose conditions hold and are the most. NaN where there is none, or two differ. */
function rateOf(tiers: readonly Tier[], valueAt: (name: string) => Json | undefined): number {
  const held = tiers.filter(({ conditions }) =>
    conditions.every(([, name = "", value]) => String(valueAt(name)) === value),
  );
  const most = Math.max(...held.map(({ conditions }) => conditions.length));
  const amounts = held.filter(({ conditions }) => conditions.length === most).map(({ amount }) => amount);
  return new Set(amounts).size === 1 ? (amounts[0] ?? Number.NaN) : Number.NaN;
}

/** Reads tiers. Undefined where they have another form, one has no price, or a condition is not `name=value`. */
function readTiers(given: unknown) {
  const { data } = z.array(tier).safeParse(given);
  const tiers = data?.map(({ conditions, costRub, cost_rub }) => ({
    amount: costRub ?? cost_rub ?? Number.NaN,
    conditions: (conditions ?? []).map((one) => /^\s*([\w.]+)\s*=\s*([^=].*?)\s*$/.exec(one) ?? []),
  }));
  const isRead = tiers?.every(
    ({ amount, conditions }) => Number.isFinite(amount) && conditions.every(({ length }) => length > 0),
  );
  return isRead ? tiers : undefined;
}
