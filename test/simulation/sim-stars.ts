import type { StarTransaction, Update, User } from "grammy/types";
import type { Clock } from "../../src/platform/clock.js";
import { MINUTE_MS, SECOND_MS } from "../../src/platform/units.js";
import { refusal } from "../support/bot-world.js";
import type { Random } from "./random.js";

interface SimInvoice {
  chatId: number;
  payload: string;
  amount: number;
  /** Kopecks that its words promise; undefined where nothing was promised. */
  promised: number | undefined;
}

/** Stars that Telegram took of somebody. */
export interface SimCharge {
  id: string;
  user: User;
  /** As its update and the list tell it. */
  invoice: SimInvoice;
  isRefunded: boolean;
  /** Whether the service may take it for one of the program before: no update has told of it. */
  isForeign: boolean;
}

/** A call that asks Telegram to pay a charge back. */
interface RefundCall {
  chargeId: string;
  isRefused: boolean;
}

interface ListedTransaction {
  transaction: StarTransaction;
  /** When the list shows it, by the monotonic clock: at its place, maybe before others that were shown already. */
  shownFrom: number;
}

/** Milliseconds that Telegram waits for the answer to a pre-checkout query. */
const CHECKOUT_MS = 10_000;
const LATE_MS_MAX = 120_000;
const LISTED_LATE_MS_MAX = 40 * MINUTE_MS;
/** The service waits for 20 s. */
const SLOW_MS_MAX = 22 * SECOND_MS;
const refused = (description: string) => refusal(400, `Bad Request: ${description}`);
/** Of the program that ran with the token of the bot before. */
const OLD_PAYLOAD = "t0:";

/** The Stars of Telegram: invoices, checkouts, charges, and updates of them that are lost, late or doubled. */
export class SimStars {
  readonly charges: SimCharge[] = [];
  readonly refundCalls: RefundCall[] = [];
  /** Called with each charge that the service asks to pay back, before that is done, unless its data was lost since. */
  onRefundAsked: (chargeId: string) => void = () => {};
  /** Whether Telegram refuses to pay back, and how it answers then. */
  areRefundsRefused = false;
  areRefundsSlow = false;
  /** How long the next answers to refunds take; afterwards by chance. */
  refundPauses: number[] = [];
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #arrive: (update: Omit<Update, "update_id">) => void;
  readonly #dateOf: () => number;
  readonly #invoices: SimInvoice[] = [];
  readonly #checkouts = new Map<string, () => void>();
  readonly #list: ListedTransaction[] = [];
  #ids = 0;
  /** Share of transactions that the list has later. */
  #lateShare = 0.2;

  /** @param dateOf Telegram's time, in seconds since the epoch */
  constructor(
    clock: Clock,
    random: Random,
    arrive: (update: Omit<Update, "update_id">) => void,
    dateOf: () => number,
  ) {
    this.#dateOf = dateOf;
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

  /** Somebody pays one of the invoices of their chat, maybe one that was paid before, and maybe twice at once. */
  pay(user: User): string {
    const invoice = this.#invoiceOf(user);
    if (!invoice) return `${user.id} finds nothing to pay`;
    const times = this.#random.chance(0.15) ? 2 : 1;
    for (let time = 1; time <= times; time += 1) this.#checkOut(user, invoice);
    return `${user.id} pays ${invoice.amount} Stars, ${times} times`;
  }

  /**
   * Telegram takes Stars that the service was not asked about, or that it cannot explain: for an invoice of an older
   * program, for the invoice of somebody else, or another sum than the invoice says.
   */
  payUnasked(user: User): string {
    const random = this.#random;
    const own = this.#invoiceOf(user);
    const others = random.pick(this.#invoices.filter(({ chatId }) => chatId !== user.id));
    const amount = random.pick([50, 77, 250]);
    const old = { chatId: user.id, payload: `${OLD_PAYLOAD}${this.#nextId()}`, amount };
    const kinds = [
      old,
      ...(own ? [{ ...own, amount: own.amount + random.integer(1, 9) }] : []),
      ...(others ? [others] : []),
    ];
    const invoice = { ...(random.pick(kinds) ?? old), promised: undefined };
    this.#tellPayment(this.#charge(user, invoice));
    return `${user.id} pays ${invoice.amount} Stars for ${invoice.payload} of ${invoice.chatId}, unasked`;
  }

  /** Telegram pays a charge back before the service hears that it was paid. */
  payAndReturn(user: User): string {
    const invoice = this.#invoiceOf(user);
    if (!invoice) return `${user.id} has nothing to pay`;
    const charge = this.#charge(user, invoice);
    this.#refund(charge);
    this.#tell(charge, "refunded_payment");
    if (this.#random.chance(0.5)) this.#tellLate(charge);
    return `${user.id} pays ${charge.id}, and has it back`;
  }

  /** Telegram pays a charge back without the bot. */
  refundElsewhere(isWanted: (charge: SimCharge) => boolean = () => true): string {
    const charge = this.#random.pick(
      this.charges.filter((one) => !one.isRefunded && isWanted(one)).slice(-6),
    );
    if (!charge) return "Telegram has nothing to pay back";
    this.#refund(charge);
    if (this.#random.chance(0.5)) this.#tell(charge, "refunded_payment");
    return `Telegram pays ${charge.id} back`;
  }

  /** Telegram refuses refunds from now on, or takes its time with them, or neither. */
  changeRefunds(): string {
    this.areRefundsRefused = this.#random.chance(0.5);
    this.areRefundsSlow = this.#random.chance(0.6);
    return `refunds are ${this.areRefundsRefused ? "refused" : "made"}, ${this.areRefundsSlow ? "slowly" : "at once"}`;
  }

  calmDown(): void {
    this.areRefundsRefused = false;
    this.areRefundsSlow = false;
    this.refundPauses = [];
    this.#lateShare = 0;
    for (const one of this.#list) one.shownFrom = 0;
  }

  answer(id: string, isOk: boolean): void {
    const charge = this.#checkouts.get(id);
    this.#checkouts.delete(id);
    if (!charge) throw refused("query is too old and response timeout expired or query ID is invalid");
    if (isOk) charge();
  }

  refund(userId: number, chargeId: string, isKnown: boolean): void {
    if (isKnown) this.onRefundAsked(chargeId);
    const call = { chargeId, isRefused: true };
    this.refundCalls.push(call);
    const charge = this.charges.find(({ id, user }) => id === chargeId && user.id === userId);
    if (!charge) throw refused("CHARGE_NOT_FOUND");
    if (charge.isRefunded) {
      call.isRefused = false;
      throw refused("CHARGE_ALREADY_REFUNDED");
    }
    if (this.areRefundsRefused) throw refused("BALANCE_TOO_LOW");
    call.isRefused = false;
    this.#refund(charge);
  }

  /** How long the answer to a refund takes. */
  refundPauseMs(): number {
    return this.refundPauses.shift() ?? this.#drawPauseMs();
  }

  #drawPauseMs(): number {
    return this.areRefundsSlow ? this.#random.integer(1, SLOW_MS_MAX) : 0;
  }

  transactions(offset = 0, limit = 100): { transactions: StarTransaction[] } {
    const now = this.#clock.monotonic();
    const shown = this.#list.filter(({ shownFrom }) => shownFrom <= now);
    return { transactions: shown.slice(offset, offset + limit).map(({ transaction }) => transaction) };
  }

  #invoiceOf(user: User): SimInvoice | undefined {
    return this.#random.pick(this.#invoices.filter(({ chatId }) => chatId === user.id).slice(-3));
  }

  #checkOut(user: User, invoice: SimInvoice): void {
    const id = `checkout-${this.#nextId()}`;
    this.#checkouts.set(id, () => this.#tellPayment(this.#charge(user, invoice)));
    this.#clock.after(CHECKOUT_MS, () => this.#checkouts.delete(id));
    const { payload: invoice_payload, amount: total_amount } = invoice;
    this.#arrive({ pre_checkout_query: { id, from: user, currency: "XTR", total_amount, invoice_payload } });
  }

  #charge(user: User, invoice: SimInvoice): SimCharge {
    const charge = {
      id: `charge-${this.#nextId()}`,
      user,
      invoice,
      isRefunded: false,
      isForeign: invoice.payload.startsWith(OLD_PAYLOAD),
    };
    this.charges.push(charge);
    this.#enter(charge, "source");
    return charge;
  }

  #tellPayment(charge: SimCharge): void {
    const tell = () => this.#tell(charge, "successful_payment");
    const happens = this.#random.weighted([
      [5, tell],
      [2, () => {}],
      [2, () => void [tell(), tell()]],
      [2, () => this.#tellLate(charge)],
    ] as const);
    happens();
  }

  #tellLate(charge: SimCharge): void {
    const tell = () => this.#tell(charge, "successful_payment");
    this.#clock.after(this.#random.integer(1, LATE_MS_MAX), tell);
  }

  #refund(charge: SimCharge): void {
    charge.isRefunded = true;
    this.#enter(charge, "receiver");
  }

  #enter(charge: SimCharge, side: "source" | "receiver"): void {
    const { id, invoice } = charge;
    const transaction = {
      id,
      amount: invoice.amount,
      date: this.#dateOf(),
      [side]: partnerOf(charge),
    } as unknown as StarTransaction;
    const now = this.#clock.monotonic();
    const shownFrom = this.#random.chance(this.#lateShare)
      ? now + this.#random.integer(1, LISTED_LATE_MS_MAX)
      : now;
    this.#list.push({ transaction, shownFrom });
  }

  #tell(charge: SimCharge, kind: "successful_payment" | "refunded_payment"): void {
    const { id, user, invoice } = charge;
    charge.isForeign = false;
    const payment = {
      currency: "XTR",
      total_amount: invoice.amount,
      invoice_payload: invoice.payload,
      telegram_payment_charge_id: id,
      provider_payment_charge_id: "",
    };
    const chat = { id: user.id, type: "private", first_name: user.first_name };
    const message = {
      message_id: 1_000_000 + this.#nextId(),
      date: this.#dateOf(),
      from: user,
      chat,
      [kind]: payment,
    };
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
