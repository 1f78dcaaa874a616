import type { Unsubscribe } from "../../contract/gateway.js";
import type { JobId } from "../../contract/job.js";
import type { Logger } from "../../platform/logger.js";

/** Tells listeners of each job that changed its status, after the commit that changed it. */
export class JobChanges {
  readonly #listeners = new Set<(id: JobId) => void>();
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  subscribe(listener: (id: JobId) => void): Unsubscribe {
    const entry = (id: JobId) => listener(id);
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  /** A listener that throws harms neither the job nor the other listeners. */
  emit(id: JobId): void {
    for (const listener of this.#listeners) {
      try {
        listener(id);
      } catch (error) {
        this.#logger.error({ err: error, job_id: id }, "a listener of job changes failed");
      }
    }
  }
}
