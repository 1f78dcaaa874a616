import type { GenerationTask, Outcome } from "../../../ports/provider.js";
import type { Attempt } from "./attempt.js";

/** `again`: nothing was made, as a look-up has proved. */
export type RunEnd = Outcome | "again";

/** A job that waits for its attempt. */
export class Run {
  readonly task: GenerationTask;
  /** Ends the waiting; what was sent goes on. */
  readonly signal: AbortSignal;
  attempt: Attempt;
  readonly ended: Promise<RunEnd>;
  /** Tries to fetch its files. */
  fetches = 0;
  #isSent: boolean;
  #hasEnded = false;
  #resolve: (end: RunEnd) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  /** @param onSent called when its attempt is about to be sent, and need not wait */
  constructor(
    task: GenerationTask,
    attempt: Attempt,
    signal: AbortSignal,
    private readonly onSent: () => void = () => {},
  ) {
    this.#isSent = attempt.state !== "planned";
    this.task = task;
    this.attempt = attempt;
    this.signal = signal;
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
    this.onSent();
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
