import { Readable } from "node:stream";
import type { Dispatcher } from "undici";

/** A file to be read. Its address holds the bot's token, so no error and no log may show it. */
export interface Download {
  origin: string;
  path: string;
  /** The whole file must have come by then. */
  timeoutMs: number;
  bytesMax: number;
}

/** Why a file could not be read. */
export type DownloadFault = "unreachable" | "gone" | "too_large";

export class DownloadFailed extends Error {
  override readonly name = "DownloadFailed";
  constructor(readonly fault: DownloadFault) {
    super(`file not downloaded: ${fault}`);
  }
}

/**
 * Opens a file. The stream ends with DownloadFailed when its deadline has passed, it is larger than allowed, or
 * the connection breaks; it must be read to its end or destroyed.
 * @throws DownloadFailed
 */
export async function downloadFile(dispatcher: Dispatcher, file: Download): Promise<Readable> {
  const { origin, path, timeoutMs, bytesMax } = file;
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const stop = () => clearTimeout(timer);
  try {
    const answer = await dispatcher.request({ origin, path, method: "GET", signal: deadline.signal });
    if (answer.statusCode !== 200) {
      answer.body.destroy();
      throw new DownloadFailed(answer.statusCode < 500 ? "gone" : "unreachable");
    }
    const size = Number(answer.headers["content-length"] ?? 0);
    if (size > bytesMax) {
      answer.body.destroy();
      throw new DownloadFailed("too_large");
    }
    return Readable.from(capped(answer.body, bytesMax, stop));
  } catch (error) {
    stop();
    throw error instanceof DownloadFailed ? error : new DownloadFailed("unreachable");
  }
}

/** Passes the bytes on. What undici says of a failure may name the address: it goes no further. */
async function* capped(body: Readable, bytesMax: number, stop: () => void): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const part of body) {
      const chunk = part as Buffer;
      size += chunk.length;
      if (size > bytesMax) throw new DownloadFailed("too_large");
      yield chunk;
    }
  } catch (error) {
    throw error instanceof DownloadFailed ? error : new DownloadFailed("unreachable");
  } finally {
    stop();
    body.on("error", () => {}).destroy();
  }
}
