import { z } from "zod";
import type { JobId } from "./job.js";
import { GENERATION_TYPES, type GenerationType, type ParameterValue } from "./model.js";

export const storedValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

export const storedRequest = z
  .object({ type: z.enum(GENERATION_TYPES), model_key: z.string(), prompt: z.string().exactOptional() })
  .catchall(storedValue);

/** Body of a paid POST (section 4.4), with canonical names only. */
export interface GenerationRequest {
  type: GenerationType;
  model_key: string;
  prompt?: string;
  [parameter: string]: ParameterValue | undefined;
}

/** Response to an accepted submission (section 4.4). Amounts in rubles. */
export interface Accepted {
  job_id: JobId;
  job_ids: readonly JobId[];
  status: "queued";
  cost_rub: number;
  unit_cost_rub?: number;
}

/** Fillers of Hangul, the empty Braille pattern and the sign for what cannot be read are letters or signs to Unicode. */
const VISIBLE = /(?![\u115f\u1160\u3164\uffa0\u2800\ufffd])[\p{L}\p{N}\p{P}\p{S}]/u;

/** Tells whether nothing of a text is seen: such a text counts as absent. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

const TEXTS = ["prompt", "title", "description", "lyrics", "custom_style"] as const;

/** Returns what a person wrote for a request. */
export function requestTexts(request: GenerationRequest): string[] {
  return TEXTS.map((name) => request[name]).filter((text) => typeof text === "string");
}
