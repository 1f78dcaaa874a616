import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import {
  afterFailures,
  albumsOf,
  asDocument,
  asDocuments,
  outgoingFileOf,
  publicLink,
  requestBytesMaxOf,
  resultRefs,
  trackTitle,
  uploadName,
  withOpenedFacts,
} from "../../../../src/bot/orders/delivery/outgoing-file.js";
import type { Job } from "../../../../src/contract/job.js";
import type { ResultFile } from "../../../../src/ports/gateway.js";

/** Of Telegram itself. */
const MAX = requestBytesMaxOf({ isLocal: false });

const MEGABYTE = 1024 * 1024;

function fileOf(facts: Partial<ResultFile>): ResultFile {
  const open = async () => ({ mime: "image/webp", fileName: "a", stream: Readable.from([]) });
  return { kind: "result", index: 0, mime: "image/webp", size: 1000, fileName: "a", open, ...facts };
}

function jobOf(facts: Partial<Job>): Job {
  return { job_id: 1, type: "image", status: "done", result: null, ...facts } as Job;
}

const WEBP = { mime: "image/webp", fileName: "a" } as const;
const PNG = { mime: "image/png", fileName: "a.png" } as const;
const ORIGINAL = { kind: "original", ...PNG } as const;

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
    ["a picture that a photo would spoil", { isDocument: true }, "document"],
    ["an MP4 that nobody could read", { mime: "video/mp4", isDocument: true }, "document"],
  ])("%s", (_name, facts, as) => {
    expect(outgoingFileOf({ index: 0, track: 0 }, { result: fileOf(facts) }, undefined, MAX).as).toBe(as);
  });

  test("as the result when uploads of its original keep failing", () => {
    const ref = { index: 0, track: 0 };
    const big = fileOf({ size: 11 * MEGABYTE });
    const original = fileOf({ ...ORIGINAL, size: 30 * MEGABYTE });
    const sent = outgoingFileOf(ref, { result: big, original }, undefined, MAX);
    const failed = (times: number) => afterFailures([{ ...ref, times }], sent);
    expect(failed(4)).toMatchObject({ mime: "image/png", isAlone: true, size: 30 * MEGABYTE });
    expect(failed(5)).toMatchObject({
      mime: "image/webp",
      isAlone: true,
      as: "document",
      size: 11 * MEGABYTE,
    });
  });

  test("as its original when Telegram refused the pictures, unless these are too much for one call", () => {
    const pictures = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        outgoingFileOf(
          { index, track: 0 },
          { result: fileOf({}), original: fileOf({ ...ORIGINAL, size: 20 * MEGABYTE }) },
          undefined,
          MAX,
        ),
      );
    const kinds = (count: number) => asDocuments(pictures(count), MAX).map(({ as, mime }) => `${as} ${mime}`);
    expect(kinds(2)).toEqual(["document image/png", "document image/png"]);
    expect(kinds(3)).toEqual(["document image/webp", "document image/webp", "document image/webp"]);
  });

  test.each([
    ["a picture that is found to be over 10 MB", { size: 10 * MEGABYTE + 1 }, "document"],
    ["a picture whose sides are found to be too long", { size: 1, width: 9000, height: 1001 }, "document"],
    ["an MP4 that was told to be a picture", { size: 1, mime: "video/mp4" }, "video"],
  ])("%s, by what it is when it is open", (_name, facts, as) => {
    const { size: _size, ...result } = fileOf({});
    const planned = outgoingFileOf({ index: 0, track: 0 }, { result }, undefined, MAX);
    expect(withOpenedFacts(planned, { ...WEBP, ...facts })).toMatchObject({ ...facts, as });
    expect(withOpenedFacts(asDocument(planned, MAX), { ...WEBP, ...facts }).as).toBe("document");
  });

  test.each([
    ["photo", "atelier-7.webp", "atelier-7.jpg"],
    ["photo", "atelier-7.png", "atelier-7.png"],
    ["photo", "a.fox.JPEG", "a.fox.JPEG"],
    ["photo", "nameless", "nameless.jpg"],
    ["document", "atelier-7.webp", "atelier-7.webp"],
    ["video", "atelier-7.mp4", "atelier-7.mp4"],
  ] as const)("as a %s, %s under the name %s", (as, fileName, name) => {
    expect(uploadName({ as, fileName })).toBe(name);
  });

  test("under the title and length that its job names, else those of the file", () => {
    const job = jobOf({ type: "music", result: { url: null, mime: null, tracks: [track(1), track(2)] } });
    const file = fileOf({ mime: "audio/mpeg", title: "From the file", durationSec: 60 });
    expect(outgoingFileOf({ index: 0, track: 1 }, { result: file }, job, MAX)).toMatchObject({
      title: "2. Track 2",
      durationSec: 60,
    });
    expect(
      outgoingFileOf({ index: 0, track: 0 }, { result: fileOf({ mime: "audio/mpeg" }) }, job, MAX)
        .durationSec,
    ).toBe(61.4);
    expect(outgoingFileOf({ index: 0, track: 0 }, { result: file }, undefined, MAX).title).toBe(
      "From the file",
    );
  });
});

test("an order's files are those of its good jobs, and every track of a song", () => {
  const song = jobOf({ type: "music", result: { url: null, mime: null, tracks: [track(1), track(2)] } });
  const failed = jobOf({ status: "error" });
  expect(resultRefs([failed, jobOf({}), song])).toEqual([
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

test("an album holds one kind, ten files and a request below 49 MiB, in the order of the files", () => {
  const piece = (index: number, mime: string, size: number) =>
    outgoingFileOf({ index, track: 0 }, { result: fileOf({ mime, size }) }, undefined, MAX);
  const photos = Array.from({ length: 11 }, (_, index) => piece(index, "image/webp", 1000));
  // Two of them fit with their thumbnails, by a few bytes.
  const half = 24.5 * MEGABYTE - 216 * 1024;
  const large = [11, 12, 13].map((index) => piece(index, "audio/mpeg", index === 13 ? half + 1 : half));
  const albums = albumsOf([...large, ...photos], MAX);
  expect(albums.map((files) => files.map(({ index }) => index))).toEqual([
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    [10],
    [11, 12],
    [13],
  ]);
  const pair = albumsOf(large.slice(1), MAX);
  expect(pair.map((files) => files.map(({ index }) => index))).toEqual([[12], [13]]);
  const alone = photos.slice(0, 3).map((photo, at) => ({ ...photo, isAlone: at === 1 }));
  expect(albumsOf(alone, MAX).map((files) => files.length)).toEqual([1, 1, 1]);
  expect(albumsOf([], MAX)).toEqual([]);
});

const PIES = "Весёлая песня про бабушкины пирожки, балалайка, женский…";

test.each<[string, string, number | undefined, string]>([
  ["of one track stays", "Night Train", undefined, "Night Train"],
  ["is one line", " Night \n Train ", undefined, "Night Train"],
  ["of several is numbered first", "Night Train", 1, "1. Night Train"],
  ["that is numbered at its end is numbered once", "Night Train (2)", 2, "2. Night Train"],
  ["keeps a number of its own", "Apollo (2)", 1, "1. Apollo (2)"],
  ["that is long ends with its first phrase", PIES, 1, "1. Весёлая песня про бабушкины пирожки"],
  ["with a comma stays whole where it is short", "Ночь, улица, фонарь", 2, "2. Ночь, улица, фонарь"],
  [
    "without a comma ends at a word",
    "a quiet song about a night train that never stops",
    undefined,
    "a quiet song about a night train that…",
  ],
  [
    "whose first phrase says nothing ends at a word",
    `Oh, ${"la ".repeat(20)}`,
    undefined,
    `Oh, ${"la ".repeat(11)}la…`,
  ],
  ["of one long word is cut", "ш".repeat(60), undefined, `${"ш".repeat(39)}…`],
])("a title %s", (_name, title, number, expected) => {
  expect(trackTitle(title, number)).toBe(expected);
});
