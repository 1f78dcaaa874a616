import { Readable } from "node:stream";
import { sleep } from "../platform/clock.js";
import { backOffMs } from "../platform/retry.js";
import { DownloadError, type DownloadOptions, type FilePart, requestPart } from "./file-request.js";

export interface Download {
  /** The bytes. They fail with DownloadError, and must be read to their end or destroyed. */
  stream: Readable;
  /** Bytes; undefined when unknown. */
  size: number | undefined;
  mime: string | undefined;
  /** True where the end is told, by a length or by chunks: a download that was cut is noticed. */
  isEndTold: boolean;
}

const TRIES_MAX = 5;
/** The most responses with parts of one file. */
const PARTS_MAX = 50;
const EXPIRED_MAX = 2;
const BACK_OFF = { firstMs: 500, maxMs: 8000 };

/** Opens a result. The stream resumes after a broken connection. Throws DownloadError, and as `freshLink`. */
export async function openDownload(options: DownloadOptions): Promise<Download> {
  const first = await nextPart(options, 0, undefined);
  const stream = Readable.from(chunksOf(options, first), { objectMode: false });
  stream.once("close", () => first.close());
  return { stream, size: first.total, mime: first.mime, isEndTold: first.isEndTold };
}

async function* chunksOf(options: DownloadOptions, first: FilePart): AsyncGenerator<Uint8Array> {
  let part = first;
  let offset = 0;
  let emptyParts = 0;
  for (let parts = 1; ; parts += 1) {
    const begin = offset;
    try {
      for await (const chunk of part.chunks()) {
        offset += chunk.length;
        if (offset > options.bytesMax) throw new DownloadError("too_large");
        yield chunk;
      }
      if (first.total === undefined || offset === first.total) return;
      throw new DownloadError("unreachable");
    } catch (error) {
      emptyParts = offset === begin ? emptyParts + 1 : 0;
      const isOver = emptyParts >= TRIES_MAX || parts >= PARTS_MAX || options.signal?.aborted;
      if (isOver || !isTemporary(error)) throw error;
    } finally {
      part.close();
    }
    await sleep(options.clock, backOffMs(emptyParts + 1, BACK_OFF), options.signal);
    part = await nextPart(options, offset, first);
  }
}

/** Requests the bytes from `offset` until a host sends them. */
async function nextPart(
  options: DownloadOptions,
  offset: number,
  first: FilePart | undefined,
): Promise<FilePart> {
  const { expiredMax = EXPIRED_MAX, clock, signal } = options;
  let expired = 0;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await requestPart(options, offset, first);
    } catch (error) {
      if (!isTemporary(error) || signal?.aborted) throw error;
      if (error.fault === "unreachable" && attempt >= TRIES_MAX) throw error;
      if (error.fault === "unreachable") {
        await sleep(clock, backOffMs(attempt, BACK_OFF), signal);
        continue;
      }
      // A link may expire between its GET and its use.
      expired += 1;
      if (expired >= expiredMax) throw new DownloadError("gone", error);
      if (expired > 1) await sleep(clock, backOffMs(expired - 1, BACK_OFF), signal);
    }
  }
}

function isTemporary(error: unknown): error is DownloadError {
  return error instanceof DownloadError && (error.fault === "unreachable" || error.fault === "expired");
}
