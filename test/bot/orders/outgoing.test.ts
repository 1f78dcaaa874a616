import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { albumsOf, isUploadable, outgoingOf, partsOf, publicLink } from "../../../src/bot/orders/outgoing.js";
import type { ResultStream } from "../../../src/contract/gateway.js";
import type { Job } from "../../../src/contract/job.js";

const MEGABYTE = 1024 * 1024;

function fileOf(facts: Partial<ResultStream>): ResultStream {
  return { stream: Readable.from([]), mime: "image/webp", size: 1000, fileName: "a", ...facts };
}

function jobOf(facts: Partial<Job>): Job {
  return {
    job_id: 1,
    type: "image",
    status: "done",
    model: null,
    model_title: null,
    cost_rub: 1,
    result: null,
    error: null,
    created_at: null,
    ...facts,
  };
}

const track = (index: number, url: string | null = null) => ({
  index,
  title: `Track ${index}`,
  duration: 61.4,
  url,
  mime: "audio/mpeg",
  image_url: null,
});

describe("a file is sent", () => {
  test.each([
    ["a picture", { width: 5000, height: 5000 }, "photo"],
    ["a picture over 10 MB", { size: 10 * MEGABYTE + 1 }, "document"],
    ["a picture whose sides are too long", { width: 9000, height: 1001 }, "document"],
    ["an MP4", { mime: "video/mp4", size: 50 * MEGABYTE }, "video"],
    ["a WebM, which Telegram does not play", { mime: "video/webm" }, "document"],
    ["an MP3", { mime: "audio/mpeg" }, "audio"],
    ["a wave, which Telegram does not play", { mime: "audio/wav" }, "document"],
  ])("%s", (_name, facts, as) => {
    expect(outgoingOf({ index: 0, track: 0 }, fileOf(facts), undefined).as).toBe(as);
  });

  test("up to 50 MB, not a byte more", () => {
    expect(isUploadable({ size: 50 * MEGABYTE })).toBe(true);
    expect(isUploadable({ size: 50 * MEGABYTE + 1 })).toBe(false);
  });

  test("under the title and length that its job names, else those of the file", () => {
    const job = jobOf({ type: "music", result: { url: null, mime: null, tracks: [track(1), track(2)] } });
    const file = fileOf({ mime: "audio/mpeg", title: "From the file", durationSec: 60 });
    expect(outgoingOf({ index: 0, track: 1 }, file, job)).toMatchObject({
      title: "Track 2",
      durationSec: 60,
    });
    expect(outgoingOf({ index: 0, track: 0 }, fileOf({ mime: "audio/mpeg" }), job).durationSec).toBe(61.4);
    expect(outgoingOf({ index: 0, track: 0 }, file, undefined).title).toBe("From the file");
  });
});

test("an order's files are those of its good jobs, and every track of a song", () => {
  const song = jobOf({ type: "music", result: { url: null, mime: null, tracks: [track(1), track(2)] } });
  const failed = jobOf({ status: "error" });
  expect(partsOf([failed, jobOf({}), song])).toEqual([
    { index: 1, track: 0 },
    { index: 2, track: 0 },
    { index: 2, track: 1 },
  ]);
});

test("only a link that leads somewhere from outside is given away", () => {
  const link = "https://atelier.example/files/a.mp3";
  const result = { url: "http://127.0.0.1:8080/files/a.mp4", mime: null };
  expect(publicLink(jobOf({ result }), { index: 0, track: 0 })).toBeUndefined();
  const tracks = [track(1), track(2, link)];
  const song = jobOf({ result: { ...result, tracks } });
  expect(publicLink(song, { index: 0, track: 1 })).toBe(link);
  expect(publicLink(song, { index: 0, track: 0 })).toBeUndefined();
});

test("an album holds one kind, ten files and 50 MB at most, in the order of the files", () => {
  const piece = (index: number, mime: string, size: number) =>
    outgoingOf({ index, track: 0 }, fileOf({ mime, size }), undefined);
  const photos = Array.from({ length: 11 }, (_, index) => piece(index, "image/webp", 1000));
  const large = [11, 12, 13].map((index) => piece(index, "audio/mpeg", 20 * MEGABYTE));
  const albums = albumsOf([...large, ...photos]);
  expect(albums.map((files) => files.map(({ index }) => index))).toEqual([
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    [10],
    [11, 12],
    [13],
  ]);
  expect(albumsOf([])).toEqual([]);
});
