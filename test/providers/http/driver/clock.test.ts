import { describe, expect, test } from "vitest";
import { fal } from "../../../../src/providers/services/fal.js";
import { fakeAdapterWithLookUp } from "./fake-adapter.js";
import { answer, DONE } from "./fake-service.js";
import { openFake, openPolled, type World } from "./harness.js";

const HOUR_MS = 3_600_000;
const HOURS = [-25, -3, -1, 1, 3, 25];
const SOON = { maxMs: 60_000 };
const ONE_SUBMIT_IN_10_SEC = { settings: { concurrency: 10, submits: { count: 1, per_ms: 10_000 } } };

/** A world whose first job got no answer to its submit, and which the service does not find. */
async function openDoubtful() {
  const { service, world } = await openFake({ adapter: fakeAdapterWithLookUp() });
  service.onPost = (response) => void response.socket?.resetAndDestroy();
  service.onGet = (response) => answer(response, 200, {});
  return { service, world, running: world.run(1) };
}

/** Sets the clock while no process runs, and waits for the end of the first job in the next one. */
async function endAfterRestart(world: World, hours: number) {
  await world.stop();
  world.clock.step(hours * HOUR_MS);
  await world.restart();
  const begun = world.clock.monotonic();
  const running = world.run(1);
  await world.until("it ends", () => running.hasEnded);
  return { running, tookMs: world.clock.monotonic() - begun };
}

describe.each(HOURS)("a clock that is set by %i h in the running process", (hours) => {
  test("delays no poll, and no later submit", async () => {
    const { service, world, running: first } = await openPolled(ONE_SUBMIT_IN_10_SEC);
    world.clock.step(hours * HOUR_MS);
    const second = world.run(2);
    await world.until("the other is sent", () => service.posts.length === 2, SOON);
    service.status = DONE;
    await world.until("both are made", () => first.hasEnded && second.hasEnded, SOON);
    for (const { outcome } of [first, second]) expect(outcome).toMatchObject({ files: [{}] });
  });

  test("ends no job before its deadline, and each at it", async () => {
    const { world, running } = await openPolled();
    world.clock.step(hours * HOUR_MS);
    const begun = world.clock.monotonic();
    await world.move(90_000);
    expect(running.hasEnded).toBe(false);
    expect(await world.endOf(running)).toMatchObject({ failure: "timeout" });
    expect(world.clock.monotonic() - begun).toBeLessThan(130_000);
  });

  test("ends a doubt neither at once nor hours later", async () => {
    const { service, world, running } = await openDoubtful();
    await world.until("it was looked up", () => service.gets.length > 0);
    world.clock.step(hours * HOUR_MS);
    const begun = world.clock.monotonic();
    await world.move(120_000);
    expect(running.hasEnded).toBe(false);
    await world.until("it ends", () => running.hasEnded);
    expect(world.clock.monotonic() - begun).toBeLessThan(8 * 60_000);
    expect(world.attempt()).toMatchObject({ state: "ambiguous" });
  });

  test("ends no job at once that waits for a service that takes none", async () => {
    const { service, world } = await openFake();
    const { onPost } = service;
    service.onPost = (response) => answer(response, 429, {}, { "retry-after": "70" });
    const running = world.run();
    await world.until("it is throttled", () => world.provider.state.kind === "throttled");
    world.clock.step(hours * HOUR_MS);
    await world.move(30_000);
    expect(running.hasEnded).toBe(false);
    service.onPost = onPost;
    service.status = DONE;
    expect(await world.endOf(running, { maxMs: 120_000 })).toMatchObject({ files: [{}] });
  });

  test("has no task given up that the service did not know for a moment", async () => {
    const { service, world } = await openFake();
    service.onGet = (response) => answer(response, 404, {});
    const running = world.run();
    await world.until("it is unknown", () => (world.attempt()?.poll_failures ?? 0) >= 2);
    world.clock.step(hours * HOUR_MS);
    await world.move(30_000);
    expect(running.hasEnded).toBe(false);
    service.onGet = (response) => answer(response, 200, DONE);
    expect(await world.endOf(running, SOON)).toMatchObject({ files: [{}] });
  });

  test("gives up no finished task whose files could not be had for a moment, and none too late", async () => {
    const { service, world } = await openFake();
    service.status = DONE;
    world.fetchFaults = ["unreachable"];
    const running = world.run();
    await world.until("its files were asked for", () => world.fetched.length === 1);
    const { onGet } = service;
    service.onGet = (response) => answer(response, 200, { status: "running" });
    world.clock.step(hours * HOUR_MS);
    const begun = world.clock.monotonic();
    await world.move(60_000);
    expect(running.hasEnded).toBe(false);
    if (hours > 0) {
      expect(await world.endOf(running, { stepMs: 5000, maxMs: 35 * 60_000 })).toMatchObject({
        failure: "provider",
      });
      expect(world.clock.monotonic() - begun).toBeGreaterThan(31 * 60_000);
      return;
    }
    service.onGet = onGet;
    expect(await world.endOf(running, SOON)).toMatchObject({ files: [{}] });
  });

  test("changes no pause between polls", async () => {
    const { service, world } = await openFake({
      settings: {
        concurrency: 1,
        polls: { image: [{ every_ms: 1000, until_sec: 60 }, { every_ms: 20_000 }] },
      },
    });
    world.run();
    await world.until("it is polled", () => service.gets.length > 3);
    world.clock.step(hours * HOUR_MS);
    await world.move(3000);
    const before = service.gets.length;
    for (let count = 0; count < 40; count += 1) await world.move(250);
    expect(service.gets.length - before).toBeGreaterThanOrEqual(8);
    expect(service.gets.length - before).toBeLessThanOrEqual(12);
  });
});

describe.each(HOURS)("a clock that is set by %i h before a start", (hours) => {
  test("delays no task of the process before, and no submit", async () => {
    const { service, world } = await openPolled(ONE_SUBMIT_IN_10_SEC);
    await world.stop();
    world.clock.step(hours * HOUR_MS);
    service.status = DONE;
    await world.restart();
    const jobs = [world.run(1), world.run(2)];
    await world.until("both are made", () => jobs.every(({ hasEnded }) => hasEnded), SOON);
    for (const { outcome } of jobs) expect(outcome).toMatchObject({ files: [{}] });
    expect(service.posts).toHaveLength(2);
  });

  test("keeps no job beyond its deadline", async () => {
    const { world } = await openPolled();
    const { running, tookMs } = await endAfterRestart(world, hours);
    expect(running.outcome).toMatchObject({ failure: "timeout" });
    expect(tookMs).toBeLessThan(130_000);
  });

  test("keeps no doubt beyond some minutes", async () => {
    const { service, world } = await openDoubtful();
    await world.until("it was looked up", () => service.gets.length > 0);
    const { tookMs } = await endAfterRestart(world, hours);
    expect(tookMs).toBeLessThan(8 * 60_000);
  });

  test("gives up no finished task by a single answer that says nothing", async () => {
    const { service, world } = await openFake();
    service.status = DONE;
    world.fetchFaults = ["unreachable"];
    world.run(1);
    await world.until("its files were asked for", () => world.fetched.length === 1);
    await world.stop();
    world.clock.step(hours * HOUR_MS);
    const { onGet } = service;
    service.onGet = (response) => answer(response, 200, { status: "running" });
    await world.restart();
    const running = world.run(1);
    await world.move(30_000);
    expect(running.hasEnded).toBe(false);
    service.onGet = onGet;
    expect(await world.endOf(running, SOON)).toMatchObject({ files: [{}] });
  });
});

test.each([
  [-3, 0],
  [3, 4],
])(
  "a submit under a clock that was %i h off is not taken for absent %i h later",
  async (hours, awayHours) => {
    const { readLookUp } = fal;
    if (!readLookUp) throw new Error("fal has no look-up");
    const { service, world } = await openFake({ adapter: { ...fakeAdapterWithLookUp(), readLookUp } });
    const { onPost } = service;
    service.onPost = (response, _request, id) => {
      service.accept(id);
      response.socket?.resetAndDestroy();
    };
    // The task runs: it is not in the list yet.
    service.onGet = (response) => {
      const date = new Date(world.clock.now()).toUTCString();
      answer(response, 200, { items: [], has_more: false }, { date });
    };
    world.clock.step(hours * HOUR_MS);
    world.run(1);
    await world.until("it is sent", () => service.posts.length === 1);
    world.clock.step(-hours * HOUR_MS);
    await world.stop();
    await world.clock.advance(awayHours * HOUR_MS);
    await world.restart();
    service.onPost = onPost;
    const running = world.run(1);
    await world.until("it ends", () => running.hasEnded);
    expect(service.accepted.size).toBe(1);
    expect(service.posts).toHaveLength(1);
    expect(world.attempt()).toMatchObject({ no: 1, state: "ambiguous", flagged: 1 });
  },
);

test("a look-up is repeated after pauses, also where half of the age is no whole number", async () => {
  const { service, world, running } = await openDoubtful();
  await world.until("it ends", () => running.hasEnded, { stepMs: 333 });
  expect(world.logged("row not postponed")).toEqual([]);
  expect(service.gets.length).toBeLessThan(14);
});
