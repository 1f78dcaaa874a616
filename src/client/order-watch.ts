import type { JobId } from "../contract/job.js";
import type { CancelTimer, Clock } from "../platform/clock.js";
import type { Logger } from "../platform/logger.js";
import type { GatewayJob } from "../ports/gateway.js";
import type { JobListener } from "../ports/job-feed.js";

/** The pause after a listener that rejected. */
const RETRY_MS = 5000;

/** Tells a listener what is known of an order's jobs, once each of them was seen. */
export class OrderWatch {
  readonly #parts: { clock: Clock; logger: Logger };
  readonly #jobIds: readonly JobId[];
  readonly #listener: JobListener;
  readonly #seen = new Map<JobId, GatewayJob>();
  #isTelling = false;
  #hasChanged = false;
  #hasEnded = false;
  #cancelRetry: CancelTimer = () => {};

  constructor(parts: { clock: Clock; logger: Logger }, jobIds: readonly JobId[], listener: JobListener) {
    this.#parts = parts;
    this.#jobIds = jobIds;
    this.#listener = listener;
  }

  note(job: GatewayJob): void {
    this.#seen.set(job.job_id, job);
    this.#tell();
  }

  end(): void {
    this.#hasEnded = true;
    this.#cancelRetry();
  }

  #tell(): void {
    this.#hasChanged = true;
    if (!this.#isTelling) void this.#tellAll();
  }

  async #tellAll(): Promise<void> {
    this.#isTelling = true;
    this.#cancelRetry();
    while (this.#hasChanged && !this.#hasEnded) {
      this.#hasChanged = false;
      const jobs = this.#jobIds.map((id) => this.#seen.get(id)).filter((job) => job !== undefined);
      if (jobs.length < this.#jobIds.length) break;
      try {
        await this.#listener(jobs);
      } catch (error) {
        this.#parts.logger.warn({ job_ids: this.#jobIds, err: error }, "jobs not taken, trying again");
        if (!this.#hasEnded) this.#cancelRetry = this.#parts.clock.after(RETRY_MS, () => this.#tell());
        break;
      }
    }
    this.#isTelling = false;
  }
}
