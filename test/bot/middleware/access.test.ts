import { expect, test } from "vitest";
import type { BotContext } from "../../../src/bot/context.js";
import { Access } from "../../../src/bot/middleware.js";

const REMEMBERED = 1000;

test.each([
  [[], [true, true, true]],
  [[1], [true, false, true]],
])("with the list %j, admins have access like the listed persons", (list, expected) => {
  const access = new Access(list, new Set([3]));
  expect([1, 2, 3].map((id) => access.isFor(id))).toEqual(expected);
});

test("a person without access is told once, and the memory for this is bounded", async () => {
  const access = new Access([1], new Set());
  const told: number[] = [];
  const write = (id: number) =>
    access.refuse({
      person: { id },
      chat: { id, type: "private" },
      language: { t: (key: string) => key },
      reply: async () => told.push(id),
    } as unknown as BotContext);
  expect([access.isFor(1), access.isFor(2)]).toEqual([true, false]);
  for (const id of [2, 2, 3]) await write(id);
  expect(told).toEqual([2, 3]);
  for (let id = 4; id < REMEMBERED + 3; id += 1) await write(id);
  told.length = 0;
  for (const id of [3, 2]) await write(id);
  expect(told).toEqual([2]);
});
