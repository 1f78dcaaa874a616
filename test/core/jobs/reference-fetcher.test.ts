import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { GenerationRequest } from "../../../src/contract/request.js";
import { STORAGE_RETRIES_MAX } from "../../../src/jobs/job-completion.js";
import { generatingJobs } from "../../../src/jobs/job-store.js";
import {
  ACCOUNT_JOBS_MAX,
  FREE_FAILURES,
  LINKS_MAX,
  PENALTY_BACK_OFF,
  REFERENCES_TIMEOUT_MS,
} from "../../../src/jobs/reference-fetcher.js";
import { type ReferenceReader, unreadableReference } from "../../../src/jobs/reference-reader.js";
import { StorageUnavailable } from "../../../src/media/disk.js";
import {
  IMAGE,
  openTestCore,
  order,
  quote,
  type TestCore,
  type TestCoreOptions,
} from "../../support/core.js";
import { eventually } from "../../support/eventually.js";
import { turnOfEvents } from "../../support/manual-clock.js";
import { createStubProvider } from "../../support/stub-provider.js";

let world: TestCore;

const links = (name: string, count = 16) =>
  Array.from({ length: count }, (_, index) => `https://example.com/${name}/${index}`);
const withLinks = (name: string, count = 16): GenerationRequest => ({
  ...IMAGE,
  // It takes 16 references.
  model_key: "gpt-image-2-5",
  reference_urls: links(name, count),
});
const UNIT = quote(withLinks("any")).totalKopecks;

/** Links under `slow` end only with their abort, those under `bad` fail at once, every other one is a file. */
function openWorld(options: TestCoreOptions = {}) {
  const net = { open: 0, most: 0, asked: [] as string[], isSlow: true };
  const readReference: ReferenceReader = async ({ link, directory, index }, signal) => {
    net.asked.push(link);
    net.open += 1;
    net.most = Math.max(net.most, net.open);
    try {
      if (link.includes("/bad/")) throw unreadableReference(index, "the server answered 404");
      if (link.includes("/slow/") && net.isSlow) {
        await new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        });
      }
      const path = join(directory, `reference-${index}`);
      await writeFile(path, link);
      return path;
    } finally {
      net.open -= 1;
    }
  };
  world = openTestCore({ readReference, ...options });
  return net;
}

const folders = () => readdir(join(world.mediaDirectory, "tmp"));

describe("references of queued jobs", () => {
  test("that are slow occupy no slot and delay no job of another account", async () => {
    const net = openWorld();
    await world.core.start();
    const [ann, bob] = [await world.person(1, 2 * UNIT), await world.person(2, 4 * UNIT)];
    const slow = [await order(ann, "a", withLinks("slow")), await order(ann, "b", withLinks("slow"))];
    await eventually("all links at once", () => net.open === 32);
    // The clock stands still: nothing of this waits for anything of the other account.
    for (const [n, request] of [IMAGE, withLinks("quick"), IMAGE].entries())
      expect((await world.ended(bob, (await order(bob, `${n}`, request)).job_id)).status).toBe("done");
    for (const { job_id } of slow) expect((await ann.job(job_id)).status).toBe("queued");
    expect(world.provider.tasks.map(({ references }) => references.length)).toEqual([0, 16, 0]);
    expect(generatingJobs(world.database)).toEqual([]);
  });

  test("share one deadline; after it the job fails with a refund and the reason", async () => {
    const net = openWorld();
    const ann = await world.begun(UNIT);
    const { job_id } = await order(ann, "a", withLinks("slow"));
    await eventually("all links at once", () => net.open === 16);
    await world.clock.advance(REFERENCES_TIMEOUT_MS);
    expect(await world.ended(ann, job_id)).toMatchObject({
      status: "error",
      failure: "reference",
      error: "The reference pictures could not be read: it took too long.",
      refunded: true,
    });
    expect(world.adminService.account(1).balance).toBe(UNIT);
    expect(world.provider.tasks).toEqual([]);
    expect(net.open).toBe(0);
    await eventually("nothing left", async () => (await folders()).length === 0);
  });

  test("fail with the first failing reference, which the reason names", async () => {
    const net = openWorld();
    const ann = await world.begun(UNIT);
    const reference_urls = [...links("slow", 2), ...links("bad", 1)];
    const { job_id } = await order(ann, "a", { ...withLinks("any"), reference_urls });
    expect(await world.ended(ann, job_id)).toMatchObject({
      error: "Reference picture 3 could not be read: the server answered 404.",
    });
    expect(net.open).toBe(0);
  });

  test("are fetched for a limited number of jobs per account and of links in total at a time", async () => {
    const net = openWorld();
    await world.core.start();
    for (let person = 1; person <= 6; person += 1) {
      const gateway = await world.person(person, 4 * UNIT);
      for (let n = 0; n < 3; n += 1) await order(gateway, `${n}`, withLinks("slow"));
      if (person === 1) await eventually("the first links", () => net.open === 16 * ACCOUNT_JOBS_MAX);
    }
    await eventually("a full pool", () => net.open === LINKS_MAX);
    await turnOfEvents();
    expect(net.most).toBe(LINKS_MAX);
  });

  test("that were fetched for jobs without a slot stay few, however long the queue", async () => {
    const net = openWorld({ provider: createStubProvider(1) });
    world.provider.holds = true;
    const ann = await world.begun(10 * UNIT);
    for (let n = 0; n < 8; n += 1) await order(ann, `${n}`, withLinks("quick"));
    await eventually("a task", () => world.provider.held.length === 1);
    await eventually("fetched files", () => net.asked.length === 16 * (1 + ACCOUNT_JOBS_MAX));
    await turnOfEvents();
    expect(await folders()).toHaveLength(1 + ACCOUNT_JOBS_MAX);
    world.provider.holds = false;
    world.provider.held[0]?.finish();
    for (let id = 1; id <= 8; id += 1) expect((await world.ended(ann, id)).status).toBe("done");
    const made = world.provider.tasks.map(({ jobId }) => jobId);
    expect(made.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test("that fail repeatedly delay their account and no other", async () => {
    const net = openWorld();
    await world.core.start();
    const [ann, bob] = [await world.person(1, 20 * UNIT), await world.person(2, 20 * UNIT)];
    const failing: number[] = [];
    for (let n = 0; n < 10; n += 1)
      failing.push(Number((await order(ann, `${n}`, withLinks("bad", 1))).job_id));
    await eventually("the first failures", () => net.asked.length > FREE_FAILURES);
    await turnOfEvents();
    expect(net.asked.length).toBeLessThanOrEqual(FREE_FAILURES + ACCOUNT_JOBS_MAX);
    const bobs = await order(bob, "b", withLinks("quick"));
    expect((await world.ended(bob, bobs.job_id)).status).toBe("done");
    // Jobs of the same account without references do not wait.
    expect((await world.ended(ann, (await order(ann, "plain")).job_id)).status).toBe("done");
    await eventually("all refunds", async () => {
      await world.clock.advance(PENALTY_BACK_OFF.maxMs);
      const jobs = await Promise.all(failing.map((id) => ann.job(id)));
      return jobs.every(({ refunded }) => refunded);
    });
  });

  test("are fetched again after a restart, without counting an attempt", async () => {
    const net = openWorld();
    await world.core.start();
    const { job_id } = await order(await world.person(1, UNIT), "a", withLinks("slow"));
    await eventually("all links at once", () => net.open === 16);
    await world.close();
    expect(net.open).toBe(0);
    openWorld({ directory: world.directory }).isSlow = false;
    await world.core.start();
    expect((await world.ended(await world.person(1), job_id)).status).toBe("done");
    expect(world.provider.tasks).toHaveLength(1);
  });

  test.each(["queued", "generating"])(
    "that do not fit on the disk fail no %s job: they are fetched again when there is room",
    async (status) => {
      openWorld();
      world.provider.holds = true;
      const ann = await world.person(1, UNIT);
      const { job_id } = await order(ann, "a", withLinks("any", 1));
      if (status === "generating") {
        await world.core.start();
        await eventually("the task", () => world.provider.held.length === 1);
      }
      await world.close();
      let isFull = true;
      let readings = 0;
      openWorld({
        directory: world.directory,
        readReference: async ({ directory, index }) => {
          readings += 1;
          if (isFull) throw new StorageUnavailable("no space left");
          const path = join(directory, `reference-${index}`);
          await writeFile(path, "picture");
          return path;
        },
      });
      const again = await world.begun();
      await eventually("bad storage", async () => !(await world.metric("atelier_storage_good")));
      await turnOfEvents();
      expect((await again.job(job_id)).status).toBe(status);
      isFull = false;
      await eventually("another try", async () => {
        if (readings === 1) await world.clock.advance(30_000);
        return readings > 1;
      });
      expect((await world.ended(again, job_id)).status).toBe("done");
      expect(world.provider.tasks.map(({ references }) => references.length)).toEqual([1]);
    },
  );

  test("that never fit on an otherwise working disk fail their job with a refund", async () => {
    let readings = 0;
    openWorld({
      readReference: async () => {
        readings += 1;
        throw new StorageUnavailable("no space left");
      },
    });
    const ann = await world.begun(UNIT);
    const { job_id } = await order(ann, "a", withLinks("any", 1));
    await eventually("the end of the job", async () => {
      await world.clock.advance(1000);
      return (await ann.job(job_id)).status === "error";
    });
    expect(readings).toBeLessThanOrEqual(STORAGE_RETRIES_MAX + 1);
    expect(await ann.job(job_id)).toMatchObject({ error: "The result could not be stored." });
    expect((await ann.balance()).amount * 100).toBe(UNIT);
  });
});
