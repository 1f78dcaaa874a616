import { existsSync, statSync } from "node:fs";
import { z } from "zod";
import type { Model, PriceFactors, PriceTable } from "../contract/model.js";
import {
  asKopecks,
  type Kopecks,
  kopecksOf,
  priceAt,
  pricePath,
  pricesIn,
  rublesOf,
  withPrices,
} from "../contract/price.js";
import { readJsonFile } from "../platform/json.js";
import { MEGABYTE } from "../platform/units.js";
import {
  Catalogue,
  type CatalogueEntry,
  type CatalogueSource,
  loadCatalogue,
  modelOfEntry,
} from "./catalogue.js";
import { useCosts, wholeKopecks } from "./costs.js";
import { factorProblems, priceProblems, shapeProblems } from "./entry-problems.js";
import {
  AMOUNT,
  type EntrySource,
  FACTOR_MAX,
  isAmount,
  RUBLES_MAX,
  shownFields,
  wrongPrices,
} from "./entry-schema.js";
import { ratesSchema } from "./operation.js";

/** Stands for a price that follows what services ask. */
const FROM_COST = "from cost";

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
type Offer = z.infer<typeof offerSchema>;

const offersSchema = z
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

/** Returns the JSON Schema of an offers file, for editors. The rules about other fields and the catalogue are not in it. */
export function offersJsonSchema(): object {
  return {
    ...z.toJSONSchema(offersSchema, { io: "input", unrepresentable: "any" }),
    title: "Offers of Atelier",
  };
}

/** Reports an invalid offers file, in one line that names each field. */
export class OffersError extends Error {
  override readonly name = "OffersError";
  constructor(source: string, problems: readonly string[]) {
    super(`${source}: ${problems.join("; ")}`);
  }
}

const FILE_BYTES_MAX = MEGABYTE;

/** Reads the operator's offers. Throws OffersError. */
export function readOffers(file: string): OffersFile {
  // One that cannot be reached is told of by the read.
  if (existsSync(file) && statSync(file).size > FILE_BYTES_MAX)
    throw new OffersError(file, [`is larger than ${FILE_BYTES_MAX / MEGABYTE} MB: it is no file of offers`]);
  return parseOffers(
    readJsonFile(file, (problem) => new OffersError(file, [problem])),
    file,
  );
}

/** Throws OffersError with all problems at once. */
export function parseOffers(json: unknown, source: string): OffersFile {
  const parsed = offersSchema.safeParse(json);
  if (!parsed.success) throw new OffersError(source, shapeProblems(parsed.error));
  return parsed.data;
}

export interface OffersOptions {
  catalogueFile: string;
  /** Undefined where the catalogue is sold as it is. */
  offersFile: string | undefined;
  /** Names of PROVIDERS. */
  providers: readonly string[];
}

/** Holds the catalogue as the operator sells it: the one place that says what is sold at what price. */
export class Offers implements CatalogueSource {
  readonly file: string | undefined;
  readonly providers: readonly string[];
  readonly #catalogue: Catalogue;
  readonly #listeners: (() => void)[] = [];
  #current: Catalogue;

  /** Reads both files. Throws CatalogueError | OffersError. */
  constructor(
    { catalogueFile, offersFile, providers }: OffersOptions,
    catalogue = loadCatalogue(catalogueFile),
  ) {
    this.file = offersFile;
    this.providers = providers;
    this.#catalogue = catalogue;
    this.#current = this.#read();
  }

  current(): Catalogue {
    return this.#current;
  }

  /** Reads the offers anew; the catalogue stays. Throws OffersError, and changes nothing then. */
  reload(): void {
    this.#current = withFormerTitles(this.#read(), this.#current);
    for (const listener of this.#listeners) listener();
  }

  onReload(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #read(): Catalogue {
    const { file, providers } = this;
    if (file === undefined) return this.#catalogue;
    return soldCatalogue(this.#catalogue, { offers: readOffers(file), providers, source: file });
  }
}

/** Jobs that were sold under a title of before may still be handed to another service. */
function withFormerTitles(catalogue: Catalogue, before: Catalogue): Catalogue {
  const entries = catalogue.entries.map((entry) => {
    const former = before.entries.find(({ model_key }) => model_key === entry.model_key);
    return former
      ? { ...entry, formerTitles: [...new Set([...(former.formerTitles ?? []), former.title])] }
      : entry;
  });
  return new Catalogue(entries, catalogue);
}

interface SaleTerms {
  offers: OffersFile;
  /** Names of PROVIDERS. */
  providers: readonly string[];
  /** File of the offers, for its errors. */
  source: string;
}

/** Returns the catalogue as the operator sells it. Throws OffersError. */
export function soldCatalogue(catalogue: Catalogue, { offers, providers, source }: SaleTerms): Catalogue {
  const facts = {
    services: catalogue.services,
    rates: { ...catalogue.rates, ...offers.rates },
    ratesAt: offers.rates_at ?? catalogue.ratesAt,
  };
  const sale = { offers, providers, rates: facts.rates };
  const sold = catalogue.entries.map((entry) => soldEntry(entry, sale));
  const known = new Set(catalogue.entries.map(({ model_key }) => model_key));
  const unknown = Object.keys(offers.models).filter((key) => !known.has(key));
  const currencies = currenciesOf(catalogue);
  const problems = [
    ...Object.keys(offers.rates ?? {})
      .filter((currency) => !currencies.includes(currency))
      .map((currency) => `rates.${currency}: the catalogue has no such currency: ${currencies.join(", ")}`),
    ...unknown.map((key) => `models.${key}: the catalogue has no such model`),
    ...sold.flatMap((one) => one.problems),
    ...takenTitles(catalogue, sold, offers),
  ];
  if (problems.length > 0) throw new OffersError(source, problems);
  const entries = sold.map(({ entry }) => entry);
  return new Catalogue(withOfferedSuccessors(inOrder(entries, offers)), facts);
}

/** Lists the currencies that the catalogue has a rate or a cost of. */
function currenciesOf({ rates, entries }: Catalogue): string[] {
  const mappings = entries.flatMap((entry) => Object.values(entry.mappings).flat());
  const costs = mappings.flatMap(({ cost }) => (cost ? [cost.currency] : []));
  return [...new Set([...Object.keys(rates), ...costs])];
}

/** Names offers whose title is another model's: people would pay for what they do not mean. */
function takenTitles(
  { entries }: Catalogue,
  sold: readonly { entry: CatalogueEntry }[],
  { models }: OffersFile,
): string[] {
  const titled = [...entries, ...sold.map(({ entry }) => entry)];
  return Object.entries(models).flatMap(([key, { title }]) => {
    if (title === undefined) return [];
    const other = titled.find((entry) => entry.model_key !== key && seenAs(entry.title) === seenAs(title));
    return other ? [`models.${key}.title: is the title of ${other.model_key}`] : [];
  });
}

/** Returns what people see of a title: they tell neither letter sizes nor spaces apart. */
function seenAs(title: string): string {
  return title
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s\u200d]+/g, "");
}

type Sale = Pick<SaleTerms, "offers" | "providers"> & { rates: Catalogue["rates"] };

function soldEntry(entry: CatalogueEntry, sale: Sale): { entry: CatalogueEntry; problems: string[] } {
  const { offers } = sale;
  const key = entry.model_key;
  const named = Object.hasOwn(offers.models, key) ? offers.models[key] : undefined;
  const isLeftOut = !named && offers.others === "disabled" && entry.status === "active";
  const stated = statedSource(entry, named ?? (isLeftOut ? { status: "disabled" } : {}));
  const problems = [...factorProblems(stated), ...priceProblems(modelOfEntry(stated))];
  if (problems.length > 0) return { entry, problems: problems.map((problem) => `models.${key}.${problem}`) };
  const source = pricedSource(stated, named?.price_rub === FROM_COST, entry, sale);
  const model = modelOfEntry(source);
  return {
    entry: { ...source, model, mappings: entry.mappings },
    problems: boundProblems(model).map((problem) => `models.${key}: ${problem}`),
  };
}

/** Returns the entry with what the operator states. A price from cost keeps the catalogue's one for what has no cost. */
function statedSource(source: EntrySource, offer: Offer): EntrySource {
  const { order: _, price_rub, sound_factor, fast_factor, ...shown } = offer;
  const factors = {
    ...(sound_factor !== undefined && { sound_factor }),
    ...(fast_factor !== undefined && { fast_factor }),
  };
  const price = price_rub === undefined || price_rub === FROM_COST ? source.price_rub : price_rub;
  return { ...source, ...shown, ...factors, price_rub: price };
}

function pricedSource(
  source: EntrySource,
  isFromCost: boolean,
  { mappings }: CatalogueEntry,
  { offers, providers, rates }: Sale,
): EntrySource {
  const { markup = 1, floor = 0, round_to_rub } = offers;
  const times = isFromCost ? Math.max(markup, floor) : floor;
  if (times === 0) return source;
  const model = modelOfEntry(source);
  const least = useCosts({ model, mappings }, providers, rates).flatMap(
    ({ request, costs }): LeastPrice[] => {
      const known = costs.flatMap(({ kopecks }) => (kopecks === undefined ? [] : [kopecks]));
      if (known.length === 0) return [];
      const { sound, video_speed_mode } = request;
      return [
        {
          path: pricePath(model, request),
          hasSound: sound === true,
          isFast: video_speed_mode === "fast",
          kopecks: wholeKopecks(Math.max(...known) * times),
        },
      ];
    },
  );
  const start = { table: model.price_rub, factors: model.price_factors ?? {} };
  const { table, factors } = coveringPrices(start, least, {
    step: kopecksOf(round_to_rub),
    isFromLeast: isFromCost,
  });
  if (source.type !== "video") return { ...source, price_rub: table };
  return {
    ...source,
    price_rub: table,
    ...(factors.sound !== undefined && { sound_factor: factors.sound }),
    ...(factors.fast !== undefined && { fast_factor: factors.fast }),
  };
}

function boundProblems({ price_rub, price_factors = {} }: Model): string[] {
  const isDear = pricesIn(price_rub).some(({ rubles }) => rubles > RUBLES_MAX);
  return [
    ...(isDear ? [`a price would be above ${RUBLES_MAX} RUB`] : []),
    ...(Object.values(price_factors).some((factor) => factor > FACTOR_MAX)
      ? [`a factor for sound or fast would be above ${FACTOR_MAX}: its prices are too far from their costs`]
      : []),
  ];
}

function inOrder(entries: readonly CatalogueEntry[], { models }: OffersFile): CatalogueEntry[] {
  const placeOf = ({ model_key }: CatalogueEntry) => models[model_key]?.order ?? Number.MAX_VALUE;
  return entries.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/** Removes successors that are not offered: the chat would show neither. */
function withOfferedSuccessors(entries: readonly CatalogueEntry[]): CatalogueEntry[] {
  const offered = new Set(
    entries.filter(({ status }) => status === "active").map(({ model_key }) => model_key),
  );
  return entries.map((entry) => {
    const { successor, ...model } = entry.model;
    return successor === undefined || offered.has(successor) ? entry : { ...entry, model };
  });
}

/** The least price of one combination of settings. */
export interface LeastPrice {
  /** Keys into the price table. */
  path: readonly string[];
  hasSound: boolean;
  isFast: boolean;
  kopecks: Kopecks;
}

interface Prices {
  table: PriceTable;
  factors: PriceFactors;
}

interface CoverTerms {
  /** Computed prices of the table are multiples of this. */
  step: Kopecks;
  /** Whether prices are made of the least ones, instead of raised to them. Those without a least one stay. */
  isFromLeast: boolean;
}

/** Raises a price table and its factors so that no combination is sold below its least price. */
export function coveringPrices(start: Prices, least: readonly LeastPrice[], terms: CoverTerms): Prices {
  const table = withPrices(start.table, (rubles, path) => coveringRubles(rubles, at(least, path), terms));
  // Of prices that are made, a factor is the ratio of the least ones: rounding the table changes none.
  const plain = ({ path }: LeastPrice) => {
    const made = terms.isFromLeast ? sumsOf(at(least, path).filter(isPlain)) : [];
    return made.length > 0 ? Math.max(...made) : kopecksOf(priceAt(table, path) ?? 0);
  };
  const begin = (factor: number | undefined, uses: readonly LeastPrice[]) =>
    factor === undefined || (terms.isFromLeast && uses.length > 0) ? 0 : factor;

  const fastUses = least.filter(({ hasSound, isFast }) => isFast && !hasSound);
  const soundUses = least.filter(({ hasSound, isFast }) => hasSound && !isFast);
  const bothUses = least.filter(({ hasSound, isFast }) => hasSound && isFast);
  const fast = highest(
    begin(start.factors.fast, fastUses),
    fastUses.map((use) => use.kopecks / plain(use)),
  );
  const sound = highest(begin(start.factors.sound, soundUses), [
    ...soundUses.map((use) => use.kopecks / plain(use)),
    ...bothUses.map((use) => use.kopecks / (plain(use) * fast)),
  ]);
  return {
    table,
    factors: {
      ...(start.factors.sound !== undefined && { sound }),
      ...(start.factors.fast !== undefined && { fast }),
    },
  };
}

function isPlain({ hasSound, isFast }: LeastPrice): boolean {
  return !hasSound && !isFast;
}

function sumsOf(uses: readonly LeastPrice[]): Kopecks[] {
  return uses.map(({ kopecks }) => kopecks);
}

function at(least: readonly LeastPrice[], path: readonly string[]): LeastPrice[] {
  return least.filter((use) => use.path.join("\n") === path.join("\n"));
}

/** A price that only combinations with a factor have is made of the cheapest of them: the factors cover the rest. */
function coveringRubles(
  rubles: number,
  uses: readonly LeastPrice[],
  { step, isFromLeast }: CoverTerms,
): number {
  const plain = sumsOf(uses.filter(isPlain));
  if (!isFromLeast) {
    const least = Math.max(0, ...plain);
    return least <= kopecksOf(rubles) ? rubles : roundedUp(least, step);
  }
  if (uses.length === 0) return rubles;
  return roundedUp(Math.max(1, plain.length > 0 ? Math.max(...plain) : Math.min(...sumsOf(uses))), step);
}

function roundedUp(kopecks: number, step: Kopecks): number {
  return rublesOf(asKopecks(Math.ceil(kopecks / step) * step));
}

/** Factors have two decimals, and are never 0. */
function highest(factor: number, ratios: readonly number[]): number {
  const hundredths = ratios.map((ratio) => Math.ceil(Number((ratio * 100).toFixed(6))));
  return Math.max(1, Math.round(factor * 100), ...hundredths) / 100;
}
