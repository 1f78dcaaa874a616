import { expect, test } from "vitest";
import { openTestCore, order } from "../support/core.js";
import { eventually } from "../support/eventually.js";

test("whoever watches an order hears each status after its commit, also when another listener fails", async () => {
  const world = openTestCore();
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
