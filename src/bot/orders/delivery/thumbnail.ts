import type { Readable } from "node:stream";
import { InputFile } from "grammy";
import { pictureSizeOf } from "../../../platform/picture-size.js";
import type { ResultFile } from "../../../ports/gateway.js";

/** Telegram's limits for a thumbnail: JPEG, less than 200 kB, at most 320 × 320 pixels. */
const BYTES_MAX = 200_000;
const SIDE_MAX = 320;

/** Makes a thumbnail. Undefined when the cover is not usable. Never rejects, so that delivery does not fail. */
export async function thumbnailOf(cover: ResultFile): Promise<InputFile | undefined> {
  try {
    if (cover.mime !== "image/jpeg" || (cover.size ?? 0) > BYTES_MAX) return undefined;
    const bytes = await readSmall((await cover.open()).stream);
    const size = bytes && pictureSizeOf(bytes);
    const isSmall = size && Math.max(size.width, size.height) <= SIDE_MAX;
    return isSmall ? new InputFile(bytes, "cover.jpg") : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a small file. Undefined for what is larger than a thumbnail. Ends the stream. */
async function readSmall(stream: Readable): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.length;
    // Leaving the loop destroys the stream.
    if (length > BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
