import type { JobId } from "../../contract/job.js";
import type { Logger } from "../../platform/logger.js";
import type { Unsubscribe } from "../../ports/gateway.js";

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

  /** A listener that throws affects neither the job nor other listeners. Call after the commit. */
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
