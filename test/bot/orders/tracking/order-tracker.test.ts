import { afterEach, describe, expect, test } from "vitest";
import { OrderTracker } from "../../../../src/bot/orders/order-service.js";
import type { Job, JobStatus } from "../../../../src/contract/job.js";
import { asKopecks } from "../../../../src/contract/price.js";
import type { JobFeed, JobListener, WatchedOrder } from "../../../../src/ports/job-feed.js";
import { openBotGround } from "../../../support/bot-ground.js";
import { NEW_DRAFT, openBotWorld } from "../../../support/bot-world.js";

let tracker: OrderTracker;
afterEach(() => tracker.stop());

/** A tracker that follows one order of two jobs, whose statuses the test tells. */
async function followOrder() {
  let isFull = false;
  const world = openBotWorld((name) => {
    if (isFull && name.startsWith("commit:before:order-")) throw new Error("database or disk is full");
  });
  const { orders, drafts } = world;
  const watched = new Map<WatchedOrder, JobListener>();
  const jobFeed: JobFeed = {
    watch(order, listener) {
      watched.set(order, listener);
      return () => watched.delete(order);
    },
  };
  const progress: unknown[] = [];
  const finished: string[] = [];
  tracker = new OrderTracker(
    openBotGround({ world }, { jobFeed }),
    { update: (_order, jobs) => void progress.push(jobs.map(({ status }) => status)), pause: () => {} },
    {
      enqueue: (id) =>
        void finished.push(`${id} ${orders.find(id)?.state} ${orders.findDelivery(id)?.state}`),
    },
  );
  const request = { type: "image", model_key: "nano-banana-2", prompt: "a fox" } as const;
  const { draft } = await drafts.open(NEW_DRAFT);
  const claim = { draft, userName: "Ann", modelTitle: "Nano", request, quotedKopecks: asKopecks(1000) };
  const order = await orders.claim({ orderId: "one", ...claim });
  if (!order) throw new Error("not claimed");
  const accepted = await orders.accept(order, [1, 2]);
  if (!accepted) throw new Error("not accepted");
  tracker.follow(accepted);
  const [listener] = watched.values();
  if (!listener) throw new Error("not watched");
  const tell = (...statuses: JobStatus[]) =>
    listener(statuses.map((status, index) => ({ job_id: index + 1, status }) as Job));
  const fill = (isNowFull: boolean) => {
    isFull = isNowFull;
  };
  return { orders, order: accepted, watched, progress, finished, tell, fill };
}

describe("an order that is followed", () => {
  test("is watched once, for its person", async () => {
    const { order, watched } = await followOrder();
    tracker.follow(order);
    const user = { id: order.userId, name: "Ann" };
    expect([...watched.keys()]).toEqual([{ id: "one", user, jobIds: [1, 2] }]);
  });

  test("is handed on once, with its delivery written, when the last of its jobs has ended", async () => {
    const { progress, finished, watched, tell } = await followOrder();
    await tell("queued", "queued");
    await tell("done", "queued");
    expect([progress, finished]).toEqual([
      [
        ["queued", "queued"],
        ["done", "queued"],
      ],
      [],
    ]);
    await tell("done", "error");
    await tell("done", "error");
    expect([finished, watched.size]).toEqual([["one delivering pending"], 0]);
  });

  test("is watched on when its end cannot be written", async () => {
    const { finished, watched, tell, fill } = await followOrder();
    fill(true);
    await expect(tell("done", "done")).rejects.toThrow("full");
    expect([finished, watched.size]).toEqual([[], 1]);
    fill(false);
    await tell("done", "done");
    expect(finished).toEqual(["one delivering pending"]);
  });

  test("is left alone when the tracker has stopped", async () => {
    const { order, watched } = await followOrder();
    tracker.stop();
    tracker.follow(order);
    expect(watched.size).toBe(0);
  });
});
