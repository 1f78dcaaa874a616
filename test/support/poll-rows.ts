import type { PollRow, PollStore } from "../../src/platform/poller.js";
import { SECOND_MS } from "../../src/platform/units.js";

/** Of rows that the clock has left in the future. */
export const POLL_ROWS_PAUSE_MAX_MS = 30 * SECOND_MS;

/** Rows in memory. Those of one due time keep their order. */
export class PollRows implements PollStore<PollRow> {
  readonly rows = new Map<string, PollRow>();
  /** How many rows were read. */
  reads = 0;
  /** Rejects the next writes. */
  failingWrites = 0;

  add(row: PollRow): void {
    this.rows.delete(row.id);
    this.rows.set(row.id, row);
  }

  remove(id: string): void {
    this.rows.delete(id);
  }

  due(now: number, limit: number): PollRow[] {
    const due = [...this.rows.values()].filter(({ dueAt }) => dueAt <= now);
    const first = due.sort((one, other) => one.dueAt - other.dueAt).slice(0, limit);
    this.reads += first.length;
    return first;
  }

  nextDueAfter(now: number): number | undefined {
    let next: number | undefined;
    for (const { dueAt } of this.rows.values()) if (dueAt > now && dueAt < (next ?? dueAt + 1)) next = dueAt;
    return next;
  }

  async postpone(id: string, dueAt: number): Promise<void> {
    if (this.failingWrites > 0) {
      this.failingWrites -= 1;
      throw new Error("disk full");
    }
    const row = this.rows.get(id);
    if (row) this.add({ ...row, dueAt });
  }

  async rewind(now: number): Promise<void> {
    for (const row of [...this.rows.values()]) {
      if (row.since <= now && row.dueAt <= now + POLL_ROWS_PAUSE_MAX_MS) continue;
      this.add({
        ...row,
        since: Math.min(row.since, now),
        dueAt: Math.min(row.dueAt, now + POLL_ROWS_PAUSE_MAX_MS),
      });
    }
  }
}
