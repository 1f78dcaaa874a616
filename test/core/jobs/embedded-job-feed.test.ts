import { afterEach, describe, expect, test } from "vitest";
import type { JobId, JobStatus } from "../../../src/contract/job.js";
import { EmbeddedJobFeed } from "../../../src/core/jobs/embedded-job-feed.js";
import { JobChanges } from "../../../src/core/jobs/job-changes.js";
import type { Gateways, Unsubscribe } from "../../../src/ports/gateway.js";
import { silentLogger } from "../../support/log.js";
import { createManualClock, turnOfEvents } from "../../support/manual-clock.js";

let unsubscribe: Unsubscribe = () => {};
afterEach(() => unsubscribe());

/** A feed that watches one order of two jobs, whose statuses the test sets. */
async function watchOrder() {
  const clock = createManualClock();
  const changes = new JobChanges();
  const statuses = new Map<JobId, JobStatus>([1, 2].map((id) => [id, "queued"]));
  const reading = { gate: Promise.resolve(), count: 0 };
  const listening = { gate: Promise.resolve() };
  const gateway = {
    async job(id: JobId) {
      reading.count += 1;
      const status = statuses.get(id);
      await reading.gate;
      return { job_id: id, status };
    },
  };
  const gateways = { of: async () => gateway } as unknown as Gateways;
  const feed = new EmbeddedJobFeed({ gateways, changes, clock, logger: silentLogger() });
  const heard: unknown[] = [];
  const order = { id: "one", user: { id: 7, name: "Ann" }, jobIds: [1, 2] };
  unsubscribe = feed.watch(order, async (jobs) => {
    heard.push(jobs.map(({ status }) => status));
    await listening.gate;
  });
  expect(heard).toEqual([]);
  await turnOfEvents();
  const set = (id: JobId, status: JobStatus) => statuses.set(id, status);
  return { clock, changes, reading, listening, heard, set, tell: (id: JobId) => changes.emit(id) };
}

describe("a watched order", () => {
  test("is reported at once and after each change of one of its jobs", async () => {
    const { heard, set, tell } = await watchOrder();
    expect(heard).toEqual([["queued", "queued"]]);
    set(1, "done");
    tell(1);
    tell(3);
    await turnOfEvents();
    expect(heard).toEqual([
      ["queued", "queued"],
      ["done", "queued"],
    ]);
  });

  test("is read again when a job changes during the read, and reported one at a time", async () => {
    const { heard, reading, listening, set, tell } = await watchOrder();
    let open = () => {};
    reading.gate = new Promise((resolve) => {
      open = resolve;
    });
    tell(1);
    await turnOfEvents();
    for (const id of [1, 2]) set(id, "done");
    for (const id of [1, 2]) tell(id);
    let listen = () => {};
    listening.gate = new Promise((resolve) => {
      listen = resolve;
    });
    open();
    await turnOfEvents();
    expect(heard).toHaveLength(2);
    listen();
    await turnOfEvents();
    expect(heard.slice(2)).toEqual([["done", "done"]]);
  });

  test("is also reported at intervals without a change, and again after a fault", async () => {
    const { clock, heard, reading, listening, set } = await watchOrder();
    for (const id of [1, 2]) set(id, "done");
    const fault = Promise.reject(new Error("not now"));
    fault.catch(() => {});
    reading.gate = fault;
    await clock.advance(15_000);
    expect(heard).toHaveLength(1);
    reading.gate = Promise.resolve();
    listening.gate = fault;
    await clock.advance(15_000);
    expect(heard).toHaveLength(2);
    listening.gate = Promise.resolve();
    await clock.advance(15_000);
    expect(heard.slice(2)).toEqual([["done", "done"]]);
  });

  test("is neither read nor reported after its end", async () => {
    const { clock, heard, reading, tell } = await watchOrder();
    unsubscribe();
    const { count } = reading;
    tell(1);
    await clock.advance(60_000);
    expect([heard.length, reading.count, clock.pending]).toEqual([1, count, 0]);
  });
});
