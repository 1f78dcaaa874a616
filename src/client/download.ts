import { Readable } from "node:stream";
import { sleep } from "../platform/clock.js";
import { backOffMs } from "../platform/retry.js";
import { DownloadError, type DownloadOptions, type FilePart, requestPart } from "./file-request.js";

export interface Download {
  /** Fails with DownloadError, and must be read to its end or destroyed. */
  stream: Readable;
  /** In bytes; undefined where the host does not say it. */
  size: number | undefined;
  mime: string | undefined;
}

/** In a row, without a byte. */
const TRIES_MAX = 5;
/** Answers that a file may be put together of. */
const PARTS_MAX = 50;
const BACK_OFF = { firstMs: 500, maxMs: 8000 };

/**
 * Opens a result. Where the connection breaks, or brings no byte for a while, the stream goes on from there.
 * @throws DownloadError, and what `freshLink` throws
 */
export async function openDownload(options: DownloadOptions): Promise<Download> {
  const first = await nextPart(options, 0, undefined);
  const stream = Readable.from(chunksOf(options, first), { objectMode: false });
  stream.once("close", () => first.close());
  return { stream, size: first.total, mime: first.mime };
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

/** The bytes from `offset` on, asked for until a host answers with them. */
async function nextPart(
  options: DownloadOptions,
  offset: number,
  first: FilePart | undefined,
): Promise<FilePart> {
  let isExpired = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await requestPart(options, offset, first);
    } catch (error) {
      if (!isTemporary(error) || attempt >= TRIES_MAX || options.signal?.aborted) throw error;
      // A link may expire between its GET and its use, once.
      if (error.fault === "expired" && isExpired) throw new DownloadError("gone", error);
      isExpired ||= error.fault === "expired";
      if (error.fault === "unreachable") {
        await sleep(options.clock, backOffMs(attempt, BACK_OFF), options.signal);
      }
    }
  }
}

function isTemporary(error: unknown): error is DownloadError {
  return error instanceof DownloadError && (error.fault === "unreachable" || error.fault === "expired");
}
