import { expect, test } from "vitest";
import { debtOf } from "../../../src/accounts/ledger-store.js";
import { asKopecks } from "../../../src/contract/price.js";
import { openTestCore, order } from "../../support/core.js";
import { eventually } from "../../support/eventually.js";
import { paidInvoice } from "../../support/till.js";

test("what a failed order returns pays the debt of a refund first", async () => {
  const world = openTestCore();
  world.provider.holds = true;
  const ann = await world.begun();
  const { payments } = world.core.accounts;
  // A person who bought 10 RUB, spent them on an order, and got the Stars back meanwhile.
  const { report } = await paidInvoice(payments, { userId: 1, price: 50, kopecks: asKopecks(10_00) });
  const { job_id } = await order(ann, "one");
  await eventually("the job is begun", () => world.provider.held.length > 0);
  expect(await payments.takeRefund(report)).toMatchObject({ kind: "refunded", owedKopecks: 10_00 });
  world.provider.held[0]?.fail(new Error("broken"));
  expect(await world.ended(ann, job_id)).toMatchObject({ status: "error", refunded: true });
  expect([(await ann.balance()).amount, debtOf(world.database, 1)]).toEqual([0, 0]);
  expect(world.adminService.verifyLedger().mismatches).toBe(0);
});
