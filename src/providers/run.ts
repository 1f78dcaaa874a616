import type { OnQueue, Outcome, UpstreamTask } from "../jobs/provider.js";
import type { PauseReason } from "../ports/operator-notices.js";
import type { ProbeOutcome, UpstreamAdapter } from "./adapter.js";
import type { Attempt } from "./attempt-store.js";
import type { ServiceCalls } from "./service-calls.js";

/** End of a run. `again`: nothing was made, as a look-up has proved. */
export type RunEnd = Outcome | "again";

interface RunListeners {
  onQueue: OnQueue;
  /** Called when its attempt is about to be sent, and need not wait. */
  onSent: () => void;
  onDoubt: () => void;
  onFound: () => void;
}

/** A job that waits for its attempt. */
export class Run {
  readonly task: UpstreamTask;
  readonly signal: AbortSignal;
  attempt: Attempt;
  readonly onQueue: OnQueue;
  readonly ended: Promise<RunEnd>;
  fetches = 0;
  readonly onDoubt: () => void;
  readonly onFound: () => void;
  readonly #onSent: () => void;
  #isSent: boolean;
  #hasEnded = false;
  #resolve: (end: RunEnd) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(
    task: UpstreamTask,
    attempt: Attempt,
    signal: AbortSignal,
    { onQueue, onSent, onDoubt, onFound }: RunListeners,
  ) {
    this.#isSent = attempt.state !== "planned";
    this.#onSent = onSent;
    this.onDoubt = onDoubt;
    this.onFound = onFound;
    this.task = task;
    this.attempt = attempt;
    this.signal = signal;
    this.onQueue = onQueue;
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.ended.catch(() => {});
  }

  get isSent(): boolean {
    return this.#isSent;
  }

  noteSent(): void {
    if (this.#isSent || this.signal.aborted) return;
    this.#isSent = true;
    this.#onSent();
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  end(end: RunEnd): void {
    this.#hasEnded = true;
    this.#resolve(end);
  }

  fail(error: unknown): void {
    this.#hasEnded = true;
    this.#reject(error);
  }
}

export class Runs {
  readonly #byAttempt = new Map<number, Run>();

  of(attemptId: number): Run | undefined {
    return this.#byAttempt.get(attemptId);
  }

  countAccepted(): number {
    let count = 0;
    for (const { attempt } of this.#byAttempt.values()) if (attempt.state === "accepted") count += 1;
    return count;
  }

  add(run: Run): void {
    this.#byAttempt.set(run.attempt.id, run);
  }

  /** Does nothing where another run has taken its place. */
  remove(run: Run): void {
    if (this.#byAttempt.get(run.attempt.id) === run) this.#byAttempt.delete(run.attempt.id);
  }
}

/**
 * Tells why the account is kept from tasks, by a call without words of anybody; undefined where that is not refused, so
 * that what was refused before was one request. Never rejects.
 */
export async function accountReason(
  adapter: Pick<UpstreamAdapter, "probe" | "readProbe">,
  calls: Pick<ServiceCalls, "ask">,
  suspected: PauseReason,
): Promise<PauseReason | undefined> {
  const outcome = await probe(adapter, calls, suspected);
  return outcome.kind === "paused" ? outcome.reason : undefined;
}

/** Asks, for free, whether the service takes tasks again. Never rejects. */
export async function probe(
  adapter: Pick<UpstreamAdapter, "probe" | "readProbe">,
  calls: Pick<ServiceCalls, "ask">,
  reason: PauseReason,
): Promise<ProbeOutcome> {
  const call = adapter.probe?.();
  if (!call || !adapter.readProbe) return { kind: "glitch" };
  try {
    const answer = await calls.ask(call);
    return answer.fault ? { kind: "glitch" } : adapter.readProbe(answer, reason);
  } catch {
    return { kind: "glitch" };
  }
}
