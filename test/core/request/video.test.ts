import { describe, expect, it } from "vitest";
import { link, read, refusalOf, requestOf } from "./support.js";

const VEO = { type: "video", model_key: "veo-3-1", prompt: "waves" };
const KLING = { ...VEO, model_key: "kling-2-5-turbo" };
const GROK = { ...VEO, model_key: "grok-imagine-video" };
const OMNI = { ...VEO, model_key: "gemini-omni" };
const SEEDANCE = { ...VEO, model_key: "seedance-2-5" };
const [a, b, c] = [link("a"), link("b"), link("c")];

it("a video request is completed with its model's defaults, in the catalogue's order", () => {
  expect(JSON.stringify(requestOf(VEO))).toBe(
    JSON.stringify({
      type: "video",
      model_key: "veo-3-1",
      prompt: "waves",
      aspect_ratio: "16:9",
      resolution: "720p",
      duration_sec: 4,
      video_input_mode: "text",
      video_speed_mode: "standard",
      sound: false,
    }),
  );
});

it("fields that a model lacks are ignored", () => {
  const extras = { resolution: "4K", sound: "on", speed_mode: "fast", end_frame_url: 5, count: 3 };
  expect(requestOf({ ...KLING, ...extras })).toEqual(requestOf(KLING));
  expect(read({ ...KLING, ...extras }).totalKopecks).toBe(4500);
});

describe("the settings", () => {
  it.each([
    ["aspect_ratio", "1:1", "16:9"],
    ["ratio", "9:16", "9:16"],
    ["aspect_ratio", 5, "16:9"],
  ])("%s %j gives the ratio %s", (name, value, ratio) => {
    expect(requestOf({ ...VEO, [name]: value }).aspect_ratio).toBe(ratio);
  });

  it.each([
    ["1080p", "1080p"],
    ["1K", "720p"],
    [4, "720p"],
  ])("resolution %j becomes %s", (resolution, expected) => {
    expect(requestOf({ ...VEO, resolution }).resolution).toBe(expected);
  });

  it.each([
    ["fast", "fast"],
    ["warp", "standard"],
    [1, "standard"],
  ])("video_speed_mode %j, also as speed_mode, becomes %s", (mode, expected) => {
    expect(requestOf({ ...VEO, video_speed_mode: mode }).video_speed_mode).toBe(expected);
    expect(requestOf({ ...VEO, speed_mode: mode }).video_speed_mode).toBe(expected);
  });

  it.each([
    [undefined, 4],
    [null, 4],
    [8, 8],
    ["8", 8],
    [" 6.0 ", 6],
  ])("duration_sec %j becomes %i", (duration_sec, seconds) => {
    expect(requestOf({ ...VEO, duration_sec }).duration_sec).toBe(seconds);
  });

  it.each([[5], [4.5], ["5"], ["4s"], [true], [[4]], [{}], [-4], [0]])(
    "duration_sec %j is rejected",
    (given) => {
      expect(refusalOf({ ...VEO, duration_sec: given })).toEqual({
        code: "bad_duration_sec",
        allowed: [4, 6, 8],
      });
    },
  );

  it.each([
    [true, true],
    ["true", true],
    ["1", true],
    [1, true],
    ["yes", true],
    [" ON ", true],
    [false, false],
    ["false", false],
    ["0", false],
    [0, false],
    ["no", false],
    ["off", false],
    ["maybe", false],
    [2, false],
    [{ toString: 1, valueOf: 1 }, false],
    [[true], false],
    [null, false],
  ])("sound %j is %s", (sound, expected) => {
    expect(requestOf({ ...VEO, sound }).sound).toBe(expected);
  });
});

describe("the pictures", () => {
  const TEXT = { video_input_mode: "text" };
  const frames = (start: string, end?: string) => ({
    video_input_mode: "frames",
    start_frame_url: start,
    ...(end && { end_frame_url: end }),
  });

  it.each<[model: object, given: object, pictures: object]>([
    [VEO, {}, TEXT],
    [VEO, { video_input_mode: "dance", image_url: a }, frames(a)],
    [VEO, { input_mode: "text", image_url: a }, TEXT],
    [VEO, { video_input_mode: "text", image_url: 5, reference_urls: 5 }, TEXT],
    [VEO, { start_frame_url: a }, frames(a)],
    [VEO, { start_image_url: a, image_url: b }, frames(a)],
    [VEO, { start_image_url: "", image_url: a }, frames(a)],
    [VEO, { start_frame_url: a, start_image_url: b, image_url: c }, frames(a)],
    [VEO, { start_frame_url: a, end_image_url: b }, frames(a, b)],
    [VEO, { reference_urls: [a] }, frames(a)],
    [VEO, { reference_urls: [a, b] }, frames(a, b)],
    [
      VEO,
      { reference_urls: [a, b, c] },
      { ...frames(a, b), video_input_mode: "references", reference_urls: [c] },
    ],
    [
      VEO,
      { start_frame_url: c, reference_urls: [a, b] },
      { ...frames(c, b), video_input_mode: "references", reference_urls: [a] },
    ],
    [VEO, { end_frame_url: c, reference_urls: [a] }, frames(a, c)],
    [
      VEO,
      { video_input_mode: "references", reference_urls: [a, b, c] },
      { video_input_mode: "references", reference_urls: [a, b, c] },
    ],
    [VEO, { video_input_mode: "frames", reference_urls: [a, b, "http://localhost"] }, frames(a, b)],
    [KLING, { reference_urls: [a, b] }, frames(a)],
    [GROK, { image_url: a }, frames(a)],
    [GROK, { reference_urls: [a] }, frames(a)],
    [OMNI, { reference_urls: [a], image_url: 5 }, { video_input_mode: "references", reference_urls: [a] }],
    [SEEDANCE, { image_url: 5, reference_urls: 5, input_mode: "frames" }, TEXT],
  ])("of %j with %j are %j", (model, given, expected) => {
    const request = requestOf({ ...model, ...given });
    const { video_input_mode, start_frame_url, end_frame_url, reference_urls } = request;
    const pictures = { video_input_mode, start_frame_url, end_frame_url, reference_urls };
    expect(JSON.parse(JSON.stringify(pictures))).toEqual(expected);
  });

  it.each<[model: object, given: object, code: string]>([
    [GROK, {}, "reference_required"],
    [VEO, { video_input_mode: "frames" }, "reference_required"],
    [VEO, { end_frame_url: a }, "reference_required"],
    [VEO, { video_input_mode: "references", image_url: a }, "reference_required"],
    [VEO, { start_frame_url: 5 }, "bad_reference_url"],
    [VEO, { reference_urls: a }, "bad_reference_url"],
    [VEO, { image_url: "http://a.example.com/" }, "reference_url_must_be_https"],
    [VEO, { reference_urls: ["https://127.0.0.1/"] }, "reference_url_not_allowed"],
    [VEO, { image_url: a, end_frame_url: "https://10.0.0.1" }, "reference_url_not_allowed"],
  ])("of %j with %j are refused: %s", (model, given, code) => {
    expect(refusalOf({ ...model, ...given })).toEqual({ code });
  });
});
