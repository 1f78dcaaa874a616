import type { Readable } from "node:stream";
import { Unavailable } from "../contract/errors.js";
import { WrongAnswerError } from "../generation-api/wrong-answer-error.js";
import { PICTURE_HEAD_BYTES, pictureSizeOf } from "../platform/picture-size.js";
import type { FileFacts } from "../ports/gateway.js";
import type { Download } from "./download.js";
import { DownloadError, type DownloadOptions, requestPart } from "./file-request.js";
import { PeekedStream } from "./peeked-stream.js";
import { type PlayedFacts, readPlayedFacts } from "./played-facts.js";
import { RemoteBytes, type Stretch } from "./remote-bytes.js";

/** Milliseconds for the few reads of a video or a track. */
const FACTS_MS_MAX = 15_000;

export interface ExpectedFile {
  mime: string;
  /** The beginning of the content type. */
  media: string;
  /** Seconds, where the service has told them. */
  durationSec?: number;
}

export interface FileWithFacts extends Omit<FileFacts, "fileName"> {
  /** The whole file, of which the facts were read. Fails with DownloadError. */
  stream: Readable;
}

/**
 * Reads what Telegram needs from the beginning of a file that was opened, and hands the whole file on. Sides and
 * duration that cannot be read stay unset.
 * @param options for another part of the file
 * @throws Unavailable when the content is of another kind, such as a page of a proxy; the file is closed then
 */
export async function withFileFacts(
  { stream, size, mime: given }: Download,
  expected: ExpectedFile,
  options: DownloadOptions,
): Promise<FileWithFacts> {
  const peeked = new PeekedStream(stream);
  try {
    const mime = mimeOf(given, expected);
    const facts = await factsOf(peeked, { mime, size }, expected, options);
    return { mime, ...(size !== undefined && { size }), ...facts, stream: peeked.whole() };
  } catch (error) {
    peeked.destroy();
    throw error;
  }
}

function mimeOf(given: string | undefined, { mime, media }: ExpectedFile): string {
  if (given === undefined || given === "application/octet-stream") return mime;
  if (given.startsWith(media)) return given;
  const cause = new WrongAnswerError(`a file of type ${given.slice(0, 60)}`);
  throw new Unavailable("unreachable", { cause });
}

async function factsOf(
  peeked: PeekedStream,
  { mime, size }: { mime: string; size: number | undefined },
  { durationSec }: ExpectedFile,
  options: DownloadOptions,
): Promise<PlayedFacts | undefined> {
  if (mime.startsWith("image/")) return pictureSizeOf(await headOf(peeked));
  // A track has no sides.
  if (mime.startsWith("audio/") && durationSec !== undefined) return undefined;
  const bytes = new RemoteBytes({ chunks: peeked, close: () => {} }, (offset) => openAt(options, offset));
  const cancel = options.clock.after(FACTS_MS_MAX, () => bytes.close());
  try {
    return await readPlayedFacts({ readAt: bytes.readAt, size });
  } finally {
    cancel();
    bytes.close();
  }
}

/** Opens the file at an offset. Throws DownloadError, also where the host gives whole files only. */
async function openAt(options: DownloadOptions, offset: number): Promise<Stretch> {
  const part = await requestPart(options, offset, undefined);
  if (part.isPartial || offset === 0) return { chunks: part.chunks(), close: part.close };
  part.close();
  throw new DownloadError("gone");
}

async function headOf(peeked: PeekedStream): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    while (bytes < PICTURE_HEAD_BYTES) {
      const { done, value } = await peeked.next();
      if (done) break;
      chunks.push(value);
      bytes += value.length;
    }
  } catch (error) {
    throw new Unavailable("unreachable", { cause: error });
  }
  return Buffer.concat(chunks);
}
