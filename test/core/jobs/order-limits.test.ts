import { describe, expect, test } from "vitest";
import { IMAGE, openTestCore, order } from "../../support/core.js";
import { createManualClock } from "../../support/manual-clock.js";
import { createStubProvider } from "../../support/stub-provider.js";

async function openWith(orderLimits: { activeMax: number; perMinuteMax: number }) {
  const provider = Object.assign(createStubProvider(10), { holds: true });
  const world = openTestCore({ provider, clock: createManualClock(), settings: { orderLimits } });
  await world.core.start();
  return { ...world, provider, ann: await world.person(1, 10_000_00) };
}

describe("a person of the chat", () => {
  test("has no more orders in work than the limit, and nothing is charged for one more", async () => {
    const { ann, provider, ended } = await openWith({ activeMax: 2, perMinuteMax: 0 });
    const first = await order(ann, "one", { ...IMAGE, count: 4 });
    await order(ann, "two");
    const before = await ann.balance();
    await expect(order(ann, "three")).rejects.toMatchObject({ reason: "active", max: 2 });
    expect(await ann.balance()).toEqual(before);
    // A repeated order is no new one.
    expect(await order(ann, "one", { ...IMAGE, count: 4 })).toEqual(first);
    provider.holds = false;
    for (const task of [...provider.held]) task.finish();
    for (const id of first.job_ids) await ended(ann, id);
    await order(ann, "three");
  });

  test("is limited in the transaction that charges: ten orders at once make two", async () => {
    const { ann, adminService } = await openWith({ activeMax: 2, perMinuteMax: 0 });
    const made = await Promise.allSettled(Array.from({ length: 10 }, (_, index) => order(ann, `o${index}`)));
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    expect(adminService.entries(1).filter(({ kind }) => kind === "charge")).toHaveLength(2);
  });

  test("makes no more orders a minute than the limit", async () => {
    const { ann, clock } = await openWith({ activeMax: 0, perMinuteMax: 3 });
    for (const id of ["one", "two", "three"]) await order(ann, id);
    await expect(order(ann, "four")).rejects.toMatchObject({ reason: "minute", max: 3 });
    await clock.advance(60_000);
    await order(ann, "four");
  });

  test("is not held by orders of a time that the clock was set back from", async () => {
    const { ann, clock } = await openWith({ activeMax: 0, perMinuteMax: 2 });
    for (const id of ["one", "two"]) await order(ann, id);
    clock.step(-3 * 3_600_000);
    await order(ann, "three");
    await order(ann, "four");
    await expect(order(ann, "five")).rejects.toMatchObject({ reason: "minute", max: 2 });
  });

  test("is not limited by orders of the API, and these have no such limit", async () => {
    const { ann, core } = await openWith({ activeMax: 1, perMinuteMax: 1 });
    for (let count = 0; count < 3; count += 1) await core.routes.api.submit(1, IMAGE);
    await order(ann, "one");
    await core.routes.api.submit(1, IMAGE);
  });
});
