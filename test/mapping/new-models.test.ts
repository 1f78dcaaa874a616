import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseCatalogue } from "../../src/catalogue/catalogue.js";
import { mappingFor, operationOf } from "../../src/catalogue/operation.js";
import { readRequest } from "../../src/jobs/read-request.js";
import { CONTEXT } from "./mappings.js";

const poll = { first_ms: 3000, every_ms: [5000], deadline_sec: 600 };
const about = { en: "New", ru: "Новая" };
const none = { status: "active", default: false, about, provider: { name: "local", model: "new" } };
const prompt = { type: "string", required: true, min: 1, max: 2000 };
const choice = (values: readonly (string | number)[]) => ({
  type: typeof values[0] === "number" ? "integer" : "string",
  required: false,
  values,
  default: values[0],
});

/** An image, a video and a song that known services offer. */
const MODELS = [
  {
    ...none,
    type: "image",
    model_key: "grok-imagine-2",
    title: "Grok Imagine 2",
    price_rub: { "1K": 8 },
    parameters: {
      prompt,
      aspect_ratio: choice(["1:1", "16:9"]),
      generation_mode: null,
      resolution: choice(["1K"]),
      count: { type: "integer", required: false, min: 1, max: 4, default: 1 },
      reference_urls: null,
    },
    mappings: {
      kie: [
        {
          when: { resolution: ["1K"] },
          api: "market",
          endpoint: "grok-imagine-image-2-0/text-to-image",
          input: { prompt: "$prompt", aspect_ratio: "$aspect_ratio" },
          output: { kind: "image", files: "/resultUrls/0" },
          poll,
          source: "https://github.com/henjicc/Henji-AI",
          checked: "2026-11-22",
        },
      ],
    },
  },
  {
    ...none,
    type: "video",
    model_key: "hailuo-02",
    title: "Hailuo 02",
    price_rub: { "6": 40, "10": 70 },
    parameters: {
      prompt,
      aspect_ratio: null,
      resolution: null,
      duration_sec: choice([6, 10]),
      video_input_mode: { type: "string", required: false, values: ["text", "frames"] },
      video_speed_mode: null,
      sound: null,
      start_frame_url: { type: "string", required: false },
      end_frame_url: null,
      reference_urls: { type: "array<string>", required: false, max: 1 },
    },
    mappings: {
      fal: [
        {
          endpoint: "fal-ai/minimax/hailuo-02/standard/image-to-video",
          when: { start_frame_url: true },
          input: {
            prompt: "$prompt",
            image_url: "$start_frame_url",
            duration: { from: "duration_sec", as: "string" },
          },
          output: { kind: "video", files: "/video/url" },
          poll,
          source: "https://fal.ai/models/fal-ai/minimax/hailuo-02/standard/image-to-video",
          checked: "2026-11-22",
        },
        {
          endpoint: "fal-ai/minimax/hailuo-02/standard/text-to-video",
          input: { prompt: "$prompt", duration: { from: "duration_sec", as: "string" } },
          output: { kind: "video", files: "/video/url" },
          poll,
          source: "https://fal.ai/models/fal-ai/minimax/hailuo-02/standard/text-to-video",
          checked: "2026-11-22",
        },
      ],
    },
  },
  {
    ...none,
    type: "music",
    model_key: "music:stable-audio",
    title: "Stable Audio",
    price_rub: 20,
    tracks: 1,
    parameters: {
      mode: choice(["description"]),
      title: null,
      description: { type: "string", required: false, min: 8, max: 1000 },
      lyrics: null,
      style_preset_id: null,
      custom_style: null,
      make_instrumental: null,
      style_weight: null,
      weirdness_constraint: null,
      audio_weight: null,
      duration_sec: { type: "integer", required: false, min: 10, max: 190, default: 30 },
    },
    mappings: {
      fal: [
        {
          when: { mode: ["description"] },
          endpoint: "fal-ai/stable-audio-25/text-to-audio",
          input: { prompt: "$description", seconds_total: "$duration_sec" },
          output: { kind: "audio", files: "/audio/url" },
          poll,
          source: "https://fal.ai/models/fal-ai/stable-audio-25/text-to-audio/llms.txt",
          checked: "2026-11-22",
        },
      ],
    },
  },
];

const file = JSON.parse(readFileSync("data/catalogue.json", "utf8"));
const catalogue = parseCatalogue({ ...file, models: [...file.models, ...MODELS] }, "catalogue.json");

describe("three models are added by data alone:", () => {
  it.each([
    [
      "an image",
      { type: "image", model_key: "grok-imagine-2", prompt: "a fox", aspect_ratio: "16:9" },
      "grok-imagine-image-2-0/text-to-image",
      { prompt: "a fox", aspect_ratio: "16:9" },
    ],
    [
      "a video of words",
      { type: "video", model_key: "hailuo-02", prompt: "a fox", duration_sec: 10 },
      "fal-ai/minimax/hailuo-02/standard/text-to-video",
      { prompt: "a fox", duration: "10" },
    ],
    [
      "a video from a frame",
      { type: "video", model_key: "hailuo-02", prompt: "a fox", start_frame_url: "https://files.test/1.png" },
      "fal-ai/minimax/hailuo-02/standard/image-to-video",
      { prompt: "a fox", image_url: "https://files.test/1.png", duration: "6" },
    ],
    [
      "a song",
      { type: "music", model_key: "stable-audio", description: "calm piano" },
      "fal-ai/stable-audio-25/text-to-audio",
      { prompt: "calm piano", seconds_total: 30 },
    ],
  ])("%s", (_, body, endpoint, input) => {
    const { entry, request } = readRequest(body, catalogue);
    const [found] = Object.values(entry.mappings).map((mappings) => mappingFor(mappings, request));
    if (!found || "refusedField" in found) throw new Error(`refused: ${found?.refusedField}`);
    expect(operationOf(found.mapping, request, CONTEXT)).toMatchObject({ endpoint, input });
  });
});
