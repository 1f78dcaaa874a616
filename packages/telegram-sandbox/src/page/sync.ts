import type { PageEvent } from "../protocol.js";
import { fetchState, RequestFailed } from "./api.js";
import type { Store } from "./store.js";
import { hearPeople } from "./stream.js";

const RETRY_MS = 2_000;

/**
 * Keeps the store equal to the sandbox: events as they come, and the whole state whenever a stream was opened anew,
 * since whatever happened while it was lost sent no event.
 */
export class Sync {
  readonly #store: Store;
  readonly #showConnection: (isLost: boolean) => void;
  readonly #lost = new Set<number>();
  /** Events that came while a state was being read: it may be older than they are. */
  #meanwhile: { person: number; event: PageEvent }[] = [];
  #isReading = false;
  #mustReadAgain = false;

  constructor(store: Store, showConnection: (isLost: boolean) => void) {
    this.#store = store;
    this.#showConnection = showConnection;
  }

  start(): void {
    const people = this.#store.people.map(({ user }) => user.id);
    hearPeople(people, (message) => {
      if ("event" in message) this.#hear(message.person, message.event);
      else if (message.status === "lost") this.#setLost(message.person, true);
      else {
        this.#setLost(message.person, false);
        void this.read();
      }
    });
  }

  /** Reads the whole state; asked while it reads, it reads once more after that. */
  async read(): Promise<void> {
    if (this.#isReading) {
      this.#mustReadAgain = true;
      return;
    }
    this.#isReading = true;
    this.#mustReadAgain = false;
    this.#meanwhile = [];
    try {
      this.#store.reload(await fetchState());
      for (const { person, event } of this.#meanwhile) this.#store.apply(person, event);
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      setTimeout(() => void this.read(), RETRY_MS);
    } finally {
      this.#isReading = false;
    }
    if (this.#mustReadAgain) await this.read();
  }

  #hear(person: number, event: PageEvent): void {
    this.#store.apply(person, event);
    const isKept = event.type === "message" || event.type === "edited" || event.type === "deleted";
    if (this.#isReading && isKept) this.#meanwhile.push({ person, event });
  }

  #setLost(person: number, isLost: boolean): void {
    if (isLost) this.#lost.add(person);
    else this.#lost.delete(person);
    this.#showConnection(this.#lost.size > 0);
  }
}
