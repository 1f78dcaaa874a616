import { expect, test } from "vitest";
import { IMAGE, MUSIC, openTestCore, order, type TestCore } from "../../support/core.js";
import { failOnce } from "../../support/fail-once.js";

let world: TestCore;

const refunds = () => {
  const [account] = world.adminService.accounts();
  return world.adminService.entries(account?.id ?? 0).filter(({ kind }) => kind === "refund");
};

test("lost results are refunded once by an entry that names the order; the jobs stay done, without links", async () => {
  world = openTestCore();
  const ann = await world.begun(1000_00);
  const { job_ids, cost_rub } = await world.made(ann, "lost", { ...IMAGE, count: 2 });
  const paid = await Promise.all([1, 2, 3].map(() => ann.refundLost("lost", job_ids)));
  expect(paid).toEqual([1, 2, 3].map(() => cost_rub * 100));
  expect(refunds()).toMatchObject([
    { amount: cost_rub * 100, order_id: "lost", job_id: null, reason: "lost", actor: "service" },
  ]);
  expect(await ann.balance()).toMatchObject({ amount: 1000 });
  expect(world.adminService.verifyLedger()).toEqual({ accounts: 1, mismatches: 0 });
  for (const id of job_ids)
    expect(await ann.job(id)).toMatchObject({ status: "done", result: { url: null } });
});

test("only the results of the order that are lost are refunded", async () => {
  world = openTestCore();
  const ann = await world.begun(1000_00);
  const song = await order(ann, "song", MUSIC);
  const { job_ids, unit_cost_rub = 0 } = await order(ann, "pictures", { ...IMAGE, count: 2 });
  const [first, second] = job_ids;
  if (first === undefined || second === undefined) throw new Error("two jobs");
  for (const id of [song.job_id, ...job_ids]) await world.ended(ann, id);
  expect(await ann.refundLost("pictures", [second, song.job_id])).toBe(unit_cost_rub * 100);
  expect(await ann.job(first)).toMatchObject({ result: { url: expect.any(String) } });
  expect(await ann.job(song.job_id)).toMatchObject({ result: { url: expect.any(String) } });
});

test("a refund whose commit fails changes nothing, and the next try makes it", async () => {
  world = openTestCore({ failPoint: failOnce("commit:before", "job:refund-lost") });
  const ann = await world.person(1, 1000_00);
  const { job_id, cost_rub } = await order(ann, "lost");
  await world.core.start();
  await world.ended(ann, job_id);
  await expect(ann.refundLost("lost", [job_id])).rejects.toThrow("SQLITE_IOERR");
  expect(refunds()).toEqual([]);
  expect(await ann.job(job_id)).toMatchObject({ result: { url: expect.any(String) } });
  expect(await ann.refundLost("lost", [job_id])).toBe(cost_rub * 100);
  expect(refunds()).toHaveLength(1);
});
