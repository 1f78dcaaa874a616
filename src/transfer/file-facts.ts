import type { Readable } from "node:stream";
import { Unavailable } from "../contract/errors.js";
import { WrongAnswerError } from "../generation-api/wrong-answer-error.js";
import { isTransparentWebp, SNIFF_MEDIA_BYTES, sniffMedia } from "../media/file-type.js";
import { type PictureSize, PictureSizeReader } from "../platform/picture-size.js";
import { MEGABYTE } from "../platform/units.js";
import type { FileFacts } from "../ports/gateway.js";
import type { Download } from "./download.js";
import { DownloadError, type DownloadOptions, requestPart } from "./file-request.js";
import { PeekedStream } from "./peeked-stream.js";
import { type PlayedFacts, readPlayedFacts } from "./played-facts.js";
import { RemoteBytes, type Stretch } from "./remote-bytes.js";

/** Milliseconds for the few reads of a video or a track. */
const FACTS_MS_MAX = 15_000;
/** Limits how far the size of a picture is looked for. The bytes are kept until the file is handed on. */
const HEAD_BYTES_MAX = 4 * MEGABYTE;

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
    const { head, picture } = await headOf(peeked);
    const mime = mimeOf(head, given, expected);
    const facts = mime.startsWith("image/")
      ? picture
      : await playedFactsOf(startingWith(head, peeked), { mime, size }, expected, options);
    const isDocument = isTransparentWebp(head) && { isDocument: true };
    return { mime, ...(size !== undefined && { size }), ...facts, ...isDocument, stream: peeked.whole() };
  } catch (error) {
    peeked.destroy();
    throw error;
  }
}

/** Matches labels that tell nothing. */
const NO_LABEL = /\/octet-stream$/;

/** Tells the type by the bytes. The label of the host counts for what they do not tell. */
function mimeOf(head: Buffer, given: string | undefined, { mime, media }: ExpectedFile): string {
  const seen = sniffMedia(head);
  // A container of sound alone looks like one of video.
  if (seen !== undefined) return media === "audio/" ? seen.replace(/^video\//, media) : seen;
  if (given === undefined || NO_LABEL.test(given)) return mime;
  if (given.startsWith(media)) return given;
  const cause = new WrongAnswerError(`a file of type ${given.slice(0, 60)}`);
  throw new Unavailable("unreachable", { cause });
}

async function playedFactsOf(
  chunks: Stretch["chunks"],
  { mime, size }: { mime: string; size: number | undefined },
  { durationSec }: ExpectedFile,
  options: DownloadOptions,
): Promise<PlayedFacts | undefined> {
  // A track has no sides.
  if (mime.startsWith("audio/") && durationSec !== undefined) return undefined;
  const bytes = new RemoteBytes({ chunks, close: () => {} }, (offset) => openAt(options, offset));
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

/** Reads on, within bounds, until the type and the size of a picture are told. */
async function headOf(peeked: PeekedStream): Promise<{ head: Buffer; picture: PictureSize | undefined }> {
  const reader = new PictureSizeReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let found = reader.push(Buffer.alloc(0));
  try {
    while (bytes < SNIFF_MEDIA_BYTES || (found === "more" && bytes < HEAD_BYTES_MAX)) {
      const { done, value } = await peeked.next();
      if (done) break;
      chunks.push(value);
      bytes += value.length;
      found = reader.push(value);
    }
  } catch (error) {
    throw new Unavailable("unreachable", { cause: error });
  }
  return { head: Buffer.concat(chunks), picture: typeof found === "object" ? found : undefined };
}

/** Reads what was peeked at once more, then the rest. */
function startingWith(head: Buffer, peeked: PeekedStream): Stretch["chunks"] {
  let isRead = false;
  return {
    next: () => {
      if (isRead) return peeked.next();
      isRead = true;
      return Promise.resolve({ done: false, value: head });
    },
  };
}
