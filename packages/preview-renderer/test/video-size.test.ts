import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { newVideoTask } from "../../../test/support/render-tasks.js";
import { render } from "../src/render.js";
import { videoSizeOf } from "../src/video/video.js";
import { openVideo } from "./video-file.js";

interface Entry {
  type: string;
  model_key: string;
  parameters: Record<string, { values?: string[] } | null>;
}

const { models } = JSON.parse(readFileSync("data/catalogue.json", "utf8")) as { models: Entry[] };
const offers = models
  .filter(({ type }) => type === "video")
  .flatMap(({ model_key, parameters }) =>
    (parameters.aspect_ratio?.values ?? []).flatMap((ratio) =>
      (parameters.resolution?.values ?? [undefined]).map((resolution) => ({ model_key, ratio, resolution })),
    ),
  );
const SIDES: Readonly<Record<string, number>> = { "480p": 480, "720p": 720, "1080p": 1080, "4K": 2160 };

describe("the size of a video", () => {
  test.each(offers)("$model_key at $ratio and $resolution has its shape and its shorter side", (offer) => {
    const { width, height } = videoSizeOf(offer.ratio, offer.resolution);
    const [a = 16, b = 9] = offer.ratio === "auto" ? [] : offer.ratio.split(":").map(Number);
    expect(Math.min(width, height)).toBe(SIDES[offer.resolution ?? "720p"]);
    expect(width % 2).toBe(0);
    expect(height % 2).toBe(0);
    const exact = (Math.min(width, height) * Math.max(a, b)) / Math.min(a, b);
    expect(Math.abs(Math.max(width, height) - exact)).toBeLessThanOrEqual(1);
    expect(width >= height).toBe(a >= b);
  });

  test.each([
    ["21:9", "480p", 1120, 480],
    ["16:9", undefined, 1280, 720],
    [undefined, "1080p", 1920, 1080],
    ["1:1", "huge", 720, 720],
  ])("%s at %s is %i × %i", (ratio, resolution, width, height) => {
    expect(videoSizeOf(ratio, resolution)).toEqual({ width, height });
  });

  test.each([
    ["16:9", "4K", 3840, 2160],
    ["3:4", "480p", 480, 640],
  ])("a file of %s at %s has %i × %i pixels", async (aspect_ratio, resolution, width, height) => {
    const parameters = { aspect_ratio, resolution, duration_sec: 1 / 24, video_speed_mode: "fast" };
    const [file] = await render(await newVideoTask("море", parameters));
    const video = await openVideo(file?.path ?? "");
    expect(video).toMatchObject({ width, height });
    const [picture] = await video.pictures();
    expect(picture).toMatchObject({ width, height });
  });
});
