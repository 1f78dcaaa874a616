import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSandbox } from "@atelier/telegram-sandbox";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cardData } from "../../src/bot/card/callback-data.js";
import { accountOf } from "../support/accounts.js";
import { Chatter, labelsOf } from "../support/chatter.js";
import { claimOrder, openOrderStore } from "../support/direct-order.js";
import { eventually } from "../support/eventually.js";
import { beginImageInGroup, toBot } from "../support/group.js";
import { ADMIN, ANN, BORIS, startTestService, type TestService, TOKEN } from "../support/service.js";

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const chatter = (id: number, chat?: number) => new Chatter(service.sandbox.person(id), chat);

describe("a tap", () => {
  test("to pay, ten times at once and again after a restart, charges and delivers once", async () => {
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

  test.each(["✅", "Quality", "More"])(
    "on %s of a model that has left the catalogue shows the others, and charges nothing",
    async (button) => {
      await service.close();
      const file = join(mkdtempSync(join(tmpdir(), "atelier-catalogue-")), "catalogue.json");
      const catalogue = readFileSync("data/catalogue.json", "utf8");
      writeFileSync(file, catalogue);
      service = await startTestService({ environment: { CATALOGUE_FILE: file } });
      const ann = chatter(ANN.id);
      ann.say("/image a windmill");
      await ann.choose("GPT Image 2.5");
      await ann.seeButton("✅");
      writeFileSync(file, catalogue.replaceAll('"gpt-image-2-5"', '"gpt-image-9"'));
      await service.restart();
      await ann.press(button);
      const { text } = await ann.seeButton("Nano Banana Pro");
      expect(text).toContain("a windmill");
      expect(service.balanceOf(ANN.id)).toBe(100);
    },
  );

  test("that arrives again under a new update id after a reconnect charges nothing more", async () => {
    const ann = chatter(ANN.id);
    ann.say("a windmill");
    const tap = await ann.press("✅");
    await tap.answered();
    ann.person.resendLastTap();
    await eventually("the end", async () => service.lines.some(({ msg }) => msg === "order delivered"));
    ann.say("/balance");
    await ann.see("90\u00a0₽");
  });

  test("on an old card, a cancelled card or with unknown data is answered and changes nothing", async () => {
    const ann = chatter(ANN.id);
    ann.say("/image");
    const list = await ann.seeButton("Quality");
    const data = "c:1:1:m:nano-banana-2";
    await ann.person.tapData(list, data).answered();
    expect((await ann.person.tapData(list, data).answered()).text).toBeUndefined();
    for (const odd of [
      "",
      "c:zzz:1:k",
      "c:1:1:y:1",
      "l:xx",
      "r:nothing:o",
      "x".repeat(64),
      "c:1:2:m:no-such-model",
    ]) {
      if (odd === "") continue;
      await ann.person.tapData(list, odd).answered();
    }
    await ann.press("Cancel");
    await ann.see("Cancelled");
    expect((await ann.person.tapData(list, "c:1:2:k").answered()).text).toContain("cancelled");
    expect(service.provider.tasks).toHaveLength(0);
  });

  test("on the card of an order with an unknown outcome does not call it paid", async () => {
    const ann = chatter(ANN.id);
    ann.say("/image");
    const list = await ann.seeButton("Quality");
    await service.stopService();
    const request = { type: "image", model_key: "nano-banana-2", prompt: "a fox" } as const;
    const order = await claimOrder(service.database, { userId: ANN.id, request });
    await openOrderStore(service.database).uncertain.mark(order);
    await service.restart();
    for (const action of ["card", "show"] as const) {
      const data = cardData.encode({ draftId: order.draftId, revision: 1, action });
      expect((await ann.person.tapData(list, data).answered()).text).toContain("isn’t certain whether");
    }
  });

  test("of another person is rejected", async () => {
    const ann = chatter(ANN.id, service.sandbox.groupId);
    const boris = chatter(BORIS.id, service.sandbox.groupId);
    ann.say(toBot(service, "/image"));
    const list = await ann.seeButton("Quality: 1K");
    const refused = await boris.person.tap(list, "Quality: 1K").answered();
    expect(refused.show_alert).toBe(true);
    expect(refused.text).toContain("чужие");
    const question = await ann.see("Reply to this message");
    ann.say("not an answer");
    boris.say("from somebody else", { replyTo: question.message_id });
    ann.say("a quiet lake", { replyTo: question.message_id });
    const card = await ann.seeButton("✅", "a quiet lake");
    const pay = labelsOf(card).find((label) => label.startsWith("✅")) ?? "";
    expect((await boris.person.tap(card, pay).answered()).show_alert).toBe(true);
    ann.person.tap(card, pay);
    await ann.see(({ photo }) => photo !== undefined);
    expect(service.balanceOf(ANN.id)).toBe(90);
  });

  test("is answered although the chat is waiting for a 429", async () => {
    const ann = chatter(ANN.id);
    ann.say("/image");
    const card = await ann.seeButton("Quality: 1K");
    const held = service.sandbox.hold("editMessageText");
    const tap = ann.person.tap(card, "Quality: 1K");
    await tap.answered();
    held.release();
    await ann.seeButton("4K");
  });
});

describe("admins", () => {
  test("credit and debit, and the person is told the reason in their language", async () => {
    const boris = chatter(BORIS.id);
    const vera = chatter(ADMIN.id);
    boris.say("/start");
    await boris.see("Здравствуйте");
    vera.say(`/credit ${BORIS.id} 12,5 за идею`);
    await vera.see("112.50\u00a0₽");
    await boris.see("за идею");
    vera.say("/debit @BORIS 0.5");
    await vera.see("112\u00a0₽");
    await boris.see("0,50\u00a0₽");
    expect(service.balanceOf(BORIS.id)).toBe(112);
    const entries = service.adminService.entries(accountOf(service.adminService, BORIS.id).id);
    expect(entries.map(({ kind, actor }) => [kind, actor])).toEqual([
      ["credit", "service"],
      ["credit", `telegram:${ADMIN.id}`],
      ["debit", `telegram:${ADMIN.id}`],
    ]);
  });

  test("offer with a credit to continue the private chat's card, even where a newer one waits in a group", async () => {
    const boris = chatter(BORIS.id);
    boris.say("маяк");
    await boris.seeButton("✅", "маяк");
    const group = chatter(BORIS.id, service.sandbox.groupId);
    await beginImageInGroup(service, group, "сарай");
    chatter(ADMIN.id).say("/credit @boris 5");
    const told = await boris.seeButton("Вернуться к карточке", "Вам зачислено");
    boris.person.tap(told, "Вернуться");
    await boris.see(
      ({ message_id, text }) => message_id > told.message_id && text?.includes("маяк") === true,
    );
  });

  test.each([
    "/credit",
    "/credit @boris",
    "/credit @boris -5",
    "/credit @boris 0",
    "/credit @boris 1.234",
    "/credit @boris 1e3",
    "/credit @boris all",
    "/credit 50",
    "/credit Борис 50",
    "/debit @boris NaN",
    "/debit @boris 0x10",
  ])("get the usage line for %s, and nothing changes", async (command) => {
    const boris = chatter(BORIS.id);
    boris.say("/start");
    await boris.see("Здравствуйте");
    const vera = chatter(ADMIN.id);
    vera.say(command);
    await vera.see("Usage: /");
    expect(service.balanceOf(BORIS.id)).toBe(100);
  });

  test("cannot debit more than the balance, and are told when a person is unknown", async () => {
    const boris = chatter(BORIS.id);
    boris.say("/start");
    await boris.see("Здравствуйте");
    const vera = chatter(ADMIN.id);
    vera.say("/debit @boris 100.01");
    await vera.see("has only 100\u00a0₽");
    vera.say("/credit @nobody 5");
    await vera.see("never met");
    vera.say("/credit 999 5");
    await vera.see("never met", 3);
    expect(service.balanceOf(BORIS.id)).toBe(100);
  });

  test("can credit again after another bot on the same data used the same message number", async () => {
    await service.close();
    const folder = mkdtempSync(join(tmpdir(), "atelier-data-"));
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

  test("see their commands in the help of their private chat, and nobody else does", async () => {
    const vera = chatter(ADMIN.id);
    vera.say("/help");
    await vera.see("/credit – add money");
    const ann = chatter(ANN.id);
    ann.say("/help");
    expect((await ann.see("How it works")).text).not.toContain("/credit");
    const group = chatter(ADMIN.id, service.sandbox.groupId);
    group.say(toBot(service, "/help"));
    expect((await group.see("How it works")).text).not.toContain("/credit");
  });

  test("may reply to the person's message instead of naming the person", async () => {
    const boris = chatter(BORIS.id, service.sandbox.groupId);
    const hello = boris.say(toBot(service, "/start"));
    await boris.see("Здравствуйте");
    const vera = chatter(ADMIN.id, service.sandbox.groupId);
    vera.say(toBot(service, "/credit 7 for a laugh"), { replyTo: hello.message_id });
    await vera.see("7\u00a0₽ added");
    vera.say(toBot(service, "/credit 5 7"), { replyTo: hello.message_id });
    await vera.see("Usage");
    expect(service.balanceOf(BORIS.id)).toBe(107);
  });

  test("are the only persons for whom these commands exist", async () => {
    const ann = chatter(ANN.id);
    ann.say(`/credit ${ANN.id} 1000`);
    await ann.see("don’t know this command");
    expect(service.balanceOf(ANN.id)).toBe(100);
    await service.sandbox.waitForCall("setMyCommands", ({ params }) =>
      JSON.stringify(params.scope ?? "").includes(String(ADMIN.id)),
    );
    const menus = service.sandbox.calls.filter(({ method }) => method === "setMyCommands");
    const open = menus.filter(({ params }) => params.scope === undefined);
    expect(open.length).toBeGreaterThanOrEqual(3);
    expect(JSON.stringify(open)).not.toContain("credit");
  });
});

describe("a text command", () => {
  test("/language changes the language of everything after it", async () => {
    const ann = chatter(ANN.id);
    ann.say("/language");
    await ann.press("Русский");
    await ann.see("по-русски");
    ann.say("/balance");
    await ann.see("Ваш баланс");
    await service.restart();
    ann.say("/help");
    await ann.see("Как это работает");
  });

  test("/language redraws the chat's open card in place", async () => {
    const ann = chatter(ANN.id);
    ann.say("a fox");
    const card = await ann.seeButton("✅ Generate", "a fox");
    ann.say("/language");
    await ann.press("Русский");
    const redrawn = await ann.seeButton("✅ Создать", "a fox");
    expect(redrawn.message_id).toBe(card.message_id);
    await ann.press("✅ Создать");
    await ann.see(({ photo }) => photo !== undefined);
  });

  test("/language takes effect although the card cannot be redrawn", async () => {
    const ann = chatter(ANN.id);
    ann.say("a fox");
    const { message_id: card } = await ann.seeButton("✅ Generate", "a fox");
    service.sandbox.faults.add({
      method: "editMessageText",
      matches: ({ params }) => Number(params.message_id) === card,
      answer: { type: "status", code: 400, description: "Bad Request: not this time" },
    });
    ann.say("/language");
    await ann.press("Русский");
    await ann.see("по-русски");
    await eventually("a warning", () => service.lines.find(({ msg }) => msg === "card not redrawn"));
    expect(service.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
    await ann.press("Generate");
    await ann.see(({ photo, caption }) => photo !== undefined && caption?.includes("a fox") === true);
  });

  test.each([
    ["true", true],
    ["false", false],
  ])("/help mentions refunds according to REFUND_FAILED_JOBS=%s", async (setting, isPromised) => {
    await service.close();
    service = await startTestService({ environment: { REFUND_FAILED_JOBS: setting } });
    const ann = chatter(ANN.id);
    ann.say("/help");
    const { text } = await ann.see("How it works");
    expect(text?.includes("comes back to you")).toBe(isPromised);
    expect(text).toMatch(/nothing else\..*\n\n\/image – make an image/s);
    expect(text).not.toContain("\n\n\n");
  });

  test("/cancel closes the card and says so, also when there is none", async () => {
    const ann = chatter(ANN.id);
    ann.say("/cancel");
    await ann.see("nothing to cancel");
    ann.say("/image");
    ann.say("/cancel");
    await ann.see("Cancelled");
    ann.say("a tree");
    await ann.seeButton("✅", "a tree");
  });

  test("/cancel, like ‹ Back, closes a question, also after a restart, and shows the unchanged card", async () => {
    const ann = chatter(ANN.id);
    ann.say("a fox in the snow");
    const card = await ann.seeButton("✅", "a fox in the snow");
    await ann.press("⚙️ More");
    await ann.press("✍️ Describe");
    await ann.see("What should the image show?");
    await service.restart();
    const { message_id } = ann.say("/cancel");
    const again = await ann.see("a fox in the snow", message_id);
    expect([again.text, labelsOf(again)]).toEqual([card.text, labelsOf(card)]);
    ann.person.tap(again, "⚙️ More");
    await ann.press("✍️ Describe");
    const isQuestion = ({ text }: { text?: string }) =>
      text?.includes("What should the image show?") ?? false;
    const question = await ann.see((one) => one.message_id === again.message_id && isQuestion(one));
    ann.person.tap(question, "‹ Back");
    await ann.press("✅ Generate", "a fox in the snow");
    expect(ann.heard().filter(isQuestion)).toEqual([]);
  });

  test("/cancel says of a paid order that it continues, in its own chat and until it has arrived", async () => {
    service.provider.holds = true;
    const ann = chatter(ANN.id);
    const boris = chatter(BORIS.id);
    ann.say("a fox");
    await ann.press("✅", "a fox");
    await eventually("a task of the provider", () => service.provider.tasks[0]);
    ann.say("/cancel");
    await ann.see("already paid and on its way");
    boris.say("/cancel");
    await boris.see("Отменять нечего");
    service.provider.holds = false;
    for (const task of [...service.provider.held]) task.finish();
    await eventually("a delivery", () => service.lines.find(({ msg }) => msg === "order delivered"));
    const { message_id } = ann.say("/cancel");
    await ann.see("nothing to cancel", message_id);
  });

  test("is handled while a question waits, and a sticker makes it ask again", async () => {
    const ann = chatter(ANN.id);
    ann.say("/image a blue kite");
    await ann.press("⚙️ More");
    await ann.press("Describe");
    await ann.see("What should the image show?");
    ann.person.sendSticker(Buffer.from("sticker"));
    await ann.see("I need words here");
    ann.say("/balance");
    await ann.see("Your balance");
    ann.say("a red kite");
    await ann.seeButton("✅", "a red kite");
  });
});
