import { GrammyError, HttpError } from "grammy";
import type { Job, JobId } from "../../../contract/job.js";
import { type FileFacts, MEDIA_OF } from "../../../media/media-store.js";
import { MEGABYTE } from "../../../platform/units.js";
import type { Gateway, ResultFile } from "../../../ports/gateway.js";
import { isTooLarge, telegramFailure } from "../../telegram/failure.js";
import { isBeyondLimit, UnreadableAnswerError, UnreadableFileError } from "../../telegram/files.js";
import { codePoints } from "../../texts/html.js";
import type { Order } from "../order.js";
import {
  isSameResult,
  type ResultRef,
  SENT_AS,
  type SentAs,
  type SentFile,
  type UploadFailures,
} from "../order-store.js";

/** The code points of a title that the player of a phone shows. */
const SHOWN = 40;
/** The fewest code points of a beginning: a shorter one says too little. */
const BEGINNING_MIN = 8;

/** Makes the title of a track, which ends at a word. `number`: of one of several, first since titles are alike. */
export function trackTitle(given: string, number: number | undefined): string {
  const title = given.replace(/\s+/gu, " ").trim();
  if (number === undefined) return shortened(title);
  const [prefix, suffix] = [`${number}. `, ` (${number})`];
  const bare = title.startsWith(prefix) ? title.slice(prefix.length) : title;
  const own = bare.endsWith(suffix) ? bare.slice(0, -suffix.length) : bare;
  return `${prefix}${shortened(own)}`;
}

function shortened(title: string): string {
  if (codePoints(title) <= SHOWN) return title;
  const beginning = [...title].slice(0, SHOWN + 1).join("");
  const phrase = beginning.split(/[,.;:!?\n]|\s[–—-]\s/u)[0]?.trimEnd() ?? "";
  if (codePoints(phrase) >= BEGINNING_MIN && phrase !== beginning) return phrase;
  const words = beginning.replace(/\s+\S*$/u, "");
  return `${words === beginning ? [...title].slice(0, SHOWN - 1).join("") : words}…`;
}

/** Telegram's limit for a photo. A larger image is sent as a document. */
const PHOTO_BYTES_MAX = 10 * MEGABYTE;
const PHOTO_SIDES_MAX = 10_000;
const PHOTO_TYPES: ReadonlySet<string> = new Set(["image/webp", "image/png", "image/jpeg", "image/jpg"]);
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
  title?: string | undefined;
  cover?: ResultFile | undefined;
  link?: string | undefined;
  /** The file that is sent in place of this one where it goes as a document. */
  original?: ResultFile | undefined;
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

export function requestBytesMaxOf({ isLocal }: { isLocal: boolean }): number {
  return isLocal ? LOCAL_REQUEST_BYTES_MAX : REQUEST_BYTES_MAX;
}

/** Tells whether a file may be uploaded. True while its size is not known. */
export function isUploadable(file: Weight, requestBytesMax: number): boolean {
  return bytesInRequest([file]) <= requestBytesMax;
}

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

function ifPublic(url: string | null | undefined): string | undefined {
  return url?.startsWith("https://") ? url : undefined;
}

export function undeliverable(
  { index, track, size = 0, link }: ResultRef & { size?: number | undefined; link?: string | undefined },
  reason: UndeliverableFile["reason"],
): UndeliverableFile {
  return { index, track, reason, size, link };
}

export function outgoingFileOf(
  ref: ResultRef,
  { result, original, cover }: KeptFiles & { result: ResultFile },
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
    title: title === undefined ? undefined : trackTitle(title, isOneOfSeveral ? ref.track + 1 : undefined),
    cover,
    original,
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

/** The number of failures after which a file is sent alone, then as a document and no original, then not at all. */
const ALONE_AFTER = 2;
const AS_DOCUMENT_AFTER = 5;
const GIVEN_UP_AFTER = 8;

/**
 * `beyond_limit`: the file of unknown size is larger than an upload may be; `too_large`: the server refused the size of
 * the request; `refused`: Telegram takes this file, or one of the album, in no form; `cut_off`: the connection broke or
 * timed out; `in_part`: it is unknown which items of the album have arrived.
 */
export type UploadFault = "beyond_limit" | "too_large" | "refused" | "cut_off" | "in_part";

/** Returns undefined when the upload did not cause the error. */
export function uploadFaultOf(error: unknown, files: readonly ResultRef[]): UploadFault | undefined {
  if (isBeyondLimit(error)) return "beyond_limit";
  if (isTooLarge(error)) return "too_large";
  if (error instanceof HttpError) {
    const { error: cause } = error;
    // A 5xx is a transient fault of the server, not of the files.
    const isServers = cause instanceof UnreadableAnswerError && cause.status >= 500;
    return isServers || cause instanceof UnreadableFileError ? undefined : "cut_off";
  }
  if (!(error instanceof GrammyError) || error.error_code !== 400) return undefined;
  const { kind } = telegramFailure(error);
  if (kind === "refused") return "refused";
  if (files.length === 1) return undefined;
  return kind === "wait" || kind === "again" ? "in_part" : undefined;
}

export function withFault(
  known: readonly UploadFailures[],
  files: readonly ResultRef[],
  fault: UploadFault,
): UploadFailures[] {
  const others = known.filter((one) => !files.some((file) => isSameResult(file, one)));
  const counted = files.map(({ index, track }) => {
    const before = timesFailed(known, { index, track });
    const times = timesAfter(fault, before, files.length);
    return { index, track, times, ...(fault === "beyond_limit" && { isTooLarge: true }) };
  });
  return [...others, ...counted];
}

function timesAfter(fault: UploadFault, before: number, files: number): number {
  switch (fault) {
    case "beyond_limit":
      return GIVEN_UP_AFTER;
    case "cut_off":
      return before + 1;
    case "too_large":
    case "refused":
      return files > 1 ? Math.max(before, ALONE_AFTER) : GIVEN_UP_AFTER;
    case "in_part":
      // No more than `ALONE_AFTER`: when the files are sent one by one, at most one of them arrives twice.
      return Math.max(before, Math.min(before + 1, ALONE_AFTER));
  }
}

function timesFailed(known: readonly UploadFailures[], ref: ResultRef): number {
  return known.find((one) => isSameResult(one, ref))?.times ?? 0;
}

export function isGivenUp(known: readonly UploadFailures[], ref: ResultRef): boolean {
  return timesFailed(known, ref) >= GIVEN_UP_AFTER;
}

export function afterFailures(known: readonly UploadFailures[], file: NewFile): NewFile {
  const times = timesFailed(known, file);
  const isLastResort = times >= AS_DOCUMENT_AFTER;
  return {
    ...(isLastResort ? (file.result ?? file) : file),
    ...(times >= ALONE_AFTER && { isAlone: true }),
    ...(isLastResort && { as: "document", isDocument: true }),
  };
}

export function leastTimesFailed(known: readonly UploadFailures[], files: readonly ResultRef[]): number {
  return Math.min(...files.map((file) => timesFailed(known, file)));
}

/** Thrown when Telegram is reachable but does not take the files. The number of retries is limited. */
export class UploadError extends Error {
  override readonly name = "UploadError";

  /** @param times failures of the file that has failed least */
  constructor(
    readonly times: number,
    cause: unknown,
  ) {
    super("upload failed", { cause });
  }
}
export function jobIdOf(order: Order, { index }: ResultRef): JobId {
  const id = order.jobIds[index];
  if (id === undefined) throw new Error(`order ${order.id} has no job ${index}`);
  return id;
}

export type KeptFiles = { readonly [Kind in ResultFile["kind"]]?: ResultFile | undefined };

interface UploadFacts {
  failures: readonly UploadFailures[];
  requestBytesMax: number;
}

/** Asks once for the files of an order's jobs, and finds those of a result among them. */
export async function keptFilesOf(
  gateway: Gateway,
  jobs: readonly Job[],
): Promise<(ref: ResultRef) => KeptFiles> {
  const files = await Promise.all(jobs.map((job) => gateway.results(job)));
  return ({ index, track }) => {
    const kept = files[index]?.filter((file) => file.index === track) ?? [];
    return Object.fromEntries(kept.map((file) => [file.kind, file]));
  };
}

/** Plans a result as the chat shows it. Nothing is opened. A file in `failures` that is too large stays out. */
export function plannedResult(
  ref: ResultRef,
  { result, original, cover }: KeptFiles,
  job: Job | undefined,
  { failures, requestBytesMax }: UploadFacts,
): NewFile | UndeliverableFile {
  if (!result) return undeliverable(ref, "gone");
  if (failures.some((one) => one.isTooLarge && isSameResult(one, ref)))
    return undeliverable({ ...ref, link: publicLink(job, ref) }, "too_large");
  return outgoingFileOf(ref, { result, original, cover }, job, requestBytesMax);
}

/** Plans what a person gets as a document: the original, or the result where none is kept. */
export function plannedDocument(
  ref: ResultRef,
  { result, original }: KeptFiles,
  job: Job | undefined,
  facts: UploadFacts,
): NewFile | UndeliverableFile {
  const link = ifPublic(original?.link);
  if (original && link !== undefined && !isUploadable(original, facts.requestBytesMax)) {
    return undeliverable({ ...ref, link, size: original.size }, "too_large");
  }
  const planned = plannedResult(ref, { result }, job, facts);
  if (isUndeliverable(planned)) return planned;
  return asDocument({ ...planned, original }, facts.requestBytesMax);
}

export function isUndeliverable(file: OutgoingFile | UndeliverableFile): file is UndeliverableFile {
  return "reason" in file;
}

/** Finds the successful jobs whose files were all deleted before they could be sent. */
export function lostJobsOf(
  jobs: readonly Job[],
  sent: readonly SentFile[],
  undeliverable: readonly UndeliverableFile[],
): readonly Job[] {
  return jobs.filter((job, index) => {
    const isThisJob = (ref: ResultRef) => ref.index === index;
    const missing = undeliverable.filter(isThisJob);
    return job.status === "done" && !sent.some(isThisJob) && missing.every(({ reason }) => reason === "gone");
  });
}
