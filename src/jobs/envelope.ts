import { isBlank } from "../contract/blank.js";
import { ContractError } from "../contract/errors.js";
import { GENERATION_TYPES, type GenerationType } from "../contract/model.js";

/** Aliases of each canonical name (section 9), preferred first. */
const ALIASES: Readonly<Record<GenerationType, Readonly<Record<string, readonly string[]>>>> = {
  image: {
    prompt: ["prompt_text"],
    aspect_ratio: ["ratio"],
  },
  video: {
    prompt: ["prompt_text"],
    aspect_ratio: ["ratio"],
    video_speed_mode: ["speed_mode"],
    video_input_mode: ["input_mode"],
    start_frame_url: ["start_image_url", "image_url"],
    end_frame_url: ["end_image_url"],
  },
  music: {
    model_key: ["model"],
    style_preset_id: ["stylePresetId"],
    custom_style: ["customStyle"],
    make_instrumental: ["makeInstrumental"],
    duration_sec: ["durationSec"],
    style_weight: ["styleWeight"],
    weirdness_constraint: ["weirdnessConstraint"],
    audio_weight: ["audioWeight"],
  },
};

export interface Envelope {
  type: GenerationType;
  /** Looks up a canonical name, then its aliases: what was given, and under which of them. */
  given(name: string): Given;
}

interface Given {
  name: string;
  /** Undefined for what is absent; its name is the canonical one then. */
  value: unknown;
}

/** The type defaults to `image`. Throws ContractError `invalid_json` | `unsupported_type`. */
export function openEnvelope(body: unknown): Envelope {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new ContractError("invalid_json");
  const type = typeIn(body);
  if (!type) throw new ContractError("unsupported_type", { supported: GENERATION_TYPES, param: "type" });
  const aliases = ALIASES[type];
  return {
    type,
    given(name) {
      for (const candidate of [name, ...(aliases[name] ?? [])]) {
        const value = presentIn(body, candidate);
        if (value !== undefined) return { name: candidate, value };
      }
      return { name, value: undefined };
    },
  };
}

/** Returns undefined for a type that is unknown; an absent one is `image`. */
export function typeIn(body: object): GenerationType | undefined {
  const value = presentIn(body, "type");
  if (value === undefined) return "image";
  const asked = typeof value === "string" ? value.trim() : value;
  return GENERATION_TYPES.find((known) => known === asked);
}

function presentIn(body: object, name: string): unknown {
  const value: unknown = Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined;
  if (value === null || (typeof value === "string" && isBlank(value))) return undefined;
  return value;
}
