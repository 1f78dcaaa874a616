import type { Model, ModelParameter } from "../../contract/model.js";
import { type EntrySource, SETTINGS } from "./entry-schema.js";

/** Converts an entry to what GET /models returns: section 2.2 with the extensions of this service. */
export function modelOfEntry(source: EntrySource): Model {
  const parameters = parametersOf(source);
  const { type, model_key, title, about, price_rub } = source;
  const defaults = Object.fromEntries(
    SETTINGS[type].map((name) => [name, parameters[name]?.default ?? null]),
  );
  const factors = source.type === "video" ? factorsOf(source) : {};
  return {
    type,
    model_key,
    title,
    price_rub,
    defaults,
    parameters,
    about,
    ...(Object.keys(factors).length > 0 && { price_factors: factors }),
    ...(source.successor !== undefined && { successor: source.successor }),
  };
}

function parametersOf(source: EntrySource): Model["parameters"] {
  if (source.type !== "video") return source.parameters;
  const { sound, video_speed_mode } = source.parameters;
  return {
    ...source.parameters,
    video_speed_mode: withFactor(video_speed_mode, "Fast", source.fast_factor),
    sound: withFactor(sound, "Sound", source.sound_factor),
  };
}

/** States the factor in the note, because section 2.2 has no field for it. */
function withFactor(
  parameter: ModelParameter | null,
  what: string,
  factor: number | undefined,
): ModelParameter | null {
  if (!parameter || factor === undefined) return parameter;
  const told = `${what} multiplies the price by ${factor}; the final price is rounded up to a whole ruble`;
  return { ...parameter, note: parameter.note === undefined ? told : `${parameter.note}. ${told}` };
}

function factorsOf(source: Extract<EntrySource, { type: "video" }>): NonNullable<Model["price_factors"]> {
  return {
    ...(source.sound_factor !== undefined && { sound: source.sound_factor }),
    ...(source.fast_factor !== undefined && { fast: source.fast_factor }),
  };
}
