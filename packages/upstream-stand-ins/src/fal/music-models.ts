import { z } from "zod";
import { choice, flag, text } from "../fields.js";
import type { Rule } from "../judge.js";
import { aboutOf, type Model } from "../model.js";

/*
 * Sources: https://fal.ai/api/openapi/queue/openapi.json?endpoint_id=fal-ai/minimax-music/v2.6 as others recorded it in
 * August 2026 (prompt 10 to 2000, lyrics to 3500 characters, lyrics_optimizer), with the rule for lyrics from v2.5's
 * llms.txt; the types of @fal-ai/client 1.10.1 for fal-ai/elevenlabs/music and minimax-music/v2.
 */

const audioSetting = z
  .object({
    sample_rate: choice("16000", "24000", "32000", "44100"),
    bitrate: choice("32000", "64000", "128000", "256000"),
    format: choice("mp3", "pcm", "flac"),
  })
  .optional();

const lyricsUnlessWritten: Rule = ({
  lyrics,
  is_instrumental: isInstrumental,
  lyrics_optimizer: isWritten,
}) =>
  isInstrumental !== true && isWritten !== true && (lyrics === undefined || lyrics === "")
    ? { field: "lyrics", kind: "rule", expected: "lyrics, is_instrumental or lyrics_optimizer" }
    : undefined;

const promptOrPlan: Rule = ({ prompt, composition_plan: plan }) =>
  (prompt === undefined) === (plan === undefined)
    ? { field: "prompt", kind: "rule", expected: "exactly one of prompt and composition_plan" }
    : undefined;

function music(shape: z.ZodRawShape, unitPrice: number, rules: readonly Rule[] = []): Model {
  return {
    schema: z.object(shape),
    rules,
    results: (input) => {
      const { music_length_ms: lengthMs } = input;
      const durationSec = typeof lengthMs === "number" ? lengthMs / 1000 : 60;
      return [{ kind: "audio", format: "mp3", durationSec, about: aboutOf(input), title: "" }];
    },
    units: () => 1,
    unitPrice,
    unit: "audios",
    references: [],
  };
}

export const MUSIC_MODELS: Readonly<Record<string, Model>> = {
  "fal-ai/minimax-music/v2.6": music(
    {
      prompt: text(2000, 10),
      lyrics: z.string().max(3500).optional(),
      is_instrumental: flag,
      lyrics_optimizer: flag,
      audio_setting: audioSetting,
    },
    0.15,
    [lyricsUnlessWritten],
  ),
  "fal-ai/minimax-music/v2": music(
    { prompt: text(300, 10), lyrics_prompt: text(3000, 10), audio_setting: audioSetting },
    0.03,
  ),
  "fal-ai/elevenlabs/music": music(
    {
      prompt: z.string().min(1).max(4100).optional(),
      composition_plan: z.record(z.string(), z.unknown()).optional(),
      music_length_ms: z.int().min(3000).max(600_000).optional(),
      force_instrumental: flag,
      respect_sections_durations: flag,
      output_format: z
        .string()
        .regex(/^(mp3|pcm|opus|ulaw|alaw)_\d+(_\d+)?$/)
        .optional(),
    },
    0.8,
    [promptOrPlan],
  ),
};
