import { expect, test } from "vitest";
import { Slots, type SlotsLimits } from "../../src/platform/slots.js";
import { createManualClock, turnOfEvents } from "../support/manual-clock.js";

const never = new AbortController().signal;

function openSlots(limits: SlotsLimits) {
  const clock = createManualClock();
  let freed = 0;
  const slots = new Slots(clock, limits, () => {
    freed += 1;
  });
  return { clock, slots, freed: () => freed };
}

test("a slot is released once, however often its holder releases it", () => {
  const { slots, freed } = openSlots({ size: 2 });
  const [first] = [slots.take(), slots.take()];
  expect([slots.isFree, slots.held, freed()]).toEqual([false, 2, 0]);
  first?.release();
  first?.release();
  expect([slots.isFree, slots.held, freed()]).toEqual([true, 1, 1]);
});

test("a slow holder gives up its slot, and counts as slow until it ends", async () => {
  const { clock, slots, freed } = openSlots({ size: 1, slowAfterMs: 1000 });
  const slow = slots.take();
  await clock.advance(999);
  expect([slots.isFree, freed()]).toEqual([false, 0]);
  await clock.advance(1);
  await slow.left;
  expect([slots.isFree, slots.held, freed()]).toEqual([true, 1, 1]);
  slow.release();
  expect([slots.isFree, slots.held]).toEqual([true, 0]);
});

test("a holder that has ended never becomes slow", async () => {
  const { clock, slots } = openSlots({ size: 1, slowAfterMs: 1000 });
  slots.take().release();
  const next = slots.take();
  await clock.advance(500);
  next.release();
  slots.take();
  await clock.advance(600);
  expect([slots.isFree, slots.held]).toEqual([false, 1]);
});

test("at the limit of slow holders, the next one keeps its slot until one of them ends", async () => {
  const { clock, slots } = openSlots({ size: 1, slowAfterMs: 1000, slowMax: 1 });
  const first = slots.take();
  await clock.advance(1000);
  const second = slots.take();
  await clock.advance(5000);
  expect([slots.isFree, slots.held]).toEqual([false, 2]);
  first.release();
  await second.left;
  expect([slots.isFree, slots.held]).toEqual([true, 1]);
});

test("a holder may give up its slot before it is slow", async () => {
  const { slots } = openSlots({ size: 1 });
  const slot = slots.take();
  slot.leave();
  slot.leave();
  await slot.left;
  expect([slots.isFree, slots.held]).toEqual([true, 1]);
});

test("waiters get slots first come, first served, before anyone else", async () => {
  const { slots, freed } = openSlots({ size: 1 });
  const first = await slots.acquire(never);
  const got: string[] = [];
  const second = slots.acquire(never).then((slot) => {
    got.push("second");
    return slot;
  });
  void slots.acquire(never).then(() => got.push("third"));
  first.release();
  expect([slots.isFree, freed()]).toEqual([false, 0]);
  await turnOfEvents();
  expect(got).toEqual(["second"]);
  (await second).release();
  await turnOfEvents();
  expect(got).toEqual(["second", "third"]);
});

test("an aborted waiter takes no slot from the next one", async () => {
  const { slots } = openSlots({ size: 1 });
  const first = slots.take();
  const controller = new AbortController();
  const aborted = slots.acquire(controller.signal);
  const next = slots.acquire(never);
  controller.abort(new Error("enough"));
  await expect(aborted).rejects.toThrow("enough");
  await expect(slots.acquire(controller.signal)).rejects.toThrow("enough");
  first.release();
  await next;
  expect([slots.isFree, slots.held]).toEqual([false, 1]);
});

test("waiting for all holders, slow ones included, ends at its deadline", async () => {
  const { clock, slots } = openSlots({ size: 1, slowAfterMs: 10 });
  const slot = slots.take();
  const ended: string[] = [];
  void slots.idle(100).then(() => ended.push("out of time"));
  void slots.idle(10_000).then(() => ended.push("idle"));
  await clock.advance(99);
  expect(ended).toEqual([]);
  await clock.advance(1);
  expect(ended).toEqual(["out of time"]);
  slot.release();
  await slots.idle(10_000);
  await turnOfEvents();
  expect(ended).toEqual(["out of time", "idle"]);
});
