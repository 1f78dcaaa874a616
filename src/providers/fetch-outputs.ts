import { createWriteStream, existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { UpstreamFile } from "../catalogue/operation.js";
import { asStorageError, StorageUnavailable } from "../media/disk.js";
import type { Clock } from "../platform/clock.js";
import { isPublicAddress, isPublicHost } from "../platform/guarded-fetch.js";
import { type AgentOptions, type OutgoingAgent, openAgent } from "../platform/outgoing-agent.js";
import { mapTogether, Slots } from "../platform/slots.js";
import { MEGABYTE, MINUTE_MS } from "../platform/units.js";
import { type Download, DownloadError, type DownloadFault, openDownload } from "../transfer/file-request.js";
import type { FileTask } from "../workers/prepare-file.js";
import type { GeneratedFile } from "../workers/worker-pool.js";
import { type FileInspector, OutputError, type OutputFault } from "./file-inspector.js";

const BYTES_MAX: Readonly<Record<UpstreamFile["kind"], number>> = {
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

export interface OutputFetcherOptions extends FileHosts {
  /** Headers with the key, for software of the operator that wants it: sent to the root, and to no other address. */
  rootHeaders?: Readonly<Record<string, string>> | undefined;
  inspector: Pick<FileInspector, "prepare">;
  clock: Clock;
  agent?: AgentOptions | undefined;
}

/** Limits the download of one file. Waiting for the converter does not count. */
const DOWNLOAD_MAX_MS = 15 * MINUTE_MS;
const DOWNLOADS_MAX = 4;
/** Least rate of a host. One that drips would hold its job for hours: each of its fetches as long as a download may take. */
const BYTES_PER_SEC_MIN = 4 * 1024;

export interface FetchTerms {
  /** Account whose files take turns with those of others at the converter. */
  account?: number;
  /** Prefix of file names: files of another attempt in the same directory are not taken for its own. */
  name?: string;
  /** Picture that a video begins with, on this machine: its cover where the service gives none. */
  startFrame?: string | undefined;
}

interface Fetch extends Pick<FetchTerms, "startFrame"> {
  account: number;
  signal: AbortSignal;
  downloads: Slots;
}

/** Fetches the results of one service's tasks. It sends no key to hosts of files. */
export class OutputFetcher {
  /** Has the key, and the password of a proxy. */
  readonly #options: OutputFetcherOptions;
  readonly #agent: OutgoingAgent;

  constructor(options: OutputFetcherOptions) {
    this.#options = options;
    const { agent, fileHosts, root } = options;
    // Any host may be named: a public name must not lead into the operator's own network, save to the own root.
    const isAllowedAddress = (name: string, address: string) =>
      name === root?.hostname || isPublicAddress(address);
    this.#agent = openAgent({ ...agent, ...(fileHosts.includes("*") && { isAllowedAddress }) });
  }

  /**
   * Writes the files into `directory` and judges them by their bytes. A cover follows its track or video; one that
   * cannot be had is omitted. A repeated call does not download again what is there.
   * @throws OutputError of the first file that failed; nothing writes into `directory` then
   */
  async fetch(
    files: readonly UpstreamFile[],
    directory: string,
    signal: AbortSignal,
    { account = 0, name = "output", startFrame }: FetchTerms = {},
  ): Promise<readonly GeneratedFile[]> {
    const downloads = new Slots(this.#options.clock, { size: DOWNLOADS_MAX });
    const fetched = await mapTogether(files, signal, (file, index, ending) => {
      const path = join(directory, `${name}-${index}`);
      return this.#fetchOne(file, path, { account, downloads, signal: ending, startFrame });
    });
    return fetched.flat();
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #fetchOne(file: UpstreamFile, path: string, fetch: Fetch): Promise<GeneratedFile[]> {
    const made = await this.#take(file.kind, file.source, path, fetch);
    const { durationSec = file.durationSec } = made;
    const track: GeneratedFile = {
      ...made,
      ...(durationSec !== undefined && { durationSec }),
      ...(file.title !== undefined && { title: file.title }),
    };
    const cover = made.mime.startsWith("image/") ? undefined : await this.#cover(file, path, fetch);
    return cover ? [track, cover] : [track];
  }

  async #cover(
    { kind, coverUrl }: UpstreamFile,
    path: string,
    fetch: Fetch,
  ): Promise<GeneratedFile | undefined> {
    const { startFrame, signal, account } = fetch;
    try {
      if (coverUrl !== undefined) return await this.#take("cover", { url: coverUrl }, `${path}-cover`, fetch);
      if (kind !== "video" || startFrame === undefined) return undefined;
      const target = `${path}-cover.jpg`;
      const task = { kind: "cover", source: startFrame, target, isWhole: true } as const;
      return await this.#options.inspector.prepare(task, signal, account);
    } catch (error) {
      const isMissing = error instanceof OutputError && error.fault !== "storage" && !signal.aborted;
      if (isMissing) return undefined;
      throw error;
    }
  }

  async #take(
    kind: FileTask["kind"],
    source: UpstreamFile["source"],
    path: string,
    fetch: Fetch,
  ): Promise<GeneratedFile> {
    const isWhole = existsSync(path) || (await this.#download(kind, source, path, fetch));
    const target = `${path}.${kind === "cover" ? "jpg" : "webp"}`;
    const task = { kind, source: path, target, isWhole };
    try {
      return await this.#options.inspector.prepare(task, fetch.signal, fetch.account);
    } catch (error) {
      // It may have been cut on the way, or be a page in its place: the next try downloads it anew.
      const isMedia = !(error instanceof OutputError && error.fault === "not_media");
      if (!isWhole || !isMedia) await rm(path, { force: true });
      throw error;
    }
  }

  /**
   * Writes a result's bytes to `path`. A broken download goes on. Throws OutputError.
   * @returns true where the end of the file is proven: nothing can have been cut off on the way
   */
  async #download(
    kind: FileTask["kind"],
    source: UpstreamFile["source"],
    path: string,
    { downloads, signal }: Fetch,
  ): Promise<boolean> {
    const { clock } = this.#options;
    const bytesMax = BYTES_MAX[kind === "cover" ? "image" : kind];
    const slot = await downloads.acquire(signal);
    const late = new AbortController();
    const cancel = clock.after(DOWNLOAD_MAX_MS, () => late.abort(new OutputError("unreachable")));
    try {
      const part = `${path}.part`;
      const { stream, isEndTold } = await this.#open(
        source,
        bytesMax,
        AbortSignal.any([signal, late.signal]),
      );
      await pipeline(stream, createWriteStream(part));
      await rename(part, path);
      return isEndTold;
    } catch (cause) {
      if (cause instanceof OutputError) throw cause;
      if (cause instanceof DownloadError) throw new OutputError(FAULTS[cause.fault], { cause });
      const isStorage = asStorageError(cause) instanceof StorageUnavailable;
      throw new OutputError(isStorage ? "storage" : "unreachable", { cause });
    } finally {
      cancel();
      slot.release();
    }
  }

  async #open(
    source: UpstreamFile["source"],
    bytesMax: number,
    signal: AbortSignal,
  ): Promise<Pick<Download, "stream" | "isEndTold">> {
    const { clock, root, rootHeaders = {} } = this.#options;
    const text = "base64" in source ? source.base64 : source.url;
    const [head] = DATA_PREFIXES.exec(text) ?? [];
    if (head || "base64" in source)
      return { stream: Readable.from(decoded(text, head?.length ?? 0, bytesMax)), isEndTold: true };
    return openDownload({
      agent: this.#agent,
      clock,
      // Software of the operator names its files by a path on its own address.
      freshLink: async () => (root && /^\/[^/\\]/.test(text) ? new URL(text, root).href : text),
      headersFor: (url) => (url.origin === root?.origin ? rootHeaders : {}),
      isHttpAllowed: root?.protocol === "http:",
      isAllowedUrl: (url) => isFileAddress(url, this.#options),
      bytesMax,
      bytesPerSecMin: BYTES_PER_SEC_MIN,
      signal,
    });
  }
}

export interface FileHosts {
  /** Hosts with their subdomains, over https on its own port. `*`: any public host. */
  fileHosts: readonly string[];
  /** Root of the operator: its host is allowed on any port, and over http where this is http. */
  root: URL | undefined;
}

export function isFileAddress(url: URL, { fileHosts, root }: FileHosts): boolean {
  if (url.username !== "" || url.password !== "") return false;
  if (root && url.hostname === root.hostname)
    return url.protocol === "https:" || (url.protocol === "http:" && root.protocol === "http:");
  const name = url.hostname.replace(/\.$/, "");
  const isListed = fileHosts.some((host) =>
    host === "*" ? isPublicHost(name) : name === host || name.endsWith(`.${host}`),
  );
  return isListed && url.protocol === "https:" && url.port === "";
}
