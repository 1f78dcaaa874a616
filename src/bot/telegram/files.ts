import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { isAbsolute, normalize } from "node:path";
import { Readable, Transform } from "node:stream";
import { type Api, GrammyError, HttpError, InputFile } from "grammy";
import { type Clock, systemClock } from "../../platform/clock.js";
import { type FailPoint, noFailPoint } from "../../platform/fail-point.js";
import { exchange, getFile } from "../../platform/http-exchange.js";
import type { Logger } from "../../platform/logger.js";
import { type OutgoingAgent, openAgent, type ProxySettings } from "../../platform/outgoing-agent.js";
import { MEGABYTE, MINUTE_MS } from "../../platform/units.js";

/** A file to download. Its URL contains the bot's token, which no error and no log may show. */
export interface TelegramDownload {
  origin: string;
  path: string;
  /** Milliseconds for the whole file. */
  timeoutMs: number;
  bytesMax: number;
}

export class TelegramDownloadError extends Error {
  override readonly name = "DownloadError";
  constructor(readonly fault: "unreachable" | "gone" | "too_large") {
    super(`file not downloaded: ${fault}`);
  }
}

/** Downloads a file. Read or destroy the stream, which fails with TelegramDownloadError like the call. */
async function downloadFile(agent: OutgoingAgent, file: TelegramDownload): Promise<Readable> {
  const { origin, path, timeoutMs, bytesMax } = file;
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const stop = () => clearTimeout(timer);
  try {
    const { body, status, headers } = await getFile(agent, { origin, path, signal: deadline.signal });
    const stream = boundedDownload(body, bytesMax, stop);
    const isTooLarge = Number(headers["content-length"] ?? 0) > bytesMax;
    if (status === 200 && !isTooLarge) return stream;
    stream.destroy();
    throw new TelegramDownloadError(status === 200 ? "too_large" : status < 500 ? "gone" : "unreachable");
  } catch (error) {
    stop();
    throw error instanceof TelegramDownloadError ? error : new TelegramDownloadError("unreachable");
  }
}

/** Ends the source when reading ends. Hides its errors, which may contain the URL or a path. */
function boundedDownload(body: Readable, bytesMax: number, stop: () => void = () => {}): Readable {
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

const UNSAFE = /["\\;\p{Cc}]/gu;

/** Thrown when the file could not be read. The error says nothing about Telegram. */
export class UnreadableFileError extends Error {
  override readonly name = "UnreadableFileError";
  constructor(cause: unknown) {
    super("file to upload not read", { cause });
  }
}

/** Thrown when the file turned out larger than may be uploaded. The upload was ended there. */
class UploadLimitError extends Error {
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

const REMIND_MS = 10 * MINUTE_MS;

/** Logs an outage of Telegram in one line at its start, in one every ten minutes, and in one at its end. */
export class OutageLog {
  #outage: { beganAt: number; toldAt: number; tries: number } | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  failed(err: unknown): void {
    const now = this.clock.monotonic();
    const outage = this.#outage;
    if (!outage) {
      this.#outage = { beganAt: now, toldAt: now, tries: 1 };
      this.logger.warn({ err }, "Telegram does not answer, trying again");
      return;
    }
    outage.tries += 1;
    if (now - outage.toldAt < REMIND_MS) return;
    outage.toldAt = now;
    this.logger.warn({ err, ...this.#length(outage) }, "Telegram still does not answer");
  }

  answered(): void {
    if (!this.#outage) return;
    this.logger.info(this.#length(this.#outage), "Telegram answers again");
    this.#outage = undefined;
  }

  #length({ beganAt, tries }: { beganAt: number; tries: number }): { tries: number; seconds: number } {
    return { tries, seconds: Math.round((this.clock.monotonic() - beganAt) / 1000) };
  }
}

/** Milliseconds, less than servers keep an idle connection. */
const KEEP_ALIVE_MS = 4000;
/** The most calls and downloads at once. They leave room under a limit of 1024 open files. */
const CONNECTIONS_MAX = 384;
const DOWNLOADS_MAX = 64;
/** The most bytes of an answer. A hundred updates, the largest one, are below 2 MB. */
const ANSWER_BYTES_MAX = 32 * MEGABYTE;
/** Milliseconds for calls without files. A call that hangs blocks its chat. */
const JSON_CALL_TIMEOUT_MS = 30_000;
/** The method that waits longer: it is answered within 30 s, or has lost its connection. */
const LONG_POLL = "getUpdates";
const LONG_POLL_TIMEOUT_MS = 60_000;

interface FetchInit {
  headers?: Record<string, string>;
  body?: unknown;
  /** The signal of grammY's class, which lacks newer members of `AbortSignal`. */
  signal?: AbortSignal;
}

export type TelegramConnections = ReturnType<typeof openConnections>;

/** Opens the connections to the Bot API. `failPoint` gets the method before each call and after its answer. */
export function openConnections(
  failPoint: FailPoint = noFailPoint,
  proxy: ProxySettings = {},
  clock: Clock = systemClock,
) {
  const files = openAgent({ proxy, connections: DOWNLOADS_MAX, keepAliveMs: KEEP_ALIVE_MS });
  const agent = openAgent({ proxy, connections: CONNECTIONS_MAX, keepAliveMs: KEEP_ALIVE_MS });
  return {
    async fetch(url: string, init: FetchInit) {
      const address = new URL(url);
      const method = address.pathname.slice(address.pathname.lastIndexOf("/") + 1);
      // grammY passes JSON as a string, and uploads as a stream of chunks.
      const body =
        typeof init.body === "string" || init.body instanceof Readable
          ? init.body
          : Readable.from(init.body as AsyncIterable<Uint8Array>);
      const timeoutMs = method === LONG_POLL ? LONG_POLL_TIMEOUT_MS : JSON_CALL_TIMEOUT_MS;
      failPoint(`send:before:${method}`);
      try {
        const { status, text, fault } = await exchange({
          dispatcher: agent,
          clock,
          method: "POST",
          url: address,
          headers: init.headers ?? {},
          body,
          // The client's own timeout ends an upload.
          timeoutMs: typeof body !== "string" ? undefined : timeoutMs,
          bodyBytesMax: ANSWER_BYTES_MAX,
          signal: init.signal,
        });
        if (fault) throw fault;
        failPoint(`send:after:${method}`);
        return { json: async () => parseAnswer(text, status) };
      } finally {
        if (typeof body !== "string") body.destroy();
      }
    },
    download: (file: TelegramDownload) => downloadFile(files, file),
    async close() {
      await Promise.all([files.destroy(), agent.destroy()]);
    },
  };
}

/** Thrown for an answer not written by the Bot API, such as the page of a proxy. */
export class UnreadableAnswerError extends Error {
  override readonly name = "UnreadableAnswerError";
  constructor(readonly status: number) {
    super(`not JSON: HTTP ${status}`);
  }
}

/** Parses an answer. Throws UnreadableAnswerError, except for a proxy's 413, which judges the call itself. */
function parseAnswer(text: string, status: number): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    if (status === 413) return { ok: false, error_code: 413, description: "Request Entity Too Large" };
    throw new UnreadableAnswerError(status);
  }
}

/** Neither follows a link nor waits for the other end of a pipe. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a file of a Bot API server in local mode, by the path that its getFile told.
 * @returns undefined where this process cannot read it, such as one of another machine
 * @throws TelegramDownloadError for one that is too large, also through the stream
 */
export async function openLocalFile(path: string, bytesMax: number): Promise<Readable | undefined> {
  if (!isAbsolute(path) || normalize(path) !== path) return undefined;
  const handle = await open(path, FLAGS).catch(() => undefined);
  if (!handle) return undefined;
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new TelegramDownloadError("gone");
    if (stats.size > bytesMax) throw new TelegramDownloadError("too_large");
    return boundedDownload(handle.createReadStream(), bytesMax);
  } catch (error) {
    await handle.close();
    throw error instanceof TelegramDownloadError ? error : new TelegramDownloadError("gone");
  }
}

/** Telegram's limit for downloads by a bot. */
export const FILE_BYTES_MAX = 20 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

export class TelegramFiles {
  readonly #token: string;

  /** @param isLocal whether the server is one's own in local mode */
  constructor(
    private readonly api: Pick<Api, "getFile">,
    private readonly connections: Pick<TelegramConnections, "download">,
    private readonly apiRoot: string,
    token: string,
    private readonly isLocal: boolean,
  ) {
    this.#token = token;
  }

  /** Opens a file. Throws TelegramDownloadError, also through the stream. */
  async open(fileId: string): Promise<Readable> {
    const told = await this.#pathOf(fileId);
    const onDisk = this.isLocal ? await openLocalFile(told, FILE_BYTES_MAX) : undefined;
    if (onDisk) return onDisk;
    // A web server in front of a server in local mode has a file below the folder of the bot, as without local mode.
    const below = this.isLocal ? told.split(`/${this.#token}/`, 2)[1] : told;
    const filePath = below ?? told.replace(/^\/+/, "");
    const { origin, pathname } = new URL(`${this.apiRoot}/file/bot${this.#token}/`);
    const path = pathname + filePath.split("/").map(encodeURIComponent).join("/");
    return this.connections.download({ origin, path, timeoutMs: TIMEOUT_MS, bytesMax: FILE_BYTES_MAX });
  }

  async #pathOf(fileId: string): Promise<string> {
    try {
      const { file_path } = await this.api.getFile(fileId);
      if (file_path === undefined) throw new TelegramDownloadError("gone");
      return file_path;
    } catch (error) {
      if (error instanceof HttpError) throw new TelegramDownloadError("unreachable");
      if (!(error instanceof GrammyError)) throw error;
      if (/file is too big/.test(error.description)) throw new TelegramDownloadError("too_large");
      throw new TelegramDownloadError(error.error_code === 400 ? "gone" : "unreachable");
    }
  }
}
