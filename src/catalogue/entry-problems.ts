import type { z } from "zod";
import type { Model, ModelParameter } from "../contract/model.js";
import { priceLevels, pricesIn } from "../contract/price.js";
import type { EntrySource } from "./entry-schema.js";

/** Describes schema errors, one line per problem, field first. */
export function shapeProblems(error: z.ZodError): string[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => `${[...issue.path, key].join(".")}: is not a known field`);
    }
    const told = issue.code === "invalid_key" ? (issue.issues[0]?.message ?? issue.message) : issue.message;
    const message = told.endsWith("received undefined") ? "is missing" : told;
    return issue.path.length === 0 ? message : `${issue.path.join(".")}: ${message}`;
  });
}

export function entryProblems(entry: EntrySource, stylePresets: readonly string[]): string[] {
  return [
    ...Object.entries<ModelParameter | null>(entry.parameters).flatMap(([name, parameter]) =>
      parameter ? parameterProblems(parameter).map((problem) => `parameters.${name}.${problem}`) : [],
    ),
    ...priceProblems(entry),
    ...factorProblems(entry),
    ...(entry.type === "video" ? videoProblems(entry) : []),
    ...(entry.type === "music" ? musicProblems(entry, stylePresets) : []),
  ];
}

function parameterProblems({ values, min, max, default: fallback }: ModelParameter): string[] {
  const problems: string[] = [];
  if (min !== undefined && max !== undefined && min > max) problems.push("min: is more than max");
  if (typeof fallback === "object" || fallback === undefined) return problems;
  if (values && !values.some((value) => value === fallback)) {
    problems.push(`default: ${JSON.stringify(fallback)} is not among the values`);
  }
  if (typeof fallback === "number" && (fallback < (min ?? fallback) || fallback > (max ?? fallback))) {
    problems.push(`default: ${fallback} is not between min and max`);
  }
  return problems;
}

type Priced = Pick<Model, "type" | "price_rub" | "parameters">;

/** Checks that the table prices every variant that the parameters allow, and no other. */
export function priceProblems(entry: Priced): string[] {
  if (typeof entry.price_rub === "number") return [];
  if (entry.type === "music") return ["price_rub: music has one price, a number"];
  const wanted = new Set(variants(entry));
  const present = new Set(pricesIn(entry.price_rub).map(({ path }) => path.join(".")));
  return [
    ...[...wanted]
      .filter((path) => !present.has(path))
      .map((path) => `price_rub.${path}: the price is missing`),
    ...[...present]
      .filter((path) => !wanted.has(path))
      .map((path) => `price_rub.${path}: the parameters allow no such variant`),
  ];
}

function variants(entry: Priced): string[] {
  const columns = entry.parameters.reference_urls ? ["text", "reference"] : ["text"];
  return priceLevels(entry, columns).reduce<string[]>(
    (paths, names) =>
      paths.flatMap((path) => names.map((name) => (path === "" ? `${name}` : `${path}.${name}`))),
    [""],
  );
}

/** Checks that a factor and what it is of stand together. */
export function factorProblems(entry: EntrySource): string[] {
  const { sound, video_speed_mode }: Model["parameters"] = entry.parameters;
  const { sound_factor, fast_factor } = { sound_factor: undefined, fast_factor: undefined, ...entry };
  const pairs = [
    ["sound_factor", sound_factor, "sound", sound],
    ["fast_factor", fast_factor, "video_speed_mode", video_speed_mode],
  ] as const;
  return pairs.flatMap(([field, factor, name, parameter]) => {
    if (parameter && factor === undefined) return [`${field}: is missing, and the model takes ${name}`];
    return !parameter && factor !== undefined ? [`${field}: the model does not take ${name}`] : [];
  });
}

function videoProblems(entry: Extract<EntrySource, { type: "video" }>): string[] {
  const { video_input_mode, start_frame_url, end_frame_url, reference_urls } = entry.parameters;
  const problems: string[] = [];
  const takes = (mode: "text" | "frames" | "references") => video_input_mode.values.includes(mode);
  const mode = "parameters.video_input_mode.values";
  if (takes("frames") !== (start_frame_url !== null)) {
    problems.push(`${mode}: frames and start_frame_url belong together`);
  }
  if (takes("references") && !reference_urls) problems.push(`${mode}: references need reference_urls`);
  if (start_frame_url?.required && (takes("text") || takes("references"))) {
    problems.push(`${mode}: a required start_frame_url leaves frames only`);
  }
  if (end_frame_url && !start_frame_url) problems.push("parameters.end_frame_url: needs start_frame_url");
  // Section 9: the first references replace missing frames, so the model must accept `reference_urls`.
  if (start_frame_url && !reference_urls) {
    problems.push("parameters.reference_urls: is missing, and its first link stands in for start_frame_url");
  }
  return problems;
}

function musicProblems(
  entry: Extract<EntrySource, { type: "music" }>,
  stylePresets: readonly string[],
): string[] {
  const { mode, lyrics, style_preset_id, custom_style } = entry.parameters;
  const problems: string[] = [];
  if (mode.values.includes("lyrics")) {
    if (!lyrics) problems.push("parameters.lyrics: is missing, and mode allows lyrics");
    if (!style_preset_id && !custom_style) {
      problems.push("parameters.custom_style: lyrics need it or style_preset_id");
    }
  }
  for (const preset of style_preset_id?.values ?? []) {
    if (!stylePresets.includes(preset)) {
      problems.push(`parameters.style_preset_id.values: ${preset} is not among style_presets`);
    }
  }
  return problems;
}
