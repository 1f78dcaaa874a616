import { readFileSync } from "node:fs";
import { type Catalogue, parseCatalogue } from "../../src/catalogue/catalogue.js";

const FILE = "data/catalogue.json";
/** Some of each type, made by fal, by the renderer, or by neither. A start reads what each offers, so they are few. */
const KEYS: ReadonlySet<string> = new Set([
  "nano-banana-2",
  "nano-banana-2-lite",
  "gpt-image-2-5",
  "seedream-4",
  "veo-3-1",
  "kling-2-5-turbo",
  "music:suno-v6",
  "music:elevenlabs",
]);

interface Source {
  model_key: string;
  price_rub: unknown;
  status?: string;
  mappings: Record<string, unknown>;
}

/** What the operator's file says at one time or another. */
export const CATALOGUES = [
  read(() => {}),
  read((entry) => {
    entry.price_rub = dearer(entry.price_rub);
  }),
  read((entry) => {
    if (entry.model_key === "gpt-image-2-5") entry.status = "disabled";
    if (entry.model_key === "kling-2-5-turbo") delete entry.mappings.fal;
  }),
] as const;

function read(change: (entry: Source) => void): Catalogue {
  const file = JSON.parse(readFileSync(FILE, "utf8")) as { models: Source[] };
  const models = file.models.filter(({ model_key }) => KEYS.has(model_key));
  for (const entry of models) change(entry);
  return parseCatalogue({ ...file, models }, FILE);
}

/** Each price of a table, and one more ruble. */
export function dearer<T>(price: T): T {
  if (typeof price === "number") return (price + 1) as T;
  const rows = Object.entries(price as Record<string, unknown>).map(([name, value]) => [name, dearer(value)]);
  return Object.fromEntries(rows) as T;
}
