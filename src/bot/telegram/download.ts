import { type Readable, Transform } from "node:stream";
import { getFile } from "../../platform/get-file.js";
import type { OutgoingAgent } from "../../platform/outgoing-agent.js";

/** A file to download. Its URL contains the bot's token, which no error and no log may show. */
export interface TelegramDownload {
  origin: string;
  path: string;
  /** Milliseconds for the whole file. */
  timeoutMs: number;
  bytesMax: number;
}

export type TelegramDownloadFault = "unreachable" | "gone" | "too_large";

export class TelegramDownloadError extends Error {
  override readonly name = "DownloadError";
  constructor(readonly fault: TelegramDownloadFault) {
    super(`file not downloaded: ${fault}`);
  }
}

/** Downloads a file. Read or destroy the stream, which fails with TelegramDownloadError like the call. */
export async function downloadFile(agent: OutgoingAgent, file: TelegramDownload): Promise<Readable> {
  const { origin, path, timeoutMs, bytesMax } = file;
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const stop = () => clearTimeout(timer);
  try {
    const { body, status, headers } = await getFile(agent, { origin, path, signal: deadline.signal });
    const stream = boundedDownload(body, bytesMax, stop);
    const fault = faultOf(status, Number(headers["content-length"] ?? 0), bytesMax);
    if (fault === undefined) return stream;
    stream.destroy();
    throw new TelegramDownloadError(fault);
  } catch (error) {
    stop();
    throw error instanceof TelegramDownloadError ? error : new TelegramDownloadError("unreachable");
  }
}

function faultOf(status: number, bytes: number, bytesMax: number): TelegramDownloadFault | undefined {
  if (status !== 200) return status < 500 ? "gone" : "unreachable";
  return bytes > bytesMax ? "too_large" : undefined;
}

/** Ends the source when reading ends. Hides its errors, which may contain the URL or a path. */
export function boundedDownload(body: Readable, bytesMax: number, stop: () => void = () => {}): Readable {
  let size = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > bytesMax) done(new TelegramDownloadError("too_large"));
      else done(null, chunk);
    },
  });
  body.on("error", () => stream.destroy(new TelegramDownloadError("unreachable")));
  stream.on("error", () => {});
  stream.on("close", () => {
    stop();
    body.destroy();
  });
  return body.pipe(stream);
}
