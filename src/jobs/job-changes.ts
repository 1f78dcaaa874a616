import { EventEmitter } from "node:events";
import type { JobId } from "../contract/job.js";
import type { QueuePlace, Unsubscribe } from "../ports/gateway.js";

/** Tells of changes of jobs, and knows those that wait at services. */
export class JobChanges {
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  /** Places of jobs that wait at services. In memory: providers tell them again after a restart. */
  readonly #places = new Map<JobId, QueuePlace>();

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

  placeOf(id: JobId): QueuePlace | undefined {
    return this.#places.get(id);
  }

  /** Sets the place, undefined once the job is being made. */
  setPlace(id: JobId, place: QueuePlace | undefined): void {
    if (isSame(this.#places.get(id), place)) return;
    if (place) this.#places.set(id, place);
    else this.#places.delete(id);
    this.emit(id);
  }

  /** Forgets the place of a job whose change is told otherwise. */
  forgetPlace(id: JobId): void {
    this.#places.delete(id);
  }
}

function isSame(a: QueuePlace | undefined, b: QueuePlace | undefined): boolean {
  const isEither = (a === undefined) === (b === undefined);
  return isEither && a?.position === b?.position && (a?.isAway ?? false) === (b?.isAway ?? false);
}
