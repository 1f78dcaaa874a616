import { Readable } from "node:stream";
import type { ReadableStream, ReadableStreamDefaultReader } from "node:stream/web";
import { Unavailable } from "../contract/errors.js";
import { WrongAnswerError } from "../generation-api/answers.js";
import type { FileFacts } from "../media/media-store.js";
import { isTransparentWebp, SNIFF_MEDIA_BYTES, sniffMedia } from "../media/picture-check.js";
import { type PictureSize, PictureSizeReader, type SizeFound } from "../platform/picture-size.js";
import { MEGABYTE } from "../platform/units.js";
import { type Download, DownloadError, type DownloadOptions, requestPart } from "./file-request.js";
import { BOX_HEAD_BYTES, BOXES_MAX, boxAt, factsOfIndex, type PlayedFacts } from "./movie-index.js";

/** Reads bytes of a file from an offset; fewer at its end. */
type ReadAt = (offset: number, length: number) => Promise<Buffer>;

/** The most bytes that are read through; what is farther is asked for anew. */
const FORWARD_BYTES_MAX = 256 * 1024;
/** The bytes kept in memory before the place that is read. */
const BEHIND_BYTES = 64 * 1024;
/** The most bytes that are read: facts of a file need less. */
const READ_BYTES_MAX = 4 * 1024 * 1024;
const PARTS_MAX = 8;

interface Stretch {
  chunks: Pick<AsyncIterator<Uint8Array, unknown>, "next">;
  close(): void;
}

/** Reads a few places of a remote file, of which at most one stretch is open and a small part in memory. */
class RemoteBytes {
  #stretch: Stretch;
  #window = Buffer.alloc(0);
  #begin = 0;
  #bytes = 0;
  #parts = 1;
  #isClosed = false;
  readonly #closed = Promise.withResolvers<never>();

  /** `first` begins at 0. `openAt` rejects where the host gives no part of the file. */
  constructor(
    first: Stretch,
    private readonly openAt: (offset: number) => Promise<Stretch>,
  ) {
    this.#stretch = first;
    this.#closed.promise.catch(() => {});
  }

  /** Reads bytes. Fails when a part cannot be read, when too much was, and once it is closed. */
  readonly readAt: ReadAt = (offset, length) =>
    Promise.race([this.#closed.promise, this.#readAt(offset, length)]);

  /** Ends a read that waits. Nothing is asked of the file after this. */
  close(): void {
    this.#isClosed = true;
    this.#closed.reject(new Error("closed"));
    this.#stretch.close();
  }

  async #readAt(offset: number, length: number): Promise<Buffer> {
    const isNear = offset >= this.#begin && offset <= this.#end + FORWARD_BYTES_MAX;
    if (!isNear) await this.#jump(offset);
    while (!this.#isClosed && this.#end < offset + length) {
      const { done, value } = await this.#stretch.chunks.next();
      if (done) break;
      this.#append(value, offset);
    }
    const at = Math.max(0, offset - this.#begin);
    return this.#window.subarray(at, at + length);
  }

  get #end(): number {
    return this.#begin + this.#window.length;
  }

  #append(chunk: Uint8Array, offset: number): void {
    this.#bytes += chunk.length;
    if (this.#bytes > READ_BYTES_MAX) throw new Error("the facts of a file are too far apart");
    const passed = Math.min(Math.max(0, offset - BEHIND_BYTES - this.#begin), this.#window.length);
    this.#window = Buffer.concat([this.#window.subarray(passed), chunk]);
    this.#begin += passed;
  }

  async #jump(offset: number): Promise<void> {
    this.#parts += 1;
    if (this.#parts > PARTS_MAX) throw new Error("the facts of a file are in too many places");
    this.#stretch.close();
    this.#stretch = await this.openAt(offset);
    if (this.#isClosed) this.#stretch.close();
    this.#window = Buffer.alloc(0);
    this.#begin = offset;
  }
}

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

type Peeked = ReadableStreamDefaultReader<Uint8Array>;

interface FileWithFacts extends Omit<FileFacts, "fileName"> {
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
  const [seen, whole] = (Readable.toWeb(stream) as ReadableStream<Uint8Array>).tee();
  const peeked = seen.getReader();
  try {
    const { head, picture } = await headOf(peeked);
    const mime = mimeOf(head, given, expected);
    const facts = mime.startsWith("image/")
      ? picture
      : await playedFactsOf(startingWith(head, peeked), { mime, size }, expected, options);
    const isDocument = isTransparentWebp(head) && { isDocument: true };
    // It may fail before anybody reads it.
    const readable = Readable.fromWeb(whole).on("error", () => {});
    return { mime, ...(size !== undefined && { size }), ...facts, ...isDocument, stream: readable };
  } catch (error) {
    stream.destroy();
    throw error;
  } finally {
    // Ends a read that was given up. What comes of it is left in the whole.
    peeked.cancel().catch(() => {});
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
async function headOf(peeked: Peeked): Promise<{ head: Buffer; picture: PictureSize | undefined }> {
  const reader = new PictureSizeReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let found: SizeFound = "more";
  try {
    while (bytes < SNIFF_MEDIA_BYTES || (found === "more" && bytes < HEAD_BYTES_MAX)) {
      const { done, value } = await peeked.read();
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
async function* startingWith(head: Buffer, peeked: Peeked): AsyncGenerator<Uint8Array> {
  yield head;
  for (let read = await peeked.read(); !read.done; read = await peeked.read()) yield read.value;
}

/** A file's bytes, and how many there are. The reads may be limited: what is beyond stays unknown. */
interface PlayedFile {
  readAt: ReadAt;
  /** Bytes. Undefined where they are not known: then an MP3, whose duration needs its size, is not read. */
  size: number | undefined;
}

/**
 * Reads the sides and the duration that an MP4 or MP3 file tells in its index or its first frame; the media is skipped.
 * What is damaged or unknown stays unset.
 */
export async function readPlayedFacts(file: PlayedFile): Promise<PlayedFacts> {
  try {
    const first = boxAt(await file.readAt(0, BOX_HEAD_BYTES), 0);
    if (first && FIRST_BOXES.has(first.type)) return factsOfIndex(await indexOf(file));
    return file.size === undefined ? {} : await trackFactsOf(file.readAt, file.size);
  } catch {
    // The readers throw on truncated or damaged bytes.
    return {};
  }
}

/** Begin MPEG-4 and QuickTime files. */
const FIRST_BOXES: ReadonlySet<string> = new Set(["ftyp", "moov", "mdat", "free", "skip", "wide"]);

/** Reads the content of the index, wherever it stands; nothing where there is none. */
async function indexOf({ readAt }: PlayedFile): Promise<Buffer> {
  let offset = 0;
  for (let count = 0; count < BOXES_MAX; count += 1) {
    const box = boxAt(await readAt(offset, BOX_HEAD_BYTES), 0);
    if (!box) break;
    if (box.type === "moov") return readAt(offset + box.headBytes, box.bytes - box.headBytes);
    offset += box.bytes;
  }
  return Buffer.alloc(0);
}

async function trackFactsOf(readAt: ReadAt, size: number): Promise<PlayedFacts> {
  const { CustomSource, Input, MP3 } = await import("mediabunny");
  let last: Promise<unknown> = Promise.resolve();
  const source = new CustomSource({
    getSize: () => size,
    // One after the other: a remote file has one open stretch.
    read: (start, end) => {
      const bytes = last.then(() => readAt(start, end - start));
      last = bytes.catch(() => {});
      return bytes;
    },
    handleUnhandledError: () => {},
  });
  const input = new Input({ source, formats: [MP3] });
  try {
    const durationSec = (await input.canRead()) ? await input.getDurationFromMetadata() : null;
    const isKnown = durationSec !== null && Number.isFinite(durationSec) && durationSec > 0;
    return isKnown ? { durationSec } : {};
  } finally {
    input.dispose();
  }
}
