import type { Model, PriceFactors, PriceTable } from "./model.js";
import type { GenerationRequest } from "./request.js";

/** An amount of money: an integer number of kopecks (1/100 ruble). */
type Kopecks = number;

/** The settings that decide a price. What is absent counts as the model's default. */
export type PricedSettings = Omit<GenerationRequest, "type" | "model_key">;

/**
 * The price of one job of a request, in kopecks: one image, one video, one music job.
 *
 * A video's table price is without sound, at standard speed (section 2.2). Where sound or fast mode is
 * asked for, the table price is multiplied by every factor that applies and the product is rounded up
 * once, to a whole ruble; without them the table price stands as it is.
 *
 * @returns undefined where the model's table or its factors do not say
 */
export function priceKopecks(model: Model, settings: PricedSettings): Kopecks | undefined {
  const rubles = leafAt(model.price_rub, pricePath(model, settings));
  if (rubles === undefined) return undefined;
  const factors = factorsOf(model, settings);
  return factors && scaled(kopecksOfTable(rubles), factors);
}

/** The price of a whole request, in kopecks: the price of one job times the number of images. */
export function totalKopecks(model: Model, settings: PricedSettings): Kopecks | undefined {
  const unit = priceKopecks(model, settings);
  return unit === undefined ? undefined : unit * jobCount(model, settings);
}

/** The least that one job of the model can cost, in kopecks; undefined where its table is empty. */
export function lowestPriceKopecks(model: Model): Kopecks | undefined {
  const prices = leavesOf(model.price_rub);
  if (prices.length === 0) return undefined;
  const lowest = kopecksOfTable(Math.min(...prices));
  const { sound = 1, fast = 1 } = model.price_factors ?? {};
  const cheapening = [sound, fast].filter((factor) => factor < 1);
  return scaled(lowest, cheapening);
}

/** True where every request of the model costs the same a job. */
export function isFixedPrice(model: Model): boolean {
  const { sound = 1, fast = 1 } = model.price_factors ?? {};
  return new Set(leavesOf(model.price_rub)).size === 1 && sound === 1 && fast === 1;
}

/** The names under which the price stands in the table: none, one, two or three (section 2.2). */
function pricePath(model: Model, settings: PricedSettings): string[] {
  const table = model.price_rub;
  if (typeof table === "number") return [];
  const name = (parameter: string) => String(settings[parameter] ?? model.defaults[parameter] ?? "");
  if (model.type === "video") {
    return isRow(table) ? [name("duration_sec")] : [name("resolution"), name("duration_sec")];
  }
  if (isRow(table)) return [name("resolution")];
  const references = settings.reference_urls;
  const column = Array.isArray(references) && references.length > 0 ? "reference" : "text";
  return [name("generation_mode"), column, name("resolution")];
}

/** The factors that the settings call for; undefined where the model does not know one of them. */
function factorsOf(model: Model, settings: PricedSettings): number[] | undefined {
  if (model.type !== "video") return [];
  const { sound, fast }: PriceFactors = model.price_factors ?? {};
  const factors: (number | undefined)[] = [];
  if ((settings.sound ?? model.defaults.sound) === true) factors.push(sound);
  if ((settings.video_speed_mode ?? model.defaults.video_speed_mode) === "fast") factors.push(fast);
  return factors.every((factor) => factor !== undefined) ? factors : undefined;
}

/** Factors have at most two decimals, so the product is found in whole numbers. */
function scaled(kopecks: Kopecks, factors: readonly number[]): Kopecks {
  if (factors.length === 0) return kopecks;
  let amount = kopecks;
  let kopecksInRuble = 100;
  for (const factor of factors) {
    amount *= Math.round(factor * 100);
    kopecksInRuble *= 100;
  }
  const rest = amount % kopecksInRuble;
  const rubles = (amount - rest) / kopecksInRuble + (rest > 0 ? 1 : 0);
  return rubles * 100;
}

function jobCount(model: Model, settings: PricedSettings): number {
  if (model.type !== "image") return 1;
  const count = settings.count ?? model.defaults.count;
  return typeof count === "number" ? Math.max(1, Math.floor(count)) : 1;
}

function isRow(table: Exclude<PriceTable, number>): boolean {
  return Object.values(table).every((value) => typeof value === "number");
}

function leafAt(table: PriceTable, path: readonly string[]): number | undefined {
  let node: unknown = table;
  for (const name of path) {
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, name)) return undefined;
    node = Reflect.get(node, name);
  }
  return typeof node === "number" ? node : undefined;
}

function leavesOf(node: unknown): number[] {
  if (typeof node === "number") return [node];
  return typeof node === "object" && node !== null ? Object.values(node).flatMap(leavesOf) : [];
}

/** A price of the table, in rubles with at most two decimals, as kopecks. */
function kopecksOfTable(rubles: number): Kopecks {
  return Math.round(rubles * 100);
}
