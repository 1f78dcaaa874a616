import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { UpstreamFile } from "../../../mapping/operation.js";
import { asStorageError } from "../../../media/storage-error.js";
import type { Clock } from "../../../platform/clock.js";
import type { OutgoingAgent } from "../../../platform/outgoing-agent.js";
import { MEGABYTE } from "../../../platform/units.js";
import { StorageUnavailable } from "../../../ports/blob-store.js";
import { type Download, openDownload } from "../../../transfer/download.js";
import { DownloadError, type DownloadFault } from "../../../transfer/file-request.js";
import { type FileHosts, isFileAddress } from "./file-hosts.js";
import { OutputError, type OutputFault } from "./output-error.js";

export interface SaveFileOptions extends FileHosts {
  agent: OutgoingAgent;
  clock: Clock;
  /** Headers that are sent to the operator's root, and to no other address. */
  rootHeaders?: Readonly<Record<string, string>> | undefined;
}

export const BYTES_MAX: Readonly<Record<UpstreamFile["kind"], number>> = {
  image: 64 * MEGABYTE,
  video: 1024 * MEGABYTE,
  audio: 128 * MEGABYTE,
};

const BASE64_CHUNK = 1024 * 1024;
/** Matches prefixes, of which a service may write one more than it should. */
const DATA_PREFIXES = /^(?:data:[^,]{0,200};base64,\s*)+/i;

const FAULTS: Readonly<Record<DownloadFault, OutputFault>> = {
  unreachable: "unreachable",
  changed: "unreachable",
  expired: "expired",
  gone: "expired",
  too_large: "too_large",
  forbidden_link: "forbidden_host",
};

/**
 * Writes a result's bytes to `path`, over what stands there. A broken download goes on. Throws OutputError.
 * @returns true where the end of the file is proven: nothing can have been cut off on the way
 */
export async function saveFile(
  options: SaveFileOptions,
  source: UpstreamFile["source"],
  { path, bytesMax, signal }: { path: string; bytesMax: number; signal: AbortSignal },
): Promise<boolean> {
  try {
    const { stream, isEndTold } = await streamOf(options, source, bytesMax, signal);
    await pipeline(stream, createWriteStream(path));
    return isEndTold;
  } catch (cause) {
    if (cause instanceof OutputError) throw cause;
    if (cause instanceof DownloadError) throw new OutputError(FAULTS[cause.fault], { cause });
    const isStorage = asStorageError(cause) instanceof StorageUnavailable;
    throw new OutputError(isStorage ? "storage" : "unreachable", { cause });
  }
}

async function streamOf(
  { agent, clock, rootHeaders = {}, ...hosts }: SaveFileOptions,
  source: UpstreamFile["source"],
  bytesMax: number,
  signal: AbortSignal,
): Promise<Pick<Download, "stream" | "isEndTold">> {
  const text = "base64" in source ? source.base64 : source.url;
  const [head] = DATA_PREFIXES.exec(text) ?? [];
  if (head || "base64" in source)
    return { stream: Readable.from(decoded(text, head?.length ?? 0, bytesMax)), isEndTold: true };
  return openDownload({
    agent,
    clock,
    freshLink: async () => addressOf(source.url, hosts.root),
    headersFor: (url) => (url.origin === hosts.root?.origin ? rootHeaders : {}),
    isHttpAllowed: hosts.root?.protocol === "http:",
    isAllowedUrl: (url) => isFileAddress(url, hosts),
    bytesMax,
    signal,
  });
}

/** Resolves a path on its own address, by which software of the operator names its files. */
function addressOf(url: string, root: URL | undefined): string {
  return root && /^\/[^/\\]/.test(url) ? new URL(url, root).href : url;
}

/** Decodes in parts, so that a large file does not hold up the event loop. */
async function* decoded(text: string, start: number, bytesMax: number): AsyncGenerator<Buffer> {
  if (((text.length - start) / 4) * 3 > bytesMax + 3) throw new OutputError("too_large");
  // Lines may be broken anywhere, and only multiples of four characters are decoded by themselves.
  let rest = "";
  for (let at = start; at < text.length; at += BASE64_CHUNK) {
    const part = rest + text.slice(at, at + BASE64_CHUNK).replace(/\s+/g, "");
    const end = at + BASE64_CHUNK < text.length ? part.length - (part.length % 4) : part.length;
    rest = part.slice(end);
    yield Buffer.from(part.slice(0, end), "base64");
    await new Promise((resolve) => setImmediate(resolve));
  }
}
