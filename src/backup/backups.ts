import { type CancelTimer, type Clock, leftMs } from "../platform/clock.js";
import type { Logger } from "../platform/logger.js";
import { reasonOf } from "../platform/reason-of.js";
import { MINUTE_MS } from "../platform/units.js";

/** Longest pause after a failed backup. */
const RETRY_MS = 10 * MINUTE_MS;

export interface BackupsOptions {
  everyMs: number;
  /** Moment of the newest backup, in ms since the epoch; undefined where there is none. */
  lastMadeAt: number | undefined;
  /** Makes one. `signal` ends it at once. */
  make: (signal: AbortSignal) => Promise<{ folder: string; files: number; bytes: number }>;
  /** Called at the first failure after a good one. */
  onFailure: (reason: string) => void;
  clock: Clock;
  logger: Logger;
}

/** What the operator is shown. Times in ms since the epoch. */
export interface BackupStatus {
  lastMadeAt: number | undefined;
  isFailing: boolean;
  made: number;
  failed: number;
  /** Size and time of the last one that this process made. */
  bytes: number;
  durationMs: number;
}

/** Makes backups in turn, one at a time. A failed one is tried again before the next is due. */
export class Backups {
  readonly #options: BackupsOptions;
  readonly #stopping = new AbortController();
  readonly #status: BackupStatus;
  #cancelTimer: CancelTimer = () => {};
  #running: Promise<void> = Promise.resolve();

  constructor(options: BackupsOptions) {
    this.#options = options;
    const { lastMadeAt } = options;
    this.#status = { lastMadeAt, isFailing: false, made: 0, failed: 0, bytes: 0, durationMs: 0 };
  }

  get status(): Readonly<BackupStatus> {
    return this.#status;
  }

  /** Makes the first one when the newest is old enough, such as now where there is none. */
  start(): void {
    const { clock, everyMs } = this.#options;
    const { lastMadeAt } = this.#status;
    this.#schedule(lastMadeAt === undefined ? 0 : leftMs(lastMadeAt + everyMs, clock.now(), everyMs));
  }

  /** Ends a backup that is being made: the next start makes it anew. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancelTimer();
    await this.#running;
  }

  #schedule(delayMs: number): void {
    if (this.#stopping.signal.aborted) return;
    this.#cancelTimer = this.#options.clock.after(delayMs, () => {
      this.#running = this.#make();
    });
  }

  async #make(): Promise<void> {
    const { make, clock, everyMs } = this.#options;
    const madeAt = clock.now();
    const startedAt = clock.monotonic();
    try {
      const made = await make(this.#stopping.signal);
      this.#noteMade(made, madeAt, clock.monotonic() - startedAt);
      this.#schedule(Math.max(0, everyMs - (clock.monotonic() - startedAt)));
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#noteFailed(error);
      this.#schedule(Math.min(everyMs, RETRY_MS));
    }
  }

  #noteMade(
    { folder, files, bytes }: Awaited<ReturnType<BackupsOptions["make"]>>,
    madeAt: number,
    durationMs: number,
  ): void {
    const made = this.#status.made + 1;
    Object.assign(this.#status, { lastMadeAt: madeAt, isFailing: false, made, bytes, durationMs });
    this.#options.logger.info({ folder, files, bytes, duration_ms: Math.round(durationMs) }, "backup made");
  }

  #noteFailed(error: unknown): void {
    const { logger, onFailure } = this.#options;
    const wasFailing = this.#status.isFailing;
    Object.assign(this.#status, { isFailing: true, failed: this.#status.failed + 1 });
    logger.error({ err: error }, "backup failed");
    if (!wasFailing) onFailure(reasonOf(error));
  }
}
