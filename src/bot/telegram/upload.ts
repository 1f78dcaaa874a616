import type { Readable } from "node:stream";
import { InputFile } from "grammy";

/** Characters that end a file name or a header early. */
const UNSAFE = /["\\;\p{Cc}]/gu;

/** The file could not be read. The error says nothing about Telegram. */
export class UnreadableFileError extends Error {
  override readonly name = "UnreadableFileError";
  constructor(cause: unknown) {
    super("file to upload not read", { cause });
  }
}

/**
 * A file to upload, with any name. It is opened when it is read, and again for each try.
 * A call whose file cannot be read fails with UnreadableFileError.
 * grammY writes the name without quotes, which strict parsers end at a space. Telegram's server removes
 * quotes, and ends a name at a semicolon even inside them (td, HttpReader.cpp).
 */
export function uploadOf(open: () => Promise<Readable>, name: string): InputFile {
  return new InputFile(() => chunksOf(open), `"${name.replace(UNSAFE, "_")}"`);
}

async function* chunksOf(open: () => Promise<Readable>): AsyncGenerator<Uint8Array> {
  const stream = await attempt(open);
  const chunks = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const chunk = await attempt(() => chunks.next());
      if (chunk.done) return;
      yield chunk.value as Uint8Array;
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
