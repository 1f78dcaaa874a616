import { expect, test } from "vitest";
import { mappingSchema } from "../../../../src/catalogue/mapping.js";
import { GenerationError } from "../../../../src/workers/generation-error.js";
import { freePort } from "../../../support/free-port.js";
import { answer, DONE, startFakeService } from "./fake-service.js";
import { MAPPING, openFake, openWorld, readMetrics } from "./harness.js";

/** The most events in any window of `perMs`. */
function mostIn(times: readonly number[], perMs: number): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + perMs).length));
}

test("submits keep the service's window under load, also over a restart; each job waits, none fails", async () => {
  const settings = { concurrency: 100, submits: { count: 6, per_ms: 10_000 } };
  const { service, world } = await openFake({ settings });
  const times: number[] = [];
  const { onPost } = service;
  service.onPost = (response, request, id) => {
    times.push(world.clock.now());
    onPost(response, request, id);
  };
  service.status = DONE;
  const jobs = Array.from({ length: 15 }, (_, index) => index + 1);
  for (const job of jobs) world.run(job);
  await world.until("some are sent", () => times.length >= 6);
  await world.restart();
  const again = jobs.map((job) => world.run(job));
  for (const job of again) expect(await world.endOf(job)).toMatchObject({ files: [{}] });
  expect(times).toHaveLength(15);
  // They are seen up to a step of this test later than they start.
  expect(mostIn(times, 9750)).toBe(6);
});

test("no more tasks are at the service than its concurrency, or the operator's", async () => {
  const { service, world } = await openFake({ settings: { concurrency: 100 }, concurrency: 3 });
  expect(world.provider.concurrency).toBe(3);
  const jobs = [1, 2, 3, 4, 5, 6, 7].map((job) => world.run(job));
  await world.until("three are polled", () => service.gets.length >= 3);
  expect([service.posts.length, world.provider.inFlight]).toEqual([3, 3]);
  service.status = DONE;
  await world.until("all end", () => jobs.every(({ hasEnded }) => hasEnded));
  expect(service.posts).toHaveLength(7);
  expect(world.provider.inFlight).toBe(0);
});

test("tasks of an earlier process go on above a concurrency that was lowered, before new ones", async () => {
  const { service, world } = await openFake({ settings: { concurrency: 100 } });
  for (const job of [1, 2, 3]) world.run(job);
  await world.until("three are polled", () => service.gets.length >= 3);
  await world.restart({ concurrency: 1 });
  const jobs = [1, 2, 3, 4].map((job) => world.run(job));
  await world.until("three are waited for", () => world.provider.inFlight === 3);
  service.status = DONE;
  await world.until("all end", () => jobs.every(({ hasEnded }) => hasEnded));
  expect(service.posts).toHaveLength(4);
  expect(world.provider.inFlight).toBe(0);
});

test("polls keep the service's rate, and every task is polled", async () => {
  const { service, world } = await openFake({ settings: { concurrency: 100, polls_per_sec: 4 } });
  const times: number[] = [];
  const polled = new Set<string>();
  service.onGet = (response, _request, path) => {
    times.push(world.clock.now());
    polled.add(path);
    answer(response, 200, service.status);
  };
  const jobs = Array.from({ length: 30 }, (_, index) => world.run(index + 1));
  await world.until("all are polled", () => polled.size === 30, { stepMs: 100 });
  expect(mostIn(times, 1000)).toBeLessThanOrEqual(4);
  for (const job of jobs) job.interrupt();
});

test("as many tasks as would need more polls than the service allows are polled less often, none late", async () => {
  const polls = { image: [{ every_ms: 500 }] };
  const settings = { concurrency: 100, polls_per_sec: 10, polls };
  const { service, world } = await openFake({ settings });
  const times: number[] = [];
  service.onGet = (response) => {
    times.push(world.clock.now());
    answer(response, 200, service.status);
  };
  const one = world.run(1);
  await world.until("one is polled often", () => times.length === 10, { stepMs: 100, maxMs: 6000 });
  const jobs = Array.from({ length: 59 }, (_, index) => world.run(index + 2));
  await world.until("all are spread", () => times.length >= 160, { stepMs: 100 });
  const { polls: stats } = world.provider.service.stats;
  const [before, { late }] = [times.length, stats];
  const startedAt = world.clock.now();
  await world.until("a time passes", () => world.clock.now() - startedAt >= 15_000, { stepMs: 100 });
  const looksPerSec = (times.length - before) / 15;
  expect(looksPerSec).toBeGreaterThan(7);
  expect(looksPerSec).toBeLessThan(10);
  expect(stats.late).toBe(late);
  for (const job of [one, ...jobs]) job.interrupt();
});

test("a long download delays no poll of another task", async () => {
  const { service, world } = await openFake({
    outputs: {
      fetch: (_files, _folder, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    },
  });
  service.onGet = (response, _request, path) =>
    answer(response, 200, path.endsWith("task-1") ? DONE : { status: "running" });
  world.run(1);
  await world.until("its files are being fetched", () => world.attempt(1)?.state === "ready");
  world.run(2);
  await world.until(
    "the other is polled",
    () => service.gets.filter(({ path }) => path.endsWith("task-2")).length === 3,
    {
      maxMs: 15_000,
    },
  );
});

test("metrics tell attempts by state and end, submits and polls, for each service", async () => {
  const { service, world } = await openFake();
  world.run(1);
  await world.until("it is accepted", () => world.attempt(1)?.state === "accepted");
  service.onPost = (response) => answer(response, 500, {});
  await world.outcomeOf(2);
  service.onPost = (response) => answer(response, 410, {});
  await world.outcomeOf(3);
  const shown = await readMetrics(world);
  expect(shown("atelier_provider_up", "fake")).toBe(1);
  expect(shown("atelier_attempts", "accepted")).toBe(1);
  expect(shown("atelier_attempts", "ambiguous")).toBe(1);
  expect(shown("atelier_attempts", "planned")).toBe(0);
  expect(shown("atelier_attempts_ended_total", "ambiguous")).toBe(1);
  expect(shown("atelier_upstream_submits_total", "accepted")).toBe(1);
  expect(shown("atelier_upstream_submits_total", "ambiguous")).toBe(1);
  expect(shown("atelier_upstream_submits_total", "declined")).toBe(1);
});

test("a job whose references cannot be given to the service is declined unsent", async () => {
  const { service, world } = await openFake({
    references: { publish: () => Promise.reject(new Error("no upload")) },
  });
  const running = world.run(1, { references: ["/0"] });
  expect(await world.endOf(running)).toMatchObject({ kind: "declined" });
  expect(service.posts).toEqual([]);
});

test("a job whose references cannot be given to a service that is away is given back, and made when it is back", async () => {
  const port = await freePort();
  const mapping = mappingSchema.parse({
    ...MAPPING,
    input: { prompt: "$prompt", first: "$start_frame_url" },
  });
  let isAway = true;
  const publish = async () => {
    if (isAway) throw new Error("connection refused");
    return ["https://pictures.example/0"];
  };
  const world = await openWorld(
    { root: new URL(`http://127.0.0.1:${port}`) },
    { references: { publish }, mappingsOf: () => [mapping] },
  );
  const request = {
    type: "image",
    model_key: "fox-1",
    prompt: "fox",
    start_frame_url: "https://a.example/0",
  } as const;
  const running = world.run(1, { request, references: ["/0"] });
  await world.until("it is seen", () => world.provider.state.kind === "unreachable");
  await world.until("it is given back", () => running.postponed > 0);
  const service = await startFakeService(port);
  service.status = DONE;
  isAway = false;
  expect(await world.endOf(running)).toMatchObject({ files: [{}] });
});

test("a picture that the service cannot take fails its job with words for the person", async () => {
  const unusable = new GenerationError(
    "reference",
    "Reference picture 1 could not be used: it is too large.",
  );
  const { service, world } = await openFake({ references: { publish: () => Promise.reject(unusable) } });
  const running = world.run(1, { references: ["/0"] });
  expect(await world.endOf(running)).toMatchObject({ failure: "reference", error: unusable.message });
  expect(service.posts).toEqual([]);
});
