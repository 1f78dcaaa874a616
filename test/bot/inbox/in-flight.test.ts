import { expect, test } from "vitest";
import { InFlight } from "../../../src/bot/inbox/inbox.js";
import { createManualClock, turnOfEvents } from "../../support/manual-clock.js";

const LIMITS = { slowMs: 250, mostWaiting: 2, mostOfOne: 3 };

function openInFlight(limits = LIMITS) {
  const clock = createManualClock();
  const inFlight = new InFlight(clock, limits);
  const passed: string[] = [];
  /** Begins a handler and answers with the way to end it; its name is in `passed` once others may begin. */
  const begin = (name: string, ...queues: string[]) => {
    let end = () => {};
    const work = new Promise<void>((resolve) => {
      end = resolve;
    });
    void inFlight.add(queues, work).then(() => passed.push(name));
    return async () => {
      end();
      await turnOfEvents();
    };
  };
  return { clock, inFlight, passed, begin };
}

test("a running handler blocks its queue until it ends or is slow, and a waiting one does not", async () => {
  const { clock, passed, begin } = openInFlight();
  const endQuick = begin("quick", "chat 1");
  await turnOfEvents();
  expect(passed).toEqual([]);
  await endQuick();
  expect(passed).toEqual(["quick"]);
  begin("slow", "chat 2");
  await clock.advance(249);
  expect(passed).toEqual(["quick"]);
  begin("behind", "chat 3", "chat 2");
  await turnOfEvents();
  expect(passed).toEqual(["quick", "behind"]);
  await clock.advance(1);
  expect(passed).toEqual(["quick", "behind", "slow"]);
});

test("beyond the limit of slow handlers the next one blocks its queue until one of them ends", async () => {
  const { clock, passed, begin } = openInFlight();
  const endFirst = begin("first", "1");
  begin("second", "2");
  await clock.advance(250);
  const endThird = begin("third", "3");
  await clock.advance(1000);
  expect(passed).toEqual(["first", "second"]);
  await endThird();
  await endFirst();
  begin("fourth", "4");
  await clock.advance(250);
  expect(passed).toEqual(["first", "second", "third", "fourth"]);
});

test("a queue is full at its limit of updates in flight, and accepts more when one ends", async () => {
  const { inFlight, begin } = openInFlight();
  const ends = ["a", "b"].map((name) => begin(name, "chat", "sender"));
  expect(inFlight.isFull("sender")).toBe(false);
  ends.push(begin("c", "sender"));
  expect([inFlight.isFull("sender"), inFlight.isFull("chat"), inFlight.isFull("other")]).toEqual([
    true,
    false,
    false,
  ]);
  await ends[0]?.();
  expect(inFlight.isFull("sender")).toBe(false);
});

test("a queue whose handlers have all ended blocks nothing", async () => {
  const { passed, begin } = openInFlight();
  await begin("first", "chat")();
  begin("next", "chat");
  await turnOfEvents();
  expect(passed).toEqual(["first"]);
});

test("waiting for all handlers ends at its deadline", async () => {
  const { clock, inFlight, begin } = openInFlight();
  const end = begin("slow", "chat");
  const ended: string[] = [];
  void inFlight.ended(100).then(() => ended.push("out of time"));
  void inFlight.ended(10_000).then(() => ended.push("all have ended"));
  await clock.advance(99);
  expect(ended).toEqual([]);
  await clock.advance(100);
  expect([ended, inFlight.size]).toEqual([["out of time"], 1]);
  await end();
  await clock.advance(100);
  expect([ended, inFlight.size]).toEqual([["out of time", "all have ended"], 0]);
});
