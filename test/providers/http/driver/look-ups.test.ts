import type { ServerResponse } from "node:http";
import { expect, test, vi } from "vitest";
import type { UpstreamAdapter } from "../../../../src/providers/adapter.js";
import { fakeAdapterWithLookUp } from "./fake-adapter.js";
import { answer, DONE, type FakeService } from "./fake-service.js";
import { openFake, type openWorld } from "./harness.js";

/** Accepts the next POSTs or not, and never answers them; look-ups are answered by `lookUp`. */
async function doubtful(isAccepted: boolean, options: Parameters<typeof openWorld>[1] = {}) {
  const { service, world } = await openFake({ adapter: fakeAdapterWithLookUp(), ...options });
  const given = {
    lookUp: (response: ServerResponse, id: string) => {
      const task = service.accepted.get(id);
      if (task === undefined) answer(response, 404, { absent: true });
      else answer(response, 200, { task });
    },
  };
  const { onPost } = service;
  service.onPost = (response, _request, id) => {
    if (isAccepted) service.accept(id);
    response.socket?.resetAndDestroy();
  };
  service.onGet = (response, _request, path) => {
    const [, id] = path.split("/by-id/");
    if (id === undefined) answer(response, 200, service.status);
    else given.lookUp(response, id);
  };
  return { service, world, given, onPost };
}

const lookUpsOf = ({ gets }: FakeService) => gets.filter(({ path }) => path.startsWith("/by-id/")).length;

test("a task that a look-up finds is accepted, after a restart too: no second POST", async () => {
  const { service, world } = await doubtful(true);
  world.run();
  await world.until("it was sent", () => service.posts.length === 1);
  await world.restart();
  service.status = DONE;
  expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
  expect([service.posts.length, service.accepted.size]).toEqual([1, 1]);
  expect(world.attempt()).toMatchObject({ no: 1, state: "stored", flagged: 0, late: 0 });
});

test("proved that nothing was made: sent once more, as a new attempt with an id of its own", async () => {
  const { service, world, onPost } = await doubtful(false);
  service.status = DONE;
  const running = world.run();
  await world.until("it was sent", () => service.posts.length === 1);
  const first = world.attempt();
  service.onPost = onPost;
  expect(await world.endOf(running)).toMatchObject({ files: [{}] });
  expect(world.attempt()).toMatchObject({ no: 2, state: "stored" });
  expect(world.attempt()?.uuid).not.toBe(first?.uuid);
  expect(world.store.find(first?.attempt_id ?? 0)).toMatchObject({
    state: "cancelled",
    cost_amount: null,
    flagged: 0,
  });
  expect([service.posts.length, service.accepted.size]).toEqual([2, 1]);
});

test("proved twice: another provider may take the job, and this one sends no third time", async () => {
  const { service, world } = await doubtful(false);
  expect(await world.outcomeOf()).toMatchObject({ kind: "declined" });
  expect(await world.outcomeOf()).toMatchObject({ kind: "declined" });
  expect(service.posts).toHaveLength(2);
});

test("not known: ambiguous after some minutes; what a later look-up finds is kept, flagged and not delivered", async () => {
  const { service, world, given } = await doubtful(true);
  const find = given.lookUp;
  given.lookUp = (response) => answer(response, 200, {});
  const startedAt = world.clock.now();
  expect(await world.outcomeOf()).toMatchObject({ failure: "provider" });
  expect(world.clock.now() - startedAt).toBeLessThan(8 * 60_000);
  expect(world.attempt()).toMatchObject({ state: "ambiguous", flagged: 1 });
  expect(lookUpsOf(service)).toBeGreaterThan(4);
  given.lookUp = find;
  service.status = DONE;
  await world.until("the late result is kept", () => world.attempt()?.state === "stored", {
    stepMs: 15_000,
    maxMs: 3 * 3_600_000,
  });
  expect(world.attempt()).toMatchObject({ late: 1, flagged: 1, reference: { task: "task-1" } });
  expect(world.kept).toHaveLength(1);
  expect(await world.outcomeOf()).toMatchObject({ failure: "timeout" });
  expect(service.posts).toHaveLength(1);
});

test("an ambiguous attempt whose task was surely not made leaves the operator's list", async () => {
  const { service, world, given } = await doubtful(false);
  const find = given.lookUp;
  given.lookUp = (response) => answer(response, 200, {});
  await world.outcomeOf();
  given.lookUp = find;
  await world.until("it is resolved", () => world.attempt()?.state === "cancelled", {
    stepMs: 15_000,
    maxMs: 3 * 3_600_000,
  });
  expect(world.attempt()).toMatchObject({ flagged: 0, cost: undefined });
  expect(service.posts).toHaveLength(1);
});

test("two doubtful submits never share a task, however often the service tells the same one", async () => {
  const { service, world } = await openFake({ adapter: fakeAdapterWithLookUp() });
  const request = { type: "image", model_key: "fox-1", prompt: "the same" } as const;
  service.onPost = (response) => void response.socket?.resetAndDestroy();
  service.onGet = (response, _request, path) =>
    path.startsWith("/by-id/") ? answer(response, 200, { task: "task-1" }) : answer(response, 200, DONE);
  const jobs = [1, 2].map((job) => world.run(job, { request }));
  await world.until("both end", () => jobs.every(({ hasEnded }) => hasEnded));
  const states = [1, 2].map((job) => world.attempt(job)?.state).sort();
  expect(states).toEqual(["ambiguous", "stored"]);
  expect([1, 2].filter((job) => world.attempt(job)?.reference !== undefined)).toHaveLength(1);
});

test("a day later it is no longer looked up", async () => {
  const { service, world, given } = await doubtful(true);
  given.lookUp = (response) => answer(response, 200, {});
  await world.outcomeOf();
  await world.until("a day passes", () => world.attempt()?.due_at === null, {
    stepMs: 600_000,
    maxMs: 26 * 3_600_000,
  });
  const lookUps = lookUpsOf(service);
  await world.move(3 * 3_600_000);
  expect(lookUpsOf(service)).toBe(lookUps);
  expect(world.attempt()).toMatchObject({ state: "ambiguous", flagged: 1 });
});

test("a POST is repeated only for a job that waits: its look-up may make what nobody wants any more", async () => {
  const plain = fakeAdapterWithLookUp();
  const adapter: UpstreamAdapter = {
    ...plain,
    readLookUp: (_answer, attempt, _askedAt, asked) =>
      asked?.method === "POST"
        ? { kind: "found", reference: { task: "task-1" } }
        : { kind: "next", call: plain.submit(attempt.operation, { id: attempt.id, callbackUrl: "" }) },
  };
  const { service, world } = await openFake({ adapter });
  service.onPost = (response) => void response.socket?.resetAndDestroy();
  world.run();
  await world.until("it was sent", () => service.posts.length === 1);
  await world.restart();
  await world.until("it was looked up", () => lookUpsOf(service) > 1);
  expect(service.posts).toHaveLength(1);
  service.onPost = (response, _request, id) => answer(response, 200, { task: service.accept(id) });
  service.status = DONE;
  expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
  expect(service.accepted.size).toBe(1);
});

test("doubts that a first look-up did not find keep no later job waiting, and give their room back", async () => {
  const roomAgain = vi.fn();
  const options = { settings: { concurrency: 10 }, roomAgain };
  const { service, world, given, onPost } = await doubtful(false, options);
  given.lookUp = (response) => answer(response, 200, {});
  const ids = Array.from({ length: 10 }, (_, index) => index + 1);
  const doubts = ids.map((job) => world.run(job));
  await world.until("all are in doubt", () => service.posts.length === 10);
  service.onPost = onPost;
  service.status = DONE;
  const later = ids.map((job) => world.run(10 + job));
  await world.until("the later ones are made", () => later.every(({ hasEnded }) => hasEnded), {
    maxMs: 45_000,
  });
  for (const { outcome } of later) expect(outcome).toMatchObject({ files: [{}] });
  expect(doubts.every(({ hasEnded }) => !hasEnded)).toBe(true);
  expect(world.provider.concurrency).toBe(20);
  expect(roomAgain).toHaveBeenCalledTimes(10);
  await world.until("the doubts end", () => doubts.every(({ hasEnded }) => hasEnded));
  expect(world.provider.concurrency).toBe(10);
  const told = world.logged("attempt ambiguous").map(({ job_id, doubt }) => [job_id, doubt]);
  expect(told.sort()).toEqual(ids.map((job) => [job, "unknown"]).sort());
});

test("a task that is found later counts again, also above the limit", async () => {
  const { service, world, given } = await doubtful(true, { settings: { concurrency: 1 } });
  const find = given.lookUp;
  given.lookUp = (response) => answer(response, 200, {});
  const running = world.run();
  await world.until("its room is free", () => world.provider.concurrency === 2);
  given.lookUp = find;
  await world.until("it is found", () => world.attempt()?.state === "accepted");
  expect([world.provider.concurrency, world.provider.inFlight]).toEqual([1, 1]);
  service.status = DONE;
  await world.until("it is made", () => running.hasEnded);
  expect(world.logged("attempt accepted")[0]).toMatchObject({ job_id: 1, doubt: "accepted" });
});

test("one that is sent again waits for room first", async () => {
  const { service, world, given, onPost } = await doubtful(false, { settings: { concurrency: 1 } });
  const prove = given.lookUp;
  given.lookUp = (response) => answer(response, 200, {});
  const first = world.run(1);
  await world.until("its room is free", () => world.provider.concurrency === 2);
  service.onPost = onPost;
  const second = world.run(2);
  await world.until("the other is sent", () => world.attempt(2)?.state === "accepted");
  given.lookUp = prove;
  await world.until("it may be sent again", () => world.attempt(1)?.state === "cancelled");
  await world.move(5000);
  expect([service.posts.length, world.provider.concurrency]).toEqual([2, 1]);
  service.status = DONE;
  await world.until("both are made", () => first.hasEnded && second.hasEnded);
  expect(service.posts).toHaveLength(3);
  expect(world.logged("surely not accepted")[0]).toMatchObject({ job_id: 1, doubt: "not_accepted" });
});

test.each([401, 403])("a doubt that the key may not ask about (%i) ends at once", async (status) => {
  const { world, given } = await doubtful(true);
  given.lookUp = (response) => answer(response, status, {});
  const begun = world.clock.now();
  expect(await world.outcomeOf()).toMatchObject({ failure: "provider" });
  expect(world.clock.now() - begun).toBeLessThan(5000);
  expect(world.attempt()).toMatchObject({ state: "ambiguous", flagged: 1 });
  expect(world.provider.state.kind).toBe("up");
  expect(world.logged("attempt ambiguous")[0]).toMatchObject({ job_id: 1, doubt: "unknown" });
});
