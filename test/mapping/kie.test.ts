import { describe, expect, test } from "vitest";
import type { Json } from "../../src/catalogue/json.js";
import { expectedCost, mappingFor } from "../../src/catalogue/operation.js";
import type { GenerationRequest } from "../../src/contract/request.js";
import { readRequest } from "../../src/jobs/read-request.js";
import { wholeCatalogue } from "./mappings.js";

const catalogue = wholeCatalogue();
const FRAME = "https://files.test/1.png";

function mappingsOf(key: string) {
  const entry = catalogue.entries.find(({ model_key }) => model_key === key);
  if (!entry) throw new Error(`no model ${key}`);
  return { entry, mappings: entry.mappings.kie ?? [] };
}

function asked(type: string, model_key: string, more: Record<string, Json>): GenerationRequest {
  const text = type === "music" ? {} : { prompt: "a fox" };
  return readRequest({ type, model_key, ...text, ...more }, catalogue).request;
}

describe("a prompt of one or two characters", () => {
  test.each([
    ["seedream-5", {}],
    ["seedream-5", { reference_urls: [FRAME] }],
    ["flux-2-pro", {}],
    ["flux-2-pro", { reference_urls: [FRAME] }],
    ["seedance-2-5", {}],
  ])("is for no mapping of %s at kie, with %j", (key, more) => {
    const { entry, mappings } = mappingsOf(key);
    const found = (prompt: string) => mappingFor(mappings, asked(entry.type, key, { prompt, ...more }));
    expect(found("ox")).toEqual({ refusedField: "prompt", isTooShort: true });
    expect(found("fox")).toHaveProperty("mapping");
  });

  test("goes to a service that takes it", () => {
    const { entry } = mappingsOf("flux-2-pro");
    const fal = entry.mappings.fal ?? [];
    expect(mappingFor(fal, asked("image", "flux-2-pro", { prompt: "ox" }))).toHaveProperty("mapping");
  });
});

const film = { start_frame_url: FRAME, duration_sec: 10 };

test.each([
  ["image", "nano-banana-2", {}, 4],
  ["image", "nano-banana-2", { resolution: "4K" }, 9],
  ["image", "gpt-image-2-5", { resolution: "2K", aspect_ratio: "1:1" }, 10],
  ["image", "gpt-image-2-5", { generation_mode: "quality", resolution: "4K" }, 16],
  ["image", "seedream-5", { resolution: "2K" }, 14],
  ["image", "grok-imagine", {}, 4],
  ["video", "grok-imagine-video", film, 24],
  ["video", "grok-imagine-video", { ...film, resolution: "720p" }, 45],
  ["video", "veo-3-1", { sound: true, resolution: "4K" }, 380],
  ["video", "veo-3-1", { sound: true, resolution: "4K", start_frame_url: FRAME }, 370],
  ["video", "veo-3-1", { sound: true, video_speed_mode: "fast" }, 60],
  ["music", "music:suno-v6", { description: "a slow song" }, 12],
])("%s %s with %j costs %d credits", (type, key, more, amount) => {
  const request = asked(type, key, more);
  const found = mappingFor(mappingsOf(key).mappings, request);
  if (!("mapping" in found)) throw new Error(found.refusedField);
  expect(expectedCost(found.mapping, request)).toMatchObject({ amount, currency: "kie_credit" });
});
