import type { Json } from "./params.js";

/** One request to the Bot API and what became of it. */
export interface LoggedCall {
  readonly method: string;
  readonly params: Json;
  /** Names of the file parts and their sizes in bytes. */
  readonly uploads: Readonly<Record<string, number>>;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  endedAtMs?: number;
  /** The HTTP status of the answer; absent while it runs and when the connection was broken. */
  status?: number;
  result?: unknown;
  error?: string;
}

const CALLS_KEPT_MAX = 20_000;

/** The latest requests in the order they came, for tests to look at and to wait for. */
export class CallLog {
  readonly list: LoggedCall[] = [];
  readonly #listeners = new Set<(call: LoggedCall) => void>();

  begin(call: LoggedCall): LoggedCall {
    this.list.push(call);
    if (this.list.length > CALLS_KEPT_MAX) this.list.splice(0, CALLS_KEPT_MAX / 2);
    return call;
  }

  end(call: LoggedCall, outcome: Pick<LoggedCall, "status" | "result" | "error">, atMs: number): void {
    Object.assign(call, outcome, { endedAtMs: atMs });
    for (const listener of [...this.#listeners]) listener(call);
  }

  /** Calls `listener` with every call that ended until the returned function is called. */
  onEnd(listener: (call: LoggedCall) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
