import { expect, test } from "vitest";
import { AdminNotices } from "../../../src/bot/notices/admin-notices.js";
import { NoticeQueue } from "../../../src/ports/operator-notices.js";
import { texts } from "../../support/drafts.js";
import { silentLogger } from "../../support/log.js";

function openNotices(sendMessage: (to: number, text: string) => Promise<void>) {
  const queue = new NoticeQueue();
  const admins = new AdminNotices({
    api: { sendMessage } as never,
    adminIds: new Set([1, 2]),
    languageOf: (id) => texts.in(id === 2 ? "ru" : "en"),
    logger: silentLogger(),
  });
  return { queue, deliver: () => queue.deliverBy((notice) => admins.deliver(notice)) };
}

test("each admin reads a notice in the own language, also one of before the bot ran", () => {
  const told: string[] = [];
  const { queue, deliver } = openNotices(async (_to, text) => void told.push(text));
  queue.tell({ kind: "models_cut", shown: 500, all: 10_000 });
  deliver();
  expect(told).toEqual([expect.stringContaining("10,000 models"), expect.stringContaining("первые 500")]);
  queue.tell({ kind: "models_cut", shown: 500, all: 20_000 });
  expect(told).toHaveLength(4);
});

test("an admin who cannot be reached keeps no other from reading", async () => {
  const told: number[] = [];
  const { queue, deliver } = openNotices(async (to) => {
    if (to === 1) throw new Error("blocked");
    told.push(to);
  });
  deliver();
  queue.tell({ kind: "models_cut", shown: 1, all: 2 });
  await Promise.resolve();
  expect(told).toEqual([2]);
});
