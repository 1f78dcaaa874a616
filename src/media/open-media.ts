import type { JobId } from "../contract/job.js";
import type { OpenableFile } from "../ports/signed-files.js";
import { extensionOf } from "./file-type.js";
import type { MediaStore } from "./media-store.js";
import type { MediaFile } from "./media-table.js";

export function openableFile(store: MediaStore, file: MediaFile): OpenableFile {
  return {
    open: (range) => store.open(file.name, range),
    mime: file.mime,
    size: file.size,
    fileName: fileNameOf(file),
    ...(file.width !== null && { width: file.width }),
    ...(file.height !== null && { height: file.height }),
    ...(file.duration_sec !== null && { durationSec: file.duration_sec }),
    ...(file.title !== null && { title: file.title }),
  };
}

type NamedFile = Pick<MediaFile, "role" | "position" | "mime" | "title"> & { job_id: JobId | null };

/** Limits names in code points; file systems allow 255 bytes. */
const NAME_MAX = 60;
/** Matches invisible characters, and those that a file system, shell or header rejects. */
const UNSAFE = /[\\/:*?"<>|\p{C}\p{Zl}\p{Zp}]+/gu;

/**
 * Names a file `atelier-<job>.webp`, or by the title of a track: `Night Train.mp3`. Files after the first of a kind
 * are numbered, `Night Train-2.mp3`, unless their title already is: `2. Night Train.mp3`.
 */
export function fileNameOf({ job_id, role, position, mime, title }: NamedFile): string {
  const parts = [safeName(title ?? "") || `atelier-${job_id ?? role}`];
  const number = position + 1;
  const isNumbered = parts[0]?.startsWith(`${number}. `) || parts[0]?.endsWith(`(${number})`);
  if (position > 0 && !isNumbered) parts.push(String(number));
  if (role === "cover") parts.push("cover");
  return `${parts.join("-")}.${extensionOf(mime)}`;
}

function safeName(title: string): string {
  const words = [...title.replace(UNSAFE, " ").replace(/\s+/g, " ").trim()].slice(0, NAME_MAX).join("");
  // Leading dots hide a file; some systems strip trailing ones.
  return words.replace(/^[.\s]+|[.\s]+$/g, "");
}
