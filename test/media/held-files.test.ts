import { expect, test } from "vitest";
import type { JobId } from "../../src/contract/job.js";
import type { Gateway } from "../../src/ports/gateway.js";
import { IMAGE, openTestCore, order, type TestCore } from "../support/core.js";
import { eventually } from "../support/eventually.js";
import { createStubProvider } from "../support/stub-provider.js";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

let world: TestCore;

async function isLinked(gateway: Gateway, id: JobId): Promise<boolean> {
  return (await gateway.job(id)).result?.url !== null;
}

test("the files of an open order are kept at any age, and expire by age once it is closed", async () => {
  const open = new Set(["parked"]);
  world = openTestCore({
    settings: { mediaRetentionDays: 8 },
    isOrderOpen: (_source, id) => open.has(id),
  });
  const ann = await world.begun(5000_00);
  const { job_id: parked } = await order(ann, "parked");
  await world.ended(ann, parked);
  const delivered: JobId[] = [];
  for (let number = 0; number < 3; number += 1) {
    const { job_id } = await world.made(ann, `delivered-${number}`);
    delivered.push(job_id);
  }
  await world.clock.advance(20 * DAY_MS);
  for (const id of delivered)
    await eventually(`the end of the files of ${id}`, async () => !(await isLinked(ann, id)));
  expect(await isLinked(ann, parked)).toBe(true);

  open.clear();
  await world.clock.advance(HOUR_MS);
  await eventually("the end of the held file", async () => !(await isLinked(ann, parked)));
});

test("more held files than one step reads do not block the expiry of others", async () => {
  world = openTestCore({
    provider: createStubProvider(8),
    settings: { mediaRetentionDays: 8 },
    isOrderOpen: (_source, id) => id.startsWith("open"),
  });
  const ann = await world.begun(50_000_00);
  const ids: JobId[] = [];
  for (let number = 0; number < 26; number += 1)
    ids.push(...(await order(ann, `open-${number}`, { ...IMAGE, count: 4 })).job_ids);
  for (const id of ids) await world.ended(ann, id);
  const { job_id: last } = await order(ann, "delivered");
  await world.ended(ann, last);
  await world.clock.advance(9 * DAY_MS);
  await eventually("the end of the last file", async () => !(await isLinked(ann, last)));
  expect(ids).toHaveLength(104);
  for (const id of ids) expect(await isLinked(ann, id)).toBe(true);
});

test("files of the API follow the retention period alone", async () => {
  world = openTestCore({ settings: { mediaRetentionDays: 8 }, isOrderOpen: () => true });
  const ann = await world.begun(100_00);
  const [account] = world.adminService.accounts();
  const { job_id } = await world.core.routes.api.submit(account?.id ?? 0, IMAGE);
  await world.ended(ann, job_id);
  await world.clock.advance(8 * DAY_MS + HOUR_MS);
  await eventually("the end of the file", async () => !(await isLinked(ann, job_id)));
});
