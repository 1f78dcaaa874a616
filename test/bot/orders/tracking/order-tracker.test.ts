import { afterEach, describe, expect, test } from "vitest";
import { OrderTracker } from "../../../../src/bot/orders/tracking/order-tracker.js";
import type { JobId, JobStatus } from "../../../../src/contract/job.js";
import type { Gateways } from "../../../../src/ports/gateway.js";
import { NEW_DRAFT, openBotWorld } from "../../../support/bot-world.js";
import { eventually } from "../../../support/eventually.js";
import { silentLogger } from "../../../support/log.js";
import { turnOfEvents } from "../../../support/manual-clock.js";

let tracker: OrderTracker;
afterEach(() => tracker.stop());

/** A tracker that follows one order of two jobs, whose statuses the test sets. */
async function followOrder() {
  const { orders, drafts, clock } = openBotWorld();
  const statuses = new Map<JobId, JobStatus>([1, 2].map((id) => [id, "queued"]));
  const listeners = new Set<(id: JobId) => void>();
  const reading = { gate: Promise.resolve(), count: 0 };
  const gateway = {
    async job(id: JobId) {
      reading.count += 1;
      const status = statuses.get(id);
      await reading.gate;
      return { job_id: id, status };
    },
  };
  const gateways = {
    of: async () => gateway,
    onJobChange(listener: (id: JobId) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as Gateways;
  const progress: unknown[] = [];
  const finished: string[] = [];
  tracker = new OrderTracker({
    orders,
    gateways,
    clock,
    logger: silentLogger(),
    onProgress: (_order, jobs) => progress.push(jobs.map(({ status }) => status)),
    onFinished: ({ id }) =>
      finished.push(`${id} ${orders.find(id)?.state} ${orders.findDelivery(id)?.state}`),
  });
  const request = { type: "image", model_key: "nano-banana-2", prompt: "a fox" } as const;
  const { draft } = await drafts.open(NEW_DRAFT);
  const claim = { draft, userName: "Ann", modelTitle: "Nano", request, quotedKopecks: 1000 };
  const order = await orders.claim({ orderId: "one", ...claim });
  if (!order) throw new Error("not claimed");
  tracker.start();
  const accepted = await orders.accept(order, [1, 2]);
  if (!accepted) throw new Error("not accepted");
  tracker.follow(accepted);
  await turnOfEvents();
  const set = (id: JobId, status: JobStatus) => statuses.set(id, status);
  const tell = (id: JobId) => {
    for (const listener of listeners) listener(id);
  };
  const isFinished = () => eventually("the end of the order", () => finished.length > 0);
  return { orders, clock, reading, progress, finished, set, tell, isFinished };
}

const FINISHED = ["one delivering pending"];

describe("an order that is followed", () => {
  test("is handed on once, with its delivery written, when the last of its jobs has ended", async () => {
    const { clock, progress, finished, reading, set, tell, isFinished } = await followOrder();
    set(1, "done");
    tell(1);
    await turnOfEvents();
    expect([progress, finished]).toEqual([
      [
        ["queued", "queued"],
        ["done", "queued"],
      ],
      [],
    ]);
    set(2, "error");
    tell(2);
    await isFinished();
    const { count } = reading;
    tell(2);
    await clock.advance(60_000);
    expect([finished, reading.count]).toEqual([FINISHED, count]);
  });

  test("is looked at once more when a job ends in the middle of a look", async () => {
    const { finished, reading, set, tell, isFinished } = await followOrder();
    let open = () => {};
    reading.gate = new Promise((resolve) => {
      open = resolve;
    });
    tell(1);
    await turnOfEvents();
    for (const id of [1, 2]) set(id, "done");
    for (const id of [1, 2]) tell(id);
    open();
    await isFinished();
    expect(finished).toEqual(FINISHED);
  });

  test("is looked at now and then, though nothing is said of its jobs or they cannot be read", async () => {
    const { clock, reading, set, finished, isFinished } = await followOrder();
    for (const id of [1, 2]) set(id, "done");
    reading.gate = Promise.reject(new Error("not now"));
    reading.gate.catch(() => {});
    await clock.advance(15_000);
    expect(finished).toEqual([]);
    reading.gate = Promise.resolve();
    await clock.advance(15_000);
    await isFinished();
    expect(finished).toEqual(FINISHED);
  });

  test("is left alone when the tracker has stopped", async () => {
    const { clock, orders, reading, set, tell } = await followOrder();
    tracker.stop();
    const { count } = reading;
    for (const id of [1, 2]) set(id, "done");
    tell(2);
    await clock.advance(60_000);
    expect([reading.count, orders.find("one")?.state]).toEqual([count, "accepted"]);
  });
});
