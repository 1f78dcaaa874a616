import { ageMs } from "../../platform/clock.js";
import type { Integer } from "../../platform/integer.js";
import { Poller, type PollResult } from "../../platform/poller.js";
import { HOUR_MS, SECOND_MS } from "../../platform/units.js";
import type { TillHost } from "../till.js";
import { type OutsideRefunds, type Shop, ShopList, YOOKASSA } from "./refunds.js";
import {
  INVOICE_KEY,
  judgePayment,
  type PaymentAnswer,
  pauseAfter,
  paymentAnswer,
  SHOP_CURRENCY,
} from "./yookassa-api.js";
import { invoiceRefOf, type NamedPayment, secondRef, type WatchedPayment } from "./yookassa-rows.js";

/** A payment is confirmed within an hour after it was made. */
const OVERLAP_MS = 2 * HOUR_MS;
/** Begins the names of this service's invoices: a shop may have payments of others. */
const OWN_REF = /^t1:[\w-]{1,100}$/;

/**
 * Finds payments whose rows do not know them, such as after a backup was restored: they get a row, and are asked about
 * like all others. What no invoice explains is held then.
 */
export class LostPayments {
  readonly #list: ShopList<PaymentAnswer>;

  constructor(private readonly shop: Shop) {
    this.#list = new ShopList(shop, "payment", paymentAnswer);
  }

  /** Reads the list of payments from hours before `from` on, as `ShopList` does. */
  look(from: number, signal: AbortSignal): Promise<Integer | undefined> {
    return this.#list.read(from - OVERLAP_MS, (given) => adopt(given, this.shop), signal);
  }
}

async function adopt(payment: PaymentAnswer, { rows, clock, ids, logger }: Shop): Promise<void> {
  const ref = payment.metadata?.[INVOICE_KEY] ?? "";
  if (!OWN_REF.test(ref) || payment.amount.kopecks === 0 || rows.byPayment(payment.id)) return;
  const made_at = clock.now();
  const { kopecks } = payment.amount;
  const open = (invoice_ref: string) =>
    rows.open({ invoice_ref, kopecks, idempotence_key: ids.secret(), made_at });
  let row = await open(ref);
  if (row.state !== "sending") {
    // It has a row of its own, and what arrives by it is held for the admins.
    logger.error(
      { yookassa_id: payment.id },
      "a second payment of one invoice was made at the payment service",
    );
    row = await open(secondRef(ref, payment.id));
  }
  logger.warn({ yookassa_id: payment.id }, "payment found in the list of the payment service");
  await rows.name(row.id, payment.id, null, made_at);
}

const IN_FLIGHT_MAX = 4;
const FIRST_PAUSE_MS = 3 * SECOND_MS;
const CLOSE_MS = 3 * SECOND_MS;

/** Asks about open payments until they are paid or can be paid no longer. The rows are its only state. */
export class PaymentWatch {
  readonly #poller: Poller<WatchedPayment>;

  constructor(
    private readonly shop: Shop,
    private readonly outside: OutsideRefunds,
    private readonly host: TillHost,
  ) {
    this.#poller = new Poller<WatchedPayment>({
      clock: shop.clock,
      logger: shop.logger,
      store: shop.rows,
      poll: ({ payment }, signal) => this.#poll(payment, signal),
      inFlightMax: IN_FLIGHT_MAX,
      firstPauseMs: FIRST_PAUSE_MS,
    });
  }

  wake(): void {
    this.#poller.wake();
  }

  close(): Promise<void> {
    return this.#poller.close(CLOSE_MS);
  }

  async #poll(row: NamedPayment, signal: AbortSignal): Promise<PollResult> {
    const { api, clock, logger } = this.shop;
    const answer = await api.payment(row.payment_id, signal);
    if (answer.kind === "throttled") return answer;
    const afterMs = pauseAfter(
      answer.kind === "ok" ? this.#ageOf(row, answer) : ageMs(row.made_at, clock.now()),
    );
    if (answer.kind === "ok")
      return (await this.settle(row, answer.value)) ? { kind: "ended" } : { kind: "open", afterMs };
    if (signal.aborted) return { kind: "failed" };
    if (answer.kind === "doubtful") {
      logger.warn({ yookassa_id: row.payment_id, err: answer.cause }, "payment not asked about");
      return { kind: "failed" };
    }
    // Such as another shop's key: the operator corrects it, and the payment is asked about again.
    const { status, code } = answer;
    logger.error(
      { yookassa_id: row.payment_id, status, code },
      "the payment service refuses to show a payment",
    );
    return { kind: "open", afterMs: Math.max(afterMs, FIRST_PAUSE_MS * 20) };
  }

  /** Returns the age of a payment by the clock of the service: ours may be wrong, and then it would be left alone. */
  #ageOf({ made_at }: NamedPayment, { value, at }: { value: PaymentAnswer; at: number | undefined }): number {
    const { created_at } = value;
    if (at === undefined || created_at === undefined) return ageMs(made_at, this.shop.clock.now());
    return ageMs(Date.parse(created_at), at);
  }

  /** Does what an answer asks for. Resolves to false while the payment is open. May be repeated. */
  async settle(row: NamedPayment, answer: PaymentAnswer): Promise<boolean> {
    const { rows, payments, clock, logger } = this.shop;
    const verdict = judgePayment(answer, row);
    if (verdict.kind === "open") return false;
    const invoice = payments.invoice(YOOKASSA, invoiceRefOf(row));
    if (verdict.kind === "canceled") {
      logger.info({ yookassa_id: row.payment_id, reason: verdict.reason }, "payment canceled");
      if (invoice?.ref === row.invoice_ref) await payments.closeInvoice(invoice.id);
      await rows.move(row.id, "ended");
      this.host.tellUnpaid();
      return true;
    }
    if (!verdict.isOurs) logger.error({ yookassa_id: row.payment_id }, "payment is not what was asked for");
    const paidAt = answer.captured_at === undefined ? clock.now() : Date.parse(answer.captured_at);
    const report = {
      till: YOOKASSA,
      chargeId: row.payment_id,
      // Money that is not as its row says has no invoice: it is held for the admins.
      invoiceRef: verdict.isOurs ? row.invoice_ref : "",
      userId: invoice?.userId ?? null,
      price: verdict.kopecks,
      currency: verdict.currency === SHOP_CURRENCY ? undefined : verdict.currency,
      paidAt,
    };
    await this.host.take({ kind: "payment", report });
    await rows.move(row.id, "taken");
    await this.outside.compare(row, answer, this.host);
    return true;
  }
}
