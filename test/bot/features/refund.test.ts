import { expect, test } from "vitest";
import { ANN, MAX } from "../../support/bot-harness.js";
import { brokenConnection, refusal } from "../../support/bot-world.js";
import { money, t } from "../../support/drafts.js";
import { openPaymentsHarness, paidMessage } from "../../support/payments.js";

const PRICE = t("price-stars", { price: 50, sum: "" });
const WORDS = { price: PRICE, way: t("refund-way-stars") };
const REFUND = t("button-payment-refund", WORDS);
const SURE = t("button-payment-sure-refund", WORDS);

async function openPaid(spent = 0) {
  const harness = await openPaymentsHarness();
  await harness.send(paidMessage(await harness.openInvoice(), "c1"));
  if (spent > 0) {
    const debit = { userId: ANN.id, kopecks: spent as never, reason: null, actor: "x", idempotencyKey: "k" };
    await harness.users.debit(debit);
  }
  return harness;
}

test.each(["1", "№1", "P-1", "p1", "Р-1", "р – 1", "c1"])("/refund %s shows the payment", async (word) => {
  const { say, said } = await openPaid();
  await say(`/refund ${word}`, MAX);
  expect(said().at(-1)).toContain("P-1");
});

test("a second question, tapped twice, refunds a payment whole and once", async () => {
  const { say, tap, buttons, telegram, balance, said, payments, audit } = await openPaid();
  await say("/refund 1", MAX);
  await tap(buttons().get(REFUND) ?? "", telegram.lastId, MAX);
  const asked = { ...WORDS, number: "P-1", person: `id <code>${ANN.id}</code>` };
  expect(said().at(-1)).toContain(t("payment-ask-refund", asked));
  expect(telegram.callsOf("refundStarPayment")).toEqual([]);
  expect(await balance()).toBe(50_00);
  const data = buttons().get(SURE) ?? "";
  await Promise.all([tap(data, telegram.lastId, MAX), tap(data, telegram.lastId, MAX)]);
  await tap(data, telegram.lastId, MAX);
  const charge = { user_id: ANN.id, telegram_payment_charge_id: "c1" };
  expect(telegram.payloadsOf("refundStarPayment")).toEqual([charge]);
  expect(await balance()).toBe(0);
  expect(said()).toContain(t("payment-refunded", { price: PRICE }));
  expect(payments.byId(1)).toMatchObject({ state: "refunded" });
  expect(audit.list({ limit: 9 })).toMatchObject([{ act: "refund", actor: `telegram:${MAX.id}` }]);
});

test("what a balance lacks is named by the question, and asked again where it has changed", async () => {
  const { say, tap, buttons, telegram, balance, said } = await openPaid(20_00);
  await say("/refund P-1", MAX);
  await tap("rf:1:R:5000:0", telegram.lastId, MAX);
  expect(said().at(-1)).toContain(t("refund-share-owed", { owed: money(20_00) }));
  expect(await balance()).toBe(30_00);
  await tap(buttons().get(SURE) ?? "", telegram.lastId, MAX);
  expect(await balance()).toBe(0);
  expect(said()).toContain(t("payment-refunded-owed", { price: PRICE, owed: money(20_00) }));
});

test("a part that was paid back, with its debt, is told before the rest is refunded", async () => {
  const { tap, telegram, payments, toldTo } = await openPaid(50_00);
  const part = { till: "stars", chargeId: "c1", invoiceRef: "unknown", price: 50, returned: 20 };
  await payments.takeRefund({ ...part, userId: ANN.id, paidAt: 1 });
  await tap("rf:1:R:3000:3000", telegram.lastId, MAX);
  const told = (sum: number) =>
    t("payment-part-refunded-owed", { number: "P-1", sum: money(sum), owed: money(sum) });
  expect(toldTo(ANN.id).slice(-2)).toEqual([told(20_00), told(30_00)]);
});

test.each([
  ["CHARGE_NOT_FOUND", "payment-refund-refused-too_old", 50_00, "credited"],
  ["USER_BOT_INVALID", "payment-refund-refused-not_possible", 50_00, "credited"],
  ["CHARGE_ALREADY_REFUNDED", "payment-refund-done", 0, "refunded"],
])("after %s the admin reads %s, and the balance is %s", async (description, key, left, state) => {
  const { say, tap, telegram, balance, said, payments } = await openPaid();
  telegram.failNext("refundStarPayment", refusal(400, `Bad Request: ${description}`));
  await say("/refund 1", MAX);
  await tap("rf:1:R:5000:0", telegram.lastId, MAX);
  expect(said().filter((text) => String(text).includes(t(key)))).toHaveLength(1);
  expect(await balance()).toBe(left);
  expect(payments.byId(1)).toMatchObject({ state });
});

test("an answer that was lost keeps the sum away from the balance until it is known", async () => {
  const { say, tap, telegram, balance, said, payments } = await openPaid();
  telegram.failNext("refundStarPayment", brokenConnection());
  await say("/refund 1", MAX);
  await tap("rf:1:R:5000:0", telegram.lastId, MAX);
  expect(said().at(-1)).toContain(t("payment-refund-pending"));
  expect(await balance()).toBe(0);
  expect(payments.byId(1)).toMatchObject({ state: "refunding" });
});

test("a held payment is credited to who paid, at the price of today, or refunded", async () => {
  const { say, tap, send, telegram, balance, said, payments } = await openPaymentsHarness();
  await say("/help");
  await send(paidMessage({ ref: "unknown", price: 50 }, "c1"));
  await send(paidMessage({ ref: "unknown", price: 50 }, "c2"));
  await say("/refund c1", MAX);
  await tap("rf:1:c", telegram.lastId, MAX);
  expect(await balance()).toBe(0);
  await tap("rf:1:C:5000:0", telegram.lastId, MAX);
  await tap("rf:1:C:5000:0", telegram.lastId, MAX);
  expect(await balance()).toBe(50_00);
  expect(said()).toContain(t("payment-credited", { sum: money(50_00), balance: money(50_00) }));
  await tap("rf:2:R:0:0", telegram.lastId, MAX);
  expect(said()).toContain(t("payment-refunded-held", { price: PRICE }));
  expect(await balance()).toBe(50_00);
  expect(payments.byId(2)).toMatchObject({ state: "refunded" });
});

test("a held payment of which a part is back is named, credited and told without it", async () => {
  const { say, tap, send, telegram, balance, said, payments, buttons } = await openPaymentsHarness();
  await say("/help");
  await send(paidMessage({ ref: "unknown", price: 50 }, "c1"));
  const part = { till: "stars", chargeId: "c1", invoiceRef: "unknown", price: 50, returned: 20 };
  await payments.takeRefund({ ...part, userId: ANN.id, paidAt: 1 });
  await say("/refund c1", MAX);
  const sum = money(30_00);
  expect([...buttons().keys()]).toContain(t("button-payment-credit", { sum }));
  await tap("rf:1:c", telegram.lastId, MAX);
  expect(said().at(-1)).toContain(`<b>${sum}</b>`);
  await tap(buttons().get(t("button-payment-sure-credit", { sum })) ?? "", telegram.lastId, MAX);
  expect(await balance()).toBe(30_00);
  expect(said()).toContain(t("payment-credited", { sum, balance: sum }));
});

test("a held payment in another currency is never a button that adds rubles", async () => {
  const { say, tap, buttons, telegram, balance, said, payments } = await openPaymentsHarness();
  await say("/help");
  const paid = { till: "stars", chargeId: "usd", invoiceRef: "", userId: ANN.id, price: 300_00, paidAt: 1 };
  await payments.take({ ...paid, currency: "USD" });
  await say("/refund P-1", MAX);
  expect(said().at(-1)).toContain("300.00 USD");
  expect([...buttons().values()].filter((data) => data.startsWith("rf:1:"))).toEqual(["rf:1:r", "rf:1:x"]);
  await tap("rf:1:C:30000:0", telegram.lastId, MAX);
  const held = { paymentId: 1, userId: ANN.id, kopecks: 1 as never, actor: "a" };
  expect(await payments.creditHeld(held)).toBeUndefined();
  expect(await balance()).toBe(0);
});
