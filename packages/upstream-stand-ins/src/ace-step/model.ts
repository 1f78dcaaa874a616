import { z } from "zod";
import { choice, flag, whole } from "../fields.js";
import { aboutOf, type Model, type NewFile } from "../model.js";

/*
 * Source: https://github.com/ace-step/ACE-Step-1.5/blob/f30aee4c/docs/en/API.md, section 4.2. What is left out has the
 * default that stands there: two tracks, and a length that the language model chooses.
 */

const TRACKS = 2;
const TRACK_SEC = 12;
const words = z.string().optional();
const number = z.number().optional();

export const RELEASE_TASK: Model = {
  schema: z.object({
    prompt: words,
    lyrics: words,
    thinking: flag,
    vocal_language: words,
    audio_format: choice("mp3", "wav", "flac", "opus", "aac", "wav32"),
    sample_mode: flag,
    sample_query: words,
    use_format: flag,
    model: words,
    bpm: whole(30, 300),
    key_scale: words,
    time_signature: choice("", "2", "3", "4", "6"),
    audio_duration: z.number().min(10).max(600).optional(),
    inference_steps: whole(1, 200),
    guidance_scale: number,
    use_random_seed: flag,
    seed: z.int().min(-1).optional(),
    batch_size: whole(1, 8),
    use_cot_caption: flag,
    use_cot_language: flag,
    task_type: choice("text2music", "cover", "repaint", "lego", "extract", "complete"),
    ai_token: words,
  }),
  rules: [
    ({ use_random_seed: isRandom, seed }) =>
      seed !== undefined && seed !== -1 && isRandom !== false
        ? { field: "seed", kind: "rule", expected: "use_random_seed false with a seed" }
        : undefined,
    ({ prompt, lyrics, sample_query: query, sample_mode: isSample }) =>
      [prompt, lyrics, query].every((text) => !text) && isSample !== true
        ? { field: "prompt", kind: "rule", expected: "a text" }
        : undefined,
  ],
  results: (input) => {
    const { batch_size: count = TRACKS, audio_duration: durationSec = TRACK_SEC } = input;
    return Array.from(
      { length: Number(count) },
      (_, index): NewFile => ({
        kind: "audio",
        format: "mp3",
        durationSec: Number(durationSec),
        about: index === 0 ? textsOf(input) : `${textsOf(input)} #${index + 1}`,
        title: "",
      }),
    );
  },
  units: () => 0,
  unitPrice: 0,
  unit: "tasks",
  references: [],
};

function textsOf({ sample_query: query, ...input }: Record<string, unknown>): string {
  return typeof query === "string" && query !== "" ? query : aboutOf(input);
}
