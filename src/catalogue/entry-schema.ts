import { z } from "zod";
import type { PriceTable } from "../contract/model.js";
import { mappingSchema } from "./mapping.js";
import { ratesSchema, serviceSettingsSchema } from "./operation.js";

export const AMOUNT = "must be a number over 0 with at most two decimals";
export const RUBLES_MAX = 1_000_000;
export const FACTOR_MAX = 10;

/** Accepts a positive number with at most two decimals. `max` keeps a price times its factors exact. */
export function isAmount(value: unknown, max: number): boolean {
  return typeof value === "number" && value > 0 && value <= max && /^\d+(\.\d{1,2})?$/.test(`${value}`);
}

const factor = z.custom<number>((value) => isAmount(value, FACTOR_MAX), `${AMOUNT}, ${FACTOR_MAX} at most`);

/** Accepts any depth, so that a wrong price is reported by its path; problems.ts checks the variants. */
const priceTable = z.custom<PriceTable>().superRefine((table, context) => {
  for (const path of wrongPrices(table)) context.addIssue({ code: "custom", path, message: AMOUNT });
});

/** The deepest price table is by mode, use and resolution. */
const PRICE_LEVELS_MAX = 3;

/** Lists the paths of what is no price. */
export function wrongPrices(node: unknown, level = 0): string[][] {
  if (typeof node !== "object" || node === null) return isAmount(node, RUBLES_MAX) ? [] : [[]];
  if (level === PRICE_LEVELS_MAX) return [[]];
  return Object.entries(node).flatMap(([name, inner]) =>
    wrongPrices(inner, level + 1).map((path) => [name, ...path]),
  );
}

const note = z.string().min(1).exactOptional();
const bound = z.number().nonnegative();

function unique<T>(values: readonly T[]): boolean {
  return new Set(values).size === values.length;
}

function distinct<T extends z.ZodType>(value: T) {
  return z.array(value).min(1).refine(unique, "must not repeat a value");
}

const names = distinct(z.string().min(1));

function parameter<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.strictObject({ type: z.literal(type), required: z.boolean(), ...shape, note });
}

/** Schemas of parameter families. The request readers rely on their constraints. */
const text = parameter("string", { min: bound.int().exactOptional(), max: bound.int().positive() });
const choice = parameter("string", { values: names, default: z.string().exactOptional() });
const choiceWithDefault = choice.extend({ default: z.string() });
const RATIO = /^(?:auto|[1-9]\d*:[1-9]\d*)$/;
const aspectRatio = choiceWithDefault.extend({
  values: distinct(z.string().regex(RATIO, "must be `auto` or W:H, whole numbers from 1")),
});
const numberChoice = parameter("integer", { values: distinct(z.int().positive()), default: z.int() });
const wholeNumber = parameter("integer", { min: bound.int(), max: bound.int(), default: z.int() });
/** Counts 1 to 4 images, as the contract allows; an album in the chat holds at most ten. */
const pictures = wholeNumber.extend({
  min: z.literal(1, "must be 1"),
  max: z.int().min(1).max(4, "must be 4 at most"),
});
const weight = parameter("number", { min: bound, max: bound, default: z.number() });
const flag = parameter("boolean", { default: z.boolean() });
const link = parameter("string", {});
const links = parameter("array<string>", { max: bound.int().positive() });

const prompt = text.extend({ required: z.literal(true), min: bound.int().positive() });

/** The key order is the order of display and storage; null means that the model lacks the parameter. */
const imageParameters = z.strictObject({
  prompt,
  aspect_ratio: aspectRatio.nullable(),
  generation_mode: choiceWithDefault.nullable(),
  resolution: choiceWithDefault.nullable(),
  count: pictures.nullable(),
  reference_urls: links.nullable(),
});
const videoParameters = z.strictObject({
  prompt,
  aspect_ratio: aspectRatio.nullable(),
  resolution: choiceWithDefault.nullable(),
  duration_sec: numberChoice.nullable(),
  video_input_mode: choice.extend({ values: z.array(z.enum(["text", "frames", "references"])).min(1) }),
  video_speed_mode: choiceWithDefault
    .extend({ values: z.array(z.enum(["standard", "fast"])).min(1) })
    .nullable(),
  sound: flag.nullable(),
  start_frame_url: link.nullable(),
  end_frame_url: link.nullable(),
  reference_urls: links.nullable(),
});
const musicParameters = z.strictObject({
  mode: choiceWithDefault.extend({ values: z.array(z.enum(["description", "lyrics"])).min(1) }),
  title: text.nullable(),
  description: text,
  lyrics: text.nullable(),
  style_preset_id: choice.nullable(),
  custom_style: text.nullable(),
  make_instrumental: flag.nullable(),
  style_weight: weight.nullable(),
  weirdness_constraint: weight.nullable(),
  audio_weight: weight.nullable(),
  duration_sec: wholeNumber.nullable(),
});

const PLAIN_LINE = "must be one line without control characters and signs that nobody sees";

/** Refuses line breaks, controls of direction and other signs without a shape. Emoji are joined by U+200D. */
function isPlainLine(text: string): boolean {
  return !/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]|(?!\u200d)\p{Cf}/u.test(text);
}

/** Limits a title to the characters that fit on a button and on a card. */
const TITLE_MAX = 64;
const title = z
  .string()
  .trim()
  .refine((text) => text !== "" && [...text].length <= TITLE_MAX, `must be 1 to ${TITLE_MAX} characters`)
  .refine(isPlainLine, PLAIN_LINE);

const ABOUT_MAX = 120;
const aboutLine = z
  .string()
  .trim()
  .refine(
    (text) => text !== "" && !/[\r\n]/.test(text) && [...text].length <= ABOUT_MAX,
    `must be one line of 1 to ${ABOUT_MAX} characters`,
  )
  .refine(isPlainLine, PLAIN_LINE);

const serviceName = z.string().regex(/^[a-z][a-z0-9_]*$/, "must be the name of a service");

/** What an operator may say of a model otherwise than the catalogue, beside its price. */
export const shownFields = {
  title,
  about: z.strictObject({ en: aboutLine, ru: aboutLine }),
  status: z.enum(["active", "disabled", "cabinet_only"]),
  sound_factor: factor,
  fast_factor: factor,
};

const common = {
  title: shownFields.title,
  about: shownFields.about,
  status: shownFields.status.default("active"),
  default: z.boolean().default(false),
  /** Key of the model that takes its place: this one is still made, and no longer offered in the chat. */
  successor: z.string().min(1).exactOptional(),
  price_rub: priceTable,
  provider: z.strictObject({ name: z.string().min(1), model: z.string().min(1) }),
  /** Mappings by service, the preferred first. */
  mappings: z.record(serviceName, z.array(mappingSchema).min(1).readonly()).default({}),
};
const plainKey = z
  .string()
  .regex(/^[a-z0-9][a-z0-9.-]*$/, "must be small letters, digits, points and hyphens, without a prefix");
const musicKey = z
  .string()
  .regex(
    /^music:[a-z0-9][a-z0-9.-]*$/,
    "must be `music:` and then small letters, digits, points and hyphens",
  );

export const entrySchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("image"), model_key: plainKey, ...common, parameters: imageParameters }),
  z.strictObject({
    type: z.literal("video"),
    model_key: plainKey,
    ...common,
    parameters: videoParameters,
    sound_factor: factor.exactOptional(),
    fast_factor: factor.exactOptional(),
  }),
  z.strictObject({
    type: z.literal("music"),
    model_key: musicKey,
    ...common,
    parameters: musicParameters,
    tracks: z.union([z.literal(1), z.literal(2)]),
  }),
]);
export type EntrySource = z.infer<typeof entrySchema>;

/** Parses entries one by one, so that each problem can name its entry. */
export const fileSchema = z.strictObject({
  style_presets: names.default([]),
  services: z.record(serviceName, serviceSettingsSchema).default({}),
  rates: ratesSchema.default({}),
  /** Day on which the rates were looked up. */
  rates_at: z.iso.date().exactOptional(),
  models: z.array(z.unknown()).min(1),
});

export const SETTINGS = {
  image: ["aspect_ratio", "resolution", "count", "generation_mode"],
  video: ["aspect_ratio", "resolution", "duration_sec", "video_input_mode", "video_speed_mode", "sound"],
  music: [
    "mode",
    "style_preset_id",
    "make_instrumental",
    "style_weight",
    "weirdness_constraint",
    "audio_weight",
    "duration_sec",
  ],
} as const;
