import type { Run } from "./run.js";

/** The jobs that wait now, by attempt. */
export class Runs {
  readonly #byAttempt = new Map<number, Run>();

  of(attemptId: number): Run | undefined {
    return this.#byAttempt.get(attemptId);
  }

  /** Tasks that are at the service. */
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
