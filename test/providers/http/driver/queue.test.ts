import { expect, test } from "vitest";
import { fakeAdapter } from "./fake-adapter.js";
import { answer, DONE } from "./fake-service.js";
import { openFake } from "./harness.js";

test("a job tells its place in the service's queue with each poll, until it is being made", async () => {
  const { service, world } = await openFake();
  const states = [
    { status: "queued", place: 2 },
    { status: "queued" },
    "oops",
    { status: "running" },
    { status: "running" },
    DONE,
  ];
  service.onGet = (response) => answer(response, 200, states.shift());
  const running = world.run();
  await world.until("the job ends", () => running.hasEnded);
  expect(running.places[0], "it waits before it is sent").toEqual({});
  expect(running.places.slice(1, 3)).toEqual([{ position: 2 }, { position: undefined }]);
  expect(running.places.slice(3).every((place) => place === undefined)).toBe(true);
  expect(running.places.length).toBeGreaterThan(3);
});

test("a job that goes on after a restart is not said to wait before its service says so", async () => {
  const { service, world } = await openFake();
  world.run();
  await world.until("it is accepted", () => world.attempt()?.state === "accepted");
  await world.restart();
  service.status = { status: "queued", place: 7 };
  const running = world.run();
  await world.until("it was polled", () => running.places.length > 0);
  expect(running.places[0]).toEqual({ position: 7 });
});

test("a synchronous service makes a job while its answer is awaited", async () => {
  const { service, world } = await openFake({ adapter: { ...fakeAdapter(), submitTimeoutMs: 60_000 } });
  const running = world.run();
  await world.until("it is sent", () => service.posts.length === 1);
  expect(running.places).toEqual([{}, undefined]);
});
