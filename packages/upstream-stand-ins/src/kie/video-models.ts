import { z } from "zod";
import { choice, flag, link, links, text } from "../fields.js";
import { videoSides } from "../files/sides.js";
import { film, type Model, secondsOf } from "../model.js";

/*
 * Source: docs.kie.ai, the OpenAPI page of each market model, as kept in henjicc/Henji-AI, docs/api/KIE/Video Models;
 * bytedance/seedance-2-5: the builder there in use, src/models/kie/seedance-2.5.model.ts.
 */

const KLING_25 = {
  prompt: text(2500),
  duration: choice("5", "10"),
  negative_prompt: z.string().max(2500).optional(),
  cfg_scale: z.number().min(0).max(1).optional(),
};
const KLING_SECONDS = ["3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15"] as const;
const SEEDANCE = {
  prompt: z.string().min(3).max(20_000).optional(),
  first_frame_url: link.optional(),
  last_frame_url: link.optional(),
  reference_image_urls: z.array(link).max(9).optional(),
  reference_video_urls: z.array(link).max(3).optional(),
  reference_audio_urls: z.array(link).max(3).optional(),
  return_last_frame: flag,
  generate_audio: flag,
  aspect_ratio: choice("1:1", "4:3", "3:4", "16:9", "9:16", "21:9", "adaptive"),
  duration: z.int().min(4).max(15).optional(),
  web_search: flag,
  nsfw_checker: flag,
};
const GROK = {
  mode: choice("fun", "normal", "spicy"),
  duration: z.number().min(6).max(30).optional(),
  resolution: choice("480p", "720p"),
  aspect_ratio: choice("2:3", "3:2", "1:1", "16:9", "9:16"),
  nsfw_checker: flag,
};

/** What `mode` of Kling 3.0 and `resolution` of the others mean. */
const MODES: Readonly<Record<string, string>> = { std: "720p", pro: "1080p", "4K": "4k" };

function video(shape: z.ZodRawShape, seconds: number, creditsPerSecond: number): Model {
  return {
    schema: z.object(shape),
    results: (input) => {
      const resolution = input.resolution ?? MODES[String(input.mode)] ?? "720p";
      return film(input, videoSides(input.aspect_ratio, resolution), secondsOf(input.duration, seconds));
    },
    units: (input) => secondsOf(input.duration, seconds),
    unitPrice: creditsPerSecond,
    unit: "seconds",
    references: [
      "image_url",
      "tail_image_url",
      "image_urls",
      "first_frame_url",
      "last_frame_url",
      "reference_image_urls",
    ],
  };
}

export const VIDEO_MODELS: Readonly<Record<string, Model>> = {
  "kling/v2-5-turbo-text-to-video-pro": video(
    { ...KLING_25, aspect_ratio: choice("16:9", "9:16", "1:1") },
    5,
    8.4,
  ),
  "kling/v2-5-turbo-image-to-video-pro": video(
    { ...KLING_25, image_url: link, tail_image_url: link.optional() },
    5,
    8.4,
  ),
  "kling-3.0/video": video(
    {
      prompt: z.string().max(2500).optional(),
      image_urls: z.array(link).max(2).optional(),
      sound: flag,
      duration: choice(...KLING_SECONDS),
      aspect_ratio: choice("16:9", "9:16", "1:1"),
      mode: choice("std", "pro", "4K"),
      multi_shots: flag,
      multi_prompt: z.array(z.unknown()).optional(),
      kling_elements: z.array(z.unknown()).optional(),
    },
    5,
    18,
  ),
  "kling/v3-turbo-text-to-video": video(
    {
      prompt: text(2500),
      duration: z.enum(KLING_SECONDS),
      aspect_ratio: z.enum(["1:1", "9:16", "16:9"]),
      resolution: z.enum(["720p", "1080p"]),
    },
    5,
    18,
  ),
  "kling/v3-turbo-image-to-video": video(
    {
      prompt: text(2500),
      image_urls: links(2),
      duration: z.enum(KLING_SECONDS),
      resolution: z.enum(["720p", "1080p"]),
    },
    5,
    18,
  ),
  "bytedance/seedance-2": video({ ...SEEDANCE, resolution: choice("480p", "720p", "1080p", "4k") }, 5, 41),
  "bytedance/seedance-2-fast": video({ ...SEEDANCE, resolution: choice("480p", "720p") }, 5, 33),
  "bytedance/seedance-2-5": video(
    {
      ...SEEDANCE,
      prompt: z.string().min(3).max(30_000).optional(),
      resolution: choice("480p", "720p", "1080p"),
      duration: z.int().min(4).max(30).optional(),
      reference_image_urls: z.array(link).max(30).optional(),
      reference_video_urls: z.array(link).max(10).optional(),
      reference_audio_urls: z.array(link).max(10).optional(),
    },
    5,
    63,
  ),
  "grok-imagine/text-to-video": video(
    {
      ...GROK,
      prompt: text(5000),
      aspect_ratio: z.enum(["2:3", "3:2", "1:1", "16:9", "9:16"]),
      mode: z.enum(["fun", "normal", "spicy"]),
      resolution: z.enum(["480p", "720p"]),
    },
    6,
    3,
  ),
  "grok-imagine/image-to-video": video(
    {
      ...GROK,
      prompt: z.string().max(5000).optional(),
      image_urls: z.array(link).max(7).optional(),
      task_id: z.string().max(100).optional(),
      index: z.int().min(0).max(5).optional(),
    },
    6,
    3,
  ),
  "grok-imagine-video-1-5-preview": video(
    {
      prompt: z.string().max(4096).optional(),
      image_urls: z.array(link).max(1).optional(),
      aspect_ratio: choice("1:1", "16:9", "9:16", "3:2", "2:3", "auto"),
      resolution: choice("480p", "720p"),
      duration: z.int().min(1).max(15).optional(),
      nsfw_checker: flag,
    },
    8,
    3,
  ),
  "gemini-omni-video": video(
    {
      prompt: text(20_000),
      image_urls: z.array(link).optional(),
      audio_ids: z.array(z.string()).optional(),
      video_list: z.array(z.object({ url: link, start: z.number(), ends: z.number() })).optional(),
      character_ids: z.array(z.string()).optional(),
      duration: z.enum(["4", "6", "8", "10"]),
      aspect_ratio: choice("16:9", "9:16"),
      seed: z.int().optional(),
      resolution: choice("720p", "1080p", "4k"),
    },
    8,
    20,
  ),
};
