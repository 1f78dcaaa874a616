import { Readable } from "node:stream";
import type { Api } from "grammy";
import { expect, test, vi } from "vitest";
import { FileSender, thumbnailOf } from "../../../../src/bot/orders/delivery/file-sender.js";
import {
  albumsOf,
  isUploadable,
  type NewFile,
  type OutgoingFile,
  requestBytesMaxOf,
} from "../../../../src/bot/orders/delivery/outgoing-file.js";
import { retryCalls } from "../../../../src/bot/telegram/failure.js";
import { isBeyondLimit } from "../../../../src/bot/telegram/files.js";
import { escapeHtml } from "../../../../src/bot/texts/html.js";
import type { ResultFile } from "../../../../src/ports/gateway.js";
import { refusal } from "../../../support/bot-world.js";
import { FakeTelegram } from "../../../support/fake-telegram.js";
import { startBotServer } from "../../../support/listen.js";
import { createManualClock, turnOfEvents } from "../../../support/manual-clock.js";
import { makeJpeg } from "../../../support/media.js";

/** Of Telegram itself. */
const MAX = requestBytesMaxOf({ isLocal: false });

const REQUEST_BYTES_MAX = 49 * 1024 * 1024;
/** The largest cover that is sent as a thumbnail. */
const COVER = Buffer.concat([makeJpeg(320), Buffer.alloc(200_000)]).subarray(0, 200_000);
/** The longest caption, of what takes the most bytes. */
const CAPTION = escapeHtml("&".repeat(1024));

/** A Bot API server that counts the bytes of each request. */
async function openServer() {
  const bodies: number[] = [];
  const { api } = await startBotServer((request, response) => {
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on("end", () => {
      bodies.push(bytes);
      const message = { message_id: 1, audio: { file_id: "a" }, video: { file_id: "v" } };
      const result = request.url?.endsWith("/sendMediaGroup") ? Array(10).fill(message) : message;
      response.end(JSON.stringify({ ok: true, result }));
    });
  });
  return { api, bodies };
}

function send(api: Api, files: readonly OutgoingFile[], caption = CAPTION) {
  const order = { chatId: 7, threadId: null, modelTitle: "Any" };
  return new FileSender(api, MAX).send({ order, files, caption, keyboard: undefined });
}

/** A file of the largest size that goes in one request together with others like it. */
function largestFile(mime: string, together: number): NewFile {
  const open = () => Promise.reject(new Error("not this one"));
  const file = {
    open,
    index: 0,
    track: 0,
    mime,
    fileName: `${"ы".repeat(60)}.bin`,
    size: 0,
    durationSec: 60,
  };
  const as = mime.startsWith("audio/") ? "audio" : "video";
  const fits = (size: number) =>
    isUploadable({ mime, size }, MAX) &&
    albumsOf(
      Array.from({ length: together }, () => ({ ...file, as, size })),
      MAX,
    ).length === 1;
  let [low, high] = [0, REQUEST_BYTES_MAX];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return { ...file, as, size: low };
}

test.each([
  ["one video with its cover", "video/mp4", 1],
  ["ten tracks with their covers", "audio/mpeg", 10],
] as const)("a request with %s stays below 49 MiB, with everything in it", async (_what, mime, together) => {
  const { api, bodies } = await openServer();
  const file = largestFile(mime, together);
  const chunk = Buffer.alloc(64 * 1024);
  function* bytes() {
    for (let left = file.size ?? 0; left > 0; left -= chunk.length) yield chunk.subarray(0, left);
  }
  const opened = async () => ({ mime, fileName: "", stream: Readable.from(bytes()) });
  const coverFacts = { mime: "image/jpeg", fileName: "", size: COVER.length };
  const cover: ResultFile = {
    ...coverFacts,
    kind: "cover",
    index: 0,
    open: async () => ({ ...coverFacts, stream: Readable.from([COVER]) }),
  };
  const files = Array.from({ length: together }, (_, index) => ({
    ...file,
    index,
    title: "ы".repeat(120),
    open: opened,
    cover,
  }));
  await send(api, files);
  const [sent = 0] = bodies;
  expect(sent).toBeLessThan(REQUEST_BYTES_MAX);
  // Little is left unused.
  expect(sent).toBeGreaterThan(REQUEST_BYTES_MAX - together * 32 * 1024);
});

/** A file that is nothing but these bytes, whose size nobody tells. */
function endless(mime: string, bytes: number): { file: NewFile; read: () => number } {
  let read = 0;
  const chunk = Buffer.alloc(64 * 1024);
  function* chunks() {
    for (; read < bytes; read += chunk.length) yield chunk;
  }
  const facts = { mime, fileName: "a.mp4" };
  const open = async () => ({ ...facts, stream: Readable.from(chunks()) });
  return { file: { ...facts, index: 0, track: 0, as: "video", open }, read: () => read };
}

test("an upload of unknown size ends at the limit, is not read beyond it, and not tried again", async () => {
  const { api, bodies } = await openServer();
  api.config.use(retryCalls(createManualClock(), new AbortController().signal));
  const { file, read } = endless("video/mp4", 200 * 1024 * 1024);
  const open = vi.fn(file.open);
  await expect(send(api, [{ ...file, open }])).rejects.toSatisfy(isBeyondLimit);
  expect([bodies, open.mock.calls.length]).toEqual([[], 1]);
  expect(read()).toBeLessThan(REQUEST_BYTES_MAX + 1024 * 1024);
});

test("what Telegram has is never sent in another form", async () => {
  const telegram = new FakeTelegram();
  const refused = refusal(400, "Bad Request: wrong file identifier");
  telegram.failNext("sendPhoto", refused);
  const files = [{ index: 0, track: 0, as: "photo", fileId: "known" } as const];
  await expect(send(telegram.api, files)).rejects.toMatchObject({ description: refused.description });
  expect(telegram.calls.map(({ method }) => method)).toEqual(["sendPhoto"]);
});

const FACTS = { mime: "image/jpeg", fileName: "cover.jpg" };

function* withoutEnd() {
  for (;;) yield Buffer.alloc(100_000);
}
function* unreadable() {
  yield Buffer.alloc(100);
  throw new Error("EIO");
}

test.each<[string, { mime: string; size?: number }, () => Iterable<Buffer>]>([
  ["is no JPEG", { mime: "image/webp", size: 1000 }, () => [Buffer.alloc(1000)]],
  ["is too large", { mime: "image/jpeg", size: 200_001 }, () => [Buffer.alloc(200_001)]],
  ["only says that it is a JPEG", { mime: "image/jpeg", size: 1000 }, () => [Buffer.alloc(1000)]],
  ["has a side that is too long", { mime: "image/jpeg" }, () => [makeJpeg(400)]],
  ["is of unknown size and never ends", { mime: "image/jpeg" }, withoutEnd],
  ["cannot be read", { mime: "image/jpeg", size: 1000 }, unreadable],
])("a cover that %s is left out, and nothing of it stays open", async (_which, facts, chunks) => {
  const opened: Readable[] = [];
  const open = async () => {
    const stream = Readable.from(chunks());
    opened.push(stream);
    return { ...FACTS, stream };
  };
  expect(await thumbnailOf({ ...FACTS, ...facts, kind: "cover", index: 0, open })).toBeUndefined();
  await turnOfEvents();
  expect(opened.filter(({ destroyed }) => !destroyed)).toEqual([]);
});

test("a cover that cannot be opened is left out", async () => {
  const open = () => Promise.reject(new Error("EIO"));
  expect(await thumbnailOf({ ...FACTS, kind: "cover", index: 0, open })).toBeUndefined();
});
