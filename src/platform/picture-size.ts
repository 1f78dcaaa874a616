import { JPG } from "image-size/types/jpg";
import { PNG } from "image-size/types/png";
import { WEBP } from "image-size/types/webp";

/** Limits pixels: 8192 × 8192 take 256 MB when decoded. */
export const PICTURE_PIXELS_MAX = 8192 * 8192;
export const TOO_MANY_PIXELS = "it has more than 64 megapixels";
export const PICTURE_HEAD_BYTES = 64 * 1024;

/** Readers of the accepted types: the library's other parsers never see untrusted bytes. */
const READERS = [PNG, JPG, WEBP];

/** Reads width and height of a PNG, JPEG or WebP from its first `PICTURE_HEAD_BYTES`, without decoding. */
export function pictureSizeOf(bytes: Uint8Array): { width: number; height: number } | undefined {
  const head = bytes.subarray(0, PICTURE_HEAD_BYTES);
  try {
    const size = READERS.find((reader) => reader.validate(head))?.calculate(head);
    return size && { width: size.width, height: size.height };
  } catch {
    return undefined;
  }
}
