import type { JobId } from "../contract/job.js";
import type { QueuePlace } from "../ports/gateway.js";
import type { JobChanges } from "./job-changes.js";

/** Knows the jobs that wait at services. In memory: providers tell it again after a restart. */
export class QueuePlaces {
  readonly #places = new Map<JobId, QueuePlace>();

  constructor(private readonly changes: JobChanges) {}

  of(id: JobId): QueuePlace | undefined {
    return this.#places.get(id);
  }

  /** Sets the place, undefined once the job is being made. */
  set(id: JobId, place: QueuePlace | undefined): void {
    const known = this.#places.get(id);
    if (isSame(known, place)) return;
    if (place) this.#places.set(id, place);
    else this.#places.delete(id);
    this.changes.emit(id);
  }

  forget(id: JobId): void {
    this.#places.delete(id);
  }
}

function isSame(a: QueuePlace | undefined, b: QueuePlace | undefined): boolean {
  const isEither = (a === undefined) === (b === undefined);
  return isEither && a?.position === b?.position && (a?.isAway ?? false) === (b?.isAway ?? false);
}
