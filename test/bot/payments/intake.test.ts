import { expect, test } from "vitest";
import { Inbox } from "../../../src/bot/inbox/inbox.js";
import { isPaymentMessage } from "../../../src/bot/payments/reconciliation.js";
import { asKopecks } from "../../../src/contract/price.js";
import { ADMIN_ID, ANN, GROUP, IN_GROUP } from "../../support/bot-harness.js";
import { openBotWorld, openFullDisk } from "../../support/bot-world.js";
import { money, t } from "../../support/drafts.js";
import { eventually } from "../../support/eventually.js";
import { sourceOver, updateOf } from "../../support/inbox-source.js";
import { openPaymentsHarness, paidMessage, refundedMessage } from "../../support/payments.js";

const EVE = { ...ANN, id: 66, first_name: "Eve" };

test.each([
  ["although its person is not let in", { allowedUsers: [ADMIN_ID] }, {}],
  ["in a group", {}, IN_GROUP],
  ["on behalf of a chat", {}, { ...IN_GROUP, sender_chat: GROUP }],
])("a payment %s is credited and told", async (_name, change, place) => {
  const { send, openInvoice, balance, said } = await openPaymentsHarness(change);
  await send({ ...paidMessage(await openInvoice(), "c1"), ...place });
  expect(await balance()).toBe(50_00);
  expect(said()).toEqual([t("payment-credited", { sum: money(50_00), balance: money(50_00) })]);
});

test("a payment is credited while an earlier update of the chat is still handled", async () => {
  const { say, send, openInvoice, balance, telegram } = await openPaymentsHarness();
  const release = telegram.hold("sendPhoto");
  const held = telegram.hold("sendMessage");
  const slow = say("/help");
  const paid = send(paidMessage(await openInvoice(), "c1"));
  await eventually("the credit", async () => (await balance()) === 50_00);
  held();
  release();
  await Promise.all([slow, paid]);
});

test("a payment that comes twice, under another update id too, is credited and told once", async () => {
  const { send, openInvoice, balance, said } = await openPaymentsHarness();
  const invoice = await openInvoice();
  await Promise.all([send(paidMessage(invoice, "c1")), send(paidMessage(invoice, "c1"))]);
  await send(paidMessage(invoice, "c1"));
  expect(await balance()).toBe(50_00);
  expect(said()).toHaveLength(1);
});

test.each([
  ["of an unknown payload", ANN, { invoice_payload: "t1:unknown" }],
  ["of another's invoice", EVE, {}],
  ["of another sum", ANN, { total_amount: 1 }],
  ["in another currency", ANN, { currency: "RUB" }],
])("a payment %s is held, and its person and the operators are told", async (_name, from, change) => {
  const { send, openInvoice, balance, said, told, payments } = await openPaymentsHarness();
  const { successful_payment } = paidMessage(await openInvoice(), "c1");
  await send({ successful_payment: { ...successful_payment, ...change } as never }, from);
  expect(await balance()).toBe(0);
  expect(payments.byCharge("stars", "c1")).toMatchObject({ state: "unmatched", payer: String(from.id) });
  expect(said()).toEqual([t("payment-held", { number: "P-1" })]);
  expect(told).toMatchObject([{ kind: "payment_held", number: 1, user: String(from.id) }]);
});

test("a payment that cannot be written is tried until it is, also for minutes", async () => {
  const { disk, world } = openFullDisk("", false);
  const { send, openInvoice, balance } = await openPaymentsHarness({ world });
  const invoice = await openInvoice();
  disk.isFull = true;
  const sent = send(paidMessage(invoice, "c1"));
  for (let minute = 0; minute < 5; minute += 1) await world.clock.advance(60_000);
  disk.isFull = false;
  await world.clock.advance(60_000);
  await sent;
  expect(await balance()).toBe(50_00);
});

test("a refund of an admin whose end Telegram tells first is told to its person once, and to no operator", async () => {
  const { send, openInvoice, balance, said, told, payments } = await openPaymentsHarness();
  const invoice = await openInvoice();
  await send(paidMessage(invoice, "c1"));
  const request = { paymentId: 1, actor: "admin", reason: null, mayOwe: false };
  const till = {
    async refund() {
      await send(refundedMessage(invoice, "c1"));
      await send(refundedMessage(invoice, "c1"));
      return { kind: "done" } as const;
    },
  };
  expect(await payments.refund(request, till)).toMatchObject({ kind: "settled" });
  expect(await balance()).toBe(0);
  expect(said().slice(1)).toEqual([
    t("payment-refunded", { price: t("price-stars", { price: 50, sum: "" }) }),
  ]);
  expect(told).toEqual([]);
});

test("a refund that was made elsewhere leaves the balance, and the rest is a debt that operators hear of", async () => {
  const { send, openInvoice, balance, told, users, said } = await openPaymentsHarness();
  const invoice = await openInvoice();
  await send(paidMessage(invoice, "c1"));
  const spent = { userId: ANN.id, reason: null, actor: "x", idempotencyKey: "k" };
  await users.debit({ ...spent, kopecks: asKopecks(20_00) });
  await send(refundedMessage(invoice, "c1"));
  await send(refundedMessage(invoice, "c1"));
  expect(await balance()).toBe(0);
  expect(told).toMatchObject([{ kind: "payment_refunded", owed: 20 }]);
  expect(said().at(-1)).toBe(
    t("payment-refunded-owed", { price: t("price-stars", { price: 50, sum: "" }), owed: money(20_00) }),
  );
});

test("a payment whose handling ended the process three times is taken alone, and stays until it was", async () => {
  const world = openBotWorld();
  const isNeverDropped = ({ message }: { message?: unknown }) => isPaymentMessage(message as never);
  const inbox = new Inbox(world.database, world.clock, { isNeverDropped });
  const paid = updateOf(5);
  Object.assign(paid.message ?? {}, paidMessage({ ref: "t1:x", price: 1 }, "c1"));
  await inbox.receive([paid]);
  for (let start = 0; start < 2; start += 1) await inbox.recover();
  for (let start = 0; start < 3; start += 1) await inbox.startSuspect(5);
  expect(await inbox.recover()).toMatchObject({ dropped: [], held: [{ update_id: 5 }] });
  const taken: unknown[] = [];
  const stop = new AbortController();
  const source = sourceOver(() => new Promise(() => {}), {
    inbox,
    clock: world.clock,
    takeHeld: async (update) => void taken.push(update.update_id),
  });
  void source.supply(100, stop.signal as never).catch(() => {});
  await eventually("the end of the payment", () => !inbox.isPending(5));
  expect(taken).toEqual([5]);
  stop.abort();
});

test("a refund whose words waited for others is left to the next start where the database is closed", async () => {
  const { send, openInvoice, payments, parts, database } = await openPaymentsHarness();
  await send(paidMessage(await openInvoice(), "c1"));
  const payment = payments.byId(1);
  if (!payment) throw new Error("no payment");
  await database.close();
  await expect(parts.botPayments?.teller.tellReturn(payment)).resolves.toBeUndefined();
});
