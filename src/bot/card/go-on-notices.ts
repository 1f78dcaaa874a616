import type { Api } from "grammy";
import { BoundedMap } from "../../platform/bounded-map.js";

const REMEMBERED = 1000;

/** Leaves the button that returns to the card under the last notice only. Forgotten at a restart. */
export class GoOnNotices {
  readonly #api: Api;
  readonly #lastOf = new BoundedMap<number, number>(REMEMBERED);

  constructor(api: Api) {
    this.#api = api;
  }

  /** Notes that a notice was sent to a person. Must be called for each. Never rejects. */
  async sent(userId: number, messageId: number, hasButton: boolean): Promise<void> {
    const before = this.#lastOf.get(userId);
    if (hasButton) this.#lastOf.set(userId, messageId);
    else this.#lastOf.delete(userId);
    if (before !== undefined) await this.#api.editMessageReplyMarkup(userId, before).catch(() => {});
  }
}
