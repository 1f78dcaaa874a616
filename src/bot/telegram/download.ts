import { type Readable, Transform } from "node:stream";
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
    const { body, statusCode, headers } = await dispatcher.request({
      origin,
      path,
      method: "GET",
      signal: deadline.signal,
    });
    const stream = passOn(body, bytesMax, stop);
    const fault = faultOf(statusCode, Number(headers["content-length"] ?? 0), bytesMax);
    if (fault === undefined) return stream;
    stream.destroy();
    throw new DownloadFailed(fault);
  } catch (error) {
    stop();
    throw error instanceof DownloadFailed ? error : new DownloadFailed("unreachable");
  }
}

function faultOf(status: number, bytes: number, bytesMax: number): DownloadFault | undefined {
  if (status !== 200) return status < 500 ? "gone" : "unreachable";
  return bytes > bytesMax ? "too_large" : undefined;
}

/**
 * Passes the bytes on, and ends the request however the reading ends. What undici says of a failure may name
 * the address: it goes no further. Nobody need be listening when either side fails.
 */
function passOn(body: Readable, bytesMax: number, stop: () => void): Readable {
  let size = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > bytesMax) done(new DownloadFailed("too_large"));
      else done(null, chunk);
    },
  });
  body.on("error", () => stream.destroy(new DownloadFailed("unreachable")));
  stream.on("error", () => {});
  stream.on("close", () => {
    stop();
    body.destroy();
  });
  return body.pipe(stream);
}
