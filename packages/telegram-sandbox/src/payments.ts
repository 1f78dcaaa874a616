import type { Actions } from "./actions.js";
import type { Chat } from "./chat.js";
import { badRequest } from "./errors.js";
import { type Charge, type CheckoutOutcome, type Invoice, invoicePlace } from "./stars.js";
import type { SandboxState } from "./state.js";
import type { Person } from "./world.js";

/** What people and Telegram do with Stars. */
export class Payments {
  constructor(
    private readonly state: SandboxState,
    private readonly actions: Actions,
  ) {}

  /**
   * Begins to pay an invoice that stands in a chat: the bot is asked, and the outcome comes as a `payment` event.
   * @throws BotApiError for a message that is no invoice, one that is paid, and a purse that holds too little
   */
  pay(personId: number, chatId: number, messageId: number): Promise<CheckoutOutcome> {
    const chat = this.actions.chat(chatId, personId);
    const invoice = this.state.stars.invoiceAt(invoicePlace(chatId, messageId));
    if (!invoice || !chat.message(messageId)) throw badRequest("MESSAGE_ID_INVALID");
    return this.#checkOut(personId, chat, invoice, messageId);
  }

  /** Puts Stars into a person's purse. */
  fillPurse(personId: number, stars: number): void {
    const person = this.actions.person(personId);
    if (!Number.isSafeInteger(stars) || stars <= 0) throw badRequest("stars must be a positive integer");
    person.stars += stars;
    this.#tellPurse(person);
  }

  /** The bot pays a charge back. Telegram shows it in the chat and sends no update of it. */
  refund(personId: number, chargeId: string): void {
    const { stars, world } = this.state;
    const charge = stars.refund(personId, chargeId, world.date());
    const person = this.actions.person(personId);
    person.stars += charge.amount;
    this.#tellPurse(person);
    world.post(this.actions.chat(personId, personId), world.bot, { refunded_payment: paidBy(charge) });
  }

  #checkOut(personId: number, chat: Chat, invoice: Invoice, messageId: number): Promise<CheckoutOutcome> {
    const person = this.actions.person(personId);
    if (invoice.isPaidOnce && invoice.isPaid) throw badRequest("INVOICE_ALREADY_PAID");
    if (person.stars < invoice.amount) throw badRequest("BALANCE_TOO_LOW");
    return new Promise((resolve) => {
      const id = this.state.stars.open((answer) => {
        const outcome = answer.type === "paid" ? this.#settle(person, chat, invoice, messageId) : answer;
        this.state.world.emit({ type: "payment", person: personId, chat, messageId, outcome });
        resolve(outcome);
      });
      const { amount: total_amount, payload: invoice_payload } = invoice;
      this.actions.push("pre_checkout_query", {
        id,
        from: person.user,
        currency: "XTR",
        total_amount,
        invoice_payload,
      });
    });
  }

  /** Two checkouts of one invoice may be open at once: what the second one finds is judged anew. */
  #settle(person: Person, chat: Chat, invoice: Invoice, messageId: number): CheckoutOutcome {
    if (invoice.isPaidOnce && invoice.isPaid) return { type: "refused", text: "INVOICE_ALREADY_PAID" };
    if (person.stars < invoice.amount) return { type: "refused", text: "BALANCE_TOO_LOW" };
    const { stars, world } = this.state;
    person.stars -= invoice.amount;
    invoice.isPaid = true;
    this.#markPaid(chat, messageId);
    this.#tellPurse(person);
    const charge = stars.charge(person.user, invoice, world.date());
    const content = { successful_payment: paidBy(charge) };
    if (stars.lostPayments === 0) this.actions.post(chat, { from: person.user, ...content });
    else {
      stars.lostPayments -= 1;
      world.post(chat, person.user, content);
    }
    return { type: "paid" };
  }

  #markPaid(chat: Chat, messageId: number): void {
    const entry = chat.entries.get(messageId);
    if (!entry) return;
    entry.isPaid = true;
    this.state.world.emit({ type: "edited", chat, entry });
  }

  #tellPurse({ user, stars }: Person): void {
    this.state.world.emit({ type: "purse", person: user.id, stars });
  }
}

function paidBy({ id, amount, payload }: Charge) {
  return {
    currency: "XTR" as const,
    total_amount: amount,
    invoice_payload: payload,
    telegram_payment_charge_id: id,
    provider_payment_charge_id: "",
  };
}
