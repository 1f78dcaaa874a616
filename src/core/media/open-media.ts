import type { ResultStream } from "../../contract/gateway.js";
import type { PartOfFile } from "./disk.js";
import { extensionOf } from "./file-type.js";
import type { MediaFile } from "./media-rows.js";
import type { MediaStore } from "./media-store.js";

/** Opens a stored file, or a part of it, under a sensible name; `undefined` when it is kept no more. */
export async function openMedia(
  store: MediaStore,
  file: MediaFile,
  partOf?: PartOfFile,
): Promise<ResultStream | undefined> {
  const opened = file.removed_at === null ? await store.open(file.name, partOf) : undefined;
  if (!opened) return undefined;
  return {
    ...opened,
    mime: file.mime,
    fileName: fileNameOf(file),
    ...(file.width !== null && { width: file.width }),
    ...(file.height !== null && { height: file.height }),
    ...(file.duration_sec !== null && { durationSec: file.duration_sec }),
    ...(file.title !== null && { title: file.title }),
  };
}

/** `atelier-<job>.webp`, `atelier-<job>-<track>.mp3`. */
function fileNameOf({ job_id, role, position, mime }: MediaFile): string {
  const parts = ["atelier", job_id ?? role];
  if (mime.startsWith("audio/") || role === "cover") parts.push(position + 1);
  return `${parts.join("-")}.${extensionOf(mime)}`;
}
