import { type GoldenCase, KIE_PAGES } from "./case.js";

const music = (model_key: string, more: GoldenCase["body"]) => ({ type: "music", model_key, ...more });
const lyrics = "[Verse 1]\nSnow is falling on the town\nand the lights are going down";
const SUNO = `${KIE_PAGES}/Suno API/Music Generation/171`;
const callBackUrl = "https://bot.test/hooks/service";

export const MUSIC: readonly GoldenCase[] = [
  {
    name: "suno-v5 of an idea, in the simple mode",
    service: "kie",
    body: music("suno-v5", { description: "A song about the first snow", style_preset_id: "hip_hop" }),
    api: "suno",
    endpoint: "V5",
    input: {
      customMode: false,
      instrumental: false,
      prompt: "A song about the first snow. hip hop",
      callBackUrl,
    },
    source: SUNO,
  },
  {
    name: "suno-v5 of lyrics, with a title of their first line",
    service: "kie",
    body: music("suno-v5", { mode: "lyrics", lyrics, custom_style: "slow piano ballad", style_weight: 0.3 }),
    api: "suno",
    endpoint: "V5",
    input: {
      customMode: true,
      instrumental: false,
      prompt: lyrics,
      style: "slow piano ballad",
      title: "Snow is falling on the town",
      styleWeight: 0.3,
      weirdnessConstraint: 0.65,
      audioWeight: 0.65,
      callBackUrl,
    },
    source: SUNO,
  },
  {
    name: "suno-v4-5 without words",
    service: "kie",
    body: music("suno-v4-5", {
      description: "Calm piano for the evening",
      title: "Evening",
      make_instrumental: true,
    }),
    api: "suno",
    endpoint: "V4_5PLUS",
    input: {
      customMode: true,
      instrumental: true,
      style: "Calm piano for the evening",
      title: "Evening",
      styleWeight: 0.65,
      weirdnessConstraint: 0.65,
      audioWeight: 0.65,
      callBackUrl,
    },
    source: SUNO,
  },
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
