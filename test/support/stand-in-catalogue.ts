import type { CatalogueFacts } from "./gateway-subject.js";

const prompt = { type: "string", required: true, max: 500 } as const;
const reference_urls = { type: "array<string>", required: false, max: 2 } as const;

/** Models of another service: other names and prices, and a parameter of its own of each type. */
export const STAND_IN_MODELS = [
  {
    type: "image",
    model_key: "fox-9",
    title: "Fox Nine",
    price_rub: { "1K": 12.5, "2K": 20 },
    defaults: { resolution: "1K", aspect_ratio: "1:1", count: 1, grain_level: 2 },
    parameters: {
      prompt,
      reference_urls,
      resolution: { type: "string", required: false, values: ["1K", "2K"], default: "1K" },
      aspect_ratio: { type: "string", required: false, values: ["1:1", "5:4"], default: "1:1" },
      count: { type: "integer", required: false, min: 1, max: 4, default: 1 },
      grain_level: { type: "integer", required: false, min: 1, max: 5, default: 2 },
      glow: { type: "number", required: false, min: 0, max: 1 },
      film_look: { type: "string", required: false, values: ["none", "noir"], default: "none" },
      caption_text: { type: "string", required: false, max: 40 },
      wild_mode: { type: "boolean", required: false, default: false },
      tags: { type: "array<string>", required: false, max: 3 },
      physics: { type: "hologram" },
    },
  },
  {
    type: "video",
    model_key: "river",
    title: "River",
    price_rub: { "5": 30, "10": 55 },
    defaults: { duration_sec: 5 },
    parameters: { prompt, duration_sec: { type: "integer", required: false, values: [5, 10], default: 5 } },
  },
  {
    type: "music",
    model_key: "music:hum",
    title: "Hum",
    price_rub: 40,
    defaults: {},
    parameters: { description: { type: "string", required: true, max: 200 } },
  },
  { type: "hologram", model_key: "h", title: "H", price_rub: 1, defaults: {}, parameters: {} },
] as const;

const IMAGE = { type: "image", model_key: "fox-9", prompt: "a red fox" } as const;
const MUSIC = { type: "music", model_key: "music:hum", description: "a slow song" } as const;

export const STAND_IN_CATALOGUE: CatalogueFacts = {
  image: IMAGE,
  music: MUSIC,
  refused: [
    ["prompt_required", { type: "image", model_key: "fox-9" }],
    ["prompt_too_long", { ...IMAGE, prompt: "a".repeat(501) }],
    ["bad_aspect_ratio", { ...IMAGE, aspect_ratio: "7:1" }],
    ["model_disabled", { ...IMAGE, model_key: "fox-8" }],
    ["bad_music_description", { type: "music", model_key: "music:hum" }],
    ["reference_url_not_allowed", { ...IMAGE, reference_urls: ["https://localhost/a.png"] }],
  ],
};
