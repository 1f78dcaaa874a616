import { expect, test } from "vitest";
import { jobsOfOrder } from "../../../src/jobs/job-store.js";
import { IMAGE, openTestCore, order, type TestCore } from "../../support/core.js";
import { failOnce } from "../../support/fail-once.js";

let world: TestCore;

const ACTOR = "telegram:9";
const refund = (orderId: string) =>
  world.core.accounts.orders.refund({ userId: 7, orderId, actor: ACTOR, reason: null });

async function madeOrder(count = 2) {
  await world.core.start();
  const ann = await world.person(7, 1000_00);
  const accepted = await order(ann, "one", { ...IMAGE, count });
  for (const id of accepted.job_ids) await world.ended(ann, id);
  return { ann, ...accepted };
}

test("an order is refunded once, by one entry that names it, with its act and the sums of the models", async () => {
  world = openTestCore();
  const { ann, cost_rub } = await madeOrder();
  const { orders, audit } = world.core.accounts;
  expect(orders.of(7, "one").refundableKopecks).toBe(cost_rub * 100);
  const outcomes = await Promise.all([refund("one"), refund("one"), refund("one")]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(["done", "repeated", "repeated"]);
  expect(await ann.balance()).toMatchObject({ amount: 1000 });
  const entries = world.adminService.entries(1).filter(({ kind }) => kind === "refund");
  expect(entries).toMatchObject([{ amount: cost_rub * 100, order_id: "one", actor: ACTOR }]);
  expect(audit.list({ limit: 9 })).toMatchObject([
    { act: "refund", actor: ACTOR, accountId: 1, subject: "order:one", after: { kopecks: 1000_00 } },
    { act: "credit" },
  ]);
  expect(orders.of(7, "one")).toMatchObject({
    refundableKopecks: 0,
    money: [
      { amount: -cost_rub * 100, actor: "service" },
      { amount: cost_rub * 100, actor: ACTOR },
    ],
  });
  expect(world.adminService.verifyLedger().mismatches).toBe(0);
});

test("what was refunded to an admin's word is not refunded as lost, and the other way round", async () => {
  world = openTestCore();
  const { ann, job_ids, cost_rub } = await madeOrder();
  await refund("one");
  expect(await ann.refundLost("one", job_ids)).toBe(0);
  const second = await order(ann, "two");
  for (const id of second.job_ids) await world.ended(ann, id);
  expect(await ann.refundLost("two", second.job_ids)).toBe(second.cost_rub * 100);
  expect(await refund("two")).toEqual({ kind: "nothing" });
  expect(await ann.balance()).toMatchObject({ amount: 1000 });
  expect(cost_rub).toBeGreaterThan(0);
});

test("a job of which another was paid back at the same time names who returned its own money", async () => {
  world = openTestCore();
  const { ann, job_ids } = await madeOrder();
  const [lost] = job_ids;
  await ann.refundLost("one", lost === undefined ? [] : [lost]);
  await refund("one");
  const { orders } = world.core.accounts;
  const returnedBy = jobsOfOrder(world.database, 1, "one").map(
    (job) => orders.ofJob(job).money.find(({ amount }) => amount > 0)?.actor,
  );
  expect(returnedBy).toEqual(["service", ACTOR]);
});

test("an order that is still being made is not refunded: a failure returns its money", async () => {
  world = openTestCore();
  const ann = await world.person(7, 1000_00);
  const { cost_rub } = await order(ann, "one");
  expect(await refund("one")).toEqual({ kind: "running" });
  expect(world.core.accounts.orders.of(7, "one").refundableKopecks).toBe(0);
  expect(await ann.balance()).toMatchObject({ amount: 1000 - cost_rub });
});

test("an unknown order, and one of another person, have nothing to return", async () => {
  world = openTestCore();
  await madeOrder(1);
  await world.person(8, 10_00);
  expect(await refund("two")).toEqual({ kind: "nothing" });
  const asked = { userId: 8, orderId: "one", actor: ACTOR, reason: null };
  expect(await world.core.accounts.orders.refund(asked)).toEqual({ kind: "nothing" });
  const stranger = { ...asked, userId: 4242 };
  expect(await world.core.accounts.orders.refund(stranger)).toEqual({ kind: "nothing" });
});

test("a refund that is not written leaves neither money nor act", async () => {
  world = openTestCore({ failPoint: failOnce("commit:before", "order:refund") });
  const { ann, cost_rub } = await madeOrder(1);
  await expect(refund("one")).rejects.toThrow("SQLITE_IOERR");
  expect(await ann.balance()).toMatchObject({ amount: 1000 - cost_rub });
  expect(world.core.accounts.audit.list({ limit: 9 }).map(({ act }) => act)).toEqual(["credit"]);
  expect(await refund("one")).toMatchObject({ kind: "done" });
});
