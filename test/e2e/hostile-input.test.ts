import { beforeEach, describe, expect, test } from "vitest";
import { Chatter } from "../support/chatter.js";
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
});
