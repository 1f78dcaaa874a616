import { EventEmitter } from "node:events";
import type { JobId } from "../contract/job.js";
import type { QueuePlace, Unsubscribe } from "../ports/gateway.js";

export class JobChanges {
  readonly #emitter = new EventEmitter().setMaxListeners(0);

  /** Calls `listener`, which must not throw, after each change. */
  subscribe(ids: readonly JobId[], listener: () => void): Unsubscribe {
    for (const id of ids) this.#emitter.on(`${id}`, listener);
    return () => {
      for (const id of ids) this.#emitter.off(`${id}`, listener);
    };
  }

  /** Call after the commit. */
  emit(id: JobId): void {
    this.#emitter.emit(`${id}`);
  }
}

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
