import { describe, expect, test } from "vitest";
import { type ProviderState, takesJobs } from "../../../src/catalogue/choose-provider.js";
import type { JobId } from "../../../src/contract/job.js";
import type { GenerationRequest } from "../../../src/contract/request.js";
import { table } from "../../../src/database/table.js";
import { jobById } from "../../../src/jobs/job-store.js";
import type { Outcome } from "../../../src/jobs/provider.js";
import type { Gateway } from "../../../src/ports/gateway.js";
import type { PauseReason } from "../../../src/ports/operator-notices.js";
import { IMAGE, openTestCore, order, quote, type TestCore } from "../../support/core.js";
import { eventually } from "../../support/eventually.js";
import { createManualClock, type ManualClock, turnOfEvents } from "../../support/manual-clock.js";
import { UP } from "../../support/provider-states.js";
import { catalogueWith, serviceMapping } from "../../support/service-mappings.js";
import { createStubService, readNamed, type StubProvider } from "../../support/stub-provider.js";

/** A model that `other` makes, and another one that both `away` and `other` make. */
const OTHER: GenerationRequest = { ...IMAGE, model_key: "gpt-image-2-5" };
const BOTH: GenerationRequest = { ...IMAGE, model_key: "seedream-5" };
const SHORT: GenerationRequest = { ...IMAGE, resolution: "2K" };
const RICH = 1000 * Math.max(...[IMAGE, OTHER, BOTH, SHORT].map((one) => quote(one).totalKopecks));
const DEADLINE_MS = 300_000;
const SHORT_MS = 60_000;

const mappingd = catalogueWith({
  [IMAGE.model_key]: {
    away: [
      serviceMapping({
        when: { resolution: ["2K"] },
        poll: { first_ms: 1000, every_ms: [2000], deadline_sec: SHORT_MS / 1000 },
      }),
      serviceMapping(),
    ],
  },
  [OTHER.model_key]: { other: [serviceMapping()] },
  [BOTH.model_key]: { away: [serviceMapping()], other: [serviceMapping()] },
});

let world: TestCore;

/** A service with two slots that gives tasks back unsent while it takes none. */
function service(name: string): StubProvider {
  const stub = createStubService(name);
  const { run } = stub;
  return Object.assign(stub, {
    run: async (...given: Parameters<typeof run>): Promise<Outcome> =>
      takesJobs(stub) ? run(...given) : { kind: "postponed", error: "Away." },
  });
}

function openWorld(options: { clock?: ManualClock; directory?: string } = {}) {
  const [away, other] = [service("away"), service("other")];
  world = openTestCore({
    providers: [away, other],
    catalogue: mappingd,
    readReference: readNamed,
    ...options,
  });
  return { away, other };
}

const unreachable = (): ProviderState => ({ kind: "unreachable", since: world.clock.now(), nextTryAt: 0 });
const pausedNow = (reason: PauseReason): ProviderState => ({
  kind: "paused",
  reason,
  since: world.clock.now(),
});

function turn(provider: StubProvider, state: ProviderState): void {
  provider.state = state;
  world.core.providerHost.roomAgain();
}

async function settle(): Promise<void> {
  for (let count = 0; count < 30; count += 1) await turnOfEvents();
}

/** Moves time on in steps that are shorter than every pause of the queue. */
async function pass(ms: number): Promise<void> {
  for (let movedMs = 0; movedMs < ms; movedMs += 1000) {
    await world.clock.advance(Math.min(1000, ms - movedMs));
    await settle();
  }
}

const statusOf = async (gateway: Gateway, id: JobId) => (await gateway.job(id)).status;

describe("jobs whose service cannot be reached", () => {
  test("hold no slot and no turn, say so, and run in turn when it is back", async () => {
    const { away, other } = openWorld();
    const [ann, bob] = [await world.person(1, RICH), await world.person(2, RICH)];
    const anns = await order(ann, "ann", { ...IMAGE, count: 4 });
    const bobs = await order(bob, "bob", IMAGE);
    turn(away, unreachable());
    await world.core.start();
    await settle();
    expect(away.tasks).toEqual([]);
    expect(await world.metric("atelier_jobs", { status: "generating" })).toBe(0);
    for (const [gateway, ids] of [
      [ann, anns.job_ids],
      [bob, bobs.job_ids],
    ] as const)
      for (const id of ids)
        expect(await gateway.job(id)).toMatchObject({ status: "queued", waiting: { isAway: true } });
    const beside = await order(ann, "beside", OTHER);
    expect((await world.ended(ann, beside.job_id)).status).toBe("done");
    expect(other.tasks).toHaveLength(1);
    away.holds = true;
    turn(away, UP);
    await eventually("two tasks", () => away.held.length === 2);
    expect(away.held.map(({ task }) => task.accountId).sort()).toEqual([1, 2]);
    expect(await ann.job(anns.job_ids[3] ?? 0)).not.toHaveProperty("waiting.isAway");
    away.holds = false;
    for (const task of [...away.held]) task.finish();
    for (const id of anns.job_ids) expect((await world.ended(ann, id)).status).toBe("done");
  });

  test("that were given back unsent leave their slots, and are never said to be made", async () => {
    const { away } = openWorld();
    const stages: unknown[] = [];
    const { run } = away;
    let isLost = true;
    away.run = async (task, signal, onQueue) => {
      if (!isLost) return run(task, signal, onQueue);
      away.state = unreachable();
      return { kind: "postponed", error: "Away." };
    };
    const ann = await world.begun(RICH);
    const { job_ids } = await order(ann, "one", {
      ...IMAGE,
      count: 4,
      reference_urls: ["https://a.example/1"],
    });
    await eventually("all wait", async () => {
      const jobs = await Promise.all(job_ids.map((id) => ann.job(id)));
      stages.push(...jobs.filter(({ status, waiting }) => status === "generating" && !waiting));
      return jobs.every(({ waiting }) => waiting?.isAway);
    });
    expect(await world.metric("atelier_jobs", { status: "generating" })).toBe(0);
    expect(stages).toEqual([]);
    isLost = false;
    turn(away, UP);
    for (const id of job_ids) expect((await world.ended(ann, id)).status).toBe("done");
    expect(away.tasks).toHaveLength(4);
    expect(away.tasks.every(({ references }) => references.length === 1)).toBe(true);
  });

  test("are refunded together at their deadline from when it went away, the shorter deadline first", async () => {
    const { away } = openWorld();
    const ann = await world.person(1, RICH);
    const ids: JobId[] = [];
    for (let count = 0; count < 5; count += 1)
      ids.push(...(await order(ann, `long-${count}`, { ...IMAGE, count: 4 })).job_ids);
    const short = await order(ann, "short", SHORT);
    await world.clock.advance(3_600_000);
    turn(away, unreachable());
    await world.core.start();
    await pass(SHORT_MS - 1000);
    expect(await statusOf(ann, short.job_id)).toBe("queued");
    await pass(2000);
    expect(await ann.job(short.job_id)).toMatchObject({
      status: "error",
      failure: "unavailable",
      refunded: true,
    });
    expect(await statusOf(ann, ids[0] ?? 0)).toBe("queued");
    await pass(DEADLINE_MS - SHORT_MS - 3000);
    for (const id of ids) expect(await statusOf(ann, id)).toBe("queued");
    await pass(4000);
    for (const id of ids) expect(await ann.job(id)).toMatchObject({ status: "error", refunded: true });
    expect(await ann.balance()).toMatchObject({ amount: RICH / 100 });
    expect(away.tasks).toEqual([]);
  });

  test("are not held up by one of which nobody can read what was sold", async () => {
    const { away, other } = openWorld();
    const ann = await world.person(1, RICH);
    const unreadable = await order(ann, "unreadable", IMAGE);
    const short = await order(ann, "short", SHORT);
    const both = await order(ann, "both", BOTH);
    await world.database.write("test", (tx) =>
      table("job_operation").update(tx, { job_id: Number(unreadable.job_id) }, { operation: "not json" }),
    );
    turn(away, unreachable());
    await world.core.start();
    await pass(SHORT_MS + 2000);
    expect(await ann.job(unreadable.job_id)).toMatchObject({ status: "error", refund: "made" });
    expect(await statusOf(ann, short.job_id)).toBe("error");
    expect(await statusOf(ann, both.job_id)).toBe("done");
    expect(other.tasks).toHaveLength(1);
    expect(await ann.balance()).toMatchObject({ amount: (RICH - quote(BOTH).totalKopecks) / 100 });
  });

  test.each([-5, 5])("keep their deadline while the clock is set by %i h", async (hours) => {
    const { away } = openWorld();
    const ann = await world.person(1, RICH);
    const { job_id } = await order(ann, "one", SHORT);
    turn(away, unreachable());
    await world.core.start();
    await settle();
    world.clock.step(hours * 3_600_000);
    await pass(SHORT_MS - 2000);
    expect(await statusOf(ann, job_id)).toBe("queued");
    await pass(4000);
    expect(await statusOf(ann, job_id)).toBe("error");
  });

  test("that were given back unsent go to another service as well", async () => {
    const { away, other } = openWorld();
    away.run = async () => {
      away.state = unreachable();
      return { kind: "postponed", error: "Away." };
    };
    const ann = await world.begun(RICH);
    const { job_id } = await order(ann, "one", { ...BOTH, reference_urls: ["https://a.example/1"] });
    expect((await world.ended(ann, job_id)).status).toBe("done");
    expect(other.tasks[0]?.references).toHaveLength(1);
    expect(jobById(world.database, Number(job_id))).toMatchObject({
      provider: "other",
      declined_by: '["away"]',
    });
  });

  test("keep their deadline over a restart", async () => {
    const clock = createManualClock();
    const { away } = openWorld({ clock });
    const ann = await world.person(1, RICH);
    away.holds = true;
    await world.core.start();
    const { job_ids } = await order(ann, "one", { ...IMAGE, count: 4 });
    await eventually("two tasks", () => away.held.length === 2);
    const state = unreachable();
    await pass(DEADLINE_MS / 2);
    await world.close();
    const again = openWorld({ clock, directory: world.directory });
    again.away.state = state;
    await world.core.start();
    await settle();
    const person = await world.person(1);
    for (const id of job_ids) expect(await person.job(id)).toMatchObject({ waiting: { isAway: true } });
    await pass(DEADLINE_MS / 2 - 2000);
    for (const id of job_ids) expect(await statusOf(person, id)).not.toBe("error");
    await pass(4000);
    for (const id of job_ids) expect(await person.job(id)).toMatchObject({ status: "error", refunded: true });
  });

  test("go to another service as soon as one takes them, without a slot of the first", async () => {
    const { away, other } = openWorld();
    const ann = await world.person(1, RICH);
    const both = await order(ann, "both", { ...BOTH, count: 4 });
    const one = await order(ann, "one", IMAGE);
    turn(away, unreachable());
    other.state = unreachable();
    await world.core.start();
    await pass(6000);
    expect(jobById(world.database, Number(both.job_id))?.provider).toBe("away");
    turn(other, UP);
    for (const id of both.job_ids) expect((await world.ended(ann, id)).status).toBe("done");
    expect(other.tasks).toHaveLength(4);
    expect(away.tasks).toEqual([]);
    expect(await ann.job(one.job_id)).toMatchObject({ status: "queued", waiting: { isAway: true } });
    expect(world.adminService.entries(1).filter(({ kind }) => kind === "refund")).toEqual([]);
  });
});

test("jobs whose service is throttled are told nothing new while one of them tries it", async () => {
  const { away } = openWorld();
  const ann = await world.person(1, RICH);
  const { job_ids } = await order(ann, "one", { ...IMAGE, count: 4 });
  const since = world.clock.now();
  const throttled = (isTried: boolean): ProviderState => ({
    kind: "throttled",
    since,
    nextTryAt: since,
    isTried,
  });
  turn(away, throttled(false));
  await world.core.start();
  await settle();
  Object.assign(away, { newJobsMax: 1, holds: true });
  turn(away, throttled(true));
  await eventually("one task", () => away.held.length === 1);
  const waiting = async () => {
    const jobs = await Promise.all(job_ids.map((id) => ann.job(id)));
    return jobs.filter((job) => job.waiting?.isAway).length;
  };
  expect(await waiting()).toBe(3);
  turn(away, UP);
  await settle();
  expect(await waiting()).toBe(0);
  for (const task of [...away.held]) task.finish();
});

describe("jobs whose service is paused", () => {
  test.each<PauseReason>(["no_credit", "key_refused"])(
    "for %s are refunded at once, all of them, since nobody knows when it ends",
    async (reason) => {
      const { away } = openWorld();
      const ann = await world.person(1, RICH);
      const { job_ids } = await order(ann, "one", { ...IMAGE, count: 4 });
      turn(away, pausedNow(reason));
      await world.core.start();
      await settle();
      for (const id of job_ids)
        expect(await ann.job(id)).toMatchObject({ status: "error", failure: "unavailable", refunded: true });
      expect(away.tasks).toEqual([]);
    },
  );

  test("because it is locked wait up to one deadline from the pause, and run when it ends before", async () => {
    const { away } = openWorld();
    const ann = await world.person(1, RICH);
    const { job_ids } = await order(ann, "one", { ...IMAGE, count: 4 });
    const short = await order(ann, "short", SHORT);
    turn(away, pausedNow("locked"));
    await world.core.start();
    await pass(SHORT_MS + 1000);
    expect(await statusOf(ann, short.job_id)).toBe("error");
    for (const id of job_ids)
      expect(await ann.job(id)).toMatchObject({ status: "queued", waiting: { isAway: true } });
    turn(away, UP);
    for (const id of job_ids) expect((await world.ended(ann, id)).status).toBe("done");
  });
});
