import type { PollRow, PollStore } from "../../src/platform/poller.js";
import { SECOND_MS } from "../../src/platform/units.js";

/** Of rows that the clock has left in the future. */
export const POLL_ROWS_PAUSE_MAX_MS = 30 * SECOND_MS;

/** Rows in memory, ordered by their due time like an index, on which nothing is ever scanned. */
export class PollRows implements PollStore<PollRow> {
  readonly rows = new Map<string, PollRow>();
  /** Due times in order, each with its rows. */
  readonly #times: number[] = [];
  readonly #byTime = new Map<number, Set<string>>();
  /** How many rows were read. */
  reads = 0;
  /** Rejects the next writes. */
  failingWrites = 0;

  add(row: PollRow): void {
    this.rows.set(row.id, row);
    const held = this.#byTime.get(row.dueAt);
    if (held) {
      held.add(row.id);
      return;
    }
    this.#byTime.set(row.dueAt, new Set([row.id]));
    this.#times.splice(this.#placeOf(row.dueAt), 0, row.dueAt);
  }

  remove(id: string): void {
    const row = this.rows.get(id);
    if (!row) return;
    this.rows.delete(id);
    const held = this.#byTime.get(row.dueAt);
    held?.delete(id);
    if (held?.size !== 0) return;
    this.#byTime.delete(row.dueAt);
    this.#times.splice(this.#placeOf(row.dueAt), 1);
  }

  due(now: number, limit: number): PollRow[] {
    const due: PollRow[] = [];
    for (const time of this.#times) {
      if (time > now) break;
      for (const id of this.#byTime.get(time) ?? []) {
        const row = this.rows.get(id);
        if (row) due.push(row);
        if (due.length === limit) break;
      }
      if (due.length === limit) break;
    }
    this.reads += due.length;
    return due;
  }

  nextDueAfter(now: number): number | undefined {
    return this.#times[this.#placeOf(now + 1)];
  }

  async postpone(id: string, dueAt: number): Promise<void> {
    if (this.failingWrites > 0) {
      this.failingWrites -= 1;
      throw new Error("disk full");
    }
    const row = this.rows.get(id);
    if (!row) return;
    this.remove(id);
    this.add({ ...row, dueAt });
  }

  async rewind(now: number): Promise<void> {
    for (const row of [...this.rows.values()]) {
      if (row.since <= now && row.dueAt <= now + POLL_ROWS_PAUSE_MAX_MS) continue;
      this.remove(row.id);
      this.add({
        ...row,
        since: Math.min(row.since, now),
        dueAt: Math.min(row.dueAt, now + POLL_ROWS_PAUSE_MAX_MS),
      });
    }
  }

  /** The first place whose time is at least `time`. */
  #placeOf(time: number): number {
    let low = 0;
    let high = this.#times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#times[middle] ?? 0) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
