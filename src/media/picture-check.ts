import {
  PICTURE_HEAD_BYTES,
  PICTURE_PIXELS_MAX,
  pictureSizeOf,
  TOO_MANY_PIXELS,
} from "../platform/picture-size.js";
import { SNIFF_BYTES, sniffPicture } from "./file-type.js";

const REASONS = {
  type: "it is no PNG, JPEG or WebP picture",
  pixels: TOO_MANY_PIXELS,
} as const;

export class PictureRejectedError extends Error {
  override readonly name = "PictureRejectedError";
  constructor(readonly reason: keyof typeof REASONS) {
    super(REASONS[reason]);
  }
}

/**
 * Checks the type and the dimensions of an image by its first 64 KB, then passes its bytes on. `onType` is called
 * with the MIME type before. @throws PictureRejectedError; the rest of the file is not read then
 */
export async function* checkedPicture(
  bytes: AsyncIterable<Buffer>,
  onType: (mime: string) => void = () => {},
): AsyncGenerator<Buffer> {
  const head: Buffer[] = [];
  let size = 0;
  let isPassed = false;
  for await (const chunk of bytes) {
    if (isPassed) {
      yield chunk;
      continue;
    }
    head.push(chunk);
    const isTypeKnown = size >= SNIFF_BYTES;
    size += chunk.length;
    if (!isTypeKnown && size >= SNIFF_BYTES) typeOf(Buffer.concat(head));
    if (size < PICTURE_HEAD_BYTES) continue;
    isPassed = true;
    yield judged(Buffer.concat(head), onType);
  }
  if (!isPassed) yield judged(Buffer.concat(head), onType);
}

function typeOf(head: Buffer): string {
  const mime = sniffPicture(head);
  if (mime === undefined) throw new PictureRejectedError("type");
  return mime;
}

function judged(head: Buffer, onType: (mime: string) => void): Buffer {
  onType(typeOf(head));
  const size = pictureSizeOf(head);
  if (size && size.width * size.height > PICTURE_PIXELS_MAX) throw new PictureRejectedError("pixels");
  return head;
}
