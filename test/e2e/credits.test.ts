import { createSandbox } from "@atelier/telegram-sandbox";
import { expect, test } from "vitest";
import { Chatter } from "../support/chatter.js";
import { toBot } from "../support/group.js";
import { newFolder } from "../support/new-folder.js";
import { ADMIN, ANN, BORIS, startTestService, TOKEN } from "../support/service.js";

test("a credit offers to continue the private chat's card, even where a newer one waits in a group", async () => {
  const service = await startTestService();
  const chatter = (id: number, chat?: number) => new Chatter(service.sandbox.person(id), chat);
  const boris = chatter(BORIS.id);
  boris.say("маяк");
  await boris.seeButton("✅", "маяк");
  const group = chatter(BORIS.id, service.sandbox.groupId);
  group.say(toBot(service, "/image сарай"));
  await group.seeButton("✅", "сарай");
  chatter(ADMIN.id).say("/credit @boris 5");
  const told = await boris.seeButton("Вернуться к карточке", "Вам зачислено");
  boris.person.tap(told, "Вернуться");
  await boris.see(({ message_id, text }) => message_id > told.message_id && text?.includes("маяк") === true);
});

test("an admin can credit again after another bot on the same data used the same message number", async () => {
  const folder = newFolder();
  const creditBy = async (token: string) => {
    const people = [ANN, BORIS, ADMIN];
    const sandbox = await createSandbox({ token, people, firstMessageId: 50 });
    const service = await startTestService({ sandbox, environment: { BOT_TOKEN: token, DATA_DIR: folder } });
    const vera = new Chatter(sandbox.person(ADMIN.id));
    vera.say("/start");
    await vera.see("Your balance");
    vera.say(`/credit ${ADMIN.id} 5`);
    await vera.see("5\u00a0₽ added");
    return service;
  };
  await (await creditBy(TOKEN)).close();
  const service = await creditBy(TOKEN.replace("123456", "654321"));
  expect(service.balanceOf(ADMIN.id)).toBe(110);
});
