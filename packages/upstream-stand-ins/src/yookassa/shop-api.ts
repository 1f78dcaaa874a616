import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import type { Clock } from "../clock.js";
import type { Shop } from "./shop.js";
import { paymentSchema, refundSchema } from "./shop-requests.js";

/** A call of the API. Names of headers are in lower case. */
export interface ShopCall {
  method: string;
  /** Path and query, such as `/v3/payments/ID`. */
  path: string;
  headers: Readonly<Record<string, string | undefined>>;
  body: string;
}

export interface ShopAnswer {
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
  readonly #options: ShopApiOptions;
  readonly #kept = new Map<string, KeptCall>();

  constructor(options: ShopApiOptions) {
    this.#options = options;
  }

  answer({ method, path, headers, body }: ShopCall): ShopAnswer {
    const { shop, shopId, secretKey } = this.#options;
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
    const { shop } = this.#options;
    const [, kind, id] = /^\/v3\/(payments|refunds)\/([\w-]+)$/.exec(path) ?? [];
    const payment = kind === "payments" ? shop.payment(id ?? "") : undefined;
    if (payment) return { status: 200, json: shop.shownPayment(payment) };
    const refund = kind === "refunds" ? shop.refunds.find((one) => one.id === id) : undefined;
    return refund ? { status: 200, json: shop.shownRefund(refund) } : refusal(404, "not_found", "id");
  }

  #post(path: string, key: string | undefined, body: unknown): ShopAnswer {
    if (!key || key.length > KEY_LENGTH_MAX) return refusal(400, "invalid_request", "Idempotence-Key");
    const now = this.#options.clock.now();
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
    const { shop } = this.#options;
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

/** Source: https://yookassa.ru/en/developers/api, section "Lists". */
function listOf<T extends { madeAt: number; status: string }>(
  all: readonly T[],
  query: URLSearchParams,
  show: (one: T) => object,
): ShopAnswer {
  const since = Date.parse(query.get("created_at.gte") ?? "1970-01-01");
  const status = query.get("status");
  const limit = Number(query.get("limit") ?? 10);
  const from = Number(query.get("cursor") ?? 0);
  if (Number.isNaN(since) || !(limit >= 1 && limit <= PAGE_MAX) || !Number.isSafeInteger(from))
    return refusal(400, "invalid_request", "limit");
  const found = all.filter((one) => one.madeAt >= since && (status === null || one.status === status));
  const items = found.slice(from, from + limit).map(show);
  const hasMore = found.length > from + limit;
  return {
    status: 200,
    json: { type: "list", items, ...(hasMore && { next_cursor: String(from + limit) }) },
  };
}

/** Source: https://yookassa.ru/developers/using-api/response-handling/response-format */
export function refusal(status: number, code: string, parameter: string): ShopAnswer {
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
