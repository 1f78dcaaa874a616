import { beforeEach, describe, expect, test } from "vitest";
import { Chatter, labelsOf } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { beginImageInGroup, toBot } from "../support/group.js";
import { ADMIN, ANN, BORIS, startTestService, type TestService } from "../support/service.js";

let service: TestService;
const chatter = (id: number, chat?: number) => new Chatter(service.sandbox.person(id), chat);

describe("what people and bad luck try", () => {
  beforeEach(async () => {
    service = await startTestService();
  });

  test("a forwarded /credit, and one in reply to a forwarded message, credit nobody", async () => {
    const boris = chatter(BORIS.id);
    boris.say("/start");
    await boris.see("Здравствуйте");
    const { sandbox } = service;
    const from = { id: ADMIN.id, is_bot: false, first_name: "Vera", username: "vera", language_code: "en" };
    const chat = { id: ADMIN.id, type: "private", first_name: "Vera", username: "vera" };
    const date = Math.floor(Date.now() / 1000);
    const sender_user = { id: BORIS.id, is_bot: false, first_name: "Борис" };
    const forward_origin = { type: "user", date, sender_user };
    const entities = [{ type: "bot_command", offset: 0, length: 7 }];
    const vera = chatter(ADMIN.id);
    vera.say("/start");
    await vera.see("Hello");
    const text = `/credit ${BORIS.id} 5000`;
    sandbox.pushUpdate("message", { message_id: 9001, date, chat, from, text, entities, forward_origin });
    await vera.see("type it here yourself");
    const reply_to_message = { message_id: 9002, date, chat, from, text: "hi", forward_origin };
    sandbox.pushUpdate("message", {
      message_id: 9003,
      date,
      chat,
      from,
      text: "/credit 70",
      entities,
      reply_to_message,
    });
    await vera.see("Usage: /credit");
    expect([service.balanceOf(BORIS.id), service.balanceOf(ADMIN.id)]).toEqual([100, 100]);
  });

  test("a card whose edit was lost is drawn again by the next tap", async () => {
    const ann = chatter(ANN.id);
    ann.say("a mill");
    const card = await ann.seeButton("✅");
    service.sandbox.faults.add({ method: "editMessageText", answer: { type: "429", retryAfter: 40 } });
    await ann.person.tap(card, "Quality: 1K").answered();
    await service.sandbox.waitForCall("editMessageText", ({ status }) => status === 429);
    const stale = labelsOf(card).find((label) => label.startsWith("✅")) ?? "";
    await ann.person.tap(card, stale).answered();
    await ann.seeButton(/^• 1K · /);
    expect(service.balanceOf(ANN.id)).toBe(100);
  });

  test("a status edit that hangs keeps no delivery waiting", async () => {
    const ann = chatter(ANN.id);
    const held = service.sandbox.hold("editMessageText", ({ params }) => !("reply_markup" in params));
    for (const prompt of ["a red boat", "a blue boat"]) {
      ann.say(prompt);
      await ann.press("✅", prompt);
      await ann.see(({ photo, caption }) => photo !== undefined && caption?.includes(prompt) === true);
    }
    held.release();
    const isStatus = ({ text = "" }: { text?: string }) => /Sent…|queue…|Generating…/.test(text);
    await eventually("the statuses are gone", async () => !ann.heard().some(isStatus));
  });

  test("one chat that floods the bot keeps nobody else waiting", async () => {
    const ann = chatter(ANN.id);
    const boris = chatter(BORIS.id);
    boris.say("/start");
    await boris.see("Здравствуйте");
    const held = service.sandbox.hold("sendMessage", ({ params }) => params.chat_id === ANN.id);
    for (let turn = 0; turn < 700; turn += 1) ann.say("/balance");
    await held.arrived();
    boris.say("/balance");
    await boris.see("Ваш баланс", boris.heard().at(-1)?.message_id);
    held.release();
    await ann.see("Your balance");
  });

  test("whoever floods a group fills only their own share: the tap of another there is paid", async () => {
    const { groupId } = service.sandbox;
    const ann = chatter(ANN.id, groupId);
    const boris = chatter(BORIS.id, groupId);
    await beginImageInGroup(service, ann, "a mill");
    const held = service.sandbox.hold("sendMessage");
    for (let turn = 0; turn < 120; turn += 1) boris.say(toBot(service, "/help"));
    await held.arrived();
    const dropped = () => service.lines.filter(({ msg }) => String(msg).includes("floods")).length;
    await eventually("the flood", () => dropped() === 20);
    const tap = await ann.press("✅");
    await tap.answered();
    held.release();
    await ann.see(({ photo }) => photo !== undefined);
    expect([service.balanceOf(ANN.id), dropped()]).toEqual([90, 20]);
  });

  test("the original survives a 429 and a broken connection", async () => {
    const ann = chatter(ANN.id);
    ann.say("a mill");
    await ann.press("✅");
    const photo = await ann.see(({ photo: sizes }) => sizes !== undefined);
    service.sandbox.faults.add({ method: "sendDocument", answer: { type: "429", retryAfter: 1 } });
    service.sandbox.faults.add({ method: "answerCallbackQuery", answer: { type: "reset" } });
    ann.person.tap(photo, "As a file");
    await ann.see(({ document }) => document !== undefined);
  });
});
