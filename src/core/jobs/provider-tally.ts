import type { Failure } from "../../contract/job.js";

export type JobOutcome = "done" | Failure;

/** How the jobs of a provider ended since the process began. */
export interface ProviderEnds {
  outcomes: Map<JobOutcome, number>;
  /** How long they waited and ran together, in ms. */
  waitMs: number;
  runMs: number;
}

interface EndedJob {
  provider: string;
  created_at: number;
  started_at: number | null;
}

/** Counts how jobs end, and sums how long they took, by provider. */
export class ProviderTally {
  readonly #ends = new Map<string, ProviderEnds>();

  get ends(): ReadonlyMap<string, ProviderEnds> {
    return this.#ends;
  }

  /** @param endedAt in ms since the epoch */
  note({ provider, created_at, started_at }: EndedJob, outcome: JobOutcome, endedAt: number): void {
    const ends = this.#ends.get(provider) ?? { outcomes: new Map(), waitMs: 0, runMs: 0 };
    this.#ends.set(provider, ends);
    const startedAt = started_at ?? endedAt;
    ends.outcomes.set(outcome, (ends.outcomes.get(outcome) ?? 0) + 1);
    ends.waitMs += Math.max(0, startedAt - created_at);
    ends.runMs += Math.max(0, endedAt - startedAt);
  }
}
