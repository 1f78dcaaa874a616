import { afterEach, describe, expect, test } from "vitest";
import { IMAGE, openResult, openTestCore, order, type TestCore } from "../support/core.js";
import { eventually } from "../support/eventually.js";

let opened: TestCore[] = [];
function open(...args: Parameters<typeof openTestCore>): TestCore {
  const world = openTestCore(...args);
  opened.push(world);
  return world;
}
afterEach(async () => {
  for (const world of opened) await world.close();
  opened = [];
});

describe("an order in the core", () => {
  test("is a task for each picture, with a seed of its own", async () => {
    const world = open();
    const ann = await world.begun(100_00);
    const { job_ids } = await order(ann, "order-1", { ...IMAGE, count: 3 });
    for (const id of job_ids) await world.ended(ann, id);
    const { tasks } = world.provider;
    expect(new Set(tasks.map(({ seed }) => seed)).size).toBe(3);
    expect(tasks.every(({ request: { count } }) => count === undefined)).toBe(true);
  });

  test("reports each status after its commit, also when another listener fails", async () => {
    const world = open();
    const ann = await world.person(1, 100_00);
    const { job_id } = await order(ann, "one");
    const watched = { id: "one", user: { id: 1, name: "person 1" }, jobIds: [job_id] };
    const seen = new Set<string>();
    const { jobFeed } = world.core;
    const stops = [
      jobFeed.watch(watched, () => Promise.reject(new Error("a broken listener"))),
      jobFeed.watch(watched, async ([job]) => void seen.add(job?.status ?? "none")),
    ];
    await eventually("the first status", () => seen.size === 1);
    world.provider.holds = true;
    await world.core.start();
    await eventually("the second status", () => seen.size === 2);
    await eventually("the task", () => world.provider.held.length === 1);
    world.provider.held[0]?.finish();
    await eventually("the last status", () => seen.size === 3);
    expect([...seen]).toEqual(["queued", "generating", "done"]);
    for (const stop of stops) stop();
  });

  test("is found by its id alone", async () => {
    const world = open();
    const ann = await world.begun(100_00);
    const { job_id } = await order(ann, "one");
    await world.ended(ann, job_id);
    await expect(ann.job(`music_${job_id}`)).rejects.toMatchObject({ code: "job_not_found" });
    for (const id of [0, -1, 1.5, "1", "music_", "music_01", 2 ** 60])
      await expect(ann.job(id)).rejects.toMatchObject({ code: "job_not_found" });
    await expect(openResult(ann, job_id, 1)).rejects.toMatchObject({ code: "job_not_found" });
  });
});
