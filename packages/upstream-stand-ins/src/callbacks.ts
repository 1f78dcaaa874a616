import type { Json } from "./call.js";
import type { CancelTimer } from "./clock.js";
import type { Dialect } from "./dialect.js";
import type { FaultName } from "./faults.js";
import type { UpstreamState } from "./state.js";
import { phaseOf, type Task } from "./task.js";

const DEADLINE_MS = 15_000;
const LATE_MS = 120_000;
/** A timer may fire a little before the task has ended by the wall clock. */
const TIMER_MARGIN_MS = 5;
const LOCAL_HOSTS: ReadonlySet<string> = new Set(["127.0.0.1", "localhost"]);

interface Due {
  dialect: Dialect;
  task: Task;
  root: string;
  times: number;
  /** Delay after the end of the task. */
  lateMs: number;
  cancel: CancelTimer;
}

/** Sends a callback, in the way of a service: JSON in a POST. Its answer decides nothing. */
export type PostCallback = (url: string, body: string, signal: AbortSignal) => Promise<unknown>;

/**
 * Tells clients of the ends of their tasks, at the address that came with the submit and nowhere else. Nobody depends on
 * it.
 */
export class Callbacks {
  readonly #due = new Set<Due>();
  readonly #stop: () => void;
  readonly #closing = new AbortController();

  constructor(
    private readonly state: UpstreamState,
    private readonly post: PostCallback = postLocally,
  ) {
    this.#stop = state.calls.onChange(() => this.#flush());
  }

  /** Resolves when the submit may be answered. */
  async expect(
    dialect: Dialect,
    task: Task,
    root: string,
    faults: ReadonlyMap<FaultName, number>,
  ): Promise<void> {
    if (task.callbackUrl === undefined || !dialect.callback || faults.has("callback-lost")) return;
    const first = dialect.callback(task, root);
    if (faults.has("callback-early")) void this.#post(task, first);
    if (faults.has("callback-forged")) void this.#post(task, forged(first));
    if (faults.has("callback-first")) return this.#post(task, first);
    const lateMs = faults.has("callback-late") ? LATE_MS : 0;
    const delayMs = task.queueMs + task.runMs + lateMs + TIMER_MARGIN_MS;
    const cancel = this.state.options.clock.after(delayMs, () => this.#flush());
    this.#due.add({ dialect, task, root, times: faults.has("callback-twice") ? 2 : 1, lateMs, cancel });
  }

  close(): void {
    this.#stop();
    this.#closing.abort();
    for (const { cancel } of this.#due) cancel();
    this.#due.clear();
  }

  #flush(): void {
    const now = this.state.time.now();
    for (const due of [...this.#due]) {
      const { dialect, task, root, times, lateMs, cancel } = due;
      if (phaseOf(task, now - lateMs).kind !== "ended") continue;
      this.#due.delete(due);
      cancel();
      for (let sent = 0; sent < times; sent++) void this.#post(task, dialect.callback?.(task, root) ?? {});
    }
  }

  async #post({ callbackUrl = "" }: Task, body: Json): Promise<void> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(DEADLINE_MS)]);
    await this.post(callbackUrl, JSON.stringify(body), signal).catch(() => {});
  }
}

/** Nothing leaves this machine. */
async function postLocally(url: string, body: string, signal: AbortSignal): Promise<void> {
  if (!URL.canParse(url) || !LOCAL_HOSTS.has(new URL(url).hostname)) return;
  await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body, signal });
}

/** The same words with the files of somebody else. */
function forged(body: Json): Json {
  const text = JSON.stringify(body).replaceAll(
    /https?:\/\/[^"\\]+/g,
    "https://files.example.invalid/forged.png",
  );
  return JSON.parse(text) as Json;
}
