import type { GenerationType, Model, ParameterValue } from "../../contract/model.js";
import { readChoice, strictChoice } from "./choice.js";
import type { Envelope } from "./envelope.js";
import type { Field, GroupReader, Reader } from "./field.js";
import { readFlag } from "./flag.js";
import { readImageReferences } from "./image-references.js";
import { readCount, readMusicDuration, readVideoDuration, readWeight } from "./number.js";
import type { IsOwnLink } from "./reference-address.js";
import { readSong } from "./song.js";
import { readPrompt, readText } from "./text.js";
import { readVideoInputs } from "./video-inputs.js";

interface Kind {
  single: Readonly<Record<string, Reader>>;
  group: GroupReader;
}

const KINDS: Readonly<Record<GenerationType, Kind>> = {
  image: {
    single: {
      prompt: readPrompt,
      generation_mode: strictChoice("bad_generation_mode"),
      aspect_ratio: strictChoice("bad_aspect_ratio"),
      resolution: readChoice,
      count: readCount,
    },
    group: readImageReferences,
  },
  video: {
    single: {
      prompt: readPrompt,
      aspect_ratio: readChoice,
      duration_sec: readVideoDuration,
      resolution: readChoice,
      video_speed_mode: readChoice,
      sound: readFlag,
    },
    group: readVideoInputs,
  },
  // The single parameters of music never fail, so the texts of a song are still checked first.
  music: {
    single: {
      title: readText,
      make_instrumental: readFlag,
      style_weight: readWeight,
      weirdness_constraint: readWeight,
      audio_weight: readWeight,
      duration_sec: readMusicDuration,
    },
    group: readSong,
  },
};

/** Reads values in catalogue order; absent ones get their default. Throws ContractError of the first failed check. */
export function readParameters(
  envelope: Envelope,
  model: Model,
  isOwnLink: IsOwnLink,
): Record<string, ParameterValue> {
  const fieldOf = (name: string): Field => ({
    value: envelope.given(name),
    parameter: model.parameters[name] ?? null,
  });
  const { single, group } = KINDS[model.type];
  const read = new Map<string, ParameterValue | undefined>();
  for (const [name, reader] of Object.entries(single)) read.set(name, reader(fieldOf(name)));
  for (const [name, value] of Object.entries(group(fieldOf, isOwnLink))) read.set(name, value);
  const normalised: Record<string, ParameterValue> = {};
  for (const name of Object.keys(model.parameters)) {
    const value = read.get(name);
    if (value !== undefined) normalised[name] = value;
  }
  return normalised;
}
