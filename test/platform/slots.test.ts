import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { FairSlots, mapAtOnce, Slots, type SlotsLimits } from "../../src/platform/slots.js";
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

/** Work that waits for slots, and the order in which it got them. */
function openWork(size: number) {
  const slots = new FairSlots(size);
  const begun: string[] = [];
  const releases = new Map<string, () => void>();
  return {
    slots,
    begun,
    ask(name: string, account: number, signal = never) {
      const asked = slots.acquire(account, signal).then((release) => {
        begun.push(name);
        releases.set(name, release);
      });
      asked.catch(() => {});
      return asked;
    },
    async end(name: string) {
      releases.get(name)?.();
      await turnOfEvents();
    },
  };
}

test("an account alone takes all slots; beside others one is kept from it", async () => {
  const { begun, ask, end } = openWork(3);
  for (const name of ["a1", "a2", "a3", "a4"]) void ask(name, 1);
  await turnOfEvents();
  expect(begun).toEqual(["a1", "a2", "a3"]);
  void ask("b1", 2);
  void ask("b2", 2);
  await end("a1");
  await end("b1");
  expect(begun.slice(3)).toEqual(["b1", "b2"]);
  await end("a2");
  expect(begun.at(-1)).toBe("a4");
});

test("work that is aborted leaves the queue, and a slot is given back once", async () => {
  const { begun, ask, end } = openWork(1);
  const stop = new AbortController();
  void ask("a1", 1);
  const left = ask("a2", 1, stop.signal);
  void ask("a3", 1);
  stop.abort(new Error("stopped"));
  await expect(left).rejects.toThrow("stopped");
  await end("a1");
  await end("a1");
  void ask("a4", 1);
  await turnOfEvents();
  expect(begun).toEqual(["a1", "a3"]);
  await expect(ask("a5", 1, AbortSignal.abort(new Error("over")))).rejects.toThrow("over");
});

test("results keep their order, and no more calls run at once than allowed", async () => {
  let running = 0;
  let most = 0;
  const mapped = await mapAtOnce(3, [5, 1, 4, 2, 3, 0], async (turns) => {
    running += 1;
    most = Math.max(most, running);
    for (let step = 0; step < turns; step += 1) await turn();
    running -= 1;
    return turns * 10;
  });
  expect(mapped).toEqual([50, 10, 40, 20, 30, 0]);
  expect(most).toBe(3);
});

test("the first failure is thrown and begins nothing more", async () => {
  const begun: number[] = [];
  const mapping = mapAtOnce(2, [1, 2, 3, 4], async (item) => {
    begun.push(item);
    if (item === 1) throw new Error("first");
    await turn();
  });
  await expect(mapping).rejects.toThrow("first");
  expect(begun).toEqual([1, 2]);
});
