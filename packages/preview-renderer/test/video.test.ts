import { describe, expect, test } from "vitest";
import { newVideoTask } from "../../../test/support/render-tasks.js";
import { render } from "../src/render.js";
import { differenceOf, openVideo, type Picture } from "./video-file.js";

const SMALL = { aspect_ratio: "16:9", resolution: "480p", duration_sec: 2 };

async function videoOf(prompt: string, parameters: Parameters<typeof newVideoTask>[1] = SMALL) {
  const [file] = await render(await newVideoTask(prompt, parameters));
  return openVideo(file?.path ?? "");
}

describe("a video from text", () => {
  test("is H.264 in an MP4 that plays while it loads, of the asked size and length to the frame", async () => {
    const task = await newVideoTask("море на закате, парусник", SMALL);
    const [file] = await render(task);
    expect(file).toEqual({
      path: `${task.directory}/video.mp4`,
      mime: "video/mp4",
      width: 854,
      height: 480,
      durationSec: 2,
    });
    const video = await openVideo(file?.path ?? "");
    expect(video).toMatchObject({ codec: "avc", width: 854, height: 480, duration: 2, sound: undefined });
    expect(video.boxes[0]).toBe("ftyp");
    expect(video.boxes.indexOf("moov")).toBeLessThan(video.boxes.indexOf("mdat"));
    expect(video.packets).toHaveLength(48);
    expect(video.packets[0]?.type).toBe("key");
    for (const [index, { timestamp, duration }] of video.packets.entries()) {
      expect(timestamp).toBeCloseTo(index / 24, 6);
      expect(duration).toBeCloseTo(1 / 24, 6);
    }
    const pictures = await video.pictures();
    expect(pictures).toHaveLength(48);
    for (const { format, width, height } of pictures) {
      expect({ format, width, height }).toEqual({ format: "I420", width: 854, height: 480 });
    }
  });

  test("says of its colours what they are", async () => {
    const video = await videoOf("море", { resolution: "480p", duration_sec: 1 / 24 });
    expect(video.colourSpace).toEqual({
      primaries: "bt709",
      transfer: "bt709",
      matrix: "smpte170m",
      fullRange: false,
    });
  });

  test("moves all the time", async () => {
    const pictures = await (await videoOf("ночной город, дождь", { ...SMALL, duration_sec: 1 })).pictures();
    const steps = pictures
      .slice(1)
      .map((picture, index) => differenceOf(picture, pictures[index] as Picture));
    expect(Math.min(...steps)).toBeGreaterThan(0.02);
    expect(differenceOf(pictures[0] as Picture, pictures.at(-1) as Picture)).toBeGreaterThan(1);
  });
});

describe("the sound of a video", () => {
  test("is AAC as long as the pictures, and quiet", async () => {
    const video = await videoOf("город, дождь", {
      resolution: "480p",
      duration_sec: 2,
      sound: true,
      video_speed_mode: "fast",
    });
    expect(video.sound).toEqual({ codec: "aac", duration: 2, channels: 2, sampleRate: 44_100 });
    expect(video.packets).toHaveLength(48);
    const [left, right] = await video.samples();
    for (const channel of [left, right]) {
      expect(channel).toHaveLength(88_200);
      expect(channel?.some(Number.isNaN)).toBe(false);
      const loudest = channel?.reduce((most, value) => Math.max(most, Math.abs(value)), 0) ?? 0;
      expect(loudest).toBeLessThan(0.45);
      const power = channel?.reduce((sum, value) => sum + value ** 2, 0) ?? 0;
      expect(Math.sqrt(power / 88_200)).toBeGreaterThan(0.01);
    }
    expect(left?.some((value, index) => value !== right?.[index])).toBe(true);
  });
});
