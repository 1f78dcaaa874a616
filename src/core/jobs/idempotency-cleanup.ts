import type { Database } from "../../database/database.js";
import type { TrustedClock } from "../../database/trusted-clock.js";
import type { CancelTimer, Clock } from "../../platform/clock.js";
import { integer } from "../../platform/integer.js";
import type { Logger } from "../../platform/logger.js";
import { HOUR_MS } from "../../platform/units.js";
import { deleteExpiredKeys, hasExpiredKeys } from "./idempotency-table.js";
import { IDEMPOTENCY_RETENTION_MS } from "./idempotent-submissions.js";

const CLEANUP_INTERVAL_MS = HOUR_MS;
const BATCH_ROWS = 500;

export interface IdempotencyCleanupOptions {
  database: Database;
  clock: Clock;
  trusted: TrustedClock;
  logger: Logger;
}

export class IdempotencyCleanup {
  readonly #options: IdempotencyCleanupOptions;
  #isStopped = false;
  #cancelTimer: CancelTimer = () => {};
  #work: Promise<void> = Promise.resolve();

  constructor(options: IdempotencyCleanupOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStopped = false;
    this.#work = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    await this.#work;
  }

  async #run(): Promise<void> {
    const { clock, logger } = this.#options;
    try {
      await this.#removeExpired();
    } catch (error) {
      logger.error({ err: error }, "expired idempotency keys not removed");
    }
    if (this.#isStopped) return;
    this.#cancelTimer = clock.after(CLEANUP_INTERVAL_MS, () => {
      this.#work = this.#run();
    });
  }

  async #removeExpired(): Promise<void> {
    const { database, trusted } = this.#options;
    await trusted.check();
    const until = integer(trusted.now() - IDEMPOTENCY_RETENTION_MS);
    let removed = hasExpiredKeys(database, until) ? BATCH_ROWS : 0;
    while (removed === BATCH_ROWS && !this.#isStopped) {
      removed = await database.writeLazily("idempotency:cleanup", (tx) =>
        deleteExpiredKeys(tx, until, BATCH_ROWS),
      );
    }
  }
}
