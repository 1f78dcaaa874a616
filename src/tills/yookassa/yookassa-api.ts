import { z } from "zod";
import { asKopecks, type Kopecks, parseRubles } from "../../contract/price.js";
import type { Clock } from "../../platform/clock.js";
import type { ExchangeOptions, HttpAnswer } from "../../platform/http-exchange.js";
import { parseJson } from "../../platform/json.js";
import type { OutgoingAgent } from "../../platform/outgoing-agent.js";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../platform/units.js";
import type { ReceiptContact } from "../till.js";

const DESCRIPTION_MAX = 128;

const id = z.string().min(1).max(64);

/** Reads `{"value":"270.00","currency":"RUB"}`. */
const amount = z
  .object({ value: z.string().regex(/^\d{1,10}\.\d{2}$/), currency: z.string().max(8) })
  .transform(({ value, currency }) => ({ kopecks: parseRubles(value) ?? asKopecks(0), currency }));

/**
 * Reads the fields that are needed of a payment.
 * Source: https://yookassa.ru/en/developers/api, section "Payment object".
 */
export const paymentAnswer = z.object({
  id,
  status: z.enum(["pending", "waiting_for_capture", "succeeded", "canceled"]),
  paid: z.boolean(),
  amount,
  refunded_amount: amount.optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  confirmation: z.object({ confirmation_url: z.url({ protocol: /^https?$/ }).optional() }).optional(),
  created_at: z.iso.datetime({ offset: true }).optional(),
  captured_at: z.iso.datetime({ offset: true }).optional(),
  cancellation_details: z.object({ party: z.string(), reason: z.string() }).optional(),
  description: z.string().max(DESCRIPTION_MAX).optional().catch(undefined),
});
export type PaymentAnswer = z.infer<typeof paymentAnswer>;

/** Reads a refund. Source: https://yookassa.ru/developers/payments/refunds */
const refundAnswer = z.object({
  id,
  payment_id: id,
  status: z.enum(["pending", "succeeded", "canceled"]),
  amount,
  cancellation_details: z.object({ party: z.string(), reason: z.string() }).optional(),
});
export type YookassaRefund = z.infer<typeof refundAnswer>;

/**
 * Reads a page of a list. A shop may have some that are not of this service, so each is read on its own.
 * Source: https://yookassa.ru/en/developers/api, section "Lists".
 */
const listPage = z.object({
  items: z.array(z.unknown()).max(1000),
  next_cursor: z.string().min(1).max(512).nullish().catch(undefined),
});
type ListPage = z.infer<typeof listPage>;

/** Names what is asked for of a list: made between two moments, in ms, and the place of its page. */
interface ListPlace {
  since: number;
  before: number | undefined;
  cursor: string | undefined;
}

/** Reads which payment a refund of a list is of: the payment tells the rest. */
export const listedRefund = z.object({ payment_id: id });
export type ListedRefund = z.infer<typeof listedRefund>;

/** Names an element of a list that could not be read. */
export function idOf(given: unknown): string {
  return z.object({ id: z.string() }).safeParse(given).data?.id.slice(0, 40) ?? "–";
}

/** Returns when an element of a list was made, in ms. Undefined where it does not say. */
export function madeAtOf(given: unknown): number | undefined {
  const { data } = z.object({ created_at: z.iso.datetime({ offset: true }) }).safeParse(given);
  return data && Date.parse(data.created_at);
}

/** Reads why a call is refused. Source: https://yookassa.ru/developers/using-api/response-handling/response-format */
const errorAnswer = z.object({
  code: z.string().max(64),
  description: z.string().max(2000).optional(),
  parameter: z.string().max(200).optional(),
});

/**
 * Reads the object that a notification is about; everything else in it is left alone.
 * Source: https://yookassa.ru/developers/using-api/webhooks
 */
export const notification = z.object({
  type: z.literal("notification"),
  event: z.string().max(64),
  object: z.object({ id, payment_id: id.optional() }),
});

/** Writes a sum as the API takes it. */
function amountOf(kopecks: Kopecks): { value: string; currency: string } {
  return { value: (kopecks / 100).toFixed(2), currency: SHOP_CURRENCY };
}

type PaymentMode = "full_payment" | "full_prepayment" | "advance";

/** What a shop's receipts (54-FZ) say. */
export interface ReceiptSettings {
  vatCode: number;
  taxSystem: number | undefined;
  paymentMode: PaymentMode;
}

interface RequestedPayment {
  invoiceRef: string;
  kopecks: Kopecks;
  description: string;
  returnUrl: string;
  receipt: ReceiptSettings | undefined;
  contact: ReceiptContact | undefined;
}

/** The key under which a payment carries the name of its invoice. */
export const INVOICE_KEY = "invoice";

/**
 * Writes the body of a payment that is captured at once, on the page of the service.
 * Sources: https://yookassa.ru/en/developers/api, section "Create a payment", and
 * https://yookassa.ru/developers/54fz/parameters-values for receipts.
 */
export function paymentRequest({ invoiceRef, kopecks, ...payment }: RequestedPayment) {
  const description = [...payment.description].slice(0, DESCRIPTION_MAX).join("");
  const { receipt, contact } = payment;
  return {
    amount: amountOf(kopecks),
    capture: true,
    confirmation: { type: "redirect", return_url: payment.returnUrl },
    description,
    metadata: { [INVOICE_KEY]: invoiceRef },
    ...(receipt && contact && { receipt: receiptOf(receipt, contact, kopecks, description) }),
  };
}

export type Receipt = ReturnType<typeof receiptOf>;

/** Writes a receipt of what is paid, or of what is paid back. */
export function receiptOf(
  { vatCode, taxSystem, paymentMode }: ReceiptSettings,
  contact: ReceiptContact,
  kopecks: Kopecks,
  description: string,
) {
  const item = {
    description,
    quantity: 1,
    amount: amountOf(kopecks),
    vat_code: vatCode,
    payment_subject: "service",
    payment_mode: paymentMode,
  };
  return {
    customer: contact,
    items: [item],
    ...(taxSystem !== undefined && { tax_system_code: taxSystem }),
  };
}

interface RequestedRefund {
  paymentId: string;
  kopecks: Kopecks;
  currency: string;
  /** That of a whole refund is made by the service. Source: https://yookassa.ru/developers/54fz/refunds */
  receipt: Receipt | undefined;
}

const CALL_MS = 10 * SECOND_MS;
const BODY_BYTES_MAX = 1024 * 1024;
const PAGE = 100;
const RETRY_AFTER_MAX_SEC = 600;

/** Statuses of a call that was surely not carried out. */
const REFUSALS = [400, 401, 403, 404, 405, 415];

export type ApiAnswer<T> =
  | { kind: "ok"; value: T; at: number | undefined }
  | { kind: "refused"; status: number; code: string; description: string }
  | { kind: "throttled"; retryAfterMs: number | undefined }
  /** Nobody knows what became of it: a POST is repeated with its key. */
  | { kind: "doubtful"; cause: unknown };

export interface YookassaApiOptions {
  /** Scheme, host and port. */
  root: URL;
  shopId: string;
  secretKey: string;
  dispatcher: OutgoingAgent;
  exchange: (options: ExchangeOptions) => Promise<HttpAnswer>;
  clock: Clock;
}

interface ApiCall {
  method: "GET" | "POST";
  path: string;
  query?: Readonly<Record<string, string>>;
  body?: object;
  key?: string;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
}

/**
 * Calls the API of YooKassa. No call rejects, and each has a deadline.
 * Source: https://yookassa.ru/en/developers/using-api/interaction-format (Basic auth with the shop's id and key, and
 * `Idempotence-Key` of at most 64 characters, kept for 24 hours).
 */
export class YookassaApi {
  /** Has the key of the shop. */
  readonly #options: YookassaApiOptions;

  constructor(options: YookassaApiOptions) {
    this.#options = options;
  }

  createPayment(
    key: string,
    body: ReturnType<typeof paymentRequest>,
    signal?: AbortSignal,
  ): Promise<ApiAnswer<PaymentAnswer>> {
    return this.#call(paymentAnswer, { method: "POST", path: "payments", body, key, signal });
  }

  payment(id: string, signal?: AbortSignal, timeoutMs?: number): Promise<ApiAnswer<PaymentAnswer>> {
    const path = `payments/${encodeURIComponent(id)}`;
    return this.#call(paymentAnswer, { method: "GET", path, signal, timeoutMs });
  }

  createRefund(
    key: string,
    { paymentId, kopecks, currency, receipt }: RequestedRefund,
    signal?: AbortSignal,
  ): Promise<ApiAnswer<YookassaRefund>> {
    const amount = { ...amountOf(kopecks), currency };
    const body = { payment_id: paymentId, amount, ...(receipt && { receipt }) };
    return this.#call(refundAnswer, { method: "POST", path: "refunds", body, key, signal });
  }

  refund(id: string, signal?: AbortSignal): Promise<ApiAnswer<YookassaRefund>> {
    return this.#call(refundAnswer, { method: "GET", path: `refunds/${encodeURIComponent(id)}`, signal });
  }

  /** Returns a page of those that have succeeded, the newest first. Source: https://yookassa.ru/developers/using-api/lists */
  succeeded(
    list: "payments" | "refunds",
    { since, before, cursor }: ListPlace,
    signal?: AbortSignal,
  ): Promise<ApiAnswer<ListPage>> {
    const query = {
      status: "succeeded",
      "created_at.gte": new Date(since).toISOString(),
      ...(before !== undefined && { "created_at.lt": new Date(before).toISOString() }),
      limit: String(PAGE),
      ...(cursor !== undefined && { cursor }),
    };
    return this.#call(listPage, { method: "GET", path: list, query, signal });
  }

  async #call<T>(schema: z.ZodType<T>, call: ApiCall): Promise<ApiAnswer<T>> {
    try {
      return read(schema, await this.#send(call));
    } catch (cause) {
      return { kind: "doubtful", cause };
    }
  }

  #send({ method, path, query, body, key, signal, timeoutMs = CALL_MS }: ApiCall): Promise<HttpAnswer> {
    const { root, shopId, secretKey, exchange, dispatcher, clock } = this.#options;
    const url = new URL(`/v3/${path}`, root);
    url.search = new URLSearchParams(query).toString();
    const headers = {
      accept: "application/json",
      authorization: `Basic ${Buffer.from(`${shopId}:${secretKey}`).toString("base64")}`,
      ...(body && { "content-type": "application/json" }),
      ...(key !== undefined && { "idempotence-key": key }),
    };
    return exchange({
      dispatcher,
      clock,
      method,
      url,
      headers,
      ...(body && { body: JSON.stringify(body) }),
      timeoutMs,
      bodyBytesMax: BODY_BYTES_MAX,
      signal,
    });
  }
}

/** Source: https://yookassa.ru/en/developers/using-api/response-handling/http-codes */
function read<T>(schema: z.ZodType<T>, { status, headers, text, fault }: HttpAnswer): ApiAnswer<T> {
  if (fault) return { kind: "doubtful", cause: fault };
  if (status === 200) return { kind: "ok", value: schema.parse(JSON.parse(text)), at: dateOf(headers) };
  if (status === 429) return { kind: "throttled", retryAfterMs: retryAfterOf(headers) };
  if (!REFUSALS.includes(status))
    return { kind: "doubtful", cause: new Error(`the payment service answers ${status}`) };
  const told = errorAnswer.safeParse(parseJson(text)).data;
  const description = [told?.parameter, told?.description].filter((part) => part !== undefined).join(": ");
  return { kind: "refused", status, code: told?.code ?? "", description };
}

function dateOf(headers: HttpAnswer["headers"]): number | undefined {
  const at = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(at) ? undefined : at;
}

function retryAfterOf(headers: HttpAnswer["headers"]): number | undefined {
  const given = headers.get("retry-after") ?? "";
  return /^\d{1,6}$/.test(given) ? Math.min(Number(given), RETRY_AFTER_MAX_SEC) * SECOND_MS : undefined;
}

export const SHOP_CURRENCY = "RUB";

/** How long a payment can be confirmed. Source: https://yookassa.ru/developers/payment-acceptance, one hour. */
export const CONFIRMED_WITHIN_MS = HOUR_MS;

type PaymentVerdict =
  | { kind: "open" }
  | { kind: "canceled"; reason: string }
  /** `isOurs` is false where the answer does not say what was asked for: then the money is held. */
  | { kind: "paid"; isOurs: boolean; kopecks: Kopecks; currency: string };

/** Judges what the service says of a payment. Only what agrees with the row in everything is ours. */
export function judgePayment(
  answer: PaymentAnswer,
  row: { invoice_ref: string; kopecks: Kopecks; payment_id: string | null },
): PaymentVerdict {
  const { status, paid, amount, metadata } = answer;
  if (status === "pending" || status === "waiting_for_capture") return { kind: "open" };
  if (status === "canceled")
    return { kind: "canceled", reason: answer.cancellation_details?.reason ?? "unknown" };
  const isOurs =
    paid &&
    answer.id === row.payment_id &&
    amount.currency === SHOP_CURRENCY &&
    amount.kopecks === row.kopecks &&
    metadata?.[INVOICE_KEY] === row.invoice_ref;
  return { kind: "paid", isOurs, kopecks: amount.kopecks, currency: amount.currency };
}

/** Returns the pause until a payment of this age is asked about again: seconds while somebody may be paying it. */
export function pauseAfter(ageMs: number): number {
  if (ageMs < 2 * MINUTE_MS) return 5 * SECOND_MS;
  if (ageMs < 10 * MINUTE_MS) return 15 * SECOND_MS;
  if (ageMs < CONFIRMED_WITHIN_MS + 10 * MINUTE_MS) return Math.round(ageMs / 20);
  // Past its hour only an outage of the service leaves it open.
  return ageMs < 24 * HOUR_MS ? HOUR_MS : 24 * HOUR_MS;
}
