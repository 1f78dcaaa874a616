import type { Model } from "../../contract/model.js";
import { asKopecks, type Kopecks, kopecksOf } from "../../contract/money.js";
import { pricePath } from "../../contract/price.js";
import { Catalogue, type CatalogueEntry, entryOf } from "../catalogue/catalogue.js";
import { priceProblems } from "../catalogue/check/entry-problems.js";
import { type EntrySource, FACTOR_MAX, RUBLES_MAX } from "../catalogue/entry-schema.js";
import { modelOfEntry } from "../catalogue/model-of-entry.js";
import { useCosts } from "../catalogue/use-costs.js";
import { coveringPrices, type LeastPrice } from "./covering-prices.js";
import { FROM_COST, type Offer, type OffersFile } from "./offers-schema.js";
import { OffersError } from "./read-offers.js";

export interface SaleTerms {
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
  const problems = [
    ...unknown.map((key) => `models.${key}: the catalogue has no such model`),
    ...sold.flatMap((one) => one.problems),
    ...takenTitles(catalogue, sold, offers),
  ];
  if (problems.length > 0) throw new OffersError(source, problems);
  return new Catalogue(
    withOfferedSuccessors(
      inOrder(
        sold.map(({ entry }) => entry),
        offers,
      ),
    ),
    facts,
  );
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
  const stated = statedSource(entry.source, named ?? (isLeftOut ? { status: "disabled" } : {}));
  const problems = [...factorProblems(stated), ...priceProblems(modelOfEntry(stated))];
  if (problems.length > 0) return { entry, problems: problems.map((problem) => `models.${key}.${problem}`) };
  const source = pricedSource(stated, named?.price_rub === FROM_COST, entry, sale);
  const model = modelOfEntry(source);
  return {
    entry: entryOf(source, model, entry.mappings),
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

function factorProblems(source: EntrySource): string[] {
  const { sound, video_speed_mode } = modelOfEntry(source).parameters;
  return [
    ...("sound_factor" in source && !sound ? ["sound_factor: the model does not take sound"] : []),
    ...("fast_factor" in source && !video_speed_mode
      ? ["fast_factor: the model does not take video_speed_mode"]
      : []),
  ];
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
          kopecks: timesUp(Math.max(...known), times),
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

function timesUp(kopecks: number, times: number): Kopecks {
  return asKopecks(Math.ceil(Number((kopecks * times).toFixed(4))));
}

function boundProblems({ price_rub, price_factors = {} }: Model): string[] {
  const isDear = (node: unknown): boolean =>
    typeof node === "number" ? node > RUBLES_MAX : Object.values(Object(node)).some(isDear);
  return [
    ...(isDear(price_rub) ? [`a price would be above ${RUBLES_MAX} RUB`] : []),
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
