import { modeValue } from "./active-fields.js";
import type { Field, ModelFields, Parameters } from "./fields.js";

/** More settings than this move the rare ones to the second page of the card. */
const MOST_ON_CARD = 6;

/** The contract's common parameters. Any other one is rare, including unknown ones. */
const COMMON: ReadonlySet<string> = new Set([
  "aspect_ratio",
  "generation_mode",
  "resolution",
  "count",
  "duration_sec",
  "video_input_mode",
  "sound",
  "start_frame_url",
  "reference_urls",
  "mode",
  "style_preset_id",
  "make_instrumental",
]);

export interface Pages {
  common: readonly Field[];
  /** Fields of the second page; none or at least two. */
  rare: readonly Field[];
}

/** A required parameter is never rare. */
export function pagesOf(active: readonly Field[], fields: ModelFields, values: Parameters): Pages {
  const needs = fields.mode?.rules.get(modeValue(fields, values) ?? "")?.needs.flat() ?? [];
  const isCommon = ({ name, isRequired }: Field) => isRequired || COMMON.has(name) || needs.includes(name);
  const rare = active.filter((field) => !isCommon(field));
  if (active.length <= MOST_ON_CARD || rare.length < 2) return { common: active, rare: [] };
  return { common: active.filter(isCommon), rare };
}
