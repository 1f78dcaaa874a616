import { setMaxListeners } from "node:events";
import { join } from "node:path";
import type { Clock } from "../../../platform/clock.js";
import { type AgentOptions, type OutgoingAgent, openAgent } from "../../../platform/outgoing-agent.js";
import { MINUTE_MS } from "../../../platform/units.js";
import type { GeneratedFile } from "../../../ports/provider.js";
import type { UpstreamFile } from "../../../routes/operation.js";
import type { FileHosts } from "./file-hosts.js";
import type { FileInspector } from "./file-inspector.js";
import { OutputError } from "./output-error.js";
import type { FileTask } from "./prepare-file.js";
import { BYTES_MAX, saveFile } from "./save-file.js";

export interface OutputFetcherOptions extends FileHosts {
  /** With the key, for software of the operator that wants it: sent to the root, and to no other address. */
  rootHeaders?: Readonly<Record<string, string>> | undefined;
  inspector: Pick<FileInspector, "prepare">;
  clock: Clock;
  agent?: AgentOptions | undefined;
}

/** For all files of a task together. */
const FETCH_MAX_MS = 15 * MINUTE_MS;

/** Fetches the results of one service's tasks. It sends no key to hosts of files. */
export class OutputFetcher {
  readonly #options: OutputFetcherOptions;
  readonly #agent: OutgoingAgent;

  constructor(options: OutputFetcherOptions) {
    this.#options = options;
    this.#agent = openAgent(options.agent ?? {});
  }

  /**
   * Writes the files into `directory` and judges them by their bytes. A cover follows its track; one that cannot be
   * had is omitted. May be called again for the same directory.
   * @throws OutputError of the first file that failed; nothing writes into `directory` then
   */
  async fetch(
    files: readonly UpstreamFile[],
    directory: string,
    signal: AbortSignal,
  ): Promise<readonly GeneratedFile[]> {
    const { clock } = this.#options;
    const failure = new AbortController();
    const cancel = clock.after(FETCH_MAX_MS, () => failure.abort(new OutputError("unreachable")));
    const ending = AbortSignal.any([signal, failure.signal]);
    setMaxListeners(0, ending);
    const fetches = files.map(async (file, index) => {
      try {
        return await this.#fetchOne(file, join(directory, `output-${index}`), ending);
      } catch (error) {
        failure.abort(error);
        throw error;
      }
    });
    await Promise.allSettled(fetches).finally(cancel);
    failure.signal.throwIfAborted();
    return (await Promise.all(fetches)).flat();
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #fetchOne(file: UpstreamFile, path: string, signal: AbortSignal): Promise<GeneratedFile[]> {
    const made = await this.#take(file.kind, file.source, path, signal);
    const { durationSec = file.durationSec } = made;
    const track: GeneratedFile = {
      ...made,
      ...(durationSec !== undefined && { durationSec }),
      ...(file.title !== undefined && { title: file.title }),
    };
    const cover = file.coverUrl === undefined ? undefined : await this.#cover(file.coverUrl, path, signal);
    return cover ? [track, cover] : [track];
  }

  async #cover(url: string, path: string, signal: AbortSignal): Promise<GeneratedFile | undefined> {
    try {
      return await this.#take("cover", { url }, `${path}-cover`, signal);
    } catch (error) {
      // The song was paid for, and is whole without it.
      const isMissing = error instanceof OutputError && error.fault !== "storage" && !signal.aborted;
      if (isMissing) return undefined;
      throw error;
    }
  }

  async #take(
    kind: FileTask["kind"],
    source: UpstreamFile["source"],
    path: string,
    signal: AbortSignal,
  ): Promise<GeneratedFile> {
    const { clock, fileHosts, root, rootHeaders, inspector } = this.#options;
    const hosts = { agent: this.#agent, clock, fileHosts, root, rootHeaders };
    const bytesMax = BYTES_MAX[kind === "cover" ? "image" : kind];
    await saveFile(hosts, source, { path, bytesMax, signal });
    const target = `${path}.${kind === "cover" ? "jpg" : "webp"}`;
    return inspector.prepare({ kind, source: path, target }, signal);
  }
}
