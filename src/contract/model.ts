export const GENERATION_TYPES = ["image", "video", "music"] as const;
export type GenerationType = (typeof GENERATION_TYPES)[number];

type ParameterType = "string" | "integer" | "number" | "boolean" | "array<string>";
export type ParameterValue = string | number | boolean | readonly string[];

/** Parameter of a model (section 2.2). `min` and `max` bound a number, a length or a count. */
export interface ModelParameter {
  type: ParameterType;
  required: boolean;
  values?: readonly (string | number)[];
  min?: number;
  max?: number;
  default?: ParameterValue | null;
  note?: string;
}

/** Rubles by key. */
export type PriceRow = Readonly<Record<string, number>>;

/** `price_rub` of section 2.2, in rubles: a number, or by resolution, duration, both, or mode and resolution. */
export type PriceTable =
  | number
  | PriceRow
  | Readonly<Record<string, PriceRow | Readonly<Record<string, PriceRow>>>>;

/** Price multipliers of a video. An extension, like `Model.about`: other Generation APIs may omit it. */
export interface PriceFactors {
  sound?: number;
  fast?: number;
}

/** A model of the catalogue (section 2.2). */
export interface Model {
  type: GenerationType;
  model_key: string;
  title: string;
  price_rub: PriceTable;
  defaults: Readonly<Record<string, ParameterValue | null>>;
  parameters: Readonly<Record<string, ModelParameter | null>>;
  price_factors?: PriceFactors;
  /** One line on what the model is good at, by language. */
  about?: Readonly<Record<"en" | "ru", string>>;
  /** Titles by value of the parameter that decides the version. Absent for one version. */
  versions?: { parameter: string; titles: Readonly<Record<string, string>> };
  /** Key of the model that takes its place. This one can be ordered, and is left out of lists to choose from. */
  successor?: string;
  /** What an admin wants people to know of it now, by language. The API does not show it. */
  note?: Readonly<Record<string, string>>;
  /** True for the local renderer. The API shows it in the title (`publicTitle`). */
  isPreview?: boolean;
}

const PREVIEW = " (local preview)";

export function publicTitle({ title, isPreview = false }: Pick<Model, "title" | "isPreview">): string {
  return isPreview ? `${title}${PREVIEW}` : title;
}

/** Reads what `publicTitle` wrote, in the parts that a front-end shows in a person's language. */
export function readPublicTitle(text: string): { title: string; isPreview: boolean } {
  const isPreview = text.endsWith(PREVIEW) && text.length > PREVIEW.length;
  return { title: isPreview ? text.slice(0, -PREVIEW.length) : text, isPreview };
}

type Settings = Readonly<Record<string, ParameterValue | undefined>>;
type Versioned = Pick<Model, "title" | "versions" | "defaults" | "parameters">;

/** Returns the title of the version that makes a request. An absent setting takes the model's default. */
export function versionTitle(model: Versioned, settings: Settings): string {
  const { title, versions, defaults, parameters } = model;
  if (!versions) return title;
  const { parameter } = versions;
  const value = settings[parameter] ?? defaults[parameter] ?? parameters[parameter]?.default;
  return versions.titles[String(value)] ?? title;
}

/** Returns what the title of a value's version adds to the usual one: `3.0 Turbo`. Undefined for the usual version. */
export function versionOf(model: Versioned, parameter: string, value: unknown): string | undefined {
  if (model.versions?.parameter !== parameter) return undefined;
  const [usual, own] = [versionTitle(model, {}), model.versions.titles[String(value)]];
  if (own === undefined || own === usual) return undefined;
  const words = own.split(" ");
  const before = usual.split(" ");
  const same = words.findIndex((word, index) => word !== before[index]);
  return words.slice(Math.max(same, 0)).join(" ");
}
