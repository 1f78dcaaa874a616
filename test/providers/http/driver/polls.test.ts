import { describe, expect, test } from "vitest";
import { mappingSchema } from "../../../../src/catalogue/mapping.js";
import type { UpstreamAdapter } from "../../../../src/providers/adapter.js";
import type { OutputFault } from "../../../../src/providers/file-inspector.js";
import { reset } from "../../../support/faulty-service.js";
import { fakeAdapter } from "./fake-adapter.js";
import { answer, type Behaviour, DONE } from "./fake-service.js";
import { MAPPING, openFake } from "./harness.js";

const PATIENT = mappingSchema.parse({ ...MAPPING, poll: { ...MAPPING.poll, deadline_sec: 3600 } });

describe("an answer that says nothing of the task fails no job", () => {
  const glitches: [string, Behaviour][] = [
    ["HTTP 500", (response) => answer(response, 500, "oops")],
    ["an unknown status", (response) => answer(response, 200, { status: "dreaming" })],
    ["429", (response) => answer(response, 429, {})],
    ["a reset", (_response, request) => reset(request)],
    ["a hang", () => {}],
    ["a redirect", (response) => answer(response, 302, "", { location: "https://else.example" })],
    ["a task that is unknown for a while", (response) => answer(response, 404, {})],
  ];
  test.each(glitches)("%s", async (_name, behaviour) => {
    const { service, world } = await openFake();
    service.onGet = behaviour;
    const running = world.run();
    await world.until("it was polled twice", () => service.gets.length >= 2);
    expect(world.attempt()?.state).toBe("accepted");
    service.onGet = (response) => answer(response, 200, DONE);
    expect(await world.endOf(running)).toMatchObject({ files: [{}] });
    expect(service.posts).toHaveLength(1);
  });
});

test("a task that the service denies three times over ten minutes is lost: the operator has a record", async () => {
  const { service, world } = await openFake({ mappingsOf: () => [PATIENT] });
  service.onGet = (response) => answer(response, 404, {});
  const startedAt = world.clock.now();
  expect(await world.outcomeOf()).toMatchObject({ failure: "provider" });
  expect(world.clock.now() - startedAt).toBeGreaterThan(10 * 60_000);
  expect(world.attempt()).toMatchObject({ state: "failed", flagged: 1, cost: { amount: 0.08 } });
  expect(world.logged("lost a task")).toHaveLength(1);
});

test("a task that the service knows in between is not lost", async () => {
  const { service, world } = await openFake({ mappingsOf: () => [PATIENT] });
  const { onGet } = service;
  const running = world.run();
  for (const minutes of [9, 5]) {
    service.onGet = (response) => answer(response, 404, {});
    await world.move(minutes * 60_000);
    service.onGet = onGet;
    await world.move(60_000);
  }
  expect(running.hasEnded).toBe(false);
  service.status = DONE;
  expect(await world.endOf(running)).toMatchObject({ files: [{}] });
});

const ASKED = { amount: 0.03, currency: "USD", source: "upstream" };

test.each([
  [{ status: "refused" }, { failure: "refused" }, undefined],
  [{ status: "failed" }, { failure: "provider" }, undefined],
  [{ status: "refused", cost: 0.03 }, { failure: "refused" }, ASKED],
  [{ status: "failed", cost: 0.03 }, { failure: "provider" }, ASKED],
])("a task that the service calls %j ends its job, costs what that says and stays so", async (...row) => {
  const [told, outcome, cost] = row;
  const { service, world } = await openFake();
  service.status = told;
  expect(await world.outcomeOf()).toMatchObject(outcome);
  expect(world.attempt()).toMatchObject({ state: told.status, cost, due_at: null, flagged: 0 });
  expect(await world.outcomeOf()).toMatchObject(outcome);
  expect(service.posts).toHaveLength(1);
});

test("a result that is another call is read in the same turn", async () => {
  const { service, world } = await openFake();
  const times: number[] = [];
  service.onGet = (response, _request, path) => {
    times.push(world.clock.now());
    const next = { status: "result", url: "https://api.fake.example/tasks/1/result" };
    answer(response, 200, path.endsWith("result") ? DONE : next);
  };
  expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
  expect(times).toHaveLength(2);
  expect(times[0]).toBe(times[1]);
});

describe("files that cannot be fetched", () => {
  test("expired: the task is asked for them again at once", async () => {
    const { service, world } = await openFake();
    service.status = DONE;
    world.fetchFaults = ["expired"];
    expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
    expect([service.gets.length, world.fetched.length, service.posts.length]).toEqual([2, 2, 1]);
    expect(world.attempt()?.state).toBe("stored");
  });

  test("expired, where the service renews addresses: no poll", async () => {
    const adapter: UpstreamAdapter = {
      ...fakeAdapter(),
      renew: (url) => ({
        call: { method: "GET", url: `https://api.fake.example/renew?of=${encodeURIComponent(url)}` },
        read: ({ text }) => (JSON.parse(text) as { url: string }).url,
      }),
    };
    const { service, world } = await openFake({ adapter });
    service.onGet = (response, _request, path) =>
      answer(
        response,
        200,
        path.startsWith("/renew") ? { url: "https://files.fake.example/fresh.png" } : DONE,
      );
    world.fetchFaults = ["expired"];
    expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
    expect(service.gets.map(({ path }) => path)).toEqual([
      "/tasks/task-1",
      `/renew?of=${encodeURIComponent(DONE.files[0] ?? "")}`,
    ]);
    expect(world.fetched[1]).toMatchObject([{ source: { url: "https://files.fake.example/fresh.png" } }]);
  });

  test("unreachable: tried again with pauses, a few times", async () => {
    const { service, world } = await openFake();
    service.status = DONE;
    world.fetchFaults = ["unreachable", "unreachable", "unreachable"];
    expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
    world.fetchFaults = Array.from({ length: 20 }, () => "unreachable" as const);
    expect(await world.outcomeOf(2)).toMatchObject({ failure: "provider" });
    expect(world.fetched).toHaveLength(4 + 8);
    expect(world.attempt(2)).toMatchObject({ state: "failed", flagged: 1, cost: { amount: 0.08 } });
  });

  test("no media: fetched again, then the job fails and the operator has a record of what was paid", async () => {
    const { service, world } = await openFake();
    service.status = DONE;
    world.fetchFaults = ["not_media", "not_media"];
    expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
    world.fetchFaults = Array.from({ length: 20 }, () => "not_media" as const);
    expect(await world.outcomeOf(2)).toMatchObject({ failure: "provider" });
    expect(world.attempt(2)).toMatchObject({ state: "failed", flagged: 1 });
    expect(world.fetched).toHaveLength(3 + 3);
  });
});

describe("past its deadline", () => {
  test("the job ends, the task is cancelled, and a late result is kept and flagged, not delivered", async () => {
    const { service, world } = await openFake();
    expect(await world.outcomeOf()).toMatchObject({ failure: "timeout" });
    expect(world.attempt()).toMatchObject({ state: "accepted", late: 1, flagged: 0 });
    await world.until("the cancellation is asked for", () => service.puts.length === 2);
    expect(service.puts.map(({ path }) => path)).toEqual(["/tasks/task-1/dequeue", "/tasks/task-1/cancel"]);
    const polls = service.gets.length;
    await world.until("a minute passes", () => service.gets.length > polls, { stepMs: 1000 });
    expect(service.gets.length - polls).toBe(1);
    // A rerun of the job, such as after a crash.
    expect(await world.outcomeOf()).toMatchObject({ failure: "timeout" });
    service.status = { ...DONE, cost: 0.2 };
    await world.until("the late result is kept", () => world.attempt()?.state === "stored", { stepMs: 5000 });
    expect(world.attempt()).toMatchObject({
      late: 1,
      flagged: 1,
      reference: { task: "task-1" },
      cost: { amount: 0.2 },
      due_at: null,
    });
    expect(world.kept).toMatchObject([{ jobId: 1, names: [expect.any(String)] }]);
    expect(world.fetched).toHaveLength(1);
    expect(world.logged("late result kept")).toHaveLength(1);
    expect(world.provider.service.stats.ends.get("late")).toBe(1);
    expect(await world.outcomeOf()).toMatchObject({ failure: "timeout" });
    expect(service.posts).toHaveLength(1);
  });

  /** A job that ended by its deadline, and whose task is made afterwards. */
  async function lateWorld() {
    const { service, world } = await openFake();
    await world.outcomeOf();
    service.status = DONE;
    return { service, world };
  }
  const SLOWLY = { stepMs: 5000, maxMs: 3 * 3_600_000 };

  test("files of a late result that cannot be had at once are fetched later", async () => {
    const { service, world } = await lateWorld();
    world.fetchFaults = ["unreachable", "storage", "expired"];
    await world.until("it is kept", () => world.attempt()?.state === "stored", SLOWLY);
    expect(world.kept).toHaveLength(1);
    expect(world.attempt()).toMatchObject({ late: 1, flagged: 1 });
    expect(service.posts).toHaveLength(1);
  });

  test.each<[OutputFault[], number]>([
    [["not_media"], 1],
    [Array.from({ length: 20 }, () => "unreachable"), 8],
  ])("files that are no good or not to be had leave a record: %j", async (faults, fetches) => {
    const { world } = await lateWorld();
    world.fetchFaults = [...faults];
    await world.until("it is given up", () => world.attempt()?.state === "failed", SLOWLY);
    expect(world.attempt()).toMatchObject({ late: 1, flagged: 1, cost: { amount: 0.08 } });
    expect([world.fetched.length, world.kept.length]).toEqual([fetches, 0]);
  });

  test("a crash while late files are fetched has the next start fetch them again, once", async () => {
    const { service, world } = await lateWorld();
    world.isFetchHanging = true;
    await world.until("they are being fetched", () => world.attempt()?.state === "ready", SLOWLY);
    expect(world.attempt()).toMatchObject({ late: 1, flagged: 1 });
    world.isFetchHanging = false;
    await world.restart();
    await world.until("they are kept", () => world.attempt()?.state === "stored", SLOWLY);
    expect(world.kept).toHaveLength(1);
    await world.restart();
    await world.move(10 * 60_000);
    expect(world.kept).toHaveLength(1);
    expect(await world.outcomeOf()).toMatchObject({ failure: "timeout" });
    expect(service.posts).toHaveLength(1);
  });

  test("what fails late leaves no doubt", async () => {
    const { service, world } = await openFake();
    await world.outcomeOf();
    service.status = { status: "failed" };
    await world.until("it is seen", () => world.attempt()?.state === "failed", { stepMs: 5000 });
    expect(world.attempt()).toMatchObject({ flagged: 0, cost: undefined });
  });

  test("after three deadlines it is left to the operator", async () => {
    const { service, world } = await openFake();
    await world.outcomeOf();
    await world.until("it is given up", () => world.attempt()?.state === "ambiguous", { stepMs: 5000 });
    const acceptedAt = world.attempt()?.accepted_at ?? 0;
    expect(world.clock.now() - acceptedAt).toBeGreaterThanOrEqual(3 * 120_000);
    expect(world.attempt()).toMatchObject({ late: 1, flagged: 1, due_at: null });
    const polls = service.gets.length;
    await world.move(10 * 60_000);
    expect(service.gets.length).toBe(polls);
  });

  test("a service that never answers a poll keeps no job beyond it", async () => {
    const { service, world } = await openFake();
    service.onGet = () => {};
    const startedAt = world.clock.now();
    expect(await world.outcomeOf()).toMatchObject({ failure: "timeout" });
    expect(world.clock.now() - startedAt).toBeLessThan(125_000);
  });
});
