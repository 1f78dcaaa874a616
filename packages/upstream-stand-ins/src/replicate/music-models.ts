import { z } from "zod";
import { choice, flag, text, whole } from "../fields.js";
import type { Json } from "../json.js";
import type { Rule } from "../judge.js";
import { aboutOf, type Model } from "../model.js";

/* Sources: https://replicate.com/elevenlabs/music, https://replicate.com/minimax/music-2.6 */

/** "For vocal songs, supply lyrics, unless lyrics_optimizer is set." */
const lyricsFit: Rule = ({ is_instrumental: isInstrumental, lyrics, lyrics_optimizer: writes }) =>
  isInstrumental === false && lyrics === undefined && writes !== true
    ? { field: "lyrics", kind: "rule", expected: "given for a song" }
    : undefined;

const song = (
  schema: z.ZodObject,
  seconds: (input: Json) => number,
  price: (input: Json) => number,
): Model => ({
  schema,
  rules: [lyricsFit],
  results: (input) => [
    { kind: "audio", format: "mp3", durationSec: seconds(input), about: aboutOf(input), title: "" },
  ],
  units: price,
  unitPrice: 1,
  unit: "dollars",
  references: [],
});

const lengthOf = ({ music_length_ms: ms }: Json) => (typeof ms === "number" ? ms : 10_000) / 1000;

export const MUSIC_MODELS: Readonly<Record<string, Model>> = {
  "elevenlabs/music": song(
    z.object({
      prompt: text(50_000),
      music_length_ms: whole(5000, 300_000),
      force_instrumental: flag,
      output_format: choice(
        ...(["mp3_standard", "mp3_high_quality", "wav_16khz", "wav_22khz", "wav_24khz"] as const),
        "wav_cd_quality",
      ),
    }),
    lengthOf,
    (input) => lengthOf(input) * 0.0083,
  ),
  "minimax/music-2.6": song(
    z.object({
      prompt: text(2000),
      lyrics: z.string().min(1).max(3500).optional(),
      is_instrumental: flag,
      lyrics_optimizer: flag,
      audio_format: choice("mp3", "wav", "pcm"),
      sample_rate: z.literal([16_000, 24_000, 32_000, 44_100]).optional(),
      bitrate: z.literal([32_000, 64_000, 128_000, 256_000]).optional(),
      seed: whole(0, 1_000_000),
    }),
    () => 60,
    () => 0.15,
  ),
};
