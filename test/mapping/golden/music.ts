import type { GoldenCase } from "./case.js";

const music = (model_key: string, more: GoldenCase["body"]) => ({ type: "music", model_key, ...more });
const lyrics = "[Verse 1]\nSnow is falling on the town\nand the lights are going down";

export const MUSIC: readonly GoldenCase[] = [
  {
    name: "suno-v5 of an idea",
    service: "polza",
    body: music("suno-v5", { description: "A song about the first snow", custom_style: "jazz" }),
    endpoint: "suno/generate",
    input: { prompt: "A song about the first snow. jazz" },
    source: "https://polza.ai/docs/gaidy/suno-music",
  },
  {
    name: "elevenlabs of an idea, whose length is in ms",
    service: "fal",
    body: music("elevenlabs", {
      description: "Calm piano for the evening",
      duration_sec: 90,
      make_instrumental: true,
    }),
    endpoint: "fal-ai/elevenlabs/music",
    input: { prompt: "Calm piano for the evening", music_length_ms: 90_000, force_instrumental: true },
    source: "https://fal.ai/models/fal-ai/elevenlabs/music/llms.txt",
  },
  {
    name: "elevenlabs of lyrics, which belong to the prompt",
    service: "fal",
    body: music("elevenlabs", { mode: "lyrics", lyrics, style_preset_id: "hip_hop", title: "Snow" }),
    endpoint: "fal-ai/elevenlabs/music",
    input: {
      prompt: `Style: hip hop\nTitle: Snow\nLyrics:\n${lyrics}`,
      music_length_ms: 20_000,
      force_instrumental: false,
    },
    source: "https://fal.ai/models/fal-ai/elevenlabs/music/llms.txt",
  },
  {
    name: "minimax of lyrics",
    service: "fal",
    body: music("minimax", { mode: "lyrics", lyrics, custom_style: "slow piano ballad" }),
    endpoint: "fal-ai/minimax-music/v2.6",
    input: {
      prompt: "A song with these words.\nStyle: slow piano ballad",
      lyrics,
      is_instrumental: false,
    },
    source: "https://fal.ai/api/openapi/queue/openapi.json?endpoint_id=fal-ai/minimax-music/v2.6",
  },
  {
    name: "minimax of an idea, whose words the service writes",
    service: "fal",
    body: music("minimax", { description: "The first snow" }),
    endpoint: "fal-ai/minimax-music/v2.6",
    input: { prompt: "A song. The first snow", lyrics_optimizer: true, is_instrumental: false },
    source: "https://fal.ai/api/openapi/queue/openapi.json?endpoint_id=fal-ai/minimax-music/v2.6",
  },
];
