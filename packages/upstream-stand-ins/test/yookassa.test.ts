import { expect, test } from "vitest";
import { createYookassa, Shop, ShopApi } from "../src/yookassa.js";

const HOUR_MS = 3_600_000;
const AUTHORIZATION = `Basic ${Buffer.from("shop:key").toString("base64")}`;
const BODY = {
  amount: { value: "270.00", currency: "RUB" },
  capture: true,
  confirmation: { type: "redirect", return_url: "https://t.me/bot" },
  description: "Balance",
  metadata: { invoice: "t1:a" },
};

function openShop() {
  let now = Date.UTC(2026, 0, 1);
  const clock = { now: () => now, after: () => () => {} };
  const events: string[] = [];
  const shop = new Shop({
    clock,
    pageRoot: () => "https://pay.example",
    notify: (event) => events.push(event),
  });
  const api = new ShopApi({ shop, shopId: "shop", secretKey: "key", clock });
  const post = (key: string | undefined, body: unknown = BODY, path = "/v3/payments") =>
    api.answer({
      method: "POST",
      path,
      headers: { authorization: AUTHORIZATION, "idempotence-key": key },
      body: JSON.stringify(body),
    });
  const get = (path: string) =>
    api.answer({ method: "GET", path, headers: { authorization: AUTHORIZATION }, body: "" });
  const pass = (ms: number) => {
    now += ms;
  };
  const made = () => {
    const { json } = post(`key-${shop.payments.length}`);
    return (json as { id: string }).id;
  };
  const refund = (id: string, value = "270.00", key = `refund-${shop.refunds.length}`) =>
    post(key, { payment_id: id, amount: { value, currency: "RUB" } }, "/v3/refunds");
  return { shop, api, post, get, made, refund, events, pass };
}

test("a payment is pending with a page, and is paid there once", () => {
  const { shop, get, made, events } = openShop();
  const id = made();
  expect(get(`/v3/payments/${id}`).json).toMatchObject({
    status: "pending",
    paid: false,
    confirmation: { type: "redirect", confirmation_url: `https://pay.example/pay/${id}` },
    metadata: BODY.metadata,
  });
  expect(shop.pay(id)).toBe(true);
  expect(shop.pay(id)).toBe(false);
  expect(get(`/v3/payments/${id}`).json).toMatchObject({ status: "succeeded", paid: true });
  expect(events).toEqual(["payment.succeeded"]);
});

test("the same key and data are the same payment for a day, and other data is refused", () => {
  const { shop, post, pass } = openShop();
  const first = post("one").json;
  expect(post("one").json).toEqual(first);
  expect(post("one", { ...BODY, description: "Other" })).toMatchObject({
    status: 400,
    json: { type: "error", code: "invalid_request", parameter: "Idempotence-Key" },
  });
  expect(shop.payments).toHaveLength(1);
  pass(24 * HOUR_MS);
  post("one");
  expect(shop.payments).toHaveLength(2);
});

test.each([
  ["no key", undefined, BODY],
  ["a long key", "k".repeat(65), BODY],
  ["a number as sum", "k", { ...BODY, amount: { value: 270, currency: "RUB" } }],
  ["another currency", "k", { ...BODY, amount: { value: "270.00", currency: "USD" } }],
  ["a long description", "k", { ...BODY, description: "d".repeat(129) }],
  ["an unknown field", "k", { ...BODY, capure: true }],
  ["a receipt without a contact", "k", { ...BODY, receipt: { customer: {}, items: [] } }],
])("%s is refused", (_name, key, body) => {
  const { shop, post } = openShop();
  expect(post(key, body)).toMatchObject({ status: 400, json: { code: "invalid_request" } });
  expect(shop.payments).toEqual([]);
});

test("a wrong key of the shop is 401, an unknown payment 404, another method 405", () => {
  const { api, get } = openShop();
  const call = { method: "GET", path: "/v3/payments/x", headers: {}, body: "" };
  expect(api.answer(call).status).toBe(401);
  expect(get("/v3/payments/x").status).toBe(404);
  expect(api.answer({ ...call, method: "DELETE", headers: { authorization: AUTHORIZATION } }).status).toBe(
    405,
  );
});

test("a payment that nobody confirms within an hour is canceled", () => {
  const { shop, get, made, pass } = openShop();
  const id = made();
  pass(HOUR_MS);
  expect(shop.pay(id)).toBe(false);
  expect(get(`/v3/payments/${id}`).json).toMatchObject({
    status: "canceled",
    cancellation_details: { reason: "expired_on_confirmation" },
  });
});

test("refunds never exceed the payment, and need the funds of the shop", () => {
  const { shop, get, made, refund } = openShop();
  const id = made();
  expect(refund(id).status).toBe(400);
  shop.pay(id);
  shop.funds = 100_00;
  expect(refund(id).json).toMatchObject({
    status: "canceled",
    cancellation_details: { reason: "insufficient_funds" },
  });
  expect(refund(id, "100.00").json).toMatchObject({ status: "succeeded" });
  expect(refund(id, "170.01").status).toBe(400);
  expect(get(`/v3/payments/${id}`).json).toMatchObject({ refunded_amount: { value: "100.00" } });
});

test("the list of refunds has pages", () => {
  const { shop, get, made } = openShop();
  const id = made();
  shop.pay(id);
  for (let count = 0; count < 3; count += 1) shop.refundInCabinet(id, 1_00);
  const first = get("/v3/refunds?limit=2&status=succeeded").json as { items: object[]; next_cursor?: string };
  expect(first.items).toHaveLength(2);
  expect(get(`/v3/refunds?limit=2&cursor=${first.next_cursor}`).json).toMatchObject({ items: [{}] });
});

test("a person pays on the page, and answers are lost as they were ordered", async () => {
  const standIn = await createYookassa();
  const { YOOKASSA_SHOP_ID: shop, YOOKASSA_SECRET_KEY: key } = standIn.environment();
  const post = () =>
    fetch(`${standIn.url}/v3/payments`, {
      method: "POST",
      headers: {
        authorization: `Basic ${Buffer.from(`${shop}:${key}`).toString("base64")}`,
        "idempotence-key": "one",
      },
      body: JSON.stringify(BODY),
    });
  standIn.order("POST /v3/payments", "cut-after");
  await expect(post()).rejects.toThrow();
  const { confirmation } = (await (await post()).json()) as { confirmation: { confirmation_url: string } };
  expect(standIn.shop.payments).toHaveLength(1);
  const page = await (await fetch(confirmation.confirmation_url)).text();
  expect(page).toContain("Pay 270.00 ₽");
  const headers = { "accept-language": "ru-RU,ru;q=0.9,en;q=0.8" };
  expect(await (await fetch(confirmation.confirmation_url, { headers })).text()).toContain(
    "Заплатить 270,00 ₽",
  );
  const body = new URLSearchParams({ act: "pay" });
  expect(await (await fetch(confirmation.confirmation_url, { method: "POST", body })).text()).toContain(
    "Paid",
  );
  expect(standIn.shop.payments[0]?.status).toBe("succeeded");
  await standIn.close();
});
