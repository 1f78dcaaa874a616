import type { TelegramMessage } from "@gramio/types";
import { post } from "./api.js";
import type { PaymentOutcome, Person } from "./store.js";
import type { Notices } from "./toast.js";
import { type Words, wordsIn } from "./words/words.js";

/** How many Stars a tap adds. */
export const PURSE_STARS = 500;

/** The Stars of a person: pays invoices with them, and says why where that does not work. */
export class Purse {
  readonly #words: Words;

  /** @param send waits for a request, and says it where it failed */
  constructor(
    private readonly person: Person,
    private readonly notices: Notices,
    private readonly send: (request: Promise<unknown>) => void,
  ) {
    this.#words = wordsIn(person.user.language_code);
  }

  /** Pays an invoice. A purse that is short is offered to be filled. */
  pay(place: { person: number; chat: number }, { message_id, invoice }: TelegramMessage): void {
    const { stars } = this.person.user;
    if (stars >= (invoice?.total_amount ?? 0)) {
      this.send(post("payments", { ...place, message_id }));
      return;
    }
    const fill = { label: this.#words.fillPurse(PURSE_STARS), open: () => this.fill() };
    this.notices.toast(this.#words.purseShort(stars), fill);
  }

  fill(): void {
    this.send(post("purses", { person: this.person.user.id, stars: PURSE_STARS }));
  }

  /** Tells why a payment was not made. The chat itself shows one that was. */
  showOutcome({ outcome, text }: PaymentOutcome, botName: string): void {
    if (outcome === "refused") this.notices.alert(this.#words.paymentRefused, text ?? "");
    if (outcome === "timeout") this.notices.alert(botName, this.#words.paymentTimeout);
  }
}
