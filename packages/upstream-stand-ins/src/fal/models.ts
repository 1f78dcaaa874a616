import type { Model } from "../model.js";
import { IMAGE_MODELS } from "./image-models.js";
import { MUSIC_MODELS } from "./music-models.js";
import { VIDEO_MODELS } from "./video-models.js";

/** Endpoint → model. An endpoint that is not here is unknown to the stand-in. */
export const FAL_MODELS: Readonly<Record<string, Model>> = {
  ...IMAGE_MODELS,
  ...VIDEO_MODELS,
  ...MUSIC_MODELS,
};
