import { expect, test, vi } from "vitest";
import { Checkout } from "../../../../src/bot/orders/checkout.js";
import { JobTakenError } from "../../../../src/bot/orders/order-store.js";
import type { JobId } from "../../../../src/contract/job.js";
import { asKopecks } from "../../../../src/contract/price.js";
import type { Accepted } from "../../../../src/contract/request.js";
import { integer } from "../../../../src/platform/integer.js";
import { openBotGround } from "../../../support/bot-ground.js";
import { NEW_DRAFT, openBotWorld } from "../../../support/bot-world.js";
import { connectedAccounts } from "../../../support/fake-accounts.js";
import { FakeService } from "../../../support/fake-gateway.js";
import { recordingLogger } from "../../../support/log.js";

const REQUEST = { type: "image", model_key: "nano-banana-2", prompt: "a fox" } as const;
const constraint = Object.assign(new Error("cannot store REAL"), { code: "SQLITE_CONSTRAINT_DATATYPE" });

/** A checkout in front of a core that answers with these jobs; `refused` is a write that no row can hold. */
async function open(jobIds: readonly JobId[], refused?: string) {
  const world = openBotWorld((name) => {
    if (name === `commit:before:${refused}`) throw constraint;
  });
  const { drafts, orders } = world;
  const service = new FakeService();
  const accepted = { job_id: jobIds[0] ?? 0, job_ids: jobIds, status: "queued", cost_rub: 10 } as Accepted;
  service.gateway().submit = async (_request, { onAccepted }) => {
    onAccepted?.(accepted);
    return accepted;
  };
  const { logger, lines } = recordingLogger();
  const bot = openBotGround({ world, service, accounts: connectedAccounts() }, { logger });
  const checkout = new Checkout(bot, () => {});
  const { draft } = await drafts.open(NEW_DRAFT);
  const claim = { draft, userName: "Ann", modelTitle: "Nano", request: REQUEST };
  const order = await orders.claim({ ...claim, orderId: "two", quotedKopecks: asKopecks(1000) });
  if (!order) throw new Error("not claimed");
  const errors = () => lines.filter(({ level }) => level === 50);
  const submit = () => checkout.submit(order, service.gateway());
  return { ...world, checkout, submit, order, errors };
}

test("a job of another order is never delivered: the order waits for an admin, the log has the job", async () => {
  const { submit, order, orders, finishedOrder, errors, spool } = await open([1]);
  await finishedOrder("first", 7, [1]);
  expect(await submit()).toMatchObject({ kind: "uncertain" });
  expect(orders.find(order.id)).toMatchObject({ state: "uncertain", jobIds: [] });
  expect(errors()[0]).toMatchObject({ order_id: order.id, job_ids: [1] });
  expect(spool.read().kept).toEqual([]);
});

test("a job of a person with another account is this person's own", async () => {
  const { submit, finishedOrder } = await open([1]);
  await finishedOrder("first", 8, [1]);
  expect(await submit()).toMatchObject({ kind: "accepted", order: { jobIds: [1] } });
});

test("an acceptance that no row can hold is not tried again: the order waits for an admin", async () => {
  const { submit, order, orders, errors } = await open([5], "order-accept");
  expect(await submit()).toMatchObject({ kind: "uncertain" });
  expect(orders.find(order.id)?.state).toBe("uncertain");
  expect(errors()[0]).toMatchObject({ order_id: order.id, job_ids: [5] });
});

test("one that is taken from the spool is told of, and leaves the spool", async () => {
  const { checkout, order, spool, finishedOrder } = await open([1]);
  await finishedOrder("first", 7, [1]);
  const told: string[] = [];
  spool.save({ order_id: order.id, job_ids: [1] });
  const { kept } = spool.read();
  vi.spyOn(checkout.uncertainOrders, "announce").mockImplementation(async (id) => void told.push(id));
  await checkout.recover(kept);
  expect(told).toEqual([order.id]);
  expect(spool.read().kept).toEqual([]);
});

test("an order in doubt whose answer names a taken job is repeated no more", async () => {
  const { checkout, order, orders, finishedOrder } = await open([1]);
  await finishedOrder("first", 7, [1]);
  await orders.uncertain.mark(order, undefined, integer(1_000_000));
  expect(await checkout.resume(order)).toMatchObject({ kind: "uncertain" });
  expect(orders.uncertain.findByOrder(order.id)).toMatchObject({ repeated_until: null });
});

test("the error names the job", () => {
  expect(new JobTakenError("music_1").message).toContain("music_1");
});
