import type { CancelTimer } from "../../platform/clock.js";
import type { Dialect } from "./dialect.js";
import type { FaultName } from "./faults/fault-table.js";
import type { Json } from "./json.js";
import type { UpstreamState } from "./state.js";
import { phaseOf, type Task } from "./task.js";

const DEADLINE_MS = 15_000;
const LOCAL_HOSTS: ReadonlySet<string> = new Set(["127.0.0.1", "localhost"]);

interface Due {
  dialect: Dialect;
  task: Task;
  root: string;
  times: number;
  cancel: CancelTimer;
}

/** Tells clients of the ends of their tasks, at addresses of this machine only. Nobody depends on it. */
export class Callbacks {
  readonly #due = new Set<Due>();
  readonly #stop: () => void;
  readonly #closing = new AbortController();

  constructor(private readonly state: UpstreamState) {
    this.#stop = state.calls.onChange(() => this.#flush());
  }

  expect(dialect: Dialect, task: Task, root: string, faults: ReadonlyMap<FaultName, number>): void {
    if (!isLocal(task.callbackUrl) || !dialect.callback) return;
    if (faults.has("callback-early")) void this.#post(task, dialect.callback(task, root));
    if (faults.has("callback-forged")) void this.#post(task, forged(dialect.callback(task, root)));
    const delayMs = task.queueMs + task.runMs;
    const cancel = this.state.options.clock.after(delayMs, () => this.#flush());
    this.#due.add({ dialect, task, root, times: faults.has("callback-twice") ? 2 : 1, cancel });
  }

  close(): void {
    this.#stop();
    this.#closing.abort();
    for (const { cancel } of this.#due) cancel();
    this.#due.clear();
  }

  #flush(): void {
    for (const due of [...this.#due]) {
      const { dialect, task, root, times, cancel } = due;
      if (phaseOf(task, this.state.time.now()).kind !== "ended") continue;
      this.#due.delete(due);
      cancel();
      for (let sent = 0; sent < times; sent++) void this.#post(task, dialect.callback?.(task, root) ?? {});
    }
  }

  async #post({ callbackUrl = "" }: Task, body: Json): Promise<void> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(DEADLINE_MS)]);
    const headers = { "content-type": "application/json" };
    await fetch(callbackUrl, { method: "POST", headers, body: JSON.stringify(body), signal }).catch(() => {});
  }
}

function isLocal(url: string | undefined): boolean {
  return url !== undefined && URL.canParse(url) && LOCAL_HOSTS.has(new URL(url).hostname);
}

/** The same words with the files of somebody else. */
function forged(body: Json): Json {
  const text = JSON.stringify(body).replaceAll(
    /https?:\/\/[^"\\]+/g,
    "https://files.example.invalid/forged.png",
  );
  return JSON.parse(text) as Json;
}
