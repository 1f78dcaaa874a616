import type { Message } from "grammy/types";
import { FILE_BYTES_MAX } from "../../telegram/files.js";

/** Matches what phones and programs call a picture. Their label is a hint: the bytes decide. */
const PICTURE_LABEL = /^image\//i;
const PICTURE_NAME = /\.(?:jpe?g|jfif|png|webp|hei[cf]|avif|bmp|tiff?|gif)$/i;
/** Matches labels that tell nothing. */
const NO_LABEL = /^(?:$|[^/]+\/octet-stream$)/i;

/** The size of a picture in pixels; a thumbnail gives its own where no other is known. */
export interface PictureSize {
  width: number;
  height: number;
}

export type FoundPicture =
  /** `isLikely`: nothing says that it is something else. The bytes tell. */
  | { kind: "picture"; fileId: string; uniqueId: string; size: PictureSize | undefined; isLikely: boolean }
  | { kind: "too_large" }
  | { kind: "none" };

/** Finds a photo, in its largest size, or a document, which may be a picture whatever its sender says. */
export function pictureIn({ photo, document, animation }: Message): FoundPicture {
  const largest = photo?.at(-1);
  if (largest) return found(largest, largest, true);
  // Animations also have `document`.
  if (!document || animation) return { kind: "none" };
  const { mime_type: label = "", file_name: name = "", file_size: bytes = 0 } = document;
  const isNamed = PICTURE_LABEL.test(label) || PICTURE_NAME.test(name);
  if (!isNamed && bytes > FILE_BYTES_MAX) return { kind: "none" };
  return found(document, document.thumbnail, isNamed || NO_LABEL.test(label));
}

function found(
  file: { file_id: string; file_unique_id: string; file_size?: number },
  size: PictureSize | undefined,
  isLikely: boolean,
): FoundPicture {
  if ((file.file_size ?? 0) > FILE_BYTES_MAX) return { kind: "too_large" };
  return { kind: "picture", fileId: file.file_id, uniqueId: file.file_unique_id, size, isLikely };
}

/** True for a message that shows a picture, as far as its sender says. */
export function showsPicture(message: Message): boolean {
  const found = pictureIn(message);
  return found.kind === "picture" && found.isLikely;
}
