import type { UpstreamAdapter } from "./adapter.js";
import { aceStep } from "./services/ace-step.js";
import { comfyui } from "./services/comfyui.js";
import { fal } from "./services/fal.js";
import { generationApi } from "./services/generation-api.js";
import { kie } from "./services/kie.js";
import { openai } from "./services/openai.js";
import { polza } from "./services/polza.js";
import { replicate } from "./services/replicate.js";

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
