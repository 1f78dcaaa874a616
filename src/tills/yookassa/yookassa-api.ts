import type { z } from "zod";
import type { Kopecks } from "../../contract/money.js";
import type { Clock } from "../../platform/clock.js";
import type { ExchangeOptions, HttpAnswer } from "../../platform/http-exchange.js";
import type { OutgoingAgent } from "../../platform/outgoing-agent.js";
import { SECOND_MS } from "../../platform/units.js";
import {
  amountOf,
  errorAnswer,
  type PaymentAnswer,
  type PaymentPage,
  paymentAnswer,
  paymentList,
  type RefundPage,
  refundAnswer,
  refundList,
  type YookassaRefund,
} from "./answers.js";
import type { paymentRequest } from "./payment-request.js";

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
  timeoutMs?: number;
}

/**
 * Calls the API of YooKassa. No call rejects, and each has a deadline.
 * Source: https://yookassa.ru/en/developers/using-api/interaction-format (Basic auth with the shop's id and key, and
 * `Idempotence-Key` of at most 64 characters, kept for 24 hours).
 */
export class YookassaApi {
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
    const deadline = timeoutMs === undefined ? {} : { timeoutMs };
    return this.#call(paymentAnswer, {
      method: "GET",
      path: `payments/${encodeURIComponent(id)}`,
      signal,
      ...deadline,
    });
  }

  createRefund(
    key: string,
    { paymentId, kopecks, currency }: { paymentId: string; kopecks: Kopecks; currency: string },
    signal?: AbortSignal,
  ): Promise<ApiAnswer<YookassaRefund>> {
    // A whole refund needs no receipt of its own.
    const body = { payment_id: paymentId, amount: { ...amountOf(kopecks), currency } };
    return this.#call(refundAnswer, { method: "POST", path: "refunds", body, key, signal });
  }

  refund(id: string, signal?: AbortSignal): Promise<ApiAnswer<YookassaRefund>> {
    return this.#call(refundAnswer, { method: "GET", path: `refunds/${encodeURIComponent(id)}`, signal });
  }

  /** Returns a page of the refunds that have succeeded, of those that were made after `since`. */
  refundsSince(
    since: number,
    cursor: string | undefined,
    signal?: AbortSignal,
  ): Promise<ApiAnswer<RefundPage>> {
    return this.#call(refundList, { method: "GET", path: "refunds", query: pageOf(since, cursor), signal });
  }

  /** Returns a page of the payments that have succeeded, of those that were made after `since`. */
  paymentsSince(
    since: number,
    cursor: string | undefined,
    signal?: AbortSignal,
  ): Promise<ApiAnswer<PaymentPage>> {
    return this.#call(paymentList, { method: "GET", path: "payments", query: pageOf(since, cursor), signal });
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

function pageOf(since: number, cursor: string | undefined): Record<string, string> {
  return {
    status: "succeeded",
    "created_at.gte": new Date(since).toISOString(),
    limit: String(PAGE),
    ...(cursor !== undefined && { cursor }),
  };
}

/** Source: https://yookassa.ru/en/developers/using-api/response-handling/http-codes */
function read<T>(schema: z.ZodType<T>, { status, headers, text, fault }: HttpAnswer): ApiAnswer<T> {
  if (fault) return { kind: "doubtful", cause: fault };
  if (status === 200) return { kind: "ok", value: schema.parse(JSON.parse(text)), at: dateOf(headers) };
  if (status === 429) return { kind: "throttled", retryAfterMs: retryAfterOf(headers) };
  if (!REFUSALS.includes(status))
    return { kind: "doubtful", cause: new Error(`the payment service answers ${status}`) };
  const told = errorAnswer.safeParse(jsonOf(text)).data;
  const description = [told?.parameter, told?.description].filter((part) => part !== undefined).join(": ");
  return { kind: "refused", status, code: told?.code ?? "", description };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function dateOf(headers: HttpAnswer["headers"]): number | undefined {
  const at = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(at) ? undefined : at;
}

function retryAfterOf(headers: HttpAnswer["headers"]): number | undefined {
  const given = headers.get("retry-after") ?? "";
  return /^\d{1,6}$/.test(given) ? Math.min(Number(given), RETRY_AFTER_MAX_SEC) * SECOND_MS : undefined;
}
