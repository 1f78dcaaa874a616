import { z } from "zod";
import { choice, flag, link, links, seed, text } from "../fields.js";
import { videoSides } from "../files/sides.js";
import type { Json } from "../json.js";
import type { Rule } from "../judge.js";
import { film, type Model, secondsOf } from "../model.js";

/*
 * Sources: https://fal.ai/models/ENDPOINT/llms.txt of each endpoint (kling/v4 and bytedance/seedance-2.5 stand there
 * only), and the types of @fal-ai/client 1.10.1 (src/types/endpoints.d.ts). fal-ai/veo3.1 takes 4k by its llms.txt.
 * google/gemini-omni-flash/v1.1: https://fal.ai/api/openapi/queue/openapi.json?endpoint_id=ENDPOINT as others pinned it
 * in October 2026, with its units as recorded; the endpoints without a version ended in September.
 */

const PROMPT = { prompt: text(50_000) };
const VEO = {
  ...PROMPT,
  negative_prompt: z.string().optional(),
  auto_fix: flag,
  generate_audio: flag,
  seed,
  safety_tolerance: choice("1", "2", "3", "4", "5", "6"),
  duration: choice("4s", "6s", "8s"),
  resolution: choice("720p", "1080p", "4k"),
};
const SHAPES = choice("16:9", "9:16");
const AUTO_SHAPES = choice("auto", "16:9", "9:16");
const KLING_2_5 = {
  ...PROMPT,
  negative_prompt: z.string().max(2500).optional(),
  cfg_scale: z.number().min(0).max(1).optional(),
  duration: choice("5", "10"),
};
const KLING_4 = {
  prompt: z.string().min(1).max(2500).optional(),
  multi_prompt: z.array(z.object({ prompt: z.string(), duration: z.int().optional() })).optional(),
  duration: z.int().min(3).max(30).optional(),
  resolution: choice("720p", "1080p"),
};
const KLING_4_SHAPES = choice("auto", "16:9", "9:16", "1:1", "21:9");
const KLING_4_IMAGES = {
  start_image_url: link,
  end_image_url: link.optional(),
  middle_image_urls: links(8).optional(),
};
const SEEDANCE = {
  ...PROMPT,
  resolution: choice("480p", "720p"),
  aspect_ratio: choice("auto", "21:9", "16:9", "4:3", "1:1", "3:4", "9:16"),
  duration: z.enum(["auto", ...Array.from({ length: 27 }, (_, index) => String(index + 4))]).optional(),
  generate_audio: flag,
  seed,
};
const XAI_RATIOS = ["16:9", "4:3", "3:2", "1:1", "2:3", "3:4", "9:16"] as const;
const XAI = {
  ...PROMPT,
  prompt: text(4096),
  duration: z.int().min(1).max(15).optional(),
  resolution: choice("480p", "720p"),
};

/** Either the prompt or the prompts of the shots. */
const somePrompt: Rule = (input) =>
  input.prompt === undefined && input.multi_prompt === undefined
    ? { field: "prompt", kind: "rule", expected: "either prompt or multi_prompt" }
    : undefined;

const OMNI = {
  prompt: text(20_000),
  aspect_ratio: SHAPES,
  resolution: choice("360p", "720p", "1080p", "4k"),
  duration: z.int().min(3).max(10).optional(),
};

interface Defaults {
  seconds: number;
  resolution: string;
  /** Price of a unit. */
  price: number;
  /** Units of a second without and with sound, where the endpoint has `generate_audio`. */
  units?: { silent: number; sound: number };
}

function video(shape: z.ZodRawShape, defaults: Defaults, rules: readonly Rule[] = []): Model {
  const durationOf = (input: Json) => secondsOf(input.duration, defaults.seconds);
  const { silent, sound } = defaults.units ?? { silent: 1, sound: 2 };
  const hasSound = (input: Json) => "generate_audio" in shape && input.generate_audio !== false;
  return {
    schema: z.object(shape),
    rules,
    results: (input) =>
      film(input, videoSides(input.aspect_ratio, input.resolution ?? defaults.resolution), durationOf(input)),
    units: (input) => durationOf(input) * (hasSound(input) ? sound : silent),
    unitPrice: defaults.price,
    unit: "seconds",
    references: [
      "image_url",
      "image_urls",
      "tail_image_url",
      "start_image_url",
      "end_image_url",
      "first_frame_url",
      "last_frame_url",
      "reference_image_urls",
    ],
  };
}

/** The price is that of a second with sound. Source: the pricing API as recorded for veo3.1/image-to-video. */
const veoDefaults = (price: number): Defaults => ({
  seconds: 8,
  resolution: "720p",
  price,
  units: { silent: 0.5, sound: 1 },
});

function veo(path: string, price: number): Readonly<Record<string, Model>> {
  const defaults = veoDefaults(price);
  return {
    [path]: video({ ...VEO, aspect_ratio: SHAPES }, defaults),
    [`${path}/image-to-video`]: video({ ...VEO, aspect_ratio: AUTO_SHAPES, image_url: link }, defaults),
    [`${path}/first-last-frame-to-video`]: video(
      { ...VEO, aspect_ratio: AUTO_SHAPES, first_frame_url: link, last_frame_url: link },
      defaults,
    ),
  };
}

function seedance(path: string, price: number): Readonly<Record<string, Model>> {
  const defaults = { seconds: 5, resolution: "720p", price };
  return {
    [`${path}/text-to-video`]: video(SEEDANCE, defaults),
    [`${path}/image-to-video`]: video(
      { ...SEEDANCE, image_url: link, end_image_url: link.optional() },
      defaults,
    ),
    [`${path}/reference-to-video`]: video({ ...SEEDANCE, image_urls: links(10).optional() }, defaults),
  };
}

/** Its units are seconds at 360p: $0.03, $0.10, $0.15 and $0.30 a second. */
function omni(shape: z.ZodRawShape): Model {
  const model = video({ ...OMNI, ...shape }, { seconds: 8, resolution: "720p", price: 0.03 });
  const units = { "360p": 1, "720p": 10 / 3, "1080p": 5, "4k": 10 } as Readonly<Record<string, number>>;
  return {
    ...model,
    units: (input) => secondsOf(input.duration, 8) * (units[String(input.resolution)] ?? 10 / 3),
  };
}

const kling4 = { seconds: 5, resolution: "720p", price: 0.157 };
const kling25 = { seconds: 5, resolution: "1080p", price: 0.07 };
const grok = { seconds: 6, resolution: "720p", price: 0.05 };

export const VIDEO_MODELS: Readonly<Record<string, Model>> = {
  ...veo("fal-ai/veo3.1", 0.4),
  ...veo("fal-ai/veo3.1/fast", 0.2),
  "fal-ai/veo3.1/reference-to-video": video(
    { ...VEO, duration: choice("8s"), aspect_ratio: SHAPES, image_urls: links(3) },
    veoDefaults(0.4),
  ),
  "kling/v4/text-to-video": video({ ...KLING_4, aspect_ratio: KLING_4_SHAPES }, kling4, [somePrompt]),
  "kling/v4/image-to-video": video({ ...KLING_4, ...KLING_4_IMAGES }, kling4, [somePrompt]),
  "kling/v4/reference-to-video": video(
    {
      ...KLING_4,
      aspect_ratio: KLING_4_SHAPES,
      start_image_url: link.optional(),
      end_image_url: link.optional(),
      image_urls: links(10).optional(),
    },
    kling4,
    [somePrompt],
  ),
  "fal-ai/kling-video/v2.5-turbo/pro/text-to-video": video(
    { ...KLING_2_5, aspect_ratio: choice("16:9", "9:16", "1:1") },
    kling25,
  ),
  "fal-ai/kling-video/v2.5-turbo/pro/image-to-video": video(
    { ...KLING_2_5, image_url: link, tail_image_url: link.optional() },
    kling25,
  ),
  ...seedance("bytedance/seedance-2.5/flash", 0.1442),
  "google/gemini-omni-flash/v1.1/text-to-video": omni({}),
  "google/gemini-omni-flash/v1.1/image-to-video": omni({ image_url: link, end_image_url: link.optional() }),
  "google/gemini-omni-flash/v1.1/reference-to-video": omni({
    image_urls: links(10).optional(),
    reference_video_urls: links(3).optional(),
  }),
  "xai/grok-imagine-video/text-to-video": video({ ...XAI, aspect_ratio: choice(...XAI_RATIOS) }, grok),
  "xai/grok-imagine-video/image-to-video": video(
    { ...XAI, aspect_ratio: choice("auto", ...XAI_RATIOS), image_url: link },
    grok,
  ),
  "xai/grok-imagine-video/reference-to-video": video(
    { ...XAI, aspect_ratio: choice(...XAI_RATIOS), reference_image_urls: links(7) },
    grok,
  ),
};
