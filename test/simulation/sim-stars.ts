import { GrammyError } from "grammy";
import type { StarTransaction, Update, User } from "grammy/types";
import type { Clock } from "../../src/platform/clock.js";
import type { Random } from "./random.js";

interface SimInvoice {
  chatId: number;
  payload: string;
  amount: number;
}

export interface SimCharge {
  id: string;
  user: User;
  invoice: SimInvoice;
  isRefunded: boolean;
}

/** Milliseconds that Telegram waits for the answer to a pre-checkout query. */
const CHECKOUT_MS = 10_000;
const LATE_MS_MAX = 120_000;

/** The Stars of Telegram: invoices, checkouts, charges, and updates of them that are lost, late or doubled. */
export class SimStars {
  readonly charges: SimCharge[] = [];
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #arrive: (update: Omit<Update, "update_id">) => void;
  readonly #invoices: SimInvoice[] = [];
  readonly #checkouts = new Map<string, () => void>();
  readonly #transactions: StarTransaction[] = [];
  #ids = 0;

  constructor(clock: Clock, random: Random, arrive: (update: Omit<Update, "update_id">) => void) {
    this.#clock = clock;
    this.#random = random;
    this.#arrive = arrive;
  }

  addInvoice(invoice: SimInvoice): void {
    this.#invoices.push(invoice);
  }

  hasInvoice(userId: number): boolean {
    return this.#invoices.some(({ chatId }) => chatId === userId);
  }

  /** Somebody pays one of the invoices of their chat, maybe one that was paid before. */
  pay(user: User): string {
    const invoice = this.#random.pick(this.#invoices.filter(({ chatId }) => chatId === user.id).slice(-3));
    if (!invoice) return `${user.id} finds nothing to pay`;
    const id = `checkout-${this.#nextId()}`;
    this.#checkouts.set(id, () => this.#charge(user, invoice));
    this.#clock.after(CHECKOUT_MS, () => this.#checkouts.delete(id));
    const { payload: invoice_payload, amount: total_amount } = invoice;
    this.#arrive({ pre_checkout_query: { id, from: user, currency: "XTR", total_amount, invoice_payload } });
    return `${user.id} pays ${total_amount} Stars`;
  }

  /** Telegram pays a charge back without the bot. */
  refundElsewhere(): string {
    const charge = this.#random.pick(this.charges.filter(({ isRefunded }) => !isRefunded));
    if (!charge) return "Telegram has nothing to pay back";
    this.#refund(charge);
    if (this.#random.chance(0.5)) this.#tell(charge, "refunded_payment");
    return `Telegram pays ${charge.id} back`;
  }

  answer(id: string, isOk: boolean): void {
    const charge = this.#checkouts.get(id);
    this.#checkouts.delete(id);
    if (!charge) throw refusal("query is too old and response timeout expired or query ID is invalid");
    if (isOk) charge();
  }

  refund(userId: number, chargeId: string): void {
    const charge = this.charges.find(({ id, user }) => id === chargeId && user.id === userId);
    if (!charge) throw refusal("CHARGE_NOT_FOUND");
    if (charge.isRefunded) throw refusal("CHARGE_ALREADY_REFUNDED");
    this.#refund(charge);
  }

  transactions(offset = 0, limit = 100): { transactions: StarTransaction[] } {
    return { transactions: this.#transactions.slice(offset, offset + limit) };
  }

  #charge(user: User, invoice: SimInvoice): void {
    const charge = { id: `charge-${this.#nextId()}`, user, invoice, isRefunded: false };
    this.charges.push(charge);
    this.#transactions.push({
      id: charge.id,
      amount: invoice.amount,
      date: 1,
      source: partnerOf(charge),
    } as StarTransaction);
    const tell = () => this.#tell(charge, "successful_payment");
    const happens = this.#random.weighted([
      [5, tell],
      [2, () => {}],
      [2, () => void [tell(), tell()]],
      [2, () => void this.#clock.after(this.#random.integer(1, LATE_MS_MAX), tell)],
    ] as const);
    happens();
  }

  #refund(charge: SimCharge): void {
    charge.isRefunded = true;
    const { id, invoice } = charge;
    this.#transactions.push({
      id,
      amount: invoice.amount,
      date: 1,
      receiver: partnerOf(charge),
    } as StarTransaction);
  }

  #tell({ id, user, invoice }: SimCharge, kind: "successful_payment" | "refunded_payment"): void {
    const payment = {
      currency: "XTR",
      total_amount: invoice.amount,
      invoice_payload: invoice.payload,
      telegram_payment_charge_id: id,
      provider_payment_charge_id: "",
    };
    const chat = { id: user.id, type: "private", first_name: user.first_name };
    const message = { message_id: 1_000_000 + this.#nextId(), date: 1, from: user, chat, [kind]: payment };
    this.#arrive({ message } as never);
  }

  #nextId(): number {
    this.#ids += 1;
    return this.#ids;
  }
}

function partnerOf({ user, invoice }: SimCharge) {
  return {
    type: "user",
    transaction_type: "invoice_payment",
    user,
    invoice_payload: invoice.payload,
  } as const;
}

function refusal(description: string): GrammyError {
  const answer = { ok: false, error_code: 400, description: `Bad Request: ${description}` } as const;
  return new GrammyError("refused", answer, "stars", {});
}
