import { asKopecks, type Kopecks } from "../../contract/price.js";
import { ageMs, type CancelTimer } from "../../platform/clock.js";
import { integer } from "../../platform/integer.js";
import { Budgets } from "../../platform/rate-limit.js";
import { repeat } from "../../platform/retry.js";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../platform/units.js";
import type {
  InvoiceWords,
  Presented,
  ReceiptContact,
  RefundAnswer,
  SumLimits,
  TillHost,
  TillInvoice,
  TillPayment,
  TopUp,
  WatchingTill,
} from "../till.js";
import { KEY_LIVES_MS, OutsideRefunds, Refunds, type Shop, YOOKASSA } from "./refunds.js";
import {
  type ApiAnswer,
  CONFIRMED_WITHIN_MS,
  notification,
  type PaymentAnswer,
  pauseAfter,
  paymentRequest,
  type ReceiptSettings,
  YookassaApi,
  type YookassaApiOptions,
} from "./yookassa-api.js";
import {
  lookedUntil,
  type NamedPayment,
  PaymentRows,
  saveLook,
  type YookassaPayment,
} from "./yookassa-rows.js";
import { LostPayments, PaymentWatch } from "./yookassa-watch.js";

/** A link that is shown again has time left to be paid behind it. */
const SHOWN_AGAIN_FOR_MS = CONFIRMED_WITHIN_MS - 10 * MINUTE_MS;
const LOOK_EVERY_MS = 10 * MINUTE_MS;
const LOOK_AGAIN_MS = 5 * SECOND_MS;
const REFUSAL_TOLD_EVERY_MS = HOUR_MS;
/** Notifications that are looked at: each may cost a call. */
const HINTS = { most: 60, withinMs: MINUTE_MS };
/** How often payments are shown to one person. */
export const PRESENTED_OF_ONE = { most: 30, withinMs: HOUR_MS };
/** A POST that is not answered is sent again at once, with its key. */
const TRIES = 2;

export interface YookassaSettings {
  isOn: boolean;
  packs: readonly TopUp[];
  limits: SumLimits;
  /** Undefined where the shop sends no receipts. */
  receipt: ReceiptSettings | undefined;
}

/** Sells rubles for rubles on the payment page of YooKassa: cards, SBP and what else the shop takes. */
export class YookassaTill implements WatchingTill {
  readonly name = YOOKASSA;
  readonly isOn: boolean;
  readonly packs: readonly TopUp[];
  readonly sellsFreeSums = true;
  readonly limits: SumLimits;
  readonly needsContact: boolean;
  readonly invoiceReusedForMs = SHOWN_AGAIN_FOR_MS;
  readonly #stopping = new AbortController();
  readonly #refunds: Refunds;
  readonly #outside: OutsideRefunds;
  readonly #lost: LostPayments;
  readonly #hints: Budgets<string>;
  readonly #presented: Budgets<number>;
  #host: TillHost | undefined;
  #watch: PaymentWatch | undefined;
  #cancel: CancelTimer = () => {};
  #looking: Promise<void> | undefined;
  #refusalToldAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly shop: Shop,
    private readonly settings: YookassaSettings,
  ) {
    const { isOn, packs, limits, receipt } = settings;
    this.isOn = isOn;
    this.packs = packs;
    this.limits = limits;
    this.needsContact = receipt !== undefined;
    this.#refunds = new Refunds(shop, receipt);
    this.#outside = new OutsideRefunds(shop);
    this.#lost = new LostPayments(shop);
    this.#hints = new Budgets(shop.clock, HINTS);
    this.#presented = new Budgets(shop.clock, PRESENTED_OF_ONE);
  }

  topUpOf(kopecks: Kopecks): TopUp | undefined {
    const { minKopecks, maxKopecks } = this.limits;
    const price = asKopecks(Math.max(kopecks, minKopecks));
    return price > maxKopecks ? undefined : { price, kopecks: price };
  }

  worthOf(price: number): Kopecks {
    return asKopecks(price);
  }

  start(host: TillHost): void {
    this.#host = host;
    const watch = new PaymentWatch(this.shop, this.#outside, host);
    this.#watch = watch;
    watch.wake();
    this.#cancel = repeat(this.shop.clock, LOOK_EVERY_MS, () =>
      this.#look((signal) => this.#readLists(host, watch, signal)),
    );
  }

  async stop(): Promise<void> {
    this.#cancel();
    this.#stopping.abort();
    await Promise.all([this.#watch?.close(), this.#looking]);
  }

  async present(invoice: TillInvoice, words: InvoiceWords, contact?: ReceiptContact): Promise<Presented> {
    const { rows, ids, clock } = this.shop;
    // Each payment is asked about for an hour: those of one person must not hold up what others have paid.
    if (this.#presented.take(invoice.userId) > 0) return { kind: "unavailable" };
    const made_at = clock.now();
    const row = await rows.open({
      invoice_ref: invoice.ref,
      kopecks: asKopecks(invoice.price),
      idempotence_key: ids.secret(),
      made_at,
    });
    if (row.state === "taken" || row.state === "ended") return { kind: "ended" };
    if (isNamed(row)) return this.#presentAgain(row);
    if (ageMs(row.made_at, made_at) > KEY_LIVES_MS) return { kind: "ended" };
    return this.#create(row, words, contact);
  }

  refund(payment: TillPayment): Promise<RefundAnswer> {
    const contactOf = (userId: number) => this.#host?.contactOf(userId);
    return this.#refunds.refund(payment, contactOf, this.#stopping.signal);
  }

  /** Makes the payment of a notification due now. Nothing else in it is believed. */
  takeHint(body: unknown): void {
    const { rows, clock, logger } = this.shop;
    const id = hintedPayment(body);
    const [host, watch] = [this.#host, this.#watch];
    if (id === undefined || !host || !watch || this.#hints.take(this.name) > 0) return;
    const row = rows.byPayment(id);
    if (row?.state === "taken") this.#look((signal) => this.#outside.lookAt(row, host, signal));
    if (row?.state !== "open" || row.due_at <= clock.now()) return;
    void rows
      .makeDue(row.id, clock.now())
      .then(() => watch.wake())
      .catch((error: unknown) => logger.warn({ err: error }, "payment not made due"));
  }

  /** Shows the link again, unless the payment has ended meanwhile. */
  async #presentAgain(row: NamedPayment): Promise<Presented> {
    const answer = await this.shop.api.payment(row.payment_id, this.#stopping.signal, LOOK_AGAIN_MS);
    if (answer.kind === "ok" && (await this.#watch?.settle(row, answer.value))) return { kind: "ended" };
    return row.url === null ? { kind: "ended" } : { kind: "link", url: row.url };
  }

  async #create(
    row: YookassaPayment,
    { description }: InvoiceWords,
    contact: ReceiptContact | undefined,
  ): Promise<Presented> {
    const { rows, logger } = this.shop;
    const { receipt } = this.settings;
    const returnUrl = this.#host?.returnUrl;
    if (returnUrl === undefined || (receipt && !contact)) return { kind: "unavailable" };
    const { invoice_ref: invoiceRef, kopecks, idempotence_key: key } = row;
    const body = paymentRequest({ invoiceRef, kopecks, description, returnUrl, receipt, contact });
    const answer = await this.#post(key, body);
    if (answer.kind === "ok") return this.#keep(row, answer.value);
    if (answer.kind !== "refused") {
      const err = answer.kind === "doubtful" ? answer.cause : new Error("too many requests");
      logger.warn({ err }, "payment not known to be made");
      return { kind: "later" };
    }
    const { status, code, description: reason } = answer;
    logger.error({ status, code, reason }, "payment refused by the payment service");
    this.#tellRefusal(status, code);
    await rows.move(row.id, "ended");
    return { kind: "unavailable" };
  }

  async #post(key: string, body: ReturnType<typeof paymentRequest>): Promise<ApiAnswer<PaymentAnswer>> {
    const { api } = this.shop;
    const { signal } = this.#stopping;
    let answer = await api.createPayment(key, body, signal);
    for (let tries = 1; tries < TRIES && answer.kind === "doubtful" && !signal.aborted; tries += 1)
      answer = await api.createPayment(key, body, signal);
    return answer;
  }

  /** Stores what the service calls the payment before anybody sees its link. */
  async #keep(row: YookassaPayment, { id, confirmation, status }: PaymentAnswer): Promise<Presented> {
    const { rows, clock } = this.shop;
    const url = confirmation?.confirmation_url ?? null;
    await rows.name(row.id, id, url, integer(clock.now() + pauseAfter(0)));
    this.#watch?.wake();
    return url === null || status !== "pending" ? { kind: "ended" } : { kind: "link", url };
  }

  /** Begins where both lists were read before, the first time at what restores have lost, or now. */
  async #readLists(host: TillHost, watch: PaymentWatch, signal: AbortSignal): Promise<void> {
    const { database, shopId: shop_id, lostSince, clock } = this.shop;
    let from = lookedUntil(database, shop_id);
    if (from === undefined) {
      from = integer(lostSince ?? clock.now());
      await saveLook(database, { shop_id, seen_at: from });
    }
    const paymentsUntil = await this.#lost.look(from, signal);
    watch.wake();
    const refundsUntil = await this.#outside.look(from, host, signal);
    if (paymentsUntil !== undefined && refundsUntil !== undefined)
      await saveLook(database, { shop_id, seen_at: integer(Math.min(paymentsUntil, refundsUntil)) });
  }

  /** Looks at one thing at a time: what is asked for meanwhile is found by the next look. */
  #look(work: (signal: AbortSignal) => Promise<void>): void {
    const { logger } = this.shop;
    this.#looking ??= work(this.#stopping.signal)
      .catch((error: unknown) => {
        if (!this.#stopping.signal.aborted)
          logger.warn({ err: error }, "payments and refunds of the shop not looked at");
      })
      .finally(() => {
        this.#looking = undefined;
      });
  }

  #tellRefusal(status: number, code: string): void {
    const { clock, notices } = this.shop;
    const now = clock.monotonic();
    if (now - this.#refusalToldAt < REFUSAL_TOLD_EVERY_MS) return;
    this.#refusalToldAt = now;
    notices.tell({ kind: "till_refuses", till: this.name, status, code });
  }
}

function isNamed(row: YookassaPayment): row is NamedPayment {
  return row.payment_id !== null;
}

/** Returns the payment that a notification is about, which is all that is read of it. */
export function hintedPayment(body: unknown): string | undefined {
  const given = notification.safeParse(body).data;
  return given && (given.object.payment_id ?? given.object.id);
}

interface YookassaOptions extends Omit<YookassaApiOptions, "root" | "clock">, Omit<Shop, "api" | "rows"> {
  /** Another address than the service's own: a proxy or a stand-in. */
  root?: URL | undefined;
  settings: YookassaSettings;
}

const ROOT = new URL("https://api.yookassa.ru");

/** Builds the till of a shop at YooKassa. Nothing is called before `start` or the first invoice. */
export function openYookassa(options: YookassaOptions): YookassaTill {
  const { root = ROOT, settings, secretKey, dispatcher, exchange, ...shop } = options;
  const { shopId, clock, database } = shop;
  const api = new YookassaApi({ root, shopId, secretKey, dispatcher, exchange, clock });
  return new YookassaTill({ ...shop, api, rows: new PaymentRows(database) }, settings);
}
