import { buffer } from "node:stream/consumers";
import { InputFile } from "grammy";
import type { Gateway } from "../../contract/gateway.js";
import type { JobId } from "../../contract/job.js";

/** What Telegram takes as a thumbnail: a JPEG below 200 kB and within 320 × 320 pixels. */
const BYTES_MAX = 200_000;
const SIDE_MAX = 320;

/**
 * The cover of a track as a thumbnail; undefined where it has none that Telegram would take. A cover is never
 * worth failing a delivery for.
 */
export async function thumbnailOf(
  gateway: Gateway,
  id: JobId,
  track: number,
): Promise<InputFile | undefined> {
  try {
    const cover = await gateway.openCover(id, track);
    if (!cover) return undefined;
    if (cover.mime !== "image/jpeg" || cover.size > BYTES_MAX) {
      cover.stream.destroy();
      return undefined;
    }
    const bytes = await buffer(cover.stream);
    const isSmall = longerSide(bytes) <= SIDE_MAX;
    return isSmall ? new InputFile(bytes, "cover.jpg") : undefined;
  } catch {
    return undefined;
  }
}

/** The longer side of a JPEG in pixels, by its frame header; infinite for anything that is none. */
function longerSide(bytes: Buffer): number {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return Number.POSITIVE_INFINITY;
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return Math.max(bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7));
    // Fill bytes may stand before a marker; every other segment names its length.
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return Number.POSITIVE_INFINITY;
}
