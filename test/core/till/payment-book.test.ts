import { beforeEach, describe, expect, test } from "vitest";
import { debtOf } from "../../../src/accounts/ledger-store.js";
import { asKopecks } from "../../../src/contract/price.js";
import { DAY_MS, HOUR_MS } from "../../../src/platform/units.js";
import { type PaymentBook, readMoneyIn } from "../../../src/tills/payment-book.js";
import type { ReportedPayment, TillInvoice } from "../../../src/tills/till.js";
import { openTestCore, type TestCore } from "../../support/core.js";
import { FakeTill } from "../../support/till.js";

const ANN = 7;
const BORIS = 8;
const PACK = { price: 100, kopecks: asKopecks(105_00) };

let world: TestCore;
let payments: PaymentBook;
let till: FakeTill;
beforeEach(async () => {
  world = openTestCore();
  payments = world.core.accounts.payments;
  till = new FakeTill();
  await world.person(ANN);
});

const open = (userId = ANN, topUp = PACK) => payments.openInvoice({ till: "stars", userId, ...topUp });
const paid = ({ ref, userId, price }: TillInvoice, chargeId: string): ReportedPayment => ({
  till: "stars",
  chargeId,
  invoiceRef: ref,
  userId,
  price,
  paidAt: 5,
});
const balance = async (userId = ANN) => world.core.accounts.users.balanceOf(userId);
const refund = (paymentId: number, mayOwe = false) =>
  payments.refund({ paymentId, actor: "telegram:9", reason: null, mayOwe }, till);
const spend = (kopecks: number) => world.spend(ANN, kopecks);

describe("a payment", () => {
  test("of an invoice that another charge has paid is money too", async () => {
    const invoice = await open();
    await payments.take(paid(invoice, "c1"));
    expect(await payments.take(paid(invoice, "c2"))).toMatchObject({ kind: "credited" });
    expect(await balance()).toBe(2 * PACK.kopecks);
  });

  test("of an invoice that was closed meanwhile is credited", async () => {
    const invoice = await open();
    await payments.closeInvoice(invoice.id);
    expect(await payments.take(paid(invoice, "c1"))).toMatchObject({ kind: "credited" });
  });

  test("of a till that does not tell who paid goes to whom the invoice is of", async () => {
    const report = { ...paid(await open(), "c1"), userId: null };
    expect(await payments.take(report)).toMatchObject({ kind: "credited" });
    expect(await balance()).toBe(PACK.kopecks);
  });

  test("with the same charge id at another till is another payment", async () => {
    const stars = await open();
    const cards = await payments.openInvoice({ till: "cards", userId: ANN, ...PACK });
    await payments.take(paid(stars, "c1"));
    expect(await payments.take({ ...paid(cards, "c1"), till: "cards" })).toMatchObject({ kind: "credited" });
    expect(await balance()).toBe(2 * PACK.kopecks);
  });

  test("that is held is credited by an admin, once, as an act", async () => {
    await payments.take({ ...paid(await open(), "c1"), invoiceRef: "" });
    const credit = { paymentId: 1, userId: ANN, kopecks: asKopecks(7_00), actor: "telegram:9" };
    expect(await payments.creditHeld(credit)).toMatchObject({ kind: "credited" });
    expect(await payments.creditHeld(credit)).toBeUndefined();
    expect(await balance()).toBe(7_00);
    expect(world.core.accounts.audit.list({ limit: 1 })).toMatchObject([
      { act: "credit", subject: "payment:1", actor: "telegram:9" },
    ]);
  });

  test("is listed as untold until its person was told", async () => {
    await payments.take(paid(await open(), "c1"));
    expect(payments.untold("stars", 9)).toMatchObject([{ id: 1 }]);
    await payments.markTold(1);
    expect(payments.untold("stars", 9)).toEqual([]);
    expect(payments.ofUser(ANN, 5)).toMatchObject([{ id: 1, charge_id: "c1" }]);
    expect(payments.ofUser(BORIS, 5)).toEqual([]);
  });
});

describe("an invoice", () => {
  test("is one of at most twenty that are open", async () => {
    const first = await open();
    for (let count = 0; count < 20; count += 1) await open();
    expect(payments.invoice("stars", first.ref)?.state).toBe("closed");
  });

  test("that nobody paid is removed after thirty days, and a paid one stays", async () => {
    const [lost, bought] = [await open(), await open()];
    await payments.take(paid(bought, "c1"));
    await payments.take({ ...paid(lost, "c2"), price: 1 });
    await payments.sweep(world.clock.now() + 31 * DAY_MS);
    expect(payments.invoice("stars", lost.ref)).toBeUndefined();
    expect(payments.invoice("stars", bought.ref)).toMatchObject({ state: "paid" });
    expect(payments.byCharge("stars", "c2")).toMatchObject({ state: "unmatched" });
  });

  test("is for people who have an account", async () => {
    await expect(open(555)).rejects.toThrow("no account");
  });
});

describe("a refund", () => {
  const paidUp = async () => payments.take(paid(await open(), "c1"));

  test("debits the balance and ends, once, as an act", async () => {
    await paidUp();
    expect(await refund(1)).toMatchObject({ kind: "refunded", owedKopecks: 0 });
    expect(await refund(1)).toMatchObject({ kind: "closed", payment: { state: "refunded" } });
    expect(await balance()).toBe(0);
    expect(world.core.accounts.audit.list({ limit: 9 }).map(({ act }) => act)).toEqual(["refund"]);
  });

  test("that is forced leaves a debt, which the next top-up pays first", async () => {
    await paidUp();
    await spend(5_00);
    expect(await refund(1, true)).toMatchObject({ kind: "refunded", owedKopecks: 5_00 });
    expect(await balance()).toBe(0);
    const next = await payments.take(paid(await open(), "c2"));
    expect(next).toMatchObject({ kind: "credited", debtPaidKopecks: 5_00 });
    expect(await balance()).toBe(100_00);
    expect(debtOf(world.database, 1)).toBe(0);
  });

  test("of money that was spent is told as taken back when it is refunded, and not when the debt is paid", async () => {
    await paidUp();
    await spend(100_00);
    const toldOf = async (work: () => Promise<unknown>) => {
      await world.clock.advance(HOUR_MS);
      const from = world.clock.now();
      await work();
      await world.clock.advance(HOUR_MS);
      const { paid, returned } = await readMoneyIn(world.database, { from, until: world.clock.now() });
      return [paid, returned];
    };
    const part = { ...paid(await open(), "c1"), returned: 40 };
    expect(await toldOf(() => payments.takeRefund(part))).toEqual([0, 42_00]);
    till.answers.push({ kind: "refused", reason: "too_old" });
    expect(await toldOf(() => refund(1, true))).toEqual([0, 0]);
    expect(await toldOf(() => refund(1, true))).toEqual([0, 63_00]);
    expect(debtOf(world.database, 1)).toBe(100_00);
    const next = await open();
    expect(await toldOf(() => payments.take(paid(next, "c2")))).toEqual([PACK.kopecks, 0]);
    expect(debtOf(world.database, 1)).toBe(0);
  });

  test("that was forced and refused forgives the debt before it pays back", async () => {
    await paidUp();
    await spend(5_00);
    till.answers.push({ kind: "refused", reason: "too_old" });
    await refund(1, true);
    expect([await balance(), debtOf(world.database, 1)]).toEqual([100_00, 0]);
    // The statement of its person shows no payment of a debt.
    const moved = world.adminService.entries(1).map(({ amount }) => amount);
    expect(moved).toEqual([PACK.kopecks, -5_00, -100_00, 100_00]);
  });

  test("that the till reports while it is asked, and then refuses, is closed and gives nothing back", async () => {
    await paidUp();
    const report = paid(await open(), "c1");
    till.refund = async () => {
      await payments.takeRefund(report);
      return { kind: "refused", reason: "not_possible" };
    };
    expect(await refund(1)).toMatchObject({ kind: "closed", payment: { state: "refunded" } });
    expect(await balance()).toBe(0);
  });

  test("of a part takes nothing where it, or a smaller one, is reported again", async () => {
    await paidUp();
    const report = async (returned: number) => payments.takeRefund({ ...paid(await open(), "c1"), returned });
    expect(await report(40)).toMatchObject({ kind: "part", owedKopecks: 0 });
    for (const returned of [40, 20])
      expect(await report(returned)).toMatchObject({ kind: "repeated", payment: { returned: 40 } });
    expect(await balance()).toBe(63_00);
  });

  test("that was undone while another was asked about is not asked for", async () => {
    for (const charge of ["c1", "c2"]) await payments.take(paid(await open(), charge));
    const doubtful = { refund: async () => ({ kind: "doubtful", cause: new Error("no answer") }) as const };
    for (const paymentId of [1, 2])
      await payments.refund({ paymentId, actor: "telegram:9", reason: null, mayOwe: false }, doubtful);
    const refusing = {
      name: "stars",
      refund: async () => ({ kind: "refused", reason: "no_funds" }) as const,
    };
    const asked: number[] = [];
    await payments.settleRefunds({
      name: "stars",
      async refund({ id }) {
        asked.push(id);
        await payments.settleRefunds(refusing);
        return { kind: "refused", reason: "no_funds" };
      },
    });
    expect(asked).toEqual([1]);
    expect(await balance()).toBe(2 * PACK.kopecks);
  });

  test("that the till is being asked about is not asked about again", async () => {
    await paidUp();
    const asked: string[] = [];
    const refusing = (by: string, meanwhile: () => Promise<unknown>) => ({
      name: "stars",
      async refund() {
        asked.push(by);
        await meanwhile();
        return { kind: "refused", reason: "no_funds" } as const;
      },
    });
    const settling = refusing("the settling", async () => {});
    const request = { paymentId: 1, actor: "telegram:9", reason: null, mayOwe: false };
    await payments.refund(
      request,
      refusing("the admin", () => payments.settleRefunds(settling)),
    );
    expect(asked).toEqual(["the admin"]);
    expect(await balance()).toBe(PACK.kopecks);
  });

  test("of a payment that was never seen keeps it from being credited", async () => {
    const report = paid(await open(), "c1");
    const payment = { state: "refunded" };
    expect(await payments.takeRefund(report)).toMatchObject({ kind: "refunded", payment });
    expect(await payments.take(report)).toMatchObject({ kind: "repeated" });
    expect(await balance()).toBe(0);
  });

  test("of a held payment moves no rubles, and one that is refused stays held", async () => {
    await payments.take({ ...paid(await open(), "c1"), invoiceRef: "" });
    till.answers.push({ kind: "refused", reason: "too_old" });
    expect(await refund(1)).toMatchObject({ kind: "refused", payment: { state: "unmatched" } });
    expect(await refund(1)).toMatchObject({ kind: "refunded" });
    expect(await balance()).toBe(0);
  });
});
