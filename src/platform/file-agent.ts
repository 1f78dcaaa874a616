import { request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";
import { finished } from "node:stream";
import { type ConnectionOptions, FileConnections } from "./file-connections.js";
import { type Slot, Slots } from "./slots.js";
import { type StreamedAnswer, streamedGet } from "./streamed-get.js";

export interface FileAgentOptions extends ConnectionOptions {
  /** Requests at once per origin. */
  connections?: number;
}

export interface FileRequest {
  origin: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  /** Applies until the body has ended. */
  signal?: AbortSignal | undefined;
}

/** GETs of files, which are streamed as fast as they are read. Must be closed. */
export interface FileAgent {
  /** Follows no redirect and decompresses nothing. Rejects when there is no status line. */
  get(request: FileRequest): Promise<StreamedAnswer>;
  /** Ends all requests. */
  close(): void;
}

/**
 * Uses Node's own client, since undici 7 throws outside of any promise when a connection ends while a reader lags
 * behind (docs/adr/0010). Only the time to connect is limited here.
 */
export function openFileAgent(options: FileAgentOptions): FileAgent {
  const connections = new FileConnections(options);
  const slots = new OriginSlots(options);
  const open = new Set<() => void>();
  let isClosed = false;
  return {
    async get({ origin, path, headers = {}, signal }) {
      const ending = new AbortController();
      const end = () => ending.abort(new Error("the request was ended"));
      let slot: Slot | undefined;
      const release = () => {
        open.delete(end);
        signal?.removeEventListener("abort", end);
        slot?.release();
      };
      open.add(end);
      signal?.addEventListener("abort", end, { once: true });
      if (isClosed || signal?.aborted) end();
      try {
        slot = await slots.acquire(origin, ending.signal);
        const url = new URL(origin);
        const send = url.protocol === "https:" ? requestTls : requestPlain;
        const request = send(url, { path, headers, agent: connections.agentFor(url) });
        const answer = await streamedGet(request, ending.signal);
        finished(answer.body, release);
        return answer;
      } catch (error) {
        release();
        throw error;
      }
    },
    close() {
      isClosed = true;
      for (const end of open) end();
      connections.close();
    },
  };
}

/** The agents of Node count a connection through a proxy only when it is made. */
class OriginSlots {
  readonly #options: FileAgentOptions;
  readonly #origins = new Map<string, Slots>();

  constructor(options: FileAgentOptions) {
    this.#options = options;
  }

  async acquire(origin: string, signal: AbortSignal): Promise<Slot> {
    signal.throwIfAborted();
    const { clock, connections: size = Number.POSITIVE_INFINITY } = this.#options;
    const known = this.#origins.get(origin);
    const slots = known ?? new Slots(clock, { size }, () => this.#forget(origin));
    this.#origins.set(origin, slots);
    return slots.acquire(signal);
  }

  #forget(origin: string): void {
    if (this.#origins.get(origin)?.held === 0) this.#origins.delete(origin);
  }
}
