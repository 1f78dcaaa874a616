import type { Clock } from "./clock.js";

/** How long a task takes, in ms. */
export interface Timing {
  /** Time until it leaves the queue. */
  queueMs: number;
  /** Time from there to its end. */
  runMs: number;
}

/** The time of the services: that of a clock, and what was skipped. */
export class ServiceTime {
  constructor(
    private readonly clock: Clock,
    private skippedMs: number,
    private readonly onSkip: (skippedMs: number) => void,
  ) {}

  now(): number {
    return this.clock.now() + this.skippedMs;
  }

  /** Moves all tasks on. */
  skip(ms: number): void {
    this.skippedMs += ms;
    this.onSkip(this.skippedMs);
  }
}
