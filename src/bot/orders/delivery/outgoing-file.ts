import type { Job } from "../../../contract/job.js";
import type { ResultFile } from "../../../ports/gateway.js";
import { type ResultRef, SENT_AS, type SentAs } from "../store/delivery.js";
import { trackTitle } from "./track-title.js";

/** Telegram's limit for a photo. A larger image is sent as a document. */
const PHOTO_BYTES_MAX = 10 * 1024 * 1024;
const PHOTO_SIDES_MAX = 10_000;
/** In bytes. The server accepts 50 MiB and may close the connection instead of answering. */
const REQUEST_BYTES_MAX = 49 * 1024 * 1024;
/** Overhead per file, in bytes: the caption, the metadata and, for audio, the thumbnail. */
const FACTS_BYTES = 16 * 1024;
const THUMBNAIL_BYTES = 200 * 1024;
const ALBUM_ITEMS_MAX = 10;

type FileFacts = Omit<ResultFile, "index" | "open">;

export interface OutgoingFile extends ResultRef, FileFacts {
  as: SentAs;
  /** What is sent in its place where it goes as a document. */
  original?: FileFacts;
  /** Of an original: the result, which is sent when uploads of the original fail. */
  result?: OutgoingFile;
  /** Sent in a separate call. */
  isAlone?: boolean;
}

/** A finished file that cannot be sent: it was deleted, is too large or has failed too often. */
export interface UndeliverableFile extends ResultRef {
  reason: "gone" | "too_large" | "not_taken";
  /** In bytes; 0 when it is not known. */
  size: number;
  /** Download link, valid for one hour; undefined when the file has no public URL. */
  link: string | undefined;
}

export function resultRefs(jobs: readonly Job[]): ResultRef[] {
  return jobs.flatMap((job, index) => {
    if (job.status !== "done") return [];
    const tracks = Math.max(1, job.result?.tracks?.length ?? 1);
    return Array.from({ length: tracks }, (_, track) => ({ index, track }));
  });
}

/** True for a file whose size is not known. */
export function isUploadable(file: Weight): boolean {
  return bytesInRequest([file]) <= REQUEST_BYTES_MAX;
}

type Weight = Pick<ResultFile, "size" | "mime">;

function bytesInRequest(files: readonly Weight[]): number {
  return files.reduce((sum, { size = 0, mime }) => {
    const thumbnail = mime.startsWith("audio/") ? THUMBNAIL_BYTES : 0;
    return sum + size + FACTS_BYTES + thumbnail;
  }, 0);
}

/** Returns undefined when the file has no public (https) URL. */
export function publicLink(job: Job | undefined, { track }: ResultRef): string | undefined {
  const tracks = job?.result?.tracks;
  return ifPublic(tracks ? tracks[track]?.url : job?.result?.url);
}

export function ifPublic(url: string | null | undefined): string | undefined {
  return url?.startsWith("https://") ? url : undefined;
}

export function notTaken(file: OutgoingFile, jobs: readonly Job[]): UndeliverableFile {
  const { index, track, size = 0 } = file;
  return { index, track, reason: "not_taken", size, link: publicLink(jobs[index], file) };
}

export function outgoingFileOf(
  ref: ResultRef,
  file: ResultFile,
  job: Job | undefined,
  original?: ResultFile,
): OutgoingFile {
  const track = job?.result?.tracks?.[ref.track];
  const durationSec = file.durationSec ?? track?.duration ?? job?.duration_sec;
  const title = track?.title ?? file.title;
  const isOneOfSeveral = (job?.result?.tracks?.length ?? 1) > 1;
  const outgoing: OutgoingFile = {
    ...factsOf(file),
    ...ref,
    as: formOf(file),
    ...(file.size === undefined && { isAlone: true }),
    ...(typeof durationSec === "number" && { durationSec }),
    ...(title !== undefined && { title: trackTitle(title, isOneOfSeveral ? ref.track + 1 : undefined) }),
    ...(original && { original: factsOf(original) }),
  };
  return outgoing.as === "document" ? asDocument(outgoing) : outgoing;
}

function factsOf({ index: _index, open: _open, ...facts }: ResultFile): FileFacts {
  return facts;
}

/** An original that Telegram takes is what is sent. */
function asDocument({ original, ...result }: OutgoingFile): OutgoingFile {
  if (!original || !isUploadable(original)) return { ...result, as: "document" };
  return { ...result, ...original, as: "document", result };
}

/** With their originals, unless these are too large for one call. */
export function asDocuments(files: readonly OutgoingFile[]): OutgoingFile[] {
  const documents = files.map(asDocument);
  if (bytesInRequest(documents) <= REQUEST_BYTES_MAX) return documents;
  return files.map(({ original: _, ...file }) => ({ ...file, as: "document" }));
}

/** Telegram plays MPEG-4 video, and MP3 and M4A audio. Other media are sent as documents. */
function formOf({ mime, size = 0, width = 0, height = 0 }: ResultFile): SentAs {
  if (mime === "video/mp4") return "video";
  if (mime === "audio/mpeg" || mime === "audio/mp4") return "audio";
  const isPhoto = mime.startsWith("image/") && size <= PHOTO_BYTES_MAX && width + height <= PHOTO_SIDES_MAX;
  return isPhoto ? "photo" : "document";
}

/** Telegram rejects a photo with the extension `.webp`. It detects the format from the content. */
export function uploadName({ as, fileName }: Pick<OutgoingFile, "as" | "fileName">): string {
  if (as !== "photo" || /\.(?:jpe?g|png)$/i.test(fileName)) return fileName;
  return `${fileName.replace(/\.[^.]*$/, "")}.jpg`;
}

/** Groups files into calls: one kind, at most ten files and `REQUEST_BYTES_MAX` each. */
export function albumsOf(files: readonly OutgoingFile[]): OutgoingFile[][] {
  const albums: OutgoingFile[][] = [];
  for (const as of SENT_AS) {
    let album: OutgoingFile[] = [];
    for (const file of files.filter((one) => one.as === as)) {
      if (album.length === 0 || !fits(album, file)) {
        album = [];
        albums.push(album);
      }
      album.push(file);
    }
  }
  return albums;
}

function fits(album: readonly OutgoingFile[], file: OutgoingFile): boolean {
  const together = [...album, file];
  if (together.length > ALBUM_ITEMS_MAX || together.some(({ isAlone }) => isAlone)) return false;
  return bytesInRequest(together) <= REQUEST_BYTES_MAX;
}
