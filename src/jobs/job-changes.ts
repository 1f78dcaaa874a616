import type { JobId } from "../contract/job.js";
import type { Unsubscribe } from "../ports/gateway.js";

export class JobChanges {
  readonly #listeners = new Map<JobId, Set<() => void>>();

  /** Calls `listener`, which must not throw, after each change. */
  subscribe(ids: readonly JobId[], listener: () => void): Unsubscribe {
    const entry = () => listener();
    for (const id of ids) this.#listeners.set(id, (this.#listeners.get(id) ?? new Set()).add(entry));
    return () => {
      for (const id of ids) this.#remove(id, entry);
    };
  }

  /** Call after the commit. */
  emit(id: JobId): void {
    for (const listener of this.#listeners.get(id) ?? []) listener();
  }

  #remove(id: JobId, entry: () => void): void {
    const listeners = this.#listeners.get(id);
    listeners?.delete(entry);
    if (listeners?.size === 0) this.#listeners.delete(id);
  }
}
