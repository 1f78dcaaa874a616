import { createServer, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createCanvas } from "@napi-rs/canvas";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { openAgent } from "../../src/platform/outgoing-agent.js";
import { withFileFacts } from "../../src/transfer/file-facts.js";
import { type DownloadOptions, openDownload } from "../../src/transfer/file-request.js";
import { advancedUntilEnd } from "../support/advanced-until-end.js";
import { eventually } from "../support/eventually.js";
import { listen } from "../support/listen.js";
import { createManualClock } from "../support/manual-clock.js";
import { makeJpeg, makeMp3, makeMp4 } from "../support/media.js";

const MEGABYTE = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;
const VIDEO = { mime: "video/mp4", media: "video/" };
const TRACK = { mime: "audio/mpeg", media: "audio/" };

interface HostTerms {
  file: Buffer;
  type: string;
  knowsRanges?: boolean;
  /** The answers that go silent after their first bytes. */
  hangs?: (request: IncomingMessage) => boolean;
}

/** A host of one file, and what is read of it on a clock that stands still. */
async function openHost({ file, type, knowsRanges = true, hangs = () => false }: HostTerms) {
  const ranges: (string | undefined)[] = [];
  let sent = 0;
  const server = createServer((request, response) => {
    const { range } = request.headers;
    ranges.push(range);
    const start = knowsRanges ? Number(/^bytes=(\d+)-$/.exec(range ?? "")?.[1] ?? 0) : 0;
    const isPartial = knowsRanges && range !== undefined;
    response.writeHead(isPartial ? 206 : 200, {
      "content-type": type,
      "content-length": file.length - start,
      ...(isPartial && { "content-range": `bytes ${start}-${file.length - 1}/${file.length}` }),
    });
    response.on("error", () => {});
    if (hangs(request)) return void response.write(file.subarray(start, start + 10));
    const pieces = function* () {
      for (let at = start; at < file.length; at += PIECE_BYTES) {
        const piece = file.subarray(at, at + PIECE_BYTES);
        sent += piece.length;
        yield piece;
      }
    };
    // Only as fast as it is read.
    const body = Readable.from(pieces());
    body.on("error", () => {});
    response.once("close", () => body.destroy());
    body.pipe(response);
  });
  const link = `http://127.0.0.1:${await listen(server)}/file`;
  const clock = createManualClock();
  const agent = openAgent({});
  onTestFinished(() => void agent.destroy());
  const freshLink = async () => link;
  const options: DownloadOptions = { agent, clock, freshLink, isHttpAllowed: true, bytesMax: 1e9 };
  const read = async (expected: Parameters<typeof withFileFacts>[1]) => {
    const download = await openDownload(options);
    const { stream, ...facts } = await withFileFacts(download, expected, options);
    stream.destroy();
    await eventually("the file is closed", () => download.stream.destroyed);
    return facts;
  };
  /** The facts, and then the whole file. */
  const readWhole = async (expected: Parameters<typeof withFileFacts>[1]) => {
    const { stream, ...facts } = await withFileFacts(await openDownload(options), expected, options);
    return { facts, content: await buffer(stream) };
  };
  return { clock, options, ranges, read, readWhole, sentBytes: () => sent };
}

/** The video with its media made this large by a box of nothing. */
function heavy(video: Buffer, bytes: number): Buffer {
  const filler = Buffer.alloc(bytes);
  filler.writeUInt32BE(bytes);
  filler.write("free", 4);
  const head = video.readUInt32BE(0);
  return Buffer.concat([video.subarray(0, head), filler, video.subarray(head)]);
}

let front: Buffer;
let end: Buffer;
beforeAll(async () => {
  front = await makeMp4(128, 72, 2);
  end = await makeMp4(128, 72, 2, false);
});

test("a picture that is seen through is a document", async () => {
  const file = createCanvas(64, 48).encodeSync("webp");
  const { readWhole } = await openHost({ file, type: "image/webp" });
  const { facts, content } = await readWhole({ mime: "image/webp", media: "image/" });
  expect(facts).toEqual({
    mime: "image/webp",
    size: file.length,
    width: 64,
    height: 48,
    isDocument: true,
  });
  expect(content.equals(file)).toBe(true);
});

test("sides and duration of a video are read from its first bytes", async () => {
  const file = Buffer.concat([front, Buffer.alloc(30 * MEGABYTE)]);
  const { read, ranges } = await openHost({ file, type: "video/mp4" });
  const facts = await read(VIDEO);
  expect(facts).toEqual({ mime: "video/mp4", size: file.length, width: 128, height: 72, durationSec: 2 });
  expect(ranges).toEqual([undefined]);
});

test("an index at the end is asked for by its place", async () => {
  const file = heavy(end, 30 * MEGABYTE);
  const { read, ranges, sentBytes } = await openHost({ file, type: "video/mp4" });
  expect(await read(VIDEO)).toMatchObject({ width: 128, height: 72, durationSec: 2 });
  expect(ranges).toHaveLength(2);
  expect(sentBytes()).toBeLessThan(20 * MEGABYTE);
});

test("a host that gives whole files only is not read to its end: sides stay unknown", async () => {
  const file = heavy(end, 30 * MEGABYTE);
  const { read, ranges } = await openHost({ file, type: "video/mp4", knowsRanges: false });
  expect(await read(VIDEO)).toEqual({ mime: "video/mp4", size: file.length });
  expect(ranges).toHaveLength(2);
});

test("an index that claims to be larger than facts are is given up at the cap", async () => {
  const file = Buffer.concat([front, Buffer.alloc(60 * MEGABYTE)]);
  file.writeUInt32BE(50 * MEGABYTE, file.indexOf("moov") - 4);
  const { read, sentBytes } = await openHost({ file, type: "video/mp4" });
  expect(await read(VIDEO)).toEqual({ mime: "video/mp4", size: file.length });
  expect(sentBytes()).toBeLessThan(20 * MEGABYTE);
});

test("a host that goes silent does not hold a delivery up", async () => {
  const file = heavy(end, MEGABYTE);
  const hangs = ({ headers }: IncomingMessage) => headers.range !== undefined;
  const { read, clock, ranges } = await openHost({ file, type: "video/mp4", hangs });
  const facts = read(VIDEO);
  await eventually("the second request", () => ranges.length === 2);
  expect(await advancedUntilEnd(clock, facts, 1000)).toEqual({ mime: "video/mp4", size: file.length });
});

test("the whole file follows from the one response that its facts were read from", async () => {
  const picture = Buffer.concat([makeJpeg(64), Buffer.alloc(MEGABYTE, 1)]);
  for (const [file, type, media] of [
    [picture, "image/jpeg", "image/"],
    [Buffer.concat([front, Buffer.alloc(MEGABYTE, 2)]), "video/mp4", "video/"],
    [await makeMp3(3), "audio/mpeg", "audio/"],
    [Buffer.from("short"), "image/png", "image/"],
  ] as const) {
    const { readWhole, ranges } = await openHost({ file, type });
    const { facts, content } = await readWhole({ mime: type, media });
    expect(facts).toMatchObject({ mime: type, size: file.length });
    expect(content.equals(file)).toBe(true);
    expect(ranges).toEqual([undefined]);
  }
});

test("the whole file follows after another part of it was read", async () => {
  const file = heavy(end, 5 * MEGABYTE);
  const { readWhole, ranges } = await openHost({ file, type: "video/mp4" });
  const { facts, content } = await readWhole(VIDEO);
  expect(facts).toMatchObject({ width: 128, height: 72, durationSec: 2 });
  expect(content.equals(file)).toBe(true);
  expect(ranges).toHaveLength(2);
});

test("a file that fails while its facts are read never passes for a shorter one", async () => {
  const { options } = await openHost({ file: front, type: "video/mp4" });
  const stream = Readable.from(
    (function* () {
      yield front.subarray(0, 600);
      throw new Error("reset");
    })(),
    { objectMode: false },
  );
  const download = { stream, size: front.length, mime: "video/mp4", isEndTold: true };
  const file = await withFileFacts(download, VIDEO, options);
  await expect(buffer(file.stream)).rejects.toThrow("reset");
});

test("the duration of a track is read where the service does not tell it", async () => {
  const file = await makeMp3(3);
  const { read } = await openHost({ file, type: "audio/mpeg" });
  const { durationSec } = await read(TRACK);
  expect(durationSec).toBeCloseTo(3, 0);
  expect(await read({ ...TRACK, durationSec: 170 })).toEqual({ mime: "audio/mpeg", size: file.length });
});

test("what is no video has no facts, and a page of a proxy is an outage", async () => {
  const text = Buffer.from("not a video");
  const { read } = await openHost({ file: text, type: "application/octet-stream" });
  expect(await read(VIDEO)).toEqual({ mime: "video/mp4", size: text.length });
  const page = await openHost({ file: text, type: "text/html" });
  await expect(page.read(VIDEO)).rejects.toMatchObject({ reason: "unreachable" });
});

test.each(["binary/octet-stream", "application/octet-stream", "text/html", "image/jpg", "video/mp4"])(
  "a picture that its host calls %s is a picture, by its bytes",
  async (type) => {
    const { read } = await openHost({ file: makeJpeg(64), type });
    const facts = await read({ mime: "image/webp", media: "image/" });
    expect(facts).toMatchObject({ mime: "image/jpeg", width: 64 });
  },
);
