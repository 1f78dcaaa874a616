import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { thumbnailOf } from "../../../../src/bot/orders/delivery/file-sender.js";
import { turnOfEvents } from "../../../support/manual-clock.js";
import { makeJpeg } from "../../../support/media.js";

const JPEG = { mime: "image/jpeg", fileName: "cover.jpg" };

function* endless() {
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
  ["is of unknown size and never ends", { mime: "image/jpeg" }, endless],
  ["cannot be read", { mime: "image/jpeg", size: 1000 }, unreadable],
])("a cover that %s is left out, and nothing of it stays open", async (_which, facts, chunks) => {
  const opened: Readable[] = [];
  const open = async () => {
    const stream = Readable.from(chunks());
    opened.push(stream);
    return { ...JPEG, stream };
  };
  expect(await thumbnailOf({ ...JPEG, ...facts, kind: "cover", index: 0, open })).toBeUndefined();
  await turnOfEvents();
  expect(opened.filter(({ destroyed }) => !destroyed)).toEqual([]);
});

test("a cover that cannot be opened is left out", async () => {
  const open = () => Promise.reject(new Error("EIO"));
  expect(await thumbnailOf({ ...JPEG, kind: "cover", index: 0, open })).toBeUndefined();
});
