import { Shop, ShopApi } from "@atelier/upstream-stand-ins";
import { z } from "zod";
import type { Clock } from "../../src/platform/clock.js";
import type { FailPoint } from "../../src/platform/fail-point.js";
import type { ExchangeOptions, HttpAnswer } from "../../src/platform/http-exchange.js";
import { HOUR_MS } from "../../src/platform/units.js";
import { Elsewhere } from "./elsewhere.js";
import type { Random } from "./random.js";

export const CREDENTIALS = { shopId: "100500", secretKey: "the-key-of-the-shop" };

/** How a call to the shop goes wrong. */
const FAULTS = ["not_sent", "unanswered", "throttled", "broken_before", "broken_after"] as const;
const FAULTY = [0, 0.1, 0.3] as const;
const PAGE = "https://pay.sim";
const LATE_MS_MAX = 120_000;
/** Source: https://yookassa.ru/en/developers/using-api/interaction-format, section "Idempotence". */
const KEY_LIVES_MS = 24 * HOUR_MS;

const paymentOf = z.object({ payment_id: z.string() });
const canceled = z.object({ status: z.literal("canceled") });

/** A shop at YooKassa: people pay on its page, its calls and notifications are lost, late and doubled. */
export class SimYookassa extends Elsewhere {
  readonly shop: Shop;
  /** Brings a notification to the service that runs. */
  deliver: (body: unknown) => void = () => {};
  /** Called with each payment that the service asks to pay back, before it knows whether that is done. */
  onRefundAsked: (paymentId: string) => void = () => {};
  complain: (words: string) => void = () => {};
  /** Whether it makes refunds, and answers nothing. */
  isSilent = false;
  /** Whether it makes no payments. */
  isRefusing = false;
  /** Share of calls that go wrong. */
  faultShare: number;
  readonly #keys = new Map<string, number>();
  readonly #api: ShopApi;

  constructor(clock: Clock, random: Random) {
    super(clock, random);
    this.faultShare = random.pick(FAULTY);
    // Its clock is right whatever becomes of ours.
    const own = { now: () => this.now(), after: () => () => {} };
    this.shop = new Shop({
      clock: own,
      pageRoot: () => PAGE,
      notify: (event, object) => this.#tell(event, object),
    });
    this.#api = new ShopApi({ ...CREDENTIALS, shop: this.shop, clock: own });
  }

  /** Answers a call as `exchange` does. */
  async exchange(options: ExchangeOptions, failPoint: FailPoint): Promise<HttpAnswer> {
    const { method, url, headers, body, signal } = options;
    const fault = this.random.chance(this.faultShare) ? this.random.pick(FAULTS) : undefined;
    await this.onItsWay(signal);
    if (fault === "not_sent") this.unconnected();
    if (fault === "throttled") return this.answered(429, {});
    if (this.isRefusing && method === "POST" && url.pathname.endsWith("/payments"))
      return this.answered(403, { type: "error", code: "forbidden" });
    if (fault === "broken_before") return this.answered(500, {});
    const isKnown = method === "POST" && this.#isKnown(headers);
    const { status, json } = this.#api.answer({
      method,
      path: url.pathname + url.search,
      headers,
      body: typeof body === "string" ? body : "",
    });
    // What a process has sent before it died may come late: a refund that was refused stays refused under its key.
    const isOver = isKnown && canceled.safeParse(json).success;
    if (method === "POST" && url.pathname.endsWith("/refunds") && !isOver)
      this.onRefundAsked(paymentOf.parse(JSON.parse(String(body))).payment_id);
    failPoint(`shop:after:${method}`);
    const isUnheard = this.isSilent && method === "POST" && url.pathname.endsWith("/refunds");
    if (fault === "unanswered" || isUnheard) return this.unanswered(options);
    return fault === "broken_after" ? this.answered(500, {}) : this.answered(status, json);
  }

  /** Somebody does something on the page behind one of these links, or in the shop's cabinet. */
  act(shown: readonly string[]): string {
    const { shop } = this;
    const random = this.random;
    const pending = shop.payments.filter(
      ({ id }) => shown.includes(`${PAGE}/pay/${id}`) && shop.payment(id)?.status === "pending",
    );
    const paid = shop.payments.filter(({ status }) => status === "succeeded");
    const one = random.pick(pending)?.id ?? "";
    const other = random.pick(paid);
    const act = random.weighted([
      [pending.length > 0 ? 8 : 0, () => `${one} is paid: ${shop.pay(one)}`],
      [pending.length > 0 ? 1.5 : 0, () => this.payOther(one)],
      [pending.length > 0 ? 1.6 : 0, () => `${one} is refused: ${shop.refuse(one)}`],
      [other ? 1 : 0, () => `${other?.id} is paid back in the cabinet: ${this.#refund(other?.id)}`],
      [other ? 0.5 : 0, () => `a part of ${other?.id} is paid back: ${this.#refund(other?.id, 1_00)}`],
      [1.5, () => this.changeRefunds()],
      [0.3, () => this.#forge(other?.id ?? one)],
    ] as const);
    return act();
  }

  /** Nothing goes wrong from now on, nobody pays any more, and refunds end. */
  calmDown(): void {
    this.faultShare = 0;
    this.isSilent = false;
    this.isRefusing = false;
    this.shop.funds = Number.POSITIVE_INFINITY;
    this.shop.areRefundsSlow = false;
    for (const { id } of this.shop.payments) this.shop.refuse(id);
    for (const { id } of this.shop.refunds) this.shop.settleRefund(id);
  }

  /** The shop takes another sum than it was asked for. */
  payOther(id: string): string {
    const payment = this.shop.payment(id);
    if (payment) payment.kopecks = Math.max(1_00, payment.kopecks + this.random.pick([-100_00, -1, 5_00]));
    return `${id} is paid with ${payment?.kopecks}: ${this.shop.pay(id)}`;
  }

  /** Somebody of the shop pays a part of a payment back. */
  payBackPart(id: string): string {
    const refund = this.shop.refundInCabinet(id, 1_00);
    return `a part of ${id} is paid back: ${refund?.status ?? "not possible"}`;
  }

  /** Tells whether a key was used before. One that the shop has forgotten makes another payment or refund. */
  #isKnown({ "idempotence-key": key = "" }: Readonly<Record<string, string>>): boolean {
    const at = this.#keys.get(key);
    this.#keys.set(key, at ?? this.now());
    if (at !== undefined && this.now() - at >= KEY_LIVES_MS)
      this.complain(`the key ${key} was used after its end`);
    return at !== undefined;
  }

  #refund(paymentId = "", kopecks?: number): string {
    return this.shop.refundInCabinet(paymentId, kopecks)?.status ?? "not possible";
  }

  /** The shop has more or less to pay back from, and takes its time or not. */
  changeRefunds(): string {
    const { shop } = this;
    for (const { id } of shop.refunds) if (this.random.chance(0.5)) shop.settleRefund(id);
    shop.areRefundsSlow = this.random.chance(0.5);
    shop.funds = this.random.chance(0.65) ? 100_00 : Number.POSITIVE_INFINITY;
    return `refunds are ${shop.areRefundsSlow ? "slow" : "quick"}, with ${shop.funds}`;
  }

  #forge(id: string): string {
    this.deliver({ type: "notification", event: "payment.succeeded", object: { id, status: "succeeded" } });
    return `somebody forges a notification of ${id}`;
  }

  #tell(event: string, object: object): void {
    const tell = () => this.deliver({ type: "notification", event, object });
    const happens = this.random.weighted([
      [4, tell],
      [3, () => {}],
      [1, () => void [tell(), tell()]],
      [2, () => void this.clock.after(this.random.integer(1, LATE_MS_MAX), tell)],
    ] as const);
    happens();
  }
}
