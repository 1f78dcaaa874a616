import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { reset } from "../../../support/faulty-service.js";
import { soldAs } from "../../../support/sold.js";
import { KEY } from "./fake-adapter.js";
import { answer, type Behaviour, DONE, type FakeService, startFakeService } from "./fake-service.js";
import { MAPPING, openFake } from "./harness.js";

test("a task is submitted once, polled and fetched; its cost is recorded", async () => {
  const { service, world } = await openFake();
  const running = world.run();
  await world.until("the task is accepted", () => world.attempt()?.state === "accepted");
  expect(world.attempt()).toMatchObject({
    no: 1,
    reference: { task: "task-1" },
    cost: { amount: 0.08, currency: "USD", source: "catalogue" },
  });
  expect(world.provider.hasAttempt(1)).toBe(true);
  service.status = { ...DONE, cost: 0.1 };
  expect(await world.endOf(running)).toMatchObject({ files: [{ mime: "image/png" }] });
  expect(world.attempt()).toMatchObject({
    state: "stored",
    due_at: null,
    cost: { amount: 0.1, currency: "USD", source: "upstream" },
    flagged: 0,
  });
  expect(service.posts).toHaveLength(1);
  expect(service.posts[0]).toMatchObject({
    path: "/tasks",
    body: { prompt: "fox 1", id: world.attempt()?.uuid },
    headers: { authorization: `Key ${KEY}` },
  });
});

test("no connection is used for two submits, nor for a submit and a poll", async () => {
  const { service, world } = await openFake();
  service.status = DONE;
  for (const jobId of [1, 2, 3]) await world.outcomeOf(jobId);
  const submits = service.posts.map(({ connection }) => connection);
  expect(new Set(submits).size).toBe(3);
  expect(service.gets.map(({ connection }) => connection).filter((one) => submits.includes(one))).toEqual([]);
});

test("a model that the service does not offer is left to another provider at once", async () => {
  const { service, world } = await openFake();
  service.onPost = (response) => answer(response, 410, {});
  expect(await world.outcomeOf()).toMatchObject({ kind: "declined" });
  expect(world.attempt()).toMatchObject({ state: "cancelled", flagged: 0 });
  expect(service.posts).toHaveLength(1);
  expect(world.provider.state.kind).toBe("up");
});

const cut = (text: string, length: number) => (response: ServerResponse) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": String(length) });
  response.write(text, () => response.socket?.destroy());
};

describe("what the end of a submit means", () => {
  test.each<[name: string, behaviour: Behaviour]>([
    ["a reset after acceptance", (_response, request) => reset(request)],
    ["a regular end without an answer", (_response, { socket }) => socket.end()],
    ["a hang", () => {}],
    ["headers, then a hang", (response) => response.writeHead(200).write("{")],
    ["a cut body", cut('{"task":"ta', 99)],
    ["200 without an id", (response) => answer(response, 200, {})],
    ["200 with HTML", (response) => answer(response, 200, "<html>")],
    ["a redirect", (response) => answer(response, 307, "", { location: "/tasks" })],
    ...[408, 499, 500, 502, 503, 504, 520, 524].map((status): [string, Behaviour] => [
      `HTTP ${status}`,
      (response) => answer(response, status, { error: "no" }),
    ]),
  ])("%s: ambiguous, and never sent again", async (_name, behaviour) => {
    const { service, world } = await openFake();
    service.onPost = (response, request, id) => {
      service.accept(id);
      behaviour(response, request, id);
    };
    expect(await world.outcomeOf()).toMatchObject({ failure: "provider" });
    const cost = { amount: 0.08, source: "catalogue" };
    expect(world.attempt()).toMatchObject({ state: "ambiguous", flagged: 1, cost });
    // A rerun of the job, such as after a crash, and another start.
    await world.restart();
    expect(await world.outcomeOf()).toMatchObject({ failure: "provider" });
    expect(service.posts).toHaveLength(1);
    expect(service.gets).toEqual([]);
  });

  test.each([
    [422, { policy: true }, "refused"],
    [400, { field: "x" }, "provider"],
  ])("HTTP %i with %j: refused, and never sent again", async (status, body, failure) => {
    const { service, world } = await openFake();
    service.onPost = (response) => answer(response, status, body);
    expect(await world.outcomeOf()).toMatchObject({ failure });
    expect(world.attempt()).toMatchObject({ state: "refused", flagged: 0, cost: undefined });
    await world.restart();
    expect(await world.outcomeOf()).toMatchObject({ failure });
    expect(service.posts).toHaveLength(1);
  });

  test("a reset before the request arrived whole is ambiguous too: nobody knows how far it came", async () => {
    const { service, world } = await openFake();
    service.onConnection = (socket) => socket.once("data", () => socket.resetAndDestroy());
    expect(await world.outcomeOf()).toMatchObject({ failure: "provider" });
    expect(world.attempt()?.state).toBe("ambiguous");
    expect(service.connections).toBe(1);
  });

  test("a connection that fails again and again while the service can be reached: declined at the deadline", async () => {
    const { service, world } = await openFake();
    const startedAt = world.clock.now();
    service.onPost = (response) => answer(response, 429, {}, { "retry-after": "20" });
    const running = world.run();
    await world.until("the job ends", () => {
      // Something is taken now and then, so that it is never throttled for long.
      world.provider.resume();
      return running.hasEnded;
    });
    expect(running.outcome).toMatchObject({ kind: "declined" });
    expect(world.clock.now() - startedAt).toBeGreaterThanOrEqual(115_000);
    expect(world.clock.now() - startedAt).toBeLessThan(155_000);
  });

  test.each([
    ["with Retry-After", { "retry-after": "25" }, 25_000],
    ["without", {}, 10_000],
  ])(
    "throttled %s: the same attempt is sent after the wait, and others wait as well",
    async (_name, headers, waitMs) => {
      const { service, world } = await openFake();
      const { onPost } = service;
      service.onPost = (response) => answer(response, 429, {}, headers);
      const first = world.run(1);
      await world.until("it is throttled", () => world.logged("planned again").length === 1);
      const throttledAt = world.clock.now();
      expect(world.provider.state.kind, "its pace, and no state of it").toBe("up");
      service.onPost = onPost;
      service.status = DONE;
      const second = world.run(2);
      await world.until("both are sent", () => service.posts.length === 3);
      expect(world.clock.now() - throttledAt).toBeGreaterThanOrEqual(waitMs - 250);
      expect(world.clock.now() - throttledAt).toBeLessThan(waitMs + 500);
      await world.until("both end", () => first.hasEnded && second.hasEnded);
      expect(first.outcome).toMatchObject({ files: [{}] });
      expect(world.attempt(1)?.no).toBe(1);
      expect(service.posts).toHaveLength(3);
    },
  );

  test("the answer holds the files, and what they cost: no poll", async () => {
    const { service, world } = await openFake();
    service.onPost = (response) => answer(response, 200, { files: DONE.files, cost: 0.1 });
    expect(await world.outcomeOf()).toMatchObject({ files: [{ mime: "image/png" }] });
    const cost = { amount: 0.1, currency: "USD", source: "upstream" };
    expect(world.attempt()).toMatchObject({ state: "stored", reference: undefined, cost });
    expect([service.posts.length, service.gets.length]).toEqual([1, 0]);
  });
});

test("the key stands in no row and in no line of the log, even when an answer repeats it", async () => {
  const { service, world } = await openFake();
  service.onPost = (response) => answer(response, 400, { error: `bad ${KEY}` });
  await world.outcomeOf();
  expect(world.attempt()?.detail).toContain("[key]");
  expect(JSON.stringify([world.attempt(), world.lines])).not.toContain(KEY);
});

test("nor does a part of the key, where a long answer is cut within it", async () => {
  const { service, world } = await openFake();
  const half = KEY.slice(0, KEY.length / 2);
  for (let length = 440; length <= 500; length += 12) {
    service.onPost = (response) => answer(response, 400, `${"x".repeat(length)}${KEY}`);
    await world.outcomeOf(length);
    expect(JSON.stringify([world.attempt(length), world.lines])).not.toContain(half);
  }
});

test("nor is the key kept with a reference that repeats it", async () => {
  const { service, world } = await openFake();
  service.onPost = (response) => answer(response, 200, { task: `task-of-${KEY}` });
  const running = world.run();
  await world.until("it is accepted", () => world.attempt()?.state === "accepted");
  expect(world.attempt()?.reference).toEqual({ task: "task-of-[key]" });
  expect(JSON.stringify(world.lines)).not.toContain(KEY);
  running.interrupt();
});

test("a key that is a common word changes no answer", async () => {
  const { world } = await openFake({ key: "task" });
  const running = world.run();
  await world.until("it is accepted", () => world.attempt()?.state === "accepted");
  expect(world.attempt()?.reference).toEqual({ task: "task-1" });
  running.interrupt();
});

test("an address of another host gets no call", async () => {
  const other: FakeService = await startFakeService();
  const { service, world } = await openFake();
  service.status = { status: "result", url: `${other.root.origin}/tasks/1` };
  const running = world.run();
  await world.until("it was polled", () => service.gets.length >= 2);
  expect(other.connections).toBe(0);
  service.status = { status: "result", url: "https://api.fake.example/tasks/1/result" };
  service.onGet = (response, _request, path) =>
    answer(response, 200, path.endsWith("result") ? DONE : service.status);
  expect(await world.endOf(running)).toMatchObject({ files: [{}] });
});

test("the log names a song by the id that its job has elsewhere", async () => {
  const { world } = await openFake();
  const request = { type: "image", model_key: "fox-1", prompt: "fox 2" } as const;
  const sold = soldAs([MAPPING], request);
  if (!sold) throw new Error("not sold");
  const output = { ...sold.operation.output, kind: "audio" } as const;
  const running = world.run(2, { operation: { ...sold, operation: { ...sold.operation, output } } });
  await world.until("it is logged", () => world.logged("attempt accepted").length > 0);
  expect(world.logged("attempt accepted")).toMatchObject([{ job_id: "music_2" }]);
  running.interrupt();
});
