import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { loadImage } from "@napi-rs/canvas";
import { describe, expect, test } from "vitest";
import { newTask } from "../../../test/support/render-tasks.js";
import { renderMusic } from "../src/music/music.js";
import type { ParameterValue, RenderedFile, RenderTask } from "../src/task.js";
import { countFrames, decoded, pictureOf, readId3, spokenOf, textOf } from "./mp3.js";
import { decibels, levels, monoOf, peak, rms, songRequest } from "./sound.js";

const FRAME_SECONDS = 1152 / 44_100;
const LYRICS = `[Куплет 1]
Ночной город спит под дождём, ёлки
Мы с тобою вдвоём идём

[Припев]
Пой, моя душа, не молчи
Свети, моя звезда, в ночи`;

async function songTask(
  parameters: Record<string, ParameterValue>,
  rest: Partial<RenderTask> = {},
): Promise<RenderTask> {
  return newTask("", {}, { request: songRequest(parameters), ...rest });
}

async function render(
  parameters: Record<string, ParameterValue>,
  rest: Partial<RenderTask> = {},
): Promise<RenderedFile[]> {
  return renderMusic(await songTask(parameters, rest));
}

const contentsOf = (files: readonly RenderedFile[]): Promise<Buffer[]> =>
  Promise.all(files.map(({ path }) => readFile(path)));

describe("the files of a song", () => {
  test("two tracks with their covers, whole, tagged, and clearly different", {
    timeout: 60_000,
  }, async () => {
    const request = songRequest({ mode: "lyrics", lyrics: LYRICS, custom_style: "русский рок" });
    delete request.duration_sec;
    const task = await songTask({}, { request, tracks: 2 });
    const files = await renderMusic(task);
    const title = "Ночной город спит под дождём";
    expect(files).toEqual([
      {
        path: join(task.directory, "track-1.mp3"),
        mime: "audio/mpeg",
        durationSec: expect.any(Number),
        title: `1. ${title}`,
      },
      { path: join(task.directory, "cover-1.jpg"), mime: "image/jpeg", width: 320, height: 320 },
      {
        path: join(task.directory, "track-2.mp3"),
        mime: "audio/mpeg",
        durationSec: expect.any(Number),
        title: `2. ${title}`,
      },
      { path: join(task.directory, "cover-2.jpg"), mime: "image/jpeg", width: 320, height: 320 },
    ]);
    const [first, cover, second, otherCover] = (await contentsOf(files)) as [Buffer, Buffer, Buffer, Buffer];
    expect(cover.length).toBeLessThan(100_000);
    expect(cover.equals(otherCover)).toBe(false);

    const { frames, end } = readId3(first);
    expect(textOf(frames.get("TIT2"))).toBe(`1. ${title}`);
    expect(textOf(frames.get("TPE1"))).toContain("local preview");
    expect(textOf(frames.get("TCON"))).toBe("rock");
    expect(Number(textOf(frames.get("TLEN")))).toBe(Math.round((files[0]?.durationSec ?? 0) * 1000));
    expect(spokenOf(frames.get("COMM")).text).toContain("local preview");
    expect(spokenOf(frames.get("USLT"))).toEqual({ language: "rus", text: LYRICS });
    const picture = pictureOf(frames.get("APIC"));
    expect(picture).toMatchObject({ mime: "image/jpeg", kind: 3 });
    expect(picture.bytes.equals(cover)).toBe(true);
    expect(await loadImage(picture.bytes)).toMatchObject({ width: 320, height: 320 });
    expect(countFrames(first, end) * FRAME_SECONDS).toBeCloseTo(files[0]?.durationSec ?? 0, 6);

    const [one, two] = [await decoded(first), await decoded(second)];
    for (const [index, sound] of [one, two].entries()) {
      const durationSec = files[index * 2]?.durationSec ?? 0;
      expect(durationSec).toBeGreaterThanOrEqual(39);
      expect(durationSec).toBeLessThanOrEqual(76);
      expect(sound.sampleRate).toBe(44_100);
      expect(sound.left.length / 44_100).toBeCloseTo(durationSec, 6);
      expect(decibels(peak(sound))).toBeLessThanOrEqual(-1);
      expect(decibels(rms(monoOf(sound)))).toBeGreaterThan(-24);
      expect(decibels(rms(monoOf(sound)))).toBeLessThan(-12);
    }
    // Of two sounds with nothing in common the difference is as loud as both together.
    const length = Math.min(one.left.length, two.left.length);
    const difference = one.left.slice(0, length).map((sample, index) => sample - (two.left[index] ?? 0));
    expect(rms(difference)).toBeGreaterThan(rms(one.left));
  });

  test("a title of one's own is kept, and a description without lyrics has none in its tag", async () => {
    const [file] = await render({ title: "Ёжик 🦔 в тумане", duration_sec: 10, style_preset_id: "folk" });
    expect(file?.title).toBe("Ёжик 🦔 в тумане");
    const { frames } = readId3(await readFile(file?.path ?? ""));
    expect(textOf(frames.get("TIT2"))).toBe("Ёжик 🦔 в тумане");
    expect(frames.has("USLT")).toBe(false);
  });

  test("the same request and seed give the same bytes, another seed others", async () => {
    const parameters = { duration_sec: 10, style_preset_id: "chanson" };
    const [first, again, other] = await Promise.all(
      [5, 5, 6].map(async (seed) => contentsOf(await render(parameters, { seed }))),
    );
    expect(again?.map((file, index) => file.equals(first?.[index] ?? Buffer.alloc(0)))).toEqual([true, true]);
    expect(other?.map((file, index) => file.equals(first?.[index] ?? Buffer.alloc(0)))).toEqual([
      false,
      false,
    ]);
  });

  test.each([10, 20, 120])(
    "%i seconds last so long within a frame, without a gap in between",
    async (seconds) => {
      const [file] = await render({ duration_sec: seconds, style_preset_id: "folk" });
      const bytes = await readFile(file?.path ?? "");
      const frames = countFrames(bytes, readId3(bytes).end);
      expect(Math.abs(frames * FRAME_SECONDS - seconds)).toBeLessThanOrEqual(FRAME_SECONDS);
      expect(file?.durationSec).toBeCloseTo(frames * FRAME_SECONDS, 9);
      const sound = await decoded(bytes);
      expect(sound.packets).toBe(frames);
      expect(sound.left.length).toBe(frames * 1152);
      const mono = monoOf(sound);
      const inside = levels(mono, 0.5).slice(0, -6);
      expect(decibels(Math.min(...inside))).toBeGreaterThan(-50);
      expect(Math.abs(mono.reduce((sum, sample) => sum + sample, 0) / mono.length)).toBeLessThan(1e-4);
      expect(decibels(levels(mono, 0.1).at(-1) ?? 1)).toBeLessThan(-40);
      expect(decibels(peak(sound))).toBeLessThanOrEqual(-1);
    },
  );

  test("a song that cannot be written fails with storage", async () => {
    const task = await songTask({ duration_sec: 10 }, { directory: "/nowhere" });
    await expect(renderMusic(task)).rejects.toMatchObject({ name: "RenderError", failure: "storage" });
  });

  test("30 s of music are at most 850 kB", async () => {
    const [file] = await renderMusic(await songTask({ duration_sec: 30, style_preset_id: "pop" }));
    expect((await stat(file?.path ?? "")).size).toBeLessThan(850_000);
  });
});
