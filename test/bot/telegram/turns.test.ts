import { expect, test } from "vitest";
import { Turns } from "../../../src/bot/telegram/turns.js";

/** Calls that have taken their turn, by number, and how to end each. */
function openTurns(count: number) {
  const turns = new Turns();
  const begun: number[] = [];
  const ends = Array.from({ length: count }, (_, call) => turns.take(() => begun.push(call)));
  return { turns, begun, end: (call: number) => ends[call]?.() };
}

const FULL = Array.from({ length: 64 }, (_, call) => call);

test("few calls go at once, the others in their order as each of them ends", () => {
  const { begun, end } = openTurns(67);
  expect(begun).toEqual(FULL);
  end(5);
  end(5);
  expect(begun).toEqual([...FULL, 64]);
  end(64);
  expect(begun).toEqual([...FULL, 64, 65]);
});

test("a call that was given up while it waited takes nobody's turn", () => {
  const { begun, end } = openTurns(66);
  end(64);
  end(0);
  expect(begun).toEqual([...FULL, 65]);
});

test("turns that nobody waits for are free again", () => {
  const { turns, begun, end } = openTurns(64);
  end(1);
  turns.take(() => begun.push(100));
  expect(begun).toEqual([...FULL, 100]);
});

test("what waits goes out of turn after a moment, and gives no turn to others when it ends", async () => {
  const { turns, begun, end } = openTurns(64);
  const ended = await new Promise<() => void>((resolve) => {
    const over = turns.take(() => resolve(() => over()));
  });
  turns.take(() => begun.push(100));
  ended();
  expect(begun).toEqual(FULL);
  end(0);
  expect(begun).toEqual([...FULL, 100]);
  turns.close();
});

test("at the end nobody waits", () => {
  const { turns, begun } = openTurns(66);
  turns.close();
  expect(begun).toEqual([...FULL, 64, 65]);
});
