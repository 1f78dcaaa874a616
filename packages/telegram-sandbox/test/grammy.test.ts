import { run } from "@grammyjs/runner";
import { Bot, InlineKeyboard, InputFile, InputMediaBuilder } from "grammy";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../src/index.js";
import { png } from "./picture.js";

let sandbox: Sandbox;
let bot: Bot;

beforeEach(async () => {
  sandbox = await createSandbox();
  bot = new Bot(sandbox.token, { client: { apiRoot: sandbox.url } });
});

afterEach(async () => {
  await sandbox.close();
});

test("a grammY bot answers /start, takes taps, edits its card and sends an album", async () => {
  bot.command("start", (ctx) =>
    ctx.reply("<b>Hello</b>", {
      parse_mode: "HTML",
      reply_markup: new InlineKeyboard().text("More", "more:1"),
    }),
  );
  bot.callbackQuery("more:1", async (ctx) => {
    await ctx.editMessageText("Here you are", { reply_markup: new InlineKeyboard().text("Again", "more:1") });
    await ctx.replyWithMediaGroup([
      InputMediaBuilder.photo(new InputFile(png(40, 30), "a.png"), { caption: "two" }),
      InputMediaBuilder.photo(new InputFile(png(30, 40), "b.png")),
    ]);
    await ctx.answerCallbackQuery({ text: "Done" });
  });
  const runner = run(bot);
  const anna = sandbox.person(1001);

  anna.sendText("/start");
  const card = await anna.waitForMessage("Hello");
  expect(card.entities).toEqual([{ type: "bold", offset: 0, length: 5 }]);
  const answer = await anna.tap(card, "More").answered();
  expect(answer).toEqual({ text: "Done", show_alert: false });
  expect((await anna.waitForMessage("Here you are")).message_id).toBe(card.message_id);
  const album = anna.messages().filter((message) => message.media_group_id !== undefined);
  expect(album.map(({ photo }) => photo?.at(-1)?.width)).toEqual([40, 30]);

  await runner.stop();
});

test("a grammY bot downloads files that a person sends", async () => {
  const bytes = png(20, 10);
  bot.on(":photo", async (ctx) => {
    const file = await ctx.getFile();
    const response = await fetch(`${sandbox.url}/file/bot${sandbox.token}/${file.file_path}`);
    const isSame = Buffer.from(await response.arrayBuffer()).equals(bytes);
    await ctx.replyWithDocument(new InputFile(bytes, "same.png"), { caption: isSame ? "same" : "other" });
  });
  const runner = run(bot);
  sandbox.person(1001).sendPhoto(bytes);
  const sent = await sandbox.person(1001).waitForMessage("same");
  expect(sent.document).toMatchObject({
    file_name: "same.png",
    mime_type: "image/png",
    file_size: bytes.length,
  });
  await runner.stop();
});
