import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Chatter } from "../support/chatter.js";
import { ANN, startTestService, type TestService } from "../support/service.js";

let service: TestService;
let ann: Chatter;
beforeEach(async () => {
  service = await startTestService();
  ann = new Chatter(service.sandbox.person(ANN.id));
});
afterEach(() => service.close());

describe("hostile input", () => {
  test.each([
    ["HTML", "<b>bold</b> & <script>alert(1)</script> </blockquote>"],
    ["controls", "a\u0000b\u0007c\u001b[31m \u202e reversed"],
    ["4096 characters", "ж".repeat(4096)],
    ["4096 emoji clusters of several code points", "👨‍👩‍👧‍👦".repeat(372)],
    ["markdown", "*_`[link](http://x)"],
    ["fluent syntax", "{ $name } { MONEY(1) }"],
  ])("%s in a prompt becomes a picture with a whole caption", async (_name, prompt) => {
    ann.say(prompt);
    await ann.press("✅");
    const photo = await ann.see(({ photo }) => photo !== undefined);
    expect(photo.caption).toContain("Nano Banana 2.1 · 10 ₽");
    expect(photo.caption).not.toMatch(/\p{Cs}/u);
    const kinds = photo.caption_entities?.map(({ type }) => type) ?? [];
    expect(kinds.filter((kind) => ["bold", "text_link", "code", "blockquote"].includes(kind))).toEqual([]);
  });

  test("stickers, voice, videos and documents are answered in words", async () => {
    for (const send of ["sendSticker", "sendVoice", "sendVideo", "sendDocument"] as const) {
      const sent = ann.person[send](PIXEL);
      await ann.see("I understand texts, photos", sent.message_id);
    }
  });

  test("an unknown command is answered", async () => {
    ann.say("/make_me_rich now");
    await ann.see("do not know this command");
  });

  test("channel posts, inline queries, polls and updates without a chat or person change nothing", async () => {
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
    await ann.see("100 ₽");
    expect(service.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  test("in a group the bot speaks only when it is spoken to", async () => {
    const group = new Chatter(service.sandbox.person(ANN.id), service.sandbox.groupId);
    group.say("hello everybody");
    group.say("/help@somebody_else_bot");
    group.person.sendSticker(PIXEL, { chat: service.sandbox.groupId });
    const { username } = service.sandbox.bot;
    group.say(`@${username} a paper boat`);
    await group.seeButton("✅", "a paper boat");
    expect(group.heard()).toHaveLength(1);
  });

  test("a flood of taps and texts at once leaves the bot answering", async () => {
    ann.say("/image");
    const list = await ann.seeButton("Nano Banana 2.1");
    for (let turn = 0; turn < 30; turn += 1) {
      ann.person.tapData(list, `c:1:${turn.toString(36)}:k`);
      ann.say(`prompt ${turn}`);
    }
    await ann.seeButton("Nano", "prompt 29").catch(() => ann.seeButton("✅", "prompt 29"));
  });
});

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
