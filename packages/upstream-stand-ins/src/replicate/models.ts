import type { Model } from "../model.js";
import { IMAGE_MODELS } from "./image-models.js";
import { MUSIC_MODELS } from "./music-models.js";
import { VIDEO_MODELS } from "./video-models.js";

export const MODELS: Readonly<Record<string, Model>> = { ...IMAGE_MODELS, ...VIDEO_MODELS, ...MUSIC_MODELS };

/** Models whose output is a list; that of the others is one address. */
export const LISTING: ReadonlySet<string> = new Set([
  "openai/gpt-image-2.5-flare",
  "openai/gpt-image-2.5-sunburst",
  "bytedance/seedream-5-lite",
]);
