import type { ServiceName } from "./service-name.js";

/** One request to a service and what became of it. */
export interface LoggedCall {
  service: ServiceName | undefined;
  kind: "submit" | "task" | "upload" | "plain" | "file" | "unknown";
  method: string;
  path: string;
  /** Id of the task that it made or asked for. */
  taskId?: string;
  /** ms since the epoch, by the service's time */
  at: number;
  /** The status that was sent; absent while it runs, and where the connection was cut. */
  status?: number;
}

const CALLS_KEPT_MAX = 200_000;

/** The latest requests, in the order they came. */
export class CallLog {
  readonly list: LoggedCall[] = [];
  readonly #listeners = new Set<() => void>();

  begin(call: LoggedCall): LoggedCall {
    this.list.push(call);
    if (this.list.length > CALLS_KEPT_MAX) this.list.splice(0, CALLS_KEPT_MAX / 2);
    return call;
  }

  /** Tells the listeners: a request was answered, or something else changed. */
  changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
