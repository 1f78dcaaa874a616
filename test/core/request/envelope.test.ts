import { describe, expect, it } from "vitest";
import { catalogue, refusalOf, requestOf } from "./support.js";

const SONG = { type: "music", description: "a slow waltz for two" };

describe("the request envelope", () => {
  it.each([[null], [undefined], [[]], [[{}]], ["{}"], [5], [true]])(
    "rejects %j, which is not an object",
    (body) => {
      expect(refusalOf(body)).toEqual({ code: "invalid_json" });
    },
  );

  it.each([["audio"], ["IMAGE"], [5], [{}], [["image"]], [false]])("rejects the type %j", (type) => {
    expect(refusalOf({ type, prompt: "a cat" })).toEqual({
      code: "unsupported_type",
      supported: ["image", "video", "music"],
    });
  });

  it.each([[undefined], [null], [""], ["   "], [" image "]])("treats the type %j as image", (type) => {
    expect(requestOf({ type, prompt: "a cat" }).type).toBe("image");
  });

  it("treats __proto__ and similar names as data", () => {
    const body: unknown = JSON.parse(
      '{"__proto__":{"type":"music","prompt":"x"},"constructor":1,"toString":2,"prompt":"a cat"}',
    );
    expect(requestOf(body)).toEqual(requestOf({ prompt: "a cat" }));
    expect(refusalOf(JSON.parse('{"__proto__":{"prompt":"a cat"}}')).code).toBe("prompt_required");
    expect(refusalOf({ model_key: "__proto__", prompt: "a cat" }).code).toBe("bad_model");
  });
});

describe("the requested model", () => {
  it.each([
    [{ prompt: "a cat" }, "nano-banana-2"],
    [{ type: "video", prompt: "a cat" }, "veo-3-1"],
    [SONG, "music:suno-v6"],
  ])("falls back to the default for %j", (body, key) => {
    for (const model_key of [undefined, null, "", " "]) {
      expect(requestOf({ ...body, model_key }).model_key).toBe(key);
    }
  });

  it.each([
    ["image", "bad_model", "no-such"],
    ["image", "bad_model", "veo-3-1"],
    ["image", "bad_model", 5],
    ["video", "bad_video_model", "nano-banana-2"],
    ["music", "bad_music_model", "veo-3-1"],
    ["music", "bad_music_model", "music:music:suno-v5"],
  ] as const)("%s: %s for %j, with the allowed keys", (type, code, model_key) => {
    expect(refusalOf({ type, model_key })).toEqual({ code, allowed: catalogue.keysOf(type) });
  });

  it("for music may omit its prefix and be named by `model`, which `model_key` overrides", () => {
    for (const key of ["music:minimax", "minimax", " minimax "]) {
      expect(requestOf({ ...SONG, model_key: key }).model_key).toBe("music:minimax");
      expect(requestOf({ ...SONG, model: key }).model_key).toBe("music:minimax");
      expect(requestOf({ ...SONG, model: key, model_key: "elevenlabs" }).model_key).toBe("music:elevenlabs");
    }
    expect(requestOf({ prompt: "a cat", model: "flux-2-pro" }).model_key).toBe("nano-banana-2");
  });
});

const images = {
  model_key: "gpt-image-2-5",
  generation_mode: "slow",
  aspect_ratio: "1:9",
  reference_urls: 5,
};
const film = { type: "video", model_key: "veo-3-1", duration_sec: 7, start_frame_url: "x" };

it.each([
  ["type, then model", { type: "x", model_key: "x" }, "unsupported_type"],
  ["model, then prompt", { model_key: "x" }, "bad_model"],
  ["prompt, then mode", { ...images }, "prompt_required"],
  ["mode, then ratio", { ...images, prompt: "a" }, "bad_generation_mode"],
  ["ratio, then references", { ...images, prompt: "a", generation_mode: "fast" }, "bad_aspect_ratio"],
  [
    "references last",
    { ...images, prompt: "a", generation_mode: "fast", aspect_ratio: "1:1" },
    "bad_reference_url",
  ],
  ["video: prompt, then duration", film, "prompt_required"],
  ["video: duration, then references", { ...film, prompt: "a" }, "bad_duration_sec"],
  ["video: references last", { ...film, prompt: "a", duration_sec: 4 }, "bad_reference_url"],
  ["music: model, then text", { type: "music", model_key: "x" }, "bad_music_model"],
  ["music: lyrics, then style", { type: "music", mode: "lyrics" }, "bad_music_lyrics"],
])("the order of checks: %s", (_, body, code) => {
  expect(refusalOf(body).code).toBe(code);
});
