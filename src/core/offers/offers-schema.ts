import { z } from "zod";
import type { PriceTable } from "../../contract/model.js";
import { ratesSchema } from "../../mapping/service-settings.js";
import { AMOUNT, isAmount, RUBLES_MAX, shownFields, wrongPrices } from "../catalogue/entry-schema.js";

/** Stands for a price that follows what services ask. */
export const FROM_COST = "from cost";

const FACTOR_ON_COST_MAX = 100;
const factorOnCost = z.number().max(FACTOR_ON_COST_MAX, `must be ${FACTOR_ON_COST_MAX} at most`);

/** A table by resolution, by duration, by both, or by mode, use and resolution, as the catalogue has it. */
const PRICE_FORMS = [
  { const: FROM_COST },
  { type: "number", exclusiveMinimum: 0, maximum: RUBLES_MAX },
  { type: "object" },
];

const price = z
  .custom<PriceTable | typeof FROM_COST>()
  .superRefine((given, context) => {
    if (given === FROM_COST) return;
    const isText = typeof given === "string";
    const message = isText ? `must be "${FROM_COST}", or prices as in the catalogue` : AMOUNT;
    for (const path of wrongPrices(given)) context.addIssue({ code: "custom", path, message });
  })
  .meta({ description: "Rubles, or what services ask times the markup", anyOf: PRICE_FORMS });

/** What an operator sells a model as. What is absent comes from the catalogue. */
const offerSchema = z.strictObject({
  price_rub: price.optional(),
  sound_factor: shownFields.sound_factor.exactOptional(),
  fast_factor: shownFields.fast_factor.exactOptional(),
  status: shownFields.status.exactOptional(),
  title: shownFields.title.exactOptional(),
  about: shownFields.about.exactOptional(),
  order: z.number().describe("Models with a place come first, the lowest place first").exactOptional(),
});
export type Offer = z.infer<typeof offerSchema>;

export const offersSchema = z
  .strictObject({
    $schema: z.string().exactOptional(),
    markup: factorOnCost
      .positive("must be more than 0")
      .describe('A price "from cost" is the cost times this')
      .exactOptional(),
    floor: factorOnCost
      .nonnegative("must be 0 or more")
      .describe("No price is below its cost times this")
      .exactOptional(),
    round_to_rub: z
      .custom<number>((value) => isAmount(value, RUBLES_MAX), AMOUNT)
      .meta({
        description: "Prices that are computed are rounded up to a multiple of this",
        type: "number",
        exclusiveMinimum: 0,
        maximum: RUBLES_MAX,
      })
      .default(1),
    rates: ratesSchema
      .describe("Rubles for a unit of a currency, instead of the catalogue's")
      .exactOptional(),
    rates_at: z.iso
      .date("must be a day, YYYY-MM-DD")
      .describe("The day on which the rates were looked up")
      .exactOptional(),
    others: z
      .enum(["as_in_catalogue", "disabled"])
      .describe("What becomes of models that are not named")
      .default("as_in_catalogue"),
    models: z.record(z.string(), offerSchema).default({}),
  })
  .superRefine(({ rates, rates_at, markup, models }, context) => {
    const missing = (path: string, why: string) =>
      context.addIssue({ code: "custom", path: [path], message: `is missing, and ${why}` });
    if (rates && rates_at === undefined) missing("rates_at", "rates are given");
    const [key] = Object.entries(models).find(([, { price_rub }]) => price_rub === FROM_COST) ?? [];
    if (key !== undefined && markup === undefined) missing("markup", `the price of ${key} is ${FROM_COST}`);
  });
export type OffersFile = z.infer<typeof offersSchema>;
