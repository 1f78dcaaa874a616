import type { Model } from "../../../contract/model.js";

export interface ModeRule {
  /** Parameters that have an effect only with a value that lists them. */
  uses: readonly string[];
  /** Groups of parameters, in each of which at least one must be set. */
  needs: readonly (readonly string[])[];
}

/** A parameter that decides which other parameters have an effect. */
export interface Mode {
  name: string;
  /** The values that the model offers, most demanding first. */
  values: readonly string[];
  default: string | undefined;
  rules: ReadonlyMap<string, ModeRule>;
  /** Parameters of every value, including values that this model does not offer. */
  members: ReadonlySet<string>;
}

/** The contract's modes by parameter name, most demanding value first. A model is never named here. */
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

/** Parameters overridden by another one (section 9: `custom_style` overrides a preset). */
export const SUPERSEDED_BY: Readonly<Record<string, string>> = { style_preset_id: "custom_style" };

/** Parameters that have an effect only beside another one, by the pattern of its name. */
export const NEEDED_BY: Readonly<Record<string, RegExp>> = { audio_weight: /(?:^|_)audio_urls?$/ };

/** Texts that are sung: without effect while a toggle is on. */
export const SILENCED_BY: Readonly<Record<string, string>> = { lyrics: "make_instrumental" };

const NOTHING: ModeRule = { uses: [], needs: [] };

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
