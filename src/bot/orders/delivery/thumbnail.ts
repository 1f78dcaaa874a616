import { buffer } from "node:stream/consumers";
import { InputFile } from "grammy";
import type { JobId } from "../../../contract/job.js";
import { pictureSizeOf } from "../../../platform/picture-size.js";
import type { Gateway } from "../../../ports/gateway.js";
import { findResult } from "./result-files.js";

/** Telegram's limits for a thumbnail: JPEG, less than 200 kB, at most 320 × 320 pixels. */
const BYTES_MAX = 200_000;
const SIDE_MAX = 320;

/** Returns undefined when the track has no usable cover. Never rejects, so that delivery does not fail. */
export async function thumbnailOf(
  gateway: Gateway,
  id: JobId,
  track: number,
): Promise<InputFile | undefined> {
  try {
    const cover = await findResult(gateway, id, track, "cover");
    if (cover?.mime !== "image/jpeg" || (cover.size ?? 0) > BYTES_MAX) return undefined;
    const bytes = await buffer(await cover.open());
    const size = pictureSizeOf(bytes);
    const isSmall = size && bytes.length <= BYTES_MAX && Math.max(size.width, size.height) <= SIDE_MAX;
    return isSmall ? new InputFile(bytes, "cover.jpg") : undefined;
  } catch {
    return undefined;
  }
}
