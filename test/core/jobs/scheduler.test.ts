import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { generatingJobs } from "../../../src/jobs/job-store.js";
import { GenerationError } from "../../../src/workers/generation-error.js";
import { isBeforeCommit } from "../../support/commit-points.js";
import { IMAGE, openTestCore, order, quote, type TestCore, testCoreOn } from "../../support/core.js";
import { eventually } from "../../support/eventually.js";
import { recordingLogger } from "../../support/log.js";
import { turnOfEvents } from "../../support/manual-clock.js";
import { createStubProvider } from "../../support/stub-provider.js";

const UNIT = quote(IMAGE).totalKopecks;

let world: TestCore;

/** Waits until so many tasks are with the provider at once. */
function held(count: number): Promise<true> {
  return eventually(`${count} tasks at once`, () => world.provider.held.length === count || undefined);
}

/** An order of so many pictures in a core that has begun. */
async function placed(count: number) {
  const ann = await world.begun(count * UNIT);
  return { ann, ...(await order(ann, "one", { ...IMAGE, count })) };
}

/** The same with a provider that keeps its tasks, which it has by then. */
async function heldOrder({ count = 1, heedsAbort = true } = {}) {
  world = openTestCore();
  Object.assign(world.provider, { holds: true, heedsAbort });
  const made = await placed(count);
  await held(Math.min(count, 2));
  return made;
}

describe("the scheduler", () => {
  test("refunds a failed job once, in full, with the reason", async () => {
    const { logger, lines } = recordingLogger("info");
    world = openTestCore({ logger });
    world.provider.make = async () => {
      throw new GenerationError("refused", "The model would not draw this.");
    };
    const { ann, job_id } = await placed(1);
    expect(await world.ended(ann, job_id)).toMatchObject({
      status: "error",
      failure: "refused",
      refunded: true,
      result: null,
      error: "The model would not draw this.",
    });
    expect((await ann.job(job_id)).refund).toBe("made");
    expect(await ann.balance()).toMatchObject({ amount: UNIT / 100 });
    expect(world.adminService.entries(1)[2]).toMatchObject({
      kind: "refund",
      amount: UNIT,
      order_id: "one",
      job_id,
    });
    const events = lines.map(({ msg }) => msg);
    for (const event of ["order accepted", "job started", "job refused", "refund"])
      expect(events.filter((msg) => msg === event)).toHaveLength(1);
    expect(lines.find(({ msg }) => msg === "job refused")).toMatchObject({
      account_id: 1,
      order_id: "one",
      job_id,
    });
  });

  test.each([
    ["outside its directory", async () => [{ path: "/etc/hostname", mime: "image/webp" }]],
    [
      "that does not exist",
      async (t: { directory: string }) => [{ path: join(t.directory, "x"), mime: "a/b" }],
    ],
  ])("fails the job for a file %s and does not serve it", async (_name, make) => {
    world = openTestCore();
    world.provider.make = make;
    const { ann, job_id } = await placed(1);
    expect(await world.ended(ann, job_id)).toMatchObject({ failure: "provider", refunded: true });
    expect(await world.metric("atelier_storage_good")).toBe(1);
  });

  test("runs up to its limit of jobs at once, and one account's queue never starves another", async () => {
    world = openTestCore({ provider: createStubProvider(3) });
    world.provider.holds = true;
    const [ann, bob] = [await world.person(1, 100 * UNIT), await world.person(2, 10 * UNIT)];
    for (let n = 0; n < 10; n += 1) await order(ann, `ann-${n}`, { ...IMAGE, count: 4 });
    const bobs = await order(bob, "bob", { ...IMAGE, count: 2 });
    await world.core.start();
    await held(3);
    // Ann has at most all slots but one while Bob waits.
    expect(world.provider.held.map(({ task }) => task.jobId).sort()).toEqual([1, 2, bobs.job_id].sort());
    const served: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      const next = world.provider.held[0];
      served.push(next?.task.jobId ?? 0);
      next?.finish();
      await eventually("the next task", () => world.provider.tasks.length === 4 + n);
      await held(3);
    }
    expect(served).toContain(bobs.job_ids[0]);
    expect(world.provider.tasks.slice(0, 5).map(({ jobId }) => jobId)).toContain(bobs.job_ids[1]);
  });

  test("fails a job at its deadline with a refund when the provider never answers", async () => {
    const { ann, job_id } = await heldOrder({ heedsAbort: false });
    await world.clock.advance(60_000 + 10_000);
    expect((await ann.job(job_id)).status).toBe("generating");
    await world.clock.advance(1500);
    expect(await world.ended(ann, job_id)).toMatchObject({ failure: "timeout", refunded: true });
    // What it does in the end changes nothing.
    world.provider.held[0]?.finish();
    await turnOfEvents();
    expect(await ann.job(job_id)).toMatchObject({ status: "error" });
    expect(world.adminService.account(1).balance).toBe(UNIT);
  });

  test("leaves jobs generating on a stop; the next start runs them with the same seed and no charge", async () => {
    const { job_ids } = await heldOrder({ count: 3 });
    const seeds = new Map(world.provider.tasks.map(({ jobId, seed }) => [jobId, seed]));
    for (let restarts = 0; restarts < 7; restarts += 1) {
      await world.close();
      world = openTestCore({ directory: world.directory });
      world.provider.holds = restarts < 6;
      const again = await world.person(1);
      expect((await again.job(1)).status).toBe("generating");
      await world.core.start();
      if (restarts < 6) await held(2);
    }
    const last = await world.person(1);
    for (const id of job_ids) expect((await world.ended(last, id)).status).toBe("done");
    for (const { jobId, seed } of world.provider.tasks) {
      if (seeds.has(jobId)) expect(seed).toBe(seeds.get(jobId));
    }
    expect(world.adminService.entries(1)).toHaveLength(2);
  });

  test("runs interrupted jobs first, up to the number of slots at once", async () => {
    const { job_ids } = await heldOrder({ count: 3 });
    await world.close();
    world = openTestCore({ directory: world.directory, provider: createStubProvider(1) });
    world.provider.holds = true;
    await world.core.start();
    for (let n = 1; n <= 3; n += 1) {
      await eventually("the next task", () => world.provider.tasks.length === n);
      await held(1);
      expect(await world.metric("atelier_jobs", { status: "generating" })).toBe(1);
      expect(world.provider.tasks.map(({ jobId }) => jobId)).toEqual(job_ids.slice(0, n));
      world.provider.held[0]?.finish();
    }
  });

  test("runs an interrupted job once, even when its start could not be written for a while", async () => {
    const { job_id } = await heldOrder();
    await world.close();
    let isBroken = true;
    world = openTestCore({
      directory: world.directory,
      failPoint: (name) => {
        if (isBroken && isBeforeCommit(name, "job:start")) throw new Error("disk full");
      },
    });
    await world.core.start();
    await world.clock.advance(60_000);
    isBroken = false;
    await world.clock.advance(60_000);
    expect((await world.ended(await world.person(1), job_id)).status).toBe("done");
    expect(world.provider.tasks).toHaveLength(1);
  });

  test("stops within two seconds although a provider ignores the abort", async () => {
    await heldOrder({ heedsAbort: false });
    let isStopped = false;
    const stopping = world.core.stop().then(() => {
      isStopped = true;
    });
    await turnOfEvents();
    expect(isStopped).toBe(false);
    await world.clock.advance(2000);
    await stopping;
    world.provider.held[0]?.fail(new Error("too late"));
  });

  test("leaves a job that is being started to the next start when it stops, without an attempt", async () => {
    let stopping: Promise<void> | undefined;
    world = openTestCore({
      failPoint: (name) => {
        if (isBeforeCommit(name, "job:start")) stopping = world.core.stop();
      },
    });
    const { ann, job_id } = await placed(1);
    await eventually("the stop", () => stopping !== undefined);
    await stopping;
    expect(world.provider.tasks).toEqual([]);
    expect((await ann.job(job_id)).status).toBe("generating");
    expect(generatingJobs(world.database)).toMatchObject([{ id: job_id, attempts: 0 }]);
    await world.close();
    world = openTestCore({ directory: world.directory });
    await world.core.start();
    expect((await world.ended(await world.person(1), job_id)).status).toBe("done");
  });

  test("finds unannounced jobs at the periodic check", async () => {
    world = openTestCore();
    const ann = await world.begun(UNIT);
    await turnOfEvents();
    const { job_id } = await testCoreOn(world).routes.api.submit(1, IMAGE);
    await turnOfEvents();
    expect((await ann.job(job_id)).status).toBe("queued");
    await world.clock.advance(30_000);
    expect((await world.ended(ann, job_id)).status).toBe("done");
  });

  test("does not start a running job again at the periodic check", async () => {
    await heldOrder();
    await world.clock.advance(60_000);
    expect(world.provider.tasks).toHaveLength(1);
  });
});
