import { Readable } from "node:stream";
import { type Clock, sleep } from "../platform/clock.js";
import { type FileAnswer, getFile } from "../platform/http-exchange.js";
import type { OutgoingAgent } from "../platform/outgoing-agent.js";
import { backOffMs } from "../platform/retry.js";

/** `expired`: the link is no longer accepted; `changed`: the rest is of another file. */
export type DownloadFault = "unreachable" | "expired" | "gone" | "too_large" | "changed" | "forbidden_link";

/** A failed download. The message never contains the link: it gives access to the file. */
export class DownloadError extends Error {
  override readonly name = "DownloadError";
  constructor(
    readonly fault: DownloadFault,
    cause?: unknown,
  ) {
    super(`result not downloaded: ${fault}`, { cause });
  }
}

export interface DownloadOptions {
  agent: OutgoingAgent;
  clock: Clock;
  /** Asks the service for a current link, before each request. Null when there is none. */
  freshLink: () => Promise<string | null>;
  /** True only if the service itself is called over http. */
  isHttpAllowed: boolean;
  /** Judges each address, of redirects too. By default every host is allowed. */
  isAllowedUrl?: (url: URL) => boolean;
  /** Returns headers for an address, such as a key for the service's own. */
  headersFor?: ((url: URL) => Readonly<Record<string, string>>) | undefined;
  bytesMax: number;
  /** The most requests in a row whose link had expired, by default two. The first repeat waits for nothing. */
  expiredMax?: number;
  /** The least rate of a host that is waited for, after its first seconds. By default any is enough. */
  bytesPerSecMin?: number;
  signal?: AbortSignal;
}

interface FilePart {
  /** The size of the whole file in bytes. */
  total: number | undefined;
  mime: string | undefined;
  etag: string | undefined;
  /** See `Download`. */
  isEndTold: boolean;
  /** False where the host ignores the offset: then `chunks` reads up to it in vain. */
  isPartial: boolean;
  /** Yields the bytes. Fails with DownloadError. */
  chunks(): AsyncGenerator<Uint8Array>;
  close(): void;
}

/** Milliseconds without a byte or a response. */
const SILENCE_MAX_MS = 20_000;
/** Milliseconds that a host has in all before its rate counts. */
const GRACE_MS = 20_000;
const REDIRECTS_MAX = 5;
const EXPIRED_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 404, 410]);

/** Requests the bytes of a file from `offset`. Throws DownloadError. `first`: the response that began the file. */
export async function requestPart(
  options: DownloadOptions,
  offset: number,
  first: FilePart | undefined,
): Promise<FilePart> {
  const link = await options.freshLink();
  if (link === null) throw new DownloadError("gone");
  const answer = await follow(options, link, offset);
  try {
    return partOf(options, answer, offset, first);
  } catch (error) {
    answer.body.destroy();
    throw error;
  }
}

async function follow(options: DownloadOptions, link: string, offset: number): Promise<FileAnswer> {
  let url = link;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const target = allowedUrl(url, options);
    const answer = await get(options, target, offset);
    const { location } = answer.headers;
    if (answer.status < 300 || answer.status >= 400 || location === undefined) return answer;
    answer.body.destroy();
    url = URL.canParse(location, target.href) ? new URL(location, target.href).href : "";
  }
  throw new DownloadError("gone");
}

function allowedUrl(link: string, { isHttpAllowed, isAllowedUrl = () => true }: DownloadOptions): URL {
  const url = URL.canParse(link) ? new URL(link) : undefined;
  const hasScheme = url?.protocol === "https:" || (url?.protocol === "http:" && isHttpAllowed);
  if (url && hasScheme && isAllowedUrl(url)) return url;
  throw new DownloadError("forbidden_link");
}

async function get(
  { agent, clock, signal, headersFor }: DownloadOptions,
  url: URL,
  offset: number,
): Promise<FileAnswer> {
  const late = new AbortController();
  const cancel = clock.after(SILENCE_MAX_MS, () => late.abort());
  try {
    return await getFile(agent, {
      origin: url.origin,
      path: url.pathname + url.search,
      headers: {
        "accept-encoding": "identity",
        ...headersFor?.(url),
        ...(offset > 0 && { range: `bytes=${offset}-` }),
      },
      signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
    });
  } catch (error) {
    throw new DownloadError("unreachable", error);
  } finally {
    cancel();
  }
}

function partOf(
  options: DownloadOptions,
  answer: FileAnswer,
  offset: number,
  first: FilePart | undefined,
): FilePart {
  const { status, headers, body } = answer;
  if (EXPIRED_STATUSES.has(status)) throw new DownloadError("expired");
  if (status === 429 || status >= 500) throw new DownloadError("unreachable");
  if (status !== 200 && status !== 206) throw new DownloadError("gone");
  const isPartial = status === 206;
  const total = isPartial ? rangeTotal(headers["content-range"], offset) : sizeOf(headers["content-length"]);
  const { etag } = headers;
  if (total !== undefined && total > options.bytesMax) throw new DownloadError("too_large");
  if (first && (first.total !== total || first.etag !== etag)) throw new DownloadError("changed");
  return {
    total,
    mime: headers["content-type"]?.split(";")[0]?.trim().toLowerCase(),
    etag,
    isEndTold: total !== undefined || /chunked/i.test(headers["transfer-encoding"] ?? ""),
    isPartial,
    chunks: () => chunksOf(options, body, isPartial ? 0 : offset),
    close: () => void body.destroy(),
  };
}

/** Yields chunks. `skip`: bytes to discard when the host ignores the range. */
async function* chunksOf(
  { clock, signal }: DownloadOptions,
  body: Readable,
  skip: number,
): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const end = () => void body.destroy(new Error("ended"));
  signal?.addEventListener("abort", end, { once: true });
  let rest = skip;
  try {
    for (;;) {
      const cancel = clock.after(SILENCE_MAX_MS, end);
      const chunk = await chunks.next().finally(cancel);
      if (chunk.done) return;
      const kept = chunk.value.subarray(Math.min(rest, chunk.value.length));
      rest -= chunk.value.length - kept.length;
      if (kept.length > 0) yield kept;
    }
  } catch (error) {
    throw new DownloadError("unreachable", error);
  } finally {
    signal?.removeEventListener("abort", end);
  }
}

function rangeTotal(range: string | undefined, offset: number): number | undefined {
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(range ?? "") ?? [];
  if (Number(start) !== offset) throw new DownloadError("changed");
  return Number(total);
}

function sizeOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

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
  const stream = Readable.from(downloadedChunks(options, first), { objectMode: false });
  stream.once("close", () => first.close());
  return { stream, size: first.total, mime: first.mime, isEndTold: first.isEndTold };
}

async function* downloadedChunks(options: DownloadOptions, first: FilePart): AsyncGenerator<Uint8Array> {
  const { clock, bytesPerSecMin = 0 } = options;
  let part = first;
  let offset = 0;
  let emptyParts = 0;
  // The time while the reader is busy with a chunk is not that of the host.
  let waitedMs = 0;
  const isTooSlow = () => offset < (bytesPerSecMin * (waitedMs - GRACE_MS)) / 1000;
  for (let parts = 1; ; parts += 1) {
    const begin = offset;
    let since = clock.monotonic();
    try {
      for await (const chunk of part.chunks()) {
        waitedMs += clock.monotonic() - since;
        offset += chunk.length;
        if (offset > options.bytesMax) throw new DownloadError("too_large");
        if (isTooSlow()) throw new DownloadError("unreachable");
        yield chunk;
        since = clock.monotonic();
      }
      if (first.total === undefined || offset === first.total) return;
      throw new DownloadError("unreachable");
    } catch (error) {
      emptyParts = offset === begin ? emptyParts + 1 : 0;
      const isOver = emptyParts >= TRIES_MAX || parts >= PARTS_MAX || isTooSlow() || options.signal?.aborted;
      if (isOver || !isTemporary(error)) throw error;
    } finally {
      part.close();
    }
    await sleep(clock, backOffMs(emptyParts + 1, BACK_OFF), options.signal);
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
