import type { Job } from "../../../contract/job.js";
import { MEGABYTE } from "../../../platform/units.js";
import type { FileFacts, ResultFile } from "../../../ports/gateway.js";
import { type ResultRef, SENT_AS, type SentAs, type SentFile } from "../store/delivery.js";
import { trackTitle } from "./track-title.js";

/** Telegram's limit for a photo. A larger image is sent as a document. */
const PHOTO_BYTES_MAX = 10 * MEGABYTE;
const PHOTO_SIDES_MAX = 10_000;
const PHOTO_TYPES: ReadonlySet<string> = new Set(["image/webp", "image/png", "image/jpeg", "image/jpg"]);
const MEDIA_OF = { image: "image/", video: "video/", music: "audio/" } as const;
/** The most bytes of a request. Telegram accepts 50 MiB and may close the connection instead of answering. */
const REQUEST_BYTES_MAX = 49 * MEGABYTE;
/** The same for a server of one's own in local mode. */
const LOCAL_REQUEST_BYTES_MAX = 2000 * MEGABYTE;
/** Overhead per file, in bytes: the caption, the metadata and, for audio and video, the thumbnail. */
const FACTS_BYTES = 16 * 1024;
const THUMBNAIL_BYTES = 200 * 1024;
const ALBUM_ITEMS_MAX = 10;

/** A file that Telegram has, or one that is uploaded. */
export type OutgoingFile = Pick<SentFile, "index" | "track" | "as" | "fileId"> | NewFile;

export interface NewFile extends ResultRef, FileFacts, Pick<ResultFile, "open"> {
  as: SentAs;
  title?: string;
  cover?: ResultFile;
  /** The link where the person finds the file when it cannot be sent. */
  link?: string | undefined;
  /** The file that is sent in place of this one where it goes as a document. */
  original?: ResultFile;
  /** The result of an original, which is sent when the original is lost or its uploads fail. */
  result?: NewFile;
  isAlone?: boolean;
}

export function isNew(file: OutgoingFile): file is NewFile {
  return "open" in file;
}

/** A finished file that cannot be sent: it was deleted, is too large or has failed too often. */
export interface UndeliverableFile extends ResultRef {
  reason: "gone" | "too_large" | "not_taken";
  /** Bytes; 0 when the size is not known. */
  size: number;
  /** The download link, valid for one hour; undefined when the file has no public URL. */
  link: string | undefined;
}

export function resultRefs(jobs: readonly Job[]): ResultRef[] {
  return jobs.flatMap((job, index) => {
    if (job.status !== "done") return [];
    const tracks = Math.max(1, job.result?.tracks?.length ?? 1);
    return Array.from({ length: tracks }, (_, track) => ({ index, track }));
  });
}

/** Returns the most bytes of a request to Telegram, or to a server of one's own in local mode. */
export function requestBytesMaxOf({ isLocal }: { isLocal: boolean }): number {
  return isLocal ? LOCAL_REQUEST_BYTES_MAX : REQUEST_BYTES_MAX;
}

/** Tells whether a file may be uploaded. True while its size is not known. */
export function isUploadable(file: Weight, requestBytesMax: number): boolean {
  return bytesInRequest([file]) <= requestBytesMax;
}

/** Returns the most bytes that may be uploaded of a file. */
export function uploadBytesMax({ mime }: Pick<FileFacts, "mime">, requestBytesMax: number): number {
  return requestBytesMax - bytesInRequest([{ mime }]);
}

type Weight = Pick<FileFacts, "size" | "mime">;

function bytesInRequest(files: readonly Weight[]): number {
  return files.reduce((sum, { size = 0, mime }) => {
    const thumbnail = mime.startsWith("image/") ? 0 : THUMBNAIL_BYTES;
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

export function undeliverable(
  { index, track, size = 0, link }: ResultRef & Pick<NewFile, "size" | "link">,
  reason: UndeliverableFile["reason"],
): UndeliverableFile {
  return { index, track, reason, size, link };
}

/** Makes an outgoing file of a result of `job`, with the files that belong to it. */
export function outgoingFileOf(
  ref: ResultRef,
  { result, original, cover }: { result: ResultFile; original?: ResultFile; cover?: ResultFile },
  job: Job | undefined,
  requestBytesMax: number,
): NewFile {
  const track = job?.result?.tracks?.[ref.track];
  const durationSec = result.durationSec ?? track?.duration ?? job?.duration_sec;
  const title = track?.title ?? result.title;
  const isOneOfSeveral = (job?.result?.tracks?.length ?? 1) > 1;
  const isOther = job !== undefined && !result.mime.startsWith(MEDIA_OF[job.type]);
  const outgoing: NewFile = {
    ...factsOf(result),
    ...ref,
    ...(isOther ? ({ as: "document", isDocument: true } as const) : { as: formOf(result) }),
    open: result.open,
    link: publicLink(job, ref),
    ...(typeof durationSec === "number" && { durationSec }),
    ...(title !== undefined && { title: trackTitle(title, isOneOfSeveral ? ref.track + 1 : undefined) }),
    ...(cover && { cover }),
    ...(original && { original }),
  };
  return original && outgoing.as === "document" ? asDocument(outgoing, requestBytesMax) : outgoing;
}

function factsOf({ mime, fileName, size, width, height, durationSec, isDocument }: FileFacts): FileFacts {
  return {
    mime,
    fileName,
    ...(size !== undefined && { size }),
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    ...(durationSec !== undefined && { durationSec }),
    ...(isDocument && { isDocument }),
  };
}

/** Adds what was learnt when a file was opened. A file of unknown size goes alone: it may pass the limit. */
export function withOpenedFacts(file: NewFile, opened: FileFacts): NewFile {
  const known = { ...file, ...factsOf(opened) };
  return { ...known, as: formOf(known), ...(known.size === undefined && { isAlone: true }) };
}

/** Replaces a file by its original where Telegram takes that. */
export function asDocument({ original, ...result }: NewFile, requestBytesMax: number): NewFile {
  const document = { as: "document", isDocument: true } as const;
  if (!original || !isUploadable(original, requestBytesMax)) return { ...result, ...document };
  return { ...result, ...factsOf(original), ...document, open: original.open, result };
}

/** Replaces files by their originals, unless these are too large for one call. */
export function asDocuments(files: readonly NewFile[], requestBytesMax: number): NewFile[] {
  const documents = files.map((file) => asDocument(file, requestBytesMax));
  if (bytesInRequest(documents) <= requestBytesMax) return documents;
  return files.map(({ original: _, ...file }) => asDocument(file, requestBytesMax));
}

/** Chooses how to send a file. Telegram plays MPEG-4 video, and MP3 and M4A audio. Others are documents. */
function formOf({ mime, size = 0, width = 0, height = 0, isDocument }: FileFacts): SentAs {
  if (isDocument) return "document";
  if (mime === "video/mp4") return "video";
  if (mime === "audio/mpeg" || mime === "audio/mp4") return "audio";
  const isPhoto = PHOTO_TYPES.has(mime) && size <= PHOTO_BYTES_MAX && width + height <= PHOTO_SIDES_MAX;
  return isPhoto ? "photo" : "document";
}

/** Names an upload. Telegram rejects a photo with the extension `.webp`; it detects the format from the content. */
export function uploadName({ as, fileName }: Pick<NewFile, "as" | "fileName">): string {
  if (as !== "photo" || /\.(?:jpe?g|png)$/i.test(fileName)) return fileName;
  return `${fileName.replace(/\.[^.]*$/, "")}.jpg`;
}

/** Groups files into calls: one kind, at most ten files and `requestBytesMax` each. */
export function albumsOf(files: readonly NewFile[], requestBytesMax: number): NewFile[][] {
  const albums: NewFile[][] = [];
  for (const as of SENT_AS) {
    let album: NewFile[] = [];
    for (const file of files.filter((one) => one.as === as)) {
      if (album.length === 0 || !fits(album, file, requestBytesMax)) {
        album = [];
        albums.push(album);
      }
      album.push(file);
    }
  }
  return albums;
}

function fits(album: readonly NewFile[], file: NewFile, requestBytesMax: number): boolean {
  const together = [...album, file];
  if (together.length > ALBUM_ITEMS_MAX || together.some(({ isAlone }) => isAlone)) return false;
  return bytesInRequest(together) <= requestBytesMax;
}
