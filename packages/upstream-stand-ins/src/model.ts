import type { z } from "zod";
import { isRecord, type Json, textOf } from "./call.js";
import type { AudioSpec, ImageSpec, Sides, VideoSpec } from "./files.js";
import type { Rule } from "./judge.js";

export type NewFile = Omit<ImageSpec, "id"> | Omit<VideoSpec, "id"> | Omit<AudioSpec, "id">;

/** A model of a service, as its reference describes it. */
export interface Model {
  schema: z.ZodObject;
  rules?: readonly Rule[];
  /** What it makes of an input. */
  results(input: Json): readonly NewFile[];
  /** Counts units as the service does. */
  units(input: Json): number;
  /** Price of one unit, in the service's currency; 1 where the units are money. */
  unitPrice?: number;
  /** What a unit is called, where the service tells it. */
  unit?: string;
  /** Fields that hold addresses of pictures. */
  references?: readonly string[];
}

export function aboutOf(input: Json): string {
  return String(input.prompt ?? input.lyrics ?? "");
}

export function images(
  input: Json,
  sides: Sides,
  format: ImageSpec["format"],
  count: unknown = 1,
): readonly NewFile[] {
  const length = typeof count === "number" ? count : 1;
  return Array.from({ length }, (_, index) => ({
    kind: "image",
    format,
    ...sides,
    about: index === 0 ? aboutOf(input) : `${aboutOf(input)} #${index + 1}`,
  }));
}

/** The format that was asked for, or that of the model. */
export function imageFormat(asked: unknown, otherwise: ImageSpec["format"] = "jpeg"): ImageSpec["format"] {
  if (asked === "jpg") return "jpeg";
  return asked === "png" || asked === "jpeg" || asked === "webp" ? asked : otherwise;
}

export function film(input: Json, sides: Sides, durationSec: number): readonly NewFile[] {
  return [{ kind: "video", format: "mp4", ...sides, durationSec, about: aboutOf(input) }];
}

/** The whole number at the start of a value such as 5, "5" or "8s". */
export function secondsOf(value: unknown, otherwise: number): number {
  const seconds = Number.parseInt(String(value), 10);
  return Number.isFinite(seconds) ? seconds : otherwise;
}

/** The addresses that an input names. */
export function referencesOf(model: Model, input: Json): { field: string; url: string }[] {
  return (model.references ?? []).flatMap((field) => {
    const value = input[field];
    const urls = (Array.isArray(value) ? value : [value]).map(addressOf);
    return urls.filter((url) => url !== undefined).map((url) => ({ field, url }));
  });
}

/** A text, or `{type, data}` of polza, whose bytes may lack the `data:` before them. */
function addressOf(value: unknown): string | undefined {
  if (!isRecord(value)) return textOf(value);
  const data = textOf(value.data);
  return value.type === "base64" && data?.startsWith("data:") === false
    ? `data:image/png;base64,${data}`
    : data;
}
