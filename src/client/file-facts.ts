import type { Readable } from "node:stream";
import { Unavailable } from "../contract/errors.js";
import type { Clock } from "../platform/clock.js";
import { PICTURE_HEAD_BYTES, pictureSizeOf } from "../platform/picture-size.js";
import type { ResultFile } from "../ports/gateway.js";
import type { Download } from "./download.js";
import { DownloadError, type DownloadOptions, requestPart } from "./file-request.js";
import { type PlayedFacts, readPlayedFacts } from "./played-facts.js";
import { RemoteBytes, type Stretch } from "./remote-bytes.js";
import { WrongAnswerError } from "./wrong-answer-error.js";

/** For the few reads of a video or a track. */
const FACTS_MS_MAX = 15_000;

export type FileFacts = Pick<ResultFile, "mime" | "size" | "width" | "height" | "durationSec">;

export interface ExpectedFile {
  mime: string;
  /** What a content type begins with. */
  media: string;
  /** Where the service has told it. */
  durationSec?: number;
}

/**
 * Reads what Telegram needs from a file that was opened, and closes it. Sides and duration that cannot be read
 * stay unset.
 * @param options for another part of the file
 * @throws Unavailable when the content is of another kind, such as a page of a proxy
 */
export async function readFileFacts(
  download: Download,
  expected: ExpectedFile,
  options: DownloadOptions,
): Promise<FileFacts> {
  const { stream, size } = download;
  try {
    const mime = mimeOf(download, expected);
    const facts = await factsOf(download, mime, expected, options);
    return { mime, ...(size !== undefined && { size }), ...facts };
  } finally {
    stream.destroy();
  }
}

async function factsOf(
  { stream, size }: Download,
  mime: string,
  { durationSec }: ExpectedFile,
  options: DownloadOptions,
): Promise<PlayedFacts | undefined> {
  if (mime.startsWith("image/")) return pictureSizeOf(await headOf(stream));
  // A track has no sides.
  if (mime.startsWith("audio/") && durationSec !== undefined) return undefined;
  return playedFacts(stream, size, options);
}

function mimeOf({ mime: given }: Download, { mime, media }: ExpectedFile): string {
  if (given === undefined || given === "application/octet-stream") return mime;
  if (given.startsWith(media)) return given;
  const cause = new WrongAnswerError(`a file of type ${given.slice(0, 60)}`);
  throw new Unavailable("unreachable", { cause });
}

async function playedFacts(
  stream: Readable,
  size: number | undefined,
  options: DownloadOptions,
): Promise<PlayedFacts> {
  const first = { chunks: iteratorOf(stream), close: () => void stream.destroy() };
  const bytes = new RemoteBytes(first, (offset) => openAt(options, offset));
  const cancel = endLate(options.clock, bytes);
  try {
    return await readPlayedFacts({ readAt: bytes.readAt, size });
  } finally {
    cancel();
    bytes.close();
  }
}

function endLate(clock: Clock, bytes: RemoteBytes): () => void {
  return clock.after(FACTS_MS_MAX, () => bytes.close());
}

/** @throws DownloadError, also where the host gives whole files only */
async function openAt(options: DownloadOptions, offset: number): Promise<Stretch> {
  const part = await requestPart(options, offset, undefined);
  if (part.isPartial || offset === 0) return { chunks: part.chunks(), close: part.close };
  part.close();
  throw new DownloadError("gone");
}

function iteratorOf(stream: Readable): AsyncIterator<Uint8Array> {
  return (stream as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
}

async function headOf(stream: Readable): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= PICTURE_HEAD_BYTES) break;
    }
  } catch (error) {
    throw new Unavailable("unreachable", { cause: error });
  }
  return Buffer.concat(chunks);
}
