import type { Clock } from "../clock.js";
import { kopecksOfText, type PaymentWanted, type RefundWanted, textOfKopecks } from "./shop-requests.js";

/** Milliseconds in which a payment can be confirmed. Source: https://yookassa.ru/developers/payment-acceptance */
const CONFIRMED_WITHIN_MS = 3_600_000;

export interface ShopPayment {
  id: string;
  wanted: PaymentWanted;
  kopecks: number;
  madeAt: number;
  status: "pending" | "succeeded" | "canceled";
  capturedAt?: number;
  cancelReason?: string;
  refundedKopecks: number;
}

export interface ShopRefund {
  id: string;
  paymentId: string;
  kopecks: number;
  madeAt: number;
  status: "pending" | "succeeded" | "canceled";
  cancelReason?: string;
}

/** What the shop tells of: the name of the event and the object as the API shows it. */
export type Notify = (event: string, object: object) => void;

export interface ShopOptions {
  clock: Clock;
  /** The address of the payment page, without a slash at its end. */
  pageRoot: () => string;
  notify: Notify;
}

/** Payments and refunds of a shop at YooKassa, as its documentation describes them. */
export class Shop {
  readonly payments: ShopPayment[] = [];
  readonly refunds: ShopRefund[] = [];
  /** True: refunds wait for `settleRefund`. */
  areRefundsSlow = false;
  /** Kopecks that refunds can be paid from; by default all that are needed. */
  funds = Number.POSITIVE_INFINITY;
  readonly #options: ShopOptions;

  constructor(options: ShopOptions) {
    this.#options = options;
  }

  make(wanted: PaymentWanted): ShopPayment {
    const payment: ShopPayment = {
      id: this.#id("payment", this.payments.length),
      wanted,
      kopecks: kopecksOfText(wanted.amount.value),
      madeAt: this.#options.clock.now(),
      status: "pending",
      refundedKopecks: 0,
    };
    this.payments.push(payment);
    return payment;
  }

  /** Finds a payment, as it is now: an hour after it was made it can be confirmed no longer. */
  payment(id: string): ShopPayment | undefined {
    const payment = this.payments.find((one) => one.id === id);
    const isLate = payment && this.#options.clock.now() - payment.madeAt >= CONFIRMED_WITHIN_MS;
    if (payment?.status === "pending" && isLate) this.#cancel(payment, "expired_on_confirmation");
    return payment;
  }

  /** Somebody pays. False where the payment can be paid no longer. */
  pay(id: string): boolean {
    const payment = this.payment(id);
    if (payment?.status !== "pending") return false;
    payment.status = "succeeded";
    payment.capturedAt = this.#options.clock.now();
    this.#options.notify("payment.succeeded", this.shownPayment(payment));
    return true;
  }

  /** The bank refuses the card. */
  refuse(id: string, reason = "general_decline"): boolean {
    const payment = this.payment(id);
    if (payment?.status !== "pending") return false;
    this.#cancel(payment, reason);
    return true;
  }

  /** Pays a part or all of a payment back. Undefined where that is not possible. */
  refund({ payment_id, amount }: Pick<RefundWanted, "payment_id" | "amount">): ShopRefund | undefined {
    const payment = this.payment(payment_id);
    const kopecks = kopecksOfText(amount.value);
    const waiting = this.refunds
      .filter(({ paymentId, status }) => paymentId === payment_id && status === "pending")
      .reduce((sum, one) => sum + one.kopecks, 0);
    if (payment?.status !== "succeeded" || kopecks > payment.kopecks - payment.refundedKopecks - waiting)
      return undefined;
    const refund: ShopRefund = {
      id: this.#id("refund", this.refunds.length),
      paymentId: payment_id,
      kopecks,
      madeAt: this.#options.clock.now(),
      status: "pending",
    };
    this.refunds.push(refund);
    if (!this.areRefundsSlow) this.settleRefund(refund.id);
    return refund;
  }

  /** Somebody of the shop pays back in its cabinet, by default all that is left. */
  refundInCabinet(paymentId: string, kopecks?: number): ShopRefund | undefined {
    const payment = this.payment(paymentId);
    const left = payment ? payment.kopecks - payment.refundedKopecks : 0;
    const value = textOfKopecks(kopecks ?? left);
    return this.refund({ payment_id: paymentId, amount: { value, currency: "RUB" } });
  }

  /** Ends a refund that waits, by the funds of the shop. */
  settleRefund(id: string): void {
    const refund = this.refunds.find((one) => one.id === id);
    const payment = refund && this.payment(refund.paymentId);
    if (refund?.status !== "pending" || !payment) return;
    if (this.funds < refund.kopecks) {
      refund.status = "canceled";
      refund.cancelReason = "insufficient_funds";
      return;
    }
    this.funds -= refund.kopecks;
    refund.status = "succeeded";
    payment.refundedKopecks += refund.kopecks;
    this.#options.notify("refund.succeeded", this.shownRefund(refund));
  }

  /** Shows a payment as the API does. */
  shownPayment(payment: ShopPayment): object {
    const { id, wanted, status, kopecks, refundedKopecks, cancelReason } = payment;
    const { description, metadata = {}, confirmation } = wanted;
    const confirmation_url = `${this.#options.pageRoot()}/pay/${id}`;
    return {
      id,
      status,
      paid: status === "succeeded",
      amount: { value: textOfKopecks(kopecks), currency: "RUB" },
      ...(status === "pending" && { confirmation: { ...confirmation, confirmation_url } }),
      ...(payment.capturedAt !== undefined && { captured_at: new Date(payment.capturedAt).toISOString() }),
      created_at: new Date(payment.madeAt).toISOString(),
      ...(description !== undefined && { description }),
      metadata,
      recipient: { account_id: "100500", gateway_id: "100700" },
      refundable: status === "succeeded",
      ...(status === "succeeded" && {
        refunded_amount: { value: textOfKopecks(refundedKopecks), currency: "RUB" },
      }),
      test: true,
      ...(cancelReason !== undefined && {
        cancellation_details: { party: "yoo_money", reason: cancelReason },
      }),
    };
  }

  /** Shows a refund as the API does. */
  shownRefund({ id, paymentId, status, kopecks, madeAt, cancelReason }: ShopRefund): object {
    return {
      id,
      payment_id: paymentId,
      status,
      created_at: new Date(madeAt).toISOString(),
      amount: { value: textOfKopecks(kopecks), currency: "RUB" },
      ...(cancelReason !== undefined && {
        cancellation_details: { party: "yoo_money", reason: cancelReason },
      }),
    };
  }

  #cancel(payment: ShopPayment, reason: string): void {
    payment.status = "canceled";
    payment.cancelReason = reason;
    this.#options.notify("payment.canceled", this.shownPayment(payment));
  }

  /** An id of the length that the service gives. */
  #id(kind: "payment" | "refund", count: number): string {
    return `2f0${kind === "payment" ? "a" : "b"}${String(count + 1).padStart(4, "0")}-000f-5000-8000-1b68e7b15f3f`;
  }
}
