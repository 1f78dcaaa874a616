import { expect, test } from "vitest";
import { receiptContacts } from "../../../src/bot/payments/receipt-contact.js";
import { asKopecks } from "../../../src/contract/price.js";
import { table } from "../../../src/database/table.js";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/platform/units.js";
import { ANN } from "../../support/bot-harness.js";
import { openBotWorld, refusal } from "../../support/bot-world.js";
import { texts } from "../../support/drafts.js";
import { eventually } from "../../support/eventually.js";
import { failOnce } from "../../support/fail-once.js";
import { openYookassaHarness } from "../../support/yookassa.js";

const { t, money } = texts.in("en");
const PRICE = t("price-yookassa", { price: 0, sum: money(300_00) });
const RETURNED = t("payment-refunded", { price: PRICE });

/** A bot whose person has paid 300 rubles. */
async function openPaid(options: Parameters<typeof openYookassaHarness>[0] = {}) {
  const harness = await openYookassaHarness(options);
  await harness.buy();
  harness.shop.shop.pay(harness.payment().id);
  await harness.untilBalance(300_00);
  const request = { paymentId: 1, actor: "telegram:9", reason: null, mayOwe: false };
  return {
    ...harness,
    refund: () => harness.payments.refund(request, harness.till),
    state: () => harness.payments.byId(1)?.state,
    spend: (kopecks: number) =>
      harness.users.debit({
        userId: ANN.id,
        kopecks: asKopecks(kopecks),
        reason: null,
        actor: "x",
        idempotencyKey: "spent",
      }),
  };
}

test.each(["unanswered", "not_sent", 500, 429, 401] as const)(
  "a refund whose POST is %s ends by itself, with one key, and is told once",
  async (fault) => {
    const { refund, shop, balance, said, state, world } = await openPaid();
    shop.faults.push({ of: "POST refunds", fault });
    expect((await refund()).kind).toBe("pending");
    expect(await balance()).toBe(0);
    await world.clock.advance(3 * MINUTE_MS);
    expect(state()).toBe("refunded");
    expect(shop.shop.refunds).toHaveLength(1);
    expect(new Set(shop.callsOf("POST refunds").map(({ key }) => key)).size).toBe(1);
    expect(said().filter((text) => text === RETURNED)).toHaveLength(1);
  },
);

test("a refund that the shop cannot pay gives the debit back, and can be tried again with another key", async () => {
  const { refund, shop, balance, state } = await openPaid();
  shop.shop.funds = 100_00;
  expect(await refund()).toMatchObject({ kind: "refused", reason: "no_funds" });
  expect(await balance()).toBe(300_00);
  expect(state()).toBe("credited");
  shop.shop.funds = 300_00;
  expect(await refund()).toMatchObject({ kind: "refunded" });
  expect(await balance()).toBe(0);
  expect(new Set(shop.callsOf("POST refunds").map(({ key }) => key)).size).toBe(2);
});

test("a refund that takes days is asked about, and not made twice", async () => {
  const { refund, shop, balance, state, world, said } = await openPaid();
  shop.shop.areRefundsSlow = true;
  expect((await refund()).kind).toBe("pending");
  await world.clock.advance(5 * MINUTE_MS);
  world.clock.step(2 * DAY_MS);
  await world.clock.advance(5 * MINUTE_MS);
  expect(state()).toBe("refunding");
  expect(shop.callsOf("POST refunds")).toHaveLength(1);
  shop.shop.settleRefund(shop.shop.refunds[0]?.id ?? "");
  await world.clock.advance(2 * MINUTE_MS);
  expect(state()).toBe("refunded");
  expect(await balance()).toBe(0);
  expect(said()).toContain(RETURNED);
});

test("a key that has died is not used again: the sum that was paid back decides", async () => {
  const { refund, shop, balance, state, world } = await openPaid();
  shop.faults.push({ of: "POST refunds", fault: "not_sent" });
  await refund();
  world.clock.step(DAY_MS);
  await world.clock.advance(2 * MINUTE_MS);
  expect(shop.shop.refunds).toEqual([]);
  expect(state()).toBe("credited");
  expect(await balance()).toBe(300_00);
});

test("a clock that is set back by hours does not prolong the life of a key", async () => {
  const { refund, shop, state, world } = await openPaid();
  shop.faults.push({ of: "POST refunds", fault: "not_sent" });
  await refund();
  // A day.
  world.clock.step(-3 * HOUR_MS);
  world.clock.step(DAY_MS);
  await world.clock.advance(2 * MINUTE_MS);
  expect(shop.shop.refunds).toEqual([]);
  expect(state()).toBe("credited");
});

test.each([
  "till:refund-begin",
  "yookassa:refund",
  "yookassa:refund-named",
  "yookassa:refund-end",
  "till:refund-end",
])("a write of %s that fails makes one refund in the end", async (label) => {
  const failPoint = failOnce("commit:before", label);
  const first = await openPaid({ world: openBotWorld(failPoint) });
  const { world, shop, refund, close } = first;
  await refund().catch(() => {});
  await close();
  const second = await openYookassaHarness({ world, shop });
  const request = { paymentId: 1, actor: "telegram:9", reason: null, mayOwe: false };
  if (second.payments.byId(1)?.state === "credited") await second.payments.refund(request, second.till);
  await world.clock.advance(3 * MINUTE_MS);
  expect(failPoint.hasFailed).toBe(true);
  expect(second.payments.byId(1)?.state).toBe("refunded");
  expect(shop.shop.refunds).toHaveLength(1);
  expect(await second.balance()).toBe(0);
});

test("a refund in the shop's cabinet is debited, the rest is a debt, and operators hear of it", async () => {
  const { shop, payment, balance, told, said, spend, world, state } = await openPaid();
  await spend(100_00);
  shop.shop.refundInCabinet(payment().id);
  await world.clock.advance(11 * MINUTE_MS);
  expect(state()).toBe("refunded");
  expect(await balance()).toBe(0);
  expect(told).toMatchObject([{ kind: "payment_refunded", till: "yookassa", price: 300_00, owed: 100 }]);
  expect(said().at(-1)).toBe(t("payment-refunded-owed", { price: PRICE, owed: money(100_00) }));
});

test("a notification of a refund makes it seen at once", async () => {
  const { shop, payment, till, balance } = await openPaid();
  shop.shop.refundInCabinet(payment().id);
  till.takeHint(shop.notifications.at(-1));
  await eventually("the debit", async () => (await balance()) === 0);
});

test("a part that was refunded in the cabinet is told and debited once", async () => {
  const { shop, payment, said, told, balance, state, world } = await openPaid();
  shop.shop.refundInCabinet(payment().id, 100_00);
  await world.clock.advance(31 * MINUTE_MS);
  expect(told).toEqual([
    {
      kind: "payment_partly_refunded",
      number: 1,
      till: "yookassa",
      price: 300_00,
      currency: null,
      refunded: 100,
      owed: 0,
      user: String(ANN.id),
    },
  ]);
  expect(await balance()).toBe(200_00);
  expect(said()).toContain(t("payment-part-refunded", { number: "P-1", sum: money(100_00), owed: "" }));
  shop.shop.refundInCabinet(payment().id);
  await world.clock.advance(11 * MINUTE_MS);
  expect(state()).toBe("refunded");
  expect(await balance()).toBe(0);
});

test.each([true, false])(
  "the rest of a part that was refunded in the cabinet is refunded (part seen: %s)",
  async (isSeen) => {
    const { shop, payment, refund, balance, said, state, world } = await openPaid();
    shop.shop.refundInCabinet(payment().id, 100_00);
    if (isSeen) await world.clock.advance(11 * MINUTE_MS);
    expect(await refund()).toMatchObject({ kind: "refunded" });
    expect(shop.shop.refunds.map(({ kopecks }) => kopecks)).toEqual([100_00, 200_00]);
    expect([state(), await balance(), payment().refundedKopecks]).toEqual(["refunded", 0, 300_00]);
    await world.clock.advance(21 * MINUTE_MS);
    const rest = t("payment-part-refunded", { number: "P-1", sum: money(200_00) });
    expect(said().slice(-2)).toContain(isSeen ? rest : RETURNED);
    expect([await balance(), world.database && state()]).toEqual([0, "refunded"]);
  },
);

test("the refund of a rest has one receipt over all tries, which is forgotten when it has ended", async () => {
  const receipt = { vatCode: 1, taxSystem: undefined, paymentMode: "full_payment" } as const;
  const { buy, say, shop, payment, untilBalance, payments, till, world, database } =
    await openYookassaHarness({ settings: { receipt } });
  await buy();
  await say("ann@example.com");
  shop.shop.pay(payment().id);
  await untilBalance(300_00);
  shop.shop.refundInCabinet(payment().id, 100_00);
  await world.clock.advance(11 * MINUTE_MS);
  shop.faults.push({ of: "POST refunds", fault: "unanswered" });
  const request = { paymentId: 1, actor: "telegram:9", reason: null, mayOwe: false };
  expect((await payments.refund(request, till)).kind).toBe("pending");
  await database.write("moved", (tx) =>
    receiptContacts.update(tx, { user_id: ANN.id }, { contact: "79000000000" }),
  );
  await world.clock.advance(3 * MINUTE_MS);
  expect(payments.byId(1)?.state).toBe("refunded");
  expect(new Set(shop.callsOf("POST refunds").map(({ body }) => body)).size).toBe(1);
  expect(shop.shop.refunds[1]?.receipt).toMatchObject({
    customer: { email: "ann@example.com" },
    items: [{ description: payment().wanted.description, amount: { value: "200.00" }, vat_code: 1 }],
  });
  expect(table("yookassa_refund").all(database, {})).toMatchObject([{ state: "done", receipt: null }]);
});

test("a payment that was paid back before it was seen leaves nothing on the balance", async () => {
  const harness = await openYookassaHarness();
  const { buy, shop, payment, world, payments, balance } = harness;
  await buy();
  shop.shop.pay(payment().id);
  shop.shop.refundInCabinet(payment().id);
  await world.clock.advance(10_000);
  expect(payments.byCharge("yookassa", payment().id)?.state).toBe("refunded");
  expect(await balance()).toBe(0);
});

test.each([429, 500, "till:payment-refund"] as const)(
  "a refund of long ago that is listed, and not taken because of %s, is taken by a later look",
  async (fault) => {
    const failPoint = failOnce("commit:before", String(fault));
    const first = await openPaid({ world: openBotWorld(failPoint) });
    const { shop, world } = first;
    await world.clock.advance(11 * MINUTE_MS);
    await first.close();
    world.clock.step(HOUR_MS);
    shop.shop.refundInCabinet(first.payment().id);
    world.clock.step(8 * DAY_MS);
    if (typeof fault === "number")
      shop.onCall = (kind) => {
        if (kind !== "GET refunds") return;
        shop.faults.push({ of: "GET payments", fault });
        shop.onCall = () => {};
      };
    const second = await openYookassaHarness({ world, shop });
    await eventually("the debit", async () => {
      await world.clock.advance(5 * MINUTE_MS);
      return (await second.balance()) === 0 && second.payments.byId(1)?.state === "refunded";
    });
    const unread = second.told.filter(({ kind }) => kind === "payments_unread");
    expect(unread).toMatchObject([{ till: "yookassa", count: 1 }]);
  },
);

const ODD = [
  null,
  7,
  "a",
  [],
  {},
  { id: 5 },
  { id: "odd-1" },
  { id: "odd-2", payment_id: "", status: "succeeded" },
  { id: "odd-3", payment_id: 7, amount: { value: "-1.00", currency: "RUB" } },
  { id: "x".repeat(5000), created_at: "2026-02-30", amount: null },
];

test("odd elements of the shop's lists hide no refund and no payment behind them, and operators hear of them", async () => {
  const first = await openPaid();
  const { shop, world } = first;
  shop.odd = ODD;
  shop.shop.refundInCabinet(first.payment().id);
  await world.clock.advance(11 * MINUTE_MS);
  expect(first.state()).toBe("refunded");
  expect(await first.balance()).toBe(0);
  const unread = () => first.told.filter((notice) => notice.kind === "payments_unread");
  expect(unread()).toContainEqual(expect.objectContaining({ till: "yookassa", count: ODD.length }));
  for (const notice of unread()) expect(notice.names.length).toBeLessThan(250);

  await first.buy();
  const second = shop.shop.payments.at(-1);
  if (!second) throw new Error("no payment");
  await first.loseName(second.id);
  shop.shop.pay(second.id);
  await eventually("the payment behind them", async () => {
    await world.clock.advance(5 * MINUTE_MS);
    return (await first.balance()) > 0;
  });
  await first.close();
});

test("a credit and what was paid back of it, both told late, are told each with its own sum", async () => {
  const { buy, shop, payment, untilBalance, telegram, world, said } = await openYookassaHarness();
  await buy();
  shop.shop.pay(payment().id);
  const down = refusal(500, "Internal Server Error");
  telegram.failNext("sendMessage", down, down);
  shop.shop.refundInCabinet(payment().id, 100_00);
  await untilBalance(200_00);
  await world.clock.advance(2 * MINUTE_MS);
  const told = { sum: money(300_00), balance: money(200_00) };
  expect(said()).toContain(t("payment-part-refunded", { number: "P-1", sum: money(100_00) }));
  expect(said()).toContain(t("payment-credited", told));
});

test("a part that could not be told is told with the refund of the rest, whose debt is no debt of the part", async () => {
  const { shop, payment, payments, till, spend, telegram, world, said } = await openPaid();
  telegram.failNext("sendMessage", refusal(500, "Internal Server Error"));
  shop.shop.refundInCabinet(payment().id, 100_00);
  till.takeHint(shop.notifications.at(-1));
  await eventually("the part", () => payments.byId(1)?.returned === 100_00);
  await spend(50_00);
  shop.shop.areRefundsSlow = true;
  const request = { paymentId: 1, actor: "telegram:9", reason: null, mayOwe: true };
  expect((await payments.refund(request, till)).kind).toBe("pending");
  await world.clock.advance(2 * MINUTE_MS);
  const wrong = { number: "P-1", sum: money(100_00), owed: money(50_00) };
  expect(said()).not.toContain(t("payment-part-refunded-owed", wrong));
  shop.shop.settleRefund(shop.shop.refunds[1]?.id ?? "");
  await world.clock.advance(2 * MINUTE_MS);
  expect(said().at(-1)).toBe(t("payment-refunded-owed", { price: PRICE, owed: money(50_00) }));
});

test.each([undefined, 50_00])(
  "what is paid back while a part is being told is told alone (%s)",
  async (more) => {
    const { shop, payment, payments, telegram, world, said } = await openPaid();
    const release = telegram.hold("sendMessage");
    shop.shop.refundInCabinet(payment().id, 100_00);
    await world.clock.advance(11 * MINUTE_MS);
    shop.shop.refundInCabinet(payment().id, more);
    await world.clock.advance(10 * MINUTE_MS);
    expect(payments.byId(1)).toMatchObject(more ? { returned: 150_00 } : { state: "refunded" });
    release();
    await world.clock.advance(2 * MINUTE_MS);
    const told = [100_00, more ?? 200_00].map((sum) => ({ number: "P-1", sum: money(sum) }));
    expect(said().slice(-2)).toEqual(told.map((words) => t("payment-part-refunded", words)));
  },
);

test("two parts that could not be told are told with what the balance lacked of both", async () => {
  const { shop, payment, spend, telegram, world, said, told } = await openPaid();
  await spend(250_00);
  telegram.refuse("sendMessage", refusal(500, "Internal Server Error"), () => true);
  for (const _part of [1, 2]) {
    shop.shop.refundInCabinet(payment().id, 100_00);
    await world.clock.advance(11 * MINUTE_MS);
  }
  expect(told.map((notice) => "owed" in notice && notice.owed)).toEqual([50, 100]);
  const words = { number: "P-1", sum: money(200_00), owed: money(150_00) };
  expect(said().at(-1)).toBe(t("payment-part-refunded-owed", words));
  shop.shop.refundInCabinet(payment().id);
  await world.clock.advance(11 * MINUTE_MS);
  expect(said().at(-1)).toBe(t("payment-refunded-owed", { price: PRICE, owed: money(250_00) }));
});

test("a refund is in doubt, and rejects nothing, where the database cannot be read", async () => {
  const { payments, till, database } = await openPaid();
  const paid = payments.byId(1);
  if (!paid) throw new Error("no payment");
  await database.close();
  expect(await till.refund(paid)).toMatchObject({ kind: "doubtful" });
});
