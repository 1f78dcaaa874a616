import { afterEach, describe, expect, test } from "vitest";
import type { User } from "../../../src/accounts/account-store.js";
import { ContractError } from "../../../src/contract/errors.js";
import type { Job, JobId } from "../../../src/contract/job.js";
import { JobChanges } from "../../../src/jobs/job-changes.js";
import { EmbeddedJobFeed } from "../../../src/jobs/job-reader.js";
import type { Unsubscribe } from "../../../src/ports/gateway.js";
import { FakeService } from "../../support/fake-gateway.js";
import { silentLogger } from "../../support/log.js";
import { createManualClock, turnOfEvents } from "../../support/manual-clock.js";

const ACCOUNT = 3;

let unsubscribe: Unsubscribe = () => {};
afterEach(() => unsubscribe());

/** A feed that watches one order of two jobs, which the test finishes. */
async function watchOrder() {
  const clock = createManualClock();
  const changes = new JobChanges();
  const made = new Map([1, 2].map((id) => [id as JobId, new FakeService().addJob({ id })]));
  const reading = { fault: undefined as Error | undefined, count: 0 };
  const listening = { gate: Promise.resolve() };
  const job = (accountId: number, id: JobId): Job => {
    reading.count += 1;
    const found = accountId === ACCOUNT ? made.get(id) : undefined;
    if (!found || reading.fault) throw reading.fault ?? new ContractError("job_not_found");
    return found.view();
  };
  const asked: string[] = [];
  const accountIdOf = async ({ name }: User) => {
    asked.push(name);
    return ACCOUNT;
  };
  const ground = { clock, logger: silentLogger() };
  const feed = new EmbeddedJobFeed(ground, { idOf: accountIdOf }, { chatJob: job }, changes);
  const heard: unknown[] = [];
  const order = { id: "one", user: { id: 7, name: "Ann" }, jobIds: [1, 2] };
  unsubscribe = feed.watch(order, async (jobs) => {
    heard.push(jobs.map(({ status }) => status));
    await listening.gate;
  });
  expect(heard).toEqual([]);
  await turnOfEvents();
  const finish = (id: JobId) => made.get(id)?.finish();
  const tell = (id: JobId) => changes.emit(id);
  return { clock, changes, reading, listening, asked, heard, finish, tell };
}

describe("a watched order", () => {
  test("is reported at once and after each change of one of its jobs", async () => {
    const { asked, heard, finish, tell } = await watchOrder();
    expect(heard).toEqual([["queued", "queued"]]);
    finish(1);
    tell(1);
    tell(3);
    await turnOfEvents();
    expect(heard).toEqual([
      ["queued", "queued"],
      ["done", "queued"],
    ]);
    expect(asked, "whose jobs they are").toEqual(["Ann"]);
  });

  test("is also reported at intervals without a change, and again after a fault", async () => {
    const { clock, heard, reading, listening, finish } = await watchOrder();
    for (const id of [1, 2]) finish(id);
    const fault = Promise.reject(new Error("not now"));
    fault.catch(() => {});
    reading.fault = new Error("not now");
    await clock.advance(15_000);
    expect(heard).toHaveLength(1);
    reading.fault = undefined;
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
