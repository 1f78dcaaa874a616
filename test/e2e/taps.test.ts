import { createSandbox } from "@atelier/telegram-sandbox";
import { beforeEach, describe, expect, test } from "vitest";
import { Chatter, labelsOf } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { toBot } from "../support/group.js";
import { newFolder } from "../support/new-folder.js";
import { ADMIN, ANN, BORIS, startTestService, type TestService, TOKEN } from "../support/service.js";

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});

const chatter = (id: number, chat?: number) => new Chatter(service.sandbox.person(id), chat);

test("a tap to pay, ten times at once and again after a restart, charges and delivers once", async () => {
  const ann = chatter(ANN.id);
  ann.say("a windmill");
  const card = await ann.seeButton("✅");
  const label = labelsOf(card).find((one) => one.startsWith("✅")) ?? "";
  service.provider.holds = true;
  const taps = Array.from({ length: 10 }, () => ann.person.tap(card, label));
  await Promise.all(taps.map((tap) => tap.answered()));
  await service.restart();
  service.sandbox.randomizeUpdateIds();
  for (const { data } of taps) {
    const again = ann.person.tapData(card, data);
    await again.answered();
  }
  service.provider.holds = false;
  for (const task of [...service.provider.held]) task.finish();
  await ann.see(({ photo }) => photo !== undefined);
  await eventually("the end", async () => service.lines.some(({ msg }) => msg === "order delivered"));
  expect(ann.photos()).toHaveLength(1);
  expect(service.balanceOf(ANN.id)).toBe(90);
  const [account] = service.adminService.accounts();
  expect(service.adminService.entries(account?.id ?? 0).map(({ kind }) => kind)).toEqual([
    "credit",
    "charge",
  ]);
});

describe("admins", () => {
  test("offer with a credit to continue the private chat's card, even where a newer one waits in a group", async () => {
    const boris = chatter(BORIS.id);
    boris.say("маяк");
    await boris.seeButton("✅", "маяк");
    const group = chatter(BORIS.id, service.sandbox.groupId);
    group.say(toBot(service, "/image сарай"));
    await group.seeButton("✅", "сарай");
    chatter(ADMIN.id).say("/credit @boris 5");
    const told = await boris.seeButton("Вернуться к карточке", "Вам зачислено");
    boris.person.tap(told, "Вернуться");
    await boris.see(
      ({ message_id, text }) => message_id > told.message_id && text?.includes("маяк") === true,
    );
  });

  test("can credit again after another bot on the same data used the same message number", async () => {
    await service.close();
    const folder = newFolder();
    const creditBy = async (token: string) => {
      const people = [ANN, BORIS, ADMIN];
      const sandbox = await createSandbox({ token, people, firstMessageId: 50 });
      service = await startTestService({ sandbox, environment: { BOT_TOKEN: token, DATA_DIR: folder } });
      const vera = chatter(ADMIN.id);
      vera.say("/start");
      await vera.see("Your balance");
      vera.say(`/credit ${ADMIN.id} 5`);
      await vera.see("5\u00a0₽ added");
      return service;
    };
    await (await creditBy(TOKEN)).close();
    await creditBy(TOKEN.replace("123456", "654321"));
    expect(service.balanceOf(ADMIN.id)).toBe(110);
  });
});
