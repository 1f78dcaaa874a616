import type { Model } from "../../contract/model.js";

/** What one value of a deciding parameter means for the others. */
export interface ModeRule {
  /** Parameters that count with this value only (or with other values that name them too). */
  uses: readonly string[];
  /** What the contract then asks for: of each group one parameter must be set. */
  needs: readonly (readonly string[])[];
}

/** A parameter of a model that decides which of its other parameters count. */
export interface Mode {
  name: string;
  /** The values that the model offers, those that ask for most first. */
  values: readonly string[];
  /** The value where nothing decides. */
  default: string | undefined;
  rules: ReadonlyMap<string, ModeRule>;
  /** Parameters that count with some value of it, also with one that this model lacks. */
  members: ReadonlySet<string>;
}

/**
 * The deciding parameters of the contract's vocabulary, by name; within one the values that ask for most come
 * first. It names parameters of the contract, never a model: a model has what its catalogue entry lists.
 */
const MODES: Readonly<Record<string, Readonly<Record<string, ModeRule>>>> = {
  video_input_mode: {
    references: { uses: ["reference_urls"], needs: [["reference_urls"]] },
    frames: { uses: ["start_frame_url", "end_frame_url"], needs: [["start_frame_url"]] },
    text: { uses: [], needs: [] },
  },
  mode: {
    lyrics: { uses: ["lyrics"], needs: [["lyrics"], ["custom_style", "style_preset_id"]] },
    description: { uses: ["description"], needs: [["description"]] },
  },
};

/** A parameter that has no effect while the other one is set (section 9: a custom style goes before a preset). */
export const SUPERSEDED_BY: Readonly<Record<string, string>> = { style_preset_id: "custom_style" };

const NOTHING: ModeRule = { uses: [], needs: [] };

/** The deciding parameter of a model, where it has one. */
export function modeOf(model: Model): Mode | undefined {
  for (const [name, known] of Object.entries(MODES)) {
    const parameter = model.parameters[name];
    if (!parameter?.values) continue;
    const offered = parameter.values.map(String);
    const inOrder = [...Object.keys(known), ...offered].filter((value) => offered.includes(value));
    const fallback = model.defaults[name] ?? parameter.default;
    return {
      name,
      values: [...new Set(inOrder)],
      default: typeof fallback === "string" && offered.includes(fallback) ? fallback : undefined,
      rules: new Map(
        offered.map((value) => [value, (Object.hasOwn(known, value) && known[value]) || NOTHING]),
      ),
      members: new Set(Object.values(known).flatMap(({ uses }) => uses)),
    };
  }
  return undefined;
}
