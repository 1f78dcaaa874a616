import { Image } from "@napi-rs/canvas";
import { PICTURE_PIXELS_MAX } from "../platform/picture-size.js";

export class TooManyPixelsError extends Error {
  override readonly name = "TooManyPixelsError";
}

export async function decodePicture(bytes: Buffer): Promise<Image> {
  const image = new Image();
  image.onerror = () => {};
  image.src = bytes;
  const pixels = image.naturalWidth * image.naturalHeight;
  if (pixels > PICTURE_PIXELS_MAX) throw new TooManyPixelsError();
  if (pixels < 1) throw new Error("the picture does not state its size");
  await image.decode();
  return image;
}

/** Frees the decoded pixels now: the garbage collector does not see how much memory they take. */
export function releasePicture(image: Image): void {
  image.src = Buffer.alloc(0);
}
