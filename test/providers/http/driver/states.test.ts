import { describe, expect, test } from "vitest";
import { upstreamCollector } from "../../../../src/providers/metrics.js";
import { StateStore } from "../../../../src/providers/service-state.js";
import { freePort } from "../../../support/free-port.js";
import { fakeAdapterWithLookUp } from "./fake-adapter.js";
import { answer, DONE, type FakeService, startFakeService } from "./fake-service.js";
import { openFake, openWorld, type World } from "./harness.js";

const DAY = { "retry-after": "86400" };
const MINUTE_MS = 60_000;

const kindOf = (world: World) => world.provider.state.kind;
const rowOf = (world: World) => new StateStore(world.database, "fake").read();
const isPoll = (path: string) => path.startsWith("/tasks/");

describe("a service that wants a day's pause", () => {
  /** Its first poll is answered so; the time of each poll is noted. */
  async function afterOnePoll() {
    const { service, world } = await openFake();
    const polls: number[] = [];
    let isThrottling = true;
    service.onGet = (response, _request, path) => {
      if (isPoll(path)) polls.push(world.clock.now());
      if (isPoll(path) && isThrottling) answer(response, 429, {}, DAY);
      else answer(response, 200, service.status);
    };
    return {
      service,
      world,
      polls,
      calm() {
        isThrottling = false;
      },
    };
  }

  test("at one poll: is asked about its tasks once a minute, and delivers what it made", async () => {
    const { service, world, polls, calm } = await afterOnePoll();
    const running = world.run();
    await world.until("it was asked", () => polls.length === 1);
    calm();
    service.status = DONE;
    expect(await world.endOf(running)).toMatchObject({ files: [{}] });
    const pauseMs = (polls[1] ?? 0) - (polls[0] ?? 0);
    expect(pauseMs).toBeGreaterThanOrEqual(MINUTE_MS - 500);
    expect(pauseMs).toBeLessThanOrEqual(MINUTE_MS + 2000);
    expect(kindOf(world)).toBe("up");
  });

  test("is throttled meanwhile, in the row and in one line of the log, and is sent nothing", async () => {
    const { service, world, polls } = await afterOnePoll();
    world.run(1);
    await world.until("it was asked", () => polls.length === 1 && rowOf(world) !== undefined);
    expect(kindOf(world)).toBe("throttled");
    expect(rowOf(world)).toMatchObject({ state: "throttled" });
    world.run(2);
    await world.move(MINUTE_MS);
    expect(service.posts).toHaveLength(1);
    expect(world.logged("service throttled")).toHaveLength(1);
  });

  test("asks once more at the deadline, whatever the pace, and refunds nothing that was made", async () => {
    const { service, world, polls, calm } = await afterOnePoll();
    const running = world.run();
    // Told again a moment before the deadline: the next poll would come after it.
    await world.until("it was asked twice", () => polls.length === 2, { stepMs: 1000 });
    calm();
    service.status = DONE;
    expect(await world.endOf(running, { stepMs: 1000 })).toMatchObject({ files: [{}] });
  });

  test("at a submit: after ten minutes one task is sent all the same, and what it says counts", async () => {
    const { service, world } = await openFake();
    const { onPost } = service;
    service.onPost = (response) => answer(response, 429, {}, DAY);
    const first = world.run(1);
    await world.until("it is throttled", () => kindOf(world) === "throttled");
    const throttledAt = world.clock.now();
    await world.until("it is given back", () => first.postponed === 1);
    expect(world.provider.inFlight).toBe(0);
    first.interrupt();
    const { state } = world.provider;
    await world.until("it may be tried", () => isTried(world), { stepMs: 5000 });
    expect(world.clock.now() - throttledAt).toBeGreaterThanOrEqual(595_000);
    expect(world.clock.now() - throttledAt).toBeLessThan(610_000);
    expect(state).toMatchObject({ kind: "throttled", isTried: false });
    expect(service.posts).toHaveLength(1);
    const [second, third] = [world.run(2), world.run(3)];
    await world.until("both are given back", () => second.postponed > 0 && third.postponed > 0);
    expect(service.posts).toHaveLength(2);
    expect(kindOf(world)).toBe("throttled");
    await world.until("it may be tried again", () => isTried(world), { stepMs: 5000 });
    service.onPost = onPost;
    service.status = DONE;
    for (const running of [second, third]) running.interrupt();
    expect(await world.outcomeOf(4)).toMatchObject({ files: [{}] });
    expect(kindOf(world)).toBe("up");
    expect(rowOf(world)).toBeUndefined();
  });

  test("lets its queue start one job more than it was sent while it may be tried", async () => {
    const { service, world } = await openFake();
    world.run(1);
    await world.until("it was sent", () => service.posts.length === 1);
    expect(world.provider.newJobsMax).toBe(50);
    service.onPost = (response) => answer(response, 429, {}, DAY);
    const second = world.run(2);
    await world.until("it is given back", () => second.postponed > 0);
    expect(world.provider.newJobsMax).toBe(2);
  });

  test("stays throttled over a restart, for ten minutes at most", async () => {
    const { service, world } = await openFake();
    service.onPost = (response) => answer(response, 429, {}, DAY);
    world.run();
    await world.until("it is written", () => rowOf(world) !== undefined);
    await world.restart();
    expect(kindOf(world)).toBe("throttled");
    await world.until("it is tried or up", () => kindOf(world) === "up" || isTried(world), {
      stepMs: 5000,
      maxMs: 605_000,
    });
  });

  test("is resumed by the operator", async () => {
    const { service, world } = await openFake();
    service.onPost = (response) => answer(response, 429, {}, DAY);
    world.run();
    await world.until("it is written", () => rowOf(world) !== undefined);
    await new StateStore(world.database, "fake").remove();
    await world.until("it is sent again", () => service.posts.length === 2, { maxMs: 5000 });
  });
});

const isTried = ({ provider: { state } }: World) => state.kind === "throttled" && state.isTried;

test("a service that turns every task away for a minute is throttled, whatever waits it names", async () => {
  const { service, world } = await openFake();
  service.onPost = (response) => answer(response, 429, {}, { "retry-after": "5" });
  world.run();
  await world.until("it is throttled", () => kindOf(world) === "throttled", { maxMs: 70_000 });
});

describe("a service that cannot be reached", () => {
  /** A service that is down until `rise`. */
  async function down() {
    const port = await freePort();
    const root = new URL(`http://127.0.0.1:${port}`);
    const world = await openWorld({ root }, { settings: { concurrency: 2 } });
    return { world, rise: (): Promise<FakeService> => startFakeService(port) };
  }

  test("is unreachable within seconds, said once, and found back within seconds", async () => {
    const { world, rise } = await down();
    const running = world.run();
    await world.until("it is seen", () => rowOf(world) !== undefined, { maxMs: 5000 });
    expect(kindOf(world)).toBe("unreachable");
    expect(rowOf(world)).toMatchObject({ state: "unreachable" });
    const metrics = await upstreamCollector([world.provider])();
    const samplesOf = (name: string) => metrics.find((metric) => metric.name === name)?.samples;
    expect(samplesOf("atelier_provider_up")).toEqual([{ labels: { provider: "fake" }, value: 0 }]);
    expect(samplesOf("atelier_provider_state")?.filter(({ value }) => value === 1)).toEqual([
      { labels: { provider: "fake", state: "unreachable" }, value: 1 },
    ]);
    await world.until("the job is given back", () => running.postponed === 1);
    expect(world.attempt()).toMatchObject({ state: "planned", submitted_at: null });
    expect(world.provider.hasAttempt(1)).toBe(false);
    await world.move(MINUTE_MS);
    expect(world.logged("service unreachable")).toHaveLength(1);
    const service = await rise();
    service.status = DONE;
    await world.until("it is found", () => kindOf(world) === "up", { maxMs: 10_000 });
    expect(await world.endOf(running, { maxMs: 60_000 })).toMatchObject({ files: [{}] });
    expect(world.attempt()).toMatchObject({ no: 1, state: "stored" });
    expect(world.logged("service is up again")).toHaveLength(1);
    expect(rowOf(world)).toBeUndefined();
  });

  test("keeps no slot, however many jobs there are, and is sent all of them when it is back", async () => {
    const { world, rise } = await down();
    const jobs = [1, 2, 3, 4, 5, 6].map((job) => world.run(job));
    await world.until("all are given back", () => jobs.every(({ postponed }) => postponed > 0));
    expect(world.provider.inFlight).toBe(0);
    expect(world.provider.concurrency).toBe(2);
    const service = await rise();
    service.status = DONE;
    for (const job of jobs) expect(await world.endOf(job)).toMatchObject({ files: [{}] });
    expect(service.posts).toHaveLength(6);
  });

  test("stays unreachable over a restart until it answers", async () => {
    const { world, rise } = await down();
    world.run();
    await world.until("it is written", () => rowOf(world) !== undefined);
    await world.restart();
    expect(kindOf(world)).toBe("unreachable");
    await rise();
    await world.until("it is found", () => kindOf(world) === "up", { maxMs: 10_000 });
  });

  test("is seen without an order where it is the operator's own", async () => {
    const root = new URL(`http://127.0.0.1:${await freePort()}`);
    const world = await openWorld({ root }, { idleCheckMs: 15_000 });
    await world.until("it is seen", () => kindOf(world) === "unreachable", { maxMs: 5000 });
    const service = await startFakeService(Number(root.port));
    await world.until("it is found", () => kindOf(world) === "up", { maxMs: 10_000 });
    await service.close();
    await world.until("it is seen again", () => kindOf(world) === "unreachable", { maxMs: 20_000 });
  });
});

describe("a service that takes connections and answers nothing", () => {
  async function hanging() {
    const service = await startFakeService();
    const { onPost, onGet } = service;
    const hang = () => {};
    service.onPost = hang;
    service.onGet = hang;
    const world = await openWorld(service, { adapter: fakeAdapterWithLookUp() });
    return {
      service,
      world,
      answerAgain() {
        service.onPost = onPost;
        service.onGet = onGet;
        service.status = DONE;
      },
    };
  }

  test("for several calls in a row is unreachable; submits that hung stay in doubt, and no other is sent", async () => {
    const { service, world, answerAgain } = await hanging();
    const hung = world.run(1);
    await world.until("it is seen", () => kindOf(world) === "unreachable", { maxMs: 150_000 });
    expect(world.attempt(1)).toMatchObject({ state: "sending" });
    expect(hung.postponed).toBe(0);
    const later = world.run(2);
    await world.until("it is given back", () => later.postponed === 1);
    await world.move(MINUTE_MS);
    expect(service.posts).toHaveLength(1);
    answerAgain();
    await world.until("it is found back", () => kindOf(world) === "up", { maxMs: 20_000 });
    expect(await world.endOf(later)).toMatchObject({ files: [{}] });
    expect(service.posts).toHaveLength(2);
  });

  test("for one call only is up: its work may be slow", async () => {
    const { service, world, answerAgain } = await hanging();
    world.run(1);
    await world.until("it was sent", () => service.posts.length === 1);
    const { onPost } = service;
    answerAgain();
    service.onPost = onPost;
    await world.move(3 * MINUTE_MS);
    expect(kindOf(world)).toBe("up");
    expect(world.logged("service unreachable")).toEqual([]);
  });
});
