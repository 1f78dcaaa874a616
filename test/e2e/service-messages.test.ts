import type { TelegramMessage } from "@gramio/types";
import { beforeEach, describe, expect, test } from "vitest";
import { userIdOf } from "../support/accounts.js";
import { Chatter } from "../support/chatter.js";
import { pushMessage } from "../support/messages.js";
import { ADMIN, ANN, BORIS, startTestService, type TestService } from "../support/service.js";

let service: TestService;
let ann: Chatter;
beforeEach(async () => {
  service = await startTestService();
  ann = new Chatter(service.sandbox.person(ANN.id));
});

const date = 1_700_000_000;

describe("a sender in the name of a chat is not a person and gets no account:", () => {
  const telegram = { id: 777_000, is_bot: false, first_name: "Telegram" };
  const channel = { id: -1_001_234, type: "channel" as const, title: "News" };

  test.each<[string, Partial<TelegramMessage>]>([
    ["a post that a linked channel passed on", { from: telegram, is_automatic_forward: true }],
    [
      "a channel that writes in the group",
      { from: { id: 136_817_688, is_bot: true, first_name: "Channel", username: "Channel_Bot" } },
    ],
    ["a person behind a channel", {}],
  ])("%s", async (_who, field) => {
    const chat = { id: service.sandbox.groupId, type: "supergroup" as const, title: "Studio" };
    const bot = service.sandbox.bot.username;
    for (const text of [`/image@${bot} a fox`, `/balance@${bot}`, `@${bot} a fox`])
      pushMessage(service, ann.person, { chat, sender_chat: channel, text, ...field });
    pushMessage(service, ann.person, { chat, sender_chat: channel, photo: [], ...field });
    const boris = new Chatter(service.sandbox.person(BORIS.id), service.sandbox.groupId);
    boris.say(`/balance@${bot}`);
    await boris.see("личном чате");
    expect(boris.heard()).toHaveLength(1);
    expect(service.adminService.accounts().map(userIdOf)).toEqual([BORIS.id]);
  });

  test("an edit of such a message", async () => {
    const chat = { id: service.sandbox.groupId, type: "supergroup", title: "Studio" };
    const edited = {
      message_id: 5,
      date,
      edit_date: date,
      chat,
      from: telegram,
      sender_chat: channel,
      text: "x",
    };
    service.sandbox.pushUpdate("edited_message", edited);
    ann.say("/balance");
    await ann.see("Your balance");
    expect(service.adminService.accounts().map(userIdOf)).toEqual([ANN.id]);
  });

  test("an admin's /credit in reply to one names nobody", async () => {
    const bot = service.sandbox.bot.username;
    const vera = new Chatter(service.sandbox.person(ADMIN.id), service.sandbox.groupId);
    const chat = { id: service.sandbox.groupId, type: "supergroup" as const, title: "Studio" };
    const reply_to_message = { message_id: 5, date, chat, from: telegram, sender_chat: channel, text: "x" };
    pushMessage(service, vera.person, {
      chat,
      text: `/credit@${bot} 70`,
      entities: [{ type: "bot_command", offset: 0, length: `/credit@${bot}`.length }],
      reply_to_message,
    });
    await vera.see("Usage: /credit");
    expect(service.adminService.accounts().map(userIdOf)).toEqual([ADMIN.id]);
  });
});
