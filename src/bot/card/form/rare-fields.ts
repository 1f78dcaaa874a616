import type { FormField, Parameters } from "./fields.js";
import type { Missing } from "./missing-fields.js";

/** A card has seven buttons: these, ⚙️, the model, ✖️ and ✅. */
const SETTINGS_ON_CARD = 3;

/** The kinds of settings that people change most, whatever the model. Any other is rare. */
const COMMON: readonly string[] = [
  "aspect_ratio",
  "duration_sec",
  "resolution",
  "reference_urls",
  "count",
  "style_preset_id",
  "custom_style",
  "make_instrumental",
];

export interface Pages {
  common: readonly FormField[];
  /** Fields of the second page. With them stands the button that asks for the main text again. */
  rare: readonly FormField[];
}

/**
 * Chooses the settings of the card. What must be chosen with a button is always one of them; of a model with
 * unknown settings only, the first ones are.
 * @param settings active fields without the main text
 * @param hasMainText true where a button asks for it
 */
export function pagesOf(
  settings: readonly FormField[],
  values: Parameters,
  missing: readonly Missing[],
  hasMainText: boolean,
): Pages {
  const others = hasMainText ? 1 : 0;
  if (settings.length + others <= SETTINGS_ON_CARD) return { common: settings, rare: [] };
  const wanted = new Set(missing.flatMap((one) => (one.kind === "one_of" ? one.names : [])));
  const isWanted = ({ name, isRequired }: FormField) => isRequired || wanted.has(name);
  const known = settings
    .filter((field) => isCommon(field, settings, values))
    .toSorted((one, other) => COMMON.indexOf(one.name) - COMMON.indexOf(other.name));
  const plain = settings.filter(({ kind }) => kind !== "pictures");
  const first = (known.length > 0 ? known : plain).slice(0, SETTINGS_ON_CARD);
  const common = [...first, ...plain.filter((field) => isWanted(field) && !first.includes(field))];
  const rare = settings.filter((field) => !common.includes(field));
  return rare.length + others < 2 ? { common: [...common, ...rare], rare: [] } : { common, rare };
}

/** Counts pictures as common once there are any. A field that a rare one replaces leaves its place to it. */
function isCommon({ name, kind }: FormField, settings: readonly FormField[], values: Parameters): boolean {
  if (kind === "pictures" && values[name] === undefined) return false;
  if (name === "custom_style") return !settings.some((other) => other.name === "style_preset_id");
  return COMMON.includes(name);
}
