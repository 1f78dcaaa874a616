import type { Message } from "grammy/types";
import { FILE_BYTES_MAX } from "../../telegram/files.js";

const PICTURE_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp"]);

/** The size of a picture in pixels; a thumbnail gives its own where no other is known. */
export interface PictureSize {
  width: number;
  height: number;
}

export type FoundPicture =
  | { kind: "picture"; fileId: string; size: PictureSize | undefined }
  | { kind: "too_large" }
  | { kind: "wrong_type" }
  | { kind: "none" };

/** Finds a photo, in its largest size, or an image sent as a document. */
export function pictureIn({ photo, document, animation }: Message): FoundPicture {
  const largest = photo?.at(-1);
  if (largest) return found(largest.file_id, largest.file_size, largest);
  // Animations also have `document`.
  if (!document || animation || !document.mime_type?.startsWith("image/")) return { kind: "none" };
  if (!PICTURE_TYPES.has(document.mime_type)) return { kind: "wrong_type" };
  return found(document.file_id, document.file_size, document.thumbnail);
}

function found(fileId: string, bytes: number | undefined, size: PictureSize | undefined): FoundPicture {
  return (bytes ?? 0) > FILE_BYTES_MAX ? { kind: "too_large" } : { kind: "picture", fileId, size };
}
