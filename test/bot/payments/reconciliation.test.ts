import { expect, test } from "vitest";
import { REFUND_WAITS_MS } from "../../../src/bot/payments/payment-intake.js";
import { DAY_MS } from "../../../src/platform/units.js";
import { brokenConnection, openBotWorld } from "../../support/bot-world.js";
import { failOnce } from "../../support/fail-once.js";
import { openPaymentsHarness, paidMessage, StarList } from "../../support/payments.js";

async function open(change: Parameters<typeof openPaymentsHarness>[0] = {}) {
  const harness = await openPaymentsHarness(change);
  const reconciliation = harness.parts.botPayments?.reconciliation;
  if (!reconciliation) throw new Error("no reconciliation");
  const list = new StarList();
  list.answer(harness.telegram.api);
  return { ...harness, reconciliation, list };
}

/** A payment whose refund was asked for, with an answer that was lost. */
async function openCutRefund() {
  const opened = await open();
  const { list, openInvoice, send, telegram, parts, payments } = opened;
  const invoice = await openInvoice();
  list.pay(invoice.ref, "c1");
  await send(paidMessage(invoice, "c1"));
  const cutNext = () => telegram.failNext("refundStarPayment", brokenConnection());
  cutNext();
  const [till] = parts.topUps.tills;
  const request = { paymentId: 1, actor: "telegram:9", reason: null, mayOwe: false };
  expect(till && (await payments.refund(request, till))).toMatchObject({ kind: "pending" });
  return { ...opened, cutNext };
}

test("all pages are read, and later only what may be new", async () => {
  const { list, openInvoice, reconciliation, balance } = await open();
  const invoices = await Promise.all(Array.from({ length: 250 }, () => openInvoice()));
  for (const [nth, { ref }] of invoices.entries()) list.pay(ref, `c${nth}`);
  await reconciliation.runs.wake();
  expect(await balance()).toBe(250 * 50_00);
  await reconciliation.runs.wake();
  expect(list.offsets).toEqual([0, 100, 200, 150, 250]);
});

test("payments after a restored backup that knows no list are held, since their invoices are lost", async () => {
  // The update of a payment may have waited for a day when the backup was made.
  const { list, reconciliation, payments } = await open({ lostSince: 1000 + DAY_MS });
  list.pay("of the time that was lost", "c1");
  await reconciliation.runs.wake();
  expect(payments.byCharge("stars", "c1")).toMatchObject({ state: "unmatched" });
  const later = await open({ lostSince: 1001 + DAY_MS });
  later.list.pay("from before this service", "c1");
  await later.reconciliation.runs.wake();
  expect(later.payments.byCharge("stars", "c1")).toBeUndefined();
});

test("payments from before this service are left alone, and an unknown one of later is held", async () => {
  const { list, reconciliation, payments, told } = await open();
  list.pay("someone else's", "old");
  await reconciliation.runs.wake();
  list.pay("someone else's", "new");
  await reconciliation.runs.wake();
  expect(payments.byCharge("stars", "old")).toBeUndefined();
  expect(payments.byCharge("stars", "new")).toMatchObject({ state: "unmatched" });
  expect(told).toMatchObject([{ kind: "payment_held" }]);
  expect(reconciliation.differenceStars).toBe(0);
});

test("a refund made elsewhere is found, after its payment that was lost too", async () => {
  const { list, openInvoice, reconciliation, balance, payments, told } = await open();
  const { ref } = await openInvoice();
  list.pay(ref, "c1");
  list.refund(ref, "c1");
  await reconciliation.runs.wake();
  expect(await balance()).toBe(0);
  expect(payments.byCharge("stars", "c1")).toMatchObject({ state: "refunded" });
  expect(told).toMatchObject([{ kind: "payment_refunded", owed: 0 }]);
});

test("a person who could not be told of a credit is told by the next run", async () => {
  const { openInvoice, send, telegram, reconciliation, said } = await open();
  telegram.failNext("sendMessage", brokenConnection());
  await send(paidMessage(await openInvoice(), "c1"));
  await reconciliation.runs.wake();
  await reconciliation.runs.wake();
  expect(said()).toHaveLength(2);
});

test("a row that disagrees with Telegram's list is the difference", async () => {
  const { list, openInvoice, reconciliation, send } = await open();
  const invoice = await openInvoice();
  await send(paidMessage(invoice, "c1"));
  list.pay(invoice.ref, "c1", 40);
  await reconciliation.runs.wake();
  expect(reconciliation.differenceStars).toBe(40);
});

const USER = { id: 7, is_bot: false, first_name: "Ann" };
const PAID = { type: "user", transaction_type: "invoice_payment", user: USER, invoice_payload: "x" };

test.each([
  ["a negative amount", { id: "odd", amount: -1, date: 1, source: PAID }],
  ["a date beyond any calendar", { id: "odd", amount: 1, date: 1e15, source: PAID }],
  ["a long id", { id: "o".repeat(300), amount: 1, date: 1, source: PAID }],
  ["an empty id", { id: "", amount: 1, date: 1, source: PAID }],
  ["null", null],
  ["an unknown source", { id: "odd", amount: 1, date: 1, source: { type: "of next year" } }],
  ["no side", { id: "odd", amount: 1, date: 1 }],
  ["a payer without an id", { id: "odd", amount: 1, date: 1, source: { ...PAID, user: {} } }],
  ["a payload that is no text", { id: "odd", amount: 1, date: 1, source: { ...PAID, invoice_payload: 1 } }],
])("a transaction with %s stops no other, and admins are told of it", async (_what, odd) => {
  const { list, openInvoice, reconciliation, balance, told } = await open();
  list.odd(odd);
  list.pay((await openInvoice()).ref, "behind");
  await reconciliation.runs.wake();
  expect(await balance()).toBe(50_00);
  expect(reconciliation.unread).toBe(1);
  expect(told).toMatchObject([
    { kind: "payments_unread", till: "stars", count: 1, names: expect.any(String) },
  ]);
});

test("a refund that does not end is told to admins after an hour, and ends quietly", async () => {
  const { reconciliation, told, clock, cutNext } = await openCutRefund();
  for (let hours = 0; hours < 2; hours += 1) {
    expect(told).toEqual([]);
    cutNext();
    await reconciliation.runs.wake();
    await clock.advance(REFUND_WAITS_MS);
  }
  expect(told).toMatchObject([{ kind: "refund_waits", number: 1 }]);
});

test("a payment that could not be written is taken by the next run, however many stand behind it", async () => {
  const world = openBotWorld(failOnce("commit:before", "till:payment"));
  const { list, openInvoice, reconciliation, balance } = await open({ world });
  list.pay((await openInvoice()).ref, "c1");
  for (let behind = 0; behind < 150; behind += 1) list.other(`o${behind}`);
  await reconciliation.runs.wake();
  expect(await balance()).toBe(0);
  await reconciliation.runs.wake();
  expect(await balance()).toBe(50_00);
});
