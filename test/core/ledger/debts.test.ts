import { expect, test } from "vitest";
import { debtOf } from "../../../src/accounts/ledger-store.js";
import { asKopecks } from "../../../src/contract/price.js";
import { openTestCore, order } from "../../support/core.js";
import { eventually } from "../../support/eventually.js";
import { paidInvoice } from "../../support/till.js";

/** A person who bought 10 RUB, spent them on an order, and got the Stars back meanwhile. */
async function refundedWhileMade() {
  const world = openTestCore();
  world.provider.holds = true;
  const ann = await world.begun();
  const { payments, orders } = world.core.accounts;
  const { report } = await paidInvoice(payments, { userId: 1, price: 50, kopecks: asKopecks(10_00) });
  const { job_id } = await order(ann, "one");
  await eventually("the job is begun", () => world.provider.held.length > 0);
  expect(await payments.takeRefund(report)).toMatchObject({ kind: "refunded", owedKopecks: 10_00 });
  const facts = () => ({
    debt: debtOf(world.database, 1),
    mismatches: world.adminService.verifyLedger().mismatches,
  });
  return { ...world, ann, job_id, orders, facts };
}

test("what a failed order returns pays the debt of a refund first", async () => {
  const { ann, job_id, provider, ended, facts } = await refundedWhileMade();
  provider.held[0]?.fail(new Error("broken"));
  expect(await ended(ann, job_id)).toMatchObject({ status: "error", refunded: true });
  expect([(await ann.balance()).amount, facts()]).toEqual([0, { debt: 0, mismatches: 0 }]);
});

test("so does what an admin returns, and results that were lost", async () => {
  for (const way of ["admin", "lost"] as const) {
    const { ann, job_id, provider, ended, orders, facts } = await refundedWhileMade();
    provider.held[0]?.finish();
    await ended(ann, job_id);
    if (way === "lost") expect(await ann.refundLost("one", [job_id])).toBe(10_00);
    else
      expect(
        await orders.refund({ userId: 1, orderId: "one", actor: "telegram:9", reason: null }),
      ).toMatchObject({ kind: "done", kopecks: 10_00, balanceKopecks: 0 });
    expect([(await ann.balance()).amount, facts()]).toEqual([0, { debt: 0, mismatches: 0 }]);
  }
});
