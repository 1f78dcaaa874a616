import { expect, test } from "vitest";
import { debtOf } from "../../../src/accounts/ledger-store.js";
import { asKopecks } from "../../../src/contract/price.js";
import type { ReportedPayment, TillInvoice } from "../../../src/tills/till.js";
import { openTestCore } from "../../support/core.js";
import fc from "../../support/fast-check.js";
import { FakeTill } from "../../support/till.js";

const USERS = [1, 2] as const;
const user = fc.constantFrom(...USERS);
const nth = fc.nat({ max: 5 });
const operation = fc.oneof(
  fc.record({ kind: fc.constant("open" as const), user, price: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ kind: fc.constant("pay" as const), nth, isLost: fc.boolean() }),
  fc.record({ kind: fc.constant("repeat" as const), nth }),
  fc.record({ kind: fc.constant("forge" as const), nth, user }),
  fc.record({ kind: fc.constant("spend" as const), user, kopecks: fc.integer({ min: 1, max: 900 }) }),
  fc.record({
    kind: fc.constant("refund" as const),
    nth,
    mayOwe: fc.boolean(),
    answer: fc.constantFrom("done", "done_unseen", "doubtful", "refused"),
  }),
  fc.record({ kind: fc.constant("refundElsewhere" as const), nth }),
  fc.record({ kind: fc.constant("settle" as const) }),
);

test("in any order of payments, repeats, losses and refunds each charge is money once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
      const world = openTestCore();
      const { payments, admin } = world.core.accounts;
      const till = new FakeTill();
      for (const id of USERS) await world.person(id);
      const invoices: TillInvoice[] = [];
      const charges: ReportedPayment[] = [];
      const spent = new Map<number, number>(USERS.map((id) => [id, 0]));
      const charge = (index: number) => charges[index % Math.max(1, charges.length)];

      for (const [step, one] of operations.entries()) {
        if (one.kind === "open") {
          const kopecks = asKopecks(one.price * 100);
          invoices.push(
            await payments.openInvoice({ till: till.name, userId: one.user, price: one.price, kopecks }),
          );
        }
        const invoice = "nth" in one ? invoices[one.nth % Math.max(1, invoices.length)] : undefined;
        if ((one.kind === "pay" || one.kind === "forge") && invoice) {
          const report = {
            till: till.name,
            chargeId: `c${step}`,
            invoiceRef: invoice.ref,
            userId: one.kind === "forge" ? one.user : invoice.userId,
            price: invoice.price,
            paidAt: step,
          };
          charges.push(report);
          if (one.kind === "forge" || !one.isLost) await payments.take(report);
        }
        const known = "nth" in one ? charge(one.nth) : undefined;
        if (one.kind === "repeat" && known) await payments.take(known);
        if (one.kind === "refundElsewhere" && known) {
          till.refunded.add(known.chargeId);
          await payments.takeRefund(known);
        }
        if (one.kind === "refund" && known) {
          const id = payments.byCharge(till.name, known.chargeId)?.id ?? 0;
          if (one.answer === "done_unseen") till.answers.push(one.answer);
          if (one.answer === "doubtful") till.answers.push({ kind: "doubtful", cause: "cut" });
          if (one.answer === "refused") till.answers.push({ kind: "refused", reason: "too_old" });
          await payments.refund({ paymentId: id, actor: "a", reason: null, mayOwe: one.mayOwe }, till);
          till.answers.length = 0;
        }
        if (one.kind === "spend") {
          const { user: userId, kopecks } = one;
          const keys = { reason: null, actor: "test", idempotencyKey: `s${step}` };
          const { outcome } = await admin.debit({ userId, kopecks: asKopecks(kopecks), ...keys });
          if (outcome === "done") spent.set(userId, (spent.get(userId) ?? 0) + kopecks);
        }
        if (one.kind === "settle") await payments.settleRefunds(till);
      }

      // The reconciliation reads what the till has.
      for (const report of charges) await payments.take(report);
      for (const report of charges) if (till.refunded.has(report.chargeId)) await payments.takeRefund(report);
      await payments.settleRefunds(till);

      expect(world.adminService.verifyLedger().mismatches).toBe(0);
      for (const { chargeId } of charges) {
        const isBack = payments.byCharge(till.name, chargeId)?.state === "refunded";
        expect(isBack).toBe(till.refunded.has(chargeId));
      }
      for (const userId of USERS) {
        const credited = payments
          .ofUser(userId, 100)
          .filter(({ state }) => state === "credited")
          .reduce((sum, { kopecks }) => sum + (kopecks ?? 0), 0);
        const debt = debtOf(world.database, userId);
        expect(await admin.balanceOf(userId)).toBe(credited + debt - (spent.get(userId) ?? 0));
        if (debt > 0) expect(await admin.balanceOf(userId)).toBeGreaterThanOrEqual(0);
      }
      await world.close();
    }),
    { numRuns: 60 },
  );
});
