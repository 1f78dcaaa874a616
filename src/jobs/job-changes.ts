import { EventEmitter } from "node:events";
import type { JobId } from "../contract/job.js";
import type { Unsubscribe } from "../ports/gateway.js";

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
