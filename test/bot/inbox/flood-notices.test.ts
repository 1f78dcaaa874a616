import type { Update } from "grammy/types";
import { expect, test } from "vitest";
import { FloodNotices } from "../../../src/bot/inbox/inbox.js";
import { createManualClock } from "../../support/manual-clock.js";

function update(update_id: number, chatId: number): Update {
  return { update_id, message: { chat: { id: chatId }, from: { id: 7 } } } as never;
}

test("a flood is told once a chat and minute", async () => {
  const clock = createManualClock();
  const told: number[] = [];
  const notices = new FloodNotices(clock, (updates) =>
    told.push(...updates.map(({ update_id }) => update_id)),
  );
  for (let id = 1; id <= 900; id += 1) notices.add(update(id, 7));
  notices.add(update(1000, 8));
  await clock.advance(59_999);
  notices.add(update(1001, 7));
  await clock.advance(1);
  notices.add(update(1002, 7));
  notices.add(update(1003, 7));
  expect(told).toEqual([1, 1000, 1002]);
});
