import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadImage } from "@napi-rs/canvas";
import { describe, expect, test } from "vitest";
import { newTask } from "../../../test/support/render-tasks.js";
import { briefOf } from "../src/music/compose.js";
import { played } from "../src/music/mix.js";
import { renderMusic, titleOf, writeTrack } from "../src/music/music.js";
import type { ParameterValue, RenderRequest, RenderTask } from "../src/task.js";
import { countFrames, pictureOf, readId3, type Sound, spokenOf, textOf } from "./mp3.js";

function songRequest(parameters: Record<string, ParameterValue> = {}): RenderRequest {
  const description = "a song for the test";
  return {
    type: "music",
    model_key: "test",
    mode: "description",
    description,
    duration_sec: 14,
    ...parameters,
  };
}

const decibels = (ratio: number): number => 20 * Math.log10(ratio);

function rms(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}

const monoOf = ({ left, right }: Sound): Float32Array =>
  left.map((sample, index) => (sample + (right[index] ?? 0)) / 2);

const peak = ({ left, right }: Sound): number =>
  [left, right].reduce(
    (most, side) => side.reduce((max, sample) => Math.max(max, Math.abs(sample)), most),
    0,
  );

/** Root mean squares of pieces of so many seconds, one after the other. */
function levels(samples: Float32Array, seconds: number): number[] {
  const length = Math.round(seconds * 44_100);
  return Array.from({ length: Math.floor(samples.length / length) }, (_, index) =>
    rms(samples.subarray(index * length, (index + 1) * length)),
  );
}

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

describe("the files of a song", () => {
  test("two tracks with their covers, whole, tagged, and clearly different", {
    timeout: 60_000,
  }, async () => {
    const parameters = { mode: "lyrics", lyrics: LYRICS, custom_style: "русский рок" };
    const task = await songTask(parameters, { tracks: 2 });
    const files = await renderMusic(task);
    const title = "Ночной город спит под дождём";
    expect(files).toEqual([
      {
        path: join(task.directory, "track-1.mp3"),
        mime: "audio/mpeg",
        durationSec: expect.any(Number),
        title,
      },
      { path: join(task.directory, "cover-1.jpg"), mime: "image/jpeg", width: 320, height: 320 },
      {
        path: join(task.directory, "track-2.mp3"),
        mime: "audio/mpeg",
        durationSec: expect.any(Number),
        title,
      },
      { path: join(task.directory, "cover-2.jpg"), mime: "image/jpeg", width: 320, height: 320 },
    ]);
    const contents = await Promise.all(files.map(({ path }) => readFile(path)));
    const [first, cover, second, otherCover] = contents as [Buffer, Buffer, Buffer, Buffer];
    expect(second.equals(first)).toBe(false);
    expect(cover.length).toBeLessThan(100_000);
    expect(cover.equals(otherCover)).toBe(false);

    const { frames, end } = readId3(first);
    expect(textOf(frames.get("TIT2"))).toBe(title);
    expect(textOf(frames.get("TRCK"))).toBe("1/2");
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
  });

  test("10 seconds last so long within a frame, with a title of one's own and without lyrics in the tag", async () => {
    const title = "Ёжик 🦔 в тумане";
    const task = await songTask({ title, duration_sec: 10, style_preset_id: "folk" });
    const [file] = await renderMusic(task);
    const bytes = await readFile(file?.path ?? "");
    expect(bytes.length / 10).toBeLessThan(850_000 / 30);
    const { frames, end } = readId3(bytes);
    expect([file?.title, textOf(frames.get("TIT2"))]).toEqual([title, title]);
    expect(frames.has("USLT")).toBe(false);
    const seconds = countFrames(bytes, end) * FRAME_SECONDS;
    expect(Math.abs(seconds - 10)).toBeLessThanOrEqual(FRAME_SECONDS);
    expect(file?.durationSec).toBeCloseTo(seconds, 9);
  });

  test("a song that cannot be written fails with storage", async () => {
    const task = await songTask({ duration_sec: 10 }, { directory: "/nowhere" });
    await expect(renderMusic(task)).rejects.toMatchObject({ name: "RenderError", failure: "storage" });
  });

  test.each([
    ["40 to 56", {}, 39, 57],
    ["at most 75", { mode: "lyrics", lyrics: LYRICS.repeat(10) }, 74, 76],
  ])("a song of no asked length lasts %s seconds", (_length, parameters, least, most) => {
    const request = songRequest(parameters);
    delete request.duration_sec;
    const { durationSec } = writeTrack({ request, model: "test", seed: 7 }, 0);
    expect(durationSec).toBeGreaterThanOrEqual(least);
    expect(durationSec).toBeLessThanOrEqual(most);
  });
});

describe("what is heard", () => {
  const soundOf = (parameters: Record<string, ParameterValue>): Sound => {
    const request = songRequest({ duration_sec: 12, ...parameters });
    const [left, right] = played(writeTrack({ request, model: "test", seed: 7 }, 0).score);
    return { left, right };
  };

  test.each(["pop", "metal", "ambient"])(
    "%s is as loud as the others, never clips, and has no gap",
    (style) => {
      const sound = soundOf({ style_preset_id: style });
      const mono = monoOf(sound);
      expect(peak(sound)).toBeLessThan(0.75);
      expect(decibels(rms(sound.left))).toBeGreaterThan(-20);
      expect(decibels(rms(sound.left))).toBeLessThan(-14);
      expect(decibels(Math.min(...levels(mono, 0.5).slice(0, -6)))).toBeGreaterThan(-45);
      expect(Math.abs(mono.reduce((sum, sample) => sum + sample, 0) / mono.length)).toBeLessThan(1e-3);
    },
  );

  test.each<[Record<string, ParameterValue>, object]>([
    [{ style_preset_id: "lofi" }, { style: "lofi" }],
    [{ style_preset_id: "lofi", custom_style: "тяжёлый метал" }, { style: "metal" }],
    [{ description: "Рэп про ночной город" }, { style: "hip_hop" }],
    [{ description: "Dreamy synthwave, 90 BPM" }, { style: "electronic", bpm: 90 }],
    [{ description: "calm piano lullaby" }, { style: "classical", tempo: "slow" }],
    [{ custom_style: "рок без барабанов" }, { hasDrums: false, style: "rock" }],
    [{ custom_style: "jazz, no vocals" }, { hasVoice: false }],
    [{ make_instrumental: true }, { hasVoice: false }],
  ])("is what %j asks for", (parameters, read) => {
    expect(briefOf(songRequest(parameters))).toMatchObject(read);
  });

  test.each([
    ["lines", "Моя душа поёт\n".repeat(280)],
    ["brackets", "[".repeat(4000)],
  ])("lyrics of the largest length are read: %s", (_what, lyrics) => {
    const request = songRequest({ mode: "lyrics", lyrics, duration_sec: 360 });
    const { durationSec } = writeTrack({ request, model: "test", seed: 7 }, 0);
    expect(durationSec).toBeCloseTo(360, 0);
  });
});

describe("a title", () => {
  test.each([
    ["песня о море. И ещё о чём-то", "Песня о море"],
    ["[Verse 1]\nHello my friend,\nhow are you", "Hello my friend"],
    [`${"слово ".repeat(20)}`, "Слово слово слово слово слово слово…"],
    ["a".repeat(80), `A${"a".repeat(39)}…`],
    ["\u0007  \n", "Untitled"],
  ])("of %j", (subject, title) => {
    expect(titleOf({ title: undefined, subject })).toBe(title);
  });

  test("of a track stays within 120 characters", () => {
    const title = "🌊".repeat(120);
    expect(titleOf({ title, subject: "a song" })).toBe(title);
    expect(titleOf({ title: `${title}!`, subject: "a song" })).toBe(title);
  });
});
