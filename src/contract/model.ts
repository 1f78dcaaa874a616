/** The three kinds of generation, in the order in which the service lists them. */
export const GENERATION_TYPES = ["image", "video", "music"] as const;
export type GenerationType = (typeof GENERATION_TYPES)[number];

export type ParameterType = "string" | "integer" | "number" | "boolean" | "array<string>";
export type ParameterValue = string | number | boolean | readonly string[];

/** One parameter of a model (section 2.2). `min` and `max` bound a number, a length or a count. */
export interface ModelParameter {
  type: ParameterType;
  required: boolean;
  values?: readonly (string | number)[];
  min?: number;
  max?: number;
  default?: ParameterValue | null;
  note?: string;
}

/** key → rubles */
export type PriceRow = Readonly<Record<string, number>>;

/**
 * `price_rub` of section 2.2, in rubles: one number; resolution → price; duration → price;
 * resolution → duration → price; or mode → `text` | `reference` → resolution → price.
 */
export type PriceTable =
  | number
  | PriceRow
  | Readonly<Record<string, PriceRow | Readonly<Record<string, PriceRow>>>>;

/** How sound and fast mode change the price of a video. Known only where the core is embedded. */
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
  /** No field of the contract's answer: the embedded core adds it for exact quotes in the chat. */
  price_factors?: PriceFactors;
}
