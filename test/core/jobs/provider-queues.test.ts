import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, test } from "vitest";
import type { GenerationRequest } from "../../../src/contract/request.js";
import { ATTEMPTS_MAX } from "../../../src/jobs/provider-queue.js";
import {
  IMAGE,
  openTestCore,
  order,
  quote,
  type TestCore,
  type TestCoreOptions,
} from "../../support/core.js";
import { SETTINGS } from "../../support/core-settings.js";
import { eventually } from "../../support/eventually.js";
import { systemError } from "../../support/fickle-disk.js";
import { turnOfEvents } from "../../support/manual-clock.js";
import { catalogueWith, serviceMapping } from "../../support/service-mappings.js";
import {
  createStubProvider,
  createStubService,
  readNamed,
  type StubProvider,
} from "../../support/stub-provider.js";

/** A model that the second provider serves. */
const OTHER: GenerationRequest = { ...IMAGE, model_key: "gpt-image-2-5" };
const OTHER_UNIT = quote(OTHER).totalKopecks;
const LINKS = Array.from({ length: 16 }, (_, index) => `https://example.com/${index}`);

let world: TestCore;

const twoProviders = catalogueWith({ [OTHER.model_key]: { remote: [serviceMapping()] } });

/** A core with the providers `local` and `remote`, two slots each. */
function openWorld({ providers, ...options }: TestCoreOptions & { providers?: StubProvider[] } = {}) {
  const local = createStubProvider(2);
  const remote = createStubService("remote");
  world = openTestCore({
    providers: providers ?? [local, remote],
    catalogue: twoProviders,
    readReference: readNamed,
    ...options,
  });
  return { local, remote };
}

/** An order of so many pictures that `remote` has, and keeps. */
async function heldOrder(count = 1) {
  const { remote } = openWorld();
  remote.holds = true;
  const ann = await world.begun(3 * OTHER_UNIT);
  const accepted = await order(ann, "one", { ...OTHER, count });
  await heldBy(remote, count);
  return { ann, remote, ...accepted };
}

function heldBy(provider: StubProvider, count: number): Promise<true> {
  return eventually(`${count} tasks at once`, () => provider.held.length === count || undefined);
}

describe("jobs of several providers", () => {
  test("do not wait for another provider: one hangs, with and without references, the other keeps its pace", async () => {
    const { local, remote } = openWorld();
    remote.holds = true;
    remote.heedsAbort = false;
    await world.core.start();
    const people = await Promise.all([1, 2, 3, 4, 5].map((id) => world.person(id, 100 * OTHER_UNIT)));
    for (const [n, person] of people.entries()) {
      await order(person, `plain-${n}`, { ...OTHER, count: 4 });
      await order(person, `links-${n}`, { ...OTHER, count: 4, reference_urls: LINKS });
    }
    await heldBy(remote, 2);
    // The clock stands still: nothing of this waits for a deadline.
    for (const [n, person] of people.entries()) {
      for (const request of [IMAGE, { ...IMAGE, reference_urls: LINKS.slice(0, 14) }]) {
        const { job_id } = await order(person, `local-${n}-${"reference_urls" in request}`, request);
        expect((await world.ended(person, job_id)).status).toBe("done");
      }
    }
    expect(remote.tasks).toHaveLength(2);
    expect(local.tasks).toHaveLength(2 * people.length);
    for (const task of [...remote.held]) task.fail(new Error("the test ends"));
  });

  test("take turns among the accounts of each provider: a thousand jobs of one account delay no other", async () => {
    const { remote } = openWorld();
    const [ann, bob] = [await world.person(1, 1000 * OTHER_UNIT), await world.person(2, 2 * OTHER_UNIT)];
    await Promise.all(Array.from({ length: 250 }, (_, n) => order(ann, `ann-${n}`, { ...OTHER, count: 4 })));
    const bobs = await order(bob, "bob", { ...OTHER, count: 2 });
    remote.holds = true;
    await world.core.start();
    await heldBy(remote, 2);
    expect(remote.held.map(({ task }) => task.jobId)).toContain(bobs.job_ids[0]);
    remote.held.find(({ task }) => task.jobId === bobs.job_ids[0])?.finish();
    await eventually("the next task", () => remote.tasks.length === 3);
    expect(remote.tasks[2]?.jobId).toBe(bobs.job_ids[1]);
  });

  test.each([
    ["where the provider takes no new ones", 3, 0],
    ["above a lower concurrency", 1, 1],
  ])("that an earlier process began go on, also %s", async (_name, concurrency, newJobsMax) => {
    await heldOrder(2);
    await world.close();
    const remoteAgain = createStubService("remote", concurrency);
    const again = Object.assign(remoteAgain, { newJobsMax, holds: true });
    openWorld({ directory: world.directory, providers: [again] });
    await world.core.start();
    await order(await world.person(1), "two", OTHER);
    await heldBy(again, 2);
    await turnOfEvents();
    expect(again.tasks).toHaveLength(2);
    for (const task of [...again.held]) task.finish();
    await turnOfEvents();
    again.newJobsMax = 1;
    world.core.providerHost.roomAgain();
    await heldBy(again, 1);
    again.held[0]?.finish();
  });
});

describe("jobs of a provider that is no longer listed", () => {
  test("fail at startup with a refund, queued or interrupted, and the others run", async () => {
    const { remote } = openWorld();
    remote.holds = true;
    const ann = await world.begun(6 * OTHER_UNIT);
    const gone = await order(ann, "one", { ...OTHER, count: 4 });
    const withLinks = await order(ann, "two", { ...OTHER, reference_urls: LINKS });
    await heldBy(remote, 2);
    await world.close();

    const { directory } = world;
    openWorld({ directory, providers: [createStubProvider(2)] });
    const again = await world.begun();
    for (const id of [...gone.job_ids, withLinks.job_id]) {
      expect(await world.ended(again, id)).toMatchObject({
        status: "error",
        failure: "unavailable",
        refunded: true,
        error: "The service that was to make this is no longer available.",
      });
    }
    expect(world.adminService.account(1).balance).toBe(6 * OTHER_UNIT);
    expect(world.adminService.verifyLedger()).toMatchObject({ mismatches: 0 });
    const { job_id } = await order(again, "three");
    expect((await world.ended(again, job_id)).status).toBe("done");
  });

  test("fail once the database is writable again", async () => {
    openWorld();
    const ann = await world.person(1, OTHER_UNIT);
    const { job_id } = await order(ann, "one", OTHER);
    await world.close();

    const { directory } = world;
    let isBroken = true;
    const failPoint = () => {
      if (isBroken) throw systemError("SQLITE_IOERR");
    };
    openWorld({ directory, providers: [createStubProvider(2)], failPoint });
    const again = await world.begun();
    await turnOfEvents();
    expect((await again.job(job_id)).status).toBe("queued");
    isBroken = false;
    await world.clock.advance(60_000);
    expect(await world.ended(again, job_id)).toMatchObject({ status: "error", refunded: true });
  });
});

describe("an upstream's job", () => {
  test("has no deadline in the scheduler", async () => {
    const { ann, remote, job_id } = await heldOrder();
    await world.clock.advance(10 * SETTINGS.jobTimeoutMs);
    expect((await ann.job(job_id)).status).toBe("generating");
    remote.held[0]?.finish();
    expect((await world.ended(ann, job_id)).status).toBe("done");
  });

  test("runs again after every restart, without a limit", async () => {
    const { job_id } = await heldOrder();
    await world.close();
    const db = new Sqlite(join(world.directory, "atelier.db"));
    db.prepare("UPDATE job SET attempts = ?").run(ATTEMPTS_MAX);
    db.close();
    openWorld({ directory: world.directory });
    await world.core.start();
    expect((await world.ended(await world.person(1), job_id)).status).toBe("done");
  });

  test("is told to forget what it kept of a job once that has ended, and not of one that runs again", async () => {
    const forgotten: number[] = [];
    const forget = (jobId: number) => void forgotten.push(jobId);
    const remote = Object.assign(createStubService("remote"), { forget });
    openWorld({ providers: [createStubProvider(2), remote] });
    const ann = await world.begun(3 * OTHER_UNIT);
    const made = await order(ann, "made", OTHER);
    await world.ended(ann, made.job_id);
    remote.make = () => Promise.reject(new Error("no"));
    const failed = await order(ann, "failed", OTHER);
    await world.ended(ann, failed.job_id);
    await eventually("both are forgotten", () => forgotten.length === 2 || undefined);
    remote.holds = true;
    await order(ann, "interrupted", OTHER);
    await heldBy(remote, 1);
    await world.core.stop();
    expect(forgotten.map(String)).toEqual([made.job_id, failed.job_id].map(String));
  });
});
