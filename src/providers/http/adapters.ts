import { aceStep } from "./ace-step.js";
import type { UpstreamAdapter } from "./adapter.js";
import { comfyui } from "./comfyui.js";
import { fal } from "./fal.js";
import { generationApi } from "./generation-api.js";
import { kie } from "./kie.js";
import { openai } from "./openai.js";
import { polza } from "./polza.js";
import { replicate } from "./replicate.js";

export const ADAPTERS: readonly UpstreamAdapter[] = [
  generationApi,
  fal,
  kie,
  polza,
  openai,
  replicate,
  comfyui,
  aceStep,
];
