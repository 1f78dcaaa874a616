import { z } from "zod";
import { detailOf, isSuccess, numeric, readJson } from "../../../providers/judge-status.js";
import { polzaPrice, polzaPricing } from "./polza-price.js";
import {
  type PublishedEntry,
  type PublishedField,
  type PublishedFields,
  type PublishedWay,
  unreadable,
} from "./published-model.js";
import { type AskPublisher, NoCatalogueError, type Publisher } from "./publisher.js";

/*
 * Sources: https://polza.ai/docs/api-reference/models/list.md (the schemas PublicModelPresenter,
 * ModelParameterConstraintPresenter, ModelPricingPresenter; needs no key) and …/models/catalog, which has the same by
 * pages. Programs that read it: parameters stand beside `top_provider`, in it, or in `providers`; `meta.total`.
 */

const PAGE = "https://polza.ai/api/v1/models/catalog";
const PAGE_SIZE = 100;
const PAGES_MAX = 40;

const optional = <T extends z.ZodType>(type: T) => type.nullish().catch(undefined);
const constraint = z.looseObject({
  required: optional(z.boolean()),
  max_length: optional(numeric),
  min: optional(numeric),
  max: optional(numeric),
  default: optional(z.union([z.string(), z.number(), z.boolean()])),
  values: z.array(z.union([z.string(), z.number(), z.boolean()])).nullish(),
});
const parameters = z.record(z.string(), constraint.nullish()).nullish();
const provider = z.looseObject({ parameters, pricing: optional(polzaPricing) });
const entry = z.looseObject({
  parameters,
  top_provider: provider.nullish(),
  providers: optional(z.array(provider)),
});
const listed = z.looseObject({ id: z.string().min(1).max(300) });
const page = z.looseObject({
  data: z.array(z.unknown()),
  meta: optional(z.looseObject({ total: optional(numeric) })),
});

/** All models of polza.ai, with their parameters and prices in rubles. */
export const polzaCatalogue: Publisher = {
  hosts: ["polza.ai"],
  page: PAGE,
  async read(ask, endpoints) {
    const models = await allModels(ask);
    return new Map(
      endpoints.map((id): [string, PublishedEntry] => {
        const found = models.get(id);
        return [id, found === undefined ? { kind: "missing" } : readModel(found)];
      }),
    );
  },
};

async function allModels(ask: AskPublisher): Promise<ReadonlyMap<string, unknown>> {
  const models = new Map<string, unknown>();
  let read = 0;
  for (let number = 1; number <= PAGES_MAX; number += 1) {
    const { data, meta } = await onePage(ask, number);
    const before = models.size;
    for (const item of data) {
      const { success, data: model } = listed.safeParse(item);
      if (success && !models.has(model.id)) models.set(model.id, item);
    }
    read += data.length;
    // A page that repeats another one is the last as well.
    if (models.size === before || (typeof meta?.total === "number" && read >= meta.total)) return models;
  }
  throw new NoCatalogueError(`the catalogue has more than ${PAGES_MAX} pages`);
}

async function onePage(ask: AskPublisher, number: number): Promise<z.infer<typeof page>> {
  const answer = await ask(`${PAGE}?include_providers=true&limit=${PAGE_SIZE}&page=${number}`);
  const { success, data } = page.safeParse(isSuccess(answer) ? readJson(answer) : undefined);
  if (!success) throw new NoCatalogueError(`page ${number} is no catalogue: ${detailOf(answer)}`);
  if (number === 1 && data.data.length === 0) throw new NoCatalogueError("the catalogue is empty");
  return data;
}

function readModel(given: unknown): PublishedEntry {
  const { success, data, error } = entry.safeParse(given);
  if (!success) {
    const [issue] = error.issues;
    return unreadable(`${issue?.path.join(".")}: ${issue?.message}`);
  }
  const { top_provider: top, providers } = data;
  const [source] = [data.parameters, top?.parameters, providers?.[0]?.parameters].filter(
    (found) => typeof found === "object" && found !== null && Object.keys(found).length > 0,
  );
  const fields = source ? fieldsOf(source) : undefined;
  const priceOf = polzaPrice(top?.pricing ?? providers?.[0]?.pricing ?? {}, fields ?? {});
  const notes = fields ? [] : ["the service does not describe its fields"];
  return { kind: "model", model: { fields, readsNoOther: false, priceOf, notes } };
}

function fieldsOf(source: NonNullable<z.infer<typeof parameters>>): PublishedFields {
  return Object.fromEntries(
    Object.entries(source).flatMap(([name, given]) => (given ? [[name, fieldOf(given)]] : [])),
  );
}

/** Reads a field. `min` and `max` are of a number or of a list. Values are told as texts, whatever they are sent as. */
function fieldOf(given: z.infer<typeof constraint>): PublishedField {
  const { required, values, default: fallback } = given;
  const [min, max] = [given.min ?? undefined, given.max ?? undefined];
  const lengthMax = given.max_length ?? undefined;
  const bounds: PublishedWay = { min, max, countMin: min, countMax: max, lengthMax };
  const isBounded = [min, max, lengthMax].some((bound) => bound !== undefined);
  const way = values && values.length > 0 ? { values: values.flatMap(formsOf) } : isBounded && bounds;
  return { isRequired: required === true, fallback: fallback ?? undefined, ways: way ? [way] : [] };
}

function formsOf(value: string | number | boolean): (string | number | boolean)[] {
  const text = String(value);
  if (text === "true" || text === "false") return [text, text === "true"];
  return text.trim() !== "" && Number.isFinite(Number(text)) ? [text, Number(text)] : [text];
}
