import { createSandbox } from "@atelier/telegram-sandbox";
import { expect, test } from "vitest";
import { table } from "../../src/database/table.js";
import { Chatter } from "../support/chatter.js";
import { ADMIN, ANN, BORIS, startTestService, TOKEN } from "../support/service.js";

test("the event chat hears of new people and sales, and has one report a day over restarts", async () => {
  const people = [ANN, BORIS, ADMIN];
  const sandbox = await createSandbox({ token: TOKEN, people, group: { title: "Events", is_forum: true } });
  const topic = sandbox.openTopic(ADMIN.id, "News");
  const service = await startTestService({
    sandbox,
    environment: {
      EVENTS_CHAT_ID: `${sandbox.groupId}/${topic}`,
      EVENTS_SALE_RUB: "1",
      // Past at any time of the day: the report is due at once.
      REPORT_AT: "00:00",
    },
  });
  const ann = new Chatter(sandbox.person(ANN.id));
  const group = new Chatter(sandbox.person(ADMIN.id), sandbox.groupId);
  ann.say("/image a quiet harbour");
  await ann.press("✅", "a quiet harbour");
  await ann.seePhoto();
  await group.see("👤 Ann (@ann, id 101) is here for the first time.");
  await group.see(/💰 10\u00a0₽: Nano Banana/);
  await service.stopService();
  // The day of the first start has no report: here it becomes an earlier one.
  await service.database.write("test", (tx) => table("daily_report").update(tx, {}, { day: "2026-01-01" }));
  await service.restart();
  await group.see(/📊 The day up to .*\n\nPaid in: 0\u00a0₽ .*\nGifts.*\nNew people: 0 \(0\)/);
  expect(new Set(group.heard().map(({ message_thread_id }) => message_thread_id))).toEqual(new Set([topic]));
  await service.restart();
  const boris = new Chatter(service.sandbox.person(BORIS.id));
  boris.say("/start");
  await group.see("👤 Борис");
  expect(group.heard().filter(({ text }) => text?.startsWith("📊"))).toHaveLength(1);
});
