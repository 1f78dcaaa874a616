import { beforeEach, expect, test } from "vitest";
import { Inbox } from "../../src/bot/inbox/inbox.js";
import { systemClock } from "../../src/platform/clock.js";
import { Chatter } from "../support/chatter.js";
import { updateOf } from "../support/inbox-source.js";
import { ADMIN, startTestService, type TestService } from "../support/service.js";

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});

test("an admin command that crashed the process three times is answered once and not executed", async () => {
  const vera = new Chatter(service.sandbox.person(ADMIN.id));
  vera.say("/start");
  await vera.see("balance");
  await service.stopService();

  // What five runs leave that a command has ended.
  const text = `/credit ${ADMIN.id} 500`;
  const update = updateOf(900_000, ADMIN.id, text);
  Object.assign(update.message ?? {}, { entities: [{ type: "bot_command", offset: 0, length: 7 }] });
  const inbox = new Inbox(service.database, systemClock);
  await inbox.receive([update]);
  for (let run = 0; run < 5; run += 1) {
    const { suspects } = await inbox.recover();
    for (const id of suspects) await inbox.startSuspect(id);
  }

  const before = service.balanceOf(ADMIN.id);
  // The process ends while Telegram takes the answer: the next run does not begin it again.
  const held = service.sandbox.hold("sendMessage", ({ params }) => String(params.text).includes(text));
  await service.restart();
  await held.arrived();
  await service.restart();
  held.release();
  const told = await vera.see(text);
  expect(told.text).toContain("before you repeat it");
  vera.say("/balance");
  await vera.see("Your balance", told.message_id);
  expect(vera.heard().filter((heard) => heard.text?.includes(text))).toHaveLength(1);
  expect(service.balanceOf(ADMIN.id)).toBe(before);
});

test("an admin's correction behind a backlog of 130 messages is executed, and the flood is told", async () => {
  const vera = new Chatter(service.sandbox.person(ADMIN.id));
  vera.say("/start");
  await vera.see("balance");
  const before = service.balanceOf(ADMIN.id);
  await service.stopService();
  for (let count = 0; count < 130; count += 1) vera.say("/balance");
  vera.say(`/credit ${ADMIN.id} 7`);
  await service.restart();
  await vera.see("faster than I can keep up");
  await vera.see("7\u00a0₽ added to");
  expect(service.balanceOf(ADMIN.id)).toBe(before + 7);
});
