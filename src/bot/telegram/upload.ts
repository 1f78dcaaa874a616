import type { Readable } from "node:stream";
import { HttpError, InputFile } from "grammy";

const UNSAFE = /["\\;\p{Cc}]/gu;

/** Thrown when the file could not be read. The error says nothing about Telegram. */
export class UnreadableFileError extends Error {
  override readonly name = "UnreadableFileError";
  constructor(cause: unknown) {
    super("file to upload not read", { cause });
  }
}

/** Thrown when the file turned out larger than may be uploaded. The upload was ended there. */
export class UploadLimitError extends Error {
  override readonly name = "UploadLimitError";
}

/** Tells whether a call failed because its file is larger than may be uploaded: each try would fail so. */
export function isBeyondLimit(error: unknown): boolean {
  return error instanceof HttpError && error.error instanceof UploadLimitError;
}

/**
 * Makes a file to upload, with any name. It is opened when it is read, and again for each try.
 * A call whose file cannot be read fails with UnreadableFileError; one whose file has more than `bytesMax` with
 * UploadLimitError, at that byte.
 * grammY writes the name without quotes, which strict parsers end at a space. Telegram's server removes quotes, and
 * ends a name at a semicolon even inside them (td, HttpReader.cpp).
 */
export function uploadOf(
  open: () => Promise<Readable>,
  name: string,
  bytesMax = Number.POSITIVE_INFINITY,
): InputFile {
  return new InputFile(() => chunksOf(open, bytesMax), `"${name.replace(UNSAFE, "_")}"`);
}

async function* chunksOf(open: () => Promise<Readable>, bytesMax: number): AsyncGenerator<Uint8Array> {
  const stream = await attempt(open);
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  let bytes = 0;
  try {
    for (;;) {
      const chunk = await attempt(() => chunks.next());
      if (chunk.done) return;
      bytes += chunk.value.length;
      if (bytes > bytesMax) throw new UploadLimitError(`more than ${bytesMax} bytes`);
      yield chunk.value;
    }
  } finally {
    stream.destroy();
  }
}

async function attempt<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new UnreadableFileError(error);
  }
}
