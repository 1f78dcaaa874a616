import { randomBytes, randomInt } from "node:crypto";
import type { TelegramStarTransaction, TelegramUser } from "@gramio/types";
import type { CancelTimer, Clock } from "./clock.js";
import { badRequest } from "./errors.js";
import type { KeptState } from "./kept-state.js";

/** How long Telegram waits for the answer to a pre-checkout query. */
export const CHECKOUT_TIMEOUT_MS = 10_000;

export interface Invoice {
  title: string;
  description: string;
  payload: string;
  /** Whole Stars. */
  amount: number;
  /** True for an invoice that one payment closes. */
  isPaidOnce: boolean;
  isPaid: boolean;
}

/** What became of a checkout, as the person's client shows it. */
export type CheckoutOutcome = { type: "paid" } | { type: "refused"; text: string } | { type: "timeout" };

interface Checkout {
  settle(outcome: CheckoutOutcome): void;
  cancelTimer: CancelTimer;
}

export interface Charge {
  /** The `telegram_payment_charge_id`. */
  id: string;
  user: TelegramUser;
  amount: number;
  payload: string;
  /** Unix time, in seconds. */
  date: number;
}

/** Invoices in Stars, checkouts that wait for the bot, and the bot's transactions. */
export class Stars {
  readonly #invoices = new Map<string, Invoice>();
  readonly #checkouts = new Map<string, Checkout>();
  readonly #charges = new Map<string, Charge>();
  readonly #refunds = new Map<string, Charge>();
  /** Charges and refunds, from the oldest. */
  readonly #transactions: TelegramStarTransaction[] = [];
  /** How many updates of payments to come are lost on their way to the bot. */
  lostPayments = 0;

  constructor(private readonly clock: Clock) {}

  /** Keeps an invoice under the place of its message. */
  addInvoice(place: string, invoice: Invoice): void {
    this.#invoices.set(place, invoice);
  }

  invoiceAt(place: string): Invoice | undefined {
    return this.#invoices.get(place);
  }

  /** Opens a checkout, which ends by the bot's answer or after ten seconds. Returns the query's id. */
  open(settle: (outcome: CheckoutOutcome) => void): string {
    const id = `${randomInt(1, 2 ** 40)}${randomInt(100_000, 999_999)}`;
    const cancelTimer = this.clock.after(CHECKOUT_TIMEOUT_MS, () => this.#end(id, { type: "timeout" }));
    this.#checkouts.set(id, { settle, cancelTimer });
    return id;
  }

  /** @throws BotApiError for an unknown query, and for one that was answered or waited too long */
  answer(id: string, outcome: CheckoutOutcome): void {
    if (!this.#end(id, outcome)) {
      throw badRequest("query is too old and response timeout expired or query ID is invalid");
    }
  }

  #end(id: string, outcome: CheckoutOutcome): boolean {
    const checkout = this.#checkouts.get(id);
    if (!checkout) return false;
    this.#checkouts.delete(id);
    checkout.cancelTimer();
    checkout.settle(outcome);
    return true;
  }

  /** Records a payment under a charge id of its own. */
  charge(user: TelegramUser, { amount, payload }: Invoice, date: number): Charge {
    const charge = { id: `stx${randomBytes(24).toString("base64url")}`, user, amount, payload, date };
    this.#charges.set(charge.id, charge);
    this.#transactions.push({ id: charge.id, amount, date, source: partnerOf(charge) });
    return charge;
  }

  /** @throws BotApiError `CHARGE_NOT_FOUND`, `CHARGE_ALREADY_REFUNDED` */
  refund(userId: number, chargeId: string, date: number): Charge {
    const charge = this.#charges.get(chargeId);
    if (!charge || charge.user.id !== userId) throw badRequest("CHARGE_NOT_FOUND");
    if (this.#refunds.has(chargeId)) throw badRequest("CHARGE_ALREADY_REFUNDED");
    this.#refunds.set(chargeId, charge);
    this.#transactions.push({ id: chargeId, amount: charge.amount, date, receiver: partnerOf(charge) });
    return charge;
  }

  transactions(offset: number, limit: number): TelegramStarTransaction[] {
    return this.#transactions.slice(offset, offset + limit);
  }

  /** What the bot has, in whole Stars. */
  get balance(): number {
    return this.#transactions.reduce((sum, { amount, source }) => sum + (source ? amount : -amount), 0);
  }

  kept(): NonNullable<KeptState["stars"]> {
    return {
      invoices: [...this.#invoices],
      charges: [...this.#charges.values()],
      refunded: [...this.#refunds.keys()],
      transactions: this.#transactions,
    };
  }

  restore({ invoices, charges, refunded, transactions }: NonNullable<KeptState["stars"]>): void {
    for (const [place, invoice] of invoices) this.#invoices.set(place, invoice);
    for (const charge of charges) this.#charges.set(charge.id, charge);
    for (const id of refunded) {
      const charge = this.#charges.get(id);
      if (charge) this.#refunds.set(id, charge);
    }
    this.#transactions.push(...transactions);
  }
}

function partnerOf({ user, payload }: Charge) {
  return { type: "user", transaction_type: "invoice_payment", user, invoice_payload: payload } as const;
}

/** Names the place of an invoice that stands in a chat. */
export function invoicePlace(chatId: number, messageId: number): string {
  return `${chatId}:${messageId}`;
}
