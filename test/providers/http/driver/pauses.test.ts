import { describe, expect, test } from "vitest";
import type { PauseReason } from "../../../../src/ports/operator-notices.js";
import type { SubmitOutcome, UpstreamAdapter } from "../../../../src/providers/adapter.js";
import { upstreamCollector } from "../../../../src/providers/metrics.js";
import { StateStore } from "../../../../src/providers/service-state.js";
import { fakeAdapter, fakeAdapterWithLookUp } from "./fake-adapter.js";
import { answer, DONE } from "./fake-service.js";
import { openFake, type World } from "./harness.js";

/** A driver in front of a service that takes nothing until `isGood`. */
async function pausedWorld(status: number) {
  const { service, world } = await openFake();
  const { onPost } = service;
  const state = { isGood: false };
  service.onPost = (response, request, id) =>
    state.isGood ? onPost(response, request, id) : answer(response, status, {});
  service.onGet = (response, _request, path) => {
    if (path !== "/probe") answer(response, 200, DONE);
    else answer(response, state.isGood ? 200 : status, {});
  };
  return { service, state, world };
}

const probesOf = (gets: readonly { path: string }[]) => gets.filter(({ path }) => path === "/probe").length;
const reasonOf = ({ provider: { state } }: World) => (state.kind === "paused" ? state.reason : undefined);
const rowOf = (world: World) => new StateStore(world.database, "fake").read();

test.each<[number, PauseReason]>([
  [401, "key_refused"],
  [402, "no_credit"],
  [403, "locked"],
])("HTTP %i: paused as %s, said once, and resumed by a free probe", async (status, reason) => {
  const { service, state, world } = await pausedWorld(status);
  const [first] = [world.run(1), world.run(2)];
  await world.until("it is paused", () => reasonOf(world) === reason);
  await world.until("it was probed", () => probesOf(service.gets) === 1);
  expect(world.logged("service paused")).toHaveLength(1);
  expect(rowOf(world)).toMatchObject({ reason });
  const [up] = await upstreamCollector([world.provider])();
  expect(up).toMatchObject({
    name: "atelier_provider_up",
    samples: [{ labels: { provider: "fake" }, value: 0 }],
  });
  const postsWhilePaused = service.posts.length;
  expect(postsWhilePaused).toBeLessThanOrEqual(2);
  state.isGood = true;
  await world.until("it is up", () => world.provider.state.kind === "up" && rowOf(world) === undefined);
  // The job that showed the lock may be what locked it.
  if (reason === "locked") expect(first.outcome).toMatchObject({ failure: "provider" });
  expect(await world.outcomeOf(3)).toMatchObject({ files: [{}] });
  expect(world.logged("service is up again")).toHaveLength(1);
});

test.each<[string, (rows: StateStore, world: World) => Promise<void>]>([
  ["asking for it", (rows, { clock }) => rows.askToResume(clock.now())],
  ["removing its row", (rows) => rows.remove()],
])("the operator resumes it from another process by %s", async (_, resume) => {
  const { service, state, world } = await pausedWorld(403);
  world.run(1);
  await world.until("it is paused", () => rowOf(world) !== undefined);
  const running = world.run(2);
  state.isGood = true;
  await resume(new StateStore(world.database, "fake"), world);
  const isUp = () => rowOf(world) === undefined && world.provider.state.kind === "up";
  await world.until("it is resumed", isUp, { maxMs: 5000 });
  expect(await world.endOf(running)).toMatchObject({ files: [{}] });
  expect(probesOf(service.gets)).toBe(0);
  expect(world.logged("resumed by the operator")).toHaveLength(1);
});

/** A service that refuses the job of "fox 1" alone with a page that may mean its account. */
async function dislikingWorld(refusal: "policy" | "request", probeStatus: number) {
  const verdict: SubmitOutcome = { kind: "suspected", reason: "locked", refusal, detail: "a page" };
  const plain = fakeAdapter();
  const readSubmit: UpstreamAdapter["readSubmit"] = (given, operation) =>
    given.status === 403 ? verdict : plain.readSubmit(given, operation);
  const { service, world } = await openFake({ adapter: { ...plain, readSubmit } });
  const { onPost } = service;
  service.onPost = (response, request, id) => {
    const isDisliked = service.posts.at(-1)?.body.prompt === "fox 1";
    return isDisliked ? answer(response, 403, {}) : onPost(response, request, id);
  };
  service.onGet = (response, _request, path) => {
    if (path === "/probe") answer(response, probeStatus, {});
    else answer(response, 200, DONE);
  };
  return { service, world };
}

test.each(["policy", "request"] as const)(
  "a refusal that might be the account's is that of one request (%s) where a call without words is taken",
  async (refusal) => {
    const { service, world } = await dislikingWorld(refusal, 200);
    const disliked = world.run(1);
    const other = world.run(2);
    await world.until("both end", () => disliked.hasEnded && other.hasEnded);
    expect(disliked.outcome).toMatchObject(
      refusal === "policy" ? { failure: "refused" } : { failure: "provider" },
    );
    expect(other.outcome).toMatchObject({ files: [{}] });
    expect(world.attempt(1)).toMatchObject({ state: "refused", refusal });
    expect(world.logged("service paused")).toHaveLength(0);
    expect(probesOf(service.gets)).toBe(1);
  },
);

test("a job that locked its service ends: it is not sent there again, and no other provider gets it", async () => {
  const { service, world } = await dislikingWorld("request", 403);
  const disliked = world.run(1);
  await world.until("it is paused", () => reasonOf(world) === "locked");
  expect(await world.endOf(disliked)).toMatchObject({ failure: "provider" });
  expect(disliked.outcome).not.toHaveProperty("declined");
  expect(world.attempt(1)?.state).toBe("refused");
  expect(service.posts).toHaveLength(1);
});

test("a neutral call that tells of money pauses for money, and its job waits", async () => {
  const { world } = await dislikingWorld("request", 402);
  const disliked = world.run(1);
  await world.until("it is paused", () => reasonOf(world) === "no_credit");
  expect(disliked.hasEnded).toBe(false);
});

test("a poll whose key is refused pauses nothing where a call without a task is taken", async () => {
  const { service, world } = await openFake();
  service.onGet = (response, _request, path) => answer(response, path === "/probe" ? 200 : 401, {});
  world.run();
  await world.until("it was asked", () => probesOf(service.gets) > 0);
  expect(world.provider.state.kind).toBe("up");
  expect(world.attempt()?.state).toBe("accepted");
});

test("a poll that refuses the key pauses as well, and the task goes on afterwards", async () => {
  const { service, world } = await openFake();
  const state = { isGood: false };
  service.onGet = (response, _request, path) => {
    if (!state.isGood) answer(response, 401, {});
    else answer(response, 200, path === "/probe" ? {} : DONE);
  };
  const running = world.run();
  await world.until("it is paused", () => reasonOf(world) === "key_refused");
  const polls = service.gets.length;
  await world.move(10_000);
  expect(service.gets.length).toBe(polls);
  expect(world.attempt()?.state).toBe("accepted");
  state.isGood = true;
  expect(await world.endOf(running)).toMatchObject({ files: [{}] });
  expect(service.posts).toHaveLength(1);
});

describe("a job waits no longer than without the pause while the key is refused", () => {
  test("whose submit is in doubt", async () => {
    const { service, world } = await openFake({ adapter: fakeAdapterWithLookUp() });
    service.onPost = (response) => void response.socket?.resetAndDestroy();
    service.onGet = (response, _request, path) =>
      answer(response, path === "/probe" ? 401 : 200, path === "/probe" ? {} : { status: "unknown" });
    const running = world.run();
    await world.until("it was sent", () => service.posts.length === 1);
    service.onPost = (response) => answer(response, 401, {});
    world.run(2);
    await world.until("it is paused", () => reasonOf(world) === "key_refused");
    expect(await world.endOf(running, { stepMs: 1000 })).toMatchObject({ failure: "provider" });
    expect(world.attempt()).toMatchObject({ state: "ambiguous", flagged: 1 });
  });

  test("whose files are asked for again", async () => {
    const { service, world } = await openFake();
    service.status = DONE;
    service.onGet = (response, _request, path) => {
      const isGood = path !== "/probe" && world.fetched.length === 0;
      answer(response, isGood ? 200 : 401, isGood ? DONE : {});
    };
    world.fetchFaults = ["expired"];
    const running = world.run();
    await world.until("it is paused", () => reasonOf(world) === "key_refused");
    expect(world.attempt()?.state).toBe("ready");
    expect(await world.endOf(running, { stepMs: 5000, maxMs: 3_600_000 })).toMatchObject({
      failure: "provider",
    });
    expect(world.attempt()).toMatchObject({ state: "failed", flagged: 1 });
  });
});
