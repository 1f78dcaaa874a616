import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { mappingSchema } from "../../../../src/catalogue/mapping.js";
import type { HttpProviderOptions } from "../../../../src/providers/service.js";
import { fakeAdapter, fakeAdapterWithLookUp } from "./fake-adapter.js";
import { answer, DONE, type FakeService } from "./fake-service.js";
import { MAPPING, openFake, type openWorld, type World } from "./harness.js";

const ADDRESS = "https://atelier.example/hooks/fake";
/** Its polls come no sooner than the question of a callback. */
const RARE = mappingSchema.parse({
  ...MAPPING,
  poll: { first_ms: 3000, every_ms: [60_000], deadline_sec: 3600 },
});
const SLOW = mappingSchema.parse({ ...MAPPING, poll: { ...MAPPING.poll, deadline_sec: 3600 } });

function calling(adapter = fakeAdapter()): HttpProviderOptions["adapter"] {
  return {
    ...adapter,
    callsBack: true,
    submit: (operation, attempt) => {
      const call = adapter.submit(operation, attempt);
      return { ...call, json: { ...(call.json as object), hook: attempt.callbackUrl ?? null } };
    },
  };
}

type Change = Parameters<typeof openWorld>[1];

/** A service that is given addresses to call. */
async function openCalled(change: Change = {}) {
  const options = { adapter: calling(), callbackUrl: ADDRESS, mappingsOf: () => [SLOW] };
  const { service, world } = await openFake({ ...options, ...change });
  return { service, world };
}

function tokenOf(service: FakeService, post = service.posts.length - 1): string {
  const url = String(service.posts[post]?.body.hook);
  expect(url).toMatch(/^https:\/\/atelier\.example\/hooks\/fake\/[A-Za-z0-9_-]{43}$/);
  return url.slice(ADDRESS.length + 1);
}

/** A job whose task was accepted, and polled for the first time. */
async function openAsked(change: Change = {}) {
  const { service, world } = await openCalled(change);
  const running = world.run();
  await world.until("it was polled", () => service.gets.length === 1);
  return { service, world, running, token: tokenOf(service) };
}

/** Before any poll would come. */
async function soon(world: World, service: FakeService, polls: number): Promise<void> {
  const options = { stepMs: 50, maxMs: 2500 };
  await world.until(`poll ${polls}`, () => service.gets.length === polls, options);
}

function counts({ provider }: World): Record<string, number> {
  return Object.fromEntries(provider.service.stats.callbacks);
}

describe("the address of an attempt", () => {
  test("is random, known before the POST as a hash alone, and in neither the operation nor the log", async () => {
    const { service, world } = await openCalled();
    let stored: unknown;
    service.onPost = (response, _request, id) => {
      stored = world.attempt(service.posts.length)?.callback_hash;
      answer(response, 200, { task: service.accept(id) });
    };
    world.run(1);
    world.run(2);
    await world.until("both are sent", () => service.accepted.size === 2);
    expect(stored).toEqual(expect.any(String));
    const tokens = [tokenOf(service, 0), tokenOf(service, 1)];
    expect(new Set(tokens).size).toBe(2);
    const reader = new Sqlite(join(world.directory, "a.db"), { readonly: true });
    const rows = reader.prepare("SELECT * FROM attempt").all();
    reader.close();
    expect(rows).toHaveLength(2);
    for (const token of tokens) expect(JSON.stringify([rows, world.lines])).not.toContain(token);
  });

  test.each<[string, Change]>([
    ["nobody can call", { callbackUrl: undefined }],
    ["the service calls nobody", { adapter: { ...calling(), callsBack: undefined } as never }],
  ])("is not given where %s, and polls keep the mapping's schedule", async (_why, change) => {
    const { service, world } = await openCalled(change);
    world.run();
    await world.until("it was polled three times", () => service.gets.length === 3);
    expect(service.posts[0]?.body.hook).toBeNull();
    expect(world.attempt()?.callback_hash).toBeNull();
    expect(world.clock.now() - (world.attempt()?.accepted_at ?? 0)).toBeLessThan(12_000);
  });
});

describe("a callback", () => {
  test("has the task asked about at once, and is not believed", async () => {
    const { service, world, running, token } = await openAsked();
    await world.move(7000);
    expect(service.gets).toHaveLength(1);
    service.status = DONE;
    world.provider.callbacks.take(token);
    await soon(world, service, 2);
    expect(await world.endOf(running)).toMatchObject({ files: [{}] });
    expect(counts(world)).toEqual({ asked: 1 });
  });

  test("that is lost is found by polls, which come every 30 to 60 s", async () => {
    const { service, world, running } = await openAsked();
    const times: number[] = [world.clock.now()];
    service.onGet = (response) => {
      times.push(world.clock.now());
      answer(response, 200, times.length < 12 ? service.status : DONE);
    };
    await world.until("the job ends", () => running.hasEnded);
    const pauses = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(pauses).toHaveLength(11);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(30_000);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(60_500);
    expect(pauses.at(-1)).toBeGreaterThan(50_000);
  });

  test("that comes early is asked about once; the task is polled as usual then, and may be called about again", async () => {
    const { service, world, running, token } = await openAsked();
    world.provider.callbacks.take(token);
    await soon(world, service, 2);
    await world.until("it is polled as usual", () => service.gets.length === 4, { maxMs: 25_000 });
    service.status = DONE;
    world.provider.callbacks.take(token);
    await soon(world, service, 5);
    await world.until("the job ends", () => running.hasEnded);
    expect(service.posts).toHaveLength(1);
  });

  test("that is repeated for ever costs three questions at most, five seconds apart", async () => {
    const { service, world, token } = await openAsked({ mappingsOf: () => [RARE] });
    const times: number[] = [];
    service.onGet = (response) => {
      times.push(world.clock.now());
      answer(response, 200, service.status);
    };
    for (let call = 0; call < 100; call += 1) {
      world.provider.callbacks.take(token);
      await world.move(250);
    }
    expect(times).toHaveLength(3);
    for (const [index, at] of times.slice(1).entries())
      expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(4000);
  });

  test("with another token does nothing: no row is written, and nothing is asked", async () => {
    const { service, world, token } = await openAsked();
    const writes: string[] = [];
    const write = world.database.write.bind(world.database);
    world.database.write = (label, work) => {
      writes.push(label);
      return write(label, work);
    };
    const wrong = ["", "x", token.slice(1), `${token}A`, "A".repeat(43), "'; DROP TABLE attempt", "%00"];
    for (const forged of wrong) world.provider.callbacks.take(forged);
    await world.move(10_000);
    expect(service.gets).toHaveLength(1);
    expect(writes.filter((label) => label !== "test")).toEqual([]);
    expect(counts(world)).toEqual({ unknown: wrong.length });
  });

  test("that comes before the answer to the submit has the first poll follow the acceptance at once", async () => {
    const { service, world } = await openCalled();
    service.status = DONE;
    let accept: (() => void) | undefined;
    service.onPost = (response, _request, id) => {
      accept = () => answer(response, 200, { task: service.accept(id) });
    };
    const running = world.run();
    await world.until("it is being sent", () => accept !== undefined);
    world.provider.callbacks.take(tokenOf(service));
    await world.move(500);
    expect(service.gets).toHaveLength(0);
    accept?.();
    await soon(world, service, 1);
    expect(await world.endOf(running)).toMatchObject({ files: [{}] });
    expect([service.posts.length, counts(world)]).toEqual([1, { asked: 1 }]);
  });

  test("that comes while the service is being asked is not lost with the answer", async () => {
    const { service, world, token, running } = await openAsked();
    let reply: (() => void) | undefined;
    service.onGet = (response) => {
      reply ??= () => answer(response, 200, { status: "running" });
      if (service.gets.length > 2) answer(response, 200, DONE);
    };
    await world.until("it is being asked", () => reply !== undefined);
    world.provider.callbacks.take(token);
    await world.move(200);
    reply?.();
    await soon(world, service, 3);
    await world.until("the job ends", () => running.hasEnded);
  });

  test("hurries the look-up of a submit whose answer was lost", async () => {
    const { service, world } = await openCalled({ adapter: calling(fakeAdapterWithLookUp()) });
    service.onPost = (_response, request, id) => {
      service.accept(id);
      request.socket.destroy();
    };
    service.onGet = (response, _request, path) => {
      const isKnown = !path.startsWith("/by-id/") || service.gets.length > 3;
      answer(response, 200, path.startsWith("/by-id/") ? (isKnown ? { task: "task-1" } : {}) : DONE);
    };
    const running = world.run();
    await world.until("it was looked up three times", () => service.gets.length === 3);
    world.provider.callbacks.take(tokenOf(service));
    const isFound = () => world.attempt()?.accepted_at !== null;
    await world.until("it is found before the next look-up", isFound, { stepMs: 50, maxMs: 2500 });
    expect(await world.endOf(running)).toMatchObject({ files: [{}] });
    expect(service.posts).toHaveLength(1);
  });

  test("does not break a pause: a service that refuses the key is not asked", async () => {
    const { service, world, token } = await openAsked();
    service.onGet = (response) => answer(response, 401, {});
    world.provider.callbacks.take(token);
    await world.until("the service is paused", () => world.provider.state.kind === "paused");
    const tasks = () => service.gets.filter(({ path }) => path.startsWith("/tasks/")).length;
    const before = tasks();
    await world.move(6000);
    world.provider.callbacks.take(token);
    await world.move(10_000);
    expect(tasks()).toBe(before);
    expect(world.attempt()?.state).toBe("accepted");
  });

  test("does not break the pace: a service that wants to be left alone is not asked before", async () => {
    const { service, world } = await openCalled();
    world.run(1);
    world.run(2);
    await world.until("both were polled", () => service.gets.length === 2);
    service.onGet = (response) => answer(response, 429, {}, { "retry-after": "40" });
    world.provider.callbacks.take(tokenOf(service, 0));
    await soon(world, service, 3);
    world.provider.callbacks.take(tokenOf(service, 1));
    await world.move(30_000);
    expect(service.gets).toHaveLength(3);
    await world.until("it is asked then", () => service.gets.length > 3, { maxMs: 60_000 });
  });

  test("that comes to the next process is heeded, and one for what is over does nothing", async () => {
    const { service, world, token } = await openAsked();
    service.status = DONE;
    await world.restart();
    const running = world.run();
    await world.move(1000);
    expect(service.gets).toHaveLength(1);
    world.provider.callbacks.take(token);
    await soon(world, service, 2);
    await world.until("the job ends", () => running.hasEnded);
    world.provider.callbacks.take(token);
    await world.restart();
    world.provider.callbacks.take(token);
    await world.move(60_000);
    expect(service.gets).toHaveLength(2);
    expect(counts(world)).toEqual({ over: 1 });
  });
});

describe("a service that does not call", () => {
  /** Runs a job whose task is made at once. Returns how long its end took. */
  async function durationOf(world: World, service: FakeService, jobId: number, hasCallback = false) {
    service.status = { status: "running" };
    const running = world.run(jobId);
    const asked = service.gets.length;
    await world.until("it was polled", () => service.gets.length > asked);
    service.status = DONE;
    const startedAt = world.clock.now();
    if (hasCallback) world.provider.callbacks.take(tokenOf(service));
    await world.until("the job ends", () => running.hasEnded);
    return world.clock.now() - startedAt;
  }

  test("is polled as usual after three tasks, until it calls again", async () => {
    const { service, world } = await openCalled();
    for (let jobId = 1; jobId <= 3; jobId += 1)
      expect(await durationOf(world, service, jobId)).toBeGreaterThanOrEqual(29_000);
    expect(world.logged("does not call back")).toHaveLength(1);
    expect(await durationOf(world, service, 4)).toBeLessThan(29_000);
    expect(await durationOf(world, service, 5)).toBeLessThan(29_000);
    expect(world.logged("does not call back")).toHaveLength(1);
    // Later than a poll, and a sign that it calls.
    world.provider.callbacks.take(tokenOf(service));
    expect(world.logged("calls back again")).toHaveLength(1);
    expect(await durationOf(world, service, 6)).toBeGreaterThanOrEqual(29_000);
    expect(counts(world)).toEqual({ over: 1 });
  });
});
