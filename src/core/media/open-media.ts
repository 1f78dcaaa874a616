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

/** A name longer than this is cut, in code points: file systems allow 255 bytes. */
const NAME_MAX = 60;
/** What some file system, shell or header cannot hold in a name, and invisible marks. */
const UNSAFE = /[\\/:*?"<>|\p{C}\p{Zl}\p{Zp}]+/gu;

/**
 * `atelier-<job>.webp`; a track is called after its title: `Night Train.mp3`. What comes after the first of
 * its kind in a job is numbered, unless its title says the number already: `Night Train-2.mp3`,
 * `Night Train (2).mp3`.
 */
function fileNameOf({ job_id, role, position, mime, title }: MediaFile): string {
  const parts = [safeName(title ?? "") || `atelier-${job_id ?? role}`];
  const isNumbered = parts[0]?.endsWith(`(${position + 1})`);
  if (position > 0 && !isNumbered) parts.push(String(position + 1));
  if (role === "cover") parts.push("cover");
  return `${parts.join("-")}.${extensionOf(mime)}`;
}

function safeName(title: string): string {
  const words = [...title.replace(UNSAFE, " ").replace(/\s+/g, " ").trim()].slice(0, NAME_MAX).join("");
  // Points hide a file where they stand first, and vanish on some systems where they stand last.
  return words.replace(/^[.\s]+|[.\s]+$/g, "");
}
