import type { Model, ParameterValue, PriceFactors, PriceTable } from "./model.js";
import type { GenerationRequest } from "./request.js";

export interface Balance {
  currency: "RUB";
  amount: number;
}

declare const brand: unique symbol;

/** Whole number of kopecks (1/100 ruble). A computed one has to pass `asKopecks`. */
export type Kopecks = number & { readonly [brand]: "kopecks" };

/** Rejects a fraction with a RangeError: whoever divides says how it is rounded. */
export function asKopecks(value: number): Kopecks {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a sum of kopecks: ${value}`);
  return value as Kopecks;
}

export const NO_KOPECKS = asKopecks(0);

export function sumOf(sums: readonly Kopecks[]): Kopecks {
  return asKopecks(sums.reduce((total, one) => total + one, 0));
}

/** Returns what is left of a sum after another one was taken from it; never below zero. */
export function leftOf(whole: Kopecks, taken: Kopecks): Kopecks {
  return asKopecks(Math.max(0, whole - taken));
}

const RUBLES = /^(\d{1,10})(?:[.,](\d{1,2}))?$/;

/** Parses rubles as a person types them: digits, and at most two decimals after a point or a comma. */
export function parseRubles(text: string): Kopecks | undefined {
  const match = RUBLES.exec(text);
  if (!match) return undefined;
  const [, whole = "0", fraction = ""] = match;
  return asKopecks(Number(whole) * 100 + Number(fraction.padEnd(2, "0")));
}

/** Converts rubles of JSON (at most two decimals) to kopecks. */
export function kopecksOf(rubles: number): Kopecks {
  return asKopecks(Math.round(rubles * 100));
}

/** Converts kopecks to the rubles of the contract, fractional if needed. */
export function rublesOf(kopecks: number): number {
  return kopecks / 100;
}

/** Absent settings take the model's default. */
type PricedSettings = Omit<GenerationRequest, "type" | "model_key">;

/**
 * Computes the price of one job of a request, in kopecks. A video's table price is without sound, at standard speed
 * (section 2.2). The product with all applicable factors is rounded up once to a whole ruble.
 * @returns undefined if the price table or the factors lack an entry, or for more than a sum can be
 */
export function priceKopecks(model: Model, settings: PricedSettings): Kopecks | undefined {
  return exactOf(unitPrice(model, settings));
}

/** Computes the price of a whole request, in kopecks: the job price times the number of images. */
export function totalKopecks(model: Model, settings: PricedSettings): Kopecks | undefined {
  return exactOf(quotedPrice(model, settings));
}

export interface QuotedPrice {
  kopecks: Kopecks;
  /** False when the service does not tell a factor that applies: `kopecks` is without it. */
  isExact: boolean;
}

/** Computes what a request costs as far as the model tells it. Undefined if the price table lacks an entry. */
export function quotedPrice(model: Model, settings: PricedSettings): QuotedPrice | undefined {
  const unit = unitPrice(model, settings);
  if (!unit) return undefined;
  const kopecks = sumWithin(unit.kopecks * jobCount(model, settings));
  return kopecks === undefined ? undefined : { kopecks, isExact: unit.isExact };
}

function unitPrice(model: Model, settings: PricedSettings): QuotedPrice | undefined {
  const rubles = priceAt(model.price_rub, pricePath(model, settings));
  if (rubles === undefined) return undefined;
  const factors = factorsOf(model, settings);
  const known = factors.filter((factor) => factor !== undefined);
  const kopecks = scaled(kopecksOf(rubles), known);
  return kopecks === undefined ? undefined : { kopecks, isExact: known.length === factors.length };
}

function exactOf(price: QuotedPrice | undefined): Kopecks | undefined {
  return price?.isExact ? price.kopecks : undefined;
}

/** Returns the lowest price of one job, in kopecks; undefined for an empty price table. */
export function lowestPriceKopecks(model: Model): Kopecks | undefined {
  const prices = pricesIn(model.price_rub).map(({ rubles }) => rubles);
  if (prices.length === 0) return undefined;
  const lowest = kopecksOf(Math.min(...prices));
  const { sound = 1, fast = 1 } = model.price_factors ?? {};
  const cheapening = [sound, fast].filter((factor) => factor < 1);
  return scaled(lowest, cheapening);
}

export function isFixedPrice(model: Model): boolean {
  const { sound = 1, fast = 1 } = model.price_factors ?? {};
  return (
    new Set(pricesIn(model.price_rub).map(({ rubles }) => rubles)).size === 1 && sound === 1 && fast === 1
  );
}

/** Returns the keys into the price table, none to three (section 2.2). */
export function pricePath(model: Model, settings: PricedSettings): string[] {
  const table = model.price_rub;
  if (typeof table === "number") return [];
  const name = (parameter: string) => String(settings[parameter] ?? usualValue(model, parameter) ?? "");
  if (model.type === "video") {
    return isRow(table) ? [name("duration_sec")] : [name("resolution"), name("duration_sec")];
  }
  if (isRow(table)) return [name("resolution")];
  const references = settings.reference_urls;
  const column = Array.isArray(references) && references.length > 0 ? "reference" : "text";
  return [name("generation_mode"), column, name("resolution")];
}

/** Returns what counts where a setting is absent: the default, or the only value. */
function usualValue({ defaults, parameters }: Model, name: string): ParameterValue | undefined {
  const { default: usual, values = [] } = parameters[name] ?? {};
  return defaults[name] ?? usual ?? (values.length === 1 ? values[0] : undefined);
}

/** Returns the factors that apply, with undefined for one that the model does not tell. */
function factorsOf(model: Model, settings: PricedSettings): (number | undefined)[] {
  if (model.type !== "video") return [];
  const { sound, fast }: PriceFactors = model.price_factors ?? {};
  const factors: (number | undefined)[] = [];
  if ((settings.sound ?? model.defaults.sound) === true) factors.push(sound);
  if ((settings.video_speed_mode ?? model.defaults.video_speed_mode) === "fast") factors.push(fast);
  return factors;
}

/** Returns undefined for what is no sum: another service may tell any factor and any count. */
function sumWithin(kopecks: number): Kopecks | undefined {
  return Number.isSafeInteger(kopecks) && kopecks >= 0 ? asKopecks(kopecks) : undefined;
}

/** Multiplies exactly in integers: factors have at most two decimals. */
function scaled(kopecks: Kopecks, factors: readonly number[]): Kopecks | undefined {
  if (factors.length === 0) return kopecks;
  let amount: number = kopecks;
  let kopecksInRuble = 100;
  for (const factor of factors) {
    amount *= Math.round(factor * 100);
    kopecksInRuble *= 100;
  }
  const rest = amount % kopecksInRuble;
  const rubles = (amount - rest) / kopecksInRuble + (rest > 0 ? 1 : 0);
  return sumWithin(rubles * 100);
}

function jobCount(model: Model, settings: PricedSettings): number {
  if (model.type !== "image") return 1;
  const count = settings.count ?? model.defaults.count;
  return typeof count === "number" ? Math.max(1, Math.floor(count)) : 1;
}

function isRow(table: Exclude<PriceTable, number>): boolean {
  return Object.values(table).every((value) => typeof value === "number");
}

/** Returns the rubles at a path of a price table; undefined where there are none. */
export function priceAt(table: PriceTable, path: readonly string[]): number | undefined {
  let node: unknown = table;
  for (const name of path) {
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, name)) return undefined;
    node = Reflect.get(node, name);
  }
  return typeof node === "number" ? node : undefined;
}

/** Lists the keys of each level of a price table, as the parameters allow them. @param columns uses of an image with modes */
export function priceLevels(
  { type, parameters }: Pick<Model, "type" | "parameters">,
  columns: readonly string[],
): (readonly (string | number)[])[] {
  const { generation_mode, resolution, duration_sec } = parameters;
  return [
    ...(type === "image" && generation_mode ? [generation_mode.values ?? [], columns] : []),
    ...(type === "image" || resolution ? [resolution?.values ?? []] : []),
    ...(type === "video" ? [duration_sec?.values ?? []] : []),
  ];
}

/** Makes each price anew of itself and the keys into the table. What becomes undefined, and what is empty then, is left out. */
export function withPrices(
  table: PriceTable,
  priceOf: (rubles: number, path: readonly string[]) => number | undefined,
): PriceTable {
  const made = (node: PriceTable, path: readonly string[]): PriceTable | undefined => {
    if (typeof node === "number") return priceOf(node, path);
    const inner = Object.entries(node).map(([name, one]) => [name, made(one, [...path, name])] as const);
    const kept = inner.filter(([, one]) => one !== undefined);
    return kept.length > 0 ? (Object.fromEntries(kept) as PriceTable) : undefined;
  };
  return made(table, []) ?? {};
}

/** Lists the prices of a table, with the keys into it. */
export function pricesIn(
  table: PriceTable,
  path: readonly string[] = [],
): { path: readonly string[]; rubles: number }[] {
  if (typeof table === "number") return [{ path, rubles: table }];
  return Object.entries(table).flatMap(([name, inner]) => pricesIn(inner, [...path, name]));
}
