import { setMaxListeners } from "node:events";
import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { UpstreamFile } from "../../../mapping/operation.js";
import type { Clock } from "../../../platform/clock.js";
import { type AgentOptions, type OutgoingAgent, openAgent } from "../../../platform/outgoing-agent.js";
import { isPublicAddress } from "../../../platform/public-address.js";
import { Slots } from "../../../platform/slots.js";
import { MINUTE_MS } from "../../../platform/units.js";
import type { GeneratedFile } from "../../../ports/provider.js";
import type { FileTask } from "../../../workers/prepare-file.js";
import type { FileHosts } from "./file-hosts.js";
import type { FileInspector } from "./file-inspector.js";
import { OutputError } from "./output-error.js";
import { BYTES_MAX, saveFile } from "./save-file.js";

export interface OutputFetcherOptions extends FileHosts {
  /** Headers with the key, for software of the operator that wants it: sent to the root, and to no other address. */
  rootHeaders?: Readonly<Record<string, string>> | undefined;
  inspector: Pick<FileInspector, "prepare">;
  clock: Clock;
  agent?: AgentOptions | undefined;
}

/** Limits the download of one file. Waiting for the converter does not count. */
const DOWNLOAD_MAX_MS = 15 * MINUTE_MS;
/** Limits the downloads of one task at a time. */
const DOWNLOADS_MAX = 4;

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
    const failure = new AbortController();
    const ending = AbortSignal.any([signal, failure.signal]);
    setMaxListeners(0, ending);
    const downloads = new Slots(this.#options.clock, { size: DOWNLOADS_MAX });
    const fetches = files.map(async (file, index) => {
      try {
        const path = join(directory, `${name}-${index}`);
        return await this.#fetchOne(file, path, { account, downloads, signal: ending, startFrame });
      } catch (error) {
        failure.abort(error);
        throw error;
      }
    });
    await Promise.allSettled(fetches);
    failure.signal.throwIfAborted();
    return (await Promise.all(fetches)).flat();
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
      // It may have been cut on the way: the next try downloads it anew.
      if (!isWhole) await rm(path, { force: true });
      throw error;
    }
  }

  async #download(
    kind: FileTask["kind"],
    source: UpstreamFile["source"],
    path: string,
    { downloads, signal }: Fetch,
  ): Promise<boolean> {
    const { clock, fileHosts, root, rootHeaders } = this.#options;
    const hosts = { agent: this.#agent, clock, fileHosts, root, rootHeaders };
    const bytesMax = BYTES_MAX[kind === "cover" ? "image" : kind];
    const slot = await downloads.acquire(signal);
    const late = new AbortController();
    const cancel = clock.after(DOWNLOAD_MAX_MS, () => late.abort(new OutputError("unreachable")));
    try {
      const part = `${path}.part`;
      const terms = { path: part, bytesMax, signal: AbortSignal.any([signal, late.signal]) };
      const isWhole = await saveFile(hosts, source, terms);
      await rename(part, path);
      return isWhole;
    } finally {
      cancel();
      slot.release();
    }
  }
}
