import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { type Clock, systemClock } from "./clock.js";
import { closeServer } from "./server.js";

/** Sums as the API takes them. */
const amount = z.strictObject({
  value: z.string().regex(/^\d{1,10}\.\d{2}$/),
  currency: z.literal("RUB"),
});

/** Source: https://yookassa.ru/developers/54fz/parameters-values */
const receiptItem = z.strictObject({
  description: z.string().min(1).max(128),
  quantity: z.number().positive(),
  amount,
  vat_code: z.number().int().min(1).max(12),
  payment_subject: z.enum(["commodity", "service", "payment", "intellectual_activity"]),
  payment_mode: z.enum(["full_prepayment", "partial_prepayment", "advance", "full_payment"]),
});
const receipt = z.strictObject({
  customer: z
    .strictObject({
      email: z.email().optional(),
      phone: z
        .string()
        .regex(/^\d{11,15}$/)
        .optional(),
    })
    .refine(({ email, phone }) => email !== undefined || phone !== undefined),
  items: z.array(receiptItem).min(1).max(6),
  tax_system_code: z.number().int().min(1).max(6).optional(),
});

/** Source: https://yookassa.ru/en/developers/api, section "Create a payment". */
export const paymentSchema = z.strictObject({
  amount,
  capture: z.boolean().optional(),
  confirmation: z.strictObject({ type: z.literal("redirect"), return_url: z.url().max(2048) }),
  description: z.string().max(128).optional(),
  metadata: z
    .record(z.string().max(32), z.string().max(512))
    .refine((given) => Object.keys(given).length <= 16)
    .optional(),
  receipt: receipt.optional(),
});

/** Sources: https://yookassa.ru/developers/payments/refunds and https://yookassa.ru/developers/54fz/refunds */
const refundSchema = z.strictObject({
  payment_id: z.string().min(1).max(64),
  amount,
  description: z.string().max(250).optional(),
  receipt: receipt.optional(),
});

type PaymentWanted = z.infer<typeof paymentSchema>;
type RefundWanted = z.infer<typeof refundSchema>;

function kopecksOfText(value: string): number {
  return Math.round(Number(value) * 100);
}

function textOfKopecks(kopecks: number): string {
  return (kopecks / 100).toFixed(2);
}

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

interface ShopRefund {
  id: string;
  paymentId: string;
  kopecks: number;
  madeAt: number;
  status: "pending" | "succeeded" | "canceled";
  cancelReason?: string;
  receipt: RefundWanted["receipt"];
}

/** What the shop tells of: the name of the event and the object as the API shows it. */
type Notify = (event: string, object: object) => void;

interface ShopOptions {
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

  constructor(private readonly options: ShopOptions) {}

  make(wanted: PaymentWanted): ShopPayment {
    const payment: ShopPayment = {
      id: this.#id("payment", this.payments.length),
      wanted,
      kopecks: kopecksOfText(wanted.amount.value),
      madeAt: this.options.clock.now(),
      status: "pending",
      refundedKopecks: 0,
    };
    this.payments.push(payment);
    return payment;
  }

  /** Finds a payment, as it is now: an hour after it was made it can be confirmed no longer. */
  payment(id: string): ShopPayment | undefined {
    const payment = this.payments.find((one) => one.id === id);
    const isLate = payment && this.options.clock.now() - payment.madeAt >= CONFIRMED_WITHIN_MS;
    if (payment?.status === "pending" && isLate) this.#cancel(payment, "expired_on_confirmation");
    return payment;
  }

  /** Somebody pays. False where the payment can be paid no longer. */
  pay(id: string): boolean {
    const payment = this.payment(id);
    if (payment?.status !== "pending") return false;
    payment.status = "succeeded";
    payment.capturedAt = this.options.clock.now();
    this.options.notify("payment.succeeded", this.shownPayment(payment));
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
  refund({ payment_id, amount, receipt }: RefundWanted): ShopRefund | undefined {
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
      madeAt: this.options.clock.now(),
      status: "pending",
      receipt,
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
    this.options.notify("refund.succeeded", this.shownRefund(refund));
  }

  /** Shows a payment as the API does. */
  shownPayment(payment: ShopPayment): object {
    const { id, wanted, status, kopecks, refundedKopecks, cancelReason } = payment;
    const { description, metadata = {}, confirmation } = wanted;
    const confirmation_url = `${this.options.pageRoot()}/pay/${id}`;
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
    this.options.notify("payment.canceled", this.shownPayment(payment));
  }

  /** An id of the length that the service gives. */
  #id(kind: "payment" | "refund", count: number): string {
    return `2f0${kind === "payment" ? "a" : "b"}${String(count + 1).padStart(4, "0")}-000f-5000-8000-1b68e7b15f3f`;
  }
}

const PAGE_WORDS = {
  en: {
    pay: "Pay",
    refuse: "Refuse the card",
    paid: "Paid. Go back to the chat.",
    notPaid: "Not paid. Go back to the chat.",
    missing: "There is no such payment.",
    note: "A stand-in of YooKassa: no money moves.",
  },
  ru: {
    pay: "Заплатить",
    refuse: "Отклонить карту",
    paid: "Оплачено. Вернитесь в чат.",
    notPaid: "Не оплачено. Вернитесь в чат.",
    missing: "Такого платежа нет.",
    note: "Имитация ЮKassa: деньги не списываются.",
  },
};

/** Draws the page of a payment, or of none, in the first language of the browser. */
function paymentPage(payment: ShopPayment | undefined, acceptLanguage = ""): string {
  const lang = /^ru\b/i.test(acceptLanguage) ? "ru" : "en";
  const words = PAGE_WORDS[lang];
  if (!payment) return shell(lang, "ЮKassa", `<p>${words.missing}</p>`);
  const { id, kopecks, wanted, status } = payment;
  const digits = textOfKopecks(kopecks);
  const sum = `${lang === "ru" ? digits.replace(".", ",") : digits} ₽`;
  const forms = `<form method="post" action="/pay/${id}">
<button name="act" value="pay" class="pay">${words.pay} ${sum}</button>
<button name="act" value="refuse">${words.refuse}</button>
</form>`;
  const bodies = {
    pending: `<p>${escapeText(wanted.description ?? "")}</p>${forms}`,
    succeeded: `<p>${words.paid}</p>`,
    canceled: `<p>${words.notPaid}</p>`,
  };
  return shell(lang, sum, bodies[status]);
}

function shell(lang: "en" | "ru", title: string, body: string): string {
  const { note } = PAGE_WORDS[lang];
  return `<!doctype html>
<html lang="${lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title} – ${note}</title>
<style>body{font:18px system-ui;max-width:24rem;margin:3rem auto;padding:0 1rem}
button{font:inherit;display:block;width:100%;padding:.8rem;margin:.6rem 0;border:1px solid #999;border-radius:.6rem}
.pay{background:#0b63e5;color:#fff;border:0}small{color:#555}</style></head>
<body><h1>${title}</h1>${body}<small>${note}</small></body></html>`;
}

function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** A call of the API. Names of headers are in lower case. */
interface ShopCall {
  method: string;
  /** Path and query, such as `/v3/payments/ID`. */
  path: string;
  headers: Readonly<Record<string, string | undefined>>;
  body: string;
}

interface ShopAnswer {
  status: number;
  json: object;
}

/** Source: https://yookassa.ru/en/developers/using-api/interaction-format, section "Idempotence". */
const KEY_LENGTH_MAX = 64;
const KEY_LIVES_MS = 24 * 3_600_000;
const PAGE_MAX = 100;

interface KeptCall {
  path: string;
  body: unknown;
  at: number;
  /** Shows the object as it is now. */
  show: () => object;
}

interface ShopApiOptions {
  shop: Shop;
  shopId: string;
  secretKey: string;
  clock: Clock;
}

/** Answers calls of the API of YooKassa as its documentation says. */
export class ShopApi {
  readonly #kept = new Map<string, KeptCall>();

  constructor(private readonly options: ShopApiOptions) {}

  answer({ method, path, headers, body }: ShopCall): ShopAnswer {
    const { shop, shopId, secretKey } = this.options;
    const wanted = `Basic ${Buffer.from(`${shopId}:${secretKey}`).toString("base64")}`;
    if (headers.authorization !== wanted) return refusal(401, "invalid_credentials", "Authorization");
    const url = new URL(path, "http://shop.invalid");
    if (method === "POST") return this.#post(url.pathname, headers["idempotence-key"], jsonOf(body));
    if (method !== "GET") return refusal(405, "invalid_request", "method");
    if (url.pathname === "/v3/refunds")
      return listOf(shop.refunds, url.searchParams, (one) => shop.shownRefund(one));
    if (url.pathname === "/v3/payments")
      return listOf(shop.payments, url.searchParams, (one) => shop.shownPayment(one));
    return this.#show(url.pathname);
  }

  #show(path: string): ShopAnswer {
    const { shop } = this.options;
    const [, kind, id] = /^\/v3\/(payments|refunds)\/([\w-]+)$/.exec(path) ?? [];
    const payment = kind === "payments" ? shop.payment(id ?? "") : undefined;
    if (payment) return { status: 200, json: shop.shownPayment(payment) };
    const refund = kind === "refunds" ? shop.refunds.find((one) => one.id === id) : undefined;
    return refund ? { status: 200, json: shop.shownRefund(refund) } : refusal(404, "not_found", "id");
  }

  #post(path: string, key: string | undefined, body: unknown): ShopAnswer {
    if (!key || key.length > KEY_LENGTH_MAX) return refusal(400, "invalid_request", "Idempotence-Key");
    const now = this.options.clock.now();
    const known = this.#kept.get(key);
    if (known && now - known.at < KEY_LIVES_MS) {
      const isSame = known.path === path && isDeepStrictEqual(known.body, body);
      return isSame
        ? { status: 200, json: known.show() }
        : refusal(400, "invalid_request", "Idempotence-Key");
    }
    const made = this.#make(path, body);
    if (typeof made !== "function") return made;
    this.#kept.set(key, { path, body, at: now, show: made });
    return { status: 200, json: made() };
  }

  #make(path: string, body: unknown): (() => object) | ShopAnswer {
    const { shop } = this.options;
    if (path === "/v3/payments") {
      const wanted = paymentSchema.safeParse(body);
      if (!wanted.success) return refusal(400, "invalid_request", parameterOf(wanted.error));
      const payment = shop.make(wanted.data);
      return () => shop.shownPayment(shop.payment(payment.id) ?? payment);
    }
    if (path !== "/v3/refunds") return refusal(404, "not_found", "path");
    const wanted = refundSchema.safeParse(body);
    if (!wanted.success) return refusal(400, "invalid_request", parameterOf(wanted.error));
    if (!shop.payment(wanted.data.payment_id)) return refusal(404, "not_found", "payment_id");
    const refund = shop.refund(wanted.data);
    return refund ? () => shop.shownRefund(refund) : refusal(400, "invalid_request", "amount");
  }
}

/** Lists the newest first. Source: https://yookassa.ru/developers/using-api/lists */
function listOf<T extends { id: string; madeAt: number; status: string }>(
  all: readonly T[],
  query: URLSearchParams,
  show: (one: T) => object,
): ShopAnswer {
  const since = Date.parse(query.get("created_at.gte") ?? "1970-01-01");
  const before = Date.parse(query.get("created_at.lt") ?? "9999-12-31");
  const status = query.get("status");
  const limit = Number(query.get("limit") ?? 10);
  const cursor = query.get("cursor");
  if (Number.isNaN(since + before) || !(limit >= 1 && limit <= PAGE_MAX))
    return refusal(400, "invalid_request", "limit");
  const isWanted = (one: T) =>
    one.madeAt >= since && one.madeAt < before && (status === null || one.status === status);
  const found = all.filter(isWanted).reverse();
  const from = cursor === null ? 0 : found.findIndex(({ id }) => id === cursor);
  if (from < 0) return refusal(400, "invalid_request", "cursor");
  const items = found.slice(from, from + limit).map(show);
  const next = found[from + limit];
  return { status: 200, json: { type: "list", items, ...(next && { next_cursor: next.id }) } };
}

/** Source: https://yookassa.ru/developers/using-api/response-handling/response-format */
function refusal(status: number, code: string, parameter: string): ShopAnswer {
  const id = "ab5a11cd-13cc-4e33-af8b-75a74e18dd09";
  return { status, json: { type: "error", id, code, description: `Wrong ${parameter}`, parameter } };
}

function parameterOf({ issues }: z.ZodError): string {
  return issues[0]?.path.join(".") ?? "body";
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * What goes wrong with a call: the connection ends before or after the work is done, the work is not done (500), done
 * and answered by 500, or the shop is asked too often.
 */
export type ShopFault = "cut-before" | "cut-after" | "error-before" | "error-after" | "throttled";

interface YookassaOptions {
  /** 0, which is the default, for any. */
  port?: number;
  clock?: Clock;
}

const BODY_BYTES_MAX = 64 * 1024;
const SHOP_ID = "100500";
const SECRET_KEY = "test_stand-in-of-yookassa";

/** A stand-in of YooKassa: its API, the page where people pay, and its notifications. */
export class YookassaStandIn {
  readonly shop: Shop;
  /** Names the address that notifications are sent to. By default none are sent. */
  notifiedUrl: string | undefined;
  /** Calls of the API, as `POST /v3/payments`. */
  readonly calls: string[] = [];
  readonly #api: ShopApi;
  readonly #faults: { of: string; fault: ShopFault }[] = [];
  #server: Server | undefined;
  #url = "";

  constructor({ clock = systemClock }: YookassaOptions) {
    const notify = (event: string, object: object) => void this.#notify(event, object);
    this.shop = new Shop({ clock, pageRoot: () => this.#url, notify });
    this.#api = new ShopApi({ shop: this.shop, shopId: SHOP_ID, secretKey: SECRET_KEY, clock });
  }

  get url(): string {
    return this.#url;
  }

  /** What a service needs in its environment to use the stand-in. */
  environment(): Record<string, string> {
    return {
      TILL: "yookassa",
      YOOKASSA_SHOP_ID: SHOP_ID,
      YOOKASSA_SECRET_KEY: SECRET_KEY,
      YOOKASSA_API_ROOT: this.#url,
    };
  }

  /** Orders a fault of the next call of a kind, such as `POST /v3/payments`. */
  order(of: string, fault: ShopFault): void {
    this.#faults.push({ of, fault });
  }

  async listen(port = 0): Promise<void> {
    const server = createServer((request, response) => {
      response.on("error", () => response.destroy());
      this.#handle(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(port, "127.0.0.1", resolve);
    });
    this.#server = server;
    this.#url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    if (this.#server) await closeServer(this.#server);
    this.#server = undefined;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url: path = "/" } = request;
    const body = await readBody(request);
    const [, id] = /^\/pay\/([\w-]+)$/.exec(path) ?? [];
    if (id !== undefined) return this.#page(request, id, body, response);
    const kind = `${method} ${path.replace(/\?.*/, "").split("/", 3).join("/")}`;
    this.calls.push(kind);
    const place = this.#faults.findIndex(({ of }) => of === kind);
    const fault = place < 0 ? undefined : this.#faults.splice(place, 1)[0]?.fault;
    if (fault === "cut-before") return void request.socket.destroy();
    if (fault === "error-before") return send(response, refusal(500, "internal_server_error", "service"));
    if (fault === "throttled") return send(response, refusal(429, "too_many_requests", "service"));
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, value?.toString()]),
    );
    const answer = this.#api.answer({ method, path, headers, body });
    if (fault === "cut-after") return void request.socket.destroy();
    send(response, fault === "error-after" ? refusal(500, "internal_server_error", "service") : answer);
  }

  #page({ method, headers }: IncomingMessage, id: string, body: string, response: ServerResponse): void {
    const act = method === "POST" ? new URLSearchParams(body).get("act") : undefined;
    if (act === "pay") this.shop.pay(id);
    if (act === "refuse") this.shop.refuse(id);
    const payment = this.shop.payment(id);
    response.writeHead(payment ? 200 : 404, { "content-type": "text/html; charset=utf-8" });
    response.end(paymentPage(payment, headers["accept-language"]));
  }

  /** Source: https://yookassa.ru/developers/using-api/webhooks. One that is not taken is not repeated here. */
  async #notify(event: string, object: object): Promise<void> {
    const { notifiedUrl } = this;
    if (notifiedUrl === undefined) return;
    const body = JSON.stringify({ type: "notification", event, object });
    const headers = { "content-type": "application/json" };
    await fetch(notifiedUrl, { method: "POST", headers, body }).catch(() => {});
  }
}

/** Starts the stand-in on 127.0.0.1. */
export async function createYookassa(options: YookassaOptions = {}): Promise<YookassaStandIn> {
  const standIn = new YookassaStandIn(options);
  await standIn.listen(options.port);
  return standIn;
}

function send(response: ServerResponse, { status, json }: { status: number; json: object }): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(json));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Error("the body is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
