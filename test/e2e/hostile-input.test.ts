import { beforeEach, describe, expect, test } from "vitest";
import { Chatter } from "../support/chatter.js";
import { toBot } from "../support/group.js";
import { ANN, startTestService, type TestService } from "../support/service.js";

let service: TestService;
let ann: Chatter;
beforeEach(async () => {
  service = await startTestService();
  ann = new Chatter(service.sandbox.person(ANN.id));
});

describe("the bot, given hostile input,", () => {
  test.each([
    ["HTML", "<b>bold</b> & <script>alert(1)</script> </blockquote>"],
    ["controls", "a\u0000b\u0007c\u001b[31m \u202e reversed"],
    ["4089 characters", "ж".repeat(4089)],
    ["4096 emoji clusters of several code points", "👨‍👩‍👧‍👦".repeat(372)],
    ["markdown", "*_`[link](http://x)"],
    ["fluent syntax", "{ $name } { MONEY(1) }"],
  ])("makes a picture with a whole caption from %s in a prompt", async (_name, prompt) => {
    ann.say(`/image ${prompt}`);
    await ann.press("✅");
    const photo = await ann.see(({ photo }) => photo !== undefined);
    expect(photo.caption).toContain("Nano Banana 2.1 · 10\u00a0₽");
    expect(photo.caption).not.toMatch(/\p{Cs}/u);
    const kinds = photo.caption_entities?.map(({ type }) => type) ?? [];
    expect(kinds.filter((kind) => ["bold", "text_link", "code", "blockquote"].includes(kind))).toEqual([]);
  });

  test("changes nothing on channel posts, inline queries, polls and updates without a chat or person", async () => {
    const { sandbox } = service;
    const date = Math.floor(Date.now() / 1000);
    const channel = { id: -1_009_999_999_999, type: "channel", title: "News" };
    const from = { id: ANN.id, is_bot: false, first_name: "Ann" };
    sandbox.pushUpdate("channel_post", { message_id: 1, date, chat: channel, text: "/start" });
    sandbox.pushUpdate("message", {
      message_id: 2,
      date,
      chat: channel,
      sender_chat: channel,
      text: "/image",
    });
    sandbox.pushUpdate("inline_query", { id: "1", from, query: "cat", offset: "" });
    sandbox.pushUpdate("callback_query", {
      id: "2",
      from,
      chat_instance: "1",
      inline_message_id: "x",
      data: "c:1:1:k",
    });
    sandbox.pushUpdate("edited_message", { message_id: 3, date, edit_date: date, chat: channel, text: "x" });
    ann.say("/balance");
    await ann.see("100\u00a0₽");
    expect(service.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  test("takes a text that begins with a slash as an answer, but not a command", async () => {
    const group = new Chatter(service.sandbox.person(ANN.id), service.sandbox.groupId);
    const { groupId } = service.sandbox;
    group.say(toBot(service, "/image"));
    const question = await group.see("Reply to this message");
    group.say("/кот/ on a roof", { replyTo: question.message_id });
    const card = await group.seeButton("✅", "/кот/ on a roof");
    group.person.tap(card, "⚙️ More", groupId);
    await group.press("✍️ Describe", "More settings");
    const second = await group.see("Reply to this message", card.message_id);
    group.say("/balance", { replyTo: second.message_id });
    await group.see("private", second.message_id);
    const isOnCard = (words: string) =>
      group.heard().some(({ text }) => text?.startsWith("👤") === true && text.includes(words));
    expect(isOnCard("/balance")).toBe(false);
    group.say("a dog on a roof", { replyTo: second.message_id });
    await group.seeButton("✅", "a dog on a roof");
    group.say(toBot(service, "/cancel"));
    group.say("a hen on a roof", { replyTo: second.message_id });
    group.say(toBot(service, "/help"));
    await group.see("How it works", second.message_id);
    expect(isOnCard("a hen on a roof")).toBe(false);
  });

  test("keeps answering during a flood of concurrent taps and texts", async () => {
    ann.say("/image");
    const list = await ann.seeButton("Quality");
    for (let turn = 0; turn < 30; turn += 1) {
      ann.person.tapData(list, `c:1:${turn.toString(36)}:k`);
      ann.say(`a fox in the snow ${turn}`);
    }
    await ann.seeButton("✅", "a fox in the snow 29");
  });
});
