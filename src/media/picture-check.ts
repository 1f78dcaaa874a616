import { PICTURE_PIXELS_MAX, PictureSizeReader, TOO_MANY_PIXELS } from "../platform/picture-size.js";
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
 * Passes the bytes of a picture on, and checks its type by the first of them and its dimensions as soon as they are
 * told: nothing of an unknown size is passed whole. `onType` is called with the MIME type before.
 * @throws PictureRejectedError; the rest of the file is not read then
 */
export async function* checkedPicture(
  bytes: AsyncIterable<Buffer>,
  onType: (mime: string) => void = () => {},
): AsyncGenerator<Buffer> {
  const size = new PictureSizeReader();
  let head = Buffer.alloc(0);
  let isTyped = false;
  let found = size.push(head);
  for await (const chunk of bytes) {
    found = size.push(chunk);
    if (typeof found === "object" && found.width * found.height > PICTURE_PIXELS_MAX)
      throw new PictureRejectedError("pixels");
    if (found === "none") throw new PictureRejectedError("type");
    if (isTyped) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < SNIFF_BYTES) continue;
    isTyped = true;
    onType(typeOf(head));
    yield head;
  }
  if (!isTyped || found === "more") throw new PictureRejectedError("type");
}

function typeOf(head: Buffer): string {
  const mime = sniffPicture(head);
  if (mime === undefined) throw new PictureRejectedError("type");
  return mime;
}
