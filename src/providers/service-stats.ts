import type { PollFacts } from "../platform/poller.js";
import { SECOND_MS } from "../platform/units.js";

export const CALLBACK_OUTCOMES = ["asked", "repeated", "over", "unknown", "limited"] as const;
export type CallbackOutcome = (typeof CALLBACK_OUTCOMES)[number];

/** Counts what one service did since the process began. */
export class ServiceStats {
  readonly submits = new Map<string, number>();
  readonly ends = new Map<string, number>();
  readonly polls: Record<PollFacts["kind"], number> = { open: 0, ended: 0, throttled: 0, failed: 0 };
  readonly callbacks = new Map<CallbackOutcome, number>();
  submitMs = 0;
  pollLatenessMs = 0;
  /** Counts polls that began more than a second later than due. */
  latePolls = 0;

  noteSubmit(outcome: string, durationMs: number): void {
    this.submits.set(outcome, (this.submits.get(outcome) ?? 0) + 1);
    this.submitMs += durationMs;
  }

  noteEnd(end: string): void {
    this.ends.set(end, (this.ends.get(end) ?? 0) + 1);
  }

  noteCallback(outcome: CallbackOutcome): void {
    this.callbacks.set(outcome, (this.callbacks.get(outcome) ?? 0) + 1);
  }

  notePoll({ kind, latenessMs }: PollFacts): void {
    this.polls[kind] += 1;
    this.pollLatenessMs += latenessMs;
    if (latenessMs > SECOND_MS) this.latePolls += 1;
  }
}
