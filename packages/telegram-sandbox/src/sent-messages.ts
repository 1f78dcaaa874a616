import type { TelegramMessage } from "@gramio/types";

const KEPT_MAX = 2_000;

/** What the page sent, by the id that it chose: a message that comes again is answered and not sent twice. */
export class SentMessages {
  readonly #byId = new Map<string, TelegramMessage>();

  constructor(sent: Iterable<readonly [string, TelegramMessage]> = []) {
    for (const [id, message] of sent) this.#byId.set(id, message);
  }

  /** Sends unless that was done before; without an id it is always done. */
  once(person: number, randomId: string | undefined, send: () => TelegramMessage): TelegramMessage {
    if (randomId === undefined) return send();
    const id = `${person}:${randomId}`;
    const known = this.#byId.get(id);
    if (known) return known;
    const message = send();
    this.#byId.set(id, message);
    for (const oldest of this.#byId.keys()) {
      if (this.#byId.size <= KEPT_MAX) break;
      this.#byId.delete(oldest);
    }
    return message;
  }

  entries(): [string, TelegramMessage][] {
    return [...this.#byId];
  }
}
