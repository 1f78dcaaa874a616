import { setImmediate } from "node:timers/promises";
import type { Database } from "../../database/database.js";
import type { Clock } from "../../platform/clock.js";
import { CHUNK_JOBS, idBefore, type MoneyChunk, moneyAfter } from "./money-store.js";
import { MoneySums } from "./money-sums.js";

const DAY_MS = 24 * 3600 * 1000;
/** Age at which a job's sums are final: refundable deliveries and late tasks end before. */
const FINAL_AFTER_MS = 14 * DAY_MS;
const READ_INTERVAL_MS = 60_000;

export class MoneyTotals {
  readonly #database: Database;
  readonly #clock: Clock;
  #final = { sums: new MoneySums(), upTo: 0 };
  #read: { at: number; sums: Promise<MoneySums> } | undefined;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Returns sums that are at most a minute old. */
  read(): Promise<MoneySums> {
    const at = this.#clock.monotonic();
    if (!this.#read || at - this.#read.at >= READ_INTERVAL_MS) {
      const sums = this.#sum(this.#clock.now());
      this.#read = { at, sums };
      sums.catch(() => {
        this.#read = undefined;
      });
    }
    return this.#read.sums;
  }

  /** Sums everything anew: a job of long ago was refunded. */
  forget(): void {
    this.#final = { sums: new MoneySums(), upTo: 0 };
    this.#read = undefined;
  }

  async #sum(now: number): Promise<MoneySums> {
    const recent: MoneyChunk[] = [];
    // A sum that goes on while `forget` is called ends with what it began with.
    const final = this.#final;
    for await (const chunk of moneyChunks(this.#database, final.upTo)) {
      if (recent.length === 0 && isFinal(chunk, now)) {
        final.sums.add(chunk);
        final.upTo = chunk.jobs.at(-1)?.id ?? final.upTo;
      } else recent.push(chunk);
    }
    const sums = final.sums.copy();
    for (const chunk of recent) sums.add(chunk);
    return sums;
  }
}

/** Sums jobs accepted from `since` on, in ms since the epoch. */
export async function sumMoney(database: Database, since: number): Promise<MoneySums> {
  const sums = new MoneySums();
  for await (const { jobs, costs } of moneyChunks(database, idBefore(database, since)))
    sums.add({ jobs: jobs.filter(({ created_at }) => created_at >= since), costs });
  return sums;
}

/** Yields one chunk a turn of the event loop. @param from the id after which they begin */
export async function* moneyChunks(database: Database, from: number): AsyncGenerator<MoneyChunk> {
  for (let after = from; ; await setImmediate()) {
    const chunk = moneyAfter(database, after);
    const last = chunk.jobs.at(-1);
    if (!last) return;
    yield chunk;
    if (chunk.jobs.length < CHUNK_JOBS) return;
    after = last.id;
  }
}

function isFinal({ jobs }: MoneyChunk, now: number): boolean {
  const isOver = (at: number | null) => at !== null && now - at > FINAL_AFTER_MS;
  return jobs.length === CHUNK_JOBS && jobs.every(({ finished_at }) => isOver(finished_at));
}
