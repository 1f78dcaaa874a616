import type { GenerationRequest } from "../../src/contract/request.js";
import { type Route, routeSchema } from "../../src/routes/route.js";

/** A route of the schema with the given parts. */
export function routeOf(parts: Record<string, unknown>): Route {
  return routeSchema.parse({
    endpoint: "service/model",
    input: { prompt: "$prompt" },
    output: { kind: "image", files: "/images/*/url" },
    poll: { first_ms: 1000, every_ms: [2000], deadline_sec: 300 },
    source: "https://service.test/docs",
    checked: "2026-11-22",
    ...parts,
  });
}

export function imageRequest(parameters: Partial<GenerationRequest> = {}): GenerationRequest {
  return { type: "image", model_key: "model", prompt: "a fox", ...parameters };
}

export const CONTEXT = { seed: 7, tracks: 2, callbackUrl: "https://bot.test/hooks/service" };
