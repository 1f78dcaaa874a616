import type { z } from "zod";
import { type Call, json } from "../call.js";
import type { DialectRoute } from "../dialect.js";
import type { Json } from "../json.js";
import type { Model } from "../model.js";
import { MODELS } from "./models.js";
import { constraintOf } from "./parameter-constraint.js";

/*
 * Source: https://polza.ai/docs/api-reference/models/catalog, and …/list.md for the schemas of an entry. Programs that
 * read it find `cost_rub` in tiers, where the page says `costRub`, and the number of models in `meta.total`.
 */

const PAGE_SIZE = 20;
const PAGE_SIZE_MAX = 100;
/** Fields that the stand-in's prices depend on. */
const PRICED_BY = ["duration", "resolution", "image_resolution", "quality", "mode"];

/** All models by pages, with parameters and prices; needs no key. */
export const catalogueRoute: DialectRoute = {
  kind: "plain",
  isFree: true,
  answer: ({ query, headers }: Call) => {
    const limit = Math.min(numberOf(query.get("limit"), PAGE_SIZE), PAGE_SIZE_MAX);
    const page = numberOf(query.get("page"), 1);
    const all = Object.entries(MODELS);
    const shown = all.slice((page - 1) * limit, page * limit);
    const meta = { total: all.length, page, limit, totalPages: Math.ceil(all.length / limit) };
    if (headers.authorization !== undefined)
      return json(400, { error: { message: "no key is needed here" } });
    return json(200, { data: shown.map(([id, model]) => entryOf(id, model)), meta });
  },
};

function numberOf(given: string | null, otherwise: number): number {
  const number = Number(given ?? otherwise);
  return Number.isInteger(number) && number > 0 ? number : otherwise;
}

function entryOf(id: string, model: Model): object {
  const parameters = Object.fromEntries(
    Object.entries(model.schema.shape).map(([name, field]) => [name, constraintOf(field)]),
  );
  const pricing = { currency: "RUB", ...pricesOf(model) };
  return {
    id,
    name: id,
    type: model.unit === "images" ? "image" : id.startsWith("suno/") ? "audio" : "video",
    created: 1_765_987_078,
    architecture: { modality: null, input_modalities: ["text"], output_modalities: [] },
    top_provider: { is_moderated: true, context_length: null, pricing, parameters },
    endpoints: ["/v1/media"],
  };
}

/** A tier for each combination of the values that may decide, or one price where none does. */
function pricesOf({ schema, units, unitPrice }: Model): object {
  const costOf = (input: Json) => (units(input) * unitPrice).toFixed(2);
  const tiers = combinations(schema.shape).map((input) => ({
    conditions: Object.entries(input).map(([name, value]) => `${name}=${value}`),
    cost_rub: costOf(input),
  }));
  const isFlat = new Set(tiers.map(({ cost_rub }) => cost_rub)).size <= 1;
  return isFlat ? { per_request: costOf({}), tiers: null } : { per_request: null, tiers };
}

function combinations(shape: z.core.$ZodShape): readonly Json[] {
  return PRICED_BY.reduce<readonly Json[]>(
    (inputs, name) => {
      const field = shape[name];
      const { values = [] } = field ? constraintOf(field) : {};
      return values.length === 0
        ? inputs
        : inputs.flatMap((input) => values.map((value) => ({ ...input, [name]: value })));
    },
    [{}],
  );
}
