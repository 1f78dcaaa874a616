import { describe, expect, it, test } from "vitest";
import type { Model } from "../../../src/contract/model.js";
import { catalogue, link, read } from "./support.js";

/** The prices of the price list, copied by hand: rubles by variant, in the order of the parameters. */
const BY_RESOLUTION: Record<string, Record<string, number>> = {
  "nano-banana-2": { "1K": 10, "2K": 15, "4K": 20 },
  "nano-banana-2-lite": { "1K": 5 },
  "nano-banana-pro": { "1K": 20, "2K": 20, "4K": 35 },
  "seedream-5": { "1K": 7, "2K": 9 },
  "flux-2-pro": { "1K": 8, "2K": 12 },
  "grok-imagine": { "1K": 5, "2K": 7 },
  "z-image-turbo": { "1K": 3, "2K": 4 },
};
const BY_MODE = {
  fast: { text: [6, 9, 14], reference: [8, 11, 16] },
  quality: { text: [14, 22, 34], reference: [17, 26, 39] },
};
const BY_DURATION: Record<string, { seconds: number[]; rubles: Record<string, number[]> }> = {
  "veo-3-1": {
    seconds: [4, 6, 8],
    rubles: { "720p": [44, 66, 88], "1080p": [56, 84, 112], "4K": [120, 180, 240] },
  },
  "kling-4": {
    seconds: [5, 10, 15, 30],
    rubles: { "720p": [95, 190, 285, 570], "1080p": [140, 280, 420, 840] },
  },
  "kling-2-5-turbo": { seconds: [5, 10], rubles: { any: [45, 90] } },
  "seedance-2-5": { seconds: [5, 10, 15], rubles: { "480p": [90, 180, 270], "720p": [190, 380, 570] } },
  "grok-imagine-video": { seconds: [5, 10, 15], rubles: { "480p": [30, 60, 90], "720p": [45, 90, 135] } },
  "gemini-omni": {
    seconds: [4, 6, 8, 10],
    rubles: { "720p": [55, 70, 85, 100], "1080p": [55, 70, 85, 100], "4K": [115, 130, 145, 160] },
  },
};
const MUSIC: Record<string, number> = {
  "music:suno-v6": 25,
  "music:suno-v5": 25,
  "music:suno-v4-5": 20,
  "music:elevenlabs": 60,
  "music:minimax": 20,
};

test("each model of the price list is sold, and no other", () => {
  const priced = [BY_RESOLUTION, { "gpt-image-2-5": BY_MODE }, BY_DURATION, MUSIC].flatMap(Object.keys);
  expect(catalogue.models.map(({ model_key }) => model_key).sort()).toEqual(priced.sort());
});

/** Every priced variant of a model: its settings and the rubles published for them. */
function variantsOf({ model_key, type }: Model): [settings: object, rubles: number][] {
  if (type === "music") return [[{ description: "a slow waltz" }, MUSIC[model_key] ?? Number.NaN]];
  const flat = BY_RESOLUTION[model_key];
  if (flat) return Object.entries(flat).map(([resolution, rubles]) => [{ resolution }, rubles]);
  const film = BY_DURATION[model_key];
  if (film) {
    return Object.entries(film.rubles).flatMap(([resolution, row]) =>
      row.map((rubles, index): [object, number] => {
        return [{ resolution, duration_sec: film.seconds[index], image_url: link("a") }, rubles];
      }),
    );
  }
  return Object.entries(BY_MODE).flatMap(([generation_mode, columns]) =>
    Object.entries(columns).flatMap(([column, row]) =>
      row.map((rubles, index): [object, number] => {
        const reference_urls = column === "reference" ? [link("a")] : [];
        return [{ generation_mode, resolution: ["1K", "2K", "4K"][index], reference_urls }, rubles];
      }),
    ),
  );
}

describe.each(catalogue.models.map((model) => [model.model_key, model] as const))("%s", (_, model) => {
  it.each(variantsOf(model))("with %j costs the published %d rubles", (settings, rubles) => {
    const body = { type: model.type, model_key: model.model_key, prompt: "a cat", ...settings };
    for (const count of model.type === "image" ? [1, 2, 3, 4] : [1]) {
      const priced = read({ ...body, count });
      expect(priced.unitKopecks).toBe(rubles * 100);
      expect(priced.totalKopecks).toBe(rubles * 100 * count);
    }
  });
});
